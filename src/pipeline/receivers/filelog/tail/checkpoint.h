/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_FILELOG_CHECKPOINT_H
#define VARVE_PIPELINE_FILELOG_CHECKPOINT_H

#include "pipeline/receivers/filelog/tail/tail_set.h"

/*
 * Positions on disk: a JSON file in the directory of file_storage, replaced as a whole (write, fsync,
 * rename, fsync of the directory). It has the positions of what the next consumer has accepted.
 */
struct checkpoint {
	char *directory; /* of this receiver, in that of the extension */
	char *path, *temporary;
};

#define CHECKPOINT_SIZE_MAX (128 * MIB)

/*
 * Set the paths for a component; nothing is created. Return 0 or -ENOMEM; call checkpoint_fini() in
 * every case.
 */
MUST_USE int checkpoint_init(struct checkpoint *c, const char *storage, const char *id);
void checkpoint_fini(struct checkpoint *c);

/*
 * Add the stored files to the set. Return 0, also if nothing is stored; or -errno with text in `e`:
 * the file is damaged or cannot be read.
 */
MUST_USE int checkpoint_load(const struct checkpoint *c, struct tail_set *s, struct err *e);

/* Store the positions. Return 0 or -errno with text in `e`. */
MUST_USE int checkpoint_store(const struct checkpoint *c, const struct tail_set *s, struct err *e);

/* The content: for tests and the fuzzer. Return 0, -ENOMEM, or -EBADMSG with text in `e`. */
MUST_USE int checkpoint_parse(struct str text, struct tail_set *s, struct err *e);
void checkpoint_format(struct buf *out, const struct tail_set *s);

#endif

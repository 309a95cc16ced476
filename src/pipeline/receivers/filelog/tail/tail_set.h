/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_FILELOG_TAIL_SET_H
#define VARVE_PIPELINE_FILELOG_TAIL_SET_H

#include "base/log.h"
#include "pipeline/receivers/filelog/tail/glob.h"
#include "pipeline/receivers/filelog/tail/tail_file.h"

/*
 * The files that a receiver tails. A search finds new files, renamed files, files that became
 * shorter, and files that are gone; those are read to their end before they are closed. Positions of
 * closed files are remembered, so that a file that comes back, or a copy of one, is not read again.
 *
 * A file is known by device and inode while it is open. An unknown inode with the beginning of a
 * known file, and the same bytes before its position, is a copy: if the known file is gone or was
 * truncated, the copy takes over its position. While the known file is unchanged, the decision waits
 * (TAIL_COPY_PATIENCE): copytruncate copies first and truncates then. After that, the new file is
 * read from its beginning.
 *
 * With more files than may be open, files are opened one after another to be read.
 *
 * One thread.
 */
enum { TAIL_FILES_MAX = 100000, TAIL_REMEMBERED_MAX = 1000 };
#define TAIL_COPY_PATIENCE ((uint64_t)5000000000)
#define TAIL_GONE_PATIENCE ((uint64_t)10000000000) /* a writer may still have the file open */

struct tail_set {
	const struct filelog_settings *settings;
	const struct log *log;
	struct glob_list include, exclude;
	struct arena arena; /* of a search */
	struct tail_file **files;
	uint32_t count, room;
	uint32_t *slots; /* hash table by device and inode: index + 1 in `files` */
	uint32_t slot_count;
	uint32_t open, open_max;
	uint32_t cursor; /* where the next batch of files begins, with max_batches */
	uint64_t last_id;
	uint64_t warned; /* clock_monotonic_ns() when a file could not be opened */
	bool searched;	 /* at least once */
	bool known_all;	 /* positions were loaded: start_at does not apply */
	bool changed;	 /* since the positions were stored */
};

MUST_USE int tail_set_init(struct tail_set *s, const struct filelog_settings *settings,
			   const struct log *log, struct err *e);
void tail_set_fini(struct tail_set *s);

/* Add a file whose position was stored. Return NULL without memory, or if there are too many. */
struct tail_file *tail_set_add(struct tail_set *s, struct str path, dev_t dev, ino_t ino);

/* Search for files. `now` is clock_monotonic_ns(). Return 0 or -ENOMEM. */
MUST_USE int tail_set_search(struct tail_set *s, uint64_t now);

/* Return whether the file is to be read now; with *flush, its last entry is complete. */
bool tail_set_wants(const struct tail_set *s, const struct tail_file *f, uint64_t now, bool *flush);

/* Open a file that was closed because of the limit; another one is closed. Return 0 or -errno. */
MUST_USE int tail_set_open(struct tail_set *s, struct tail_file *f);

/* Close and forget files that are not needed any more, and those over the limits. */
void tail_set_sweep(struct tail_set *s, uint64_t now);

#endif

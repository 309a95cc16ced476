/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_FILELOG_TAIL_READER_H
#define VARVE_PIPELINE_FILELOG_TAIL_READER_H

#include "pipeline/receivers/filelog/tail/line_splitter.h"
#include "pipeline/receivers/filelog/tail/tail_file.h"

/*
 * Reads files from their positions and cuts them into entries, with one buffer for all files: an
 * entry without an end is read again when the file has grown.
 */
struct tail_reader {
	const struct filelog_settings *settings;
	struct line_splitter splitter;
	struct budget *budget;
	char *bytes;
	size_t room, n;
	uint64_t at;	/* offset of the first byte in the file */
	uint64_t owner; /* id of the file; 0: none */
	struct buf decoded;
};

/* Receives entries. The text is in UTF-8, without the white space around it, and never empty. */
struct tail_sink {
	/* Return false to stop. `offset` is that of the first byte of the entry. */
	bool (*entry)(void *owner, struct tail_file *f, struct str text, uint64_t offset);
	void *owner;
};

enum tail_end {
	TAIL_AT_END,  /* nothing is left but an entry without an end */
	TAIL_MORE,    /* the limit of bytes was reached */
	TAIL_STOPPED, /* by the sink */
};

MUST_USE int tail_reader_init(struct tail_reader *r, const struct filelog_settings *settings,
			      struct budget *budget, struct err *e);
void tail_reader_fini(struct tail_reader *r);

/*
 * Read about `limit` bytes at most. f->offset is that after the entry when the sink is called. With
 * `flush`, what is at the end of the file is an entry. Return an enum tail_end, or -errno.
 */
MUST_USE int tail_reader_run(struct tail_reader *r, struct tail_file *f, bool flush, uint64_t limit,
			     const struct tail_sink *sink);

/* Forget the bytes of a file whose content has changed. */
void tail_reader_forget(struct tail_reader *r, const struct tail_file *f);

#endif

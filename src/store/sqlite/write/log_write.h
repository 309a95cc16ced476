/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_LOG_WRITE_H
#define VARVE_STORE_SQLITE_LOG_WRITE_H

#include "store/sqlite/write/writer_side.h"

/* A block of log records to be written. */
struct new_logs {
	struct log_block_entry entry; /* without id, bytes and ids of blobs */
	struct buf frames;	      /* all blobs, with their frame headers */
	struct buf ends;	      /* of each, u64 */
};

void new_logs_fini(struct new_logs *l);

/* Note the end of the blob that was appended to `frames`. */
static inline void new_logs_end(struct new_logs *l)
{
	uint64_t end = l->frames.n;

	buf_put(&l->ends, &end, sizeof(end));
}

/* The log records of a replacement (compact/replace.h): blocks to drop and blocks to add. */
struct log_replacement {
	VEC(uint64_t) drop; /* ids */
	VEC(struct new_logs) add;
};

/*
 * Return the list for the next directory: a new list with room for all blocks, or `old` with a new
 * reference if nothing changes. NULL: no memory.
 */
struct log_list *log_replacement_list(const struct log_replacement *s, struct log_list *old);

/*
 * Apply the replacement inside a transaction; `d` has the list of log_replacement_list(). Return 0,
 * -ESTALE if a block to drop is missing, or -errno.
 */
MUST_USE int log_replacement_apply(struct log_replacement *s, struct writer_side *side,
				   const struct log_list *old, struct directory *d, struct err *e);

/*
 * Add the records of the write that belong to the partition's day to the pending rows, like
 * writer_map(). A request that is known (writer_side.recent_logs) adds nothing.
 */
MUST_USE int writer_map_logs(struct partition *p, struct store_write *w, struct err *e);

/*
 * Write the records of the sealed commit, inside its transaction; d->logs has room for them at its
 * end.
 */
MUST_USE int writer_put_logs(struct writer_side *side, struct directory *d, struct err *e);

#endif

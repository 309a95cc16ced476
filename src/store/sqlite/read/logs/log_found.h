/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_LOG_FOUND_H
#define VARVE_STORE_SQLITE_LOG_FOUND_H

#include "store/sqlite/logs/log_rows.h"

/*
 * The newest records that a search has found so far, at most `limit`: a heap whose first record is
 * the oldest of them. Records of the same time are ordered by `tie`, a hash of their text, so that
 * the order does not depend on how they are stored.
 */
struct found_log {
	uint64_t time, tie;
	uint32_t unit, row; /* where it is, if `message` is not read yet */
	struct str message; /* p is NULL: not read yet */
	const struct log_stream *stream;
};

struct found_logs {
	struct arena *arena; /* of the records and their messages */
	VEC(struct found_log) heap;
	uint32_t limit;
};

/* Return whether a record would be one of the newest. */
static inline bool found_logs_wants(const struct found_logs *f, uint64_t time, uint64_t tie)
{
	const struct found_log *oldest = f->heap.at;

	if (f->heap.n < f->limit)
		return true;
	return f->limit && (time > oldest->time || (time == oldest->time && tie < oldest->tie));
}

/* Return whether records of that time or older can be left out. */
static inline bool found_logs_is_past(const struct found_logs *f, uint64_t time)
{
	return f->heap.n >= f->limit && (!f->limit || time < f->heap.at[0].time);
}

/* Add a record that is wanted, and drop the oldest if there are too many. Return 0 or -ENOMEM. */
MUST_USE int found_logs_add(struct found_logs *f, const struct found_log *l);

/* Sort the records, the newest first. It is not a heap any more. */
void found_logs_sort(struct found_logs *f);

#endif

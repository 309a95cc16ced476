/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_SERIES_INDEX_H
#define VARVE_STORE_SQLITE_SERIES_INDEX_H

#include <pthread.h>

#include "store/sqlite/read/query.h"

/*
 * When each series of a day has profiles: of the whole day and of each hour the first time and the last, so that the
 * lists of labels that pages ask for all the time read nothing. A page is made when it is first asked for, from
 * the chunks there are, and then carried on: only chunks that came since are read. What has been merged away changes
 * nothing, for it is the same profiles; where profiles are deleted, the next directory begins an empty index.
 *
 * It is of chunks only: level 0 is not in it. It belongs to the directories of a partition that follow one another.
 * Any thread.
 */
enum { SERIES_INDEX_DAY = 24, SERIES_INDEX_PAGES };

struct series_span {
	uint64_t first, last; /* last < first: none */
};

/* Guarded by the lock of the index. */
struct series_page {
	struct arena arena;
	struct series_span *at; /* by series of the partition; those behind n have none */
	uint32_t n;
	uint64_t newest; /* all chunks up to this id are in it; 0: not made */
};

struct series_index {
	_Atomic uint32_t refs;
	pthread_rwlock_t lock;
	struct series_page pages[SERIES_INDEX_PAGES];
};

struct series_index *series_index_new(void); /* NULL: no memory */
struct series_index *series_index_ref(struct series_index *x);
void series_index_unref(struct series_index *x);

/* Give its memory back, unless somebody looks at it. */
void series_index_shrink(struct series_index *x);

/*
 * The page of an hour of the partition at hand, or of the day (SERIES_INDEX_DAY), as of the query's snapshot, with the lock held
 * until series_index_done(). 0, or -errno and nothing is held. -EAGAIN: it cannot be had (no room for it, or it
 * is ahead of the snapshot), and the chunks must do.
 */
MUST_USE int series_index_page(struct query *q, unsigned page, const struct series_page **out);
void series_index_done(struct query *q);

#endif

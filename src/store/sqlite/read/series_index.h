/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_SERIES_INDEX_H
#define VARVE_STORE_SQLITE_SERIES_INDEX_H

#include <pthread.h>

#include "store/sqlite/read/query.h"

/*
 * The first and last time of each series of a day, for the whole day and for each hour, so that
 * label lists, which pages request often, read no files. A page is built when it is first needed,
 * from the existing chunks, and then updated: only newer chunks are read. A merge changes nothing,
 * since the profiles stay the same; after a deletion the next directory begins an empty index.
 *
 * Level 0 is not in the index. Successive directories of a partition share it. Any thread.
 */
enum { SERIES_INDEX_DAY = 24, SERIES_INDEX_PAGES };

struct series_span {
	uint64_t first, last; /* last < first: none */
};

/* Guarded by the lock of the index. */
struct series_page {
	struct arena arena;
	/* by series of the partition; later series have no profiles in chunks */
	struct series_span *at;
	uint32_t n;
	uint64_t newest; /* all chunks up to this id are included; 0: not built */
};

struct series_index {
	_Atomic uint32_t refs;
	pthread_rwlock_t lock;
	struct series_page pages[SERIES_INDEX_PAGES];
};

struct series_index *series_index_new(void); /* NULL: no memory */
struct series_index *series_index_ref(struct series_index *x);
void series_index_unref(struct series_index *x);

/* Free the pages, unless the index is in use. */
void series_index_shrink(struct series_index *x);

/*
 * Get the page of an hour of the query's current partition, or of the day (SERIES_INDEX_DAY), as of
 * the query's snapshot. Return 0 with the lock held until series_index_done(); -EAGAIN if the page
 * is not available (no memory, or newer than the snapshot) and the chunks have to be read; or
 * another -errno.
 */
MUST_USE int series_index_page(struct query *q, unsigned page, const struct series_page **out);
void series_index_done(struct query *q);

#endif

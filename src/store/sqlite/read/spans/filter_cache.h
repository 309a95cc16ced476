/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_READ_FILTER_CACHE_H
#define VARVE_STORE_SQLITE_READ_FILTER_CACHE_H

#include "store/sqlite/read/reader.h"

/*
 * The filters of the trace ids of blocks, cached until their memory is needed for others: every
 * trace by id and every answer of a search is looked up in the filter of each block of some days.
 * Ids of blobs are never used again, so that what is cached stays valid.
 */
struct cached_filter;

/*
 * Set *out to the filter blob with that id, and *held to what span_filter_release() takes. It is
 * read into the arena if it does not fit the cache. Return 0 or -errno.
 */
MUST_USE int span_filter_hold(struct reader *r, uint64_t id, struct arena *a,
			      struct cached_filter **held, struct str *out, struct err *e);
void span_filter_release(struct cached_filter *held);

/* Evict the filters of the partition. */
void span_filters_drop(struct partition *p);

/* Evict some filters, least recently used first. Return false if there are none. */
bool span_filters_evict(struct sqlite_store *s);

#endif

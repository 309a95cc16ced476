/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_ROWS_H
#define VARVE_STORE_SQLITE_ROWS_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/container/vec.h"
#include "signal/profile/profile.h"

/*
 * Samples in memory, as columns, between the batch and the blobs: a row a profile of a series, and
 * behind it its samples. Series and nodes are numbers of the partition. Columns that nobody needs
 * are empty (ids, sample times, links).
 */
struct rows {
	/* profiles */
	VEC(uint32_t) series;
	VEC(uint32_t) count; /* of samples */
	VEC(uint64_t) time;
	VEC(uint64_t) duration;
	VEC(int64_t) total;
	VEC(uint8_t) ids; /* 16 bytes each; empty: none has one */
	bool by_hour;	  /* of a chunk: all profiles of a series are one section (chunk.h) */
	/* samples */
	VEC(uint32_t) node;
	VEC(int64_t) value;
	VEC(uint64_t) sample_time; /* empty: none has its own; 0: this one has not */
	VEC(uint32_t) link;	   /* empty: none; else of links, the first of which is "none" */
	VEC(struct link) links;
};

/* Where samples of profile i begin, for each i and the end; NULL when memory is out. */
uint32_t *rows_offsets(const struct rows *r, struct arena *a);

/* Add an id to the last profile; those before it have none. 0 or -errno. */
MUST_USE int rows_add_id(struct rows *r, struct arena *a, const uint8_t id[PROFILE_ID_SIZE]);

/*
 * Level 0: rows as they came, in one block, hardly packed: it is read a few times and gone within
 * minutes. A header of four u32 (profiles, samples, links, which columns are there), then the columns,
 * widest first, so that all are aligned. Views point into `bytes`, which must be aligned to 16.
 */
MUST_USE int rows_encode(const struct rows *r, struct buf *out);
MUST_USE int rows_view(struct rows *r, struct str bytes, struct err *e);

/* Append profile i of `from`, whose samples begin at `at`, to `to`. 0 or -errno. */
MUST_USE int rows_append(struct rows *to, struct arena *a, const struct rows *from, uint32_t i,
			 uint32_t at);

/* Have ids for all profiles, where one has: those behind the last that has one are not there before. 0 or -ENOMEM. */
MUST_USE int rows_fill_ids(struct rows *r, struct arena *a);

#endif

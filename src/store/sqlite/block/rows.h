/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_ROWS_H
#define VARVE_STORE_SQLITE_ROWS_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/container/vec.h"
#include "signal/profile/profile.h"

/*
 * Samples in memory, as columns, between batches and blobs: columns with one entry per profile and
 * series, and columns with one per sample, in the order of the profiles. Series and nodes are
 * numbers of the partition. The columns ids, sample_time and link may be empty.
 */
struct rows {
	/* profiles */
	VEC(uint32_t) series;
	VEC(uint32_t) count; /* of samples */
	VEC(uint64_t) time;
	VEC(uint64_t) duration;
	VEC(int64_t) total;
	VEC(uint8_t) ids; /* 16 bytes each; may end before the last profile; empty: none */
	bool by_hour;	  /* of a chunk: all profiles of a series are one section (chunk.h) */
	/* samples */
	VEC(uint32_t) node;
	VEC(int64_t) value;
	VEC(uint64_t) sample_time; /* empty: no sample has one; 0: this sample has none */
	VEC(uint32_t) link;	   /* index of `links`, whose entry 0 is "none"; empty: no links */
	VEC(struct link) links;
};

/* Return the index of the first sample of each profile, and the end. NULL: no memory. */
uint32_t *rows_offsets(const struct rows *r, struct arena *a);

/* Set the id of the last profile. Return 0 or -errno. */
MUST_USE int rows_add_id(struct rows *r, struct arena *a, const uint8_t id[PROFILE_ID_SIZE]);

/*
 * Append a level-0 block: the rows as they are, with fast compression by the caller, because the
 * block is read a few times and merged within minutes. It has a header of four u32 (profiles,
 * samples, links, which columns exist), then the columns, widest first, so that all are aligned.
 * Return 0 or -ENOMEM.
 */
MUST_USE int rows_encode(const struct rows *r, struct buf *out);

/* Set `r` to the columns of a level-0 block, which must be aligned to 16. Return 0 or -EUCLEAN. */
MUST_USE int rows_view(struct rows *r, struct str bytes, struct err *e);

/* Append profile i of `from`, whose samples begin at `at`, to `to`. Return 0 or -errno. */
MUST_USE int rows_append(struct rows *to, struct arena *a, const struct rows *from, uint32_t i,
			 uint32_t at);

/* If there are ids, extend them by zeros to all profiles. Return 0 or -ENOMEM. */
MUST_USE int rows_fill_ids(struct rows *r, struct arena *a);

#endif

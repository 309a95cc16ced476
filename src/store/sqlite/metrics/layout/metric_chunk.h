/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_METRIC_CHUNK_H
#define VARVE_STORE_SQLITE_METRIC_CHUNK_H

#include "base/container/idset.h"
#include "base/container/vec.h"
#include "base/err.h"
#include "store/sqlite/block/frame.h"
#include "store/sqlite/metrics/layout/metric_histograms.h"
#include "store/sqlite/metrics/layout/metric_values.h"

/*
 * A chunk has samples of many series in one hour, sorted by key and time. A run is what it has of
 * one series: its times, and floats or native histograms; a series can have a run of each.
 *
 * Times are apart from values: series that are scraped together have the same times, which are
 * stored once. Values are in pieces of whole runs, each compressed by itself, so that a query
 * decompresses only the pieces of its series. Series of the same metric are neighbours, because the
 * name of the metric is the upper half of the key.
 *
 *	varint	samples
 *	varint	runs, time blocks, pieces
 *	varint	size of the head before and after compression, then the head:
 *		columns of each run: name (delta), series (delta, zigzag), 2 x time block + (1: of
 *		histograms), bytes; of each time block: number of times, bytes; of each piece: runs,
 *		size before and after compression
 *	varint	size of all time blocks before and after compression, then these: metric_ints.h
 *	pieces	values of each run: metric_values.h, metric_histograms.h
 */
struct metric_run {
	uint64_t key;	      /* number of the name in the upper half, series in the lower one */
	uint32_t n;	      /* more than 0 */
	const int64_t *times; /* ascending, milliseconds */
	const uint64_t *bits; /* floats; or NULL: */
	const struct native_histogram *histograms;
};

static inline uint64_t metric_key(uint32_t name, uint32_t series)
{
	return (uint64_t)name << 32 | series;
}

static inline uint32_t metric_key_series(uint64_t key)
{
	return (uint32_t)key;
}

/* A chunk has at most about this many samples and runs. */
enum {
	METRIC_CHUNK_SAMPLES = 262144,
	METRIC_CHUNK_RUNS = 65536,
	METRIC_RUN_MAX = 1 << 22, /* samples of a run: one per millisecond of an hour */
};

/* ---- making ---- */

struct metric_time_block {
	uint32_t at, n; /* in `all_times` */
	uint32_t bytes;
};

struct metric_chunk_maker {
	struct arena arena;
	struct frame_packer packer;
	int level; /* of zstd */
	uint64_t first_key, last_key;
	int64_t first, last; /* times */
	uint64_t samples;
	uint32_t series; /* distinct */
	VEC(uint32_t) names;
	VEC(uint64_t) ids;
	VEC(uint32_t) blocks;
	VEC(uint32_t) lengths;
	VEC(struct metric_time_block) times;
	VEC(int64_t) all_times;
	struct idset by_times;
	struct buf packed_times, piece, pieces, head;
	VEC(uint32_t) piece_runs;
	VEC(uint32_t) piece_sizes;
	VEC(uint32_t) piece_packed;
	uint32_t runs_in_piece;
	struct value_scratch scratch;
	uint32_t scratch_n;
};

void metric_chunk_maker_init(struct metric_chunk_maker *m, int level);
void metric_chunk_maker_fini(struct metric_chunk_maker *m);

/* Add a run with a key not below the last one. Return 0 or -ENOMEM. */
MUST_USE int metric_chunk_add(struct metric_chunk_maker *m, const struct metric_run *r);

/* Return whether the chunk should end before the next series. */
static inline bool metric_chunk_full(const struct metric_chunk_maker *m)
{
	return m->samples >= METRIC_CHUNK_SAMPLES || m->names.n >= METRIC_CHUNK_RUNS;
}

/* Append the chunk as a frame, and make the maker empty. Return 0 or -ENOMEM. */
MUST_USE int metric_chunk_finish(struct metric_chunk_maker *m, struct buf *frame);

/* ---- reading ---- */

struct metric_chunk_piece {
	uint32_t first_run, runs, size, packed;
	size_t at;	  /* in the block */
	struct str bytes; /* p is NULL: not unpacked yet */
};

struct metric_chunk {
	struct arena *arena;
	struct frame_unpacker *unpacker;
	struct str block;
	uint64_t samples;
	uint32_t runs, time_blocks, pieces;
	uint64_t *keys;
	uint32_t *blocks;   /* 2 x time block + 1 for histograms */
	uint32_t *lengths;  /* of the values of each run */
	uint32_t *at;	    /* where they begin in their piece */
	uint32_t *piece_of; /* of each run */
	uint32_t *time_n;   /* of each time block */
	uint32_t *time_at;  /* of each time block, in `times_bytes` */
	int64_t **times;    /* of each time block; NULL: not decoded yet */
	struct str times_bytes;
	struct metric_chunk_piece *piece;
	int64_t *ints; /* scratch for values */
	uint32_t ints_n;
};

/*
 * Read the head of a chunk, which lives in the arena. Return 0, -ENOMEM or -EUCLEAN. The block must
 * stay valid.
 */
MUST_USE int metric_chunk_open(struct metric_chunk *c, struct str block, struct frame_unpacker *u,
			       struct arena *a, struct err *e);

static inline uint32_t metric_chunk_n(const struct metric_chunk *c, uint32_t run)
{
	return c->time_n[c->blocks[run] / 2];
}

static inline bool metric_chunk_is_histogram(const struct metric_chunk *c, uint32_t run)
{
	return c->blocks[run] & 1;
}

/* Set *times to those of a run, in the arena. Return 0, -ENOMEM or -EUCLEAN. */
MUST_USE int metric_chunk_times(struct metric_chunk *c, uint32_t run, const int64_t **times,
				struct err *e);

/* Read the values of a run of floats: n of them. Return 0, -ENOMEM or -EUCLEAN. */
MUST_USE int metric_chunk_values(struct metric_chunk *c, uint32_t run, uint64_t *bits,
				 struct err *e);

/* Read the n histograms of a run, with arrays in the arena `a`. Return 0, -ENOMEM or -EUCLEAN. */
MUST_USE int metric_chunk_histograms(struct metric_chunk *c, uint32_t run, struct arena *a,
				     struct native_histogram *out, struct err *e);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_CHUNK_DECODE_H
#define VARVE_STORE_SQLITE_CHUNK_DECODE_H

#include "store/sqlite/block/frame.h"
#include "store/sqlite/block/rows.h"

/* Decoding the parts of a chunk (chunk.h). Functions return 0, -ENOMEM or -EUCLEAN. */

/* What of a chunk is needed as rows. */
enum chunk_need { NEED_POINTS, NEED_LINKED, NEED_SAMPLES };

/* Decode the profiles into empty rows; their counts are those of all samples. */
MUST_USE int chunk_points(struct rows *out, struct str points, uint64_t hour, struct arena *a,
			  struct err *e);

/* ---- runs ---- */

/* A section of the runs. The arrays belong to the reader and are valid until the next section. */
struct chunk_section {
	uint32_t series, slot;
	uint32_t n;
	const uint32_t *nodes, *counts;
	const int64_t *sums;
};

/*
 * Runs in compressed pieces. All have their place in one buffer; a piece is decompressed on demand.
 */
struct runs_pieces {
	struct frame_unpacker *unpacker;
	uint32_t n, at; /* `at`: the current piece */
	const uint32_t *sizes, *packed_sizes;
	const char *packed; /* the compressed bytes of the current piece */
	char *begin, *end;  /* where the current piece is decompressed to */
	bool unpacked;
};

struct runs_reader {
	struct runs_pieces pieces; /* n is 0: the runs are not in pieces */
	const uint8_t *p;
	int64_t unit;
	uint32_t sections, at;
	const uint32_t *series, *slots, *runs, *sizes;
	uint32_t *nodes, *counts;
	int64_t *sums;
	uint64_t *wide;
};

/*
 * Begin reading runs. `runs` and `u` (may be NULL) must stay valid until the last section is read.
 */
MUST_USE int runs_begin(struct runs_reader *r, struct str runs, struct frame_unpacker *u,
			struct arena *a, struct err *e);

/* Which arrays of a section to fill. */
enum runs_need { RUNS_NONE, RUNS_COUNTS, RUNS_ALL };

/* Read the next section. Return 1, 0 at the end, or -EUCLEAN. */
MUST_USE int runs_next(struct runs_reader *r, struct chunk_section *out, enum runs_need need,
		       struct err *e);

/* Set the series and slot of the next section. Return false at the end. */
bool runs_peek(const struct runs_reader *r, uint32_t *series, uint32_t *slot);

/* ---- samples ---- */

struct sample_parts {
	struct str runs, detail, linked, links;
	struct frame_unpacker *unpacker; /* may be NULL */
};

/*
 * Add the samples to `out`, which has the points (chunk_points()). Parts that are not needed may be
 * empty: without runs and detail only the linked samples are added.
 */
MUST_USE int chunk_samples(struct rows *out, const struct sample_parts *parts, struct arena *a,
			   struct err *e);

/* The samples of the part `linked`, without times and links: enough for a sum. */
struct linked_samples {
	uint32_t n;
	uint32_t *nodes, *profiles; /* profiles: rows of the points */
	int64_t *values;
};

MUST_USE int chunk_linked(struct linked_samples *out, struct rows *points, struct str linked,
			  struct arena *a, struct err *e);

/* Return whether the filter may contain that span or trace id. */
bool chunk_filter_has(struct str filter, const uint8_t *id, size_t size);

#endif

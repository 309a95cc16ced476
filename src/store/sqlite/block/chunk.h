/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_CHUNK_H
#define VARVE_STORE_SQLITE_CHUNK_H

#include "base/buf.h"
#include "base/clock.h"
#include "store/sqlite/block/frame.h"
#include "store/sqlite/block/rows.h"
#include "store/sqlite/read/node_sums.h"
#include "store/store.h"

/*
 * A chunk: the samples of one hour of one group (tenant, profile type, service), sorted and packed.
 * Profiles are ordered by series and time; those of one series in one slot of ten minutes are a
 * section, or where they are few those of the hour. In a section samples are ordered by stack, and those
 * of one stack are a run: how many, and their sum. A sum over whole sections reads nothing but the runs.
 *
 *	points	the profiles: series, time, duration, total, number of samples, id
 *	runs	of each section: stack, number of samples, sum. Many are packed in pieces, a few sections
 *		each, so that a question about one series unpacks little else
 *	detail	of each sample which profile, and of each but the last of a run the value
 *	linked	samples with a time or a link of their own, apart from the others: stack, profile, value
 *	links	of these time and link. A chunk of before format 3 has them at the end of `linked`
 *	filter	which spans and traces are in `links`: a Bloom filter
 *	rollup	the sum by stack alone; for gauges also the sum of the means (MEAN_PARTS)
 *
 *	series	beside it: which series there are, and the first and last time of each
 *
 * Values are divided by what they have in common (10 ms of CPU time are 1), as are times. Each part
 * is a block of its own, so that a question reads what it needs.
 */
enum { SLOTS_IN_HOUR = 6 };

/* What the points say of themselves. */
enum { POINTS_HAVE_IDS = 1, POINTS_BY_HOUR = 2 };

/* The parts as blocks without envelope; those that are not there are empty. */
struct chunk_parts {
	struct buf points, runs, detail, linked, links, filter;
	struct buf detail_ends; /* u32: where its columns end */
	bool runs_packed;	/* in pieces; else `runs` is to be packed as the others are */
	uint64_t slots;		/* a bit each, of the hour */
};

void chunk_parts_fini(struct chunk_parts *p);

/*
 * Make the parts of rows that are all of one group and of the hour that begins at `hour` (time / 3600 s).
 * 0 or -ENOMEM.
 */
MUST_USE int chunk_encode(struct chunk_parts *out, const struct rows *r, uint64_t hour);

/* ---- reading; 0, -ENOMEM or -EUCLEAN ---- */

/* The profiles into the empty rows; counts are those of all samples. */
MUST_USE int chunk_points(struct rows *out, struct str points, uint64_t hour, struct arena *a,
			  struct err *e);

/* Which section of its series a profile is in; by_hour: they have only one. */
static inline uint32_t section_slot(bool by_hour, uint64_t time)
{
	uint64_t slot = time / (STORE_SLOT_SECONDS * NS_PER_SECOND) % SLOTS_IN_HOUR;

	return by_hour ? 0 : (uint32_t)slot;
}

/* A section of the runs, as it comes. Arrays are the reader's and live until the next one. */
struct chunk_section {
	uint32_t series, slot;
	uint32_t n;
	const uint32_t *nodes, *counts;
	const int64_t *sums;
};

/* Runs that are packed in pieces, unpacked one after the other into one place as sections are read. */
struct runs_pieces {
	struct frame_unpacker *unpacker;
	uint32_t n, at; /* `at`: the one that was looked at last */
	const uint32_t *sizes, *packed_sizes;
	const char *packed; /* the bytes of that one */
	char *begin, *end;  /* and where it is unpacked */
	bool unpacked;
};

struct runs_reader {
	struct runs_pieces pieces; /* n is 0: it is not in pieces */
	const uint8_t *p;
	int64_t unit;
	uint32_t sections, at;
	const uint32_t *series, *slots, *runs, *sizes;
	uint32_t *nodes, *counts;
	int64_t *sums;
	uint64_t *wide;
};

/* `runs` and `u`, which may be NULL, stay until the last section was read. */
MUST_USE int runs_begin(struct runs_reader *r, struct str runs, struct frame_unpacker *u,
			struct arena *a, struct err *e);

/* Which arrays of a section are filled. */
enum runs_need { RUNS_NONE, RUNS_COUNTS, RUNS_ALL };

/* The next section: 1, none left: 0, or -EUCLEAN. */
MUST_USE int runs_next(struct runs_reader *r, struct chunk_section *out, enum runs_need need,
		       struct err *e);

/* The series and slot of the section that comes next; false: none. */
bool runs_peek(const struct runs_reader *r, uint32_t *series, uint32_t *slot);

/* What of a chunk is wanted as rows. */
enum chunk_need { NEED_POINTS, NEED_LINKED, NEED_SAMPLES };

struct sample_parts {
	struct str runs, detail, linked, links;
	struct frame_unpacker *unpacker; /* may be NULL */
};

/*
 * All samples, profile by profile: `out` holds the points (chunk_points) and gets the samples. Parts
 * that are not needed may be empty: without runs and detail only linked samples come.
 */
MUST_USE int chunk_samples(struct rows *out, const struct sample_parts *parts, struct arena *a,
			   struct err *e);

/* The samples of the part `linked` for those who only add up: without times and links. */
struct linked_samples {
	uint32_t n;
	uint32_t *nodes, *profiles; /* profiles: of the points */
	int64_t *values;
};

MUST_USE int chunk_linked(struct linked_samples *out, struct rows *points, struct str linked,
			  struct arena *a, struct err *e);

/* May the part `linked` have a sample of that span, or trace? */
bool chunk_filter_has(struct str filter, const uint8_t *id, size_t size);

/* ---- roll-ups ---- */

/* Sums by node, those that are not 0, and where columns end; `parts` may be NULL. 0 or -ENOMEM. */
MUST_USE int rollup_encode(struct buf *out, struct buf *ends, const struct node_sums *sums,
			   const struct node_sums *parts);

/* Add them, of sums or of parts. */
MUST_USE int rollup_add(struct str rollup, bool parts, struct node_sums *to, struct arena *a,
			struct err *e);

/* The times of series. In a roll-up, ordered by series. */
struct series_time {
	uint32_t series;
	uint64_t first, last;
};

struct series_times {
	VEC(struct series_time) at;
};

/* Note a profile. Those of one series should come together. 0 or -ENOMEM. */
MUST_USE int series_times_add(struct series_times *s, struct arena *a, uint32_t series,
			      uint64_t first, uint64_t last);

/* Sort, and make those of one series one. */
void series_times_finish(struct series_times *s);

MUST_USE int series_times_encode(struct buf *out, const struct series_times *s);

/* Append. 0, -ENOMEM or -EUCLEAN. */
MUST_USE int series_times_decode(struct series_times *s, struct str bytes, struct arena *a,
				 struct err *e);

#endif

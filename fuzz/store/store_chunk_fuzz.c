/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arbitrary bytes as parts of a chunk, level-0 blocks or roll-ups: the first byte selects the kind,
 * and lengths separate the parts of a chunk. Decoded data is encoded again, and the output must
 * decode to the same.
 */
#include "base/clock.h"
#include "fuzz.h"
#include "store/sqlite/block/chunk_decode.h"
#include "store/sqlite/block/chunk_encode.h"
#include "store/sqlite/block/rollup_block.h"
#include "store/sqlite/block/series_times.h"

enum { HOUR = 480000 };

/* Return the next part: two bytes of length, then at most as many bytes. */
static struct str part(struct str *rest)
{
	size_t n = 0;
	struct str out;

	if (rest->n >= 2)
		n = (size_t)(uint8_t)rest->p[0] | (size_t)(uint8_t)rest->p[1] << 8;
	*rest = str_from_at(*rest, 2);
	out = str_head(*rest, n);
	*rest = str_from_at(*rest, out.n);
	return out;
}

/* Decode the parts into rows. */
static bool decode(struct rows *r, struct str points, const struct sample_parts *parts,
		   struct arena *a)
{
	struct err e = {0};
	int rc = chunk_points(r, points, HOUR, a, &e);

	if (!rc)
		rc = chunk_samples(r, parts, a, &e);
	FUZZ_CHECK(!rc || e.text[0]);
	return !rc;
}

static uint64_t sum_of(const struct rows *r)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < r->node.n; i++)
		sum += (uint64_t)r->value.at[i] * (r->node.at[i] + 1);
	return sum;
}

static void fuzz_chunk(struct str in, struct arena *a)
{
	struct str points = part(&in);
	struct sample_parts given = {0}, made;
	struct chunk_parts parts = {0};
	struct rows r, again;

	given.runs = part(&in);
	given.detail = part(&in);
	given.linked = part(&in);
	given.links = part(&in);
	if (decode(&r, points, &given, a)) {
		uint64_t promised = 0;

		for (uint32_t i = 0; i < r.count.n; i++)
			promised += r.count.at[i];
		FUZZ_CHECK(promised == r.node.n);
		if (chunk_encode(&parts, &r, HOUR) == 0) {
			made = (struct sample_parts){buf_str(&parts.runs), buf_str(&parts.detail),
						     buf_str(&parts.linked), buf_str(&parts.links),
						     NULL};
			FUZZ_CHECK(decode(&again, buf_str(&parts.points), &made, a));
			FUZZ_CHECK(again.node.n == r.node.n && sum_of(&again) == sum_of(&r));
			FUZZ_CHECK(again.series.n == r.series.n);
		}
		chunk_parts_fini(&parts);
	}
}

static void fuzz_runs(struct str in, struct arena *a)
{
	struct runs_reader r;
	struct chunk_section s;
	struct err e = {0};

	if (runs_begin(&r, in, NULL, a, &e) == 0)
		while (runs_next(&r, &s, RUNS_ALL, &e) > 0)
			;
}

static void fuzz_rollup(struct str in, struct arena *a)
{
	struct node_sums sums;
	struct err e = {0};

	if (node_sums_init(&sums, 5000, NULL) == 0) {
		if (rollup_add(in, false, &sums, a, &e) == 0) {
			struct buf out = {0}, ends = {0};

			FUZZ_CHECK(rollup_encode(&out, &ends, &sums, NULL) == 0);
			buf_fini(&ends);
			node_sums_clear(&sums);
			FUZZ_CHECK(rollup_add(buf_str(&out), false, &sums, a, &e) == 0);
			buf_fini(&out);
		}
		node_sums_clear(&sums);
		(void)!rollup_add(in, true, &sums, a, &e);
	}
	node_sums_fini(&sums);
}

static void fuzz_rows(struct str in, struct arena *a)
{
	struct rows r;
	struct err e = {0};
	struct str aligned;

	if (arena_copy_str(a, in, &aligned) == 0 && rows_view(&r, aligned, &e) == 0) {
		struct buf out = {0};

		FUZZ_CHECK(rows_encode(&r, &out) == 0 && out.n == in.n);
		buf_fini(&out);
	}
}

static void fuzz_series(struct str in, struct arena *a)
{
	struct series_times times = {0}, again = {0};
	struct buf out = {0};
	struct err e = {0};

	if (series_times_decode(&times, in, a, &e) == 0) {
		series_times_finish(&times);
		FUZZ_CHECK(series_times_encode(&out, &times) == 0);
		FUZZ_CHECK(series_times_decode(&again, buf_str(&out), a, &e) == 0);
		FUZZ_CHECK(again.at.n == times.at.n);
	}
	buf_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const kinds[])(struct str in, struct arena * a) = {
		fuzz_chunk, fuzz_runs, fuzz_rollup, fuzz_rows, fuzz_series};
	struct budget budget = {.limit = FUZZ_BUDGET};
	struct arena a;

	if (!size)
		return 0;
	arena_init(&a, &budget);
	kinds[data[0] % countof(kinds)](str_of((const char *)data + 1, size - 1), &a);
	arena_fini(&a);
	FUZZ_CHECK(budget.used == 0);
	return 0;
}

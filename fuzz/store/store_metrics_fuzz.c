/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arbitrary bytes as a block of metrics; the first byte chooses which: rows of a commit, a chunk,
 * exemplars and metadata, series. What decodes is encoded again, and has to decode to the same.
 */
#include "fuzz.h"
#include "store/sqlite/metrics/layout/metric_chunk.h"
#include "store/sqlite/metrics/layout/metric_rows.h"

static void fuzz_rows(struct str block, struct arena *a)
{
	struct metric_rows r, again;
	struct buf out = {0}, second = {0};

	if (metric_rows_get(&r, block, a, NULL))
		return;
	metric_rows_put(&r, &out);
	FUZZ_CHECK(metric_rows_get(&again, buf_str(&out), a, NULL) == 0);
	FUZZ_CHECK(again.series.n == r.series.n && again.histograms.n == r.histograms.n);
	metric_rows_put(&again, &second);
	FUZZ_CHECK(str_eq(buf_str(&out), buf_str(&second)));
	buf_fini(&out);
	buf_fini(&second);
}

static void read_run(struct metric_chunk *c, uint32_t run, struct arena *a)
{
	uint32_t n = metric_chunk_n(c, run);
	const int64_t *times;
	void *values;

	if (n > 65536 || metric_chunk_times(c, run, &times, NULL))
		return;
	FUZZ_CHECK(times[0] >= 0);
	if (metric_chunk_is_histogram(c, run)) {
		values = arena_alloc(a, n, sizeof(struct native_histogram));
		if (values)
			(void)!metric_chunk_histograms(c, run, a, values, NULL);
	} else {
		values = arena_alloc(a, n, sizeof(uint64_t));
		if (values)
			(void)!metric_chunk_values(c, run, values, NULL);
	}
}

static void fuzz_chunk(struct str block, struct arena *a)
{
	struct metric_chunk c;

	if (metric_chunk_open(&c, block, NULL, a, NULL))
		return;
	for (uint32_t i = 0; i < c.runs && i < 64; i++)
		read_run(&c, i, a);
}

static void fuzz_extras(struct str block, struct arena *a)
{
	struct metric_extras x = {0}, again = {0};
	struct buf out = {0};

	if (metric_extras_get(&x, block, a, NULL))
		return;
	metric_extras_put(&x, &out);
	FUZZ_CHECK(metric_extras_get(&again, buf_str(&out), a, NULL) == 0);
	FUZZ_CHECK(again.exemplars.n == x.exemplars.n && again.families.n == x.families.n);
	buf_fini(&out);
}

static void fuzz_series(struct str block)
{
	struct metric_index *x = metric_index_new(), *again = metric_index_new();
	struct buf out = {0};

	if (x && again && !metric_index_load(x, block, NULL)) {
		FUZZ_CHECK(metric_index_put(x, 0, x->n, &out) == 0);
		FUZZ_CHECK(metric_index_load(again, buf_str(&out), NULL) == 0);
		FUZZ_CHECK(again->n == x->n && again->pairs.n == x->pairs.n);
	}
	buf_fini(&out);
	metric_index_unref(x);
	metric_index_unref(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct budget budget = {.limit = FUZZ_BUDGET};
	struct str block;
	struct arena a;

	if (!size)
		return 0;
	block = str_of((const char *)data + 1, size - 1);
	arena_init(&a, &budget);
	switch (data[0] % 4) {
	case 0:
		fuzz_rows(block, &a);
		break;
	case 1:
		fuzz_chunk(block, &a);
		break;
	case 2:
		fuzz_extras(block, &a);
		break;
	default:
		fuzz_series(block);
	}
	arena_fini(&a);
	FUZZ_CHECK(budget.used == 0);
	return 0;
}

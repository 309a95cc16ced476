/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encodings of metrics: every list of integers, values and histograms is restored exactly; damaged
 * bytes are detected or decoded to something valid, never read beyond their end.
 */
#include <math.h>

#include "store/sqlite/metrics/layout/metric_chunk.h"
#include "test/test.h"

enum { MOST = 700, ROUNDS = 4000 };

static uint64_t random_state = 88172645463325252u;

static uint64_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static uint64_t below(uint64_t n)
{
	return next_random() % n;
}

static double double_of(uint64_t bits)
{
	double d;

	memcpy(&d, &bits, sizeof(d));
	return d;
}

static uint64_t bits_of(double d)
{
	uint64_t bits;

	memcpy(&bits, &d, sizeof(bits));
	return bits;
}

struct lists {
	int64_t v[MOST], got[MOST], ints[MOST];
	uint64_t bits[MOST], back[MOST], a[MOST], b[MOST];
	int64_t scratch[MOST];
};

/* ---- integers ---- */

static void fill_ints(int64_t *v, uint32_t n)
{
	unsigned kind = (unsigned)below(7), shift = (unsigned)below(64);
	int64_t at = (int64_t)next_random(), step = (int64_t)(next_random() >> shift);

	for (uint32_t i = 0; i < n; i++) {
		switch (kind) {
		case 0:
			v[i] = (int64_t)next_random();
			break;
		case 1:
			v[i] = at;
			break;
		case 2:
			v[i] = at = (int64_t)((uint64_t)at + (uint64_t)step);
			break;
		case 3:
			v[i] = at = (int64_t)((uint64_t)at + (next_random() >> shift));
			break;
		case 4:
			v[i] = (int64_t)(next_random() >> shift);
			break;
		case 5: /* with resets */
			at = below(20) ? (int64_t)((uint64_t)at + 10) : 0;
			v[i] = at;
			break;
		default:
			v[i] = below(2) ? INT64_MIN : INT64_MAX;
		}
	}
}

static void integers_are_restored(void **state)
{
	struct lists *l = calloc(1, sizeof(*l));
	const struct int_scratch scratch = {l->a, l->b};
	struct buf out = {0};

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		uint32_t n = 1 + (uint32_t)below(MOST);
		struct column_cursor c;

		fill_ints(l->v, n);
		buf_clear(&out);
		metric_ints_put(&out, l->v, n, &scratch);
		c = column_cursor(buf_str(&out));
		metric_ints_get(&c, l->got, n);
		assert_false(c.bad);
		assert_int_equal(column_left(&c), 0);
		assert_memory_equal(l->v, l->got, n * sizeof(l->v[0]));
	}
	buf_fini(&out);
	free(l);
}

/* ---- values ---- */

static void fill_values(uint64_t *bits, uint32_t n)
{
	static const double odd[] = {NAN, INFINITY, -INFINITY, -0.0, 5e-324, 1e308, 0.1};
	unsigned kind = (unsigned)below(8), digits = (unsigned)below(6);
	double at = (double)below(100000);

	for (uint32_t i = 0; i < n; i++) {
		switch (kind) {
		case 0:
			bits[i] = next_random();
			break;
		case 1:
			bits[i] = bits_of(at);
			break;
		case 2:
			bits[i] = bits_of(at += (double)below(100));
			break;
		case 3:
			bits[i] = bits_of(round(at * pow(10, digits)) / pow(10, digits));
			at += (double)below(1000) / 997;
			break;
		case 4:
			bits[i] = bits_of(sin((double)i / 10) * 1000);
			break;
		case 5:
			bits[i] = below(10) ? bits_of((double)i) : NATIVE_STALE_BITS;
			break;
		case 6:
			bits[i] = bits_of(odd[below(countof(odd))]);
			break;
		default:
			bits[i] = bits_of(double_of((uint64_t)(float)below(1u << 30) << 29));
		}
	}
}

static void values_are_restored(void **state)
{
	struct lists *l = calloc(1, sizeof(*l));
	const struct value_scratch scratch = {l->scratch, {l->a, l->b}};
	struct buf out = {0};

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		uint32_t n = 1 + (uint32_t)below(MOST);
		struct column_cursor c;

		fill_values(l->bits, n);
		buf_clear(&out);
		metric_values_put(&out, l->bits, n, &scratch);
		c = column_cursor(buf_str(&out));
		metric_values_get(&c, l->back, n, l->ints);
		assert_false(c.bad);
		assert_int_equal(column_left(&c), 0);
		assert_memory_equal(l->bits, l->back, n * sizeof(l->bits[0]));
	}
	buf_fini(&out);
	free(l);
}

static void regular_counters_are_small(void **state)
{
	struct lists *l = calloc(1, sizeof(*l));
	const struct value_scratch scratch = {l->scratch, {l->a, l->b}};
	struct buf out = {0};

	(void)state;
	for (uint32_t i = 0; i < 240; i++)
		l->bits[i] = bits_of(123456 + 7.0 * i);
	metric_values_put(&out, l->bits, 240, &scratch);
	assert_in_range(out.n, 1, 12);
	buf_fini(&out);
	free(l);
}

static void damaged_values_are_bounded(void **state)
{
	struct lists *l = calloc(1, sizeof(*l));
	const struct value_scratch scratch = {l->scratch, {l->a, l->b}};
	struct buf out = {0};

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		uint32_t n = 1 + (uint32_t)below(60);
		struct column_cursor c;
		char *copy;
		size_t size;

		fill_values(l->bits, n);
		buf_clear(&out);
		metric_values_put(&out, l->bits, n, &scratch);
		size = below(out.n + 1);
		copy = malloc(size + 1); /* so that the sanitizer sees the end */
		memcpy(copy, out.p, size);
		copy = realloc(copy, size ? size : 1);
		if (size && below(2))
			copy[below(size)] = (char)next_random();
		c = column_cursor(str_of(copy, size));
		metric_values_get(&c, l->back, n, l->ints);
		free(copy);
	}
	buf_fini(&out);
	free(l);
}

/* ---- histograms ---- */

static void fill_histogram(struct native_histogram *h, struct arena *a, bool integers)
{
	uint32_t n = 1 + (uint32_t)below(20);

	*h = (struct native_histogram){.schema = (int32_t)below(9),
				       .reset = (enum native_reset)below(4),
				       .zero_threshold = 1e-128,
				       .sum = (double)below(1000) / 7};
	h->positive.spans = arena_zalloc(a, 1, sizeof(struct native_span));
	h->positive.counts = arena_zalloc(a, n, sizeof(double));
	h->positive.spans[0] = (struct native_span){(int32_t)below(10) - 5, n};
	h->positive.span_count = 1;
	h->positive.count = n;
	for (uint32_t i = 0; i < n; i++) {
		h->positive.counts[i] = (double)below(1000) + (integers ? 0 : 0.25);
		h->count += h->positive.counts[i];
	}
}

static void histograms_are_restored(void **state)
{
	struct arena a;

	(void)state;
	arena_init(&a, NULL);
	for (unsigned round = 0; round < 500; round++) {
		struct native_histogram h[8], got[8];
		struct buf out = {0};
		struct column_cursor c;

		for (unsigned i = 0; i < countof(h); i++) {
			if (i && below(2))
				h[i] = h[i - 1];
			else
				fill_histogram(&h[i], &a, below(2));
			assert_null(native_check(&h[i]));
			metric_histogram_put(&out, &h[i], i ? &h[i - 1] : NULL);
		}
		c = column_cursor(buf_str(&out));
		for (unsigned i = 0; i < countof(h); i++) {
			assert_ok(metric_histogram_get(&c, &got[i], i ? &got[i - 1] : NULL, &a));
			assert_false(c.bad);
			assert_true(native_equal(&h[i], &got[i]));
			assert_int_equal(h[i].reset, got[i].reset);
		}
		assert_int_equal(column_left(&c), 0);
		buf_fini(&out);
		arena_reset(&a);
	}
	arena_fini(&a);
}

/* ---- chunks ---- */

static void chunks_are_restored(void **state)
{
	enum { RUNS = 300 };
	struct lists *l = calloc(RUNS, sizeof(*l));
	uint32_t n[RUNS];
	struct metric_chunk_maker maker;
	struct metric_chunk chunk;
	struct buf frame = {0};
	struct arena a;
	struct str block;

	(void)state;
	metric_chunk_maker_init(&maker, 3);
	arena_init(&a, NULL);
	for (uint32_t r = 0; r < RUNS; r++) {
		int64_t t = 1728000000000;

		n[r] = r % 3 ? 240 : 1 + (uint32_t)below(400);
		for (uint32_t i = 0; i < n[r]; i++) {
			l[r].v[i] = t;
			t += r % 3 ? 15000 : 1 + (int64_t)below(20000);
		}
		fill_values(l[r].bits, n[r]);
		assert_ok(
			metric_chunk_add(&maker, &(struct metric_run){.key = metric_key(r / 10, r),
								      .n = n[r],
								      .times = l[r].v,
								      .bits = l[r].bits}));
	}
	assert_int_equal(maker.series, RUNS);
	assert_ok(metric_chunk_finish(&maker, &frame));
	assert_ok(frame_get(buf_str(&frame), FRAME_METRIC_CHUNK, NULL, &a, &block, NULL));
	assert_ok(metric_chunk_open(&chunk, block, NULL, &a, NULL));
	assert_int_equal(chunk.runs, RUNS);
	for (uint32_t k = 0; k < RUNS; k++) {
		uint32_t r = (k * 7) % RUNS; /* in any order */
		const int64_t *times;

		assert_true(chunk.keys[r] == metric_key(r / 10, r));
		assert_int_equal(metric_chunk_n(&chunk, r), n[r]);
		assert_ok(metric_chunk_times(&chunk, r, &times, NULL));
		assert_memory_equal(times, l[r].v, n[r] * sizeof(*times));
		assert_ok(metric_chunk_values(&chunk, r, l[r].back, NULL));
		assert_memory_equal(l[r].back, l[r].bits, n[r] * sizeof(l[r].back[0]));
	}
	for (size_t i = 0; i < block.n; i++) /* truncated */
		if (i < 500 || i % 97 == 0)
			assert_int_equal(
				metric_chunk_open(&chunk, str_head(block, i), NULL, &a, NULL),
				-EUCLEAN);
	metric_chunk_maker_fini(&maker);
	buf_fini(&frame);
	arena_fini(&a);
	free(l);
}

TEST_MAIN(test(integers_are_restored), test(values_are_restored), test(regular_counters_are_small),
	  test(damaged_values_are_bounded), test(histograms_are_restored),
	  test(chunks_are_restored))

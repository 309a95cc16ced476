/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of remote read; responses are decoded again, chunks bit by bit. */
#include "format/prometheus/remote_read.h"

#include <math.h>

#include "base/crc32c.h"
#include "format/prometheus/remote_write.h"
#include "format/prometheus/sample_chunks.h"
#include "test/test.h"

/* ---- requests ---- */

static int decode(const char *bytes, size_t n, struct remote_read_request *out, struct arena *a,
		  struct err *e)
{
	return remote_read_decode(out, str_of(bytes, n), a, e);
}
#define DECODE(bytes) decode(bytes, sizeof(bytes) - 1, &r, &a, &e)

static void requests_have_queries_with_matchers(void **state)
{
	struct remote_read_request r;
	struct err e = {0};
	struct arena a;

	(void)state;
	arena_init(&a, NULL);
	assert_ok_err(DECODE("\x0a\x14\x08\x05\x10\x64\x1a\x05\x12\x01"
			     "a\x1a\x00\x1a\x07\x08\x03\x12\x01"
			     "b\x1a\x00"),
		      &e);
	assert_int_equal(r.queries.n, 1);
	assert_int_equal(r.queries.at[0].from, 5);
	assert_int_equal(r.queries.at[0].to, 100);
	assert_int_equal(r.queries.at[0].matchers.n, 2);
	assert_str_equal(r.queries.at[0].matchers.at[0].name, STR("a"));
	assert_int_equal(r.queries.at[0].matchers.at[0].op, MATCH_EQUAL);
	assert_int_equal(r.queries.at[0].matchers.at[1].op, MATCH_NOT_REGEX);
	assert_false(r.chunks || r.unknown);
	arena_fini(&a);
}

static void the_first_known_type_is_chosen(void **state)
{
	struct remote_read_request r;
	struct err e = {0};
	struct arena a;

	(void)state;
	arena_init(&a, NULL);
	assert_ok(DECODE("\x12\x02\x01\x00"));
	assert_true(r.chunks && !r.unknown);
	assert_ok(DECODE("\x10\x07\x10\x00\x10\x01"));
	assert_true(!r.chunks && !r.unknown);
	assert_ok(DECODE("\x10\x07"));
	assert_true(r.unknown);
	arena_fini(&a);
}

static void damaged_requests_are_errors(void **state)
{
	static const struct str damaged[] = {
		STR_INIT("\x0a\x05"),
		STR_INIT("\x0a\x02\x1a\x05"),
		STR_INIT("\x0a\x07\x1a\x05\x08\x09\x12\x01"
			 "a"),
		STR_INIT("\x0a\x02\x1a\x00"),
		STR_INIT("\x12\x01"),
	};
	struct remote_read_request r;
	struct buf many = {0};
	struct arena a;

	(void)state;
	arena_init(&a, NULL);
	for (size_t i = 0; i < countof(damaged); i++) {
		struct err e = {0};

		assert_int_equal(remote_read_decode(&r, damaged[i], &a, &e), -EBADMSG);
		assert_true(e.text[0]);
	}
	for (unsigned i = 0; i <= REMOTE_READ_QUERIES_MAX; i++)
		buf_put(&many, "\x0a\x00", 2);
	assert_int_equal(remote_read_decode(&r, buf_str(&many), &a, NULL), -EBADMSG);
	buf_fini(&many);
	arena_fini(&a);
}

/* ---- samples ---- */

static const struct label labels[] = {{STR_INIT("__name__"), STR_INIT("m")},
				      {STR_INIT("a"), STR_INIT("b")}};

static void samples_are_those_of_remote_write(void **state)
{
	static const int64_t times[] = {1728000000000, 1728000015000};
	static const double values[] = {0, -1.5};
	struct native_span span = {.offset = -2, .length = 2};
	double counts[] = {1, 2.5};
	struct native_histogram h = {.schema = 3,
				     .zero_threshold = 1e-128,
				     .zero_count = 0,
				     .count = 3.5,
				     .sum = -7,
				     .negative = {&span, counts, 1, 2},
				     .reset = NATIVE_GAUGE};
	const struct remote_read_series s = {.labels = labels,
					     .label_count = 2,
					     .count = 2,
					     .times = times,
					     .values = values,
					     .histogram_count = 1,
					     .histogram_times = times,
					     .histograms = &h};
	struct proto_writer w;
	struct metric_batch b;
	struct buf out = {0};
	struct err e = {0};

	(void)state;
	proto_writer_init(&w, NULL);
	assert_ok(remote_read_put_series(&out, &s, &w));
	/* QueryResult.timeseries has the number of WriteRequest.timeseries */
	metric_batch_init(&b, NULL);
	assert_ok_err(remote_write_decode(&b, REMOTE_WRITE_1, buf_str(&out), &e), &e);
	assert_int_equal(b.samples.n, 2);
	assert_int_equal(b.samples.at[1].time, times[1]);
	assert_true(metric_value(b.samples.at[1].bits) == -1.5);
	assert_int_equal(b.histograms.n, 1);
	assert_true(native_equal(&b.histograms.at[0].value, &h));
	assert_int_equal(b.histograms.at[0].value.reset, NATIVE_GAUGE);
	metric_batch_fini(&b);
	buf_fini(&out);
	proto_writer_fini(&w);
}

/* ---- chunks ---- */

struct bit_reader {
	struct str in;
	size_t at;
};

static uint64_t take(struct bit_reader *r, unsigned n)
{
	uint64_t v = 0;

	for (; n; n--, r->at++) {
		assert_true(r->at / 8 < r->in.n);
		v = v << 1 | ((uint8_t)r->in.p[r->at / 8] >> (7 - r->at % 8) & 1);
	}
	return v;
}

static int64_t take_signed(struct bit_reader *r, unsigned n)
{
	uint64_t v = take(r, n);

	if (n < 64 && v > UINT64_C(1) << (n - 1))
		v -= UINT64_C(1) << n;
	return (int64_t)v;
}

static uint64_t take_uvarint(struct bit_reader *r)
{
	uint64_t v = 0, byte = 0x80;

	for (unsigned shift = 0; byte & 0x80; shift += 7) {
		byte = take(r, 8);
		v |= (byte & 0x7f) << shift;
	}
	return v;
}

static double take_value(struct bit_reader *r, uint64_t *last, unsigned *leading,
			 unsigned *trailing)
{
	unsigned width;

	if (take(r, 1)) {
		if (take(r, 1)) {
			*leading = (unsigned)take(r, 5);
			width = (unsigned)take(r, 6);
			*trailing = 64 - *leading - (width ? width : 64);
		}
		*last ^= take(r, 64 - *leading - *trailing) << *trailing;
	}
	return metric_value(*last);
}

static void assert_floats(struct str chunk, const int64_t *times, const double *values, uint32_t n)
{
	static const unsigned widths[] = {0, 14, 17, 20, 64};
	struct bit_reader r = {chunk, 0};
	unsigned leading = 0, trailing = 0;
	int64_t time = 0, delta = 0;
	uint64_t last = 0;

	assert_int_equal(take(&r, 16), n);
	for (uint32_t i = 0; i < n; i++) {
		if (!i) {
			uint64_t zigzag = take_uvarint(&r);

			time = (int64_t)(zigzag >> 1) ^ -(int64_t)(zigzag & 1);
			last = take(&r, 64);
		} else if (i == 1) {
			delta = (int64_t)take_uvarint(&r);
		} else {
			unsigned size = 0;

			while (size < 4 && take(&r, 1))
				size++;
			if (size)
				delta += take_signed(&r, widths[size]);
		}
		time += i ? delta : 0;
		assert_int_equal(time, times[i]);
		if (i)
			(void)take_value(&r, &last, &leading, &trailing);
		assert_int_equal(last, metric_bits(values[i]));
	}
	assert_true(r.at + 8 > chunk.n * 8);
}

static void floats_are_the_same_after_decoding(void **state)
{
	static const int64_t steps[] = {15000, 15001,	14999,	 15000, 6808, 23192, 23193,
					80000, 2000000, 3000000, 1,	1,    15000};
	int64_t times[SAMPLE_CHUNK_MAX];
	double values[SAMPLE_CHUNK_MAX];

	(void)state;
	for (int64_t begin = -5; begin < 2000000000000; begin += 1728000000000) {
		struct buf out = {0};

		for (uint32_t i = 0; i < SAMPLE_CHUNK_MAX; i++) {
			times[i] = i ? times[i - 1] + steps[i % countof(steps)] : begin;
			values[i] = i % 5 == 4	 ? metric_value(NATIVE_STALE_BITS)
				    : i % 7 == 0 ? -0.0
				    : i % 3	 ? (double)i * 0.1
						 : (double)(i >> 3);
		}
		values[7] = 1;
		values[8] = metric_value(metric_bits(1) ^ UINT64_C(0x8000000000000001));
		sample_chunk_floats(&out, times, values, SAMPLE_CHUNK_MAX);
		assert_floats(buf_str(&out), times, values, SAMPLE_CHUNK_MAX);
		buf_clear(&out);
		sample_chunk_floats(&out, times, values, 1);
		assert_floats(buf_str(&out), times, values, 1);
		buf_fini(&out);
	}
}

static int64_t take_varbit(struct bit_reader *r, bool is_signed)
{
	static const unsigned widths[] = {3, 6, 9, 12, 18, 25, 56, 64};
	unsigned size = 0;

	if (!take(r, 1))
		return 0;
	while (size < 7 && take(r, 1))
		size++;
	return is_signed ? take_signed(r, widths[size]) : (int64_t)take(r, widths[size]);
}

static void histograms_share_a_chunk_until_their_buckets_differ(void **state)
{
	static const int64_t times[] = {1000, 2000, 3500};
	static const double bounds[] = {0.25, 1e9};
	struct native_span span = {.offset = 0, .length = 2}, other = {.offset = 1, .length = 2};
	double counts[][2] = {{1, 2}, {1, 3}, {1, 3}};
	struct native_histogram h[3];
	struct bit_reader r;
	struct buf out = {0};
	unsigned leading = 0, trailing = 0;
	uint64_t last;

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		h[i] = (struct native_histogram){
			.schema = NATIVE_CUSTOM,
			.count = counts[i][0] + counts[i][1],
			.sum = 5,
			.positive = {i == 2 ? &other : &span, counts[i], 1, 2},
			.custom = bounds,
			.custom_count = 2,
		};
	assert_int_equal(sample_chunk_histograms(&out, times, h, 3), 2);
	r = (struct bit_reader){buf_str(&out), 0};
	assert_int_equal(take(&r, 16), 2);
	assert_int_equal(take(&r, 8), 0);
	assert_int_equal(take(&r, 8), 0); /* zero threshold */
	assert_int_equal(take_varbit(&r, true), NATIVE_CUSTOM);
	assert_int_equal(take_varbit(&r, false), 1);
	assert_int_equal(take_varbit(&r, false), 2);
	assert_int_equal(take_varbit(&r, true), 0);
	assert_int_equal(take_varbit(&r, false), 0);
	assert_int_equal(take_varbit(&r, false), 2);
	assert_int_equal(take_varbit(&r, false), 251);
	assert_int_equal(take(&r, 1), 0);
	assert_int_equal(take(&r, 64), metric_bits(1e9));
	assert_int_equal(take_varbit(&r, true), 1000);
	assert_int_equal(take(&r, 64), metric_bits(3));
	assert_int_equal(take(&r, 64), 0);
	assert_int_equal(take(&r, 64), metric_bits(5));
	assert_int_equal(take(&r, 64), metric_bits(1));
	assert_int_equal(take(&r, 64), metric_bits(2));
	assert_int_equal(take_varbit(&r, true), 1000);
	last = metric_bits(3);
	assert_true(take_value(&r, &last, &leading, &trailing) == 4);
	buf_clear(&out);
	/* a reset of the counter, and a marker of the end, begin chunks */
	h[1].count = 2;
	h[2].sum = metric_value(NATIVE_STALE_BITS);
	assert_int_equal(sample_chunk_histograms(&out, times, h, 3), 1);
	assert_int_equal(sample_chunk_histograms(&out, times, h + 1, 2), 1);
	assert_int_equal(sample_chunk_histograms(&out, times, h + 2, 1), 1);
	buf_fini(&out);
}

static void frames_have_lengths_and_checksums(void **state)
{
	enum { N = 250 };
	int64_t times[N];
	double values[N];
	const struct remote_read_series s = {
		.labels = labels, .label_count = 2, .count = N, .times = times, .values = values};
	struct proto_writer w;
	struct proto_reader r;
	struct buf out = {0};
	unsigned chunks = 0;
	uint64_t size;

	(void)state;
	for (int64_t i = 0; i < N; i++) {
		times[i] = i * 1000;
		values[i] = (double)i;
	}
	proto_writer_init(&w, NULL);
	assert_ok(remote_read_put_frames(&out, &s, 3, &w));
	r = proto_reader_of(buf_str(&out));
	size = proto_varint(&r);
	assert_int_equal((size_t)(r.end - r.at), size + 4);
	assert_int_equal((uint32_t)r.at[0] << 24 | (uint32_t)r.at[1] << 16 |
				 (uint32_t)r.at[2] << 8 | r.at[3],
			 crc32c(0, r.at + 4, size));
	r.at += 4;
	assert_true(proto_next(&r) && r.tag == PROTO_TAG(1, PROTO_BYTES));
	for (struct proto_reader m = proto_message(&r); proto_next(&m); proto_skip(&m))
		chunks += proto_field(&m) == 2;
	assert_int_equal(chunks, 3);
	assert_true(proto_next(&r) && r.tag == PROTO_TAG(2, PROTO_VARINT));
	assert_int_equal(proto_varint(&r), 3);
	buf_fini(&out);
	proto_writer_fini(&w);
}

TEST_MAIN(cmocka_unit_test(requests_have_queries_with_matchers),
	  cmocka_unit_test(the_first_known_type_is_chosen),
	  cmocka_unit_test(damaged_requests_are_errors),
	  cmocka_unit_test(samples_are_those_of_remote_write),
	  cmocka_unit_test(floats_are_the_same_after_decoding),
	  cmocka_unit_test(histograms_share_a_chunk_until_their_buckets_differ),
	  cmocka_unit_test(frames_have_lengths_and_checksums))

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TEST_PPROF_MAKE_H
#define VARVE_TEST_PPROF_MAKE_H

/* Write pprof files field by field, valid or invalid. */
#include "base/buf.h"
#include "format/pprof/schema.h"
#include "test/test.h"
#include "wire/proto.h"

static inline void pb_raw(struct buf *b, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		buf_put_char(b, (char)(value | 0x80));
	buf_put_char(b, (char)value);
}

static inline void pb_number(struct buf *b, uint32_t field, uint64_t value)
{
	pb_raw(b, PROTO_TAG(field, PROTO_VARINT));
	pb_raw(b, value);
}

static inline void pb_bytes(struct buf *b, uint32_t field, struct str s)
{
	pb_raw(b, PROTO_TAG(field, PROTO_BYTES));
	pb_raw(b, s.n);
	buf_put_str(b, s);
}

/* Append `message` as a field and empty it. */
static inline void pb_message(struct buf *b, uint32_t field, struct buf *message)
{
	pb_bytes(b, field, buf_str(message));
	buf_clear(message);
}

/* Append a message of varint fields 1..n; zeros are omitted. */
static inline void pb_row(struct buf *b, uint32_t field, const uint64_t *values, uint32_t n)
{
	struct buf m = {0};

	for (uint32_t i = 0; i < n; i++)
		if (values[i])
			pb_number(&m, i + 1, values[i]);
	pb_message(b, field, &m);
	buf_fini(&m);
}

#define PB_ROW(b, field, ...)                                                                      \
	pb_row(b, field, (const uint64_t[]){__VA_ARGS__},                                          \
	       sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static inline void pb_packed(struct buf *b, uint32_t field, const uint64_t *values, size_t n)
{
	struct buf m = {0};

	for (size_t i = 0; i < n; i++)
		pb_raw(&m, values[i]);
	pb_message(b, field, &m);
	buf_fini(&m);
}

#define PB_PACKED(b, field, ...)                                                                   \
	pb_packed(b, field, (const uint64_t[]){__VA_ARGS__},                                       \
		  sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

/* Append a location with up to two lines of {function, line, column}. */
static inline void pb_location(struct buf *b, uint64_t id, uint64_t mapping, uint64_t address,
			       const uint64_t (*lines)[3], size_t n, bool folded)
{
	struct buf m = {0};

	pb_number(&m, PPROF_LOCATION_ID, id);
	if (mapping)
		pb_number(&m, PPROF_LOCATION_MAPPING, mapping);
	pb_number(&m, PPROF_LOCATION_ADDRESS, address);
	for (size_t i = 0; i < n; i++)
		pb_row(&m, PPROF_LOCATION_LINE, lines[i], 3);
	if (folded)
		pb_number(&m, PPROF_LOCATION_IS_FOLDED, 1);
	pb_message(b, PPROF_LOCATION, &m);
	buf_fini(&m);
}

/* The strings of the profile that make_profile() writes. */
enum {
	S_EMPTY,
	S_SAMPLES,
	S_COUNT,
	S_CPU,
	S_NS,
	S_APP,
	S_BUILD_ID,
	S_MAIN,
	S_MAIN_C,
	S_INNER,
	S_INNER_SYSTEM,
	S_THREAD,
	S_WORKER,
	S_SIZE,
	S_BYTES,
	S_KILOBYTES,
	S_TRACE_ID,
	S_SPAN_ID,
	S_TRACE,
	S_SPAN,
	S_COMMENT,
	S_COMMENT2,
	S_URL,
	S_DROP,
	S_KEEP,
	S_BARE,
	S_LAST
};

static inline void make_strings(struct buf *b)
{
	static const char *const strings[S_LAST] = {
		"",
		"samples",
		"count",
		"cpu",
		"nanoseconds",
		"/bin/app",
		"0123abcd",
		"main",
		"main.c",
		"inner",
		"_Z5innerv",
		"thread",
		"worker",
		"size",
		"bytes",
		"kilobytes",
		"trace_id",
		"span_id",
		"0af7651916cd43dd8448eb211c80319c",
		"b7ad6b7169203331",
		"made by hand",
		"for tests",
		"https://example.com/doc",
		"drop.*",
		"keep.*",
		"bare",
	};

	for (size_t i = 0; i < S_LAST; i++)
		pb_bytes(b, PPROF_STRING_TABLE, str_from(strings[i]));
}

/*
 * Append four samples of two types, with unordered ids, an inlined call, labels of all kinds and
 * links.
 */
static inline void make_samples(struct buf *b)
{
	struct buf m = {0};

	/* packed; one label of each kind */
	PB_PACKED(&m, PPROF_SAMPLE_LOCATION, 900, UINT64_MAX);
	PB_PACKED(&m, PPROF_SAMPLE_VALUE, 3, 30000000);
	PB_ROW(&m, PPROF_SAMPLE_LABEL, S_THREAD, S_WORKER);
	PB_ROW(&m, PPROF_SAMPLE_LABEL, S_SIZE, 0, 64, S_BYTES);
	PB_ROW(&m, PPROF_SAMPLE_LABEL, S_BARE);
	pb_message(b, PPROF_SAMPLE, &m);

	/* not packed; a key with two texts, one with numbers of two units, one of both kinds */
	pb_number(&m, PPROF_SAMPLE_LOCATION, UINT64_MAX);
	pb_number(&m, PPROF_SAMPLE_VALUE, 1);
	pb_number(&m, PPROF_SAMPLE_VALUE, 10000000);
	PB_ROW(&m, PPROF_SAMPLE_LABEL, S_THREAD, S_WORKER);
	PB_ROW(&m, PPROF_SAMPLE_LABEL, S_SIZE, 0, 64, S_BYTES);
	PB_ROW(&m, PPROF_SAMPLE_LABEL, S_BARE, S_COMMENT);
	PB_ROW(&m, PPROF_SAMPLE_LABEL, S_THREAD, S_MAIN);
	PB_ROW(&m, PPROF_SAMPLE_LABEL, S_SIZE, 0, 2, S_KILOBYTES);
	PB_ROW(&m, PPROF_SAMPLE_LABEL, S_BARE, 0, (uint64_t)-7);
	pb_message(b, PPROF_SAMPLE, &m);

	/* a link */
	PB_PACKED(&m, PPROF_SAMPLE_LOCATION, 2);
	PB_PACKED(&m, PPROF_SAMPLE_VALUE, 2, 20000000);
	PB_ROW(&m, PPROF_SAMPLE_LABEL, S_TRACE_ID, S_TRACE);
	PB_ROW(&m, PPROF_SAMPLE_LABEL, S_SPAN_ID, S_SPAN);
	pb_message(b, PPROF_SAMPLE, &m);

	/* no stack; a span id alone, and an invalid trace id */
	PB_PACKED(&m, PPROF_SAMPLE_VALUE, (uint64_t)-1, 0);
	PB_ROW(&m, PPROF_SAMPLE_LABEL, S_SPAN_ID, S_SPAN);
	PB_ROW(&m, PPROF_SAMPLE_LABEL, S_TRACE_ID, S_WORKER);
	pb_message(b, PPROF_SAMPLE, &m);
	buf_fini(&m);
}

static inline void make_profile(struct buf *b)
{
	const uint64_t inlined[2][3] = {{77, 5, 9}, {3, 12, 0}}, plain[1][3] = {{3, 14, 0}};

	PB_ROW(b, PPROF_SAMPLE_TYPE, S_SAMPLES, S_COUNT);
	PB_ROW(b, PPROF_SAMPLE_TYPE, S_CPU, S_NS);
	make_samples(b);
	PB_ROW(b, PPROF_MAPPING, 5, 0x400000, 0x500000, 0x1000, S_APP, S_BUILD_ID, 1, 1, 1, 1);
	PB_ROW(b, PPROF_MAPPING, 4, 0x700000, 0x800000);
	pb_location(b, 900, 5, 0x400123, inlined, 2, false);
	pb_location(b, UINT64_MAX, 5, 0x400456, plain, 1, true);
	pb_location(b, 2, 4, 0x700789, NULL, 0, false);
	PB_ROW(b, PPROF_FUNCTION, 3, S_MAIN, S_MAIN, S_MAIN_C, 10);
	PB_ROW(b, PPROF_FUNCTION, 77, S_INNER, S_INNER_SYSTEM, S_MAIN_C, 2);
	make_strings(b);
	pb_number(b, PPROF_DROP_FRAMES, S_DROP);
	pb_number(b, PPROF_KEEP_FRAMES, S_KEEP);
	pb_number(b, PPROF_TIME_NANOS, 1700000000000000000);
	pb_number(b, PPROF_DURATION_NANOS, 10000000000);
	PB_ROW(b, PPROF_PERIOD_TYPE, S_CPU, S_NS);
	pb_number(b, PPROF_PERIOD, 10000000);
	PB_PACKED(b, PPROF_COMMENT, S_COMMENT, S_COMMENT2);
	pb_number(b, PPROF_DEFAULT_SAMPLE_TYPE, S_CPU);
	pb_number(b, PPROF_DOC_URL, S_URL);
}

#endif

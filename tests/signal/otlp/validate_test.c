/* SPDX-License-Identifier: Apache-2.0 */
/* The check of received messages: what passes, and where mistakes are found. */
#include "signal/otlp/validate.h"

#include <errno.h>

#include "base/buf.h"
#include "signal/otlp/build.h"
#include "test/test.h"
#include "wire/proto.h"

static struct arena arena;

static int set_up(void **state)
{
	(void)state;
	arena_init(&arena, NULL);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_fini(&arena);
	return 0;
}

/* Return `inner` within a field, and that within fields 2 of a scope, a resource and a request. */
static struct str nested(struct str inner, const uint32_t *fields, size_t n)
{
	struct proto_writer w;
	struct str copy;

	proto_writer_init(&w, NULL);
	proto_put_raw(&w, inner.p, inner.n);
	for (size_t i = n; i-- > 0;)
		proto_put_header(&w, fields[i], 0);
	assert_ok(arena_copy_str(&arena, proto_writer_str(&w), &copy));
	proto_writer_fini(&w);
	return copy;
}

static struct str as_item(struct str item)
{
	return nested(item, (const uint32_t[]){1, 2, 2}, 3);
}

/* Check from an allocation of the exact size, so that a sanitizer sees reads beyond it. */
static int check(enum signal_kind signal, struct str message, uint32_t *items, struct err *e)
{
	char *exact = malloc(max_size(message.n, 1));
	int rc;

	assert_non_null(exact);
	memcpy(exact, message.p, message.n);
	rc = otlp_validate(signal, str_of(exact, message.n), items, e);
	free(exact);
	return rc;
}

static void expect_valid(enum signal_kind signal, struct str message, uint32_t expected)
{
	struct err e = {0};
	uint32_t items = 99;

	assert_ok_err(check(signal, message, &items, &e), &e);
	assert_int_equal(items, expected);
}

static void expect_invalid(enum signal_kind signal, struct str message, const char *text)
{
	struct err e = {0};
	uint32_t items;

	assert_int_equal(check(signal, message, &items, &e), -EBADMSG);
	if (!strstr(e.text, text))
		fail_msg("\"%s\", expected \"%s\"", e.text, text);
}

/* ---- all fields ---- */

/* The letters say how to write a field: see put_value(). */
struct field_row {
	uint32_t number;
	char kind;
};

/*
 * v: varint, 8: fixed64, 4: fixed32, s: text, b: bytes that are no text, T: trace id, S: span id,
 * p: packed varints, q: packed fixed64, a: KeyValue, A: AnyValue
 */
static void put_value(struct proto_writer *w, struct field_row f)
{
	static const char id[16] = "\xff\xfe";
	size_t mark = proto_mark(w);

	switch (f.kind) {
	case 'v':
		proto_put_uint(w, f.number, UINT64_MAX);
		return;
	case '8':
		proto_put_fixed64(w, f.number, UINT64_MAX);
		return;
	case '4':
		proto_put_raw(w, id, 4);
		proto_put_varint(w, PROTO_TAG(f.number, PROTO_FIXED32));
		return;
	case 's':
		proto_put_raw(w, "gr\xc3\xbc\xc3\x9f", 6);
		break;
	case 'b':
	case 'T':
		proto_put_raw(w, id, 16);
		break;
	case 'S':
		proto_put_raw(w, id, 8);
		break;
	case 'p':
		proto_put_varint(w, UINT64_MAX);
		proto_put_varint(w, 3);
		break;
	case 'q':
		proto_put_raw(w, id, 16);
		break;
	case 'a':
		proto_put_bytes(w, 2, STR("\x0a\x02hi"));
		proto_put_bytes(w, 1, STR("key"));
		break;
	case 'A':
		proto_put_bytes(w, 1, STR("a text"));
		break;
	default:
		fail_msg("unknown kind %c", f.kind);
	}
	proto_put_header(w, f.number, mark);
}

/* A message in its places: the fields around it, outermost first. */
struct message_row {
	const char *name;
	enum signal_kind signal;
	uint32_t path[9];
	uint32_t depth;
	uint32_t items;
	struct field_row fields[17];
};

static const struct message_row messages[] = {
	{"ResourceSpans", SIGNAL_TRACES, {1}, 1, 0, {{3, 's'}}},
	{"Resource", SIGNAL_TRACES, {1, 1}, 2, 0, {{1, 'a'}, {2, 'v'}}},
	{"EntityRef",
	 SIGNAL_TRACES,
	 {1, 1, 3},
	 3,
	 0,
	 {{1, 's'}, {2, 's'}, {3, 's'}, {3, 's'}, {4, 's'}}},
	{"InstrumentationScope",
	 SIGNAL_TRACES,
	 {1, 2, 1},
	 3,
	 0,
	 {{1, 's'}, {2, 's'}, {3, 'a'}, {4, 'v'}}},
	{"ScopeSpans", SIGNAL_TRACES, {1, 2}, 2, 0, {{3, 's'}}},
	{"Span",
	 SIGNAL_TRACES,
	 {1, 2, 2},
	 3,
	 1,
	 {{1, 'T'},
	  {2, 'S'},
	  {3, 's'},
	  {4, 'S'},
	  {5, 's'},
	  {6, 'v'},
	  {7, '8'},
	  {8, '8'},
	  {9, 'a'},
	  {10, 'v'},
	  {12, 'v'},
	  {14, 'v'},
	  {16, '4'}}},
	{"Span.Event",
	 SIGNAL_TRACES,
	 {1, 2, 2, 11},
	 4,
	 1,
	 {{1, '8'}, {2, 's'}, {3, 'a'}, {4, 'v'}}},
	{"Span.Link",
	 SIGNAL_TRACES,
	 {1, 2, 2, 13},
	 4,
	 1,
	 {{1, 'T'}, {2, 'S'}, {3, 's'}, {4, 'a'}, {5, 'v'}, {6, '4'}}},
	{"Status", SIGNAL_TRACES, {1, 2, 2, 15}, 4, 1, {{2, 's'}, {3, 'v'}}},
	{"AnyValue",
	 SIGNAL_TRACES,
	 {1, 1, 1, 2},
	 4,
	 0,
	 {{1, 's'}, {2, 'v'}, {3, 'v'}, {4, '8'}, {7, 'b'}, {8, 'v'}}},
	{"KeyValue", SIGNAL_LOGS, {1, 1, 1}, 3, 0, {{1, 's'}, {2, 'A'}, {3, 'v'}}},
	{"ArrayValue", SIGNAL_LOGS, {1, 1, 1, 2, 5}, 5, 0, {{1, 'A'}, {1, 'A'}}},
	{"KeyValueList", SIGNAL_LOGS, {1, 1, 1, 2, 6}, 5, 0, {{1, 'a'}, {1, 'a'}}},
	{"Metric", SIGNAL_METRICS, {1, 2, 2}, 3, 0, {{1, 's'}, {2, 's'}, {3, 's'}, {12, 'a'}}},
	{"Sum", SIGNAL_METRICS, {1, 2, 2, 7}, 4, 0, {{2, 'v'}, {3, 'v'}}},
	{"Histogram", SIGNAL_METRICS, {1, 2, 2, 9}, 4, 0, {{2, 'v'}}},
	{"ExponentialHistogram", SIGNAL_METRICS, {1, 2, 2, 10}, 4, 0, {{2, 'v'}}},
	{"NumberDataPoint",
	 SIGNAL_METRICS,
	 {1, 2, 2, 5, 1},
	 5,
	 1,
	 {{2, '8'}, {3, '8'}, {4, '8'}, {6, '8'}, {7, 'a'}, {8, 'v'}}},
	{"NumberDataPoint", SIGNAL_METRICS, {1, 2, 2, 7, 1}, 5, 1, {{3, '8'}}},
	{"HistogramDataPoint",
	 SIGNAL_METRICS,
	 {1, 2, 2, 9, 1},
	 5,
	 1,
	 {{2, '8'},
	  {3, '8'},
	  {4, '8'},
	  {5, '8'},
	  {6, 'q'},
	  {6, '8'},
	  {7, 'q'},
	  {7, '8'},
	  {9, 'a'},
	  {10, 'v'},
	  {11, '8'},
	  {12, '8'}}},
	{"ExponentialHistogramDataPoint",
	 SIGNAL_METRICS,
	 {1, 2, 2, 10, 1},
	 5,
	 1,
	 {{1, 'a'},
	  {2, '8'},
	  {3, '8'},
	  {4, '8'},
	  {5, '8'},
	  {6, 'v'},
	  {7, '8'},
	  {10, 'v'},
	  {12, '8'},
	  {13, '8'},
	  {14, '8'}}},
	{"ExponentialHistogramDataPoint.Buckets",
	 SIGNAL_METRICS,
	 {1, 2, 2, 10, 1, 8},
	 6,
	 1,
	 {{1, 'v'}, {2, 'p'}, {2, 'v'}}},
	{"ExponentialHistogramDataPoint.Buckets",
	 SIGNAL_METRICS,
	 {1, 2, 2, 10, 1, 9},
	 6,
	 1,
	 {{2, 'p'}}},
	{"SummaryDataPoint",
	 SIGNAL_METRICS,
	 {1, 2, 2, 11, 1},
	 5,
	 1,
	 {{2, '8'}, {3, '8'}, {4, '8'}, {5, '8'}, {7, 'a'}, {8, 'v'}}},
	{"SummaryDataPoint.ValueAtQuantile",
	 SIGNAL_METRICS,
	 {1, 2, 2, 11, 1, 6},
	 6,
	 1,
	 {{1, '8'}, {2, '8'}}},
	{"Exemplar",
	 SIGNAL_METRICS,
	 {1, 2, 2, 5, 1, 5},
	 6,
	 1,
	 {{2, '8'}, {3, '8'}, {4, 'S'}, {5, 'T'}, {6, '8'}, {7, 'a'}}},
	{"Exemplar", SIGNAL_METRICS, {1, 2, 2, 9, 1, 8}, 6, 1, {{3, '8'}}},
	{"Exemplar", SIGNAL_METRICS, {1, 2, 2, 10, 1, 11}, 6, 1, {{3, '8'}}},
	{"Profile",
	 SIGNAL_PROFILES,
	 {1, 2, 2},
	 3,
	 0,
	 {{3, '8'},
	  {4, 'v'},
	  {6, 'v'},
	  {7, 'T'},
	  {8, 'v'},
	  {9, 's'},
	  {10, 'b'},
	  {11, 'p'},
	  {11, 'v'}}},
	{"ValueType", SIGNAL_PROFILES, {1, 2, 2, 1}, 4, 0, {{1, 'v'}, {2, 'v'}}},
	{"ValueType", SIGNAL_PROFILES, {1, 2, 2, 5}, 4, 0, {{1, 'v'}, {2, 'v'}}},
	{"Sample",
	 SIGNAL_PROFILES,
	 {1, 2, 2, 2},
	 4,
	 1,
	 {{1, 'v'}, {2, 'p'}, {3, 'v'}, {4, 'p'}, {4, 'v'}, {5, 'q'}, {5, '8'}}},
	{"ProfilesDictionary", SIGNAL_PROFILES, {2}, 1, 0, {{5, 's'}, {5, 's'}}},
	{"Mapping",
	 SIGNAL_PROFILES,
	 {2, 1},
	 2,
	 0,
	 {{1, 'v'}, {2, 'v'}, {3, 'v'}, {4, 'v'}, {5, 'p'}}},
	{"Location", SIGNAL_PROFILES, {2, 2}, 2, 0, {{1, 'v'}, {2, 'v'}, {4, 'p'}}},
	{"Line", SIGNAL_PROFILES, {2, 2, 3}, 3, 0, {{1, 'v'}, {2, 'v'}, {3, 'v'}}},
	{"Function", SIGNAL_PROFILES, {2, 3}, 2, 0, {{1, 'v'}, {2, 'v'}, {3, 'v'}, {4, 'v'}}},
	{"Link", SIGNAL_PROFILES, {2, 4}, 2, 0, {{1, 'T'}, {2, 'S'}}},
	{"KeyValueAndUnit", SIGNAL_PROFILES, {2, 6}, 2, 0, {{1, 'v'}, {2, 'A'}, {3, 'v'}}},
	{"Stack", SIGNAL_PROFILES, {2, 7}, 2, 0, {{1, 'p'}, {1, 'v'}}},
	{"LogRecord",
	 SIGNAL_LOGS,
	 {1, 2, 2},
	 3,
	 1,
	 {{1, '8'},
	  {2, 'v'},
	  {3, 's'},
	  {5, 'A'},
	  {6, 'a'},
	  {7, 'v'},
	  {8, '4'},
	  {9, 'T'},
	  {10, 'S'},
	  {11, '8'},
	  {12, 's'}}},
};

static struct str write_message(const struct message_row *m)
{
	struct proto_writer w;
	struct str all;

	proto_writer_init(&w, NULL);
	for (size_t i = countof(m->fields); i-- > 0;)
		if (m->fields[i].number)
			put_value(&w, m->fields[i]);
	all = nested(proto_writer_str(&w), m->path, m->depth);
	proto_writer_fini(&w);
	return all;
}

static void every_field_of_every_message_passes(void **state)
{
	(void)state;
	for (size_t i = 0; i < countof(messages); i++)
		expect_valid(messages[i].signal, write_message(&messages[i]), messages[i].items);
}

/* Another wire type of any known field is an error in its message; unknown fields are skipped. */
static void a_wrong_wire_type_is_found_in_every_field(void **state)
{

	(void)state;
	for (size_t i = 0; i < countof(messages); i++) {
		const struct message_row *m = &messages[i];

		for (const struct field_row *f = m->fields; f->number; f++) {
			/* fixed32 where it is not expected, else fixed64; both are 8 zero bytes */
			uint32_t wire = f->kind == '4' ? PROTO_FIXED64 : PROTO_FIXED32;
			char field[12] = {0};
			size_t n = 0;

			if (f->number > 15)
				field[n++] = (char)(0x80 | (PROTO_TAG(f->number, wire) & 0x7f));
			field[n++] = (char)(f->number > 15 ? 1 : PROTO_TAG(f->number, wire));
			n += f->kind == '4' ? 8 : 4;
			expect_invalid(m->signal, nested(str_of(field, n), m->path, m->depth),
				       m->name);
		}
		expect_valid(
			m->signal,
			nested(STR("\xfa\x3e\x02\xff\xff\xf5\x3e\x01\x02\x03\x04\xc3\x3e\xc4\x3e"),
			       m->path, m->depth),
			m->items);
	}
}

/* A message that is cut anywhere fails, unless the cut is between two fields of the request. */
static void cuts_are_found(void **state)
{
	(void)state;
	for (size_t i = 0; i < countof(messages); i++) {
		struct str whole = write_message(&messages[i]);

		for (size_t n = 1; n < whole.n; n++)
			expect_invalid(messages[i].signal, str_head(whole, n), "at byte");
	}
}

/* ---- texts ---- */

static void invalid_text_is_found_at_every_position(void **state)
{
	(void)state;
	for (size_t n = 1; n < 70; n++)
		for (size_t bad = 0; bad < n; bad++) {
			char name[2 + 70] = {0x2a, (char)n};

			memset(name + 2, 'a', n);
			name[2 + bad] = '\x80';
			expect_invalid(SIGNAL_TRACES, as_item(str_of(name, 2 + n)),
				       "in Span: expected UTF-8 text");
		}
}

/* Attributes are checked in another way than texts. */
static void invalid_text_is_found_in_attributes(void **state)
{
	char text[40];

	(void)state;
	memset(text, 'x', sizeof(text));
	for (size_t n = 1; n <= sizeof(text); n++)
		for (size_t bad = 0; bad < n; bad++) {
			struct proto_writer w;

			text[bad] = '\xff';
			proto_writer_init(&w, NULL);
			otlp_attribute_write(&w, OTLP_SPAN_ATTRIBUTES, STR("good"),
					     &VALUE_OF_STR(str_of(text, n)));
			expect_invalid(SIGNAL_TRACES, as_item(proto_writer_str(&w)),
				       "in AnyValue: expected UTF-8 text");
			proto_writer_clear(&w);
			otlp_attribute_write(&w, OTLP_SPAN_ATTRIBUTES, str_of(text, n),
					     &VALUE_OF_STR(STR("good")));
			expect_invalid(SIGNAL_TRACES, as_item(proto_writer_str(&w)),
				       "in KeyValue: expected UTF-8 text");
			proto_writer_fini(&w);
			text[bad] = 'x';
		}
}

/* The same attribute with each length of key and value, so that each form of length occurs. */
static void attributes_of_all_lengths_pass(void **state)
{
	static char text[20000];
	static const size_t sizes[] = {0,   1,	 2,   7,   8,	9,   15,  16,  17,    31,   32,
				       33,  115, 116, 117, 118, 119, 120, 121, 122,   123,  124,
				       125, 126, 127, 128, 129, 130, 255, 256, 16383, 16384};

	(void)state;
	memset(text, 'k', sizeof(text));
	for (size_t i = 0; i < countof(sizes); i++)
		for (size_t k = 0; k < countof(sizes); k++) {
			struct proto_writer w;

			proto_writer_init(&w, NULL);
			for (unsigned twice = 0; twice < 2; twice++)
				otlp_attribute_write(&w, OTLP_SPAN_ATTRIBUTES,
						     str_of(text, sizes[i]),
						     &VALUE_OF_STR(str_of(text, sizes[k])));
			expect_valid(SIGNAL_TRACES, as_item(proto_writer_str(&w)), 1);
			proto_writer_fini(&w);
		}
}

/* ---- limits ---- */

static struct str lists(unsigned depth)
{
	uint32_t path[200] = {1, 1, 1, 2}; /* to an attribute of a resource */

	for (unsigned i = 0; i < 2 * depth; i++)
		path[4 + i] = i % 2 ? 1 : 5;
	return nested(STR("\x0a\x01x"), path, 4 + 2 * depth);
}

static void nesting_is_limited(void **state)
{
	(void)state;
	expect_valid(SIGNAL_LOGS, lists(48), 0);
	expect_invalid(SIGNAL_LOGS, lists(49), "nested more than 100 deep");
}

static void damage_is_found(void **state)
{
	static const struct {
		struct str item;
		const char *text;
	} rows[] = {
		{STR_INIT("\x0a\x0f"
			  "123456789012345"),
		 "at byte 8, in Span: expected a trace id"},
		{STR_INIT("\x12\x07"
			  "1234567"),
		 "in Span: expected a span id of 8 bytes"},
		{STR_INIT("\x22\x01x"), "in Span: expected a span id of 8 bytes"},
		{STR_INIT("\x30\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"),
		 "in Span: a number is truncated or too long"},
		{STR_INIT("\x30\xff\xff\xff\xff\xff\xff\xff\xff\xff\x80\x01"),
		 "in Span: a number is truncated or too long"},
		{STR_INIT("\x2a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), "is truncated"},
		{STR_INIT("\x3d\x01\x02\x03\x04"), "field 7 does not have the wire type 5"},
		{STR_INIT("\x2b\x2c"), "field 5 does not have the wire type 3"},
		{STR_INIT("\x2f"), "at byte"},
		{STR_INIT("\x00\x01"), "at byte"},
		{STR_INIT("\xa3\x01"), "at byte"},
		{STR_INIT("\xaa\x00\x01x"), "a tag has more bytes than needed"},
	};
	static const struct str counts = STR_INIT("\x12\x01\x80"), sums = STR_INIT("\x32\x07"
										   "1234567");

	(void)state;
	for (size_t i = 0; i < countof(rows); i++)
		expect_invalid(SIGNAL_TRACES, as_item(rows[i].item), rows[i].text);
	expect_invalid(SIGNAL_METRICS, nested(counts, (const uint32_t[]){1, 2, 2, 10, 1, 8}, 6),
		       "Buckets: truncated number");
	expect_invalid(SIGNAL_METRICS, nested(sums, (const uint32_t[]){1, 2, 2, 9, 1}, 5),
		       "HistogramDataPoint: expected numbers of 8 bytes");
}

/* ---- other messages ---- */

static void items_are_counted(void **state)
{
	struct otlp_builder b;
	struct payload *p;

	(void)state;
	otlp_builder_init(&b, SIGNAL_METRICS, NULL);
	for (int i = 0; i < 20; i++) {
		otlp_begin_metric(&b, &(struct otlp_metric){.name = STR("m"), .kind = OTLP_GAUGE});
		for (int k = 0; k < i; k++)
			otlp_add_number(&b, &(struct otlp_number){.d = k});
	}
	p = otlp_builder_finish(&b);
	otlp_builder_fini(&b);
	assert_non_null(p);
	expect_valid(SIGNAL_METRICS, p->slices[0].bytes, 190);
	payload_release(p);
	expect_valid(SIGNAL_LOGS, STR(""), 0);
}

/* A message of another signal has other types in the same fields. */
static void a_message_of_another_signal_fails(void **state)
{
	struct str span = as_item(STR("\x0a\x10\xff\xfe\xfd"
				      "0123456789abc\x12\x08\xff\xfe\xfd"
				      "01234"));

	(void)state;
	expect_valid(SIGNAL_TRACES, span, 1);
	expect_invalid(SIGNAL_METRICS, span, "in Metric");
	expect_invalid(SIGNAL_LOGS, span, "in LogRecord");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_field_of_every_message_passes),
		cmocka_unit_test(a_wrong_wire_type_is_found_in_every_field),
		cmocka_unit_test(cuts_are_found),
		cmocka_unit_test(invalid_text_is_found_at_every_position),
		cmocka_unit_test(invalid_text_is_found_in_attributes),
		cmocka_unit_test(attributes_of_all_lengths_pass),
		cmocka_unit_test(nesting_is_limited),
		cmocka_unit_test(damage_is_found),
		cmocka_unit_test(items_are_counted),
		cmocka_unit_test(a_message_of_another_signal_fails),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

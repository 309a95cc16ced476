/* SPDX-License-Identifier: Apache-2.0 */
/* Values as text, as the collector writes them. */
#include "signal/otlp/value_text.h"

#include <errno.h>
#include <math.h>

#include "signal/otlp/attributes.h"
#include "test/test.h"

static void assert_text(struct value v, const char *expected)
{
	struct buf out = {0};

	assert_ok(otlp_value_text(&out, &v));
	assert_str_equal(buf_str(&out), str_from(expected));
	buf_fini(&out);
}

static void scalars(void **state)
{
	(void)state;
	assert_text((struct value){0}, "");
	assert_text(VALUE_OF_STR(STR("a \"b\"")), "a \"b\"");
	assert_text(VALUE_OF_BOOL(true), "true");
	assert_text(VALUE_OF_BOOL(false), "false");
	assert_text(VALUE_OF_INT(-17), "-17");
	assert_text((struct value){.kind = VALUE_BYTES, .s = STR("\xff\xfe")}, "//4=");
}

static void doubles(void **state)
{
	static const struct {
		double d;
		const char *text;
	} cases[] = {
		{0, "0"},
		{-0.0, "-0"},
		{1, "1"},
		{-1.5, "-1.5"},
		{0.1, "0.1"},
		{100, "100"},
		{123456.789, "123456.789"},
		{1e20, "100000000000000000000"},
		{1e21, "1e+21"},
		{1.5e300, "1.5e+300"},
		{0.000001, "0.000001"},
		{0.00000123, "0.00000123"},
		{1e-7, "1e-7"},
		{-1.25e-10, "-1.25e-10"},
		{5e-324, "5e-324"},
		{1.0 / 3, "0.3333333333333333"},
		{2.0 / 3, "0.6666666666666666"},
		{1.7976931348623157e308, "1.7976931348623157e+308"},
		{0.30000000000000004, "0.30000000000000004"},
		{NAN, "NaN"},
		{INFINITY, "+Inf"},
		{-INFINITY, "-Inf"},
	};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++)
		assert_text((struct value){.kind = VALUE_DOUBLE, .d = cases[i].d}, cases[i].text);
}

static void lists_and_maps(void **state)
{
	/* { 5: { 1: { 1: "<x>" }, 1: { }, 1: { 4: 0.5 }, 1: { 7: "\xff" }, 1: { 2: 1 } } } */
	struct value list = {.kind = VALUE_LIST,
			     .s = STR("\x2a\x1d\x0a\x05\x0a\x03<x>\x0a\x00\x0a\x09\x21\0\0\0\0\0\0"
				      "\xe0\x3f\x0a\x03\x3a\x01\xff\x0a\x02\x10\x01")};
	/* { 6: { 1: { "b": 1 }, 1: { "a": 2 }, 1: { "b": {5: {}} } } } */
	struct value map = {.kind = VALUE_MAP,
			    .s = STR("\x32\x1b\x0a\x07\x0a\x01"
				     "b\x12\x02\x18\x01\x0a\x07\x0a\x01"
				     "a\x12\x02\x18\x02\x0a\x07\x0a\x01"
				     "b\x12\x02\x2a\x00")};

	(void)state;
	assert_text(list, "[\"<x>\",null,0.5,\"/w==\",true]");
	assert_text(map, "{\"a\":2,\"b\":[]}");
	assert_text((struct value){.kind = VALUE_MAP, .s = STR("\x32\x00")}, "{}");
}

static void damage_is_reported(void **state)
{
	struct value map = {.kind = VALUE_MAP, .s = STR("\x32\x02\x0a\x05")};
	struct buf out = {0};
	struct proto_writer w;

	(void)state;
	assert_int_equal(otlp_value_text(&out, &map), -EBADMSG);
	proto_writer_init(&w, NULL);
	for (int i = 0; i <= OTLP_VALUE_DEPTH_MAX; i++) {
		if (i)
			proto_put_header(&w, 1, 0);
		proto_put_header(&w, 5, 0);
	}
	map = (struct value){.kind = VALUE_LIST, .s = proto_writer_str(&w)};
	assert_int_equal(otlp_value_text(&out, &map), -EBADMSG);
	proto_writer_fini(&w);
	buf_fini(&out);
}

TEST_MAIN(test(scalars), test(doubles), test(lists_and_maps), test(damage_is_reported))

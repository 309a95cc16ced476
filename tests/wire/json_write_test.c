/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON writer. */
#include "wire/json_write.h"

#include <errno.h>
#include <float.h>
#include <math.h>

#include "test/test.h"
#include "wire/json.h"

static void write_sample(struct json_writer *w)
{
	json_open_object(w);
	json_put_key(w, STR("a"));
	json_open_array(w);
	json_put_i64(w, INT64_MIN);
	json_put_u64(w, UINT64_MAX);
	json_put_i64_string(w, -5);
	json_put_u64_string(w, 5);
	json_open_array(w);
	json_close_array(w);
	json_close_array(w);
	json_put_key(w, STR("b"));
	json_open_object(w);
	json_close_object(w);
	json_put_key(w, STR("c"));
	json_put_bool(w, true);
	json_put_key(w, STR("d"));
	json_put_null(w);
	json_close_object(w);
}

static void commas_and_colons_are_inserted(void **state)
{
	struct buf out = {0};
	struct json_writer w = json_writer_to(&out, 0);

	(void)state;
	write_sample(&w);
	assert_str_equal(buf_str(&out),
			 STR("{\"a\":[-9223372036854775808,18446744073709551615,\"-5\",\"5\",[]],"
			     "\"b\":{},\"c\":true,\"d\":null}"));
	buf_fini(&out);
}

static void indentation_follows_the_depth(void **state)
{
	struct buf out = {0};
	struct json_writer w = json_writer_to(&out, 2);

	(void)state;
	json_open_object(&w);
	json_put_key(&w, STR("a"));
	json_open_array(&w);
	json_put_i64(&w, 1);
	json_open_object(&w);
	json_close_object(&w);
	json_close_array(&w);
	json_close_object(&w);
	assert_str_equal(buf_str(&out), STR("{\n  \"a\": [\n    1,\n    {}\n  ]\n}"));
	buf_fini(&out);
}

static void strings_are_escaped_and_always_utf8(void **state)
{
	struct buf out = {0};
	struct json_writer w = json_writer_to(&out, 0);

	(void)state;
	json_put_string(&w, STR("q\" b\\ n\n t\t \x01 \x7f caf\xc3\xa9 /"));
	assert_str_equal(buf_str(&out),
			 STR("\"q\\\" b\\\\ n\\n t\\t \\u0001 \x7f caf\xc3\xa9 /\""));
	buf_clear(&out);
	w = json_writer_to(&out, 0);
	json_put_string(&w, STR("\xff"
				"a\xc3\xe2\x82z\xed\xa0\x80"));
	assert_int_equal(str_utf8_valid(buf_str(&out)), out.n);
	assert_str_equal(buf_str(&out), STR("\"\xef\xbf\xbd"
					    "a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz"
					    "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""));
	buf_fini(&out);
}

static void all_bytes_round_trip(void **state)
{
	struct buf out = {0};
	struct json_writer w = json_writer_to(&out, 0);
	struct arena a;
	struct json doc;
	char ascii[128];

	(void)state;
	for (int i = 0; i < 128; i++)
		ascii[i] = (char)i;
	json_put_string(&w, str_of(ascii, sizeof(ascii)));
	arena_init(&a, NULL);
	json_init(&doc, &a);
	assert_ok(json_parse(&doc, buf_str(&out), NULL));
	assert_true(str_eq(json_str(json_root(&doc)), str_of(ascii, sizeof(ascii))));
	arena_fini(&a);
	buf_fini(&out);
}

static void doubles_round_trip_in_their_shortest_form(void **state)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = {
		{0.0, "0"},
		{-0.0, "-0"},
		{1.0, "1"},
		{0.1, "0.1"},
		{-2.5, "-2.5"},
		{1e300, "1e+300"},
		{1.0 / 3, "0.3333333333333333"},
		{NAN, "\"NaN\""},
		{-INFINITY, "\"-Infinity\""},
		{INFINITY, "\"Infinity\""},
		{0.1 + 0.2, "0.30000000000000004"},
		{123456789.125, "123456789.125"},
		{DBL_MIN, "2.2250738585072014e-308"},
	};
	struct buf out = {0};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++) {
		struct json_writer w = json_writer_to(&out, 0);

		buf_clear(&out);
		json_put_double(&w, cases[i].value);
		assert_str_equal(buf_str(&out), str_from(cases[i].text));
	}
	buf_fini(&out);
}

static void random_doubles_round_trip(void **state)
{
	uint64_t x = 88172645463325252u;
	struct buf out = {0};
	struct arena a;
	struct json doc;

	(void)state;
	arena_init(&a, NULL);
	json_init(&doc, &a);
	for (int i = 0; i < 20000; i++) {
		struct json_writer w = json_writer_to(&out, 0);
		double value, back;

		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		memcpy(&value, &x, sizeof(value));
		if (isnan(value))
			continue;
		if (i % 2)
			value = (double)(x >> 30) / 1000;
		buf_clear(&out);
		json_put_double(&w, value);
		assert_ok(json_parse(&doc, buf_str(&out), NULL));
		assert_ok(json_double(json_root(&doc), &back));
		assert_memory_equal(&value, &back, sizeof(value));
	}
	arena_fini(&a);
	buf_fini(&out);
}

static void out_of_memory_is_a_sticky_error(void **state)
{
	struct budget budget = {.limit = 300};
	struct buf out;
	struct json_writer w;

	(void)state;
	buf_init(&out, &budget);
	w = json_writer_to(&out, 1);
	for (int i = 0; i < 100; i++)
		write_sample(&w);
	assert_int_equal(buf_error(&out), -ENOMEM);
	buf_fini(&out);
	assert_int_equal(budget.used, 0);
}

TEST_MAIN(test(commas_and_colons_are_inserted), test(indentation_follows_the_depth),
	  test(strings_are_escaped_and_always_utf8), test(all_bytes_round_trip),
	  test(doubles_round_trip_in_their_shortest_form), test(random_doubles_round_trip),
	  test(out_of_memory_is_a_sticky_error))

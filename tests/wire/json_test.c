/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON parser. */
#include "wire/json.h"

#include <errno.h>
#include <math.h>

#include "base/buf.h"
#include "test/test.h"

struct fixture {
	struct budget budget;
	struct arena arena;
	struct json doc;
	struct err e;
};

static int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->budget.limit = 64 * MIB;
	arena_init(&f->arena, &f->budget);
	json_init(&f->doc, &f->arena);
	*state = f;
	return 0;
}

static int fixture_teardown(void **state)
{
	struct fixture *f = *state;
	size_t left;

	arena_fini(&f->arena);
	left = f->budget.used;
	free(f);
	return left ? -1 : 0;
}

static const struct json_value *parse(struct fixture *f, struct str in)
{
	f->e = (struct err){0};
	assert_ok_err(json_parse(&f->doc, in, &f->e), &f->e);
	return json_root(&f->doc);
}

static void reject(struct fixture *f, struct str in, const char *says)
{
	f->e = (struct err){0};
	assert_int_equal(json_parse(&f->doc, in, &f->e), -EBADMSG);
	assert_err_says(&f->e, says);
	assert_null(json_root(&f->doc));
}

static void values_have_their_types(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(json_kind(parse(f, STR("null"))), JSON_NULL);
	assert_int_equal(json_kind(parse(f, STR(" true\n"))), JSON_TRUE);
	assert_int_equal(json_kind(parse(f, STR("false"))), JSON_FALSE);
	assert_int_equal(json_kind(parse(f, STR("-0.5e-3"))), JSON_NUMBER);
	assert_int_equal(json_kind(parse(f, STR("\"\""))), JSON_STRING);
	assert_int_equal(json_kind(parse(f, STR("[]"))), JSON_ARRAY);
	assert_int_equal(json_kind(parse(f, STR("\xef\xbb\xbf{ }"))), JSON_OBJECT);
	assert_int_equal(json_kind(NULL), JSON_MISSING);
}

static void containers_are_iterated_in_order(void **state)
{
	struct fixture *f = *state;
	const struct json_value *root =
		parse(f, STR("{\"a\":[1,[2,3],{\"x\":4}],\"b\":{},\"c\":[],\"d\":\"end\"}"));
	const struct json_value *a = json_get(root, STR("a"));
	char keys[8] = "";
	size_t n = 0;
	uint64_t sum = 0, value;

	assert_int_equal(json_count(root), 4);
	json_each_member(key, root) keys[n++] = json_str(key).p[0];
	assert_string_equal(keys, "abcd");
	assert_int_equal(json_count(a), 3);
	json_each(item, a) sum += json_u64(item, &value) ? 0 : value;
	assert_int_equal(sum, 1);
	assert_ok(json_u64(json_item(json_item(a, 1), 1), &value));
	assert_int_equal(value, 3);
	assert_ok(json_u64(json_get(json_item(a, 2), STR("x")), &value));
	assert_int_equal(value, 4);
	assert_str_equal(json_str(json_get(root, STR("d"))), STR("end"));
	assert_null(json_item(a, 3));
	json_each(item, json_get(root, STR("c"))) fail_msg("an empty array has an item");
	json_each(item, json_get(root, STR("none"))) fail_msg("a missing array has an item");
	json_each_member(key, a) fail_msg("an array has a member");
}

static void missing_values_are_null_at_any_depth(void **state)
{
	struct fixture *f = *state;
	const struct json_value *root = parse(f, STR("{\"a\":1}"));
	int64_t i = 7;

	assert_null(json_get(json_get(json_get(root, STR("x")), STR("y")), STR("z")));
	assert_null(json_get(json_get(root, STR("a")), STR("b")));
	assert_int_equal(json_i64(NULL, &i), -EINVAL);
	assert_int_equal(i, 7);
	assert_int_equal(json_str(NULL).n, 0);
	assert_int_equal(json_count(NULL), 0);
}

static void the_last_of_duplicate_keys_wins(void **state)
{
	struct fixture *f = *state;
	const struct json_value *root = parse(f, STR("{\"a\":1,\"b\":2,\"a\":3}"));
	uint64_t value;

	assert_ok(json_u64(json_get(root, STR("a")), &value));
	assert_int_equal(value, 3);
}

static void escapes_are_decoded(void **state)
{
	struct fixture *f = *state;

	assert_str_equal(json_str(parse(f, STR("\"a\\\"\\\\\\/\\b\\f\\n\\r\\tz\""))),
			 STR("a\"\\/\b\f\n\r\tz"));
	assert_str_equal(json_str(parse(f, STR("\"\\u0041\\u00e9\\u20ac\\ud83d\\ude00\""))),
			 STR("A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"));
	assert_str_equal(json_str(parse(f, STR("\"x\\u0000y\""))), STR("x\0y"));
	/* unpaired surrogates: alone, in the wrong order, before another escape */
	assert_str_equal(json_str(parse(f, STR("\"\\ud83d\""))), STR("\xef\xbf\xbd"));
	assert_str_equal(json_str(parse(f, STR("\"\\ude00\\ud83d!\""))),
			 STR("\xef\xbf\xbd\xef\xbf\xbd!"));
	assert_str_equal(json_str(parse(f, STR("\"\\ud83d\\u0041\""))), STR("\xef\xbf\xbd"
									    "A"));
}

static void plain_strings_are_slices_of_the_input(void **state)
{
	struct fixture *f = *state;
	struct str in = STR("[\"a long enough plain string, \xc3\xa9, twice over\"]");
	const struct json_value *item = json_item(parse(f, in), 0);

	assert_ptr_equal(item->p, in.p + 2);
	assert_int_equal(item->n, in.n - 4);
}

static void integers_are_exact(void **state)
{
	struct fixture *f = *state;
	uint64_t u;
	int64_t i;

	assert_ok(json_u64(parse(f, STR("18446744073709551615")), &u));
	assert_true(u == UINT64_MAX);
	assert_ok(json_u64(parse(f, STR("\"18446744073709551615\"")), &u));
	assert_true(u == UINT64_MAX);
	assert_ok(json_i64(parse(f, STR("-9223372036854775808")), &i));
	assert_true(i == INT64_MIN);
	assert_ok(json_i64(parse(f, STR("\"-9223372036854775807\"")), &i));
	assert_true(i == -INT64_MAX);
	assert_ok(json_i64(parse(f, STR("1.5e3")), &i));
	assert_int_equal(i, 1500);
	assert_ok(json_u64(parse(f, STR("2.0")), &u));
	assert_int_equal(u, 2);
}

static void non_integers_are_rejected(void **state)
{
	struct fixture *f = *state;
	uint64_t u = 5;
	int64_t i = 5;

	assert_int_equal(json_i64(parse(f, STR("9223372036854775808")), &i), -ERANGE);
	assert_int_equal(json_i64(parse(f, STR("1e19")), &i), -ERANGE);
	assert_int_equal(json_u64(parse(f, STR("-1")), &u), -ERANGE);
	assert_int_equal(json_u64(parse(f, STR("1e300")), &u), -ERANGE);
	assert_int_equal(json_i64(parse(f, STR("1.5")), &i), -EINVAL);
	assert_int_equal(json_i64(parse(f, STR("\"\"")), &i), -EINVAL);
	assert_int_equal(json_i64(parse(f, STR("\"0x10\"")), &i), -EINVAL);
	assert_int_equal(json_i64(parse(f, STR("\"NaN\"")), &i), -EINVAL);
	assert_int_equal(json_i64(parse(f, STR("\" 1\"")), &i), -EINVAL);
	assert_int_equal(json_i64(parse(f, STR("true")), &i), -EINVAL);
	assert_int_equal(i, 5);
	assert_int_equal(u, 5);
}

static void doubles_are_rounded_correctly(void **state)
{
	static const char *const texts[] = {
		"0",
		"-0",
		"0.1",
		"123.456",
		"1e22",
		"1e23",
		"2.2250738585072014e-308",
		"4.9e-324",
		"1e309",
		"9007199254740993",
		"0.30000000000000004",
		"-12345678901234567890",
		"3.14159265358979",
		"123456789012345",
		"0.000000000000001",
		"1E+2",
	};
	struct fixture *f = *state;
	double d;

	for (size_t k = 0; k < countof(texts); k++) {
		double expected = strtod(texts[k], NULL);

		assert_ok(json_double(parse(f, str_from(texts[k])), &d));
		assert_memory_equal(&d, &expected, sizeof(d));
	}
	assert_ok(json_double(parse(f, STR("\"NaN\"")), &d));
	assert_true(isnan(d));
	assert_ok(json_double(parse(f, STR("\"-Infinity\"")), &d));
	assert_true(isinf(d) && d < 0);
	assert_int_equal(json_double(parse(f, STR("\"inf\"")), &d), -EINVAL);
	assert_int_equal(json_double(parse(f, STR("[]")), &d), -EINVAL);
}

static void errors_have_position_and_reason(void **state)
{
	struct fixture *f = *state;

	reject(f, STR("{\n \"a\": [1,\n  x]}"),
	       "at byte 14 (line 3, column 3): expected a value, found 'x'");
	reject(f, (struct str){0}, "at byte 0 ");
	reject(f, STR(""), "at byte 0 (line 1, column 1): expected a value, found the end");
	reject(f, STR("  \n"), "at byte 3 (line 2, column 1): expected a value, found the end");
	reject(f, STR("[1 2]"), "at byte 3 (line 1, column 4): expected ',' or ']', found '2'");
	reject(f, STR("{\"a\" 1}"), "expected ':', found '1'");
	reject(f, STR("{} {}"), "at byte 3 (line 1, column 4): expected the end, found '{'");
	reject(f, STR("[\"a\x01\"]"),
	       "at byte 3 (line 1, column 4): expected the end of a string, found byte 0x01");
	reject(f, STR("[\"ab\xff\"]"),
	       "at byte 4 (line 1, column 5): expected UTF-8, found byte 0xff");
}

/* Input that strict parsers reject and lenient ones accept. */
static void invalid_json_is_rejected(void **state)
{
	static const char *const texts[] = {
		"[1,]",
		"[,1]",
		"{,}",
		"{\"a\":1,}",
		"{a:1}",
		"{1:2}",
		"[1",
		"{\"a\"",
		"]",
		"}",
		"[}",
		"{]",
		"01",
		"-",
		"+1",
		".5",
		"5.",
		"1e",
		"1e+",
		"-01",
		"0x1",
		"nul",
		"True",
		"NaN",
		"'a'",
		"\"a",
		"\"\\x\"",
		"\"\\u12\"",
		"\"\\u12g4\"",
		"\"\\\"",
		"\"\\u0x12\"",
		"//c\n1",
		"\"\t\"",
		"[1]]",
		"\"a\"\"b\"",
		"\xc3\xa9",
		"\"\xed\xa0\x80\"",
		"\"\xc0\xaf\"",
		"\"\xf5\x80\x80\x80\"",
		"\"abcdefgh\xe2\x82\"",
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < countof(texts); i++)
		reject(f, str_from(texts[i]), "at byte ");
}

static void depth_is_bounded(void **state)
{
	struct fixture *f = *state;
	char text[2 * JSON_DEPTH_MAX + 2];

	memset(text, '[', JSON_DEPTH_MAX + 1);
	memset(text + JSON_DEPTH_MAX + 1, ']', JSON_DEPTH_MAX + 1);
	parse(f, str_of(text + 1, 2 * JSON_DEPTH_MAX));
	reject(f, str_of(text, sizeof(text)),
	       "at byte 512 (line 1, column 513): expected at most 512 levels");
}

static const char sample[] =
	"{\"resourceProfiles\":[{\"scope\":{\"name\":\"caf\xc3\xa9\",\"v\":-1.25e+3},\"ids\":["
	"\"1\",2,"
	"[],{}],\"esc\":\"\\\"\\u00e9\\ud83d\\ude00\",\"ok\":true,\"no\":false,\"nil\":null}]}";

static void truncation_at_every_byte_is_an_error(void **state)
{
	struct fixture *f = *state;
	struct str in = str_of(sample, sizeof(sample) - 1);

	parse(f, in);
	for (size_t n = 0; n < in.n; n++) {
		/* exactly n bytes, so that a sanitizer detects overreads */
		char *cut = malloc(n + !n);

		memcpy(cut, in.p, n);
		reject(f, str_of(cut, n), "at byte ");
		free(cut);
	}
}

/* Check that children lie inside their parents and that their counts add up. */
static uint32_t check_tree(const struct json_value *v, const struct json_value *end, int depth)
{
	const struct json_value *behind = json_after(v);
	uint32_t n = 0;

	assert_true(behind > v && behind <= end && depth < JSON_DEPTH_MAX + 1);
	json_each(item, v)
	{
		check_tree(item, behind, depth + 1);
		n++;
	}
	json_each_member(key, v)
	{
		assert_int_equal(json_kind(key), JSON_STRING);
		check_tree(json_member(key), behind, depth + 1);
		n++;
	}
	assert_int_equal(n, json_count(v));
	assert_int_equal(str_utf8_valid(json_str(v)), json_str(v).n);
	return n;
}

static void mutated_documents_are_parsed_or_rejected(void **state)
{
	struct fixture *f = *state;
	uint32_t x = 11, parsed = 0;

	for (int round = 0; round < 50000; round++) {
		char *copy = malloc(sizeof(sample) - 1);
		struct str in = {copy, sizeof(sample) - 1};

		memcpy(copy, sample, in.n);
		for (int k = 0; k < 1 + round % 3; k++) {
			x = x * 1664525 + 1013904223;
			copy[(x >> 8) % in.n] =
				round % 2 ? sample[(x >> 16) % in.n] : (char)(x >> 24);
		}
		if (json_parse(&f->doc, in, NULL) == 0) {
			check_tree(json_root(&f->doc), f->doc.nodes.at + f->doc.nodes.n, 0);
			parsed++;
		}
		free(copy);
		arena_reset(&f->arena);
		json_init(&f->doc, &f->arena);
	}
	assert_in_range(parsed, 100, 49000);
}

static void consecutive_values_are_read_one_by_one(void **state)
{
	struct fixture *f = *state;
	struct str in = STR("{\"a\":1}\n[2]\n\n 3 \n");
	size_t at = 0;

	assert_int_equal(json_parse_next(&f->doc, in, &at, &f->e), 1);
	assert_int_equal(json_kind(json_root(&f->doc)), JSON_OBJECT);
	assert_int_equal(json_parse_next(&f->doc, in, &at, &f->e), 1);
	assert_int_equal(json_kind(json_root(&f->doc)), JSON_ARRAY);
	assert_int_equal(json_offset(&f->doc, json_root(&f->doc)), 8);
	assert_int_equal(json_parse_next(&f->doc, in, &at, &f->e), 1);
	assert_int_equal(json_kind(json_root(&f->doc)), JSON_NUMBER);
	assert_int_equal(json_parse_next(&f->doc, in, &at, &f->e), 0);
}

static void a_wrong_type_is_reported_with_its_position(void **state)
{
	struct fixture *f = *state;
	const struct json_value *root = parse(f, STR("{\n\"a\\n\": [1, \"x\"]}"));
	const struct json_value *a = json_get(root, STR("a\n"));

	assert_int_equal(json_fail(&f->doc, a, &f->e, "a string"), -EBADMSG);
	assert_err_says(&f->e, "at byte 9 (line 2, column 8): expected a string, found an array");
	f->e = (struct err){0};
	assert_int_equal(json_fail(&f->doc, json_item(a, 1), &f->e, "a number"), -EBADMSG);
	assert_err_says(&f->e, "at byte 13 (line 2, column 12): expected a number, found a string");
	f->e = (struct err){0};
	assert_int_equal(json_fail(&f->doc, NULL, &f->e, "\"frames\""), -EBADMSG);
	assert_err_says(&f->e, "expected \"frames\", found nothing");
}

static void every_failing_allocation_is_an_error(void **state)
{
	struct fixture *f = *state;
	struct buf in = {0};
	unsigned nth = 0;
	int rc = -ENOMEM;

	buf_put_char(&in, '[');
	for (int i = 0; i < 500; i++)
		buf_printf(&in, "%s{\"k\\n%d\":\"v\\t\"}", i ? "," : "", i);
	buf_put_char(&in, ']');
	while (rc == -ENOMEM) {
		arena_reset(&f->arena);
		json_init(&f->doc, &f->arena);
		f->arena.fail_after = ++nth;
		rc = json_parse(&f->doc, buf_str(&in), NULL);
		f->arena.fail_after = 0;
		assert_true(nth < 10000);
	}
	assert_ok(rc);
	assert_true(nth > 1000); /* the allocation of each escaped string failed once */
	assert_int_equal(json_count(json_root(&f->doc)), 500);
	buf_fini(&in);
}

static void plain_documents_take_few_allocations(void **state)
{
	struct fixture *f = *state;
	struct buf in = {0};

	buf_put_char(&in, '[');
	for (int i = 0; i < 100000; i++)
		buf_printf(&in, "%s{\"key\":%d}", i ? "," : "", i);
	buf_put_char(&in, ']');
	f->arena.fail_after = 1000;
	assert_ok(json_parse(&f->doc, buf_str(&in), NULL));
	assert_in_range(1000 - f->arena.fail_after, 1, 30); /* doublings of the tape */
	f->arena.fail_after = 0;
	buf_fini(&in);
}

TEST_MAIN(test_with(fixture, values_have_their_types),
	  test_with(fixture, containers_are_iterated_in_order),
	  test_with(fixture, missing_values_are_null_at_any_depth),
	  test_with(fixture, the_last_of_duplicate_keys_wins),
	  test_with(fixture, escapes_are_decoded),
	  test_with(fixture, plain_strings_are_slices_of_the_input),
	  test_with(fixture, integers_are_exact), test_with(fixture, non_integers_are_rejected),
	  test_with(fixture, doubles_are_rounded_correctly),
	  test_with(fixture, errors_have_position_and_reason),
	  test_with(fixture, invalid_json_is_rejected), test_with(fixture, depth_is_bounded),
	  test_with(fixture, truncation_at_every_byte_is_an_error),
	  test_with(fixture, mutated_documents_are_parsed_or_rejected),
	  test_with(fixture, consecutive_values_are_read_one_by_one),
	  test_with(fixture, a_wrong_type_is_reported_with_its_position),
	  test_with(fixture, every_failing_allocation_is_an_error),
	  test_with(fixture, plain_documents_take_few_allocations))

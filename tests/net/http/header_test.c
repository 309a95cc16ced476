/* SPDX-License-Identifier: Apache-2.0 */
/* Parsers of headers, query strings and request targets. */
#include <errno.h>

#include "net/http/header.h"
#include "net/http/http.h"
#include "net/http/uri.h"
#include "test/test.h"

static void lists_are_searched_case_insensitively_and_with_weights(void **state)
{
	(void)state;
	assert_true(http_header_lists(STR("gzip"), STR("gzip")));
	assert_true(http_header_lists(STR("br, GZip;q=0.5 , deflate"), STR("gzip")));
	assert_true(http_header_lists(STR("gzip;q=0.001"), STR("gzip")));
	assert_false(http_header_lists(STR("gzip;q=0"), STR("gzip")));
	assert_false(http_header_lists(STR("gzip; q=0.000"), STR("gzip")));
	assert_false(http_header_lists(STR("xgzip, gzipx"), STR("gzip")));
	assert_false(http_header_lists(STR(""), STR("gzip")));
	assert_false(http_header_lists((struct str){0}, STR("gzip")));
}

static void header_parameters_can_be_quoted(void **state)
{
	struct str value =
		STR("form-data; filename=\"a; name=\\\"evil\\\"; x\"; Name=\"profile\" ; b=c");

	(void)state;
	assert_str_equal(http_header_param(value, STR("name")), STR("profile"));
	assert_str_equal(http_header_param(value, STR("b")), STR("c"));
	assert_str_equal(http_header_param(value, STR("filename")), STR("a; name=\\\"evil\\\"; x"));
	assert_null(http_header_param(value, STR("form-data")).p);
	assert_null(http_header_param(STR("text/plain"), STR("charset")).p);
	assert_null(http_header_param(STR("a; b; c=\"d"), STR("b")).p);
	assert_str_equal(http_header_param(STR("a; c=\"d"), STR("c")), STR("\"d"));
}

static void query_parameters_can_repeat_and_are_decoded(void **state)
{
	struct str form = STR("a=1&&b=%41%20+c&a=2&empty=&flag&%61=3&bad=%4");
	struct arena a;
	struct str v;

	(void)state;
	arena_init(&a, NULL);
	assert_ok(http_form_value(&a, form, STR("a"), 0, &v));
	assert_str_equal(v, STR("1"));
	assert_ok(http_form_value(&a, form, STR("a"), 1, &v));
	assert_str_equal(v, STR("2"));
	assert_ok(http_form_value(&a, form, STR("a"), 2, &v));
	assert_str_equal(v, STR("3"));
	assert_int_equal(http_form_value(&a, form, STR("a"), 3, &v), -ENOENT);
	assert_ok(http_form_value(&a, form, STR("b"), 0, &v));
	assert_str_equal(v, STR("A  c"));
	assert_ok(http_form_value(&a, form, STR("empty"), 0, &v));
	assert_int_equal(v.n, 0);
	assert_ok(http_form_value(&a, form, STR("flag"), 0, &v));
	assert_int_equal(v.n, 0);
	assert_int_equal(http_form_value(&a, form, STR("bad"), 0, &v), -EINVAL);
	arena_fini(&a);
}

static void request_targets_are_split(void **state)
{
	static const struct {
		const char *target, *path, *query, *host;
	} good[] = {
		{"/", "/", "", ""},
		{"/a%20b?c=%20d?e", "/a b", "c=%20d?e", ""},
		{"/a#b?c", "/a", "", ""},
		{"http://h:1/a?b", "/a", "b", "h:1"},
		{"https://h/", "/", "", "h"},
		{"/..a/b..", "/..a/b..", "", ""},
		{"/%c3%a4", "/\xc3\xa4", "", ""},
		{"//a", "//a", "", ""},
	};
	static const char *const bad[] = {
		"",	     "a",     "*",	"http://h", "http:///a", "ftp://h/a", "/a/..",
		"/%2e%2e/a", "/.",    "/a/./b", "/%2f",	    "/%",	 "/%2",	      "/%zz",
		"/%00",	     "/a\\b", "/%5c",	"/%7f",	    "/\x01",
	};
	struct arena a;

	(void)state;
	arena_init(&a, NULL);
	for (size_t i = 0; i < countof(good); i++) {
		struct str path, query, host = STR("");

		assert_ok(uri_parse(&a, str_from(good[i].target), &path, &query, &host));
		assert_str_equal(path, str_from(good[i].path));
		assert_str_equal(query, str_from(good[i].query));
		assert_str_equal(host, str_from(good[i].host));
	}
	for (size_t i = 0; i < countof(bad); i++) {
		struct str path, query, host = STR("");

		if (uri_parse(&a, str_from(bad[i]), &path, &query, &host) != -EINVAL)
			fail_msg("\"%s\" was taken", bad[i]);
	}
	arena_fini(&a);
}

TEST_MAIN(test(lists_are_searched_case_insensitively_and_with_weights),
	  test(header_parameters_can_be_quoted), test(query_parameters_can_repeat_and_are_decoded),
	  test(request_targets_are_split))

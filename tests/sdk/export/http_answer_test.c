/* SPDX-License-Identifier: Apache-2.0 */
/* The exporter's parser of HTTP responses. */
#include <errno.h>

#include "sdk/export/http_answer.h"
#include "test/test.h"

struct parsed {
	int rc;
	unsigned status;
	uint64_t retry_ms;
	bool keep;
	size_t used;
	char body[128];
};

static struct parsed parse(struct str in, bool at_end)
{
	struct post_answer a = {0};
	struct post_parsed p;
	struct parsed out = {.rc = post_answer_parse(&a, in, at_end, &p)};

	out.status = a.status;
	out.retry_ms = a.retry_after_ms;
	out.keep = p.keep;
	out.used = p.used;
	snprintf(out.body, sizeof(out.body), "%.*s", STR_ARG(buf_str(&a.body)));
	post_answer_fini(&a);
	return out;
}

static void responses_end_by_length_by_chunks_or_on_close(void **state)
{
	struct parsed p;

	(void)state;
	p = parse(STR("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"), false);
	assert_int_equal(p.rc, 1);
	assert_true(p.keep);
	assert_string_equal(p.body, "hello");
	p = parse(STR("HTTP/1.1 503 No\r\nTransfer-Encoding: Chunked\r\nRetry-After: 7\r\n\r\n"
		      "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nTrailer: x\r\n\r\n"),
		  false);
	assert_int_equal(p.rc, 1);
	assert_int_equal(p.status, 503);
	assert_int_equal(p.retry_ms, 7000);
	assert_true(p.keep);
	assert_string_equal(p.body, "abcde");
	p = parse(STR("HTTP/1.0 200 OK\r\n\r\nto the end"), false);
	assert_int_equal(p.rc, 0);
	p = parse(STR("HTTP/1.0 200 OK\r\n\r\nto the end"), true);
	assert_int_equal(p.rc, 1);
	assert_false(p.keep);
	assert_string_equal(p.body, "to the end");
	p = parse(STR("HTTP/1.1 204 No Content\r\n\r\n"), false);
	assert_int_equal(p.rc, 1);
	assert_true(p.keep);
	p = parse(STR("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n"
		      "Connection: close\r\n\r\n"),
		  false);
	assert_int_equal(p.rc, 1);
	assert_int_equal(p.status, 200);
	assert_false(p.keep);
	p = parse(STR("HTTP/1.1 200 OK\nContent-Length: 2\n\nok"), false);
	assert_int_equal(p.rc, 1);
	assert_string_equal(p.body, "ok");
}

static void truncated_responses_are_incomplete(void **state)
{
	static const struct str whole[] = {
		STR_INIT("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"),
		STR_INIT("HTTP/1.1 200 OK\r\nTransfer-Encoding: "
			 "chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"),
	};

	(void)state;
	for (size_t i = 0; i < countof(whole); i++) {
		for (size_t n = 0; n < whole[i].n; n++) {
			assert_int_equal(parse(str_head(whole[i], n), false).rc, 0);
			assert_int_equal(parse(str_head(whole[i], n), true).rc, -EPROTO);
		}
		assert_int_equal(parse(whole[i], false).used, whole[i].n);
	}
}

static void malformed_responses_are_errors(void **state)
{
	static const struct str bad[] = {
		STR_INIT("SSH-2.0-OpenSSH\r\n\r\n"),
		STR_INIT("\r\n\r\n"),
		STR_INIT("HTTP/2 200 OK\r\n\r\n"),
		STR_INIT("HTTP/1.1 2x0 OK\r\n\r\n"),
		STR_INIT("HTTP/1.1 099 OK\r\n\r\n"),
		STR_INIT("HTTP/1.1 2000\r\n\r\n"),
		STR_INIT("HTTP/1.1 200 OK\r\nno colon\r\n\r\n"),
		STR_INIT("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"),
		STR_INIT("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"),
		STR_INIT("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n"),
		STR_INIT("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"),
		STR_INIT("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n"),
		STR_INIT("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffff\r\n"),
		STR_INIT("HTTP/1.1 200 OK\r\nA: b\0c\r\n\r\n"),
		STR_INIT("HTTP/1.1 101 Switching\r\n\r\n"),
	};

	(void)state;
	for (size_t i = 0; i < countof(bad); i++)
		assert_int_equal(parse(bad[i], false).rc, -EPROTO);
}

static void long_bodies_are_truncated_and_end_the_connection(void **state)
{
	struct buf b = {0};
	struct parsed p;

	(void)state;
	buf_put_str(&b, STR("HTTP/1.1 500 No\r\nContent-Length: 99999999999\r\n\r\n"));
	for (int i = 0; i < 70000; i++)
		buf_put_char(&b, 'x');
	p = parse(buf_str(&b), false);
	assert_int_equal(p.rc, 1);
	assert_int_equal(p.status, 500);
	assert_false(p.keep);
	buf_clear(&b);
	buf_put_str(&b, STR("HTTP/1.1 200 OK\r\n"));
	for (int i = 0; i < 20000; i++)
		buf_put_char(&b, 'x');
	assert_int_equal(parse(buf_str(&b), false).rc, -EFBIG);
	buf_clear(&b);
	buf_put_str(&b, STR("HTTP/1.1 200 OK\r\n"));
	for (int i = 0; i < 200; i++)
		buf_put_str(&b, STR("a: b\r\n"));
	assert_int_equal(parse(buf_str(&b), false).rc, -EFBIG);
	buf_fini(&b);
}

static void retry_after_is_seconds_or_a_date(void **state)
{
	(void)state;
	assert_int_equal(post_retry_after(STR(" 3 ")), 3000);
	assert_int_equal(post_retry_after(STR("99999999999")), 3600000);
	assert_int_equal(post_retry_after(STR("soon")), 0);
	assert_int_equal(post_retry_after(STR("")), 0);
	assert_int_equal(post_retry_after(STR("Sun, 06 Nov 1994 08:49:37 GMT")), 0);
	assert_int_equal(post_retry_after(STR("Fri, 06 Nov 2893 08:49:37 GMT")), 3600000);
}

TEST_MAIN(test(responses_end_by_length_by_chunks_or_on_close),
	  test(truncated_responses_are_incomplete), test(malformed_responses_are_errors),
	  test(long_bodies_are_truncated_and_end_the_connection),
	  test(retry_after_is_seconds_or_a_date))

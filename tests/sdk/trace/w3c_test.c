/* SPDX-License-Identifier: Apache-2.0 */
/* W3C trace context: valid and invalid headers by the specification. */
#include <errno.h>

#include "sdk/trace/span_w3c.h"
#include "test/test.h"

#define IDS "0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331"

static void valid_parents_round_trip(void **state)
{
	static const char *const good[] = {"00-" IDS "-01", "00-" IDS "-00", "00-" IDS "-ff"};
	char text[VARVE_TRACEPARENT_SIZE];
	struct varve_context c;

	(void)state;
	for (size_t i = 0; i < countof(good); i++) {
		assert_ok(varve_context_parse(&c, good[i], NULL));
		assert_ok(varve_context_format(&c, text));
		assert_string_equal(text, good[i]);
	}
	/* a future version: the known fields are used */
	assert_ok(varve_context_parse(&c, "01-" IDS "-01-what-comes", NULL));
	assert_ok(varve_context_parse(&c, "cc-" IDS "-01", NULL));
	assert_int_equal(c.trace_id[0], 0x0a);
	assert_int_equal(c.span_id[7], 0x31);
	assert_int_equal(c.flags, 1);
}

static void malformed_parents_are_rejected(void **state)
{
	static const char *const bad[] = {
		"",
		"00",
		"00-" IDS,
		"00-" IDS "-",
		"00-" IDS "-0",
		"00-" IDS "-011",
		"00-" IDS "-01-extra",
		"00-" IDS "-01 ",
		"ff-" IDS "-01",
		"01-" IDS "-01x",
		"0x-" IDS "-01",
		"00_" IDS "-01",
		"00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
		"00-0af7651916cd43dd8448eb211c80319c-B7ad6b7169203331-01",
		"00-" IDS "-0G",
		"00-00000000000000000000000000000000-b7ad6b7169203331-01",
		"00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
		"00-0af7651916cd43dd8448eb211c80319-bb7ad6b7169203331-01",
	};
	struct varve_context c;

	(void)state;
	for (size_t i = 0; i < countof(bad); i++) {
		memset(&c, 0xff, sizeof(c));
		assert_int_equal(varve_context_parse(&c, bad[i], "a=b"), -EINVAL);
		assert_int_equal(c.span_id[0], 0); /* empty, not partially filled */
		assert_int_equal(c.trace_state[0], 0);
	}
	assert_int_equal(varve_context_parse(&c, NULL, NULL), -EINVAL);
}

static void an_invalid_context_has_no_text(void **state)
{
	struct varve_context c = {.trace_id = {1}};
	char text[VARVE_TRACEPARENT_SIZE];

	(void)state;
	assert_int_equal(varve_context_format(&c, text), -EINVAL);
	assert_string_equal(text, "");
}

static void valid_tracestates_are_kept_and_others_dropped(void **state)
{
	static const char *const good[] = {"a=b",
					   "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE",
					   "fw529a3039@dt=FfffKC4xQA",
					   "1a-2f@foo=bar1",
					   "foo=1 \t , \t bar=2",
					   "a= x",
					   "foo=1,",
					   "a_-*/b=c"};
	static const char *const bad[] = {
		"",	  "a",		"=b",	"a=",	"A=b",	  "a=b,a=c", "a=b=c", "a b=c",
		"a=\x01", "a=\xc3\xa4", "@a=b", "a@=b", "a@1b=c", "a@b@c=d", ",",     "-a=b"};
	char many[1024] = "", key[16];

	(void)state;
	for (size_t i = 0; i < countof(good); i++)
		assert_int_equal(tracestate_check(good[i]), strlen(good[i]));
	for (size_t i = 0; i < countof(bad); i++)
		assert_int_equal(tracestate_check(bad[i]), 0);
	for (int i = 0; i < 33; i++) {
		snprintf(key, sizeof(key), "k%d=v,", i);
		strcat(many, key);
		assert_int_equal(tracestate_check(many) != 0, i < 32);
	}
	memset(many, 'x', sizeof(many) - 1);
	many[1] = '=';
	assert_int_equal(tracestate_check(many), 0);
	many[258] = 0;
	assert_int_equal(tracestate_check(many), 258);
	many[258] = 'x';
	many[259] = 0;
	assert_int_equal(tracestate_check(many), 0);
}

TEST_MAIN(test(valid_parents_round_trip), test(malformed_parents_are_rejected),
	  test(an_invalid_context_has_no_text), test(valid_tracestates_are_kept_and_others_dropped))

/* SPDX-License-Identifier: Apache-2.0 */
/* Traces from OTLP: decoded fields of a span, rejected single spans, and invalid input. */
#include "format/otlp/traces.h"

#include "format/otlp/otlp_support.h"

#define TRACE "000102030405060708090a0b0c0d0e0f"

/*
 * Two services, the second one with its resource after its spans; and all other fields of a span.
 */
#define EVERYTHING                                                                                 \
	"1{ 1{ 1{ 1\"host\" 2{ 3:4 } } 1{ 1\"service.name\" 2{ 1\"shop\" } } }"                    \
	"   2{ 1{ 1\"scope\" } 2{ 1#" TRACE " 2#1000000000000001 3\"state\" 5\"GET /cart\""        \
	"      6:2 7@1000 8@5000 9{ 1\"k\" 2{ 1\"v\" } } 10:1 11{ 1@5 2\"event\" } 13{ 1#" TRACE   \
	" }"                                                                                       \
	"      15{ 2\"failed\" 3:2 } 16%7 }"                                                       \
	"      2{ 1#" TRACE " 2#1000000000000002 4#1000000000000001 5\"SELECT\" 6:3 7@2000 8@3000" \
	"      15{ 3:1 } } 3\"url\" } 3\"url\" }"                                                  \
	"1{ 2{ 2{ 1#" TRACE " 2#2000000000000001 4#1000000000000002 5\"query\" 7@2100 8@2900 } }"  \
	"   1{ 1{ 1\"service.name\" 2{ 1\"db\" } } } }"

static void decode_text(struct span_batch *b, const char *text)
{
	struct buf message = {0};
	struct str copy;
	struct err e = {0};

	otlp_text(&message, text);
	span_batch_init(b, NULL);
	assert_ok(arena_copy_str(&b->arena, buf_str(&message), &copy));
	assert_ok_err(otlp_traces_decode(b, copy, &e), &e);
	assert_ok_err(span_batch_check(b, &e), &e);
	buf_fini(&message);
}

static void assert_everything(const struct span_batch *b)
{
	const struct span *s = b->spans.at;

	assert_int_equal(b->spans.n, 3);
	assert_int_equal(b->rejected, 0);
	assert_str_equal(s[0].name, STR("GET /cart"));
	assert_str_equal(s[0].service, STR("shop"));
	assert_int_equal(s[0].kind, SPAN_KIND_SERVER);
	assert_int_equal(s[0].status, SPAN_STATUS_ERROR);
	assert_int_equal(s[0].start, 1000);
	assert_int_equal(s[0].end, 5000);
	assert_int_equal(s[0].trace_id[15], 15);
	assert_int_equal(s[0].span_id[7], 1);
	assert_false(span_id_is_set(s[0].parent_id, sizeof(s[0].parent_id)));
	assert_memory_equal(s[1].parent_id, s[0].span_id, 8);
	assert_int_equal(s[1].status, SPAN_STATUS_OK);
	assert_int_equal(s[1].kind, SPAN_KIND_CLIENT);
	assert_str_equal(s[2].service, STR("db"));
	assert_memory_equal(s[2].parent_id, s[1].span_id, 8);
	assert_int_equal(s[2].status, SPAN_STATUS_UNSET);
}

static void a_span_is_decoded_with_its_structure(void **state)
{
	struct span_batch b;

	(void)state;
	decode_text(&b, EVERYTHING);
	assert_everything(&b);
	span_batch_fini(&b);
}

static const char json_everything[] =
	"{\"resourceSpans\":[{\"resource\":{\"attributes\":[{\"key\":\"n\",\"value\":{\"intValue\":"
	"\"4\"}},{\"key\":\"service.name\",\"value\":{\"stringValue\":\"shop\"}}]},\"scopeSpans\":["
	"{\"scope\":{\"name\":\"s\"},\"spans\":[{\"traceId\":\"" TRACE "\",\"spanId\":"
	"\"1000000000000001\",\"name\":\"GET \\/cart\",\"kind\":2,\"startTimeUnixNano\":\"1000\","
	"\"endTimeUnixNano\":5000,\"attributes\":[{\"key\":\"k\",\"value\":{\"arrayValue\":{}}}],"
	"\"events\":[{\"name\":\"e\"}],\"status\":{\"message\":\"failed\",\"code\":2}},"
	"{\"traceId\":\"000102030405060708090A0B0C0D0E0F\",\"spanId\":\"1000000000000002\","
	"\"parentSpanId\":\"1000000000000001\",\"name\":\"SELECT\",\"kind\":\"SPAN_KIND_CLIENT\","
	"\"startTimeUnixNano\":\"2000\",\"endTimeUnixNano\":\"3000\",\"status\":{\"code\":"
	"\"STATUS_CODE_OK\"}}]}]},{\"scope_spans\":[{\"spans\":[{\"traceId\":\"" TRACE "\","
	"\"spanId\":\"2000000000000001\",\"parentSpanId\":\"1000000000000002\",\"name\":\"query\","
	"\"startTimeUnixNano\":\"2100\",\"endTimeUnixNano\":\"2900\"}]}],\"resource\":{"
	"\"attributes\":[{\"key\":\"service.name\",\"value\":{\"stringValue\":\"db\"}}]}}]}";

static void json_decodes_the_same(void **state)
{
	struct span_batch b;
	struct err e = {0};

	(void)state;
	span_batch_init(&b, NULL);
	assert_ok_err(otlp_traces_decode_json(&b, str_from(json_everything), &e), &e);
	assert_everything(&b);
	span_batch_fini(&b);
}

static void a_span_with_an_invalid_id_is_rejected_alone(void **state)
{
	struct span_batch b;

	(void)state;
	decode_text(&b, "1{ 2{ 2{ 1#" TRACE " 2#0000000000000001 5\"good\" }"
			" 2{ 1#0001 2#0000000000000002 5\"short trace\" }"
			" 2{ 1#" TRACE " 2#0000000000000000 5\"zero span\" }"
			" 2{ 1#00000000000000000000000000000000 2#0000000000000002 }"
			" 2{ 1#" TRACE " 2#0000000000000003 4#0102 5\"bad parent\" }"
			" 2{ 5\"nothing\" }"
			" 2{ 1#" TRACE " 2#0000000000000004 4#0000000000000000 5\"root\" } } }");
	assert_int_equal(b.spans.n, 2);
	assert_int_equal(b.rejected, 5);
	assert_string_equal(b.reason, "span 1: trace id is all zero or not 16 bytes long");
	assert_str_equal(b.spans.at[1].name, STR("root"));
	span_batch_fini(&b);
}

static void a_json_id_of_the_wrong_length_is_rejected_alone(void **state)
{
	struct span_batch b;
	struct err e = {0};

	(void)state;
	span_batch_init(&b, NULL);
	assert_ok_err(otlp_traces_decode_json(
			      &b,
			      STR("{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":["
				  "{\"traceId\":\"00ff\",\"spanId\":\"0000000000000001\"},"
				  "{\"traceId\":\"" TRACE "\",\"spanId\":\"0000000000000001\"}"
				  "]}]}]}"),
			      &e),
		      &e);
	assert_int_equal(b.spans.n, 1);
	assert_int_equal(b.rejected, 1);
	span_batch_fini(&b);
}

static void a_service_without_a_name_gets_the_default_of_profiles(void **state)
{
	struct span_batch b;

	(void)state;
	decode_text(&b, "1{ 2{ 2{ 1#" TRACE " 2#0000000000000001 } } }"
			"1{ 1{ 1{ 1\"process.executable.name\" 2{ 1\"java\" } } }"
			"   2{ 2{ 1#" TRACE " 2#0000000000000002 } } }");
	assert_str_equal(b.spans.at[0].service, STR("unknown_service"));
	assert_str_equal(b.spans.at[1].service, STR("unknown_service:java"));
	span_batch_fini(&b);
}

static void unusual_values_are_repaired(void **state)
{
	struct span_batch b;
	struct buf text = {0};

	(void)state;
	buf_printf(&text, "1{ 2{ 2{ 1#" TRACE " 2#0000000000000001 7@9 8@3 6:77 15{ 3:9 } 5\"");
	for (unsigned i = 0; i < SPAN_NAME_MAX / 2 + 9; i++)
		buf_put_str(&text, STR("\xc3\xa9"));
	buf_put_str(&text, STR("x\" } 2{ 1#" TRACE " 2#0000000000000002 5#61ff62 } } }"));
	buf_put_char(&text, '\0');
	decode_text(&b, text.p);
	assert_int_equal(b.spans.at[0].start, 9);
	assert_int_equal(b.spans.at[0].end, 9);
	assert_int_equal(b.spans.at[0].kind, 0);
	assert_int_equal(b.spans.at[0].status, 0);
	assert_int_equal(b.spans.at[0].name.n, SPAN_NAME_MAX);
	assert_str_equal(b.spans.at[1].name, STR("a\xef\xbf\xbd"
						 "b"));
	span_batch_fini(&b);
	buf_fini(&text);
}

static void errors_have_a_position(void **state)
{
	struct span_batch b;
	struct err e = {0};

	(void)state;
	span_batch_init(&b, NULL);
	assert_int_equal(otlp_traces_decode(&b, STR("\x0a\x04\x12\x02\x12\x09"), &e), -EBADMSG);
	assert_err_says(&e, "at byte ");
	e = (struct err){0};
	assert_int_equal(otlp_traces_decode_json(&b, STR("{\"resourceSpans\": 7}"), &e), -EBADMSG);
	assert_err_says(&e, "at byte 18");
	span_batch_fini(&b);
}

/* ---- invalid input ---- */

static void decode_any(struct str in, bool json)
{
	struct budget budget = {.limit = 16 * MIB};
	struct span_batch b;
	struct err e = {0};
	int rc;

	span_batch_init(&b, &budget);
	rc = json ? otlp_traces_decode_json(&b, in, &e) : otlp_traces_decode(&b, in, &e);
	assert_true(!rc || (e.text[0] && !b.spans.n && !b.rejected));
	assert_ok_err(span_batch_check(&b, &e), &e);
	span_batch_fini(&b);
	assert_int_equal(budget.used, 0);
}

static void truncate_and_mutate(struct str in, bool json)
{
	char *copy = malloc(in.n);
	uint64_t seed = 7;

	for (size_t n = 0; n <= in.n; n++) {
		char *cut = malloc(n ? n : 1); /* exact size: a sanitizer detects overreads */

		memcpy(cut, in.p, n);
		decode_any(str_of(cut, n), json);
		free(cut);
	}
	for (unsigned i = 0; i < 5000; i++) {
		memcpy(copy, in.p, in.n);
		for (unsigned k = 0; k < 3; k++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			copy[(seed >> 33) % in.n] = (char)(seed >> 17);
		}
		decode_any(str_of(copy, in.n), json);
	}
	free(copy);
}

static void truncated_and_mutated_messages_are_safe(void **state)
{
	struct buf message = {0};

	(void)state;
	otlp_text(&message, EVERYTHING);
	truncate_and_mutate(buf_str(&message), false);
	truncate_and_mutate(str_from(json_everything), true);
	buf_fini(&message);
}

static void an_allocation_failure_leaks_nothing(void **state)
{
	struct buf message = {0};

	(void)state;
	otlp_text(&message, EVERYTHING "1{ 2{ 2{ 1#" TRACE " 2#0000000000000002 5#61ff62 } } }");
	for (unsigned n = 1; n < 20; n++) {
		struct budget budget = {.limit = 16 * MIB};
		struct span_batch b;
		struct err e = {0};
		int rc;

		span_batch_init(&b, &budget);
		b.arena.fail_after = n;
		rc = otlp_traces_decode(&b, buf_str(&message), &e);
		assert_true(rc == 0 || rc == -ENOMEM);
		assert_true(n > 1 || rc);
		span_batch_fini(&b);
		assert_int_equal(budget.used, 0);
	}
	buf_fini(&message);
}

TEST_MAIN(test(a_span_is_decoded_with_its_structure), test(json_decodes_the_same),
	  test(a_span_with_an_invalid_id_is_rejected_alone),
	  test(a_json_id_of_the_wrong_length_is_rejected_alone),
	  test(a_service_without_a_name_gets_the_default_of_profiles),
	  test(unusual_values_are_repaired), test(errors_have_a_position),
	  test(truncated_and_mutated_messages_are_safe), test(an_allocation_failure_leaks_nothing))

/* SPDX-License-Identifier: Apache-2.0 */
/* Traces from OTLP and back to OTLP, in protobuf and JSON: nothing is lost. */
#include "format/otlp/schema.h"
#include "format/otlp/traces.h"
#include "signal/otlp/attributes.h"
#include "signal/otlp/validate.h"

#include "format/otlp/trace_fixtures.h"

#define TRACE "000102030405060708090a0b0c0d0e0f"
#define ID(n) "1#" TRACE " 2#100000000000000" n " "
#define IDS(n) ID(n) "4#2000000000000002 "

/* Every field of a span, in the order in which the encoder writes; attributes of every type. */
#define EVERYTHING                                                                                 \
	"1{ 1{ 1{ 1\"service.name\" 2{ 1\"shop\" } } 1{ 1\"n\" 2{ 3:-4 } } 2:7 3{ 1\"u\" } }"      \
	"   2{ 1{ 1\"scope\" 2\"1.2\" 3{ 1\"s\" 2{ 2:1 } } 4:3 }"                                  \
	"      2{ " ID(                                                                            \
		"1") "3\"state=1\" 4#2000000000000002 5\"GET /cart\" 6:2 7@1000 8@5000"            \
		     "         9{ 1\"text\" 2{ 1\"v\" } } 9{ 1\"empty\" 2{ 1\"\" } } 9{ "          \
		     "1\"none\" 2{} }"                                                             \
		     "         9{ 1\"no\" } 9{ 1\"yes\" 2{ 2:1 } } 9{ 1\"not\" 2{ 2:0 } } 9{ "     \
		     "1\"int\" 2{ 3:-9 } }"                                                        \
		     "         9{ 1\"real\" 2{ 4@0x3ff8000000000000 } } 9{ 1\"raw\" 2{ 7#00ff } }" \
		     "         9{ 1\"list\" 2{ 5{ 1{ 1\"a\" } 1{ 3:1 } } } }"                      \
		     "         9{ 1\"map\" 2{ 6{ 1{ 1\"k\" 2{ 5{ 1{ 6{} } } } } } } } 9{ "         \
		     "1\"text\" 2{ 1\"w\" } }"                                                     \
		     "         10:1 11{ 1@1500 2\"event\" 3{ 1\"e\" 2{ 1\"x\" } } 4:2 } 11{ "      \
		     "1@1600 } 12:4"                                                               \
		     "         13{ 1#" TRACE                                                       \
		     " 2#0102030405060708 3\"t\" 4{ 1\"l\" 2{ 3:1 } } 5:2 6%769 } 14:5"            \
		     "         15{ 2\"failed\" 3:2 } 16%769 }"                                     \
		     "      2{ " IDS("2") "7@2000 8@3000 15{ 3:1 } } 3\"scope url\" }"             \
					  "   2{ 2{ " IDS("3") "7@1 8@2 15{ 2\"only text\" } } "   \
							       "3\"other\" } 3\"resource url\" }"  \
							       "1{ 1{ 1{ 1\"service.name\" 2{ "    \
							       "1\"db\" } } } 2{ 2{ " IDS(         \
								       "4") "7@1 8@2 } } }"

static void decode_ok(struct span_batch *b, struct str message)
{
	struct err e = {0};

	span_batch_init(b, NULL);
	assert_ok_err(otlp_traces_decode(b, message, &e), &e);
	assert_ok_err(span_batch_check(b, &e), &e);
}

static void assert_same_json(struct str a, struct str b)
{
	struct buf x = {0}, y = {0};

	assert_ok(schema_to_json(&x, &otlp_traces_request, a, NULL));
	assert_ok(schema_to_json(&y, &otlp_traces_request, b, NULL));
	assert_str_equal(buf_str(&x), buf_str(&y));
	buf_fini(&x);
	buf_fini(&y);
}

static void everything_is_encoded_as_it_was_received(void **state)
{
	struct buf message = {0}, out = {0}, again = {0};
	struct span_batch b, c;
	uint32_t items;
	struct err e = {0};

	(void)state;
	otlp_text(&message, EVERYTHING);
	assert_ok_err(otlp_validate(SIGNAL_TRACES, buf_str(&message), &items, &e), &e);
	decode_ok(&b, buf_str(&message));
	assert_int_equal(b.spans.n, 4);
	assert_int_equal(b.resources.n, 2);
	assert_int_equal(b.scopes.n, 3);
	assert_ok(otlp_traces_encode(&out, &b));
	assert_ok_err(otlp_validate(SIGNAL_TRACES, buf_str(&out), &items, &e), &e);
	assert_int_equal(items, 4);
	decode_ok(&c, buf_str(&out));
	assert_ok(otlp_traces_encode(&again, &c));
	assert_str_equal(buf_str(&again), buf_str(&out));
	for (uint32_t i = 0; i < b.spans.n; i++)
		assert_str_equal(c.spans.at[i].details, b.spans.at[i].details);
	assert_str_equal(buf_str(&out), buf_str(&message));
	span_batch_fini(&b);
	span_batch_fini(&c);
	buf_fini(&message);
	buf_fini(&out);
	buf_fini(&again);
}

static void attributes_have_their_types(void **state)
{
	static const enum value_kind types[] = {
		VALUE_STRING, VALUE_STRING, VALUE_EMPTY, VALUE_EMPTY, VALUE_BOOL, VALUE_BOOL,
		VALUE_INT,    VALUE_DOUBLE, VALUE_BYTES, VALUE_LIST,  VALUE_MAP,  VALUE_STRING};
	struct buf message = {0};
	struct attributes a = {0};
	struct span_batch b;

	(void)state;
	otlp_text(&message, EVERYTHING);
	decode_ok(&b, buf_str(&message));
	assert_ok(otlp_attributes_read(&a, b.spans.at[0].details, OTLP_SPAN_ATTRIBUTES, &b.arena));
	assert_int_equal(a.list.n, countof(types));
	for (uint32_t i = 0; i < a.list.n; i++)
		assert_int_equal(a.list.at[i].value.kind, types[i]);
	assert_int_equal(a.list.at[6].value.i, -9);
	span_batch_fini(&b);
	buf_fini(&message);
}

static void json_and_protobuf_are_the_same(void **state)
{
	struct buf message = {0}, first = {0}, json = {0}, second = {0};
	struct span_batch b, c;
	struct err e = {0};

	(void)state;
	otlp_text(&message, EVERYTHING);
	decode_ok(&b, buf_str(&message));
	assert_ok(otlp_traces_encode(&first, &b));
	assert_ok(otlp_traces_encode_json(&json, &b));
	span_batch_init(&c, NULL);
	assert_ok_err(otlp_traces_decode_json(&c, buf_str(&json), &e), &e);
	assert_ok(otlp_traces_encode(&second, &c));
	assert_same_json(buf_str(&first), buf_str(&second));
	span_batch_fini(&b);
	span_batch_fini(&c);
	buf_fini(&message);
	buf_fini(&first);
	buf_fini(&json);
	buf_fini(&second);
}

static void spans_without_a_resource_get_their_service(void **state)
{
	struct span s = {
		.trace_id = {1}, .span_id = {1}, .service = STR("a"), .start = 1, .end = 1};
	struct span_batch b, c;
	struct buf out = {0};

	(void)state;
	span_batch_init(&b, NULL);
	assert_ok(vec_push(&b.arena, &b.spans, s));
	s.service = STR("b");
	assert_ok(vec_push(&b.arena, &b.spans, s));
	assert_ok(otlp_traces_encode(&out, &b));
	decode_ok(&c, buf_str(&out));
	assert_int_equal(c.resources.n, 2);
	assert_str_equal(c.spans.at[0].service, STR("a"));
	assert_str_equal(c.spans.at[1].service, STR("b"));
	span_batch_fini(&b);
	span_batch_fini(&c);
	buf_fini(&out);
}

static void invalid_parts_are_repaired(void **state)
{
	struct buf message = {0};
	struct attributes a = {0};
	struct span_batch b;
	uint32_t items;

	(void)state;
	/* text that is not UTF-8, a link id of a wrong length, a wrong wire type, unknown fields */
	otlp_text(&message,
		  "1{ 2{ 2{ " IDS("1") "9{ 1#61ff62 2{ 1#ff } } 13{ 1#0102 3\"kept\" }"
				       " 10\"text\" 99:1 9{ 1\"k\" 2{ 3:1 99:2 } } } } }");
	assert_int_equal(otlp_validate(SIGNAL_TRACES, buf_str(&message), &items, NULL), -EBADMSG);
	decode_ok(&b, buf_str(&message));
	assert_int_equal(b.spans.n, 1);
	assert_ok(otlp_attributes_read(&a, b.spans.at[0].details, OTLP_SPAN_ATTRIBUTES, &b.arena));
	assert_int_equal(a.list.n, 2);
	assert_str_equal(a.list.at[0].key, STR("a\xef\xbf\xbd"
					       "b"));
	assert_str_equal(a.list.at[0].value.s, STR("\xef\xbf\xbd"));
	assert_int_equal(b.spans.at[0].details.n, 2 + 14 + 2 + 6 + 2 + 7);
	span_batch_fini(&b);
	buf_fini(&message);
}

static void a_span_that_is_too_large_is_rejected(void **state)
{
	struct proto_writer w = {0};
	struct str large;
	struct span_batch b;
	char *text = calloc(1, SPAN_DETAILS_MAX + 1);
	size_t spans;

	(void)state;
	assert_non_null(text);
	memset(text, 'x', SPAN_DETAILS_MAX + 1);
	for (unsigned i = 2; i-- > 0;) {
		size_t end = proto_mark(&w);

		large = str_of(text, i ? 9 : SPAN_DETAILS_MAX + 1);
		proto_put_entry(&w, SPAN_FIELD_TRACE_STATE, large);
		proto_put_entry(&w, 2, STR("12345678"));
		proto_put_entry(&w, 1, STR("1234567890123456"));
		proto_put_header(&w, 2, end);
	}
	spans = 0;
	proto_put_header(&w, 2, spans);
	proto_put_header(&w, 1, 0);
	decode_ok(&b, proto_writer_str(&w));
	assert_int_equal(b.spans.n, 1);
	assert_int_equal(b.rejected, 1);
	assert_string_equal(b.reason, "span 0: attributes, events and links are larger than 4 MiB");
	span_batch_fini(&b);
	proto_writer_fini(&w);
	free(text);
}

static void fixtures_are_encoded_without_loss(void **state)
{
	unsigned spans = 0;

	(void)state;
	for (unsigned i = 0; i < TRACE_FIXTURES; i++) {
		struct buf message = {0}, out = {0}, json = {0}, again = {0};
		struct span_batch b, c;
		struct err e = {0};

		if (!read_trace_fixture(&message, i))
			skip();
		decode_ok(&b, buf_str(&message));
		assert_int_equal(b.rejected, 0);
		spans += b.spans.n;
		assert_ok(otlp_traces_encode(&out, &b));
		assert_ok(otlp_traces_encode_json(&json, &b));
		span_batch_init(&c, NULL);
		assert_ok_err(otlp_traces_decode_json(&c, buf_str(&json), &e), &e);
		assert_ok(otlp_traces_encode(&again, &c));
		assert_same_json(buf_str(&out), buf_str(&again));
		assert_same_json(buf_str(&out), buf_str(&message));
		span_batch_fini(&b);
		span_batch_fini(&c);
		buf_fini(&message);
		buf_fini(&out);
		buf_fini(&json);
		buf_fini(&again);
	}
	assert_int_equal(spans, TRACE_FIXTURE_SPANS);
}

TEST_MAIN(test(everything_is_encoded_as_it_was_received), test(attributes_have_their_types),
	  test(json_and_protobuf_are_the_same), test(spans_without_a_resource_get_their_service),
	  test(invalid_parts_are_repaired), test(a_span_that_is_too_large_is_rejected),
	  test(fixtures_are_encoded_without_loss))

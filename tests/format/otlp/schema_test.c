/* SPDX-License-Identifier: Apache-2.0 */
/* JSON of traces, metrics and logs: each field of each message in both spellings, and the rules. */
#include "format/otlp/schema.h"

#include <ctype.h>
#include <errno.h>

#include "signal/otlp/build.h"
#include "signal/otlp/validate.h"
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

/* A member of a message in JSON, and the bytes of its field. */
struct member_row {
	const char *json;
	struct str bytes;
};

/* A message in its place: JSON up to its opening brace, and the fields around it. */
struct message_row {
	enum signal_kind signal;
	const char *prefix;
	uint32_t path[9];
	struct member_row members[18];
};

#define B(s) STR_INIT(s)
#define RESOURCE_SPANS "{\"resourceSpans\":[{"
#define RESOURCE RESOURCE_SPANS "\"resource\":{"
#define VALUE RESOURCE "\"attributes\":[{\"value\":{"
#define SCOPE_SPANS RESOURCE_SPANS "\"scopeSpans\":[{"
#define SPAN SCOPE_SPANS "\"spans\":[{"
#define METRIC "{\"resourceMetrics\":[{\"scopeMetrics\":[{\"metrics\":[{"
#define POINT "\"dataPoints\":[{"
#define SCOPE_LOGS "{\"resourceLogs\":[{\"scopeLogs\":[{"

#define TIME_1 "\x01\0\0\0\0\0\0\0"
#define ONE "\0\0\0\0\0\0\xf0\x3f" /* 1.0 */
#define ID_TEXT "\"000102030405060708090a0b0c0d0E0F\""
#define ID_BYTES "\0\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f"

static const struct message_row messages[] = {
	{SIGNAL_TRACES,
	 RESOURCE,
	 {1, 1},
	 {{"\"attributes\":[{\"key\":\"k\"},{}]", B("\x0a\x03\x0a\x01k\x0a\x00")},
	  {"\"droppedAttributesCount\":7", B("\x10\x07")},
	  {"\"entityRefs\":[{\"schemaUrl\":\"u\",\"type\":\"t\",\"idKeys\":[\"a\",\"b\"],"
	   "\"descriptionKeys\":[\"c\"]}]",
	   B("\x1a\x0f\x0a\x01u\x12\x01t\x1a\x01"
	     "a\x1a\x01"
	     "b\x22\x01"
	     "c")}}},
	{SIGNAL_TRACES,
	 VALUE,
	 {1, 1, 1, 2},
	 {{"\"stringValue\":\"\"", B("\x0a\x00")},
	  {"\"stringValue\":\"gr\\u00fc\\n\"", B("\x0a\x05gr\xc3\xbc\n")},
	  {"\"boolValue\":false", B("\x10\x00")},
	  {"\"boolValue\":true", B("\x10\x01")},
	  {"\"intValue\":\"-1\"", B("\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")},
	  {"\"intValue\":300", B("\x18\xac\x02")},
	  {"\"intValue\":0", B("\x18\x00")},
	  {"\"doubleValue\":1", B("\x21" ONE)},
	  {"\"doubleValue\":\"Infinity\"", B("\x21\0\0\0\0\0\0\xf0\x7f")},
	  {"\"doubleValue\":\"-Infinity\"", B("\x21\0\0\0\0\0\0\xf0\xff")},
	  {"\"arrayValue\":{\"values\":[{\"intValue\":\"1\"},{}]}",
	   B("\x2a\x06\x0a\x02\x18\x01\x0a\x00")},
	  {"\"kvlistValue\":{\"values\":[{\"key\":\"a\",\"value\":{\"boolValue\":true}}]}",
	   B("\x32\x09\x0a\x07\x0a\x01"
	     "a\x12\x02\x10\x01")},
	  {"\"bytesValue\":\"AAH/\"", B("\x3a\x03\x00\x01\xff")},
	  {"\"stringValueStrindex\":0", B("\x40\x00")}}},
	{SIGNAL_TRACES,
	 RESOURCE_SPANS,
	 {1},
	 {{"\"schemaUrl\":\"u\"", B("\x1a\x01u")},
	  {"\"unknown\":[{\"x\":[]}],\"schemaUrl\":\"u\"", B("\x1a\x01u")}}},
	{SIGNAL_TRACES,
	 SCOPE_SPANS "\"scope\":{",
	 {1, 2, 1},
	 {{"\"name\":\"n\"", B("\x0a\x01n")},
	  {"\"version\":\"v\"", B("\x12\x01v")},
	  {"\"attributes\":[{}]", B("\x1a\x00")},
	  {"\"droppedAttributesCount\":1", B("\x20\x01")}}},
	{SIGNAL_TRACES, SCOPE_SPANS, {1, 2}, {{"\"schemaUrl\":\"u\"", B("\x1a\x01u")}}},
	{SIGNAL_TRACES,
	 SPAN,
	 {1, 2, 2},
	 {{"\"traceId\":" ID_TEXT, B("\x0a\x10" ID_BYTES)},
	  {"\"spanId\":\"0001020304050607\"", B("\x12\x08\0\x01\x02\x03\x04\x05\x06\x07")},
	  {"\"traceState\":\"a=b\"", B("\x1a\x03"
				       "a=b")},
	  {"\"parentSpanId\":\"0001020304050607\"", B("\x22\x08\0\x01\x02\x03\x04\x05\x06\x07")},
	  {"\"name\":\"n\"", B("\x2a\x01n")},
	  {"\"kind\":3", B("\x30\x03")},
	  {"\"kind\":\"SPAN_KIND_CLIENT\"", B("\x30\x03")},
	  {"\"startTimeUnixNano\":\"1\"", B("\x39" TIME_1)},
	  {"\"endTimeUnixNano\":1", B("\x41" TIME_1)},
	  {"\"attributes\":[{}]", B("\x4a\x00")},
	  {"\"droppedAttributesCount\":1", B("\x50\x01")},
	  {"\"events\":[{}]", B("\x5a\x00")},
	  {"\"droppedEventsCount\":1", B("\x60\x01")},
	  {"\"links\":[{}]", B("\x6a\x00")},
	  {"\"droppedLinksCount\":1", B("\x70\x01")},
	  {"\"status\":{\"message\":\"m\",\"code\":2}", B("\x7a\x05\x12\x01m\x18\x02")},
	  {"\"flags\":257", B("\x85\x01\x01\x01\0\0")}}},
	{SIGNAL_TRACES,
	 SPAN "\"events\":[{",
	 {1, 2, 2, 11},
	 {{"\"timeUnixNano\":\"1\"", B("\x09" TIME_1)},
	  {"\"name\":\"n\"", B("\x12\x01n")},
	  {"\"attributes\":[{}]", B("\x1a\x00")},
	  {"\"droppedAttributesCount\":1", B("\x20\x01")}}},
	{SIGNAL_TRACES,
	 SPAN "\"links\":[{",
	 {1, 2, 2, 13},
	 {{"\"traceId\":" ID_TEXT, B("\x0a\x10" ID_BYTES)},
	  {"\"spanId\":\"0001020304050607\"", B("\x12\x08\0\x01\x02\x03\x04\x05\x06\x07")},
	  {"\"traceState\":\"s\"", B("\x1a\x01s")},
	  {"\"attributes\":[{}]", B("\x22\x00")},
	  {"\"droppedAttributesCount\":1", B("\x28\x01")},
	  {"\"flags\":1", B("\x35\x01\0\0\0")}}},
	{SIGNAL_METRICS,
	 METRIC,
	 {1, 2, 2},
	 {{"\"name\":\"n\"", B("\x0a\x01n")},
	  {"\"description\":\"d\"", B("\x12\x01"
				      "d")},
	  {"\"unit\":\"u\"", B("\x1a\x01u")},
	  {"\"gauge\":{}", B("\x2a\x00")},
	  {"\"sum\":{\"aggregationTemporality\":2,\"isMonotonic\":true}",
	   B("\x3a\x04\x10\x02\x18\x01")},
	  {"\"histogram\":{\"aggregationTemporality\":1}", B("\x4a\x02\x10\x01")},
	  {"\"exponentialHistogram\":{\"aggregationTemporality\":"
	   "\"AGGREGATION_TEMPORALITY_CUMULATIVE\"}",
	   B("\x52\x02\x10\x02")},
	  {"\"summary\":{\"dataPoints\":[{}]}", B("\x5a\x02\x0a\x00")},
	  {"\"metadata\":[{}]", B("\x62\x00")}}},
	{SIGNAL_METRICS,
	 METRIC "\"gauge\":{" POINT,
	 {1, 2, 2, 5, 1},
	 {{"\"attributes\":[{}]", B("\x3a\x00")},
	  {"\"startTimeUnixNano\":\"1\"", B("\x11" TIME_1)},
	  {"\"timeUnixNano\":\"1\"", B("\x19" TIME_1)},
	  {"\"asDouble\":1.0", B("\x21" ONE)},
	  {"\"asDouble\":0", B("\x21\0\0\0\0\0\0\0\0")},
	  {"\"asInt\":\"-2\"", B("\x31\xfe\xff\xff\xff\xff\xff\xff\xff")},
	  {"\"asInt\":1", B("\x31" TIME_1)},
	  {"\"exemplars\":[{}]", B("\x2a\x00")},
	  {"\"flags\":1", B("\x40\x01")}}},
	{SIGNAL_METRICS,
	 METRIC "\"sum\":{" POINT "\"exemplars\":[{",
	 {1, 2, 2, 7, 1, 5},
	 {{"\"filteredAttributes\":[{}]", B("\x3a\x00")},
	  {"\"timeUnixNano\":\"1\"", B("\x11" TIME_1)},
	  {"\"asDouble\":1", B("\x19" ONE)},
	  {"\"asInt\":\"1\"", B("\x31" TIME_1)},
	  {"\"spanId\":\"0001020304050607\"", B("\x22\x08\0\x01\x02\x03\x04\x05\x06\x07")},
	  {"\"traceId\":" ID_TEXT, B("\x2a\x10" ID_BYTES)}}},
	{SIGNAL_METRICS,
	 METRIC "\"histogram\":{" POINT,
	 {1, 2, 2, 9, 1},
	 {{"\"attributes\":[{}]", B("\x4a\x00")},
	  {"\"startTimeUnixNano\":\"1\"", B("\x11" TIME_1)},
	  {"\"timeUnixNano\":\"1\"", B("\x19" TIME_1)},
	  {"\"count\":\"1\"", B("\x21" TIME_1)},
	  {"\"sum\":0", B("\x29\0\0\0\0\0\0\0\0")},
	  {"\"bucketCounts\":[\"1\",1]", B("\x32\x10" TIME_1 TIME_1)},
	  {"\"explicitBounds\":[1]", B("\x3a\x08" ONE)},
	  {"\"exemplars\":[{}]", B("\x42\x00")},
	  {"\"flags\":1", B("\x50\x01")},
	  {"\"min\":1", B("\x59" ONE)},
	  {"\"max\":1", B("\x61" ONE)}}},
	{SIGNAL_METRICS,
	 METRIC "\"exponentialHistogram\":{" POINT,
	 {1, 2, 2, 10, 1},
	 {{"\"attributes\":[{}]", B("\x0a\x00")},
	  {"\"startTimeUnixNano\":\"1\"", B("\x11" TIME_1)},
	  {"\"timeUnixNano\":\"1\"", B("\x19" TIME_1)},
	  {"\"count\":\"1\"", B("\x21" TIME_1)},
	  {"\"sum\":1", B("\x29" ONE)},
	  {"\"scale\":-2", B("\x30\x03")},
	  {"\"scale\":2", B("\x30\x04")},
	  {"\"zeroCount\":\"1\"", B("\x39" TIME_1)},
	  {"\"positive\":{\"offset\":-1,\"bucketCounts\":[\"1\",300]}",
	   B("\x42\x07\x08\x01\x12\x03\x01\xac\x02")},
	  {"\"negative\":{}", B("\x4a\x00")},
	  {"\"flags\":1", B("\x50\x01")},
	  {"\"exemplars\":[{}]", B("\x5a\x00")},
	  {"\"min\":1", B("\x61" ONE)},
	  {"\"max\":1", B("\x69" ONE)},
	  {"\"zeroThreshold\":1", B("\x71" ONE)}}},
	{SIGNAL_METRICS,
	 METRIC "\"summary\":{" POINT,
	 {1, 2, 2, 11, 1},
	 {{"\"attributes\":[{}]", B("\x3a\x00")},
	  {"\"startTimeUnixNano\":\"1\"", B("\x11" TIME_1)},
	  {"\"timeUnixNano\":\"1\"", B("\x19" TIME_1)},
	  {"\"count\":\"1\"", B("\x21" TIME_1)},
	  {"\"sum\":1", B("\x29" ONE)},
	  {"\"quantileValues\":[{\"quantile\":1,\"value\":1}]", B("\x32\x12\x09" ONE "\x11" ONE)},
	  {"\"flags\":1", B("\x40\x01")}}},
	{SIGNAL_METRICS,
	 "{\"resourceMetrics\":[{\"scopeMetrics\":[{",
	 {1, 2},
	 {{"\"scope\":{\"name\":\"n\"}", B("\x0a\x03\x0a\x01n")},
	  {"\"schemaUrl\":\"u\"", B("\x1a\x01u")}}},
	{SIGNAL_METRICS,
	 "{\"resourceMetrics\":[{",
	 {1},
	 {{"\"resource\":{}", B("\x0a\x00")}, {"\"schemaUrl\":\"u\"", B("\x1a\x01u")}}},
	{SIGNAL_LOGS,
	 "{\"resourceLogs\":[{",
	 {1},
	 {{"\"resource\":{}", B("\x0a\x00")}, {"\"schemaUrl\":\"u\"", B("\x1a\x01u")}}},
	{SIGNAL_LOGS,
	 SCOPE_LOGS,
	 {1, 2},
	 {{"\"scope\":{\"name\":\"n\"}", B("\x0a\x03\x0a\x01n")},
	  {"\"schemaUrl\":\"u\"", B("\x1a\x01u")}}},
	{SIGNAL_LOGS,
	 SCOPE_LOGS "\"logRecords\":[{",
	 {1, 2, 2},
	 {{"\"timeUnixNano\":\"1\"", B("\x09" TIME_1)},
	  {"\"observedTimeUnixNano\":\"1\"", B("\x59" TIME_1)},
	  {"\"severityNumber\":24", B("\x10\x18")},
	  {"\"severityNumber\":\"SEVERITY_NUMBER_WARN2\"", B("\x10\x0e")},
	  {"\"severityText\":\"s\"", B("\x1a\x01s")},
	  {"\"body\":{\"stringValue\":\"b\"}", B("\x2a\x03\x0a\x01"
						 "b")},
	  {"\"attributes\":[{}]", B("\x32\x00")},
	  {"\"droppedAttributesCount\":1", B("\x38\x01")},
	  {"\"flags\":1", B("\x45\x01\0\0\0")},
	  {"\"traceId\":" ID_TEXT, B("\x4a\x10" ID_BYTES)},
	  {"\"spanId\":\"0001020304050607\"", B("\x52\x08\0\x01\x02\x03\x04\x05\x06\x07")},
	  {"\"eventName\":\"e\"", B("\x62\x01"
				    "e")}}},
};

/* ---- the table ---- */

static struct str wrapped(const struct message_row *m, struct str fields)
{
	struct proto_writer w;
	struct str copy;
	size_t depth = 0;

	while (m->path[depth])
		depth++;
	proto_writer_init(&w, NULL);
	proto_put_raw(&w, fields.p, fields.n);
	while (depth-- > 0)
		proto_put_header(&w, m->path[depth], 0);
	assert_ok(arena_copy_str(&arena, proto_writer_str(&w), &copy));
	proto_writer_fini(&w);
	return copy;
}

/* Complete the JSON of a message: close what the prefix opens. */
static struct str completed(const struct message_row *m, const char *members)
{
	struct buf out = {0};
	struct str copy;
	const char *p = m->prefix;

	buf_printf(&out, "%s%s", p, members);
	for (size_t i = strlen(p); i-- > 0;)
		if (p[i] == '{' || p[i] == '[')
			buf_put_char(&out, p[i] == '{' ? '}' : ']');
	assert_ok(arena_copy_str(&arena, buf_str(&out), &copy));
	buf_fini(&out);
	return copy;
}

/* Return the JSON with its keys in snake_case. */
static struct str snake_case(struct str json)
{
	struct buf out = {0};
	struct str copy;
	bool inside = false;

	for (size_t i = 0; i < json.n; i++) {
		char c = json.p[i];
		size_t end = str_find(str_from_at(json, i + 1), '"') + i + 1;

		if (c == '"' && (i == 0 || json.p[i - 1] != '\\'))
			inside = !inside && end + 1 < json.n && json.p[end + 1] == ':';
		if (inside && isupper((unsigned char)c))
			buf_printf(&out, "_%c", tolower((unsigned char)c));
		else
			buf_put_char(&out, c);
	}
	assert_ok(arena_copy_str(&arena, buf_str(&out), &copy));
	buf_fini(&out);
	return copy;
}

static void expect_bytes(const struct message_row *m, struct str json, struct str expected)
{
	struct buf out = {0};
	uint32_t items;
	struct err e = {0};

	assert_ok_err(schema_json_to_proto(&out, otlp_request_schema(m->signal), json, &arena, &e),
		      &e);
	if (!str_eq(buf_str(&out), expected))
		fail_msg("%.*s: other bytes", STR_ARG(json));
	assert_ok_err(otlp_validate(m->signal, buf_str(&out), &items, &e), &e);
	buf_fini(&out);
}

static void every_field_is_converted(void **state)
{
	(void)state;
	for (size_t i = 0; i < countof(messages); i++)
		for (const struct member_row *r = messages[i].members; r->json; r++) {
			struct str json = completed(&messages[i], r->json);
			struct str expected = wrapped(&messages[i], r->bytes);

			expect_bytes(&messages[i], json, expected);
			expect_bytes(&messages[i], snake_case(json), expected);
		}
}

/* JSON of protobuf gives the same protobuf. */
static void conversion_to_json_is_the_inverse(void **state)
{
	(void)state;
	for (size_t i = 0; i < countof(messages); i++)
		for (const struct member_row *r = messages[i].members; r->json; r++) {
			const struct message_row *m = &messages[i];
			struct str bytes = wrapped(m, r->bytes);
			struct buf json = {0};
			struct err e = {0};

			assert_ok_err(
				schema_to_json(&json, otlp_request_schema(m->signal), bytes, &e),
				&e);
			if (str_find_str(buf_str(&json), STR("SPAN_KIND")) < json.n)
				fail_msg("OTLP writes enums as numbers");
			expect_bytes(m, buf_str(&json), bytes);
			buf_fini(&json);
		}
}

/* ---- the rules ---- */

static void null_is_the_default(void **state)
{
	const struct message_row *span = NULL;

	(void)state;
	for (size_t i = 0; i < countof(messages) && !span; i++)
		if (!strcmp(messages[i].prefix, SPAN))
			span = &messages[i];
	assert_non_null(span);
	expect_bytes(span, completed(span, "\"name\":null,\"kind\":null,\"links\":null"),
		     wrapped(span, STR("")));
	expect_bytes(span, completed(span, "\"traceId\":\"\",\"droppedLinksCount\":0"),
		     wrapped(span, STR("\x0a\x00")));
}

static void wrong_values_are_errors(void **state)
{
	static const struct {
		const char *json, *says;
	} rows[] = {
		{SPAN "\"kind\":\"SPAN_KIND_UNHEARD_OF\"}]}]}]}", "a name or number of the enum"},
		{SPAN "\"traceId\":\"xyz!\"}]}]}]}", "hex digits"},
		{SPAN "\"startTimeUnixNano\":\"-1\"}]}]}]}", "a 64-bit integer of 0 or more"},
		{SPAN "\"flags\":4294967296}]}]}]}", "a 32-bit integer of 0 or more"},
		{SPAN "\"name\":7}]}]}]}", "a string"},
		{SPAN "\"links\":{}}]}]}]}", "an array"},
		{RESOURCE_SPANS "\"scopeSpans\":[7]}]}", "an object"},
		{VALUE "\"bytesValue\":\"%\"}}]}}]}", "base64"},
		{VALUE "\"doubleValue\":\"x\"}}]}}]}", "a number"},
		{VALUE "\"boolValue\":1}}]}}]}", "true or false"},
		{"[]", "an object"},
		{"{", "at byte 1"},
	};

	(void)state;
	for (size_t i = 0; i < countof(rows); i++) {
		struct buf out = {0};
		struct err e = {0};

		assert_int_equal(schema_json_to_proto(&out, &otlp_traces_request,
						      str_from(rows[i].json), &arena, &e),
				 -EBADMSG);
		assert_err_says(&e, rows[i].says);
		buf_fini(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(every_field_is_converted),
		test(conversion_to_json_is_the_inverse),
		test(null_is_the_default),
		test(wrong_values_are_errors),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

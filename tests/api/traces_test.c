/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces in the API: names and values of attributes before and after the store merges its blocks, of
 * several tenants; the samples of the spans that a search finds; links from traces to profiles.
 */
#include "traces_data.h"

#include "api/endpoint.h"
#include "api/tempo/tempo.h"
#include "api/tempo/tempo_grpc.h"
#include "openapi.h"
#include "test/span_fill.h"

/* ---- names and values ---- */

static void assert_values(struct fixture *f, const char *tag, const char *query,
			  const char *expected)
{
	struct test_request q;
	struct buf all = {0};

	test_request_init(&q, f->store);
	q.request.query = str_from(query);
	assert_ok_err(tempo_put_tag_values(&q.request, str_from(tag), true, &q.reply, &q.e), &q.e);
	buf_printf(&all, "{\"tagValues\":[%s],\"metrics\":{}}", expected);
	assert_str_equal(buf_str(&q.reply.body), buf_str(&all));
	buf_fini(&all);
	test_request_fini(&q);
}

#define VALUE(type, text) "{\"type\":\"" type "\",\"value\":\"" text "\"}"

/* The values by the dictionaries of the store, and by a filter that all spans pass. */
static void assert_all_values(struct fixture *f, const char *tag, const char *expected)
{
	assert_values(f, tag, "", expected);
	assert_values(f, tag, "q=%7Bduration%3E%3D0%7D", expected);
	assert_values(f, tag, "q=%7Bduration%3C0%7D", "");
}

static void values_are_listed(struct fixture *f)
{
	assert_all_values(f, "resource.service.name",
			  VALUE("string", "") "," VALUE("string", "shop"));
	assert_all_values(f, "resource.host", VALUE("string", "h1"));
	assert_all_values(f, "span.code", VALUE("int", "500") "," VALUE("string", "ok"));
	assert_all_values(f, "span.flag", VALUE("bool", "true"));
	assert_all_values(f, "span.ratio", VALUE("float", "0.1"));
	assert_all_values(f, "span.list", VALUE("string", "x") "," VALUE("string", "y"));
	assert_all_values(f, "span.map", "");
	assert_all_values(f, "event.attempt", VALUE("int", "-2"));
	assert_all_values(f, "link.why", VALUE("string", "batch"));
	assert_all_values(f, "instrumentation.lang", VALUE("string", "c"));
	assert_all_values(
		f, ".code",
		VALUE("int", "500") "," VALUE("string", "of a resource") "," VALUE("string", "ok"));
	assert_all_values(
		f, "name",
		VALUE("string", "GET /") "," VALUE("string", "SELECT") "," VALUE("string", "tick"));
	assert_all_values(f, "rootName", VALUE("string", "GET /") "," VALUE("string", "tick"));
	assert_all_values(f, "rootServiceName", VALUE("string", "") "," VALUE("string", "shop"));
	assert_all_values(f, "statusMessage", VALUE("string", "") "," VALUE("string", "bad"));
	assert_all_values(f, "event:name", VALUE("string", "retry"));
	assert_all_values(f, "instrumentation:name",
			  VALUE("string", "") "," VALUE("string", "lib"));
	assert_all_values(f, "instrumentation:version",
			  VALUE("string", "") "," VALUE("string", "1.2"));
	assert_all_values(f, "trace:id", "");
	assert_all_values(f, "span:childCount", "");
	assert_values(
		f, "status", "",
		VALUE("keyword", "error") "," VALUE("keyword", "ok") "," VALUE("keyword", "unset"));
	assert_values(f, "kind", "q=%7Bspan.code%3D500%7D", VALUE("keyword", "server"));
	assert_values(f, "span.code", "limit=1&q=%7Bspan.code%3D500%7D", VALUE("int", "500"));
	assert_values(f, "span.code", "start=1&end=2", "");
	assert_page(f->store, tempo_tag_names, "",
		    "{\"tagNames\":[\"attempt\",\"code\",\"flag\",\"host\",\"lang\",\"list\","
		    "\"map\",\"ratio\",\"service.name\",\"why\"],\"metrics\":{}}");
	assert_page(f->store, tempo_tag_names_v2, "scope=span&q=%7Bname%3D%22SELECT%22%7D",
		    "{\"scopes\":[{\"name\":\"span\",\"tags\":[\"code\"]}],\"metrics\":{}}");
	assert_page(f->store, tempo_tag_names_v2, "scope=event",
		    "{\"scopes\":[{\"name\":\"event\",\"tags\":[\"attempt\"]}],\"metrics\":{}}");
}

static void names_and_values_are_listed(void **state)
{
	struct fixture *f = *state;

	put_json(f, traces, STR(""));
	values_are_listed(f);
	merge_blocks(f);
	values_are_listed(f);
}

static void tenants_see_their_own_values(void **state)
{
	struct fixture *f = *state;

	put_json(f, traces, STR(""));
	put_json(f,
		 "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":["
		 "{\"traceId\":\"00000000000000000000000000000013\",\"spanId\":"
		 "\"0000000000000004\",\"name\":\"secret\",\"startTimeUnixNano\":"
		 "\"1700000003000000000\",\"endTimeUnixNano\":\"1700000003000000001\","
		 "\"attributes\":[{\"key\":\"code\",\"value\":{\"stringValue\":\"hidden\"}},"
		 "{\"key\":\"hidden\",\"value\":{\"stringValue\":\"hidden\"}}]}]}]}]}",
		 STR("other"));
	values_are_listed(f);
	merge_blocks(f); /* spans of both tenants are in one block */
	values_are_listed(f);
}

static void bad_tags_are_refused(void **state)
{
	static const char *const bad[] = {
		"", "x", "span.", "span.a b", "{}", "name) | topk(1", "parent.x", "span.a\"", "5"};
	struct fixture *f = *state;

	for (size_t i = 0; i < countof(bad); i++) {
		struct test_request q;

		test_request_init(&q, f->store);
		assert_int_equal(
			tempo_put_tag_values(&q.request, str_from(bad[i]), true, &q.reply, &q.e),
			-EINVAL);
		test_request_fini(&q);
	}
	assert_page_fails(f->store, tempo_tag_names_v2, "scope=x", -EINVAL, "invalid scope");
	assert_page_fails(f->store, tempo_tag_names, "start=2&end=1", -EINVAL, "after");
}

/* A filter that is incomplete or no filter. */
static void filters_are_read_leniently(void **state)
{
	static const struct {
		const char *query;
		bool all; /* it filters nothing; else it finds the span with code 500 */
	} cases[] = {
		{"%7B%7D", true},
		{"%7B", true},
		{"x", true},
		{"%7Bspan.code%3D", true},
		{"%7Bspan.code", true},
		{"%7Bspan.code%3D500%26%26%7D", true},
		{"%7Bspan.code%3D500%26%26name%3D%7D", false},
		{"%7Bspan.code%3D500", false},
		{"%7Bname%3D%26%26span.code%3D500%7D", false},
		{"%7Bspan.code%3D500%26%26name%7D", true},
		{"%7Bspan.code%3D500%26%26.other%7D", false},
		{"%7Bspan.code%3D500%7C%7Cname%3D%7D", true},
		{"%7Bspan.code%3D500%7D%7Crate(", false},
		{"%7Bspan.code%3D500%7D%3E%3E%7B%7D", true},
		{"%7Bname%3D%22unfinished%7D", true},
		{"%7B(span.code%3D500)%7D", false},
	};
	struct fixture *f = *state;

	put_json(f, traces, STR(""));
	for (size_t i = 0; i < countof(cases); i++) {
		char query[256];

		snprintf(query, sizeof(query), "q=%s", cases[i].query);
		assert_values(f, "name", query,
			      cases[i].all ? VALUE("string", "GET /") "," VALUE(
						     "string", "SELECT") "," VALUE("string", "tick")
					   : VALUE("string", "GET /"));
	}
}

/* ---- protobuf ---- */

static int call(struct test_request *q, const char *name, const char *json)
{
	const struct querier_rpc *rpc = tempo_rpcs;
	int rc;

	while (!str_eq(rpc->name, str_from(name)))
		rpc++;
	rc = schema_json_to_proto(&q->message, rpc->request, str_from(json), &q->arena, &q->e);
	q->request.body = buf_str(&q->message);
	if (!rc)
		rc = rpc->answer(&q->request, &q->reply, &q->e);
	return rc ? rc : schema_to_json(&q->json, rpc->response, buf_str(&q->reply.body), &q->e);
}

static void assert_call(struct fixture *f, const char *name, const char *json, const char *part)
{
	struct test_request q;
	char path[128];

	snprintf(path, sizeof(path), "/tempopb.StreamingQuerier/%s", name);
	test_request_init(&q, f->store);
	assert_ok_err(call(&q, path, json), &q.e);
	assert_has(buf_str(&q.json), part);
	test_request_fini(&q);
}

static void calls_by_grpc_have_the_same_answers(void **state)
{
	struct fixture *f = *state;
	struct test_request q;

	put_json(f, traces, STR(""));
	assert_call(f, "Search",
		    "{\"Query\":\"{ span.code = 500 } | select(event:name)\",\"Limit\":5,\"start\":"
		    "1700000000,\"end\":1700000010,\"SpansPerSpanSet\":1}",
		    "{\"traces\":[{\"traceID\":\"11\",\"rootServiceName\":\"shop\","
		    "\"rootTraceName\":\"GET /\",\"startTimeUnixNano\":\"1700000001000000000\","
		    "\"durationMs\":1000,\"spanSet\":{\"spans\":[{\"spanID\":\"0000000000000001\","
		    "\"name\":\"GET /\",");
	assert_call(f, "Search", "{\"Tags\":{\"name\":\"SELECT\"},\"MaxDurationMs\":2000}",
		    "\"serviceStats\":{\"shop\":{\"spanCount\":2,\"errorCount\":1}}");
	assert_call(f, "SearchTags", "{\"scope\":\"link\"}", "{\"tagNames\":[\"why\"]");
	assert_call(f, "SearchTagsV2",
		    "{\"scope\":\"span\",\"query\":\"{ name = \\\"SELECT\\\" }\"}",
		    "{\"scopes\":[{\"name\":\"span\",\"tags\":[\"code\"]}]");
	assert_call(f, "SearchTagValues", "{\"tagName\":\"service.name\"}",
		    "{\"tagValues\":[\"\",\"shop\"]");
	assert_call(f, "SearchTagValuesV2", "{\"tagName\":\"span.code\",\"maxTagValues\":1}",
		    "{\"tagValues\":[{\"type\":");
	assert_call(f, "MetricsQueryRange",
		    "{\"query\":\"{} | count_over_time()\",\"start\":\"1700000000000000000\","
		    "\"end\":\"1700000010000000000\",\"step\":\"10000000000\"}",
		    "\"samples\":[{\"timestampMs\":\"1700000000000\"");
	assert_call(f, "MetricsQueryInstant",
		    "{\"query\":\"{} | count_over_time()\",\"start\":\"1700000000000000000\","
		    "\"end\":\"1700000010000000000\"}",
		    "\"value\":3}]");
	test_request_init(&q, f->store);
	assert_int_equal(call(&q, "/tempopb.StreamingQuerier/Search", "{\"Query\":\"{\"}"),
			 -EINVAL);
	test_request_fini(&q);
}

/* ---- compare() ---- */

static void groups_are_compared(void **state)
{
	static const char range[] = "&start=1700000000&end=1700000010";
	struct fixture *f = *state;
	struct test_request q;
	char query[256];

	put_json(f, traces, STR(""));
	merge_blocks(f);
	snprintf(query, sizeof(query), "q=%%7B%%7D%%7Ccompare(%%7Bstatus%%3Derror%%7D)%s", range);
	test_request_init(&q, f->store);
	assert_ok_err(request_page(&q, tempo_query_instant, query), &q.e);
	assert_has(buf_str(&q.reply.body),
		   "{\"labels\":[{\"key\":\"__meta_type\",\"value\":{\"stringValue\":\"selection\"}"
		   "},{\"key\":\"span.code\",\"value\":{\"intValue\":\"500\"}}],\"value\":1}");
	assert_has(buf_str(&q.reply.body),
		   "{\"stringValue\":\"baseline_total\"}},{\"key\":\"name\",\"value\":{"
		   "\"stringValue\":\"nil\"}}],\"value\":2}");
	assert_has(buf_str(&q.reply.body),
		   "{\"key\":\"event:name\",\"value\":{\"stringValue\":\"retry");
	test_request_fini(&q);
	assert_page_fails(f->store, tempo_query_instant,
			  "q=(%7B%7D%7Ccompare(%7B%7D))%2B(%7B%7D%7Crate())", -EINVAL,
			  "arithmetic");
}

/* ---- samples of a search ---- */

/* Put spans of trace 2: its samples belong to span 2b, whose parent 2a has no samples. */
static void put_structure(struct store *s)
{
	static const struct fill_span rows[] = {
		{0x2a, 0, "GET /", "front", 1700000029000 * NS_PER_MS, 900, SPAN_STATUS_ERROR},
		{0x2b, 0x2a, "GET /cart", "cart", 1700000029500 * NS_PER_MS, 77, 0},
	};

	assert_ok(spans_fill(s, rows, countof(rows)));
}

static int request_path(struct test_request *q, const char *path, const char *query)
{
	const struct endpoint *at = varve_endpoints;

	while (!str_eq(at->path, str_from(path)))
		at++;
	return request_page(q, at->answer, query);
}

static void assert_response(struct fixture *f, const char *path, const char *query,
			    const char *expected)
{
	struct test_request q;
	struct openapi o;

	test_request_init(&q, f->store);
	assert_ok_err(request_path(&q, path, query), &q.e);
	openapi_open(&o);
	openapi_check_answer(&o, str_from(path), "get", "200", buf_str(&q.reply.body));
	openapi_close(&o);
	assert_has(buf_str(&q.reply.body), expected);
	test_request_fini(&q);
}

static void assert_refused(struct fixture *f, const char *path, const char *query, int rc,
			   const char *says)
{
	struct test_request q;

	test_request_init(&q, f->store);
	assert_int_equal(request_path(&q, path, query), rc);
	assert_err_says(&q.e, says);
	test_request_fini(&q);
}

#define SEARCH(text) "type=cpu&traces=%7B" text "%7D"

static void samples_of_a_search_are_selected(void **state)
{
	static const char *const paths[] = {"/api/v1/flame", "/api/v1/tree", "/api/v1/top",
					    "/api/v1/series", "/api/v1/spans"};
	struct fixture *f = *state;

	put_structure(f->store);
	for (size_t i = 0; i < countof(paths); i++) {
		assert_response(f, paths[i], SEARCH("name%3D%22GET%20/cart%22"), "\"total\":400");
		assert_response(f, paths[i], SEARCH("status%3Derror") "&children=1",
				"\"total\":400");
		assert_refused(f, paths[i], SEARCH("name%3D%22nothing%22"), -ENOENT,
			       "no span is found by {name=\"nothing\"}");
	}
	assert_response(f, "/api/v1/top", SEARCH("status%3Derror"), "\"total\":0");
	assert_response(f, "/api/v1/spans",
			SEARCH("true") "%26%26%7Bname%3D~%22GET.*%22%7D&function=q",
			"\"span_count\":1,");
	assert_refused(f, "/api/v1/top", SEARCH("name%3D"), -EINVAL, "traces: parse error");
	assert_refused(f, "/api/v1/top", SEARCH("") "%7Crate()", -EINVAL, "metrics");
	assert_refused(f, "/api/v1/top", SEARCH("") "&span=000000000000002b", -EINVAL,
		       "cannot be used together");
}

static void a_search_with_too_many_spans_gives_a_warning(void **state)
{
	enum { SPANS = 10100, BATCH = 1010 };
	struct fixture *f = *state;
	struct store_missing missing = {0};
	static struct fill_span rows[BATCH];
	struct test_request q;

	for (unsigned i = 0; i < SPANS; i += BATCH) {
		for (unsigned k = 0; k < BATCH; k++)
			rows[k] = (struct fill_span){
				0x2b, 0, "many", "front", 1700000029000 * NS_PER_MS + i + k,
				900,  0};
		assert_ok(spans_fill(f->store, rows, BATCH));
	}
	test_request_init(&q, f->store);
	q.request.limits.missing = &missing;
	assert_ok_err(request_path(&q, "/api/v1/top", SEARCH("name%3D%22many%22")), &q.e);
	assert_has(buf_str(&q.reply.body),
		   "{\"warnings\":[\"the search finds more than 10,000 spans");
	assert_has(buf_str(&q.reply.body), "\"total\":400");
	test_request_fini(&q);
}

/* Span 2b has samples, and span 2a has none. */
static void traces_link_to_profiles(void **state)
{
	static const char link[] = "{\"key\":\"pyroscope.profile.id\",\"value\":{\"stringValue\":"
				   "\"000000000000002b\"}}";
	const struct http_exchange x = {.path = STR("/api/v2/traces/02")};
	struct fixture *f = *state;
	struct test_request q;

	put_structure(f->store);
	for (unsigned merged = 0; merged < 2; merged++) {
		struct str body;
		size_t at;

		test_request_init(&q, f->store);
		q.request.sender = &x;
		assert_ok_err(tempo_trace_v2(&q.request, &q.reply, &q.e), &q.e);
		body = buf_str(&q.reply.body);
		assert_has(body, link);
		at = str_find_str(body, STR("pyroscope.profile.id"));
		assert_int_equal(
			str_find_str(str_from_at(body, at + 1), STR("pyroscope.profile.id")),
			body.n - at - 1);
		test_request_fini(&q);
		merge_blocks(f);
	}
}

static void answers_that_run_out_of_memory_leak_nothing(void **state)
{
	static api_answer *const answers[] = {tempo_tag_names, tempo_tag_names_v2,
					      tempo_query_instant, tempo_search_traces};
	struct fixture *f = *state;

	put_json(f, traces, STR(""));
	merge_blocks(f);
	for (size_t i = 0; i < 2 * countof(answers); i++)
		for (size_t limit = 0; limit < 512 * KIB; limit += 8 * KIB) {
			struct test_request q;

			test_request_init(&q, f->store);
			q.budget.limit = limit;
			q.request.query = answers[i / 2] == tempo_query_instant
						  ? STR("q=%7B%7D%7Ccompare(%7Bstatus%3Derror%7D)"
							"&start=1700000000&end=1700000010")
					  : i & 1 ? STR("q=%7Bspan.code%3D500%7D")
						  : STR("");
			assert_true(answers[i / 2](&q.request, &q.reply, &q.e) <= 0);
			test_request_fini(&q); /* checks that nothing is charged any more */
		}
}

#define with_store(name) cmocka_unit_test_setup_teardown(name, traces_setup, traces_teardown)

TEST_MAIN(with_store(names_and_values_are_listed), with_store(tenants_see_their_own_values),
	  with_store(bad_tags_are_refused), with_store(filters_are_read_leniently),
	  with_store(calls_by_grpc_have_the_same_answers), with_store(groups_are_compared),
	  with_store(samples_of_a_search_are_selected),
	  with_store(a_search_with_too_many_spans_gives_a_warning),
	  with_store(traces_link_to_profiles),
	  with_store(answers_that_run_out_of_memory_leak_nothing))

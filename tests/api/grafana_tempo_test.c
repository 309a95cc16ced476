/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The requests of Grafana's data source for Tempo and of Traces Drilldown, with the parameters and
 * queries that their source code makes: search, query builder, metrics, outlier comparison.
 */
#include "traces_data.h"

#include "api/tempo/tempo.h"

#define RANGE "&start=1700000000&end=1700000060"

static int fill(void **state)
{
	int rc = traces_setup(state);

	if (!rc)
		put_json(*state, traces, STR(""));
	return rc;
}

/* Append the parameter with its value escaped. */
static void put_param(struct buf *out, const char *name, const char *value)
{
	buf_printf(out, "%s=", name);
	for (; *value; value++)
		buf_printf(out, "%%%02x", (unsigned)(uint8_t)*value);
}

/* Answer q=QUERY and the other parameters, and check what the answer has. */
static void assert_query(void **state, api_answer *answer, const char *query, const char *others,
			 const char *expected)
{
	struct fixture *f = *state;
	struct buf params = {0};
	struct test_request q;

	put_param(&params, "q", query);
	buf_put_str(&params, str_from(others));
	buf_put_char(&params, 0);
	test_request_init(&q, f->store);
	assert_ok_err(request_page(&q, answer, params.p), &q.e);
	assert_has(buf_str(&q.reply.body), expected);
	test_request_fini(&q);
	buf_fini(&params);
}

static void the_search_tab_finds_traces(void **state)
{
	assert_query(state, tempo_search_traces,
		     "{resource.service.name=\"shop\" && name=~\"GET /|SELECT\" && duration>10ms}",
		     "&limit=20&spss=3" RANGE, "\"matched\":2");
	assert_query(state, tempo_search_traces, "{status=error && span.code=500}",
		     "&limit=20&spss=3" RANGE,
		     "{\"key\":\"status\",\"value\":{\"stringValue\":\"error\"}}");
	assert_query(state, tempo_search_traces, "{}", "&limit=20&spss=3&start=1&end=2",
		     "{\"traces\":[],");
}

static void the_builder_completes_tags_and_values(void **state)
{
	struct fixture *f = *state;
	struct test_request q;

	test_request_init(&q, f->store);
	assert_ok_err(request_page(&q, tempo_tag_names_v2, "limit=5000"), &q.e);
	assert_has(buf_str(&q.reply.body), "{\"name\":\"resource\",\"tags\":[\"code\",\"host\","
					   "\"service.name\"]}");
	assert_has(buf_str(&q.reply.body), "{\"name\":\"intrinsic\",\"tags\":[\"duration\",");
	test_request_fini(&q);
	/* the tag is escaped twice, and q has the other filters */
	for (unsigned typed = 0; typed < 2; typed++) {
		const struct http_exchange x = {
			.path = STR("/api/v2/search/tag/resource.service%2Ename/values")};

		test_request_init(&q, f->store);
		q.request.sender = &x;
		q.request.query =
			typed ? STR("q=%7Bspan.code%3D500%20%26%26%20name%3D%7D&limit=5000")
			      : STR("limit=5000");
		assert_ok_err(tempo_tag_values_v2(&q.request, &q.reply, &q.e), &q.e);
		assert_has(buf_str(&q.reply.body), "{\"type\":\"string\",\"value\":\"shop\"}");
		test_request_fini(&q);
	}
}

static void metrics_are_answered(void **state)
{
	static const char params[] = RANGE "&step=15s&exemplars=100";

	assert_query(state, tempo_query_range, "{} | rate()", params,
		     "\"samples\":[{\"timestampMs\":\"1699999995000\"");
	assert_query(state, tempo_query_range, "{} | quantile_over_time(duration, 0.9, 0.5)",
		     params, "{\"key\":\"p\",\"value\":{\"doubleValue\":0.9}}");
	assert_query(state, tempo_query_instant, "{status=error} | count_over_time() by (name)",
		     RANGE, "\"value\":1}");
}

#define F "true && nestedSetParent<0"

static void drilldown_asks_for_panels(void **state)
{
	static const char params[] = RANGE "&step=15s";

	assert_query(state, tempo_query_range, "{} | rate()", params, "\"series\":[{");
	assert_query(state, tempo_query_range,
		     "{" F " && resource.service.name != nil} | rate() by(resource.service.name) "
		     "with(sample=true)",
		     params,
		     "{\"key\":\"resource.service.name\",\"value\":{\"stringValue\":\"shop\"}}");
	assert_query(state, tempo_query_range, "{" F " && status=error} | rate()", params,
		     "\"value\":0.066");
	assert_query(state, tempo_query_range,
		     "{" F "} | histogram_over_time(duration) with(sample=true)", params,
		     "\"__bucket\"");
	assert_query(state, tempo_query_range,
		     "{" F " && name != nil} | quantile_over_time(duration, 0.9) by(name)", params,
		     "{\"key\":\"name\",\"value\":{\"stringValue\":\"GET /\"}}");
	assert_query(state, tempo_query_range, "{" F "} | compare({status = error})",
		     RANGE "&step=60s",
		     "{\"stringValue\":\"selection\"}},{\"key\":\"resource.host\",");
}

static void drilldown_asks_for_spans(void **state)
{
	assert_query(state, tempo_search_traces,
		     "({" F "} &>> { kind = client }) || ({" F "}) | select(status, "
		     "resource.service.name, name, nestedSetParent, nestedSetLeft, nestedSetRight)",
		     "&limit=200&spss=20" RANGE,
		     "{\"key\":\"nestedSetParent\",\"value\":{\"intValue\":\"-1\"}}");
	assert_query(state, tempo_search_traces,
		     "{" F " && status = error} | select(resource.service.name, "
		     "event.exception.message,event.exception.stacktrace,event.exception.type) "
		     "with(most_recent=true)",
		     "&limit=400&spss=10" RANGE, "\"traceID\":\"11\"");
}

#define with_traces(name) cmocka_unit_test_setup_teardown(name, fill, traces_teardown)

TEST_MAIN(with_traces(the_search_tab_finds_traces),
	  with_traces(the_builder_completes_tags_and_values), with_traces(metrics_are_answered),
	  with_traces(drilldown_asks_for_panels), with_traces(drilldown_asks_for_spans))

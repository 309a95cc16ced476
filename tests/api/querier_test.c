/* SPDX-License-Identifier: Apache-2.0 */
/* The querier.v1 API of Pyroscope and its /render pages, called in JSON without a socket. */
#include "api_test.h"

#include "api/pyroscope/render.h"
#include "format/format.h"

#define RANGE "\"start\":" T0_MS ",\"end\":" T1_MS
#define SHOP                                                                                       \
	"\"profileTypeID\":\"" CPU "\",\"labelSelector\":\"{service_name=\\\"shop\\\"}\"," RANGE

static void profile_types_are_listed(void **state)
{
	static const char all[] =
		"{\"profileTypes\":[{\"ID\":\"" HEAP "\",\"name\":\"memory\",\"sampleType\":"
		"\"inuse_space\",\"sampleUnit\":\"bytes\",\"periodType\":\"space\",\"periodUnit\":"
		"\"bytes\"},{\"ID\":\"" CPU "\",\"name\":\"process_cpu\",\"sampleType\":\"cpu\","
		"\"sampleUnit\":\"nanoseconds\",\"periodType\":\"cpu\",\"periodUnit\":"
		"\"nanoseconds\"}]}";

	assert_rpc(*state, "ProfileTypes", "{" RANGE "}", all);
	assert_rpc(*state, "ProfileTypes", "{}", all); /* the request of a health check */
	assert_rpc(*state, "ProfileTypes", "{\"start\":\"1000\",\"end\":\"4000\"}", "{}");
	assert_rpc(*state, "ProfileTypes", "{\"start\":-2,\"end\":-1}", "{}");
}

static void labels_and_their_values_are_listed(void **state)
{
	struct test_request q;

	assert_rpc(*state, "LabelNames",
		   "{" RANGE ",\"matchers\":[\"{service_name=\\\"shop\\\"}\"]}",
		   "{\"names\":[\"__name__\",\"__period_type__\",\"__period_unit__\","
		   "\"__profile_type__\",\"__service_name__\",\"__type__\",\"__unit__\",\"env\","
		   "\"service_name\"]}");
	/* Names with dots are returned only to clients that support them. */
	test_request_init(&q, *state);
	q.request.utf8_labels = true;
	assert_ok(request_rpc(&q, "LabelNames", "{" RANGE "}"));
	assert_has(buf_str(&q.json), "k8s.pod");
	test_request_fini(&q);
	assert_rpc(*state, "LabelValues", "{\"name\":\"env\"," RANGE "}",
		   "{\"names\":[\"dev\",\"prod\"]}");
	assert_rpc(*state, "LabelValues", "{\"name\":\"nothing\"," RANGE "}", "{}");
	assert_rpc_fails(*state, "LabelValues", "{" RANGE "}", -EINVAL, "name is required");
	assert_rpc_fails(*state, "LabelValues",
			 "{\"name\":\"env\",\"matchers\":[\"!bad_syntax!\"]," RANGE "}", -EINVAL,
			 "label selector");
}

static void series_are_sets_of_the_requested_labels(void **state)
{
	assert_rpc(*state, "Series", "{\"labelNames\":[\"service_name\",\"env\"]," RANGE "}",
		   "{\"labelsSet\":["
		   "{\"labels\":[{\"name\":\"env\",\"value\":\"dev\"},{\"name\":\"service_name\","
		   "\"value\":\"shop\"}]},"
		   "{\"labels\":[{\"name\":\"env\",\"value\":\"prod\"},{\"name\":\"service_name\","
		   "\"value\":\"cart\"}]},"
		   "{\"labels\":[{\"name\":\"env\",\"value\":\"prod\"},{\"name\":\"service_name\","
		   "\"value\":\"shop\"}]}]}");
}

static void stacks_merge_into_a_flame_graph(void **state)
{
	assert_rpc(*state, "SelectMergeStacktraces", "{" SHOP "}",
		   "{\"flamegraph\":{\"names\":[\"total\",\"main\",\"c\",\"d\",\"b\",\"a\"],"
		   "\"levels\":[{\"values\":[\"0\",\"33\",\"0\",\"0\"]},"
		   "{\"values\":[\"0\",\"33\",\"0\",\"1\"]},"
		   "{\"values\":[\"0\",\"11\",\"11\",\"5\",\"0\",\"20\",\"20\",\"4\",\"0\",\"2\","
		   "\"0\",\"2\"]},{\"values\":[\"31\",\"2\",\"2\",\"3\"]}],"
		   "\"total\":\"33\",\"maxSelf\":\"20\"}}");
	/* without data: a root alone, as Grafana expects */
	assert_rpc(*state, "SelectMergeStacktraces",
		   "{\"profileTypeID\":\"" CPU "\",\"labelSelector\":\"{env=\\\"none\\\"}\"," RANGE
		   "}",
		   "{\"flamegraph\":{\"names\":[\"total\"],\"levels\":[{\"values\":[\"0\",\"0\","
		   "\"0\",\"0\"]}]}}");
	/* heap in use is a mean over time */
	assert_rpc(*state, "SelectMergeStacktraces",
		   "{\"profileTypeID\":\"" HEAP "\",\"labelSelector\":\"{}\"," RANGE "}",
		   "{\"flamegraph\":{\"names\":[\"total\",\"main\",\"alloc\"],\"levels\":["
		   "{\"values\":[\"0\",\"200\",\"0\",\"0\"]},{\"values\":[\"0\",\"200\",\"0\","
		   "\"1\"]},{\"values\":[\"0\",\"200\",\"200\",\"2\"]}],\"total\":\"200\","
		   "\"maxSelf\":\"200\"}}");
}

static void stacks_can_be_selected_by_span_trace_profile_and_caller(void **state)
{
	static const char only_a[] =
		"{\"flamegraph\":{\"names\":[\"total\",\"main\",\"a\"],\"levels\":["
		"{\"values\":[\"0\",\"10\",\"0\",\"0\"]},{\"values\":[\"0\",\"10\",\"0\",\"1\"]},"
		"{\"values\":[\"0\",\"10\",\"10\",\"2\"]}],\"total\":\"10\",\"maxSelf\":\"10\"}}";
	static const char both_a[] =
		"{\"flamegraph\":{\"names\":[\"total\",\"main\",\"a\"],\"levels\":["
		"{\"values\":[\"0\",\"11\",\"0\",\"0\"]},{\"values\":[\"0\",\"11\",\"0\",\"1\"]},"
		"{\"values\":[\"0\",\"11\",\"11\",\"2\"]}],\"total\":\"11\",\"maxSelf\":\"11\"}}";

	assert_rpc(*state, "SelectMergeSpanProfile",
		   "{" SHOP ",\"spanSelector\":[\"000000000000001a\"]}", only_a);
	assert_rpc(*state, "SelectMergeStacktraces",
		   "{" SHOP ",\"traceIdSelector\":[\"00000000000000000000000000000001\"]}", only_a);
	assert_rpc(*state, "SelectMergeStacktraces",
		   "{" SHOP ",\"stackTraceSelector\":{\"callSite\":[{\"name\":\"main\"},{\"name\":"
		   "\"a\"}]}}",
		   both_a);
	assert_rpc(*state, "SelectMergeStacktraces",
		   "{" SHOP ",\"spanSelector\":[\"000000000000001a\"],\"profileIdSelector\":"
		   "[\"30313233-3435-3637-3839-616263646566\"]}",
		   only_a);
	assert_rpc_fails(*state, "SelectMergeStacktraces", "{" SHOP ",\"spanSelector\":[\"0a\"]}",
			 -EINVAL, "16 hex digits");
	assert_rpc_fails(*state, "SelectMergeStacktraces",
			 "{" SHOP ",\"spanSelector\":[\"000000000000001a\"],\"traceIdSelector\":"
			 "[\"00000000000000000000000000000001\"]}",
			 -EINVAL, "exclude each other");
}

static void errors_describe_missing_and_invalid_fields(void **state)
{
	static const struct {
		const char *body, *says;
	} bad[] = {
		{"{\"labelSelector\":\"{}\"," RANGE "}", "profile-type selection"},
		{"{\"profileTypeID\":\"cpu\",\"labelSelector\":\"{}\"," RANGE "}",
		 "profile-type selection"},
		{"{\"profileTypeID\":\"" CPU "\"," RANGE "}", "label selector"},
		{"{\"profileTypeID\":\"" CPU "\",\"labelSelector\":\"!bad\"," RANGE "}",
		 "label selector"},
		{"{\"profileTypeID\":\"" CPU "\",\"labelSelector\":\"{}\"}", "missing time range"},
		{"{\"profileTypeID\":\"" CPU "\",\"labelSelector\":\"{}\",\"start\":2,\"end\":1}",
		 "after end"},
		{"{" SHOP ",\"maxNodes\":-1}", "max nodes"},
		{"{" SHOP ",\"maxNodes\":1048577}", "max nodes"},
	};

	for (size_t i = 0; i < countof(bad); i++)
		assert_rpc_fails(*state, "SelectMergeStacktraces", bad[i].body, -EINVAL,
				 bad[i].says);
	assert_rpc_fails(*state, "SelectSeries", "{" SHOP "}", -EINVAL, "step");
	assert_rpc_fails(*state, "SelectSeries", "{" SHOP ",\"step\":15,\"exemplarType\":3}",
			 -EOPNOTSUPP, "span exemplars");
}

/*
 * With Pyroscope's default of 8,192 nodes most of a heavy-tailed day would become "other". An
 * explicit limit is applied.
 */
static void by_default_little_is_cut(void **state)
{
	static const struct {
		const char *option;
		bool cut;
	} cases[] = {{"", false}, {",\"maxNodes\":8192", true}};
	struct fill fill = {.type = CPU, .labels = "service_name=wide", .time = T0 * S};
	struct buf samples = {0};

	for (unsigned i = 0; i < 20000; i++)
		buf_printf(&samples, "%smain;f%u %u", i ? ", " : "", i, i + 1);
	buf_put_char(&samples, '\0');
	fill.samples = samples.p;
	assert_ok(store_fill(*state, &fill, NULL));
	for (size_t i = 0; i < countof(cases); i++) {
		struct test_request q;
		char body[300];

		snprintf(body, sizeof(body),
			 "{\"profileTypeID\":\"" CPU "\",\"labelSelector\":"
			 "\"{service_name=wide}\",\"start\":" T0_MS ",\"end\":" T1_MS "%s}",
			 cases[i].option);
		test_request_init(&q, *state);
		assert_ok_err(request_rpc(&q, "SelectMergeStacktraces", body), &q.e);
		assert_int_equal(str_find_str(buf_str(&q.json), STR("\"other\"")) < q.json.n,
				 cases[i].cut);
		test_request_fini(&q);
	}
	buf_fini(&samples);
}

static void other_formats_have_the_same_contents(void **state)
{
	struct test_request q;

	assert_rpc(*state, "SelectMergeStacktraces",
		   "{" SHOP ",\"format\":\"PROFILE_FORMAT_TREE\"}",
		   /* root with main; main with a 11, b 20, c; c with d 2 */
		   "{\"tree\":\"AAABBG1haW4AAwFjAAEBZAIAAWIUAAFhCwA=\"}");
	test_request_init(&q, *state);
	assert_ok_err(request_rpc(&q, "SelectMergeStacktraces", "{" SHOP ",\"format\":3}"), &q.e);
	assert_has(buf_str(&q.json), "digraph");
	assert_has(buf_str(&q.json), "-> N");
	test_request_fini(&q);
	test_request_init(&q, *state);
	assert_ok_err(request_rpc(&q, "SelectMergeStacktraces", "{" SHOP ",\"format\":4}"), &q.e);
	assert_has(buf_str(&q.json), "\"pprof\":{\"profile\":{\"sampleType\"");
	test_request_fini(&q);
}

/* Decode the response as a batch, which borrows from `q`. */
static void query_profile(struct test_request *q, struct store *store, const char *body,
			  struct profile_batch *batch)
{
	test_request_init(q, store);
	assert_ok_err(request_rpc(q, "SelectMergeProfile", body), &q->e);
	assert_ok(profile_batch_init(batch, NULL));
	assert_ok_err(format_decode(batch, buf_str(&q->reply.body), NULL, STR(""),
				    &(struct decode_options){0}, NULL, &q->e),
		      &q->e);
}

static int64_t batch_total(const struct profile_batch *batch)
{
	int64_t total = 0;

	for (uint32_t i = 0; i < batch->sample_count; i++)
		total += sample_total(batch, i);
	return total;
}

static void merged_profiles_are_pprof(void **state)
{
	struct profile_batch batch;
	struct test_request q;

	query_profile(&q, *state, "{" SHOP "}", &batch);
	assert_int_equal(batch_total(&batch), 33);
	assert_int_equal(batch.sample_count, 3);
	assert_int_equal(batch.profiles.at[0].time_unix_nano, T0 * S);
	assert_str_equal(string_of(&batch, batch.profiles.at[0].period_type.type), STR("cpu"));
	profile_batch_fini(&batch);
	test_request_fini(&q);
}

static void stacks_are_trimmed_for_profile_guided_optimization(void **state)
{
	struct profile_batch batch;
	struct test_request q;

	query_profile(&q, *state,
		      "{" SHOP ",\"stackTraceSelector\":{\"goPgo\":{\"keepLocations\":1,"
		      "\"aggregateCallees\":true}}}",
		      &batch);
	assert_int_equal(batch_total(&batch), 33);
	assert_int_equal(batch.sample_count, 3); /* a, b, d */
	for (uint32_t i = 0; i < batch.sample_count; i++)
		assert_int_equal(batch.stacks.at[batch.sample_stack[i]].n, 1);
	profile_batch_fini(&batch);
	test_request_fini(&q);
}

static void series_have_points_by_step(void **state)
{
	assert_rpc(*state, "SelectSeries", "{" SHOP ",\"step\":15}",
		   "{\"series\":[{\"points\":[{\"value\":30,\"timestamp\":\"" T0_MS "\"},"
		   "{\"value\":3,\"timestamp\":\"1700000015000\"}]}]}");
	assert_rpc(*state, "SelectSeries",
		   "{" SHOP ",\"step\":1000,\"groupBy\":[\"env\"],\"limit\":1}",
		   "{\"series\":[{\"labels\":[{\"name\":\"env\",\"value\":\"prod\"}],\"points\":"
		   "[{\"value\":30,\"timestamp\":\"" T0_MS "\"}]}]}");
	assert_rpc(*state, "SelectSeries",
		   "{\"profileTypeID\":\"" CPU "\",\"labelSelector\":\"{env=\\\"prod\\\","
		   "service_name=\\\"shop\\\"}\"," RANGE
		   ",\"step\":60,\"groupBy\":[\"env\"],\"exemplarType\":"
		   "\"EXEMPLAR_TYPE_INDIVIDUAL\",\"stackTraceSelector\":{}}",
		   "{\"series\":[{\"labels\":[{\"name\":\"env\",\"value\":\"prod\"}],\"points\":"
		   "[{\"value\":30,\"timestamp\":\"" T0_MS "\",\"exemplars\":[{\"timestamp\":"
		   "\"" T0_MS "\",\"profileId\":\"30313233-3435-3637-3839-616263646566\","
		   "\"value\":\"30\",\"labels\":["
		   "{\"name\":\"__name__\",\"value\":\"process_cpu\"},"
		   "{\"name\":\"__period_type__\",\"value\":\"cpu\"},"
		   "{\"name\":\"__period_unit__\",\"value\":\"nanoseconds\"},"
		   "{\"name\":\"__profile_type__\",\"value\":\"" CPU "\"},"
		   "{\"name\":\"__service_name__\",\"value\":\"shop\"},"
		   "{\"name\":\"__type__\",\"value\":\"cpu\"},"
		   "{\"name\":\"__unit__\",\"value\":\"nanoseconds\"},"
		   "{\"name\":\"k8s.pod\",\"value\":\"p1\"},"
		   "{\"name\":\"service_name\",\"value\":\"shop\"}]}]}]}]}");
	/* restricted to one function */
	assert_rpc(*state, "SelectSeries",
		   "{" SHOP
		   ",\"step\":15,\"stackTraceSelector\":{\"callSite\":[{\"name\":\"main\"},"
		   "{\"name\":\"a\"}]}}",
		   "{\"series\":[{\"points\":[{\"value\":10,\"timestamp\":\"" T0_MS "\"},"
		   "{\"value\":1,\"timestamp\":\"1700000015000\"}]}]}");
}

static void a_profile_without_an_id_can_be_queried(void **state)
{
	struct test_request q;
	struct str id;
	char body[1024];

	test_request_init(&q, *state);
	assert_ok_err(request_rpc(&q, "SelectSeries",
				  "{\"profileTypeID\":\"" CPU
				  "\",\"labelSelector\":\"{env=\\\"dev\\\"}\"," RANGE
				  ",\"step\":60,\"exemplarType\":2}"),
		      &q.e);
	id = str_from_at(buf_str(&q.json),
			 str_find_str(buf_str(&q.json), STR("profileId\":\"")) + 12);
	assert_int_equal(id.p[14], '8'); /* a UUID generated by the server */
	snprintf(body, sizeof(body), "{" SHOP ",\"profileIdSelector\":[\"%.36s\"]}", id.p);
	assert_rpc(*state, "SelectMergeStacktraces", body,
		   "{\"flamegraph\":{\"names\":[\"total\",\"main\",\"c\",\"d\",\"a\"],\"levels\":["
		   "{\"values\":[\"0\",\"3\",\"0\",\"0\"]},{\"values\":[\"0\",\"3\",\"0\",\"1\"]},"
		   "{\"values\":[\"0\",\"1\",\"1\",\"4\",\"0\",\"2\",\"0\",\"2\"]},"
		   "{\"values\":[\"1\",\"2\",\"2\",\"3\"]}],\"total\":\"3\",\"maxSelf\":\"2\"}}");
	test_request_fini(&q);
}

static void a_result_can_be_fetched_asynchronously(void **state)
{
	static const char tree[] = "AAABBG1haW4AAwFjAAEBZAIAAWIUAAFhCwA=";
	struct test_request q;
	struct str id;
	char body[2048];

	test_request_init(&q, *state);
	assert_ok_err(request_rpc(&q, "SelectMergeStacktraces",
				  "{" SHOP ",\"format\":2,\"async\":{\"type\":"
				  "\"ASYNC_QUERY_TYPE_FORCE\"}}"),
		      &q.e);
	assert_has(buf_str(&q.json), "\"status\":\"ASYNC_QUERY_STATUS_IN_PROGRESS\"");
	id = str_from_at(buf_str(&q.json),
			 str_find_str(buf_str(&q.json), STR("requestId\":\"")) + 12);
	id = str_cut(&id, '"');
	snprintf(body, sizeof(body), "{\"async\":{\"type\":1,\"requestId\":\"%.*s\"}}",
		 STR_ARG(id));
	test_request_fini(&q);
	test_request_init(&q, *state);
	assert_ok_err(request_rpc(&q, "SelectMergeStacktraces", body), &q.e);
	assert_has(buf_str(&q.json), tree);
	assert_has(buf_str(&q.json), "\"status\":\"ASYNC_QUERY_STATUS_SUCCESS\"");
	test_request_fini(&q);
	/* invalid queries fail at once, and so do invalid ids */
	assert_rpc_fails(*state, "SelectMergeStacktraces",
			 "{\"profileTypeID\":\"cpu\",\"async\":{\"type\":1}," RANGE "}", -EINVAL,
			 "profile-type");
	assert_rpc_fails(*state, "SelectMergeStacktraces", "{\"async\":{\"requestId\":\"!\"}}",
			 -EINVAL, "invalid request_id");
	assert_rpc_fails(*state, "SelectMergeStacktraces", "{\"async\":{\"requestId\":\"AAAA\"}}",
			 -EBADMSG, "");
}

static void differences_have_two_columns(void **state)
{
	assert_rpc(*state, "Diff",
		   "{\"left\":{\"profileTypeID\":\"" CPU
		   "\",\"labelSelector\":\"{env=\\\"dev\\\"}\"," RANGE "},\"right\":{" SHOP "}}",
		   "{\"flamegraph\":{\"names\":[\"total\",\"main\",\"c\",\"d\",\"b\",\"a\"],"
		   "\"levels\":[{\"values\":[\"0\",\"3\",\"0\",\"0\",\"33\",\"0\",\"0\"]},"
		   "{\"values\":[\"0\",\"3\",\"0\",\"0\",\"33\",\"0\",\"1\"]},"
		   "{\"values\":[\"0\",\"1\",\"1\",\"0\",\"11\",\"11\",\"5\","
		   "\"0\",\"0\",\"0\",\"0\",\"20\",\"20\",\"4\","
		   "\"0\",\"2\",\"0\",\"0\",\"2\",\"0\",\"2\"]},"
		   "{\"values\":[\"1\",\"2\",\"2\",\"31\",\"2\",\"2\",\"3\"]}],"
		   "\"total\":\"36\",\"maxSelf\":\"20\",\"leftTicks\":\"3\",\"rightTicks\":"
		   "\"33\"}}");
	assert_rpc_fails(*state, "Diff", "{\"left\":{" SHOP "}}", -EINVAL, "left and right");
	assert_rpc_fails(*state, "Diff",
			 "{\"left\":{" SHOP "},\"right\":{\"profileTypeID\":\"" HEAP
			 "\",\"labelSelector\":\"{}\"," RANGE "}}",
			 -EINVAL, "must match");
}

static void heatmaps_stats_and_analysis_are_returned(void **state)
{
	struct test_request q;

	test_request_init(&q, *state);
	assert_ok_err(request_rpc(&q, "SelectHeatmap",
				  "{" SHOP ",\"step\":60,\"queryType\":2,\"exemplarType\":3}"),
		      &q.e);
	assert_has(buf_str(&q.json), "\"spanId\":\"000000000000001a\"");
	test_request_fini(&q);
	assert_rpc(*state, "GetProfileStats", "{}",
		   "{\"dataIngested\":true,\"oldestProfileTime\":\"" T0_MS
		   "\",\"newestProfileTime\":\"1700000030000\"}");
	assert_rpc(*state, "AnalyzeQuery",
		   "{" RANGE ",\"query\":\"" CPU "{service_name=\\\"shop\\\"}\"}",
		   "{\"queryImpact\":{\"totalQueriedSeries\":\"2\"}}");
}

static void requests_that_are_not_protobuf_are_refused(void **state)
{
	for (size_t i = 0; i < querier_rpc_count; i++) {
		struct test_request q;
		struct err e = {0};
		int rc;

		test_request_init(&q, *state);
		q.request.body = STR("\x0a\xff");
		rc = querier_rpcs[i].answer(&q.request, &q.reply, &e);
		if (!str_eq(querier_rpcs[i].name, STR("GetProfileStats")) && rc != -EBADMSG)
			fail_msg("%.*s: %d %s", STR_ARG(querier_rpcs[i].name), rc, e.text);
		test_request_fini(&q);
	}
}

/* Times in the URL are relative to the minute after the data. */
#define RENDER "query=process_cpu:cpu:nanoseconds:cpu:nanoseconds%7Bservice_name%3D%22shop%22%7D"

static void pages_are_rendered(void **state)
{
	assert_page(*state, render_profile, RENDER "&from=now-1m&until=now",
		    "{\"version\":1,\"flamebearer\":{\"names\":[\"total\",\"main\",\"c\",\"d\","
		    "\"b\",\"a\"],\"levels\":[[0,33,0,0],[0,33,0,1],[0,11,11,5,0,20,20,4,0,2,0,2],"
		    "[31,2,2,3]],\"numTicks\":33,\"maxSelf\":20},\"metadata\":{\"format\":"
		    "\"single\",\"spyName\":\"\",\"sampleRate\":1000000000,\"units\":\"samples\","
		    "\"name\":\"cpu\"},\"timeline\":{\"startTime\":1699999995,\"samples\":"
		    "[30,3,0,0],\"durationDelta\":15,\"watermarks\":null},\"groups\":null,"
		    "\"heatmap\":null}");
	assert_page(*state, render_label_values, "label=__name__", "[\"" HEAP "\",\"" CPU "\"]");
	assert_page_fails(*state, render_profile, "from=now-1m", -EINVAL, "required");
	assert_page_fails(*state, render_profile, "query=bad_query&from=now-1m", -EINVAL,
			  "profile-type");
	assert_page_fails(*state, render_profile, "query=%7Ba%3D%22b%22%7D&from=now-1m", -EINVAL,
			  "profile-type");
	assert_page_fails(*state, render_profile, RENDER "&from=0&until=now", -EINVAL,
			  "missing time range");
}

static void differences_are_rendered(void **state)
{
	assert_page(*state, render_diff,
		    "leftQuery=" HEAP "%7B%7D&leftFrom=now-1m&leftUntil=now-50s"
		    "&rightQuery=" HEAP "%7B%7D&rightFrom=now-50s&rightUntil=now",
		    "{\"version\":1,\"flamebearer\":{\"names\":[\"total\",\"main\",\"alloc\"],"
		    "\"levels\":[[0,100,0,0,300,0,0],[0,100,0,0,300,0,1],[0,100,100,0,300,300,2]],"
		    "\"numTicks\":400,\"maxSelf\":300},\"metadata\":{\"format\":\"double\","
		    "\"spyName\":\"\",\"sampleRate\":100,\"units\":\"bytes\",\"name\":"
		    "\"inuse_space\"},\"timeline\":null,\"groups\":null,\"heatmap\":null,"
		    "\"leftTicks\":100,\"rightTicks\":300}");
}

#define with_shop(name) cmocka_unit_test_setup_teardown(name, shop_setup, shop_teardown)

TEST_MAIN(with_shop(profile_types_are_listed), with_shop(labels_and_their_values_are_listed),
	  with_shop(series_are_sets_of_the_requested_labels),
	  with_shop(stacks_merge_into_a_flame_graph),
	  with_shop(stacks_can_be_selected_by_span_trace_profile_and_caller),
	  with_shop(errors_describe_missing_and_invalid_fields),
	  with_shop(other_formats_have_the_same_contents), with_shop(by_default_little_is_cut),
	  with_shop(merged_profiles_are_pprof),
	  with_shop(stacks_are_trimmed_for_profile_guided_optimization),
	  with_shop(series_have_points_by_step), with_shop(a_profile_without_an_id_can_be_queried),
	  with_shop(a_result_can_be_fetched_asynchronously),
	  with_shop(differences_have_two_columns),
	  with_shop(heatmaps_stats_and_analysis_are_returned),
	  with_shop(requests_that_are_not_protobuf_are_refused), with_shop(pages_are_rendered),
	  with_shop(differences_are_rendered))

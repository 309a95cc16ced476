/* SPDX-License-Identifier: Apache-2.0 */
/* The API below /api/v1: its responses, and that they conform to docs/openapi.json. */
#include "api_test.h"

#include <arpa/inet.h>

#include "api/endpoint.h"
#include "api/varve/varve.h"
#include "format/format.h"
#include "openapi.h"
#include "query/tree/tree.h"
#include "test/span_fill.h"

/* Call the endpoint of a path. */
static int request_path(struct test_request *q, const char *path, const char *query)
{
	const struct endpoint *at = varve_endpoints;

	while (!str_eq(at->path, str_from(path)))
		at++;
	return request_page(q, at->answer, query);
}

static void assert_response(struct store *s, const char *path, const char *query,
			    const char *expected)
{
	struct openapi o;
	struct test_request q;

	test_request_init(&q, s);
	assert_ok_err(request_path(&q, path, query), &q.e);
	openapi_open(&o);
	openapi_check_answer(&o, str_from(path),
			     str_eq(str_from(path), STR("/api/v1/data")) ? "delete" : "get", "200",
			     buf_str(&q.reply.body));
	openapi_close(&o);
	if (expected)
		assert_has(buf_str(&q.reply.body), expected);
	test_request_fini(&q);
}

static void assert_refused(struct store *s, const char *path, const char *query, int rc,
			   const char *says)
{
	struct test_request q;

	test_request_init(&q, s);
	assert_int_equal(request_path(&q, path, query), rc);
	assert_err_says(&q.e, says);
	test_request_fini(&q);
}

#define SHOP "query=shop"

static void services_types_and_labels_are_listed(void **state)
{
	assert_response(*state, "/api/v1/services", "",
			"{\"services\":[{\"name\":\"cart\",\"types\":[\"" CPU
			"\"]},{\"name\":\"shop\",\"types\":[\"" HEAP "\",\"" CPU "\"]}],"
			"\"others\":true}");
	assert_response(*state, "/api/v1/types", "query=cart",
			"{\"types\":[{\"id\":\"" CPU "\",\"name\":\"process_cpu\"");
	assert_response(*state, "/api/v1/types", SHOP, "\"gauge\":true");
	assert_response(*state, "/api/v1/labels", "", "\"k8s.pod\"");
	assert_response(*state, "/api/v1/label-values", "name=env",
			"{\"name\":\"env\",\"values\":[\"dev\",\"prod\"]}");
	assert_response(*state, "/api/v1/label-sets", "name=env&name=nothing",
			"{\"sets\":[{\"env\":\"dev\"},{\"env\":\"prod\"}]}");
	assert_response(*state, "/api/v1/stats", "", "\"profiles\":5,\"samples\":7,\"series\":4");
	assert_response(*state, "/api/v1/status", "", "\"name\":\"varve\"");
	assert_response(*state, "/api/v1/profiles", SHOP "&type=cpu&limit=1",
			"\"count\":2,\"profiles\":[{\"id\":");
	assert_response(*state, "/api/v1/services", "to=20200101",
			"{\"services\":[],\"others\":true}");
}

/*
 * Each response with data of the store lists the damaged days that it does not include, as
 * documented.
 */
static void responses_list_damaged_days(void **state)
{
	static const struct {
		const char *path, *query;
	} cases[] = {
		{"/api/v1/services", ""},
		{"/api/v1/types", ""},
		{"/api/v1/labels", ""},
		{"/api/v1/label-values", "name=env"},
		{"/api/v1/label-sets", "name=env"},
		{"/api/v1/profiles", SHOP},
		{"/api/v1/top", SHOP},
		{"/api/v1/tree", SHOP},
		{"/api/v1/flame", SHOP},
		{"/api/v1/callers", SHOP "&function=a"},
		{"/api/v1/findings", SHOP},
		{"/api/v1/diff", "before=shop&after=shop"},
		{"/api/v1/sums", SHOP "&search=a"},
		{"/api/v1/series", SHOP},
		{"/api/v1/heatmap", SHOP},
		{"/api/v1/span", SHOP "&span=000000000000001a"},
		{"/api/v1/trace", "trace=00000000000000000000000000000002"},
		{"/api/v1/spans", SHOP},
		{"/api/v1/moments", SHOP},
		{"/api/v1/data", "query=nobody&before=now"},
	};

	for (size_t i = 0; i < countof(cases); i++) {
		struct store_missing missing = {
			.n = 2, .more = true, .days = {T0 * S, (T0 + 86400) * S}};
		struct openapi o;
		struct test_request q;

		test_request_init(&q, *state);
		q.request.limits.missing = &missing;
		assert_ok_err(request_path(&q, cases[i].path, cases[i].query), &q.e);
		openapi_open(&o);
		openapi_check_answer(&o, str_from(cases[i].path),
				     str_eq(str_from(cases[i].path), STR("/api/v1/data")) ? "delete"
											  : "get",
				     "200", buf_str(&q.reply.body));
		openapi_close(&o);
		assert_has(buf_str(&q.reply.body),
			   "{\"warnings\":[\"the data of these days is damaged and not included: "
			   "2023-11-14, 2023-11-15 and more\"]");
		test_request_fini(&q);
	}
}

/*
 * Functions of the same name in two programs are distinct; in two builds of one program they are
 * the same.
 */
static void functions_of_different_modules_are_distinguished(void **state)
{
	static const struct fill rows[] = {
		{.type = CPU,
		 .labels = "service_name=pair,env=x",
		 .time = T0 * S,
		 .samples = "main;work|/opt/v1/api;x 10"},
		{.type = CPU,
		 .labels = "service_name=pair,env=y",
		 .time = (T0 + 1) * S,
		 .samples = "main;work|/opt/v2/api;x 20, main;work|/opt/worker;y 7"},
	};
	struct store *s;

	(void)state;
	assert_ok(memory_store_open(&s));
	for (size_t i = 0; i < countof(rows); i++)
		assert_ok(store_fill(s, &rows[i], NULL));
	assert_response(s, "/api/v1/flame", "",
			"\"names\":[\"main\",\"work\",\"x\",\"work\",\"y\"]");
	assert_response(s, "/api/v1/flame", "", "\"total\":[37,37,30,30,7,7]");
	assert_response(s, "/api/v1/flame", "path=main&path=work%09worker",
			"\"path\":[\"main\",\"work\\tworker\"]");
	assert_response(s, "/api/v1/flame", "path=main&path=work%09worker", "\"total\":[7,7]");
	assert_response(s, "/api/v1/flame", "path=main&path=work", "\"total\":[30,30]");
	assert_response(s, "/api/v1/flame", "function=work%09worker", "\"kept\":7,");
	assert_response(s, "/api/v1/top", "sort=total",
			"{\"name\":\"work\",\"file\":\"\",\"module\":\"/opt/worker\",\"line\":0,"
			"\"self\":0,\"total\":7}");
	assert_response(s, "/api/v1/callers", "function=work%09worker",
			"\"function_self\":0,\"function_total\":7,");
	assert_response(s, "/api/v1/callers", "function=work",
			"\"function_self\":0,\"function_total\":37,");
	assert_response(s, "/api/v1/diff", "before=pair{env=\"x\"}&after=pair{env=\"y\"}",
			"\"changes\":{\"same\":0,\"grew\":3,\"shrank\":0,\"new\":2,\"gone\":0}");
	/* Pyroscope's trees identify functions by name only. */
	assert_rpc(
		s, "SelectMergeStacktraces",
		"{\"profileTypeID\":\"" CPU "\",\"labelSelector\":\"{}\",\"start\":\"" T0_MS
		"\",\"end\":\"" T1_MS "\"}",
		"{\"flamegraph\":{\"names\":[\"total\",\"main\",\"work\",\"y\",\"x\"],\"levels\":["
		"{\"values\":[\"0\",\"37\",\"0\",\"0\"]},{\"values\":[\"0\",\"37\",\"0\",\"1\"]},"
		"{\"values\":[\"0\",\"37\",\"0\",\"2\"]},{\"values\":[\"0\",\"30\",\"30\",\"4\","
		"\"0\",\"7\",\"7\",\"3\"]}],\"total\":\"37\",\"maxSelf\":\"30\"}}");
	s->ops->close(s);
}

/*
 * The sums include nodes that a client with a part of the tree does not have; nested matches count
 * once.
 */
static void searches_are_summed_over_the_whole_tree(void **state)
{
	static const struct fill rows[] = {
		{.type = CPU,
		 .labels = "service_name=sums,env=x",
		 .time = T0 * S,
		 .samples = "main;http.Serve;json.Parse;json.Parse 10, main;http.Serve 5, "
			    "main;gc 7, main;a.b+c 1"},
		{.type = CPU,
		 .labels = "service_name=sums,env=y",
		 .time = (T0 + 1) * S,
		 .samples = "main;http.Serve;json.Parse 3, main;http.Close 2"},
	};
	struct store *s;

	(void)state;
	assert_ok(memory_store_open(&s));
	for (size_t i = 0; i < countof(rows); i++)
		assert_ok(store_fill(s, &rows[i], NULL));
	assert_response(s, "/api/v1/sums", "search=JSON",
			"\"path\":[],\"total\":28,\"match\":{\"frames\":2,\"total\":13}}");
	assert_response(s, "/api/v1/sums", "expression=^(json|http)\\.",
			"\"match\":{\"frames\":4,\"total\":20}}");
	assert_response(s, "/api/v1/sums", "search=a.b%2Bc",
			"\"match\":{\"frames\":1,\"total\":1}}");
	assert_response(s, "/api/v1/sums", "search=.*", "\"match\":{\"frames\":0,\"total\":0}}");
	assert_response(s, "/api/v1/sums", "search=main", "\"match\":{\"frames\":1,\"total\":28}}");
	assert_response(s, "/api/v1/sums", "search=json&path=main&path=http.Serve",
			"\"path\":[\"main\",\"http.Serve\"],\"total\":18,\"match\":{\"frames\":2,"
			"\"total\":13}}");
	assert_response(s, "/api/v1/sums",
			"before=sums{env=\"x\"}&after=sums{env=\"y\"}&search=json",
			"\"total\":5,\"before_total\":23,\"match\":{\"frames\":2,\"total\":3,"
			"\"before_total\":10}}");
	/* grouped by the qualifier of the function: json., (none), http., a. */
	assert_response(s, "/api/v1/sums", "places=1",
			"\"names\":[\"json.Parse\",\"gc\",\"http.Serve\",\"a.b+c\"]");
	assert_response(s, "/api/v1/sums", "places=1", "\"self\":[13,7,7,1],\"rest\":0}}");
	assert_response(s, "/api/v1/sums", "places=1&path=main&path=http.Serve",
			"\"self\":[13,5],\"rest\":0}}");
	assert_refused(s, "/api/v1/sums", "search=a&expression=b", -EINVAL, "exclude each other");
	assert_refused(s, "/api/v1/sums", "expression=(", -EINVAL, "expression");
	assert_refused(s, "/api/v1/sums", "before=sums&after=sums&places=1", -EINVAL, "places");
	assert_refused(s, "/api/v1/sums", "search=a&path=gone", -ENOENT, "gone");
	s->ops->close(s);
}

/* If a path does not exist any more, `nearest` selects its longest existing prefix. */
static void a_missing_path_falls_back_to_its_nearest_part(void **state)
{
	assert_refused(*state, "/api/v1/flame", SHOP "&type=cpu&path=main&path=gone", -ENOENT,
		       "gone");
	assert_response(*state, "/api/v1/flame",
			SHOP "&type=cpu&nearest=1&path=main&path=c&path=gone&path=d",
			"\"path\":[\"main\",\"c\"]");
	assert_response(*state, "/api/v1/flame", SHOP "&type=cpu&nearest=1&path=gone&path=main",
			"\"path\":[]");
	assert_response(*state, "/api/v1/diff",
			"before=shop&after=shop&flame=1&nearest=1&path=main&path=gone",
			"\"path\":[\"main\"]");
}

static void tables_are_exact(void **state)
{
	assert_response(*state, "/api/v1/top", SHOP "&type=cpu",
			"\"total\":33,\"kept\":33,\"stacks\":3,\"row_count\":5,\"rows\":["
			"{\"name\":\"b\",\"file\":\"\",\"module\":\"\",\"line\":0,\"self\":20,"
			"\"total\":20},"
			"{\"name\":\"a\",\"file\":\"\",\"module\":\"\",\"line\":0,\"self\":11,"
			"\"total\":11},");
	assert_response(*state, "/api/v1/top", SHOP "&sort=total&n=1",
			"\"row_count\":5,\"rows\":[{\"name\":\"main\",\"file\":\"\",\"module\":"
			"\"\",\"line\":0,\"self\":0,\"total\":33}]}");
	/* abbreviated types: a part of the type, or none */
	assert_response(*state, "/api/v1/top", SHOP "&type=inuse_space",
			"\"type\":\"" HEAP "\",\"unit\":\"bytes\",\"gauge\":true");
	assert_response(*state, "/api/v1/top", SHOP "&type=memory", "\"total\":200,");
	assert_response(*state, "/api/v1/top", "query=" HEAP "%7B%7D", "\"total\":200,");
	assert_refused(*state, "/api/v1/top", SHOP "&type=wall", -ENOENT,
		       "available: memory:inuse");
	assert_refused(*state, "/api/v1/top", "query=nobody", -ENOENT,
		       "no data for this selection");
}

static void filters_select_stacks(void **state)
{
	assert_response(*state, "/api/v1/top", SHOP "&function=a", "\"total\":33,\"kept\":11");
	assert_response(*state, "/api/v1/top", SHOP "&call_site=main&call_site=c",
			"\"total\":33,\"kept\":2");
	assert_response(*state, "/api/v1/top", SHOP "&focus=%5E%5Bab%5D%24&ignore=b",
			"\"kept\":11");
	assert_response(*state, "/api/v1/top", SHOP "&hide=main&n=0", "\"row_count\":4");
	assert_response(*state, "/api/v1/top", SHOP "&span=000000000000001a", "\"total\":10,");
	assert_response(*state, "/api/v1/top", SHOP "&trace=00000000000000000000000000000001",
			"\"total\":10,");
	assert_response(*state, "/api/v1/top", SHOP "&profile=30313233-3435-3637-3839-616263646566",
			"\"total\":30,");
	assert_response(*state, "/api/v1/top", "query=%7Benv%3D~%22d.%2A%22%7D&from=now-1m&to=now",
			"\"total\":3,");
	assert_refused(*state, "/api/v1/top", SHOP "&focus=%28", -EINVAL, "focus");
	assert_refused(*state, "/api/v1/top", SHOP "&group=colour", -EINVAL, "group");
	assert_refused(*state, "/api/v1/top", SHOP "&n=many", -EINVAL,
		       "n: expected a whole number");
	assert_refused(*state, "/api/v1/top", SHOP "&from=yesterday", -EINVAL, "from: expected");
	assert_refused(*state, "/api/v1/top", SHOP "&from=now&to=now-1h", -EINVAL, "after");
	assert_refused(*state, "/api/v1/top", "query=%7Benv%7D", -EINVAL, "query");
	assert_refused(*state, "/api/v1/top", SHOP "&span=1", -EINVAL, "span id");
	assert_refused(*state, "/api/v1/top", SHOP "&invert=maybe", -EINVAL, "invert");
}

static void too_many_list_parameters_are_refused(void **state)
{
	struct buf query = {0};

	buf_put_str(&query, STR("query=shop"));
	for (int i = 0; i <= REQUEST_LIST_MAX; i++)
		buf_put_str(&query, STR("&by=a"));
	buf_put_char(&query, 0);
	assert_refused(*state, "/api/v1/series", query.p, -EINVAL, "by: more than 4096");
	buf_fini(&query);
}

static void pictures_report_what_they_hide(void **state)
{
	assert_response(*state, "/api/v1/tree", SHOP,
			"\"total\":33,\"kept\":33,\"stacks\":3,\"nodes\":{\"path\":[],"
			"\"node_count\":5,\"shown_count\":5,\"hidden_share\":0,"
			"\"names\":[\"main\",\"b\",\"a\",\"c\",\"d\"],");
	assert_response(*state, "/api/v1/tree", SHOP,
			"\"level\":[0,1,2,2,2,3],\"name\":[-1,0,1,2,3,4],"
			"\"self\":[0,0,20,11,0,2],\"total\":[33,33,20,11,2,2]}}");
	assert_response(*state, "/api/v1/flame", SHOP "&width=10",
			"\"node_count\":5,\"shown_count\":3,\"hidden_share\":0.0606");
	/* the same width for the part that was hidden */
	assert_response(*state, "/api/v1/flame", SHOP "&width=10&path=main&path=c",
			"\"path\":[\"main\",\"c\"],\"node_count\":1,\"shown_count\":1,"
			"\"hidden_share\":0,\"names\":[\"c\",\"d\"]");
	assert_response(*state, "/api/v1/flame", SHOP "&max_nodes=2", "\"shown_count\":2");
	assert_response(*state, "/api/v1/flame", SHOP "&invert=1&max_nodes=1",
			"\"names\":[\"b\",\"main\"]");
	assert_refused(*state, "/api/v1/flame", SHOP "&path=nowhere", -ENOENT, "nowhere");
	assert_response(*state, "/api/v1/span", SHOP "&span=000000000000001a", "\"total\":10,");
	assert_refused(*state, "/api/v1/span", SHOP, -EINVAL, "span");
	assert_response(*state, "/api/v1/trace", "trace=00000000000000000000000000000002",
			"\"total\":400,\"kept\":400,\"stacks\":1,\"spans\":[{\"id\":"
			"\"000000000000002b\",\"total\":400}]");
}

static void findings_name_function_and_path(void **state)
{
	static const struct fill row = {.type = CPU,
					.labels = "service_name=hot",
					.time = T0 * S,
					.samples =
						"main;serve;parse 9000000000, main;x 1000000000"};
	struct store *s;

	(void)state;
	assert_ok(memory_store_open(&s));
	assert_ok(store_fill(s, &row, NULL));
	assert_response(s, "/api/v1/findings", "", "\"findings\":[{\"rule\":\"hot-function\",");
	assert_response(s, "/api/v1/findings", "",
			"\"value\":9000000000,\"share\":0.9,\"saves\":true");
	assert_response(s, "/api/v1/findings", "", "\"path\":[\"main\",\"serve\",\"parse\"]");
	assert_response(s, "/api/v1/findings", "focus=x", "\"kept\":1000000000,\"rules\":");
	assert_refused(s, "/api/v1/findings", "invert=1", -EINVAL, "invert");
	assert_refused(s, "/api/v1/findings", "group=line", -EINVAL, "group");
	s->ops->close(s);
}

static void callers_and_callees_are_returned(void **state)
{
	assert_response(*state, "/api/v1/callers", SHOP "&function=c",
			"\"total\":33,\"kept\":33,\"stacks\":3,\"function\":\"c\","
			"\"function_self\":0,\"function_total\":2,\"callers\":{\"path\":[],"
			"\"node_count\":2,\"shown_count\":2,\"hidden_share\":0,\"names\":[\"c\","
			"\"main\"]");
	assert_refused(*state, "/api/v1/callers", SHOP, -EINVAL, "missing parameter: function");
	assert_refused(*state, "/api/v1/callers", SHOP "&function=zzz", -ENOENT, "zzz");
}

static void differences_are_returned(void **state)
{
	static const char both[] = "before=shop%7Benv%3D%22dev%22%7D&after=shop&type=cpu";
	char query[256];

	assert_response(*state, "/api/v1/diff", both,
			"\"normalised\":false,\"before\":{\"total\":3,\"kept\":3,\"stacks\":2},"
			"\"after\":{\"total\":33,\"kept\":33,\"stacks\":3},\"changes\":{\"same\":2,"
			"\"grew\":2,\"shrank\":0,\"new\":1,\"gone\":0},\"row_count\":5,\"rows\":["
			"{\"name\":\"b\",\"file\":\"\",\"module\":\"\",\"line\":0,\"kind\":\"new\","
			"\"self\":"
			"{\"before\":0,\"after\":20,\"delta\":20}");
	snprintf(query, sizeof(query), "%s&normalise=true&flame=1&n=1", both);
	assert_response(*state, "/api/v1/diff", query, "\"before_total\":[3,3,");
	/* `a` is a third of each side: `before` is scaled, and the unscaled value is included. */
	snprintf(query, sizeof(query), "%s&normalise=true&n=0", both);
	assert_response(*state, "/api/v1/diff", query,
			"\"self\":{\"before\":11,\"after\":11,\"delta\":0,\"before_unscaled\":1}");
	assert_refused(*state, "/api/v1/diff", "before=cart&after=shop&type=inuse_space", -ENOENT,
		       "no profile type");
}

static void values_over_time_add_up(void **state)
{
	assert_response(*state, "/api/v1/series",
			SHOP "&type=cpu&step=30s&by=env&from=1700000000&to=1700000060",
			"\"step\":30000,\"start\":1700000030000,\"row_count\":2,\"rows\":[{"
			"\"labels\":{\"env\":"
			"\"prod\"},\"total\":30,\"points\":[[1700000030000,30]]},{\"labels\":"
			"{\"env\":\"dev\"},\"total\":3,\"points\":[[1700000030000,3]]}]}");
	/* the sum of the rows beyond the limit */
	assert_response(*state, "/api/v1/series",
			SHOP
			"&type=cpu&step=30s&by=env&limit=1&rest=1&from=1700000000&to=1700000060",
			"\"row_count\":2,\"rows\":[{\"labels\":{\"env\":\"prod\"},\"total\":30,"
			"\"points\":[[1700000030000,30]]}],\"rest\":{\"labels\":{},\"total\":3,"
			"\"points\":[[1700000030000,3]]}}");
	assert_response(*state, "/api/v1/series",
			SHOP
			"&type=cpu&step=30s&by=env&limit=2&rest=1&from=1700000000&to=1700000060",
			"\"points\":[[1700000030000,3]]}]}");
	assert_response(*state, "/api/v1/series", SHOP "&type=cpu&step=1m&function=a",
			"\"total\":11,");
	assert_response(*state, "/api/v1/series", SHOP "&type=memory&step=1h", "200]");
	/* spread over the profile's ten seconds, at multiples of the step for any range */
	for (unsigned i = 0; i < 3; i++) {
		static const char *const from[] = {"1699999991", "1699999998", "1700000000"};
		char query[200];

		snprintf(query, sizeof(query),
			 SHOP "%%7Bk8s.pod%%3D%%22p1%%22%%7D&type=cpu&spread=1&step=5s&from=%s&to="
			      "1700000020",
			 from[i]);
		assert_response(*state, "/api/v1/series", query,
				"\"points\":[[1700000005000,15],[1700000010000,15]]");
	}
	assert_response(*state, "/api/v1/heatmap", SHOP "&type=cpu&step=1m", "\"count\":2,");
	assert_response(*state, "/api/v1/heatmap", SHOP "&type=cpu&spans=1", "\"count\":1,");
	assert_refused(*state, "/api/v1/series", SHOP "&step=1ms&from=now-1d", -EINVAL, "points");
	assert_refused(*state, "/api/v1/series", SHOP "&aggregation=max", -EINVAL, "aggregation");
}

static void charts_have_about_as_many_points_as_requested(void **state)
{
	static const struct {
		const char *query;
		const char *step;
	} cases[] = {
		{"from=now-1h&points=300", "\"step\":15000,"},
		{"from=now-1h&points=1500", "\"step\":5000,"},
		{"from=now-5m&points=1000", "\"step\":1000,"},
		{"from=now-1d&points=700", "\"step\":300000,"},
		{"from=now-30d&points=500", "\"step\":7200000,"},
		{"from=now-30d&points=1", "\"step\":3024000000,"},
		{"from=now-10y&points=1&step=30d", "\"step\":2592000000,"},
	};

	for (size_t i = 0; i < countof(cases); i++)
		assert_response(*state, "/api/v1/series", cases[i].query, cases[i].step);
	assert_refused(*state, "/api/v1/series", "points=x", -EINVAL, "points");
}

static void label_values_have_costs(void **state)
{
	assert_response(*state, "/api/v1/label-values", "name=env&cost=1&type=cpu",
			"\"name\":\"env\",\"total\":433,\"count\":2,\"values\":[\"prod\",\"dev\"],"
			"\"totals\":[430,3]}");
	assert_response(*state, "/api/v1/label-values", "name=env&cost=1&type=cpu&search=D",
			"\"total\":433,\"count\":2,");
	assert_response(*state, "/api/v1/label-values", "name=env&cost=1&type=cpu&search=EV",
			"\"total\":433,\"count\":1,\"values\":[\"dev\"],\"totals\":[3]}");
	assert_response(*state, "/api/v1/label-values", "name=env&cost=1&type=cpu&limit=1",
			"\"total\":433,\"count\":2,\"values\":[\"prod\"],\"totals\":[430]}");
	assert_response(*state, "/api/v1/label-values",
			"name=k8s.pod&cost=1&type=cpu"
			"&query=shop",
			"\"values\":[\"p1\",\"\"],\"totals\":[30,3]}");
	assert_response(*state, "/api/v1/label-values", "name=env&cost&type=inuse_space",
			"\"totals\":[200]}"); /* gauges are averaged */
	assert_response(*state, "/api/v1/label-values", "name=env&cost=1&type=cpu&function=c",
			"\"total\":2,");
	assert_refused(*state, "/api/v1/label-values", "cost=1", -EINVAL, "name");
}

/* ---- single samples ---- */

static void spans_are_listed_with_their_cost(void **state)
{
	assert_response(
		*state, "/api/v1/spans", "type=cpu",
		"\"total\":433,\"linked\":410,\"span_count\":2,\"spans\":[{"
		"\"trace\":\"00000000000000000000000000000002\","
		"\"span\":\"000000000000002b\",\"total\":400,\"with_children\":400,\"samples\":1,"
		"\"first\":1700000030000,\"last\":1700000030000,\"service\":\"cart\","
		"\"labels\":{\"env\":\"prod\",\"service_name\":\"cart\"}},{\"trace\":");
	assert_response(*state, "/api/v1/spans", "type=cpu&n=1", "\"span_count\":2,");
	assert_response(*state, "/api/v1/spans", "type=cpu&function=b",
			"\"total\":20,\"linked\":0,\"span_count\":0,\"spans\":[]}");
	assert_response(*state, "/api/v1/trace", "type=cpu&trace=00000000000000000000000000000002",
			"\"spans\":[{\"id\":\"000000000000002b\",\"total\":400}]");
	assert_refused(*state, "/api/v1/spans", SHOP "&type=inuse_space", -EINVAL, "is a gauge");
}

#define SECOND_TRACE "00000000000000000000000000000002"

/* Put spans of trace 2: its samples belong to span 2b, whose parent 2a has no samples. */
static void put_structure(struct store *s)
{
	static const struct fill_span rows[] = {
		{0x2a, 0, "GET /", "front", 1700000029000 * NS_PER_MS, 900, SPAN_STATUS_ERROR},
		{0x2b, 0x2a, "GET /cart", "cart", 1700000029500 * NS_PER_MS, 77, 0},
		{0x2c, 0x2b, "SELECT \"x\"", "db", 1700000029600 * NS_PER_MS, 7, 0},
	};

	assert_ok(spans_fill(s, rows, countof(rows)));
}

static void spans_have_names_if_their_structure_is_stored(void **state)
{
	put_structure(*state);
	assert_response(
		*state, "/api/v1/spans", "type=cpu&n=1",
		"\"span_count\":2,\"spans\":[{\"trace\":\"" SECOND_TRACE "\","
		"\"span\":\"000000000000002b\",\"total\":400,\"with_children\":400,\"samples\":1,"
		"\"first\":1700000030000,\"last\":1700000030000,\"service\":\"cart\","
		"\"labels\":{\"env\":\"prod\",\"service_name\":\"cart\"},"
		"\"parent\":\"000000000000002a\",\"name\":\"GET /cart\",\"kind\":\"server\","
		"\"status\":\"unset\",\"start\":1700000029500,\"duration\":77}]}");
	/* a query for a trace also returns spans without samples */
	assert_response(*state, "/api/v1/spans", "type=cpu&trace=" SECOND_TRACE,
			"\"span_count\":3,\"spans\":[{\"trace\":\"" SECOND_TRACE "\",\"span\":"
			"\"000000000000002b\",\"total\":400,");
	assert_response(
		*state, "/api/v1/spans", "type=cpu&trace=" SECOND_TRACE,
		"\"span\":\"000000000000002a\",\"total\":0,\"with_children\":400,\"samples\":0,"
		"\"first\":0,\"last\":0,\"service\":\"front\",\"labels\":{},\"parent\":\"\","
		"\"name\":\"GET /\",\"kind\":\"server\",\"status\":\"error\",");
	assert_response(*state, "/api/v1/spans", "type=cpu&trace=" SECOND_TRACE,
			"\"span\":\"000000000000002c\",\"total\":0,\"with_children\":0,");
	assert_response(*state, "/api/v1/spans",
			"type=cpu&n=0&trace=" SECOND_TRACE "&span=000000000000002b",
			"\"span_count\":1,");
}

static void a_limited_list_of_spans_includes_their_parents(void **state)
{
	put_structure(*state);
	/* 2b has all samples, and 2a is its parent */
	assert_response(*state, "/api/v1/spans", "type=cpu&n=1&trace=" SECOND_TRACE,
			"\"span_count\":3,\"spans\":[{\"trace\":\"" SECOND_TRACE
			"\",\"span\":\"000000000000002a\",\"total\":0,\"with_children\":400,");
	assert_response(*state, "/api/v1/spans", "type=cpu&n=2&trace=" SECOND_TRACE,
			"\"spans\":[{\"trace\":\"" SECOND_TRACE "\",\"span\":\"000000000000002b\"");
}

/* Like the other lists, an empty list is a valid response. */
static void without_data_the_list_of_spans_is_empty(void **state)
{
	static const char none[] = "\"total\":0,\"linked\":0,\"span_count\":0,\"spans\":[]}";

	assert_response(*state, "/api/v1/spans", "to=20200101&trace=" SECOND_TRACE, none);
	assert_response(*state, "/api/v1/spans", "to=20200101&type=cpu", none);
	assert_response(*state, "/api/v1/spans", "query=nobody", none);
	assert_refused(*state, "/api/v1/spans", SHOP "&type=goroutines", -ENOENT, "available: ");
	/* Stored spans of a trace are listed even without profiles. */
	put_structure(*state);
	assert_response(*state, "/api/v1/spans", "query=nobody&trace=" SECOND_TRACE,
			"{\"type\":\"\",\"unit\":\"\",\"gauge\":false,");
	assert_response(*state, "/api/v1/spans", "query=nobody&trace=" SECOND_TRACE,
			"\"span_count\":3,");
}

static void a_span_with_children_includes_everything_it_called(void **state)
{
	static const char *const paths[] = {"/api/v1/span", "/api/v1/flame", "/api/v1/tree",
					    "/api/v1/top"};

	put_structure(*state);
	for (size_t i = 0; i < countof(paths); i++) {
		assert_response(*state, paths[i], "type=cpu&span=000000000000002a", "\"total\":0");
		assert_response(*state, paths[i], "type=cpu&span=000000000000002a&children=1",
				"\"total\":400");
		assert_response(*state, paths[i], "type=cpu&span=000000000000002c&children=1",
				"\"total\":0");
	}
	assert_response(*state, "/api/v1/spans", "type=cpu&span=000000000000002a&children=1",
			"\"span_count\":1,");
}

static void children_without_structure_give_a_warning(void **state)
{
	struct store_missing missing = {0};
	struct test_request q;

	test_request_init(&q, *state);
	q.request.limits.missing = &missing;
	assert_ok_err(
		request_path(&q, "/api/v1/flame", "type=cpu&span=000000000000002b&children=1"),
		&q.e);
	assert_has(buf_str(&q.reply.body),
		   "{\"warnings\":[\"no spans of this trace are stored: send traces to this server "
		   "too\"],");
	assert_has(buf_str(&q.reply.body), "\"total\":400");
	test_request_fini(&q);
}

static void put_timed(struct store *s)
{
	static const struct fill timed = {
		.type = CPU,
		.labels = "service_name=timed",
		.time = T0 * S,
		.duration = 3 * S,
		.samples = "main;a 1 @1700000000100000000, main;b 2 @1700000001100000000, "
			   "main;a 4 @1700000001900000000, main;a 8 @1700000002100000000, "
			   "main;c 16"};

	assert_ok(store_fill(s, &timed, NULL));
}

static void moments_are_returned_as_a_map(void **state)
{
	put_timed(*state);
	assert_response(*state, "/api/v1/moments", "query=timed&rows=2",
			"\"start\":1700000000000,\"step\":1000,\"columns\":3,\"rows\":2,"
			"\"timed\":15,\"total\":31,\"values\":[1,0,2,4,8,0]}");
	assert_response(*state, "/api/v1/moments", "query=timed&rows=1&function=a",
			"\"timed\":13,\"total\":13,\"values\":[1,4,8]}");
	assert_response(*state, "/api/v1/moments", "query=cart",
			"\"columns\":0,\"rows\":50,\"timed\":0,\"total\":400,\"values\":[]}");
	assert_refused(*state, "/api/v1/moments", "query=timed&rows=0", -EINVAL, "1 to 200");
	assert_refused(*state, "/api/v1/moments", SHOP "&type=inuse_space", -EINVAL, "is a gauge");
}

static void samples_are_selected_by_their_own_times(void **state)
{
#define SECOND_AND_THIRD "&time_from=1700000001&time_to=1700000003"
#define FIRST_HALF "&phase_step=1000&phase_to=500"
	put_timed(*state);
	assert_response(*state, "/api/v1/top", "query=timed" SECOND_AND_THIRD, "\"total\":14,");
	assert_response(*state, "/api/v1/flame", "query=timed" SECOND_AND_THIRD FIRST_HALF,
			"\"total\":10,\"kept\":10,");
	assert_response(*state, "/api/v1/tree", "query=timed&time_from=1700000001900",
			"\"total\":12,");
	assert_response(*state, "/api/v1/tree", "query=timed&time_to=1700000001900",
			"\"total\":3,");
	assert_response(*state, "/api/v1/callers",
			"query=timed&function=a&phase_step=1000&phase_from=899.999999",
			"\"function_total\":4,");
	assert_response(*state, "/api/v1/diff", "before=timed&after=timed" FIRST_HALF,
			"\"before\":{\"total\":11,");
	assert_response(*state, "/api/v1/spans", "query=timed" FIRST_HALF, "\"total\":11,");
	assert_refused(*state, "/api/v1/top", "query=timed&time_from=5&time_to=4", -EINVAL,
		       "time_from is not before time_to");
	assert_refused(*state, "/api/v1/top", "query=timed&phase_from=1", -EINVAL, "phase_from");
	assert_refused(*state, "/api/v1/top", "query=timed&phase_step=1&phase_to=2", -EINVAL,
		       "phase_to is greater than phase_step");
	assert_refused(*state, "/api/v1/top", "query=timed&phase_step=nan", -EINVAL,
		       "expected milliseconds");
	assert_refused(*state, "/api/v1/top", "query=timed&phase_step=-1", -EINVAL,
		       "expected milliseconds");
	assert_refused(*state, "/api/v1/series", "query=timed" FIRST_HALF, -EINVAL,
		       "are not supported here");
	assert_refused(*state, "/api/v1/top", SHOP "&type=inuse_space" FIRST_HALF, -EINVAL,
		       "is a gauge");
}

static void profiles_are_exported_in_any_format(void **state)
{
	static const char *const names[] = {"pprof", "folded", "otlp", "speedscope", "otlp-json"};

	for (size_t i = 0; i < countof(names); i++) {
		struct profile_batch batch;
		struct test_request q;
		char query[128];
		int64_t total = 0;

		test_request_init(&q, *state);
		snprintf(query, sizeof(query), SHOP "&type=cpu&format=%s", names[i]);
		assert_ok_err(request_path(&q, "/api/v1/profile", query), &q.e);
		assert_str_equal(q.reply.content_type, STR("application/octet-stream"));
		assert_ok(profile_batch_init(&batch, NULL));
		assert_ok_err(format_decode(&batch, buf_str(&q.reply.body), NULL, STR(""),
					    &(struct decode_options){0}, NULL, &q.e),
			      &q.e);
		for (uint32_t k = 0; k < batch.sample_count; k++)
			total += sample_total(&batch, k);
		assert_int_equal(total, 33);
		profile_batch_fini(&batch);
		test_request_fini(&q);
	}
	assert_refused(*state, "/api/v1/profile", SHOP "&format=gif", -EINVAL, "gif");
}

/*
 * The profile has the requested range, unless most of that has no data: then the range goes from
 * the first profile to the end of the last.
 */
static void a_profile_has_the_range_of_its_data(void **state)
{
	static const struct {
		const char *query;
		uint64_t from, seconds;
	} cases[] = {
		{SHOP "&type=cpu&from=1", T0, 25},
		{SHOP "&type=cpu&from=1699999999&to=1700000026", T0 - 1, 27},
	};

	for (size_t i = 0; i < countof(cases); i++) {
		struct profile_batch batch;
		struct test_request q;

		test_request_init(&q, *state);
		assert_ok_err(request_path(&q, "/api/v1/profile", cases[i].query), &q.e);
		assert_ok(profile_batch_init(&batch, NULL));
		assert_ok_err(format_decode(&batch, buf_str(&q.reply.body), NULL, STR(""),
					    &(struct decode_options){0}, NULL, &q.e),
			      &q.e);
		assert_int_equal(batch.profiles.at[0].time_unix_nano, cases[i].from * S);
		assert_int_equal(batch.profiles.at[0].duration_nano, cases[i].seconds * S);
		profile_batch_fini(&batch);
		test_request_fini(&q);
	}
}

/*
 * The duration is that of the trace, not of the queried range: from its spans or, without spans,
 * from the profiles with its samples.
 */
static void the_profile_of_a_trace_is_as_long_as_the_trace(void **state)
{
	static const struct fill_span rows[] = {
		{0x1a, 0, "GET /", "shop", (T0 + 2) * S, 3 * S, 0},
		{0x1b, 0x1a, "SELECT", "db", (T0 + 4) * S, 5 * S, 0},
	};
	static const struct {
		const char *query;
		uint64_t from, seconds[2]; /* without and with stored spans */
	} cases[] = {
		{SHOP "&type=cpu&trace=00000000000000000000000000000001", T0, {10, 7}},
		{SHOP "&type=cpu&span=000000000000001a", T0, {10, 3}},
	};

	for (unsigned known = 0; known < 2; known++) {
		for (size_t i = 0; i < countof(cases); i++) {
			struct profile_batch batch;
			struct test_request q;

			test_request_init(&q, *state);
			assert_ok_err(request_path(&q, "/api/v1/profile", cases[i].query), &q.e);
			assert_ok(profile_batch_init(&batch, NULL));
			assert_ok_err(format_decode(&batch, buf_str(&q.reply.body), NULL, STR(""),
						    &(struct decode_options){0}, NULL, &q.e),
				      &q.e);
			assert_int_equal(batch.profiles.at[0].time_unix_nano,
					 (cases[i].from + 2 * known) * S);
			assert_int_equal(batch.profiles.at[0].duration_nano,
					 cases[i].seconds[known] * S);
			profile_batch_fini(&batch);
			test_request_fini(&q);
		}
		assert_ok(spans_fill(*state, rows, countof(rows)));
	}
}

static void profiles_can_be_uploaded(void **state)
{
	struct openapi o;
	struct test_request q;

	test_request_init(&q, *state);
	q.request.body = STR("main;work 3\nmain;idle 4\n");
	assert_ok_err(
		request_path(
			&q, "/api/v1/upload",
			"service=hand&label=env=dev&label=team=a&time=1700000010&format=folded"),
		&q.e);
	openapi_open(&o);
	openapi_check_answer(&o, STR("/api/v1/upload"), "post", "200", buf_str(&q.reply.body));
	openapi_close(&o);
	assert_has(buf_str(&q.reply.body), "\"format\":\"folded\",\"profiles\":1,\"samples\":2,"
					   "\"series\":1,\"rejected\":0,\"duplicates\":0}");
	test_request_fini(&q);
	assert_response(*state, "/api/v1/top", "query=hand%7Bteam%3D%22a%22%7D", "\"total\":");
	test_request_init(&q, *state);
	q.request.body = STR("\x01\x02 no profile");
	assert_int_equal(request_path(&q, "/api/v1/upload", "service=x&format=pprof"), -EBADMSG);
	test_request_fini(&q);
	assert_refused(*state, "/api/v1/upload", "service=x", -EINVAL, "empty body");
}

static void deletion_requires_a_query_and_a_range(void **state)
{
	assert_refused(*state, "/api/v1/data", "before=now", -EINVAL, "query");
	assert_refused(*state, "/api/v1/data", "query=shop", -EINVAL, "before");
	assert_refused(*state, "/api/v1/data", "query=shop&before=now&from=now-1h", -EINVAL,
		       "exclude each other");
	assert_response(*state, "/api/v1/data", "query=shop%7Benv%3D%22dev%22%7D&before=now",
			"{\"profiles\":1}");
	assert_response(*state, "/api/v1/top", SHOP "&type=cpu", "\"total\":30,");
	assert_response(*state, "/api/v1/data", "query=%7B%7D&from=now-1h&to=now",
			"{\"profiles\":4}");
}

/* The status of a server lists its senders and conforms to its description. */
static void the_status_lists_senders(void **state)
{
	struct sockaddr_storage peer = {.ss_family = AF_INET};
	struct http_header headers[] = {{STR("user-agent"), STR("agent \"x\"\xff/1")},
					{STR("varve-profiler"), STR("samples=5 lost=1 cpu_ns=7")}};
	struct http_exchange x = {.headers = headers, .header_count = 2, .peer = &peer};
	struct service_names services = {1, {"shop"}};
	struct receipt receipt = {.protocol = RECEIVE_PUSH,
				  .x = &x,
				  .bytes = 100,
				  .profiles = 3,
				  .refused[REFUSED_REJECTED] = 1,
				  .reason = "too many labels",
				  .services = &services};
	struct host host = {.memory.limit = 1000};
	struct api api = {.options = {.host = &host, .version = "9", .memory_limit = 4000}};
	struct openapi o;
	struct test_request q;

	senders_init(&host.senders);
	senders_note(&host.senders, &receipt);
	test_request_init(&q, *state);
	q.request.api = &api;
	assert_ok_err(request_path(&q, "/api/v1/status", ""), &q.e);
	openapi_open(&o);
	openapi_check_answer(&o, STR("/api/v1/status"), "get", "200", buf_str(&q.reply.body));
	openapi_close(&o);
	assert_has(buf_str(&q.reply.body), "\"memory\":{\"limit\":4000,\"resident\":");
	assert_has(buf_str(&q.reply.body), "\"receiving\":{\"used\":0,\"limit\":1000}");
	assert_has(buf_str(&q.reply.body), "\"store\":{\"profiles\":5,");
	assert_has(buf_str(&q.reply.body),
		   "{\"protocol\":\"push\",\"requests\":1,\"profiles\":3,\"samples\":0,"
		   "\"spans\":0,\"bytes\":100,\"duplicates\":0,\"refused\":{\"bad\":0,\"rejected\":"
		   "1,");
	assert_has(buf_str(&q.reply.body), "\"senders\":[{\"peer\":\"0.0.0.0\",\"agent\":");
	assert_has(buf_str(&q.reply.body), "\"services\":[\"shop\"],\"requests\":1,");
	assert_has(buf_str(&q.reply.body), "\"refused\":1,\"refusal\":\"too many labels\",");
	assert_has(buf_str(&q.reply.body),
		   "\"profiler\":{\"samples\":5,\"lost\":1,\"cpu_ns\":7}}]");
	test_request_fini(&q);
	senders_fini(&host.senders);
}

/* The field "others" is false if the only profiles are those of the server itself. */
static void data_of_others_is_distinguished_from_self_profiles(void **state)
{
	static const struct fill own = {.type = CPU,
					.labels = "service_name=varve",
					.time = T0 * S,
					.samples = "main;loop 7"},
				 other = {.type = CPU,
					  .labels = "service_name=varve-demo",
					  .time = (T0 - 7200) * S,
					  .samples = "main;f 1"};
	static const char *const paths[] = {"/api/v1/services", "/api/v1/stats"};
	struct store *s = *state;

	for (size_t i = 0; i < countof(paths); i++)
		assert_response(s, paths[i], "", "\"others\":false");
	assert_ok(store_fill(s, &own, NULL));
	for (size_t i = 0; i < countof(paths); i++)
		assert_response(s, paths[i], "", "\"others\":false");
	assert_ok(store_fill(s, &other, NULL));
	for (size_t i = 0; i < countof(paths); i++)
		assert_response(s, paths[i], "", "\"others\":true");
}

static void an_upload_is_listed_as_a_sender(void **state)
{
	struct sockaddr_storage peer = {.ss_family = AF_INET};
	struct http_header headers[] = {{STR("user-agent"), STR("varve/9")}};
	struct http_exchange x = {.headers = headers, .header_count = 1, .peer = &peer};
	struct host host = {0};
	struct api api = {.options = {.host = &host, .version = "9"}};
	static const char *const bodies[] = {"main;work 3\nmain;idle 4\n", "\x01"};
	struct test_request q;

	senders_init(&host.senders);
	for (size_t i = 0; i < countof(bodies); i++) {
		test_request_init(&q, *state);
		q.request.api = &api;
		q.request.sender = &x;
		q.request.body = str_from(bodies[i]);
		assert_int_equal(request_path(&q, "/api/v1/upload", "service=hand&format=folded"),
				 i ? -EBADMSG : 0);
		test_request_fini(&q);
	}
	test_request_init(&q, *state);
	q.request.api = &api;
	assert_ok_err(request_path(&q, "/api/v1/status", ""), &q.e);
	assert_has(buf_str(&q.reply.body),
		   "\"senders\":[{\"peer\":\"0.0.0.0\",\"agent\":\"varve/9\",\"protocol\":"
		   "\"upload\",\"services\":[\"hand\"],\"requests\":2,\"profiles\":1,"
		   "\"samples\":2,\"spans\":0,\"bytes\":25,");
	assert_has(buf_str(&q.reply.body), "\"refused\":1,\"refusal\":\"");
	test_request_fini(&q);
	senders_fini(&host.senders);
}

static void assert_described(const struct openapi *o, const struct endpoint *p)
{
	static const struct {
		unsigned method;
		const char *name;
	} methods[] = {{METHOD_GET, "get"},
		       {METHOD_POST, "post"},
		       {METHOD_PUT, "put"},
		       {METHOD_DELETE, "delete"}};
	struct str path =
		str_eq(p->path, STR(DASHBOARDS_PATH)) ? STR(DASHBOARDS_PATH "{name}") : p->path;

	for (size_t i = 0; i < countof(methods); i++)
		if (p->methods & methods[i].method && !openapi_operation(o, path, methods[i].name))
			fail_msg("%s %.*s is not described", methods[i].name, STR_ARG(path));
}

static void every_path_is_described(void **state)
{
	static const char *const of_receivers[] = {"/api/v1/write", "/api/v1/otlp/v1/metrics"};
	const struct json_value *paths;
	struct openapi o;
	size_t n = 0;

	(void)state;
	openapi_open(&o);
	paths = json_get(json_root(&o.doc), STR("paths"));
	for (size_t i = 0; i < varve_endpoint_count; i++) {
		assert_described(&o, &varve_endpoints[i]);
		/* rows of one path differ by method and are adjacent */
		n += !i || !str_eq(varve_endpoints[i].path, varve_endpoints[i - 1].path);
	}
	for (size_t i = 0; i < prometheus_endpoint_count; i++, n++) {
		struct endpoint p = prometheus_endpoints[i];

		if (str_ends(p.path, STR("/label/")))
			p.path = STR("/prometheus/api/v1/label/{name}/values");
		assert_described(&o, &p);
	}
	for (size_t i = 0; i < countof(of_receivers); i++, n++)
		assert_non_null(openapi_operation(&o, str_from(of_receivers[i]), "post"));
	assert_int_equal(json_count(paths), n);
	openapi_close(&o);
}

static void queries_that_run_out_of_memory_leak_nothing(void **state)
{
	for (size_t i = 0; i < varve_endpoint_count; i++)
		for (size_t limit = 0; limit < 256 * KIB; limit += 4 * KIB) {
			struct test_request q;
			int rc;

			test_request_init(&q, *state);
			q.budget.limit = limit;
			q.request.query =
				STR("query=shop&type=cpu&before=1&function=a&span=0000000000000001"
				    "&focus=.&ignore=zz&hide=zz&show=.&show_from=main");
			rc = varve_endpoints[i].answer(&q.request, &q.reply, &q.e);
			assert_true(rc <= 0);
			test_request_fini(&q); /* checks that nothing is charged any more */
		}
}

#define with_nothing(name) cmocka_unit_test_setup_teardown(name, empty_setup, shop_teardown)
#define with_shop(name) cmocka_unit_test_setup_teardown(name, shop_setup, shop_teardown)

TEST_MAIN(with_shop(services_types_and_labels_are_listed), with_shop(tables_are_exact),
	  test(functions_of_different_modules_are_distinguished),
	  test(searches_are_summed_over_the_whole_tree),
	  with_shop(a_missing_path_falls_back_to_its_nearest_part),
	  with_shop(responses_list_damaged_days), with_shop(filters_select_stacks),
	  with_shop(too_many_list_parameters_are_refused),
	  with_shop(pictures_report_what_they_hide), with_shop(callers_and_callees_are_returned),
	  test(findings_name_function_and_path), with_shop(differences_are_returned),
	  with_shop(charts_have_about_as_many_points_as_requested),
	  with_shop(label_values_have_costs), with_shop(spans_are_listed_with_their_cost),
	  with_shop(spans_have_names_if_their_structure_is_stored),
	  with_shop(a_limited_list_of_spans_includes_their_parents),
	  with_shop(without_data_the_list_of_spans_is_empty),
	  with_shop(a_span_with_children_includes_everything_it_called),
	  with_shop(children_without_structure_give_a_warning),
	  with_shop(moments_are_returned_as_a_map),
	  with_shop(samples_are_selected_by_their_own_times), with_shop(values_over_time_add_up),
	  with_shop(profiles_are_exported_in_any_format),
	  with_shop(a_profile_has_the_range_of_its_data),
	  with_shop(the_profile_of_a_trace_is_as_long_as_the_trace),
	  with_shop(profiles_can_be_uploaded), with_shop(deletion_requires_a_query_and_a_range),
	  with_shop(the_status_lists_senders),
	  with_nothing(data_of_others_is_distinguished_from_self_profiles),
	  with_shop(an_upload_is_listed_as_a_sender), test(every_path_is_described),
	  with_shop(queries_that_run_out_of_memory_leak_nothing))

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The query API over real sockets: the status of each kind of request, with the requests of
 * Pyroscope's own test suite and of its canary; deadlines, limits and tenants.
 */
#include "test/net.h"

#include "api/access/access.h"
#include "api/endpoint.h"
#include "api_test.h"
#include "wire/json.h"
#include "wire/proto.h"

enum { ROUTES_MAX = 192 };

struct site {
	struct store *store;
	struct api *api;
	struct http_route routes[ROUTES_MAX];
	struct http_app app;
	struct test_server server;
};

static void site_open(struct site *site, const struct api_options *options)
{
	struct api_options o = *options;
	struct err e = {0};

	assert_ok(memory_store_open(&site->store));
	fill_shop(site->store);
	o.store = site->store;
	assert_ok_err(api_new(&site->api, &o, &e), &e);
	site->app.routes = site->routes; /* access control is set by the test */
	site->app.route_count = api_routes(site->api, site->routes, ROUTES_MAX);
	assert_true(site->app.route_count <= ROUTES_MAX);
	site->server = test_server_start(&site->app, NULL);
	api_set_server(site->api, site->server.server);
}

static void site_close(struct site *site)
{
	net_server_free(site->server.server);
	api_free(site->api);
	site->store->ops->close(site->store);
}

static int setup(void **state)
{
	struct site *site = calloc(1, sizeof(*site));

	site_open(site, &(struct api_options){.threads = 2, .version = "9.9"});
	*state = site;
	return 0;
}

static int teardown(void **state)
{
	site_close(*state);
	free(*state);
	return 0;
}

/* Send a request and read its response into `a`. */
static void send_request(struct site *site, struct test_answer *a, const char *method,
			 const char *target, const char *headers, struct str body)
{
	struct buf out = {0};
	int fd = test_connect(site->server.port);

	buf_printf(&out, "%s %s HTTP/1.1\r\nhost: localhost\r\ncontent-length: %zu\r\n%s\r\n",
		   method, target, body.n, headers);
	buf_put_str(&out, body);
	assert_true(test_send(fd, buf_str(&out)));
	test_next_answer(fd, a);
	buf_fini(&out);
	close(fd);
}

static void assert_status(struct site *site, const char *method, const char *target,
			  const char *headers, const char *body, unsigned status)
{
	struct test_answer a = {0};

	send_request(site, &a, method, target, headers, str_from(body));
	if (a.status != status)
		fail_msg("%s %s %s: %u, expected %u: %.*s", method, target, body, a.status, status,
			 STR_ARG(a.body));
	test_answer_fini(&a);
}

#define JSON "content-type: application/json\r\n"
#define RPC(name) "/querier.v1.QuerierService/" name

/* ---- common to all calls ---- */

static void calls_are_posts_of_json_or_protobuf(void **state)
{
	static const char *const others[] = {"GET", "PUT", "DELETE", "PATCH"};
	struct site *site = *state;

	for (size_t i = 0; i < querier_rpc_count; i++) {
		char target[128];

		snprintf(target, sizeof(target), RPC("%.*s"), STR_ARG(querier_rpcs[i].name));
		for (size_t k = 0; k < countof(others); k++)
			assert_status(site, others[k], target, JSON, "{}", 405);
		assert_status(site, "POST", target, "content-type: text/plain\r\n", "{}", 415);
		assert_status(site, "POST", target, JSON, "{\"invalid json\"", 400);
		assert_status(site, "POST", target, JSON, "", 400);
		assert_status(site, "POST", target, JSON, "[]", 400);
		assert_status(site, "POST", target, "content-type: application/proto\r\n",
			      "\x0a\xff",
			      str_eq(querier_rpcs[i].name, STR("GetProfileStats")) ? 200 : 400);
	}
	assert_status(site, "POST", "/settings.v1.SettingsService/Set", JSON, "{}", 404);
	assert_status(site, "POST", "/vcs.v1.VCSService/GithubApp", JSON, "{}", 404);
	/* the first request of Profiles Drilldown gets an empty response */
	assert_status(site, "POST", "/settings.v1.SettingsService/Get", JSON, "{}", 200);
	assert_status(site, "POST", "/capabilities.v1.FeatureFlagsService/GetFeatureFlags", JSON,
		      "{}", 200);
	assert_status(site, "POST", RPC("NoSuchCall"), JSON, "{}", 404);
}

/* ---- status by body ---- */

#define RANGE "\"start\":" T0_MS ",\"end\":" T1_MS
#define BACKWARDS "\"start\":" T1_MS ",\"end\":" T0_MS
#define TYPE "\"profileTypeID\":\"" CPU "\","
#define ALL "\"labelSelector\":\"{}\","
#define SHOP "\"labelSelector\":\"{service_name=\\\"shop\\\"}\","

static const struct {
	const char *rpc, *body;
	unsigned status;
} calls[] = {
	{"ProfileTypes", "{" RANGE "}", 200},
	{"ProfileTypes", "{\"start\":0,\"end\":0}", 200},
	{"ProfileTypes", "{\"start\":1,\"end\":" T1_MS "}", 200},
	{"ProfileTypes", "{\"start\":-1,\"end\":" T1_MS "}", 200},
	{"ProfileTypes", "{\"start\":-2,\"end\":-1}", 200},
	{"ProfileTypes", "{\"start\":\"" T0_MS "\",\"end\":\"" T1_MS "\"}", 200},
	{"ProfileTypes", "{" BACKWARDS "}", 400},
	{"ProfileTypes", "{\"start\":\"now-1h\",\"end\":0}", 400},
	{"ProfileTypes", "{\"start\":0,\"end\":\"now\"}", 400},

	{"LabelValues", "{\"name\":\"service_name\"," RANGE "}", 200},
	{"LabelValues", "{\"name\":\"env\",\"matchers\":[\"{env=\\\"prod\\\"}\"]," RANGE "}", 200},
	{"LabelValues",
	 "{\"name\":\"env\",\"matchers\":[\"{a=\\\"b\\\"}\",\"{c=~\\\"d.*\\\"}\"]," RANGE "}", 200},
	{"LabelValues", "{\"name\":\"service_name\"}", 400},
	{"LabelValues", "{\"name\":\"env\",\"matchers\":[\"!bad_syntax!\"]," RANGE "}", 400},
	{"LabelValues", "{\"name\":\"env\"," BACKWARDS "}", 400},
	{"LabelValues", "{\"name\":\"\"," RANGE "}", 400},
	{"LabelValues", "{" RANGE "}", 400},

	{"LabelNames", "{" RANGE "}", 200},
	{"LabelNames", "{\"matchers\":[\"{service_name=\\\"shop\\\"}\"]," RANGE "}", 200},
	{"LabelNames", "{}", 400},
	{"LabelNames", "{" BACKWARDS "}", 400},
	{"LabelNames", "{\"matchers\":[\"!bad_syntax!\"]," RANGE "}", 400},

	{"Series", "{\"matchers\":[\"{}\"]," RANGE "}", 200},
	{"Series", "{\"matchers\":[\"{}\"],\"labelNames\":[\"env\"]," RANGE "}", 200},
	{"Series", "{" RANGE "}", 200},
	{"Series", "{" BACKWARDS "}", 400},
	{"Series", "{\"matchers\":[\"{}\"]}", 400},
	{"Series", "{\"matchers\":[\"!bad_syntax!\"]," RANGE "}", 400},

	{"SelectMergeStacktraces", "{" TYPE ALL RANGE "}", 200},
	{"SelectMergeStacktraces", "{" TYPE ALL RANGE ",\"maxNodes\":100}", 200},
	{"SelectMergeStacktraces", "{" TYPE ALL RANGE ",\"maxNodes\":\"0\"}", 200},
	{"SelectMergeStacktraces", "{" TYPE ALL RANGE ",\"format\":\"PROFILE_FORMAT_TREE\"}", 200},
	{"SelectMergeStacktraces", "{" TYPE ALL RANGE ",\"format\":3}", 200},
	{"SelectMergeStacktraces", "{" TYPE SHOP RANGE "}", 200},
	{"SelectMergeStacktraces", "{" TYPE SHOP RANGE ",\"spanSelector\":[\"000000000000001a\"]}",
	 200},
	{"SelectMergeStacktraces", "{" ALL RANGE "}", 400},
	{"SelectMergeStacktraces", "{\"profileTypeID\":\"\"," ALL RANGE "}", 400},
	{"SelectMergeStacktraces", "{\"profileTypeID\":\"not:enough\"," ALL RANGE "}", 400},
	{"SelectMergeStacktraces", "{" TYPE RANGE "}", 400},
	{"SelectMergeStacktraces", "{" TYPE "\"labelSelector\":\"\"," RANGE "}", 400},
	{"SelectMergeStacktraces", "{" TYPE "\"labelSelector\":\"!bad_syntax!\"," RANGE "}", 400},
	{"SelectMergeStacktraces", "{" TYPE ALL BACKWARDS "}", 400},
	{"SelectMergeStacktraces", "{" TYPE ALL "\"start\":0,\"end\":0}", 400},
	{"SelectMergeStacktraces", "{" TYPE ALL "\"end\":" T1_MS "}", 400},
	{"SelectMergeStacktraces", "{" TYPE ALL "\"start\":" T0_MS "}", 400},
	{"SelectMergeStacktraces", "{" TYPE ALL RANGE ",\"maxNodes\":-1}", 400},
	{"SelectMergeStacktraces", "{" TYPE ALL RANGE ",\"maxNodes\":2000000}", 400},
	{"SelectMergeStacktraces", "{" TYPE ALL RANGE ",\"spanSelector\":[\"xyz\"]}", 400},

	{"SelectMergeProfile", "{" TYPE ALL RANGE "}", 200},
	{"SelectMergeProfile", "{" TYPE SHOP RANGE ",\"maxNodes\":10}", 200},
	{"SelectMergeProfile", "{" ALL RANGE "}", 400},
	{"SelectMergeProfile", "{\"profileTypeID\":\"\"," ALL RANGE "}", 400},
	{"SelectMergeProfile", "{\"profileTypeID\":\"not:enough\"," ALL RANGE "}", 400},
	{"SelectMergeProfile", "{" TYPE RANGE "}", 400},
	{"SelectMergeProfile", "{" TYPE "\"labelSelector\":\"!bad_syntax!\"," RANGE "}", 400},
	{"SelectMergeProfile", "{" TYPE ALL BACKWARDS "}", 400},
	{"SelectMergeProfile", "{" TYPE ALL "\"start\":0,\"end\":0}", 400},

	{"SelectSeries", "{" TYPE ALL RANGE ",\"step\":15}", 200},
	{"SelectSeries", "{" TYPE ALL RANGE ",\"step\":15,\"groupBy\":[\"env\"]}", 200},
	{"SelectSeries", "{" TYPE ALL RANGE ",\"step\":15,\"limit\":10}", 200},
	{"SelectSeries", "{" TYPE ALL RANGE ",\"step\":0.001,\"aggregation\":1}", 200},
	{"SelectSeries", "{" ALL RANGE ",\"step\":15}", 400},
	{"SelectSeries", "{\"profileTypeID\":\"\"," ALL RANGE ",\"step\":15}", 400},
	{"SelectSeries", "{\"profileTypeID\":\"not:enough\"," ALL RANGE ",\"step\":15}", 400},
	{"SelectSeries", "{" TYPE RANGE ",\"step\":15}", 400},
	{"SelectSeries", "{" TYPE "\"labelSelector\":\"!bad_syntax!\"," RANGE ",\"step\":15}", 400},
	{"SelectSeries", "{" TYPE ALL RANGE "}", 400},
	{"SelectSeries", "{" TYPE ALL RANGE ",\"step\":0.0001}", 400},
	{"SelectSeries", "{" TYPE ALL RANGE ",\"step\":-1}", 400},
	{"SelectSeries", "{" TYPE ALL BACKWARDS ",\"step\":15}", 400},
	{"SelectSeries", "{" TYPE ALL "\"step\":15}", 400},
	{"SelectSeries", "{" TYPE ALL RANGE ",\"step\":15,\"exemplarType\":\"EXEMPLAR_TYPE_SPAN\"}",
	 404},

	{"SelectMergeSpanProfile", "{" TYPE ALL RANGE ",\"spanSelector\":[\"000000000000001a\"]}",
	 200},
	{"SelectMergeSpanProfile", "{" TYPE ALL RANGE "}", 200},
	{"SelectMergeSpanProfile", "{" TYPE ALL RANGE ",\"maxNodes\":10}", 200},
	{"SelectMergeSpanProfile", "{" TYPE ALL RANGE ",\"format\":2}", 200},
	{"SelectMergeSpanProfile", "{" ALL RANGE "}", 400},
	{"SelectMergeSpanProfile", "{\"profileTypeID\":\"\"," ALL RANGE "}", 400},
	{"SelectMergeSpanProfile", "{\"profileTypeID\":\"not:enough\"," ALL RANGE "}", 400},
	{"SelectMergeSpanProfile", "{" TYPE RANGE "}", 400},
	{"SelectMergeSpanProfile", "{" TYPE "\"labelSelector\":\"!bad_syntax!\"," RANGE "}", 400},
	{"SelectMergeSpanProfile", "{" TYPE ALL BACKWARDS "}", 400},
	{"SelectMergeSpanProfile", "{" TYPE ALL "\"spanSelector\":[]}", 400},

	{"Diff", "{\"left\":{" TYPE ALL RANGE "},\"right\":{" TYPE ALL RANGE "}}", 200},
	{"Diff", "{\"left\":{" TYPE ALL RANGE ",\"maxNodes\":9},\"right\":{" TYPE ALL RANGE "}}",
	 200},
	{"Diff", "{\"right\":{" TYPE ALL RANGE "}}", 400},
	{"Diff", "{\"left\":{" TYPE ALL RANGE "}}", 400},
	{"Diff", "{\"left\":{" ALL RANGE "},\"right\":{" TYPE ALL RANGE "}}", 400},
	{"Diff", "{\"left\":{" TYPE ALL RANGE "},\"right\":{" ALL RANGE "}}", 400},
	{"Diff",
	 "{\"left\":{\"profileTypeID\":\"bad\"," ALL RANGE "},\"right\":{" TYPE ALL RANGE "}}",
	 400},
	{"Diff",
	 "{\"left\":{" TYPE ALL RANGE "},\"right\":{\"profileTypeID\":\"bad\"," ALL RANGE "}}",
	 400},
	{"Diff", "{\"left\":{" TYPE RANGE "},\"right\":{" TYPE ALL RANGE "}}", 400},
	{"Diff", "{\"left\":{" TYPE ALL RANGE "},\"right\":{" TYPE RANGE "}}", 400},

	{"SelectHeatmap", "{" TYPE ALL RANGE ",\"step\":15,\"queryType\":1}", 200},
	{"SelectHeatmap", "{" TYPE ALL RANGE "}", 400},
	{"GetProfileStats", "{}", 200},
	{"AnalyzeQuery", "{" RANGE ",\"query\":\"{}\"}", 200},
};

static void each_body_gets_its_status(void **state)
{
	for (size_t i = 0; i < countof(calls); i++) {
		char target[128];

		snprintf(target, sizeof(target), RPC("%s"), calls[i].rpc);
		assert_status(*state, "POST", target, JSON, calls[i].body, calls[i].status);
	}
}

/* ---- status by parameters ---- */

#define QUERY(side) side "=" CPU "%7Bservice_name%3D%22shop%22%7D"
#define Q QUERY("query")
#define TIMES "&from=now-15m&until=now"
#define LEFT QUERY("leftQuery") "&leftFrom=now-30m&leftUntil=now-15m"
#define RIGHT QUERY("rightQuery") "&rightFrom=now-15m&rightUntil=now"

static const struct {
	const char *query;
	unsigned status;
} renders[] = {
	{Q TIMES, 200},
	{Q "&from=" T0_MS "&until=" T1_MS, 200},
	{Q "&from=1700000000&until=20231115", 200},
	{Q TIMES "&format=dot", 200},
	{Q TIMES "&format=dot&maxNodes=10", 200},
	{Q TIMES "&format=dot&max-nodes=10", 200},
	{Q TIMES "&format=whatever", 200},
	{Q TIMES "&groupBy=env", 200},
	{Q TIMES "&groupBy=env&groupBy=pod", 200},
	{Q TIMES "&aggregation=sum", 200},
	{Q TIMES "&aggregation=avg", 200},
	{Q TIMES "&aggregation=invalid", 200},
	{Q TIMES "&maxNodes=512", 200},
	{Q TIMES "&max-nodes=512", 200},
	{Q TIMES "&maxNodes=0", 200},
	{Q TIMES "&maxNodes=invalid", 200},
	{Q TIMES "&format=json&maxNodes=10&groupBy=env&aggregation=sum", 200},
	{Q "&from=0&until=0", 400},
	{Q "&from=0&until=now", 400},
	{Q "&from=now-15m&until=0", 400},
	{Q "&from=0&until=0&format=dot", 400},
	{"from=now-15m&until=now", 400},
	{"query=bad_query" TIMES, 400},
	{"query=%7Bservice_name%3D%22test%22%7D" TIMES, 400},
	{"query=invalid_format%7Ba%3D%22b%22%7D" TIMES, 400},
	{"query=" TIMES, 400},
	{"query=%zz" TIMES, 400},
};

static const struct {
	const char *query;
	unsigned status;
} diffs[] = {
	{LEFT "&" RIGHT, 200},
	{QUERY("leftQuery") "&leftFrom=now-15m&leftUntil=now&" RIGHT, 200},
	{RIGHT, 400},
	{LEFT, 400},
	{"leftQuery=bad&leftFrom=now-30m&leftUntil=now&" RIGHT, 400},
	{LEFT "&rightQuery=bad&rightFrom=now-30m&rightUntil=now", 400},
	{"leftQuery=%7Ba%3D%22b%22%7D&leftFrom=now-30m&leftUntil=now&" RIGHT, 400},
	{LEFT "&rightQuery=%7Ba%3D%22b%22%7D&rightFrom=now-30m&rightUntil=now", 400},
	{"leftQuery=&leftFrom=now-30m&leftUntil=now&" RIGHT, 400},
	{LEFT "&rightQuery=&rightFrom=now-30m&rightUntil=now", 400},
	{LEFT "&rightQuery=" HEAP "%7B%7D&rightFrom=now-15m&rightUntil=now", 400},
	{QUERY("leftQuery") "&leftFrom=0&leftUntil=now&" RIGHT, 400},
	{QUERY("leftQuery") "&leftFrom=now-15m&leftUntil=0&" RIGHT, 400},
	{LEFT "&" QUERY("rightQuery") "&rightFrom=0&rightUntil=now", 400},
	{LEFT "&" QUERY("rightQuery") "&rightFrom=now-15m&rightUntil=0", 400},
};

static void each_page_gets_its_status(void **state)
{
	static const char *const others[] = {"POST", "PUT", "DELETE", "PATCH"};
	char target[1024];

	for (size_t i = 0; i < countof(renders); i++) {
		snprintf(target, sizeof(target), "/pyroscope/render?%s", renders[i].query);
		assert_status(*state, "GET", target, "", "", renders[i].status);
		assert_status(*state, "GET", target + 10, "", "", renders[i].status);
	}
	for (size_t i = 0; i < countof(diffs); i++) {
		snprintf(target, sizeof(target), "/pyroscope/render-diff?%s", diffs[i].query);
		assert_status(*state, "GET", target, "", "", diffs[i].status);
	}
	for (size_t i = 0; i < countof(others); i++) {
		assert_status(*state, others[i], "/pyroscope/render?" Q TIMES, "", "", 405);
		assert_status(*state, others[i], "/pyroscope/render-diff?" LEFT "&" RIGHT, "", "",
			      405);
	}
	assert_status(*state, "GET", "/pyroscope/label-values?label=__name__", "", "", 200);
	assert_status(*state, "GET", "/pyroscope/label-values", "", "", 400);
	assert_status(*state, "GET", "/ready", "", "", 200);
	assert_status(*state, "GET", "/healthz", "", "", 200);
	assert_status(*state, "GET", "/api/v1/status/buildinfo", "", "", 200);
}

static void errors_are_json_with_a_code(void **state)
{
	struct test_answer a = {0};

	send_request(*state, &a, "GET", "/pyroscope/render?from=now-1h", "", STR(""));
	assert_int_equal(a.status, 400);
	assert_str_equal(test_answer_header(&a, "content-type"), STR("application/json"));
	assert_str_equal(a.body,
			 STR("{\"code\":\"invalid_argument\",\"message\":\"\\\"query\\\" is "
			     "required\"}"));
	test_answer_fini(&a);
	a = (struct test_answer){0};
	send_request(*state, &a, "POST", RPC("LabelValues"), JSON, STR("{" RANGE "}"));
	assert_str_equal(a.body,
			 STR("{\"code\":\"invalid_argument\",\"message\":\"name is required\"}"));
	test_answer_fini(&a);
}

static void calls_support_protobuf(void **state)
{
	struct test_answer a = {0};
	struct proto_writer w;

	proto_writer_init(&w, NULL);
	proto_put_uint(&w, 4, UINT64_C(1700000060000));
	proto_put_uint(&w, 3, UINT64_C(1700000000000));
	proto_put_bytes(&w, 1, STR("env"));
	send_request(*state, &a, "POST", RPC("LabelValues"),
		     "content-type: application/proto\r\nconnect-protocol-version: 1\r\n",
		     proto_writer_str(&w));
	assert_int_equal(a.status, 200);
	assert_str_equal(test_answer_header(&a, "content-type"), STR("application/proto"));
	assert_str_equal(a.body, STR("\x0a\x03"
				     "dev\x0a\x04"
				     "prod"));
	proto_writer_fini(&w);
	test_answer_fini(&a);
}

/* ---- the canary ---- */

#define CANARY "deadmans_switch:made_up:profilos:made_up:profilos"
#define CANARY_ASK                                                                                 \
	"{\"profileTypeID\":\"" CANARY "\",\"labelSelector\":\"{service_name=\\\"canary\\\"}\","   \
	"\"start\":1800000000000,\"end\":1800000005000"

/* Check the number of names and levels of the flame graph in a response. */
static void assert_flame(struct site *site, const char *rpc, const char *body, uint32_t names,
			 uint32_t levels)
{
	struct test_answer a = {0};
	struct arena arena;
	struct json doc;
	struct err e = {0};
	const struct json_value *flame;

	send_request(site, &a, "POST", rpc, JSON, str_from(body));
	assert_int_equal(a.status, 200);
	arena_init(&arena, NULL);
	json_init(&doc, &arena);
	assert_ok_err(json_parse(&doc, a.body, &e), &e);
	flame = json_get(json_root(&doc), STR("flamegraph"));
	assert_int_equal(json_count(json_get(flame, STR("names"))), names);
	assert_int_equal(json_count(json_get(flame, STR("levels"))), levels);
	arena_fini(&arena);
	test_answer_fini(&a);
}

static void the_canary_finds_its_profiles(void **state)
{
	struct site *site = *state;
	struct fill f = {.type = CANARY,
			 .labels = "service_name=canary,job=canary-exporter",
			 .time = UINT64_C(1800000000) * S + 123,
			 .id = "canary",
			 .samples = "func2;func1 10, func1 20 #c7"};
	struct test_answer a = {0};

	assert_ok(store_fill(site->store, &f, NULL));
	assert_flame(site, RPC("SelectMergeStacktraces"), CANARY_ASK "}", 3, 3);
	assert_flame(site, RPC("SelectMergeSpanProfile"),
		     CANARY_ASK ",\"spanSelector\":[\"00000000000000c7\"]}", 2, 2);
	assert_flame(site, RPC("SelectMergeStacktraces"),
		     CANARY_ASK ",\"profileIdSelector\":[\"63616e61-7279-0000-0000-"
				"000000000000\"]}",
		     3, 3);
	send_request(site, &a, "POST", RPC("SelectSeries"), JSON,
		     str_from(CANARY_ASK ",\"step\":1000,\"groupBy\":[\"service_name\"]}"));
	assert_str_equal(a.body,
			 STR("{\"series\":[{\"labels\":[{\"name\":\"service_name\",\"value\":"
			     "\"canary\"}],\"points\":[{\"value\":30,\"timestamp\":"
			     "\"1800000000000\"}]}]}"));
	test_answer_fini(&a);
	a = (struct test_answer){0};
	send_request(site, &a, "POST", RPC("SelectSeries"), JSON,
		     str_from(CANARY_ASK ",\"step\":5,\"exemplarType\":2}"));
	assert_has(a.body, "\"value\":\"30\"");
	assert_has(a.body, "63616e61-7279-0000-0000-000000000000");
	test_answer_fini(&a);
	a = (struct test_answer){0};
	send_request(site, &a, "GET",
		     "/pyroscope/render?query=" CANARY
		     "%7Bservice_name%3D%22canary%22%7D&from=1800000000000&until=1800000005000",
		     "", STR(""));
	assert_has(a.body, "\"names\":[\"total\",\"func2\",\"func1\"],\"levels\":[[0,30,0,0],"
			   "[0,20,20,2,0,10,0,1],[20,10,10,2]]");
	test_answer_fini(&a);
}

/* ---- tenants ---- */

static bool admit(void *owner, struct http_exchange *x, struct http_refusal *why)
{
	return access_admit(owner, x, why);
}

static void tenants_see_only_their_own_data(void **state)
{
	struct site site = {0};
	struct fill f = {.tenant = "two",
			 .type = CPU,
			 .labels = "service_name=secret",
			 .time = (T0 + 1) * S,
			 .samples = "x 1"};
	static const char body[] = "{\"name\":\"service_name\"," RANGE "}";
	struct test_answer a = {0};
	struct access access;
	struct err e = {0};

	(void)state;
	assert_ok_err(access_init(&access, NULL, true, &e), &e);
	site.app = (struct http_app){.admit = admit, .owner = &access};
	site_open(&site, &(struct api_options){.threads = 1, .tenants = true});
	assert_ok(store_fill(site.store, &f, NULL));
	assert_status(&site, "POST", RPC("LabelValues"), JSON, body, 401);
	send_request(&site, &a, "POST", RPC("LabelValues"), JSON "x-scope-orgid: two\r\n",
		     str_from(body));
	assert_str_equal(a.body, STR("{\"names\":[\"secret\"]}"));
	test_answer_fini(&a);
	a = (struct test_answer){0};
	send_request(&site, &a, "POST", RPC("LabelValues"), JSON "x-scope-orgid: three\r\n",
		     str_from(body));
	assert_str_equal(a.body, STR("{}"));
	test_answer_fini(&a);
	assert_status(&site, "POST", RPC("LabelValues"), JSON "x-scope-orgid: a/b\r\n", body, 400);
	assert_status(&site, "GET", "/api/v1/services?to=20990101&from=20200101", "", "", 401);
	assert_status(&site, "GET", "/ready", "", "", 200);
	site_close(&site);
	access_fini(&access);
}

/* A response that exceeds the network's memory is refused as a whole, not cut off in the middle. */
static void a_response_over_the_limit_is_an_error(void **state)
{
	static const char flame[] = "/api/v1/flame?from=" T0_MS "&to=" T1_MS;
	static const char merge[] = "{" TYPE ALL RANGE "}";
	struct site site = {0};
	struct test_answer a = {0};
	size_t size;

	(void)state;
	site_open(&site, &(struct api_options){.threads = 1});
	send_request(&site, &a, "GET", flame, "", STR(""));
	assert_int_equal(a.status, 200);
	size = a.body.n;
	test_answer_fini(&a);
	site_close(&site);

	site = (struct site){0};
	site_open(&site, &(struct api_options){.threads = 1, .max_answer = size});
	assert_status(&site, "GET", flame, "", "", 200);
	site_close(&site);

	site = (struct site){0};
	site_open(&site, &(struct api_options){.threads = 1, .max_answer = size / 2});
	a = (struct test_answer){0};
	send_request(&site, &a, "GET", flame, "", STR(""));
	assert_int_equal(a.status, 429);
	assert_has(a.body, "the memory limit allows");
	test_answer_fini(&a);
	assert_status(&site, "GET", flame, "accept-encoding: gzip\r\n", "", 200);
	assert_status(&site, "GET", "/ready", "", "", 200);
	site_close(&site);

	site = (struct site){0};
	site_open(&site, &(struct api_options){.threads = 1, .max_answer = 10});
	assert_status(&site, "POST", RPC("SelectMergeStacktraces"), JSON, merge, 429);
	site_close(&site);
}

static void metrics_count_requests_and_bytes(void **state)
{
	struct test_answer a = {0};
	char expected[100];

	assert_status(*state, "GET", "/pyroscope/render?" Q TIMES, "", "", 200);
	assert_status(*state, "GET", "/pyroscope/render", "", "", 400);
	send_request(*state, &a, "GET", "/healthz", "", STR(""));
	snprintf(expected, sizeof(expected),
		 "varve_api_response_bytes_total{path=\"/healthz\"} %zu\n", a.body.n);
	test_answer_fini(&a);
	a = (struct test_answer){0};
	send_request(*state, &a, "GET", "/metrics", "", STR(""));
	assert_int_equal(a.status, 200);
	assert_has(a.body, expected);
	assert_has(a.body, "varve_api_requests_total{path=\"/pyroscope/render\",code=\"2xx\"} 1\n");
	assert_has(a.body, "varve_api_requests_total{path=\"/pyroscope/render\",code=\"4xx\"} 1\n");
	assert_has(a.body, "varve_store_profiles 5\n");
	assert_has(a.body, "varve_net_connections_total ");
	assert_has(a.body, "varve_build_info{version=\"9.9\"} 1\n");
	test_answer_fini(&a);
}

/*
 * Services that are not implemented respond at their own paths: with an empty message or with 404.
 */
static void unsupported_services_of_pyroscope_get_an_empty_response_or_404(void **state)
{
	static const struct {
		const char *path;
		unsigned status;
	} cases[] = {
		{"/vcs.v1.VCSService/GithubApp", 404},
		{"/adhocprofiles.v1.AdHocProfileService/List", 404},
		{"/debuginfo.v1alpha1.DebuginfoService/ListDebuginfo", 404},
	};
	struct site *site = *state;

	for (size_t i = 0; i < empty_rpc_count; i++) {
		struct test_answer a = {0};
		char path[200], counted[300];

		snprintf(path, sizeof(path), "%.*s", STR_ARG(empty_rpcs[i].name));
		send_request(site, &a, "POST", path, "content-type: application/json\r\n",
			     STR("{}"));
		assert_int_equal(a.status, 200);
		test_answer_fini(&a);
		a = (struct test_answer){0};
		snprintf(counted, sizeof(counted),
			 "varve_api_requests_total{path=\"%s\",code=\"2xx\"} 1\n", path);
		send_request(site, &a, "GET", "/metrics", "", STR(""));
		assert_has(a.body, counted);
		test_answer_fini(&a);
	}
	for (size_t i = 0; i < countof(cases); i++)
		assert_status(site, "POST", cases[i].path, "content-type: application/json\r\n",
			      "{}", cases[i].status);
}

/* ---- slow queries ---- */

/* A store whose series() blocks until `open` is set or the query must end. */
struct slow_store {
	struct store store; /* first */
	_Atomic unsigned waiting, cancelled;
	_Atomic bool open;
};

static int slow_series(struct store *s, const struct store_select *sel, store_visit_series *visit,
		       void *ctx, struct err *e)
{
	struct slow_store *slow = (struct slow_store *)s;
	int rc = 0;

	(void)visit, (void)ctx, (void)e;
	atomic_fetch_add(&slow->waiting, 1);
	while (!rc && !atomic_load(&slow->open)) {
		usleep(1000);
		if (atomic_load(sel->limits.cancelled))
			rc = -ECANCELED;
		else if (clock_monotonic_ns() > sel->limits.deadline_ns)
			rc = -ETIMEDOUT;
	}
	atomic_fetch_sub(&slow->waiting, 1);
	atomic_fetch_add(&slow->cancelled, rc == -ECANCELED);
	return rc;
}

/* /api/v1/status works without the statistics of the store. */
static int no_stats(struct store *s, struct str tenant, struct store_stats *out, struct err *e)
{
	(void)s, (void)tenant, (void)out;
	return err_set(e, -EIO, "the disk is gone");
}

static const struct store_ops slow_ops = {.series = slow_series, .stats = no_stats};

struct slow_site {
	struct slow_store store;
	struct api *api;
	struct http_route routes[ROUTES_MAX];
	struct http_app app;
	struct test_server server;
};

static struct slow_site *slow_open(const struct api_options *options)
{
	struct slow_site *site = calloc(1, sizeof(*site));
	struct api_options o = *options;
	struct err e = {0};

	assert_non_null(site);
	site->store.store.ops = &slow_ops;
	o.store = &site->store.store;
	assert_ok_err(api_new(&site->api, &o, &e), &e);
	site->app.routes = site->routes;
	site->app.route_count = api_routes(site->api, site->routes, ROUTES_MAX);
	site->server = test_server_start(&site->app, NULL);
	return site;
}

static void slow_close(struct slow_site *site)
{
	atomic_store(&site->store.open, true);
	net_server_free(site->server.server);
	api_free(site->api);
	free(site);
}

static int slow_request(const struct slow_site *site)
{
	int fd = test_connect(site->server.port);

	assert_true(test_send(fd, STR("GET /api/v1/labels HTTP/1.1\r\nhost: localhost\r\n\r\n")));
	return fd;
}

/* Report a damaged day and fail: the damage may be the cause of the failure. */
static int damaged_series(struct store *s, const struct store_select *sel,
			  store_visit_series *visit, void *ctx, struct err *e)
{
	(void)s, (void)visit, (void)ctx;
	sel->limits.missing->n = 1;
	sel->limits.missing->days[0] = (uint64_t)1700006400 * NS_PER_SECOND;
	return err_set(e, -EIO, "nothing could be read");
}

static void an_error_lists_the_damaged_days(void **state)
{
	static const struct store_ops ops = {.series = damaged_series, .stats = no_stats};
	struct slow_site *site = slow_open(&(struct api_options){.threads = 1});
	struct test_answer a = {0};
	int fd;

	(void)state;
	site->store.store.ops = &ops;
	fd = slow_request(site);
	test_next_answer(fd, &a);
	assert_int_equal(a.status, 500);
	assert_has(a.body, "\"message\":\"nothing could be read (the data of these days is damaged "
			   "and not included: 2023-11-15)\"");
	test_answer_fini(&a);
	close(fd);
	slow_close(site);
}

static void wait_until(const _Atomic unsigned *counter, unsigned value)
{
	for (unsigned i = 0; i < TEST_WAIT_MS && atomic_load(counter) != value; i++)
		usleep(1000);
	assert_int_equal(atomic_load(counter), value);
}

static void too_many_queries_are_refused_at_once(void **state)
{
	struct slow_site *site = slow_open(&(struct api_options){.threads = 1, .waiting = 1});
	struct test_answer refused = {0}, answers[2] = {{{0}}, {{0}}};
	struct query_pool_stats stats = {0};
	int fds[3];

	(void)state;
	fds[0] = slow_request(site);
	wait_until(&site->store.waiting, 1); /* the first query runs, the next one waits */
	fds[1] = slow_request(site);
	for (unsigned i = 0; i < TEST_WAIT_MS && !stats.waiting; i++) {
		usleep(1000);
		query_pool_stats(site->api->pool, &stats);
	}
	fds[2] = slow_request(site);
	test_next_answer(fds[2], &refused);
	close(fds[2]);
	assert_int_equal(refused.status, 503);
	assert_str_equal(test_answer_header(&refused, "retry-after"), STR("1"));
	assert_has(refused.body, "{\"error\":{\"code\":\"unavailable\"");
	assert_int_equal(test_status(site->server.port,
				     STR("GET /api/v1/status HTTP/1.1\r\nhost: localhost\r\n\r\n")),
			 200); /* the status is still available */
	atomic_store(&site->store.open, true);
	for (unsigned i = 0; i < 2; i++) {
		test_next_answer(fds[i], &answers[i]);
		assert_int_equal(answers[i].status, 200);
		test_answer_fini(&answers[i]);
		close(fds[i]);
	}
	test_answer_fini(&refused);
	slow_close(site);
}

static void a_query_ends_when_its_client_disconnects(void **state)
{
	struct slow_site *site = slow_open(&(struct api_options){.threads = 1});
	int fd = slow_request(site);

	(void)state;
	wait_until(&site->store.waiting, 1);
	close(fd);
	wait_until(&site->store.cancelled, 1);
	wait_until(&site->store.waiting, 0);
	slow_close(site);
}

static void a_query_ends_at_its_deadline(void **state)
{
	struct slow_site *site =
		slow_open(&(struct api_options){.threads = 1, .timeout_ns = 20 * NS_PER_MS});
	struct test_answer a = {0};
	int fd = slow_request(site);

	(void)state;
	test_next_answer(fd, &a);
	assert_int_equal(a.status, 504);
	assert_has(a.body, "deadline_exceeded");
	test_answer_fini(&a);
	close(fd);
	slow_close(site);
}

/*
 * Each protocol has its header for the client's deadline, which also applies while the query waits
 * in the queue.
 */
static void a_query_ends_at_the_deadline_of_its_client(void **state)
{
	static const struct {
		const char *headers, *body;
		size_t body_n;
		unsigned status;
		const char *says;
	} cases[] = {
		{"content-type: application/json\r\nconnect-timeout-ms: 20\r\n", "{}", 2, 504,
		 "deadline_exceeded"},
		{"content-type: application/grpc-web+proto\r\ngrpc-timeout: 20m\r\n", "\0\0\0\0\0",
		 5, 200, "grpc-status: 4\r\n"},
	};
	struct slow_site *site = slow_open(&(struct api_options){.threads = 1, .waiting = 4});

	(void)state;
	for (unsigned busy = 0; busy < 2; busy++) {
		for (size_t i = 0; i < countof(cases); i++) {
			int first = busy ? slow_request(site) : -1;
			int fd = test_connect(site->server.port);
			struct test_answer a = {0};
			struct buf request = {0};

			if (busy)
				wait_until(&site->store.waiting, 1);
			buf_printf(&request,
				   "POST /querier.v1.QuerierService/ProfileTypes HTTP/1.1\r\nhost: "
				   "x\r\n%scontent-length: %zu\r\n\r\n",
				   cases[i].headers, cases[i].body_n);
			buf_put(&request, cases[i].body, cases[i].body_n);
			assert_true(test_send(fd, buf_str(&request)));
			if (busy) { /* the query starts after its deadline */
				usleep(30000);
				atomic_store(&site->store.open, true);
			}
			test_next_answer(fd, &a);
			assert_int_equal(a.status, cases[i].status);
			assert_has(a.body, cases[i].says);
			test_answer_fini(&a);
			buf_fini(&request);
			close(fd);
			if (busy)
				close(first);
			wait_until(&site->store.waiting, 0);
			atomic_store(&site->store.open, false);
		}
	}
	slow_close(site);
}

/* ---- files ---- */

/* Several clients query one file while others are opened. */
static void files_are_opened_and_queried_concurrently(void **state)
{
	struct site *site = *state;
	char target[128], body[64];
	struct test_answer a = {0};
	int fds[8];

	send_request(site, &a, "POST", "/api/v1/files?name=a.folded", "",
		     STR("main;work 3\nmain;idle 4\n"));
	assert_int_equal(a.status, 200);
	assert_has(a.body, "{\"id\":\"");
	snprintf(target, sizeof(target), "/api/v1/top?file=%.32s", a.body.p + 7);
	test_answer_fini(&a);
	for (size_t i = 0; i < countof(fds); i++) {
		struct buf out = {0};

		fds[i] = test_connect(site->server.port);
		buf_printf(&out, "GET %s HTTP/1.1\r\nhost: localhost\r\n\r\n", target);
		assert_true(test_send(fds[i], buf_str(&out)));
		buf_fini(&out);
		snprintf(body, sizeof(body), "main;other_%zu 1\n", i);
		assert_status(site, "POST", "/api/v1/files", "", body, 200);
	}
	for (size_t i = 0; i < countof(fds); i++) {
		a = (struct test_answer){0};
		test_next_answer(fds[i], &a);
		assert_int_equal(a.status, 200);
		assert_has(a.body, "\"total\":7,");
		test_answer_fini(&a);
		close(fds[i]);
	}
	assert_status(site, "GET", "/api/v1/files?id=00000000000000000000000000000000", "", "",
		      404);
	assert_status(site, "GET", "/api/v1/files", "", "", 400);
	assert_status(site, "POST", "/api/v1/files?format=jfr", "", "junk", 400);
	assert_status(site, "DELETE", "/api/v1/files", "", "", 405);
}

#define with_site(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

TEST_MAIN(with_site(calls_are_posts_of_json_or_protobuf),
	  with_site(unsupported_services_of_pyroscope_get_an_empty_response_or_404),
	  test(an_error_lists_the_damaged_days), with_site(each_body_gets_its_status),
	  with_site(each_page_gets_its_status), with_site(errors_are_json_with_a_code),
	  with_site(calls_support_protobuf), with_site(the_canary_finds_its_profiles),
	  with_site(metrics_count_requests_and_bytes),
	  with_site(files_are_opened_and_queried_concurrently),
	  test(tenants_see_only_their_own_data), test(a_response_over_the_limit_is_an_error),
	  test(too_many_queries_are_refused_at_once),
	  test(a_query_ends_when_its_client_disconnects), test(a_query_ends_at_its_deadline),
	  test(a_query_ends_at_the_deadline_of_its_client))

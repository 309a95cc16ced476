/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every API response with one failing allocation or disk read, for each such call in turn: the
 * response is byte for byte the one without faults, or an error with its reason. Afterwards the
 * same store gives the right response again.
 */
#include "api/api_test.h"

#include "api/endpoint.h"
#include "api/varve/varve.h"
#include "fault/inject.h"
#include "store/store_support.h"
#include "test/span_fill.h"

#define SHOP "query=shop"
#define RANGE "\"start\": " T0_MS ", \"end\": " T1_MS

struct case_ {
	/*
	 * Path in varve_endpoints or render_endpoints, or the name of a querier call, which is
	 * capitalized.
	 */
	const char *path;
	/* Parameters, or the message in JSON. */
	const char *query;
};

static const struct case_ cases[] = {
	{"/api/v1/services", ""},
	{"/api/v1/types", SHOP},
	{"/api/v1/labels", ""},
	{"/api/v1/label-values", "name=env"},
	{"/api/v1/label-sets", "name=env&name=service_name"},
	{"/api/v1/profiles", SHOP "&type=cpu"},
	{"/api/v1/profile", "id=30313233343536373839616263646566&" SHOP "&type=cpu"},
	{"/api/v1/top", SHOP "&type=cpu"},
	{"/api/v1/top", SHOP "&type=cpu&focus=%5E%5Bab%5D%24&ignore=b&hide=main"},
	{"/api/v1/top", SHOP "&type=memory"},
	{"/api/v1/tree", SHOP "&type=cpu"},
	{"/api/v1/flame", SHOP "&type=cpu"},
	{"/api/v1/flame", SHOP "&type=cpu&max_nodes=2"},
	{"/api/v1/flame", SHOP "&type=cpu&search=a&invert=1"},
	{"/api/v1/callers", SHOP "&type=cpu&function=a"},
	{"/api/v1/diff", "before=shop&after=cart&type=cpu"},
	{"/api/v1/series", SHOP "&type=cpu&by=env"},
	{"/api/v1/series", SHOP "&type=cpu&by=env&function=a"},
	{"/api/v1/heatmap", SHOP "&type=cpu"},
	{"/api/v1/span", SHOP "&type=cpu&span=000000000000001a"},
	{"/api/v1/trace", "trace=00000000000000000000000000000002"},
	{"/api/v1/spans", SHOP "&type=cpu"},
	{"/api/v1/moments", SHOP "&type=cpu"},
	{"/api/v1/stats", ""},
	{"/render",
	 "query=" CPU "%7Bservice_name%3D%22shop%22%7D&from=1700000000&until=1700000060"},
	{"/render-diff",
	 "leftQuery=" CPU "%7Bservice_name%3D%22shop%22%7D&leftFrom=1700000000&leftUntil=1700000060"
	 "&rightQuery=" CPU
	 "%7Bservice_name%3D%22cart%22%7D&rightFrom=1700000000&rightUntil=1700000060"},
	{"ProfileTypes", "{" RANGE "}"},
	{"LabelNames", "{" RANGE "}"},
	{"LabelValues", "{\"name\": \"env\", " RANGE "}"},
	{"Series", "{\"labelNames\": [\"env\", \"service_name\"], " RANGE "}"},
	{"SelectMergeStacktraces",
	 "{\"profileTypeID\": \"" CPU "\", \"labelSelector\": \"{}\", " RANGE "}"},
	{"SelectMergeSpanProfile",
	 "{\"profileTypeID\": \"" CPU
	 "\", \"labelSelector\": \"{}\", \"spanSelector\": [\"000000000000001a\"], " RANGE "}"},
	{"SelectMergeProfile",
	 "{\"profileTypeID\": \"" CPU "\", \"labelSelector\": \"{}\", " RANGE "}"},
	{"SelectSeries",
	 "{\"profileTypeID\": \"" CPU
	 "\", \"labelSelector\": \"{}\", \"groupBy\": [\"env\"], \"step\": 15, " RANGE "}"},
	{"SelectHeatmap",
	 "{\"profileTypeID\": \"" CPU
	 "\", \"labelSelector\": \"{}\", \"step\": 15, \"queryType\": 1, " RANGE "}"},
	{"Diff",
	 "{\"left\": {\"profileTypeID\": \"" CPU
	 "\", \"labelSelector\": \"{env=\\\"prod\\\"}\", " RANGE
	 "}, \"right\": {\"profileTypeID\": \"" CPU "\", \"labelSelector\": \"{}\", " RANGE "}}"},
	{"GetProfileStats", "{}"},
};

static const struct endpoint *find_endpoint(const char *path)
{
	for (size_t i = 0; i < varve_endpoint_count; i++)
		if (str_eq(varve_endpoints[i].path, str_from(path)))
			return &varve_endpoints[i];
	for (size_t i = 0; i < render_endpoint_count; i++)
		if (str_eq(render_endpoints[i].path, str_from(path)))
			return &render_endpoints[i];
	fail_msg("no endpoint has the path %s", path);
	return NULL;
}

static int send_request(struct test_request *q, const struct case_ *c)
{
	if (c->path[0] != '/')
		return request_rpc(q, c->path, c->query);
	return request_page(q, find_endpoint(c->path)->answer, c->query);
}

static struct str body_of(const struct test_request *q, const struct case_ *c)
{
	return buf_str(c->path[0] == '/' ? &q->reply.body : &q->json);
}

/* Repeat the request without faults, to check that the store and its caches are unchanged. */
static void check_response_again(struct store *store, const struct case_ *c, struct str expected,
				 const struct inject_sweep *s)
{
	struct test_request q;

	test_request_init(&q, store);
	if (send_request(&q, c))
		inject_report(s, "%s?%s: an error afterwards: %s", c->path, c->query, q.e.text);
	else if (!str_eq(body_of(&q, c), expected))
		inject_report(s, "%s?%s: afterwards %.*s\ninstead of %.*s", c->path, c->query,
			      STR_ARG(body_of(&q, c)), STR_ARG(expected));
	test_request_fini(&q);
}

/* Return whether the error blames the caller or gives no reason. */
static bool is_misleading(int rc, const struct err *e)
{
	return rc == -ENOENT || rc == -EINVAL || rc == -EUCLEAN || (!e->text[0] && rc != -ENOMEM);
}

/*
 * Run one round: request with a fault, compare, request without. The counting round records the
 * expected response.
 */
static void run_round(struct inject_sweep *s, struct store *store, const struct case_ *c,
		      struct buf *expected)
{
	struct test_request q;
	int rc;

	test_request_init(&q, store);
	inject_arm(s);
	rc = send_request(&q, c);
	inject_disarm(s);
	if (!s->round) {
		assert_ok_err(rc, &q.e);
		buf_put_str(expected, body_of(&q, c));
	} else if (!rc && !str_eq(body_of(&q, c), buf_str(expected))) {
		inject_report(s, "%s?%s is %.*s\ninstead of %.*s", c->path, c->query,
			      STR_ARG(body_of(&q, c)), STR_ARG(buf_str(expected)));
	} else if (rc && is_misleading(rc, &q.e)) {
		inject_report(s, "%s?%s: %d, %s", c->path, c->query, rc, q.e.text);
	}
	test_request_fini(&q);
	if (s->hit)
		check_response_again(store, c, buf_str(expected), s);
}

static void sweep_case(struct store *store, const struct case_ *c, enum inject_mode mode)
{
	struct inject_sweep s = inject_sweep(INJECT_MEMORY, mode);
	struct buf expected = {0};

	while (inject_next(&s))
		run_round(&s, store, c, &expected);
	buf_fini(&expected);
}

/* ---- over the embedded store ---- */

struct shop {
	char directory[64];
	struct store *store;
};

static void fill_spans(struct store *s)
{
	static const struct fill_span rows[] = {
		{0x2b, 0, "GET /cart", "cart", (T0 + 30) * S, S, 0},
		{0x2c, 0x2b, "query", "cart", (T0 + 30) * S, S / 2, 0},
		{0x1a, 0, "GET /", "shop", T0 * S, S, 2},
	};

	assert_ok(spans_fill(s, rows, countof(rows)));
}

static void open_shop(struct shop *shop)
{
	struct sqlite_store_options o = {
		.directory = shop->directory, .window_ms = 1, .manual = true};
	struct err e = {0};

	assert_ok_err(sqlite_store_open(&shop->store, &o, &e), &e);
}

static int disk_setup(void **state)
{
	static struct shop shop;
	struct err e = {0};

	make_directory(shop.directory);
	open_shop(&shop);
	fill_shop(shop.store);
	fill_spans(shop.store);
	assert_ok_err(sqlite_store_work(shop.store, true, &e), &e);
	*state = &shop;
	return 0;
}

static int disk_teardown(void **state)
{
	struct shop *shop = *state;

	shop->store->ops->close(shop->store);
	remove_tree(shop->directory);
	return 0;
}

static void responses_survive_each_failing_allocation(void **state)
{
	struct shop *shop = *state;

	for (size_t i = 0; i < countof(cases); i++)
		sweep_case(shop->store, &cases[i], INJECT_ONE);
	inject_check();
}

static void responses_survive_a_permanent_lack_of_memory(void **state)
{
	struct shop *shop = *state;

	for (size_t i = 0; i < countof(cases); i++)
		sweep_case(shop->store, &cases[i], INJECT_REST);
	inject_check();
}

/* Sweep a store that was just opened, so that everything is read from disk. */
static void sweep_cold(struct shop *shop, const struct case_ *c, unsigned kinds)
{
	struct inject_sweep s = inject_sweep(kinds, INJECT_ONE);
	struct buf expected = {0};

	while (inject_next(&s)) {
		shop->store->ops->close(shop->store);
		open_shop(shop);
		run_round(&s, shop->store, c, &expected);
	}
	buf_fini(&expected);
}

static const struct case_ cold_cases[] = {
	{"/api/v1/services", ""},
	{"/api/v1/top", SHOP "&type=cpu"},
	{"/api/v1/series", SHOP "&type=cpu&by=env"},
	{"/api/v1/trace", "trace=00000000000000000000000000000002"},
};

static void a_cold_store_survives_each_failing_allocation(void **state)
{
	for (size_t i = 0; i < countof(cold_cases); i++)
		sweep_cold(*state, &cold_cases[i], INJECT_MEMORY);
	inject_check();
}

static void a_cold_store_survives_each_failing_read(void **state)
{
	for (size_t i = 0; i < countof(cold_cases); i++)
		sweep_cold(*state, &cold_cases[i], INJECT_IO);
	inject_check();
}

#define on_disk(name) cmocka_unit_test_setup_teardown(name, disk_setup, disk_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		on_disk(responses_survive_each_failing_allocation),
		on_disk(responses_survive_a_permanent_lack_of_memory),
		on_disk(a_cold_store_survives_each_failing_allocation),
		on_disk(a_cold_store_survives_each_failing_read),
	};

	inject_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}

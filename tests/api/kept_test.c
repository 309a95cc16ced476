/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kept results: responses from them are byte for byte those that the store would give, and are
 * separated by tenant.
 */
#include "api_test.h"

#include <stdio.h>
#include <unistd.h>

#include "api/endpoint.h"
#include "store/sqlite/sqlite_store.h"

struct shop {
	char directory[64];
	struct store *store;
	struct budget budget;
	struct kept kept;
};

static int setup(void **state)
{
	struct shop *s = calloc(1, sizeof(*s));
	struct sqlite_store_options o = {.manual = true, .window_ms = 1};
	struct err e = {0};

	assert_non_null(s);
	strcpy(s->directory, "/tmp/varve-kept-XXXXXX");
	assert_non_null(mkdtemp(s->directory));
	o.directory = s->directory;
	assert_ok_err(sqlite_store_open(&s->store, &o, &e), &e);
	fill_shop(s->store);
	s->budget.limit = 64 * MIB;
	kept_init(&s->kept, &s->budget, 32 * MIB);
	*state = s;
	return 0;
}

static int teardown(void **state)
{
	struct shop *s = *state;
	char command[128];

	kept_fini(&s->kept);
	assert_int_equal(s->budget.used, 0);
	s->store->ops->close(s->store);
	snprintf(command, sizeof(command), "rm -rf %s", s->directory);
	assert_ok(system(command));
	free(s);
	return 0;
}

/* ---- queries ---- */

struct answer {
	int rc;
	char text[16384]; /* without as_of */
	char as_of[48];	  /* empty if the response has none */
	uint64_t hits;	  /* hits of this query, of either kind */
};

static uint64_t hits(struct shop *s)
{
	struct kept_stats stats;

	kept_stats(&s->kept, &stats);
	return stats.hits[KEPT_STACKS] + stats.hits[KEPT_TREE];
}

/* Move the value of "as_of":"..." out of the text. */
static void take_as_of(struct answer *a)
{
	static const char key[] = ",\"as_of\":\"";
	char *at = strstr(a->text, key), *value = at ? at + strlen(key) : NULL;
	char *end = value ? strchr(value, '"') : NULL;

	if (!end)
		return;
	snprintf(a->as_of, sizeof(a->as_of), "%.*s", (int)(end - value), value);
	memmove(at, end + 1, strlen(end + 1) + 1);
}

static void query_as(struct shop *s, bool kept, const char *tenant, const char *path,
		     const char *query, struct answer *out)
{
	const struct endpoint *at = varve_endpoints;
	struct store_missing missing = {0};
	uint64_t before = hits(s);
	struct test_request q;

	while (!str_eq(at->path, str_from(path)))
		at++;
	test_request_init(&q, s->store);
	q.request.tenant = str_from(tenant);
	q.request.limits.missing = &missing;
	if (kept) {
		q.request.limits.budget = &s->budget;
		q.request.kept = &s->kept;
	}
	*out = (struct answer){.rc = request_page(&q, at->answer, query)};
	assert_true(q.reply.body.n < sizeof(out->text));
	snprintf(out->text, sizeof(out->text), "%.*s", STR_ARG(buf_str(&q.reply.body)));
	take_as_of(out);
	out->hits = hits(s) - before;
	test_request_fini(&q);
}

/*
 * Assert that the response equals that of the store without kept results, and the number of hits.
 */
static void assert_result_and_hits(struct shop *s, const char *path, const char *query,
				   unsigned expected)
{
	struct answer now, kept;

	query_as(s, false, "", path, query, &now);
	query_as(s, true, "", path, query, &kept);
	assert_int_equal(kept.rc, now.rc);
	assert_string_equal(kept.text, now.text);
	if (kept.hits != expected)
		fail_msg("%s?%s: %u hits, expected %u", path, query, (unsigned)kept.hits, expected);
}

#define RANGE "&type=cpu&from=" T0_MS "&to=" T1_MS

/* ---- */

static void every_view_is_the_same_from_kept_results(void **state)
{
	static const struct {
		const char *path, *query;
		unsigned hits; /* of the first query */
	} requests[] = {
		{"/api/v1/flame", "query=" RANGE, 0},
		{"/api/v1/top", "query=" RANGE, 1},
		{"/api/v1/top", "query=&n=2&sort=total" RANGE, 1},
		{"/api/v1/flame", "query=&max_nodes=2" RANGE, 1},
		{"/api/v1/flame", "query=&path=main&path=c" RANGE, 1},
		{"/api/v1/sums", "query=&search=A" RANGE, 1},
		{"/api/v1/callers", "query=&function=a" RANGE, 1},
		/* another tree of the same stacks */
		{"/api/v1/flame", "query=&focus=c" RANGE, 1},
		{"/api/v1/flame", "query=&focus=C" RANGE, 1},
		{"/api/v1/flame", "query=&focus=C&ignore_case=1" RANGE, 1},
		{"/api/v1/flame", "query=&ignore=c" RANGE, 1},
		{"/api/v1/flame", "query=&hide=c" RANGE, 1},
		{"/api/v1/flame", "query=&show=c" RANGE, 1},
		{"/api/v1/flame", "query=&show_from=c" RANGE, 1},
		{"/api/v1/flame", "query=&function=c" RANGE, 1},
		{"/api/v1/flame", "query=&call_site=main&call_site=c" RANGE, 1},
		{"/api/v1/flame", "query=&call_site=main" RANGE, 1},
		{"/api/v1/flame", "query=&group=module" RANGE, 1},
		{"/api/v1/flame", "query=&invert=1" RANGE, 1},
		{"/api/v1/profile", "query=&format=folded" RANGE, 1},
		/* other stacks */
		{"/api/v1/flame", "query=shop" RANGE, 0},
		{"/api/v1/flame", "query=%7Benv%3D%22prod%22%7D" RANGE, 0},
		{"/api/v1/flame", "query=%7Benv!%3D%22prod%22%7D" RANGE, 0},
		{"/api/v1/flame", "query=&span=000000000000001a" RANGE, 0},
		{"/api/v1/flame", "query=&type=cpu&from=" T0_MS "&to=1700000020000", 0},
		{"/api/v1/flame", "query=&type=inuse_space&from=" T0_MS "&to=" T1_MS, 0},
		{"/api/v1/flame", "query=&time_from=" T0_MS "&time_to=" T1_MS RANGE, 0},
		/* both sides are kept; the tree of both is not */
		{"/api/v1/diff",
		 "before=shop&after=&flame=1&type=cpu&before_from=" T0_MS "&before_to=" T1_MS
		 "&after_from=" T0_MS "&after_to=" T1_MS,
		 2},
		{"/api/v1/diff",
		 "before=&after=shop&flame=1&type=cpu&before_from=" T0_MS "&before_to=" T1_MS
		 "&after_from=" T0_MS "&after_to=" T1_MS,
		 2},
	};
	struct shop *s = *state;

	for (size_t i = 0; i < countof(requests); i++)
		assert_result_and_hits(s, requests[i].path, requests[i].query, requests[i].hits);
	for (size_t i = 0; i < countof(requests); i++)
		assert_result_and_hits(s, requests[i].path, requests[i].query, 1);
}

static void a_write_into_the_range_is_visible_at_once(void **state)
{
	struct shop *s = *state;
	struct fill f = {.type = CPU,
			 .labels = "service_name=shop,env=prod",
			 .time = (T0 + 5) * S,
			 .samples = "main;new 7"};

	assert_result_and_hits(s, "/api/v1/flame", "query=" RANGE, 0);
	assert_ok(store_fill(s->store, &f, NULL));
	assert_result_and_hits(s, "/api/v1/flame", "query=" RANGE, 0);
	assert_result_and_hits(s, "/api/v1/flame", "query=" RANGE, 1);
	/*
	 * a write in the last second of the range, and one after it in a minute outside of the
	 * range
	 */
	f.time = (T0 + 59) * S;
	assert_ok(store_fill(s->store, &f, NULL));
	assert_result_and_hits(s, "/api/v1/top", "query=" RANGE, 0);
	f.time = (T0 + 600) * S;
	assert_ok(store_fill(s->store, &f, NULL));
	assert_result_and_hits(s, "/api/v1/top", "query=" RANGE, 1);
}

static void a_merge_does_not_invalidate_kept_results(void **state)
{
	struct shop *s = *state;
	struct err e = {0};

	assert_result_and_hits(s, "/api/v1/flame", "query=" RANGE, 0);
	assert_ok_err(sqlite_store_work(s->store, true, &e), &e);
	assert_result_and_hits(s, "/api/v1/flame", "query=" RANGE, 1);
}

static void a_deletion_is_visible_at_once(void **state)
{
	struct shop *s = *state;
	struct answer a;

	assert_result_and_hits(s, "/api/v1/flame", "query=" RANGE, 0);
	query_as(s, true, "", "/api/v1/data", "query=cart&before=" T1_MS, &a);
	assert_ok(a.rc);
	assert_non_null(strstr(a.text, "\"profiles\":1"));
	assert_result_and_hits(s, "/api/v1/flame", "query=" RANGE, 0);
	assert_result_and_hits(s, "/api/v1/flame", "query=" RANGE, 1);
}

static void kept_results_are_separated_by_tenant(void **state)
{
	static const char *const tenants[] = {"one", "two", ""};
	struct shop *s = *state;
	struct answer first[countof(tenants)], again;

	for (unsigned i = 0; i < 2; i++)
		assert_ok(store_fill(s->store,
				     &(struct fill){.tenant = tenants[i],
						    .type = CPU,
						    .labels = "service_name=shop",
						    .time = T0 * S,
						    .samples = i ? "main;two 2" : "main;one 1"},
				     NULL));
	for (unsigned i = 0; i < countof(tenants); i++) {
		query_as(s, true, tenants[i], "/api/v1/flame", "query=shop" RANGE, &first[i]);
		assert_ok(first[i].rc);
		assert_int_equal(first[i].hits, 0);
	}
	assert_non_null(strstr(first[0].text, "\"total\":1,"));
	assert_non_null(strstr(first[1].text, "\"total\":2,"));
	for (unsigned i = 0; i < countof(tenants); i++) {
		query_as(s, true, tenants[i], "/api/v1/flame", "query=shop" RANGE, &again);
		assert_int_equal(again.hits, 1);
		assert_string_equal(again.text, first[i].text);
	}
	/* the version of another tenant's response does not help either */
	{
		char query[256];

		snprintf(query, sizeof(query), "query=shop&as_of=%s" RANGE, first[0].as_of);
		query_as(s, true, "two", "/api/v1/flame", query, &again);
		assert_string_equal(again.text, first[1].text);
	}
}

static void a_query_can_request_the_version_of_a_response(void **state)
{
	struct shop *s = *state;
	struct answer shown, again;
	char query[256];

	query_as(s, true, "", "/api/v1/flame", "query=" RANGE, &shown);
	assert_true(shown.as_of[0]);
	assert_ok(store_fill(s->store,
			     &(struct fill){.type = CPU,
					    .labels = "service_name=shop,env=prod",
					    .time = T0 * S,
					    .samples = "main;new 7"},
			     NULL));
	snprintf(query, sizeof(query), "query=&as_of=%s" RANGE, shown.as_of);
	query_as(s, true, "", "/api/v1/flame", query, &again);
	assert_string_equal(again.text, shown.text);
	assert_string_equal(again.as_of, shown.as_of);
	/* another view of the same stacks: the response has the same version */
	snprintf(query, sizeof(query), "query=&focus=new&as_of=%s" RANGE, shown.as_of);
	query_as(s, true, "", "/api/v1/flame", query, &again);
	assert_null(strstr(again.text, "\"new\""));
	assert_string_equal(again.as_of, shown.as_of);
	assert_result_and_hits(s, "/api/v1/flame", "query=&focus=new" RANGE, 0);
	/* a version that is not kept any more gives the current one, with its version */
	query_as(s, true, "", "/api/v1/flame", query, &again);
	assert_non_null(strstr(again.text, "\"new\""));
	assert_string_not_equal(again.as_of, shown.as_of);
	query_as(s, true, "", "/api/v1/flame", "query=&as_of=12" RANGE, &again);
	assert_non_null(strstr(again.text, "\"new\""));
	query_as(s, true, "", "/api/v1/flame", "query=&as_of=yesterday" RANGE, &again);
	assert_int_equal(again.rc, -EINVAL);
}

#define SIDES                                                                                      \
	"before=shop&after=&type=cpu&before_from=" T0_MS "&before_to=" T1_MS "&after_from=" T0_MS  \
	"&after_to=" T1_MS

static unsigned kept_entries(struct shop *s)
{
	struct kept_stats stats;

	kept_stats(&s->kept, &stats);
	return (unsigned)stats.entries;
}

/*
 * Both sides of a difference share one tree, and are kept as if each had been queried separately.
 */
static void the_sides_of_a_difference_are_kept(void **state)
{
	struct shop *s = *state;

	assert_result_and_hits(s, "/api/v1/diff", SIDES "&flame=1", 0);
	assert_int_equal(kept_entries(s), 3);
	assert_result_and_hits(s, "/api/v1/diff", SIDES "&flame=1&sort=total", 1);
	assert_result_and_hits(s, "/api/v1/diff", SIDES "&flame=1&hide=handle", 2);
	assert_result_and_hits(s, "/api/v1/diff", SIDES "&flame=1&focus=handle", 2);
	assert_result_and_hits(s, "/api/v1/flame", "query=shop" RANGE, 1);
	assert_result_and_hits(s, "/api/v1/flame", "query=" RANGE, 1);
	assert_result_and_hits(s, "/api/v1/top", "query=shop&focus=handle" RANGE, 1);
	/* one side is evicted; the other still has the tree */
	assert_ok(store_fill(s->store,
			     &(struct fill){.type = CPU,
					    .labels = "service_name=shop",
					    .time = T0 * S,
					    .samples = "main;new 7"},
			     NULL));
	assert_result_and_hits(s, "/api/v1/flame", "query=" RANGE, 0);
	assert_result_and_hits(s, "/api/v1/diff", SIDES "&flame=1&focus=new", 1);
	assert_result_and_hits(s, "/api/v1/diff", SIDES "&flame=1&hide=new", 2);
}

static void a_difference_can_request_the_versions_of_a_response(void **state)
{
	struct shop *s = *state;
	struct answer shown, again;
	char query[512], before[64];

	query_as(s, true, "", "/api/v1/diff", SIDES "&flame=1", &shown);
	assert_non_null(strchr(shown.as_of, '-'));
	assert_ok(store_fill(s->store,
			     &(struct fill){.type = CPU,
					    .labels = "service_name=shop",
					    .time = T0 * S,
					    .samples = "main;new 7"},
			     NULL));
	snprintf(query, sizeof(query), SIDES "&flame=1&as_of=%s", shown.as_of);
	query_as(s, true, "", "/api/v1/diff", query, &again);
	assert_string_equal(again.text, shown.text);
	assert_string_equal(again.as_of, shown.as_of);
	assert_int_equal(again.hits, 1);
	/* other frames, and one side alone */
	snprintf(query, sizeof(query), SIDES "&hide=nothing&flame=1&as_of=%s", shown.as_of);
	query_as(s, true, "", "/api/v1/diff", query, &again);
	assert_string_equal(again.text, shown.text);
	assert_string_equal(again.as_of, shown.as_of);
	assert_int_equal(again.hits, 2);
	snprintf(query, sizeof(query), SIDES "&search=new&as_of=%s", shown.as_of);
	query_as(s, true, "", "/api/v1/sums", query, &again);
	assert_non_null(strstr(again.text, "\"frames\":0"));
	assert_string_equal(again.as_of, shown.as_of);
	snprintf(before, sizeof(before), "%.*s", (int)strcspn(shown.as_of, "-"), shown.as_of);
	snprintf(query, sizeof(query), "query=shop&as_of=%s" RANGE, before);
	query_as(s, true, "", "/api/v1/flame", query, &again);
	assert_null(strstr(again.text, "\"new\""));
	assert_string_equal(again.as_of, before);
	/* the version of one side is not enough for a difference */
	snprintf(query, sizeof(query), SIDES "&flame=1&as_of=%s", before);
	query_as(s, true, "", "/api/v1/diff", query, &again);
	assert_non_null(strstr(again.text, "\"new\""));
	assert_string_not_equal(again.as_of, shown.as_of);
	query_as(s, true, "", "/api/v1/diff", SIDES "&as_of=1-yesterday", &again);
	assert_int_equal(again.rc, -EINVAL);
}

/* ---- a store with a damaged day ---- */

struct damaged {
	struct store store; /* first */
	struct store_ops ops;
	struct store *real;
	unsigned calls;
};

static int damaged_stacks(struct store *base, const struct store_select *sel,
			  struct stack_tree *tree, struct stack_sums *sums, struct err *e)
{
	struct damaged *d = (struct damaged *)base;

	d->calls++;
	sel->limits.missing->n = 1;
	sel->limits.missing->days[0] = T0 / 86400 * 86400 * S;
	return d->real->ops->stacks(d->real, sel, tree, sums, e);
}

static uint64_t damaged_version(struct store *base, uint64_t from, uint64_t to)
{
	(void)base;
	(void)from;
	(void)to;
	return 5;
}

static void damaged_days_are_kept_with_the_result(void **state)
{
	struct shop *s = *state;
	struct damaged d = {.real = s->store};
	struct store *real = s->store;
	struct answer first, again;

	d.ops.stacks = damaged_stacks;
	d.ops.version = damaged_version;
	d.store.ops = &d.ops;
	s->store = &d.store;
	query_as(s, true, "", "/api/v1/flame", "query=&type=" CPU "&from=" T0_MS "&to=" T1_MS,
		 &first);
	query_as(s, true, "", "/api/v1/flame", "query=&type=" CPU "&from=" T0_MS "&to=" T1_MS,
		 &again);
	assert_non_null(strstr(first.text, "\"warnings\":[\"the data of these days is damaged"));
	assert_string_equal(again.text, first.text);
	query_as(s, true, "", "/api/v1/flame",
		 "query=&focus=a&type=" CPU "&from=" T0_MS "&to=" T1_MS, &again);
	assert_non_null(strstr(again.text, "\"warnings\":[\"the data of these days is damaged"));
	assert_int_equal(d.calls, 1);
	s->store = real;
}

/* A flame graph of all services from so many days before T0 until so many seconds after it. */
static const char *range_query(char query[128], unsigned days, unsigned seconds)
{
	snprintf(query, 128, "query=&type=cpu&from=%llu&to=%llu",
		 (unsigned long long)(T0 - days * 86400ull) * 1000,
		 (unsigned long long)(T0 + seconds) * 1000);
	return query;
}

/* The sums of whole past days are kept for ranges that end or begin elsewhere on the same days. */
static void whole_days_are_kept_apart_from_the_ends(void **state)
{
	struct shop *s = *state;
	struct fill f = {.type = CPU, .labels = "service_name=shop", .duration = 10 * S};
	char query[128], samples[64];

	for (unsigned day = 0; day < 6; day++) {
		f.time = (T0 - day * 86400) * S;
		snprintf(samples, sizeof(samples), "main;day%u %u, main;a;b %u", day, 1u << day,
			 100 + day);
		f.samples = samples;
		assert_ok(store_fill(s->store, &f, NULL));
	}
	assert_result_and_hits(s, "/api/v1/flame", range_query(query, 4, 60), 0);
	assert_result_and_hits(s, "/api/v1/flame", range_query(query, 4, 61), 1);
	assert_result_and_hits(s, "/api/v1/top", range_query(query, 4, 61), 1);
	assert_result_and_hits(s, "/api/v1/flame", range_query(query, 4, 1), 1);
	/* other days */
	assert_result_and_hits(s, "/api/v1/flame", range_query(query, 5, 60), 0);
	assert_result_and_hits(s, "/api/v1/flame", range_query(query, 5, 5), 1);
	/* a late profile in one of the days */
	f.time = (T0 - 2 * 86400 + 7) * S;
	f.samples = "main;late 5";
	assert_ok(store_fill(s->store, &f, NULL));
	assert_result_and_hits(s, "/api/v1/flame", range_query(query, 4, 62), 0);
	assert_result_and_hits(s, "/api/v1/flame", range_query(query, 4, 63), 1);
	/* a profile in the last, incomplete day leaves the others as they are */
	f.time = (T0 + 3) * S;
	f.samples = "main;last 6";
	assert_ok(store_fill(s->store, &f, NULL));
	assert_result_and_hits(s, "/api/v1/flame", range_query(query, 4, 63), 1);
	/* one whole day is not kept apart */
	assert_result_and_hits(s, "/api/v1/flame", range_query(query, 1, 60), 0);
	assert_result_and_hits(s, "/api/v1/flame", range_query(query, 1, 61), 0);
}

TEST_MAIN(
	cmocka_unit_test_setup_teardown(whole_days_are_kept_apart_from_the_ends, setup, teardown),

	cmocka_unit_test_setup_teardown(every_view_is_the_same_from_kept_results, setup, teardown),
	cmocka_unit_test_setup_teardown(a_write_into_the_range_is_visible_at_once, setup, teardown),
	cmocka_unit_test_setup_teardown(a_merge_does_not_invalidate_kept_results, setup, teardown),
	cmocka_unit_test_setup_teardown(a_deletion_is_visible_at_once, setup, teardown),
	cmocka_unit_test_setup_teardown(kept_results_are_separated_by_tenant, setup, teardown),
	cmocka_unit_test_setup_teardown(a_query_can_request_the_version_of_a_response, setup,
					teardown),
	cmocka_unit_test_setup_teardown(the_sides_of_a_difference_are_kept, setup, teardown),
	cmocka_unit_test_setup_teardown(a_difference_can_request_the_versions_of_a_response, setup,
					teardown),
	cmocka_unit_test_setup_teardown(damaged_days_are_kept_with_the_result, setup, teardown))

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles as metrics: labels, exact sums (compared with tables of functions of the same range),
 * counters, gaps, offsets, recursion, gauges, and what a selector may not select.
 */
#include <math.h>

#include "query/promql/profiles/promql_profile_names.h"
#include "query/promql/promql.h"
#include "query/promql/promql_store.h"
#include "query/wide.h"
#include "signal/metric/number_text.h"
#include "store/store_support.h"
#include "test/store_fill.h"

#define CPU "process_cpu:cpu:nanoseconds:cpu:nanoseconds"
#define INUSE "memory:inuse_space:bytes:space:bytes"
#define T (TEST_DAY * 86400) /* seconds; midnight */
#define S NS_PER_SECOND

struct fixture {
	char directory[64];
	struct store *store;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct sqlite_store_options o = {.window_ms = 1, .manual = true};
	struct err e = {0};

	make_directory(f->directory);
	o.directory = f->directory;
	assert_ok_err(open_test_store(&f->store, &o, &e), &e);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	f->store->ops->close(f->store);
	remove_tree(f->directory);
	free(f);
	return 0;
}

static void put_type(struct fixture *f, const char *type, const char *labels, uint64_t seconds,
		     const char *samples)
{
	struct fill row = {.type = type,
			   .labels = labels,
			   .time = (T + seconds) * S,
			   .duration = 15 * S,
			   .samples = samples};

	assert_ok(store_fill(f->store, &row, NULL));
}

static void put(struct fixture *f, const char *labels, uint64_t seconds, const char *samples)
{
	put_type(f, CPU, labels, seconds, samples);
}

/* ---- queries ---- */

/* Evaluate at seconds after T; a step of 0 is an instant query at `to`. */
static int evaluate(struct fixture *f, struct promql_result *out, const char *query, int64_t from,
		    int64_t to, int64_t step, struct err *e)
{
	struct promql_times times = {.start_ms = (int64_t)(T + (uint64_t)from) * 1000,
				     .end_ms = (int64_t)(T + (uint64_t)to) * 1000,
				     .step_ms = step * 1000};
	struct store_limits limits = {0};
	struct promql_options options = {0};
	struct promql_store source;
	struct promql_expr expr;
	int rc;

	*out = (struct promql_result){0};
	assert_ok_err(promql_parse(&expr, str_from(query), PROMQL_ALL_SYNTAX, NULL, e), e);
	promql_store_init(&source, f->store, STR(""), &limits);
	rc = promql_evaluate(out, &expr, &times, &source.source, &options, e);
	promql_expr_fini(&expr);
	return rc;
}

static void print_series(struct buf *out, const struct promql_result *r,
			 const struct promql_series *s)
{
	bool any = false;

	for (uint32_t i = 0; i < s->labels->n; i++) {
		buf_printf(out, "%s%.*s=%.*s", any ? "," : "", STR_ARG(s->labels->at[i].name),
			   STR_ARG(s->labels->at[i].value));
		any = true;
	}
	for (uint32_t i = 0; i < r->steps; i++) {
		buf_put_char(out, ' ');
		if (promql_is_absent(s->floats[i]))
			buf_put_char(out, '-');
		else
			number_text(out, round(s->floats[i] * 1e9) / 1e9, NUMBER_JSON);
	}
	buf_put_char(out, '\n');
}

static int compare_series(const void *a, const void *b)
{
	const struct promql_labels *x = ((const struct promql_series *)a)->labels;
	const struct promql_labels *y = ((const struct promql_series *)b)->labels;
	int c = 0;

	for (uint32_t i = 0; i < x->n && i < y->n && !c; i++)
		c = str_cmp(x->at[i].value, y->at[i].value);
	return c;
}

/* "label=value,... value value\n" for each series; - is an absent value. */
static void expect_over(struct fixture *f, const char *query, int64_t from, int64_t to,
			int64_t step, const char *expected)
{
	struct promql_result r;
	struct buf out = {0};
	struct err e = {0};

	assert_ok_err(evaluate(f, &r, query, from, to, step, &e), &e);
	if (r.series.n)
		qsort(r.series.at, r.series.n, sizeof(*r.series.at), compare_series);
	for (uint32_t i = 0; i < r.series.n; i++)
		print_series(&out, &r, &r.series.at[i]);
	assert_str_equal(buf_str(&out), str_from(expected));
	assert_int_equal(r.annotations.list.n, 0);
	buf_fini(&out);
	promql_result_fini(&r);
}

static void expect(struct fixture *f, const char *query, int64_t at, const char *expected)
{
	expect_over(f, query, at, at, 0, expected);
}

static void expect_error(struct fixture *f, const char *query, int rc, const char *says)
{
	struct promql_result r;
	struct err e = {0};

	assert_int_equal(evaluate(f, &r, query, 60, 60, 0, &e), rc);
	assert_err_says(&e, says);
	promql_result_fini(&r);
}

/* ---- tests ---- */

static void a_series_has_labels_of_profile_and_function(void **state)
{
	struct fixture *f = *state;

	put(f,
	    "service_name=shop,service.namespace=eu,service.instance.id=i1,service.version=v1,"
	    "k8s.pod=p1,module=m",
	    30, "main;net/http.serve|/usr/bin/app 2000000000");
	expect(f, "profile_cpu_seconds", 60,
	       "__name__=profile_cpu_seconds,exported_module=m,function=net/http.serve,"
	       "instance=i1,job=eu/shop,k8s_pod=p1,module=app,package=net/http,scope=self,"
	       "service=shop,service_instance_id=i1,service_name=shop,service_namespace=eu,"
	       "service_version=v1,version=v1 2\n");
	expect(f, "sum by (job) (profile_cpu_seconds{job=\"eu/shop\",instance=~\"i.\"})", 60,
	       "job=eu/shop 2\n");
	expect(f, "profile_cpu_seconds{job=\"shop\"}", 60, "");
	expect(f, "sum by (function) (profile_cpu_seconds{scope=\"total\"})", 60,
	       "function=main 2\nfunction=net/http.serve 2\n");
	expect(f, "profile_cpu_seconds{function=\"main\"}", 60, "");
	expect(f, "sum by (package) (profile_cpu_seconds{package=\"net/http\",version=\"v1\"})", 60,
	       "package=net/http 2\n");
	expect(f, "sum by (service) (profile_cpu_seconds{version!=\"v1\"})", 60, "");
	expect(f, "sum by (service) (profile_cpu_seconds{k8s_pod=~\"p.\"})", 60,
	       "service=shop 2\n");
	expect(f, "count({service=\"shop\"})", 60, "");
	expect(f, "count by (__name__) ({__name__=~\"profile_.*\"})", 60,
	       "__name__=profile_cpu_seconds 1\n");
	expect(f, "profile_wall_seconds", 60, "");
	/* older than the lookback */
	expect(f, "profile_cpu_seconds", 30 + 300, "");
}

static void recursion_counts_once(void **state)
{
	struct fixture *f = *state;

	put(f, "service_name=shop", 10,
	    "main;a;b;a 1000000000, main;a 2000000000, main;b 4000000000");
	expect(f, "sum by (function) (increase(profile_cpu_seconds[1m]))", 60,
	       "function=a 3\nfunction=b 4\n");
	expect(f, "sum by (function) (increase(profile_cpu_seconds{scope=\"total\"}[1m]))", 60,
	       "function=a 3\nfunction=b 5\nfunction=main 7\n");
	expect(f,
	       "sum by (scope) (increase(profile_cpu_seconds{scope=~\"self|total\",function=\"b\"}"
	       "[1m]))",
	       60, "scope=self 4\nscope=total 5\n");
	/* functions are not told apart: each stack counts once */
	expect(f, "sum(increase(profile_cpu_seconds{scope=\"total\",function=~\"a|b\"}[1m]))", 60,
	       " 7\n");
	expect(f, "sum(increase(profile_cpu_seconds[1m]))", 60, " 7\n");
}

static void increases_are_exact_and_have_gaps(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < 4; i++) /* 15, 30, 45, 60 */
		put(f, "service_name=shop", 15 + 15 * i, "main;a 1000000000");
	put(f, "service_name=shop", 600, "main;b 3000000000");
	/* windows of a minute end at 60, 120 ...: (0, 60] has four profiles */
	expect_over(f, "sum by (function) (increase(profile_cpu_seconds[1m]))", 0, 180, 60,
		    "function=a - 4 - -\n");
	expect_over(f, "sum by (function) (increase(profile_cpu_seconds[50s]))", 30, 120, 30,
		    "function=a 2 4 2 -\n");
	/* a function that does not occur is 0 while there are profiles of its service */
	expect_over(f, "sum by (function) (increase(profile_cpu_seconds[11m]))", 60, 660, 600,
		    "function=a 4 4\nfunction=b 0 3\n");
	expect_over(f, "sum by (function) (rate(profile_cpu_seconds[10s]))", 600, 610, 10,
		    "function=b 0.3 -\n");
	expect(f, "sum(increase(profile_cpu_seconds[1m] offset 9m))", 600, " 4\n");
	expect(f,
	       "sum(increase(profile_cpu_seconds[1m])) - sum(increase(profile_cpu_seconds[1m] "
	       "offset "
	       "9m))",
	       600, " -1\n");
	expect_over(f, "sum(increase(profile_cpu_seconds[1m] @ 1728000060))", 500, 560, 60,
		    " 4 4\n");
	expect(f, "sum(increase(profile_cpu_seconds[1m] anchored))", 60, " 4\n");
	expect(f, "sum(max_over_time(sum(increase(profile_cpu_seconds[30s]))[10m:15s]))", 600,
	       " 3\n");
}

static void counters_grow_until_midnight(void **state)
{
	struct fixture *f = *state;
	const int64_t day = 86400;

	put(f, "service_name=shop", 100, "main;a 1000000000");
	put(f, "service_name=shop", 80000, "main;a 2000000000");
	put(f, "service_name=shop", 86399, "main;a 4000000000");
	put(f, "service_name=shop", 86400, "main;a 8000000000");
	put(f, "service_name=shop", 86460, "main;a 16000000000");
	expect_over(f, "sum(profile_cpu_seconds)", 80000, 80120, 120, " 3 3\n");
	expect_over(f, "sum(profile_cpu_seconds)", day - 60, day + 120, 60, " - 8 24 24\n");
	expect(f, "sum(profile_cpu_seconds - profile_cpu_seconds offset 1m)", 86490, " 16\n");
	expect(f, "sum(increase(profile_cpu_seconds[2m]))", day + 60, " 28\n");
	expect(f, "sum(resets(profile_cpu_seconds[2m]))", day + 60, " 0\n");
	expect(f, "sum(count_over_time(profile_cpu_seconds[2m]))", day + 60, " 3\n");
}

static void gauges_are_levels(void **state)
{
	struct fixture *f = *state;

	put_type(f, INUSE, "service_name=shop,pod=a", 15, "main;a 100, main;b 50");
	put_type(f, INUSE, "service_name=shop,pod=a", 30, "main;a 300");
	put_type(f, INUSE, "service_name=shop,pod=b", 20, "main;a 1000");
	expect(f, "sum by (function) (profile_memory_inuse_space_bytes)", 20,
	       "function=a 1100\nfunction=b 50\n");
	expect(f, "sum by (function) (profile_memory_inuse_space_bytes)", 40,
	       "function=a 1300\nfunction=b 0\n");
	expect(f, "sum by (function) (avg_over_time(profile_memory_inuse_space_bytes[1m]))", 60,
	       "function=a 1200\nfunction=b 25\n");
	expect(f,
	       "sum by (pod) (max_over_time(profile_memory_inuse_space_bytes{function=\"a\"}[1m]))",
	       60, "pod=a 300\npod=b 1000\n");
	expect_over(f, "sum by (pod) (profile_memory_inuse_space_bytes)", 15, 45, 15,
		    "pod=a 150 300 300\npod=b - 1000 1000\n");
}

/* Two types can have one name: counters are added up, gauges are told apart. */
static void types_with_one_name_are_one_metric(void **state)
{
	struct fixture *f = *state;

	put(f, "service_name=shop", 10, "main;a 1000000000");
	put_type(f, "process_cpu:cpu:milliseconds::", "service_name=shop", 20, "main;a 2000");
	put_type(f, INUSE, "service_name=shop", 10, "main;a 5");
	put_type(f, "memory:inuse_space:bytes::", "service_name=shop", 10, "main;a 6");
	expect(f, "count by (__name__) ({__name__=~\"profile_.*\",scope=\"self\"})", 60,
	       "__name__=profile_cpu_seconds 1\n__name__=profile_memory_inuse_space_bytes 2\n");
	expect(f, "sum by (profile_type) (profile_memory_inuse_space_bytes)", 60,
	       " 5\nprofile_type=memory:inuse_space:bytes:: 6\n");
	expect(f, "sum(increase(profile_cpu_seconds[1m]))", 60, " 3\n");
	expect(f, "sum by (function) (increase(profile_cpu_seconds[3h]))", 60, "function=a 3\n");
	expect(f, "sum(increase(profile_cpu_seconds{__profile_type__=\"" CPU "\"}[1m]))", 60,
	       " 1\n");
}

static void aggregations_agree_with_single_series(void **state)
{
	struct fixture *f = *state;

	put(f, "service_name=shop,pod=a", 10, "main;a 1000000000, main;b 2000000000");
	put(f, "service_name=shop,pod=b", 20, "main;a 4000000000");
	/* the second side has no hint: all series */
	expect(f,
	       "sum by (pod) (increase(profile_cpu_seconds[1m])) == "
	       "sum by (pod) (increase(profile_cpu_seconds[1m]) * 1)",
	       60, "pod=a 3\npod=b 4\n");
	expect(f,
	       "sum without (pod, module, file, package, scope, job, service, service_name) "
	       "(increase(profile_cpu_seconds[1m]))",
	       60, "function=a 5\nfunction=b 2\n");
	expect(f, "count by (function) (increase(profile_cpu_seconds[1m]))", 60,
	       "function=a 2\nfunction=b 1\n");
	expect(f, "topk(1, sum by (function) (increase(profile_cpu_seconds[1m])))", 60,
	       "function=a 5\n");
}

/* ---- compared with tables of functions ---- */

static void fill_random(struct fixture *f)
{
	static const char *const modules[] = {"", "|/bin/app", "|/lib/libc.so"};
	static const char *const labels[] = {"service_name=shop,pod=a,service.version=v1",
					     "service_name=shop,pod=b,service.version=v2",
					     "service_name=shop,pod=c,service.version=v2",
					     "service_name=cart,pod=d"};
	uint64_t seed = 7;
	char text[4096];

	for (unsigned i = 0; i < 240; i++) {
		size_t n = 0;

		for (unsigned k = 0; k < 8; k++) {
			unsigned depth = 1 + test_random(&seed, 6);

			n += (size_t)snprintf(text + n, sizeof(text) - n, "%sf%u%s", k ? ", " : "",
					      test_random(&seed, 4),
					      modules[test_random(&seed, 3)]);
			while (depth--)
				n += (size_t)snprintf(text + n, sizeof(text) - n, ";f%u%s",
						      test_random(&seed, 5),
						      modules[test_random(&seed, 3)]);
			n += (size_t)snprintf(text + n, sizeof(text) - n, " %u0000000",
					      1 + test_random(&seed, 500));
		}
		put(f, labels[test_random(&seed, 4)], 3600 + 20 * i + test_random(&seed, 20), text);
	}
}

/* Find the value of a function in a result, 0 if there is none. */
static double value_of(const struct promql_result *r, uint32_t step, struct str function,
		       struct str module)
{
	for (uint32_t i = 0; i < r->series.n; i++) {
		const struct promql_series *s = &r->series.at[i];

		if (str_eq(promql_labels_get(s->labels, STR("function")), function) &&
		    str_eq(promql_labels_get(s->labels, STR("module")), module))
			return promql_is_absent(s->floats[step]) ? 0 : s->floats[step];
	}
	return 0;
}

/* Compare a step of a result with the table of functions of [from, to] in ms. */
static void compare_table(struct fixture *f, const struct promql_result *r, uint32_t step,
			  int64_t from, int64_t to, bool total)
{
	struct store_select select = {.from = (uint64_t)from * NS_PER_MS,
				      .to = (uint64_t)(to + 1) * NS_PER_MS};
	struct tree_options options = {.group = GROUP_FUNCTION};
	struct selector selector;
	struct top top = {0};
	struct tree tree;
	struct err e = {0};
	double sum = 0, expected = 0;

	selector_init(&selector);
	assert_ok(selector_parse(&selector, STR("shop{__profile_type__=\"" CPU "\"}"), &e));
	select.selector = &selector;
	assert_ok(tree_init(&tree, &options, NULL));
	assert_ok_err(wide_top(f->store, &select, &tree, &top, &e), &e);
	for (uint32_t i = 0; i < top.n; i++) {
		const struct frame_name *name = &tree.names.rows.at[top.rows[i].name];
		double is = value_of(r, step, name->text, names_module(name->module));
		double should = (double)(total ? top.rows[i].total[0] : top.rows[i].self[0]) / 1e9;

		expected += should;
		if (fabs(is - should) > 1e-9)
			fail_msg("%.*s at step %u: %g instead of %g", STR_ARG(name->text), step, is,
				 should);
	}
	for (uint32_t i = 0; i < r->series.n; i++)
		sum += promql_is_absent(r->series.at[i].floats[step])
			       ? 0
			       : r->series.at[i].floats[step];
	assert_float_equal(sum, expected, 1e-6);
	tree_fini(&tree);
	selector_fini(&selector);
}

static void compare_query(struct fixture *f, int64_t from, int64_t to, int64_t step, int64_t range,
			  bool total)
{
	struct promql_result r;
	struct err e = {0};
	char query[200];

	snprintf(query, sizeof(query),
		 "sum by (function, module) (increase(profile_cpu_seconds{service=\"shop\","
		 "scope=\"%s\"}[%llds]))",
		 total ? "total" : "self", (long long)range);
	assert_ok_err(evaluate(f, &r, query, from, to, step, &e), &e);
	for (uint32_t i = 0; i < r.steps; i++) {
		int64_t at = promql_step_time(&r, i);

		compare_table(f, &r, i, at - range * 1000 + 1, at, total);
	}
	promql_result_fini(&r);
}

static void sums_equal_tables_of_functions(void **state)
{
	struct fixture *f = *state;

	fill_random(f);
	for (unsigned pass = 0; pass < 2; pass++) {
		struct err e = {0};

		for (unsigned total = 0; total < 2; total++) {
			compare_query(f, 9000, 9000, 0, 9000, total);
			compare_query(f, 7201, 7201, 0, 333, total);
			compare_query(f, 3600, 9000, 300, 600, total);
			compare_query(f, 3601, 9000, 250, 130, total);
			compare_query(f, 3600, 9000, 1800, 3600, total);
			/* long slots: added up by the store */
			compare_query(f, 7200, 14400, 7200, 7200, total);
			compare_query(f, 5000, 12000, 3500, 7000, total);
		}
		assert_ok_err(sqlite_store_work(f->store, true, &e), &e); /* merged and rolled up */
	}
}

static void times_far_away_have_no_profiles(void **state)
{
	struct fixture *f = *state;

	put(f, "service_name=shop", 30, "main;a 1000000000");
	expect(f, "sum(profile_cpu_seconds offset 100y)", 60, "");
	expect(f, "sum(profile_cpu_seconds offset -280y)", 60, "");
	expect(f, "sum(increase(profile_cpu_seconds[100y]))", 60, " 1\n");
	expect(f, "sum(profile_cpu_seconds @ 100000000000)", 60, "");
	expect(f, "sum by (function) (increase(profile_cpu_seconds[280y] offset -280y))", 60, "");
}

static void names_follow_from_types(void **state)
{
	static const struct {
		const char *type, *name;
		double divisor;
		bool gauge;
	} rows[] = {
		{CPU, "profile_cpu_seconds", 1e9, false},
		{"process_cpu:samples:count:cpu:nanoseconds", "profile_cpu_samples", 1, false},
		{"wall:wall:nanoseconds:wall:nanoseconds", "profile_wall_seconds", 1e9, false},
		{"off_cpu:off_cpu:milliseconds::", "profile_off_cpu_seconds", 1e3, false},
		{"memory:alloc_objects:count:space:bytes", "profile_memory_alloc_objects", 1,
		 false},
		{INUSE, "profile_memory_inuse_space_bytes", 1, true},
		{"mutex:delay:nanoseconds:mutex:count", "profile_mutex_delay_seconds", 1e9, false},
		{"block:contentions:count:block:count", "profile_block_contentions", 1, false},
		{"goroutines:goroutine:count:goroutine:count", "profile_goroutines", 1, true},
		{"page faults:major-faults:count::", "profile_page_faults_major_faults", 1, false},
		{"x:y:pages::", "profile_x_y_pages", 1, false},
	};
	struct arena a;

	(void)state;
	arena_init(&a, NULL);
	for (size_t i = 0; i < countof(rows); i++) {
		struct profile_metric m;
		struct profile_type t;

		assert_true(profile_type_parse(&t, str_from(rows[i].type)));
		assert_ok(profile_metric_of(&m, &t, &a));
		assert_str_equal(m.name, str_from(rows[i].name));
		assert_float_equal(m.divisor, rows[i].divisor, 0);
		assert_int_equal(m.gauge, rows[i].gauge);
	}
	arena_fini(&a);
}

/* Other services are not read, and do not count, if a matcher cannot be passed to the store. */
static void services_are_told_apart(void **state)
{
	struct fixture *f = *state;
	char labels[64];

	for (unsigned i = 0; i < 70; i++) {
		snprintf(labels, sizeof(labels), "service_name=s.%u*,service.namespace=n%u", i,
			 i % 2);
		put(f, labels, 10, "main;a 1000000000");
	}
	put(f, "service_name=sx1*", 10, "main;a 5000000000");
	expect(f, "sum(increase(profile_cpu_seconds{job=~\"n0/.*\"}[1m]))", 60, " 35\n");
	expect(f, "sum by (function) (increase(profile_cpu_seconds{job=~\"n1/s.[13].\"}[1m]))", 60,
	       "function=a 2\n");
	expect(f, "sum by (job) (increase(profile_cpu_seconds{job=\"n1/s.1*\"}[3h]))", 60,
	       "job=n1/s.1* 1\n");
	expect(f, "sum by (function) (increase(profile_cpu_seconds{job=~\"n1/s.[13].\"}[3h]))", 60,
	       "function=a 2\n");
	expect(f, "sum by (function) (increase(profile_cpu_seconds[3h]))", 60, "function=a 75\n");
}

static void too_many_functions_are_refused(void **state)
{
	struct fixture *f = *state;
	char text[64 * 1024];
	unsigned next = 0;

	for (unsigned i = 0; i < 40; i++) {
		size_t n = 0;

		for (unsigned k = 0; k < 2000; k++)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%sf%u 1000000000",
					      k ? "," : "", next++);
		put(f, "service_name=shop", 30, text);
	}
	expect_error(f, "profile_cpu_seconds", -EDOM, "add a matcher of service, function");
	expect(f, "sum(increase(profile_cpu_seconds[1m]))", 60, " 80000\n");
	expect(f, "sum(profile_cpu_seconds{function=~\"f777.\"})", 60, " 10\n");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_series_has_labels_of_profile_and_function),
		TEST(recursion_counts_once),
		TEST(increases_are_exact_and_have_gaps),
		TEST(counters_grow_until_midnight),
		TEST(gauges_are_levels),
		TEST(types_with_one_name_are_one_metric),
		TEST(aggregations_agree_with_single_series),
		TEST(sums_equal_tables_of_functions),
		TEST(times_far_away_have_no_profiles),
		cmocka_unit_test(names_follow_from_types),
		TEST(services_are_told_apart),
		TEST(too_many_functions_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Rules with their threads over an embedded store, while they are read and loaded again. */
#include <time.h>

#include "query/query_pool.h"
#include "rules/rule_store.h"
#include "rules/rules.h"
#include "store/store_support.h"

#include "test/test.h"

enum { LOADS = 20, PATIENCE_MS = 20000 };

struct fixture {
	char directory[64], path[128];
	struct store *store;
	struct query_pool *pool;
	struct rules *rules;
};

static void load(struct fixture *f, const char *groups)
{
	const struct str pattern = str_from(f->path);
	struct rules_config *config = NULL;
	struct err e = {0};
	FILE *file = fopen(f->path, "w");

	assert_non_null(file);
	fputs(groups, file);
	assert_int_equal(fclose(file), 0);
	assert_ok_err(rules_config_read(&config, NULL, &e), &e);
	assert_ok_err(rules_load(f->rules, &config, &pattern, 1, &e), &e);
}

static int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct sqlite_store_options o = {.window_ms = 1};
	struct err e = {0};

	assert_non_null(f);
	make_directory(f->directory);
	snprintf(f->path, sizeof(f->path), "%s/rules.yml", f->directory);
	o.directory = f->directory;
	assert_ok_err(open_test_store(&f->store, &o, &e), &e);
	assert_ok_err(query_pool_new(&f->pool, 2, 16, &e), &e);
	assert_ok_err(rules_new(&f->rules, &(struct rules_options){.store = f->store}, &e), &e);
	*state = f;
	return 0;
}

static int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	rules_stop(f->rules);
	query_pool_free(f->pool);
	rules_free(f->rules);
	f->store->ops->close(f->store);
	remove_tree(f->directory);
	free(f);
	return 0;
}

static void pause_ms(long ms)
{
	const struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	nanosleep(&t, NULL);
}

/* Wait until the first group has been evaluated `n` times. */
static bool wait_iterations(struct fixture *f, uint64_t n)
{
	for (int i = 0; i < PATIENCE_MS / 10; i++) {
		uint64_t done;

		rules_lock(f->rules);
		pthread_mutex_lock(&rules_group(f->rules, 0)->mu);
		done = rules_group(f->rules, 0)->stats.iterations;
		pthread_mutex_unlock(&rules_group(f->rules, 0)->mu);
		rules_unlock(f->rules);
		if (done >= n)
			return true;
		pause_ms(10);
	}
	return false;
}

/* Return the value of a query of the store, now; -1: there is none. */
static double query(struct fixture *f, const char *expr)
{
	struct rule_store s;
	struct rule_result r;
	struct rule_sample sample;
	struct err e = {0};
	uint32_t at = 0;
	double value = -1;

	rule_store_init(&s, f->store, f->pool, NULL);
	assert_ok_err(rule_query(&s.io, STR(""), str_from(expr),
				 (int64_t)(clock_realtime_ns() / NS_PER_MS), &r, &e),
		      &e);
	if (rule_next_sample(&r, &at, &sample))
		value = sample.value;
	rule_result_fini(&r);
	return value;
}

static bool wait_value(struct fixture *f, const char *expr, double value)
{
	for (int i = 0; i < PATIENCE_MS / 10; i++) {
		if (query(f, expr) == value)
			return true;
		pause_ms(10);
	}
	return false;
}

static void rules_run(void **state)
{
	struct fixture *f = *state;
	struct buf out = {0};
	struct err e = {0};
	int64_t active;

	load(f,
	     "groups: [{name: a, interval: 50ms, rules: [{record: one, expr: vector(1)}, {record: "
	     "two, expr: one * 2}, {alert: A, expr: two > 1}]}, {name: b, interval: 70ms, rules: "
	     "[{record: three, expr: 'one * 3', labels: {x: y}}]}]");
	assert_ok_err(rules_start(f->rules, f->pool, &e), &e);
	assert_true(wait_iterations(f, 3));
	assert_true(wait_value(f, "two", 2));
	assert_true(wait_value(f, "three{x=\"y\"}", 3));
	assert_true(wait_value(f, "ALERTS{alertstate=\"firing\"}", 1));
	active = rules_group(f->rules, 0)->rules[2].state.alerts.at[0].active_ms;

	for (int i = 0; i < LOADS; i++) {
		char text[256];

		snprintf(text, sizeof(text),
			 "groups: [{name: a, interval: 50ms, rules: [{record: one, expr: "
			 "vector(1)}, "
			 "{record: two, expr: one * %d}, {alert: A, expr: two > 1}]}%s]",
			 i + 2, i % 2 ? ", {name: b, interval: 20ms, rules: []}" : "");
		load(f, text);
		rules_metrics(f->rules, &out);
		pause_ms(i % 3 * 20);
	}
	buf_fini(&out);
	assert_true(wait_value(f, "two", LOADS + 1));
	assert_true(wait_value(f, "three", -1)); /* its group has gone */
	rules_hold(f->rules);
	assert_int_equal(rules_group(f->rules, 0)->rules[2].state.alerts.at[0].active_ms, active);
	assert_int_equal(rules_group(f->rules, 0)->stats.failures, 0);
	rules_release(f->rules);
}

/* A query that takes too long ends, and delays the end of the program only a little. */
static void stops_do_not_wait(void **state)
{
	struct fixture *f = *state;
	struct err e = {0};
	uint64_t began;

	load(f, "groups: [{name: a, interval: 50ms, rules: [{record: x, expr: "
		"'count_over_time(vector(1)[100d:100ms])'}]}]");
	assert_ok_err(rules_start(f->rules, f->pool, &e), &e);
	pause_ms(200);
	began = clock_monotonic_ns();
	rules_stop(f->rules);
	assert_true(clock_monotonic_ns() - began < PATIENCE_MS * NS_PER_MS);
}

TEST_MAIN(test_with(fixture, rules_run), test_with(fixture, stops_do_not_wait))

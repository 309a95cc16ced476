/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluation of rules over series in memory, at times that the test chooses. */
#include <math.h>

#include "rules/eval/rule_group.h"
#include "rules/test/rule_memory.h"

#include "test/test.h"

enum { MINUTE = 60000 };
#define START INT64_C(1700000000000)

/* A group that is evaluated at START + n minutes. */
struct bench {
	struct rule_memory io;
	struct rule_file *file;
	struct rule_group *group;
	struct rule_settings settings;
	struct promql_memory_series *input;
};

static struct rule_group *make_group(struct bench *b, const char *rules, bool restored)
{
	struct rule_group *g;
	struct buf text = {0};
	struct err e = {0};

	rule_file_unref(b->file);
	buf_printf(&text, "groups:\n  - name: g\n    rules:\n%s", rules);
	assert_ok_err(rule_file_parse(&b->file, buf_str(&text), "r.yml", 0, NULL, &e), &e);
	assert_int_equal(
		rule_group_new(&g, b->file, &b->file->groups.at[0], &b->settings, restored), 0);
	buf_fini(&text);
	return g;
}

static void bench_init(struct bench *b, const char *rules, bool restored)
{
	const struct promql_label name = {STR("__name__"), STR("x")};

	*b = (struct bench){.settings = {.interval_ms = MINUTE,
					 .outage_ms = 60 * MINUTE,
					 .grace_ms = 10 * MINUTE,
					 .resend_ms = MINUTE}};
	assert_int_equal(rule_memory_init(&b->io, NULL), 0);
	b->input = promql_memory_add(&b->io.memory, &name, 1);
	assert_non_null(b->input);
	b->group = make_group(b, rules, restored);
}

static void bench_fini(struct bench *b)
{
	rule_group_free(b->group);
	rule_file_unref(b->file);
	rule_memory_fini(&b->io);
}

/* Evaluate at a minute, after x has got a value; NAN: it has none. */
static void run(struct bench *b, int minute, double value)
{
	int64_t at = START + (int64_t)minute * MINUTE;

	assert_int_equal(promql_memory_put(&b->io.memory, b->input, at,
					   value == value ? value : metric_value(NATIVE_STALE_BITS),
					   0),
			 0);
	rule_group_eval(b->group, &b->io.io, at, NULL);
}

/* Return the sum of a query at a minute, -1 if it is empty. */
static double query(struct bench *b, const char *expr, int minute)
{
	struct rule_result r = {0};
	struct rule_sample s;
	struct err e = {0};
	uint32_t at = 0;
	double sum = -1;

	assert_ok_err(rule_query(&b->io.io, STR(""), str_from(expr),
				 START + (int64_t)minute * MINUTE, &r, &e),
		      &e);
	while (rule_next_sample(&r, &at, &s))
		sum = (sum < 0 ? 0 : sum) + s.value;
	rule_result_fini(&r);
	return sum;
}

static void expect(struct bench *b, const char *expr, int minute, double value)
{
	double found = query(b, expr, minute);

	if (found != value)
		fail_msg("%s is %g, expected %g", expr, found, value);
}

/* Return the state of the only alert; -1: there is none. */
static int state_of(const struct bench *b, uint32_t rule)
{
	const struct rule_state *s = &b->group->rules[rule].state;

	assert_true(s->alerts.n < 2);
	return s->alerts.n ? (int)s->alerts.at[0].state : -1;
}

static void later_rules_see_earlier_ones(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b,
		   "      - {record: one, expr: x + 1}\n"
		   "      - {record: other, expr: x * 3, labels: {a: b}}\n"
		   "      - {record: two, expr: one * 2}\n"
		   "      - {record: three, expr: 'sum({__name__=~\"one|other\"})'}\n"
		   "      - {record: scalar, expr: '5'}\n",
		   true);
	assert_int_equal(b.group->rules[1].reads, 0);
	assert_int_equal(b.group->rules[2].reads, 1);
	assert_int_equal(b.group->rules[3].reads, 3);
	run(&b, 0, 4);
	expect(&b, "one", 0, 5);
	expect(&b, "other{a=\"b\"}", 0, 12);
	expect(&b, "two", 0, 10);
	expect(&b, "three", 0, 17);
	expect(&b, "scalar", 0, 5);
	/* vanished series end at once */
	run(&b, 1, NAN);
	expect(&b, "one", 1, -1);
	expect(&b, "scalar", 1, 5);
	assert_int_equal(b.group->stats.evaluations, 10);
	assert_int_equal(b.group->stats.failures, 0);
	assert_int_equal(b.group->stats.samples, 1);
	bench_fini(&b);
}

static void alerts_have_states(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b,
		   "      - alert: A\n"
		   "        expr: x > 10\n"
		   "        for: 2m\n"
		   "        labels: {level: '{{ if gt $value 50.0 }}high{{ else }}low{{ end }}'}\n"
		   "        annotations: {text: 'x is {{ $value }}'}\n",
		   true);
	run(&b, 0, 5);
	assert_int_equal(state_of(&b, 0), -1);
	run(&b, 1, 20);
	assert_int_equal(state_of(&b, 0), ALERT_PENDING);
	expect(&b, "ALERTS{alertstate=\"pending\",level=\"low\"}", 1, 1);
	expect(&b, "ALERTS_FOR_STATE", 1, START / 1000 + 60);
	run(&b, 2, 30);
	assert_int_equal(state_of(&b, 0), ALERT_PENDING);
	run(&b, 3, 40);
	assert_int_equal(state_of(&b, 0), ALERT_FIRING);
	assert_str_equal(b.group->rules[0].state.alerts.at[0].annotations[0].value, STR("x is 40"));
	expect(&b, "ALERTS{alertstate=\"pending\"}", 3, -1);
	expect(&b, "ALERTS{alertstate=\"firing\"}", 3, 1);
	run(&b, 4, 5);
	assert_int_equal(state_of(&b, 0), ALERT_INACTIVE);
	expect(&b, "ALERTS", 4, -1);
	/* resolved alerts are kept for 15 minutes */
	run(&b, 19, 5);
	assert_int_equal(state_of(&b, 0), ALERT_INACTIVE);
	run(&b, 20, 5);
	assert_int_equal(state_of(&b, 0), -1);
	/* a pending alert that ends leaves nothing */
	run(&b, 21, 20);
	run(&b, 22, 5);
	assert_int_equal(state_of(&b, 0), -1);
	bench_fini(&b);
}

static void alerts_keep_firing(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "      - {alert: A, expr: x > 10, keep_firing_for: 3m}\n", true);
	run(&b, 0, 20);
	assert_int_equal(state_of(&b, 0), ALERT_FIRING);
	run(&b, 1, 5);
	assert_int_equal(state_of(&b, 0), ALERT_FIRING);
	assert_int_equal(b.group->rules[0].state.alerts.at[0].keep_since_ms, START + MINUTE);
	run(&b, 2, 20); /* again: the time begins anew */
	assert_int_equal(b.group->rules[0].state.alerts.at[0].keep_since_ms, 0);
	run(&b, 3, 5);
	run(&b, 5, 5);
	assert_int_equal(state_of(&b, 0), ALERT_FIRING);
	expect(&b, "ALERTS{alertstate=\"firing\"}", 5, 1);
	run(&b, 6, 5);
	assert_int_equal(state_of(&b, 0), ALERT_INACTIVE);
	bench_fini(&b);
}

static void failures_change_nothing(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b,
		   "      - {alert: A, expr: x > 10}\n"
		   "      - {record: r, expr: 'label_replace(x, \"a\", \"1\", \"\", \"\") or x', "
		   "labels: {a: c}}\n",
		   true);
	run(&b, 0, 20);
	assert_int_equal(state_of(&b, 0), ALERT_FIRING);
	assert_int_equal(b.group->rules[0].health, RULE_OK);
	assert_int_equal(b.group->rules[1].health, RULE_FAILED);
	assert_string_equal(b.group->rules[1].error,
			    "vector contains metrics with the same labelset after applying rule "
			    "labels");
	assert_int_equal(b.group->stats.failures, 1);
	bench_fini(&b);
}

static void limits_clear_alerts(void **state)
{
	struct bench b;
	struct rule_file *f;
	struct err e = {0};

	(void)state;
	bench_init(&b, "      - {record: unused, expr: x}\n", true);
	rule_group_free(b.group);
	assert_ok_err(
		rule_file_parse(
			&f,
			STR("groups: [{name: g, limit: 1, rules: [{alert: A, expr: 'x > 0 or "
			    "label_replace(x > 5, \"a\", \"b\", \"\", \"\")'}, {record: r, expr: "
			    "'x > 0 or label_replace(x > 5, \"a\", \"b\", \"\", \"\")'}]}]"),
			"r.yml", 0, NULL, &e),
		&e);
	assert_int_equal(rule_group_new(&b.group, f, &f->groups.at[0], &b.settings, true), 0);
	rule_file_unref(f);
	run(&b, 0, 1);
	assert_int_equal(state_of(&b, 0), ALERT_FIRING);
	expect(&b, "r", 0, 1);
	run(&b, 1, 10);
	assert_int_equal(state_of(&b, 0), -1);
	assert_string_equal(b.group->rules[0].error, "exceeded limit of 1 with 2 alerts");
	assert_string_equal(b.group->rules[1].error, "exceeded limit of 1 with 2 series");
	expect(&b, "r", 1, 1); /* the last sample, no marker */
	bench_fini(&b);
}

/* Stop after an alert was pending for `before` minutes, start `outage` minutes later. */
static int64_t restore(int before, int outage, const char *hold)
{
	struct bench b;
	char rules[128];
	int64_t active;
	int start = before + outage;

	snprintf(rules, sizeof(rules), "      - {alert: A, expr: x > 10, for: %s}\n", hold);
	bench_init(&b, rules, true);
	for (int i = 0; i <= before; i++)
		run(&b, i, 20);
	rule_group_free(b.group);
	b.group = make_group(&b, rules, false);
	run(&b, start, 20);
	assert_true(rule_group_needs_restore(b.group));
	expect(&b, "ALERTS", start, outage < 5 ? 1 : -1);
	rule_group_restore(b.group, &b.io.io, START + (int64_t)start * MINUTE, NULL);
	assert_false(rule_group_needs_restore(b.group));
	active = (b.group->rules[0].state.alerts.at[0].active_ms - START) / MINUTE;
	run(&b, start + 1, 20);
	expect(&b, "ALERTS", start + 1, 1);
	bench_fini(&b);
	return active;
}

static void states_are_restored(void **state)
{
	(void)state;
	/* it was firing */
	assert_int_equal(restore(20, 7, "15m"), 0);
	/* 17 minutes were missing: the time of the outage does not count */
	assert_int_equal(restore(3, 7, "20m"), 7);
	/* 5 minutes were missing: it fires after the grace period of 10 minutes */
	assert_int_equal(restore(15, 7, "20m"), 22 + 10 - 20);
	/* a hold shorter than the grace period begins anew */
	assert_int_equal(restore(4, 7, "5m"), 11);
	/* too long ago */
	assert_int_equal(restore(20, 100, "15m"), 120);
}

static void reloads_keep_states(void **state)
{
	struct bench b;
	struct rule_group *next;

	(void)state;
	bench_init(&b,
		   "      - {alert: A, expr: x > 10, for: 2m}\n"
		   "      - {record: gone, expr: x}\n"
		   "      - {record: stays, expr: x}\n",
		   true);
	run(&b, 0, 20);
	run(&b, 2, 20);
	assert_int_equal(state_of(&b, 0), ALERT_FIRING);
	next = make_group(&b,
			  "      - {record: stays, expr: x * 2}\n"
			  "      - {alert: A, expr: x > 11, for: 5m}\n",
			  true);
	rule_group_take(next, b.group);
	rule_group_free(b.group);
	b.group = next;
	assert_int_equal(state_of(&b, 1), ALERT_FIRING);
	run(&b, 3, 20);
	assert_int_equal(state_of(&b, 1), ALERT_PENDING); /* the hold became longer */
	expect(&b, "gone", 3, -1);
	expect(&b, "stays", 3, 40);
	run(&b, 5, 20);
	assert_int_equal(state_of(&b, 1), ALERT_FIRING);
	rule_group_end(b.group, &b.io.io, START + 6 * MINUTE);
	expect(&b, "stays", 6, -1);
	expect(&b, "ALERTS", 6, -1);
	bench_fini(&b);
}

TEST_MAIN(test(later_rules_see_earlier_ones), test(alerts_have_states), test(alerts_keep_firing),
	  test(failures_change_nothing), test(limits_clear_alerts), test(states_are_restored),
	  test(reloads_keep_states))

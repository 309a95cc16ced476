/* SPDX-License-Identifier: Apache-2.0 */
/* The runner of unit tests. */
#include "rules/test/rule_test.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "query/promql/syntax/promql_literal.h"
#include "rules/eval/rule_group.h"
#include "rules/test/rule_memory.h"
#include "rules/test/rule_test_text.h"

struct runner {
	const struct rule_test_file *f;
	const struct rule_test *t;
	struct rule_test_report *report;
	struct budget *budget;
	struct rule_memory io;
	struct rule_settings settings;
	struct rule_group **groups; /* in the order of evaluation */
	uint32_t n;
	struct arena scratch; /* of one comparison */
	struct err *e;
};

/* ---- report ---- */

void rule_test_report_init(struct rule_test_report *report, struct budget *budget)
{
	*report = (struct rule_test_report){0};
	arena_init(&report->arena, budget);
}

void rule_test_report_fini(struct rule_test_report *report)
{
	arena_fini(&report->arena);
}

static int report_text(struct rule_test_report *report, struct str text)
{
	struct str copy;

	if (report->failures.n >= RULE_TEST_FAILURES_MAX)
		return 0;
	if (arena_copy_str(&report->arena, text, &copy))
		return -ENOMEM;
	return vec_push(&report->arena, &report->failures, copy);
}

static int report_buf(struct runner *r, struct buf *b)
{
	int rc = buf_error(b);

	if (!rc)
		rc = report_text(r->report, buf_str(b));
	buf_fini(b);
	return rc;
}

static void put_test_name(struct buf *b, const struct rule_test *t)
{
	if (t->name.n)
		buf_printf(b, "    name: %.*s,\n", STR_ARG(t->name));
}

/* Append a duration as Go prints it: 1h0m30s, 1m0s, 1.5s, 0s. */
static void put_go_duration(struct buf *b, int64_t ms)
{
	int64_t s = ms / 1000;

	if (s >= 3600)
		buf_printf(b, "%lldh", (long long)(s / 3600));
	if (s >= 60)
		buf_printf(b, "%lldm", (long long)(s / 60 % 60));
	if (ms && ms < 1000)
		buf_printf(b, "%lldms", (long long)ms);
	else
		buf_printf(b, "%.10gs", (double)(s % 60) + (double)(ms % 1000) / 1000);
}

/* ---- set-up ---- */

static int load_series(struct runner *r)
{
	int rc = 0;

	for (uint32_t i = 0; i < r->t->series.n && !rc; i++) {
		const struct series_line *line = r->t->series.at[i];
		struct promql_memory *m = &r->io.memory;
		struct promql_memory_series *s =
			promql_memory_add(m, line->labels, line->label_count);
		uint32_t from = s ? s->histograms.n : 0;

		rc = s ? 0 : -ENOMEM;
		for (uint32_t k = 0; k < line->values.n && !rc; k++) {
			const struct series_value *v = &line->values.at[k];
			int64_t time = r->t->start_ms + (int64_t)k * r->t->interval_ms;

			if (v->omitted)
				continue;
			rc = v->histogram ? promql_memory_put_histogram(m, s, time, v->histogram, 0)
					  : promql_memory_put(m, s, time, v->value, 0);
		}
		if (!rc)
			promql_memory_set_hints(s, from);
	}
	return rc;
}

/* Return the place of a group in group_eval_order; groups that are not in it are first. */
static uint32_t order_of(const struct runner *r, const struct rule_group *g)
{
	for (uint32_t i = 0; i < r->f->group_order.n; i++)
		if (str_eq(r->f->group_order.at[i], g->def->name))
			return i;
	return 0;
}

/* Insert a group after those of the same place. */
static void insert_group(struct runner *r, struct rule_group *g)
{
	uint32_t i = r->n++;

	for (; i; i--) {
		struct rule_group *before = r->groups[i - 1];

		if (before && order_of(r, before) <= order_of(r, g))
			break;
		r->groups[i] = before;
	}
	r->groups[i] = g;
}

static int make_groups(struct runner *r, const struct rule_list *rules)
{
	size_t room = 1;
	int rc = 0;

	for (uint32_t i = 0; i < rules->n; i++)
		room += rules->files[i]->groups.n;
	r->groups = calloc(room, sizeof(struct rule_group *));
	if (!r->groups)
		return -ENOMEM;
	for (uint32_t i = 0; i < rules->n; i++)
		for (uint32_t k = 0; k < rules->files[i]->groups.n && !rc; k++) {
			struct rule_group *g = NULL;

			rc = rule_group_new(&g, rules->files[i], &rules->files[i]->groups.at[k],
					    &r->settings, true);
			if (g)
				insert_group(r, g);
		}
	return rc;
}

/* ---- evaluation ---- */

static int64_t last_time(const struct rule_test *t)
{
	int64_t last = 0;

	for (uint32_t i = 0; i < t->alerts.n; i++)
		if (t->alerts.at[i].at_ms > last)
			last = t->alerts.at[i].at_ms;
	for (uint32_t i = 0; i < t->queries.n; i++)
		if (t->queries.at[i].at_ms > last)
			last = t->queries.at[i].at_ms;
	return last;
}

/* Evaluate all groups. Return 0, 1 if a rule failed, or -ENOMEM. */
static int evaluate(struct runner *r, int64_t at_ms)
{
	bool failed = false;
	int rc = 0;

	r->io.memory.until_ms = r->t->start_ms + at_ms;
	for (uint32_t i = 0; i < r->n && !rc; i++) {
		struct rule_group *g = r->groups[i];

		if (!g)
			continue; /* never: for the static analyzer */
		rule_group_eval(g, &r->io.io, r->t->start_ms + at_ms, NULL);
		for (uint32_t k = 0; k < g->def->rule_count && !rc; k++) {
			struct buf b = {0};

			if (g->rules[k].health != RULE_FAILED)
				continue;
			failed = true;
			buf_printf(&b, "    rule: %.*s, time: ", STR_ARG(g->def->rules[k].name));
			put_go_duration(&b, r->t->start_ms + at_ms);
			buf_printf(&b, ", err: %s", g->rules[k].error ? g->rules[k].error : "");
			rc = report_buf(r, &b);
		}
	}
	return rc ? rc : failed;
}

/* ---- alerts ---- */

typedef VEC(struct rule_test_alert) alert_list;

static int encode(struct arena *a, const struct label *labels, uint32_t n, struct str *out)
{
	struct buf b = {0};
	int rc;

	for (uint32_t i = 0; i < n; i++)
		if (labels[i].value.n)
			metric_labels_put(&b, labels[i].name, labels[i].value);
	rc = buf_error(&b);
	if (!rc)
		rc = arena_copy_str(a, buf_str(&b), out);
	buf_fini(&b);
	return rc;
}

static int add_alert(struct runner *r, alert_list *list, struct rule_test_alert a)
{
	int rc = encode(&r->scratch, a.labels, a.label_count, &a.key);

	if (!rc)
		rc = encode(&r->scratch, a.annotations, a.annotation_count, &a.annotation_key);
	return rc ? rc : vec_push(&r->scratch, list, a);
}

static int compare_names(const void *a, const void *b)
{
	return str_cmp(((const struct label *)a)->name, ((const struct label *)b)->name);
}

static int compare_alerts(const void *a, const void *b)
{
	const struct rule_test_alert *x = a, *y = b;
	int order = metric_labels_cmp(x->key, y->key);

	return order ? order : metric_labels_cmp(x->annotation_key, y->annotation_key);
}

static void sort_alerts(alert_list *list)
{
	if (list->n)
		qsort(list->at, list->n, sizeof(*list->at), compare_alerts);
}

/* The firing alerts of a name, of all groups. */
static int find_alerts(struct runner *r, struct str name, alert_list *list)
{
	int rc = 0;

	for (uint32_t i = 0; i < r->n; i++)
		for (uint32_t k = 0; k < r->groups[i]->def->rule_count; k++) {
			const struct live_rule *rule = &r->groups[i]->rules[k];

			if (rule->def->kind != RULE_ALERTING || !str_eq(rule->def->name, name))
				continue;
			for (uint32_t m = 0; m < rule->state.alerts.n && !rc; m++) {
				const struct alert *a = &rule->state.alerts.at[m];

				if (a->state == ALERT_FIRING)
					rc = add_alert(
						r, list,
						(struct rule_test_alert){
							.labels = a->labels,
							.label_count = a->label_count,
							.annotations = a->annotations,
							.annotation_count = a->annotation_count});
			}
		}
	sort_alerts(list);
	return rc;
}

/* The expected alerts, with the label alertname. */
static int expect_alerts(struct runner *r, const struct rule_test_alerts *t, alert_list *list)
{
	int rc = 0;

	for (uint32_t i = 0; i < t->expected.n && !rc; i++) {
		const struct rule_test_expected *x = &t->expected.at[i];
		struct label *labels =
			arena_alloc(&r->scratch, (size_t)x->label_count + 1, sizeof(*labels));
		uint32_t n = 0;

		if (!labels)
			return -ENOMEM;
		for (uint32_t k = 0; k < x->label_count; k++)
			if (!str_eq(x->labels[k].name, STR("alertname")))
				labels[n++] = x->labels[k];
		labels[n++] = (struct label){STR("alertname"), t->name};
		qsort(labels, n, sizeof(*labels), compare_names);
		rc = add_alert(r, list,
			       (struct rule_test_alert){.labels = labels,
							.label_count = n,
							.annotations = x->annotations,
							.annotation_count = x->annotation_count});
	}
	sort_alerts(list);
	return rc;
}

static int check_alerts(struct runner *r, const struct rule_test_alerts *t)
{
	alert_list got = {0}, expected = {0};
	struct buf b = {0};
	int rc = find_alerts(r, t->name, &got);
	bool equal;

	if (!rc)
		rc = expect_alerts(r, t, &expected);
	equal = got.n == expected.n;
	for (uint32_t i = 0; i < got.n && equal; i++)
		equal = !compare_alerts(&got.at[i], &expected.at[i]);
	if (!rc && !equal) {
		put_test_name(&b, r->t);
		buf_printf(&b, "    alertname: %.*s, time: ", STR_ARG(t->name));
		promql_put_duration(&b, t->at_ms * 1000000);
		buf_put_str(&b, STR(", \n        exp:"));
		rule_test_put_alerts(&b, expected.at, expected.n, "            ");
		buf_put_str(&b, STR(", \n        got:"));
		rule_test_put_alerts(&b, got.at, got.n, "            ");
		rc = report_buf(r, &b);
	}
	arena_reset(&r->scratch);
	return rc;
}

/* Evaluate the rules to the end of the test, and check the alerts on the way. */
static int run_rules(struct runner *r)
{
	int64_t last = last_time(r->t), interval = r->f->interval_ms;
	int rc = 0;

	if (last / interval >= RULE_TEST_EVALUATIONS_MAX)
		return err_set(r->e, -EINVAL, "the test needs more than %d evaluations",
			       RULE_TEST_EVALUATIONS_MAX);
	for (int64_t at = 0; at <= last && !rc; at += interval) {
		rc = evaluate(r, at);
		for (uint32_t i = 0; i < r->t->alerts.n && !rc; i++) {
			const struct rule_test_alerts *t = &r->t->alerts.at[i];

			if (t->at_ms >= at && t->at_ms < at + interval)
				rc = check_alerts(r, t);
		}
	}
	/* as in promtool, expressions do not see samples after the last evaluation */
	return rc;
}

/* ---- expressions ---- */

static int compare_samples(const void *a, const void *b)
{
	const struct rule_test_sample *x = a, *y = b;
	uint32_t n = x->label_count < y->label_count ? x->label_count : y->label_count;

	for (uint32_t i = 0; i < n; i++) {
		int order = str_cmp(x->labels[i].name, y->labels[i].name);

		order = order ? order : str_cmp(x->labels[i].value, y->labels[i].value);
		if (order)
			return order;
	}
	return (x->label_count > y->label_count) - (x->label_count < y->label_count);
}

static bool values_equal(double a, double b, bool fuzzy)
{
	if (a == b || (isnan(a) && isnan(b)))
		return true;
	return fuzzy && (nextafter(a, -INFINITY) == b || nextafter(a, INFINITY) == b);
}

static bool histograms_equal(const struct native_histogram *a, const struct native_histogram *b)
{
	struct buf x = {0}, y = {0};
	bool equal;

	native_put_text(&x, a);
	native_put_text(&y, b);
	equal = a->schema == b->schema && str_eq(buf_str(&x), buf_str(&y));
	buf_fini(&x);
	buf_fini(&y);
	return equal;
}

static bool samples_equal(const struct runner *r, const struct rule_test_sample *a,
			  const struct rule_test_sample *b)
{
	if (compare_samples(a, b) || !a->histogram != !b->histogram)
		return false;
	return a->histogram ? histograms_equal(a->histogram, b->histogram)
			    : values_equal(a->value, b->value, r->f->fuzzy);
}

static void put_query_failure(struct buf *b, const struct rule_test_query *q)
{
	const struct label expr = {STR(""), q->expr};
	struct buf text = {0};

	/* the text in quotes without {=} around it */
	rule_test_put_labels(&text, &expr, 1);
	buf_printf(b, "    expr: %.*s, time: ", (int)(text.n - 3), text.p ? text.p + 2 : "");
	promql_put_duration(b, q->at_ms * 1000000);
	buf_put_char(b, ',');
	buf_fini(&text);
}

typedef VEC(struct rule_test_sample) sample_list;

static int compare_query(struct runner *r, const struct rule_test_query *q, sample_list *got)
{
	uint32_t n = q->expected.n;
	struct rule_test_sample *expected = arena_alloc(&r->scratch, n + 1, sizeof(*expected));
	struct buf b = {0};
	bool equal = got->n == n;

	if (!expected)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		expected[i] = q->expected.at[i];
	qsort(expected, n, sizeof(*expected), compare_samples);
	if (got->n)
		qsort(got->at, got->n, sizeof(*got->at), compare_samples);
	for (uint32_t i = 0; i < n && equal; i++)
		equal = samples_equal(r, &got->at[i], &expected[i]);
	if (equal)
		return 0;
	put_query_failure(&b, q);
	buf_put_str(&b, STR("\n        exp: "));
	rule_test_put_samples(&b, expected, n);
	buf_put_str(&b, STR("\n        got: "));
	rule_test_put_samples(&b, got->at, got->n);
	return report_buf(r, &b);
}

static int check_query(struct runner *r, const struct rule_test_query *q)
{
	struct rule_result result = {0};
	struct rule_sample s;
	sample_list got = {0};
	struct buf b = {0};
	struct err e = {0};
	uint32_t at = 0;
	int rc = rule_query(&r->io.io, STR(""), q->expr, r->t->start_ms + q->at_ms, &result, &e);

	if (rc && rc != -ENOMEM) {
		put_query_failure(&b, q);
		buf_printf(&b, " err: %s", e.text);
		rule_result_fini(&result);
		return report_buf(r, &b);
	}
	while (!rc && rule_next_sample(&result, &at, &s))
		rc = vec_push(&r->scratch, &got,
			      (struct rule_test_sample){(struct promql_label *)s.labels,
							s.label_count, s.value, s.histogram});
	if (!rc)
		rc = compare_query(r, q, &got);
	rule_result_fini(&result);
	arena_reset(&r->scratch);
	return rc;
}

/* ---- files ---- */

static int run_test(struct runner *r, const struct rule_list *rules)
{
	int rc = rule_memory_init(&r->io, r->budget);

	r->settings = (struct rule_settings){.external_labels = r->t->external_labels,
					     .external_count = r->t->external_count,
					     .external_url = r->t->external_url,
					     .interval_ms = r->t->interval_ms,
					     .budget = r->budget};
	r->io.options.subquery_step_ms = r->f->interval_ms;
	arena_init(&r->scratch, r->budget);
	if (!rc)
		rc = make_groups(r, rules);
	if (!rc)
		rc = load_series(r);
	if (!rc)
		rc = run_rules(r);
	for (uint32_t i = 0; i < r->t->queries.n && !rc; i++)
		rc = check_query(r, &r->t->queries.at[i]);
	for (uint32_t i = 0; i < r->n; i++)
		rule_group_free(r->groups[i]);
	free(r->groups);
	r->groups = NULL;
	r->n = 0;
	arena_fini(&r->scratch);
	rule_memory_fini(&r->io);
	return rc < 0 ? rc : 0;
}

int rule_test_run(const struct rule_test_file *f, const struct rule_list *rules, struct regex *only,
		  struct rule_test_report *report, struct err *e)
{
	struct runner r = {.f = f, .report = report, .budget = report->arena.budget, .e = e};
	int rc = 0;

	for (uint32_t i = 0; i < f->tests.n && !rc; i++) {
		int wanted = only ? regex_match(only, f->tests.at[i].name, e) : 1;

		r.t = &f->tests.at[i];
		rc = wanted > 0 ? run_test(&r, rules) : wanted;
	}
	return rc;
}

/* Find and read the rule files, relative to the file of tests. */
static int read_rules(const struct rule_test_file *f, struct rule_list *set, unsigned flags,
		      struct budget *budget, struct err *e)
{
	size_t slash = str_find_last(f->path, '/');
	struct rule_paths paths = {0};
	struct arena a;
	struct str *patterns;
	int rc = 0;

	arena_init(&a, budget);
	patterns = arena_zalloc(&a, f->rule_files.n + 1, sizeof(*patterns));
	if (!patterns)
		rc = -ENOMEM;
	for (uint32_t i = 0; i < f->rule_files.n && !rc; i++) {
		struct str name = f->rule_files.at[i];

		if (slash < f->path.n && !str_starts(name, STR("/")))
			rc = arena_printf(&a, &patterns[i], "%.*s/%.*s",
					  STR_ARG(str_head(f->path, slash)), STR_ARG(name));
		else
			patterns[i] = name;
	}
	if (!rc)
		rc = rule_paths_find(&paths, patterns, f->rule_files.n, e);
	if (!rc)
		rc = rule_list_read(set, &paths, flags, budget, e);
	rule_paths_fini(&paths);
	arena_fini(&a);
	return rc;
}

int rule_test_run_path(const char *path, unsigned flags, struct regex *only, struct budget *budget,
		       struct rule_test_report *report)
{
	struct rule_test_file f;
	struct rule_list set = {0};
	struct err e = {0};
	int rc = rule_test_file_read(&f, path, flags, budget, &e);

	if (!rc)
		rc = read_rules(&f, &set, flags, budget, &e);
	if (!rc)
		rc = rule_test_run(&f, &set, only, report, &e);
	if (rc && rc != -ENOMEM) {
		bool listed = false;

		for (uint32_t i = 0; i < set.n; i++)
			for (uint32_t k = 0; k < set.files[i]->errors.n; k++) {
				listed = true;
				if (report_text(report, set.files[i]->errors.at[k]))
					rc = -ENOMEM;
			}
		if (!listed && report_text(report, str_from(e.text)))
			rc = -ENOMEM;
	}
	rule_list_fini(&set);
	rule_test_file_fini(&f);
	return rc == -ENOMEM ? rc : 0;
}

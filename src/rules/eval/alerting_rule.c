/* SPDX-License-Identifier: Apache-2.0 */
/* Alerting rules: templates, and the states of alerts as Prometheus has them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "rules/eval/rule_state.h"
#include "rules/template/rule_template.h"

#define ALERTNAME "alertname"

/* ---- templates ---- */

static int template_query(void *ctx, struct str expr, struct arena *a,
			  struct rule_template_sample **samples, uint32_t *n, struct err *e)
{
	const struct rule_run *r = ctx;
	struct rule_result result = {0};
	struct rule_sample s;
	uint32_t at = 0;
	int rc = rule_query(r->io, r->group->tenant, expr, r->time_ms, &result, e);

	*n = 0;
	*samples =
		rc ? NULL : arena_zalloc(a, (size_t)result.values.series.n + 1, sizeof(**samples));
	if (!rc && !*samples)
		rc = -ENOMEM;
	while (!rc && rule_next_sample(&result, &at, &s)) {
		struct rule_template_sample *out = &(*samples)[(*n)++];
		struct label *labels = arena_alloc(a, s.label_count + 1, sizeof(*labels));

		rc = labels ? 0 : -ENOMEM;
		for (uint32_t i = 0; i < s.label_count && !rc; i++) {
			rc = arena_copy_str(a, s.labels[i].name, &labels[i].name);
			if (!rc)
				rc = arena_copy_str(a, s.labels[i].value, &labels[i].value);
		}
		*out = (struct rule_template_sample){labels, s.label_count, s.value};
	}
	rule_result_fini(&result);
	return rc;
}

/* Expand a template. An error becomes the text, as in Prometheus; only -ENOMEM is returned. */
static int expand(const struct rule_run *r, const struct rule_template_data *data, struct str text,
		  struct str *out)
{
	struct arena *a = &r->after->arena;
	struct err e = {0};
	int rc = rule_template_expand(a, text, data, out, &e);

	if (rc && rc != -ENOMEM)
		rc = arena_printf(a, out, "<error expanding template: %s>", e.text);
	else if (!rc)
		rc = arena_copy_str(a, *out, out);
	return rc;
}

static int copy_labels(struct arena *a, const struct label *from, uint32_t n, struct label **out)
{
	int rc = 0;

	*out = arena_alloc(a, n + 1, sizeof(**out));
	if (!*out)
		return -ENOMEM;
	for (uint32_t i = 0; i < n && !rc; i++) {
		rc = arena_copy_str(a, from[i].name, &(*out)[i].name);
		if (!rc)
			rc = arena_copy_str(a, from[i].value, &(*out)[i].value);
	}
	return rc;
}

/* The labels of an alert: those of the sample without its name, of the rule, and alertname. */
static int make_labels(const struct rule_run *r, const struct rule_sample *s,
		       const struct rule_template_data *data, struct alert *out, struct err *e)
{
	const struct rule *rule = r->rule;
	struct arena *a = &r->after->arena;
	size_t room = (size_t)s->label_count + rule->label_count + 1;
	struct label *extra = arena_alloc(a, rule->label_count + 1, sizeof(*extra));
	struct label *labels = arena_alloc(a, room, sizeof(*labels));
	uint32_t n, kept = 0;
	int rc = labels && extra ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < rule->label_count && !rc; i++) {
		extra[i].name = rule->labels[i].name;
		rc = expand(r, data, rule->labels[i].value, &extra[i].value);
	}
	if (rc)
		return rc;
	extra[rule->label_count] = (struct label){STR(ALERTNAME), rule->name};
	n = rule_join_labels(labels, s, extra, rule->label_count + 1);
	rc = rule_label_key(a, labels, n, &out->key, e); /* sorts */
	for (uint32_t i = 0; i < n; i++)
		if (labels[i].value.n)
			labels[kept++] = labels[i];
	out->label_count = kept;
	return rc ? rc : copy_labels(a, labels, kept, &out->labels);
}

static int make_annotations(const struct rule_run *r, const struct rule_template_data *data,
			    struct alert *out)
{
	const struct rule *rule = r->rule;
	int rc = 0;

	out->annotations = arena_alloc(&r->after->arena, rule->annotation_count + 1,
				       sizeof(*out->annotations));
	if (!out->annotations)
		return -ENOMEM;
	for (uint32_t i = 0; i < rule->annotation_count && !rc; i++) {
		/* copied, because a state outlives the file when it is taken by a reload */
		rc = arena_copy_str(&r->after->arena, rule->annotations[i].name,
				    &out->annotations[i].name);
		if (!rc)
			rc = expand(r, data, rule->annotations[i].value,
				    &out->annotations[i].value);
	}
	out->annotation_count = rule->annotation_count;
	return rc;
}

static int make_alert(const struct rule_run *r, const struct rule_sample *s, struct alert *out,
		      struct err *e)
{
	struct rule_template_data data = {.external_labels = r->settings->external_labels,
					  .external_count = r->settings->external_count,
					  .external_url = r->settings->external_url,
					  .value = s->value,
					  .label_count = s->label_count,
					  .query = template_query,
					  .query_ctx = (void *)r,
					  .now_ms = r->time_ms};
	struct label *labels = arena_alloc(&r->after->arena, s->label_count + 1, sizeof(*labels));
	int rc = labels ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < s->label_count && !rc; i++)
		labels[i] = (struct label){s->labels[i].name, s->labels[i].value};
	data.labels = labels;
	*out = (struct alert){.value = s->value, .state = ALERT_PENDING, .active_ms = r->time_ms};
	if (!rc)
		rc = make_labels(r, s, &data, out, e);
	return rc ? rc : make_annotations(r, &data, out);
}

/* ---- states ---- */

typedef VEC(struct alert) alerts;

static int compare_alerts(const void *a, const void *b)
{
	return str_cmp(((const struct alert *)a)->key, ((const struct alert *)b)->key);
}

static int query_alerts(struct rule_run *r, alerts *out, struct err *e)
{
	struct rule_result result = {0};
	struct rule_sample s;
	uint32_t at = 0;
	int rc = rule_query(r->io, r->group->tenant, r->rule->expr, r->sample_ms, &result, e);

	while (!rc && rule_next_sample(&result, &at, &s)) {
		struct alert alert;

		if (out->n >= ALERTS_MAX)
			rc = err_set(e, -E2BIG, "more than %d alerts", ALERTS_MAX);
		if (!rc)
			rc = make_alert(r, &s, &alert, e);
		if (!rc)
			rc = vec_push(&r->after->arena, out, alert);
	}
	rule_result_fini(&result);
	if (rc)
		return rc;
	if (out->n)
		qsort(out->at, out->n, sizeof(*out->at), compare_alerts);
	for (uint32_t i = 1; i < out->n; i++)
		if (str_eq(out->at[i - 1].key, out->at[i].key))
			return err_set(e, -EDOM,
				       "vector contains metrics with the same labelset after "
				       "applying alert labels");
	return 0;
}

/* Continue an alert that the query has returned again: its times remain. */
static void continue_alert(struct alert *a, const struct alert *before)
{
	struct alert now = *a;

	if (before->state == ALERT_INACTIVE)
		return;
	*a = *before;
	a->key = now.key;
	a->labels = now.labels;
	a->annotations = now.annotations;
	a->label_count = now.label_count;
	a->annotation_count = now.annotation_count;
	a->value = now.value;
	a->keep_since_ms = 0;
}

/* Advance an alert that the query has returned, or that keeps firing. */
static void advance(const struct rule_run *r, struct alert *a)
{
	bool held = r->time_ms - a->active_ms >= r->rule->hold_ms;

	if (a->state == ALERT_PENDING && held) {
		a->state = ALERT_FIRING;
		a->fired_ms = r->time_ms;
	} else if (a->state == ALERT_FIRING && !held) { /* the hold became longer */
		a->state = ALERT_PENDING;
		a->fired_ms = a->sent_ms = a->keep_since_ms = 0;
	}
}

/* Advance a copy of an alert that the query has not returned. Return whether it is kept. */
static bool fade(const struct rule_run *r, struct alert *a)
{
	if (a->state == ALERT_FIRING && r->rule->keep_ms) {
		if (!a->keep_since_ms)
			a->keep_since_ms = r->time_ms;
		if (r->time_ms - a->keep_since_ms < r->rule->keep_ms) {
			advance(r, a);
			return true;
		}
	}
	if (a->state == ALERT_PENDING ||
	    (a->resolved_ms && r->time_ms - a->resolved_ms > ALERT_RESOLVED_MS))
		return false;
	if (a->state != ALERT_INACTIVE) {
		a->state = ALERT_INACTIVE;
		a->resolved_ms = r->time_ms;
	}
	return true;
}

/* Append a copy of an alert of the state before, if it is kept. */
static int keep_old(struct rule_run *r, const struct alert *before)
{
	struct arena *arena = &r->after->arena;
	struct alert a = *before;
	int rc;

	if (!fade(r, &a))
		return 0;
	rc = arena_copy_str(arena, before->key, &a.key);
	if (!rc)
		rc = copy_labels(arena, before->labels, before->label_count, &a.labels);
	if (!rc)
		rc = copy_labels(arena, before->annotations, before->annotation_count,
				 &a.annotations);
	return rc ? rc : vec_push(arena, &r->after->alerts, a);
}

/* Merge what the query has returned with the alerts before, both sorted by key. */
static int merge(struct rule_run *r, alerts *now)
{
	const struct rule_state *before = r->before;
	uint32_t k = 0;
	int rc = 0;

	for (uint32_t i = 0; i < now->n && !rc; i++) {
		struct alert *a = &now->at[i];
		int order = 1;

		while (k < before->alerts.n && !rc &&
		       (order = str_cmp(before->alerts.at[k].key, a->key)) < 0)
			rc = keep_old(r, &before->alerts.at[k++]);
		if (k < before->alerts.n && !order)
			continue_alert(a, &before->alerts.at[k++]);
		advance(r, a);
		if (!rc)
			rc = vec_push(&r->after->arena, &r->after->alerts, *a);
	}
	while (k < before->alerts.n && !rc)
		rc = keep_old(r, &before->alerts.at[k++]);
	return rc;
}

/* ---- series ---- */

static int put_alert_series(struct rule_run *r, const struct alert *a, const char *name,
			    const char *state, double value, struct err *e)
{
	struct label *labels =
		arena_alloc(&r->after->arena, (size_t)a->label_count + 2, sizeof(*labels));
	struct label extra[2] = {{STR(METRIC_NAME_LABEL), str_from(name)},
				 {STR("alertstate"), state ? str_from(state) : STR("")}};
	uint32_t n = a->label_count;
	struct str key;
	int rc;

	if (!labels)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		labels[i] = a->labels[i];
	for (uint32_t i = 0; i < (state ? 2u : 1u); i++) {
		uint32_t k = 0;

		while (k < n && !str_eq(labels[k].name, extra[i].name))
			k++;
		labels[k] = extra[i];
		n += k == n;
	}
	rc = rule_label_key(&r->after->arena, labels, n, &key, e);
	return rc ? rc : rule_put_sample(r, key, value, NULL);
}

/* Whole seconds, as Prometheus has them. */
static double seconds(int64_t ms)
{
	int64_t whole = ms / 1000;

	return (double)whole;
}

static int put_series(struct rule_run *r, struct err *e)
{
	int rc = 0;

	for (uint32_t i = 0; i < r->after->alerts.n && r->restored && !rc; i++) {
		const struct alert *a = &r->after->alerts.at[i];

		if (a->state == ALERT_INACTIVE)
			continue;
		rc = put_alert_series(r, a, "ALERTS", alert_state_name(a->state), 1, e);
		if (!rc)
			rc = put_alert_series(r, a, "ALERTS_FOR_STATE", NULL, seconds(a->active_ms),
					      e);
	}
	return rc ? rc : rule_finish_series(r);
}

static int check_limit(struct rule_run *r, struct err *e)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->after->alerts.n; i++)
		n += r->after->alerts.at[i].state != ALERT_INACTIVE;
	if (!r->group->limit || n <= r->group->limit)
		return 0;
	r->after->alerts.n = 0;
	return err_set(e, -E2BIG, "exceeded limit of %u with %u alerts", r->group->limit, n);
}

int alerting_rule_run(struct rule_run *r, struct err *e)
{
	alerts now = {0};
	int rc = query_alerts(r, &now, e);

	if (!rc)
		rc = merge(r, &now);
	if (!rc)
		rc = check_limit(r, e);
	return rc ? rc : put_series(r, e);
}

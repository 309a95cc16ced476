/* SPDX-License-Identifier: Apache-2.0 */
/* Continues the alerts that were active before the program was started, as Prometheus does. */
#include <errno.h>
#include <stdlib.h>

#include "rules/eval/rule_group.h"

/* What ALERTS_FOR_STATE says of an alert. */
struct trace {
	struct str key;	 /* without the name */
	int64_t last_ms; /* of its last sample */
	double active_s; /* the value */
};

struct search {
	const struct rule *rule;
	int64_t from_ms, to_ms;
	struct arena arena;
	VEC(struct trace) traces;
};

static int add_trace(struct search *s, const struct promql_samples *in)
{
	struct trace t = {.last_ms = in->times[in->count - 1],
			  .active_s = in->values[in->count - 1]};
	struct buf b = {0};
	int rc;

	buf_init(&b, s->arena.budget);
	for (uint32_t i = 0; i < in->label_count; i++)
		if (!str_eq(in->labels[i].name, STR(METRIC_NAME_LABEL)))
			metric_labels_put(&b, in->labels[i].name, in->labels[i].value);
	rc = buf_error(&b);
	if (!rc)
		rc = arena_copy_str(&s->arena, buf_str(&b), &t.key);
	if (!rc)
		rc = vec_push(&s->arena, &s->traces, t);
	buf_fini(&b);
	return rc;
}

static int read_traces(void *arg, struct promql_source *source,
		       const struct promql_options *options, struct err *e)
{
	struct search *s = arg;
	const struct promql_matcher matchers[] = {
		{.type = PROMQL_MATCH_EQ,
		 .name = STR(METRIC_NAME_LABEL),
		 .value = STR("ALERTS_FOR_STATE")},
		{.type = PROMQL_MATCH_EQ, .name = STR("alertname"), .value = s->rule->name}};
	const struct promql_select select = {.matchers = matchers,
					     .matcher_count = countof(matchers),
					     .from_ms = s->from_ms,
					     .to_ms = s->to_ms};
	struct promql_cursor *cursor = NULL;
	struct promql_samples in;
	int rc = source->select(source, &select, &cursor, e);

	(void)options;
	while (!rc) {
		rc = source->next(cursor, &in, e);
		if (rc <= 0)
			break;
		rc = in.count ? add_trace(s, &in) : 0;
		if (!rc && s->traces.n > ALERTS_MAX)
			rc = err_set(e, -E2BIG, "more than %d alerts", ALERTS_MAX);
	}
	source->close(cursor);
	return rc;
}

static int compare_traces(const void *a, const void *b)
{
	return str_cmp(((const struct trace *)a)->key, ((const struct trace *)b)->key);
}

/* Return when the alert became active, or 0 if it was not when the program ended. */
static int64_t restored_time(const struct rule_group *g, const struct rule *rule,
			     const struct trace *t, int64_t now_ms)
{
	int64_t grace = g->settings->grace_ms, active, remaining;

	if (metric_bits(t->active_s) == NATIVE_STALE_BITS || !(t->active_s > 0) ||
	    t->active_s > (double)METRIC_TIME_MAX / 1000)
		return 0;
	active = (int64_t)t->active_s * 1000;
	remaining = rule->hold_ms - (t->last_ms - active);
	if (remaining <= 0)
		return active; /* it was firing */
	if (remaining < grace)
		return now_ms + grace - rule->hold_ms; /* it fires after the grace period */
	return active + (now_ms - t->last_ms);	       /* the time of the outage does not count */
}

static void apply(struct rule_group *g, struct live_rule *rule, struct search *s, int64_t now_ms)
{
	struct rule_state *state = &rule->state;

	if (!s->traces.n)
		return;
	qsort(s->traces.at, s->traces.n, sizeof(*s->traces.at), compare_traces);
	pthread_mutex_lock(&g->mu);
	for (uint32_t i = 0; i < state->alerts.n; i++) {
		struct alert *a = &state->alerts.at[i];
		const struct trace wanted = {.key = a->key};
		const struct trace *t = bsearch(&wanted, s->traces.at, s->traces.n,
						sizeof(*s->traces.at), compare_traces);
		int64_t active = t ? restored_time(g, rule->def, t, now_ms) : 0;

		if (active)
			a->active_ms = active;
	}
	pthread_mutex_unlock(&g->mu);
}

static void restore_rule(struct rule_group *g, struct live_rule *rule, struct rule_io *io,
			 int64_t now_ms, const struct log *log)
{
	struct search s = {
		.rule = rule->def, .from_ms = now_ms - g->settings->outage_ms, .to_ms = now_ms};
	struct err e = {0};

	arena_init(&s.arena, g->settings->budget);
	if (io->run(io, g->def->tenant, read_traces, &s, &e))
		log_warn(log,
			 "the state of an alert begins anew, because the last one cannot be read",
			 LOG_STR("alert", rule->def->name), LOG_ERR(&e));
	else
		apply(g, rule, &s, now_ms);
	arena_fini(&s.arena);
}

void rule_group_restore(struct rule_group *g, struct rule_io *io, int64_t now_ms,
			const struct log *log)
{
	for (uint32_t i = 0; i < g->def->rule_count && !atomic_load(&io->cancelled); i++) {
		struct live_rule *rule = &g->rules[i];

		if (rule->restored)
			continue;
		if (rule->def->hold_ms >= g->settings->grace_ms)
			restore_rule(g, rule, io, now_ms, log);
		rule->restored = true;
	}
}

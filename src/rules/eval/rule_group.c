/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluation of a group, and how a group that replaces another one continues it. */
#include "rules/eval/rule_group.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"

/* ---- life ---- */

int rule_group_new(struct rule_group **out, struct rule_file *file,
		   const struct rule_group_def *def, const struct rule_settings *settings,
		   bool restored)
{
	struct rule_group *g = calloc(1, sizeof(*g));
	struct live_rule *rules = calloc((size_t)def->rule_count + 1, sizeof(*rules));

	if (!g || !rules) {
		free(g);
		free(rules);
		return -ENOMEM;
	}
	g->def = def;
	g->file = rule_file_ref(file);
	g->settings = settings;
	g->rules = rules;
	pthread_mutex_init(&g->mu, NULL);
	metric_batch_init(&g->batch, settings->budget);
	rule_state_init(&g->orphans, settings->budget);
	for (uint32_t i = 0; i < def->rule_count; i++) {
		g->rules[i].def = &def->rules[i];
		g->rules[i].restored = restored || def->rules[i].kind == RULE_RECORDING;
		g->rules[i].reads = rule_reads(def, i);
		rule_state_init(&g->rules[i].state, settings->budget);
	}
	*out = g;
	return 0;
}

void rule_group_free(struct rule_group *g)
{
	if (!g)
		return;
	for (uint32_t i = 0; i < g->def->rule_count; i++) {
		rule_state_fini(&g->rules[i].state);
		free(g->rules[i].error);
	}
	free(g->rules);
	metric_batch_fini(&g->batch);
	rule_state_fini(&g->orphans);
	pthread_mutex_destroy(&g->mu);
	rule_file_unref(g->file);
	free(g);
}

/* ---- evaluation ---- */

/* Set the result of a rule. The caller holds mu. */
static void set_error(struct live_rule *rule, int rc, const struct err *e)
{
	const char *text = e->text[0] ? e->text : rc == -ENOMEM ? "out of memory" : strerror(-rc);

	free(rule->error);
	rule->error = rc ? strdup(text) : NULL;
	rule->health = rc ? RULE_FAILED : RULE_OK;
}

/* Write what was collected; if that fails, the rules that it came from have failed. */
static void flush(struct rule_group *g, struct rule_io *io, uint32_t before)
{
	const struct metric_batch *b = &g->batch;
	struct err e = {0};
	int rc = 0;

	if (b->samples.n || b->histograms.n)
		rc = io->write(io, g->def->tenant, b, &e);
	if (rc) {
		err_prefix(&e, "write the result");
		pthread_mutex_lock(&g->mu);
		for (uint32_t i = g->flushed; i < before; i++) {
			g->stats.failures += g->rules[i].health == RULE_OK;
			if (g->rules[i].health == RULE_OK)
				set_error(&g->rules[i], rc, &e);
		}
		pthread_mutex_unlock(&g->mu);
	}
	metric_batch_reset(&g->batch);
	g->flushed = before;
}

/* Undo what a failed rule has appended. */
static void cut_batch(struct metric_batch *b, uint32_t samples, uint32_t histograms)
{
	b->samples.n = samples;
	b->histograms.n = histograms;
}

/* Evaluate one rule. Return the number of its samples. */
static uint64_t run_rule(struct rule_group *g, struct live_rule *rule, struct rule_io *io,
			 int64_t time_ms)
{
	struct rule_state after;
	struct rule_run run = {.group = g->def,
			       .rule = rule->def,
			       .settings = g->settings,
			       .io = io,
			       .time_ms = time_ms,
			       .sample_ms = time_ms - rule_group_offset(g),
			       .restored = rule->restored,
			       .before = &rule->state,
			       .after = &after,
			       .batch = &g->batch};
	uint32_t samples = g->batch.samples.n, histograms = g->batch.histograms.n;
	uint64_t began = clock_monotonic_ns();
	struct err e = {0};
	int rc;

	rule_state_init(&after, g->settings->budget);
	rc = rule->def->kind == RULE_ALERTING ? alerting_rule_run(&run, &e)
					      : recording_rule_run(&run, &e);
	if (rc)
		cut_batch(&g->batch, samples, histograms);
	if (atomic_load(&io->cancelled) && rc) {
		rule_state_fini(&after);
		return 0;
	}
	pthread_mutex_lock(&g->mu);
	if (!rc) {
		struct rule_state old = rule->state;

		rule->state = after;
		after = old;
	} else if (rc == -E2BIG) {
		rule->state.alerts.n = 0;
	}
	set_error(rule, rc, &e);
	rule->duration_ns = clock_monotonic_ns() - began;
	rule->evaluated_ms = time_ms;
	g->stats.evaluations++;
	g->stats.failures += rc != 0;
	g->stats.rule_duration_sum_ns += rule->duration_ns;
	pthread_mutex_unlock(&g->mu);
	rule_state_fini(&after);
	return rc ? 0 : rule->state.series.n;
}

static void put_orphans(struct rule_group *g, int64_t sample_ms)
{
	for (uint32_t i = 0; i < g->orphans.series.n; i++)
		if (rule_put_stale(&g->batch, g->orphans.series.at[i], sample_ms))
			break;
	rule_state_fini(&g->orphans);
	rule_state_init(&g->orphans, g->settings->budget);
}

void rule_group_eval(struct rule_group *g, struct rule_io *io, int64_t time_ms,
		     struct notifier *notifier)
{
	uint64_t began = clock_monotonic_ns(), samples = 0, rules_ns = 0;
	uint32_t n = g->def->rule_count;

	g->flushed = 0;
	metric_batch_reset(&g->batch);
	for (uint32_t i = 0; i < n && !atomic_load(&io->cancelled); i++) {
		struct live_rule *rule = &g->rules[i];

		if (rule->reads > g->flushed)
			flush(g, io, i);
		samples += run_rule(g, rule, io, time_ms);
		rules_ns += rule->duration_ns;
		if (rule->def->kind == RULE_ALERTING && rule->health == RULE_OK)
			rule_send_alerts(g, rule, time_ms, notifier);
	}
	put_orphans(g, time_ms - rule_group_offset(g));
	flush(g, io, n);
	pthread_mutex_lock(&g->mu);
	g->stats.iterations++;
	g->stats.samples = samples;
	g->stats.rules_ns = rules_ns;
	g->stats.duration_ns = clock_monotonic_ns() - began;
	g->stats.duration_sum_ns += g->stats.duration_ns;
	g->stats.evaluated_ms = time_ms;
	pthread_mutex_unlock(&g->mu);
}

bool rule_group_needs_restore(const struct rule_group *g)
{
	for (uint32_t i = 0; i < g->def->rule_count; i++)
		if (!g->rules[i].restored)
			return true;
	return false;
}

/* ---- reload ---- */

static bool same_rule(const struct rule *a, const struct rule *b)
{
	if (a->kind != b->kind || !str_eq(a->name, b->name) || a->label_count != b->label_count)
		return false;
	for (uint32_t i = 0; i < a->label_count; i++)
		if (!str_eq(a->labels[i].name, b->labels[i].name) ||
		    !str_eq(a->labels[i].value, b->labels[i].value))
			return false;
	return true;
}

static void take_rule(struct live_rule *to, struct live_rule *from)
{
	struct rule_state state = to->state;
	char *error = to->error;

	to->state = from->state;
	from->state = state;
	to->error = from->error;
	from->error = error;
	to->health = from->health;
	to->duration_ns = from->duration_ns;
	to->evaluated_ms = from->evaluated_ms;
	to->restored = from->restored;
	from->def = NULL; /* is taken */
}

/* Add the series of a state to the orphans; without memory they end after the lookback. */
static void add_orphans(struct rule_group *g, const struct rule_state *s)
{
	for (uint32_t i = 0; i < s->series.n; i++) {
		struct str copy;

		if (arena_copy_str(&g->orphans.arena, s->series.at[i], &copy) ||
		    vec_push(&g->orphans.arena, &g->orphans.series, copy))
			return;
	}
}

void rule_group_take(struct rule_group *g, struct rule_group *old)
{
	for (uint32_t i = 0; i < g->def->rule_count; i++)
		for (uint32_t k = 0; k < old->def->rule_count; k++)
			if (old->rules[k].def && same_rule(g->rules[i].def, old->rules[k].def)) {
				take_rule(&g->rules[i], &old->rules[k]);
				break;
			}
	for (uint32_t k = 0; k < old->def->rule_count; k++)
		if (old->rules[k].def)
			add_orphans(g, &old->rules[k].state);
	add_orphans(g, &old->orphans);
	g->stats = old->stats;
}

void rule_group_end(struct rule_group *g, struct rule_io *io, int64_t time_ms)
{
	for (uint32_t i = 0; i < g->def->rule_count; i++)
		add_orphans(g, &g->rules[i].state);
	metric_batch_reset(&g->batch);
	put_orphans(g, time_ms - rule_group_offset(g));
	g->flushed = g->def->rule_count;
	flush(g, io, g->flushed);
}

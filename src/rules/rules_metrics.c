/* SPDX-License-Identifier: Apache-2.0 */
/* The metrics of rules, with the names of Prometheus. */
#include "rules/rules_internal.h"

/* A number of a group. */
typedef double group_value(const struct rule_group *g);

static double iterations(const struct rule_group *g)
{
	return (double)g->stats.iterations;
}

static double missed(const struct rule_group *g)
{
	return (double)g->stats.missed;
}

static double evaluations(const struct rule_group *g)
{
	return (double)g->stats.evaluations;
}

static double failures(const struct rule_group *g)
{
	return (double)g->stats.failures;
}

static double interval(const struct rule_group *g)
{
	return (double)rule_group_interval(g->def, g->settings->interval_ms) / 1000;
}

static double rule_count(const struct rule_group *g)
{
	return g->def->rule_count;
}

static double last_duration(const struct rule_group *g)
{
	return (double)g->stats.duration_ns / 1e9;
}

static double last_rules(const struct rule_group *g)
{
	return (double)g->stats.rules_ns / 1e9;
}

static double last_time(const struct rule_group *g)
{
	return (double)g->stats.evaluated_ms / 1000;
}

static double last_samples(const struct rule_group *g)
{
	return (double)g->stats.samples;
}

static const struct {
	const char *name, *type, *help;
	group_value *value;
} metrics[] = {
	{"prometheus_rule_evaluations_total", "counter", "Evaluations of rules.", evaluations},
	{"prometheus_rule_evaluation_failures_total", "counter",
	 "Evaluations of rules that failed.", failures},
	{"prometheus_rule_group_iterations_total", "counter", "Evaluations of groups.", iterations},
	{"prometheus_rule_group_iterations_missed_total", "counter",
	 "Evaluations of groups that were left out because an earlier one took too long.", missed},
	{"prometheus_rule_group_interval_seconds", "gauge", "The interval of a group.", interval},
	{"prometheus_rule_group_rules", "gauge", "Rules in a group.", rule_count},
	{"prometheus_rule_group_last_duration_seconds", "gauge",
	 "Duration of the last evaluation of a group.", last_duration},
	{"prometheus_rule_group_last_rule_duration_sum_seconds", "gauge",
	 "Sum of the durations of the rules in the last evaluation of a group.", last_rules},
	{"prometheus_rule_group_last_evaluation_timestamp_seconds", "gauge",
	 "Time of the last evaluation of a group.", last_time},
	{"prometheus_rule_group_last_evaluation_samples", "gauge",
	 "Samples that the last evaluation of a group returned.", last_samples},
};

static void put_label(struct buf *out, struct str text)
{
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] == '\n')
			buf_put_str(out, STR("\\n"));
		else if (text.p[i] == '"' || text.p[i] == '\\')
			buf_printf(out, "\\%c", text.p[i]);
		else
			buf_put_char(out, text.p[i]);
}

static void put_head(struct buf *out, const char *name, const char *type, const char *help)
{
	buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void put_groups(struct rules *r, struct buf *out)
{
	for (size_t m = 0; m < countof(metrics) && r->active; m++) {
		put_head(out, metrics[m].name, metrics[m].type, metrics[m].help);
		for (uint32_t i = 0; i < r->active; i++) {
			struct rule_group *g = r->slots[i]->group;
			double value;

			pthread_mutex_lock(&g->mu);
			value = metrics[m].value(g);
			pthread_mutex_unlock(&g->mu);
			buf_printf(out, "%s{rule_group=\"", metrics[m].name);
			put_label(out, g->def->file);
			buf_put_char(out, ';');
			put_label(out, g->def->name);
			buf_printf(out, "\"} %.15g\n", value);
		}
	}
}

static void put_summary(struct buf *out, const char *name, const char *help, uint64_t sum_ns,
			uint64_t count)
{
	put_head(out, name, "summary", help);
	buf_printf(out, "%s_sum %.9g\n%s_count %llu\n", name, (double)sum_ns / 1e9, name,
		   (unsigned long long)count);
}

static void put_alerts(struct buf *out, const uint64_t *alerts)
{
	put_head(out, "varve_rules_alerts", "gauge", "Alerts by state.");
	for (unsigned i = ALERT_PENDING; i <= ALERT_FIRING; i++)
		buf_printf(out, "varve_rules_alerts{state=\"%s\"} %llu\n",
			   alert_state_name((enum alert_state)i), (unsigned long long)alerts[i]);
}

static void put_sums(struct rules *r, struct buf *out)
{
	uint64_t group_ns = 0, rule_ns = 0, groups = 0, rules = 0;
	uint64_t alerts[ALERT_FIRING + 1] = {0};

	for (uint32_t i = 0; i < r->active; i++) {
		struct rule_group *g = r->slots[i]->group;

		pthread_mutex_lock(&g->mu);
		group_ns += g->stats.duration_sum_ns;
		rule_ns += g->stats.rule_duration_sum_ns;
		groups += g->stats.iterations;
		rules += g->stats.evaluations;
		for (uint32_t k = 0; k < g->def->rule_count; k++)
			for (uint32_t a = 0; a < g->rules[k].state.alerts.n; a++)
				alerts[g->rules[k].state.alerts.at[a].state]++;
		pthread_mutex_unlock(&g->mu);
	}
	put_summary(out, "prometheus_rule_group_duration_seconds",
		    "Durations of the evaluations of groups.", group_ns, groups);
	put_summary(out, "prometheus_rule_evaluation_duration_seconds",
		    "Durations of the evaluations of rules.", rule_ns, rules);
	put_alerts(out, alerts);
}

static void put_loads(const struct rules *r, struct buf *out)
{
	put_head(out, "varve_rules_loads_total", "counter", "Loads of the rule files.");
	buf_printf(out, "varve_rules_loads_total %llu\n", (unsigned long long)r->loads);
	put_head(out, "varve_rules_load_failures_total", "counter",
		 "Loads of the rule files that failed; the rules before go on.");
	buf_printf(out, "varve_rules_load_failures_total %llu\n",
		   (unsigned long long)r->load_failures);
	put_head(out, "varve_rules_last_load_successful", "gauge",
		 "Whether the last load of the rule files succeeded.");
	buf_printf(out, "varve_rules_last_load_successful %d\n", r->load_ok);
	put_head(out, "varve_rules_memory_bytes", "gauge",
		 "Memory of the states, queries and results of rules.");
	buf_printf(out, "varve_rules_memory_bytes %llu\n",
		   (unsigned long long)atomic_load(&r->budget.used));
}

void rules_metrics(struct rules *r, struct buf *out)
{
	rules_lock(r);
	put_groups(r, out);
	put_sums(r, out);
	put_loads(r, out);
	if (r->notifier)
		notifier_metrics(r->notifier, out);
	rules_unlock(r);
}

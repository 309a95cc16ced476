/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_RULES_EVAL_RULE_GROUP_H
#define VARVE_RULES_EVAL_RULE_GROUP_H

#include <pthread.h>

#include "rules/eval/rule_state.h"
#include "rules/notify/notify.h"

/*
 * A group of rules that is evaluated in order, as a whole. One thread at a time evaluates, restores
 * or takes over a group; it changes what others read only while it holds `mu`, so that a long query
 * blocks no reader.
 *
 * Results are collected, and written before a rule that may read them, and at the end: a group of
 * many independent rules needs one commit.
 */
enum rule_health { RULE_UNKNOWN, RULE_OK, RULE_FAILED };

struct live_rule {
	const struct rule *def;
	struct rule_state state;
	enum rule_health health;
	char *error; /* of the last evaluation; NULL: none */
	uint64_t duration_ns;
	int64_t evaluated_ms; /* 0: never */
	bool restored;	      /* an alerting rule whose state is known */
	uint32_t reads;	      /* the rules before this one may write what this rule reads */
};

struct rule_group_stats {
	uint64_t iterations, missed, evaluations, failures;
	uint64_t duration_sum_ns, rule_duration_sum_ns; /* of all iterations and evaluations */
	uint64_t duration_ns, rules_ns;			/* of the last iteration */
	uint64_t samples;				/* of the last iteration */
	int64_t evaluated_ms;				/* when it began; 0: never */
};

struct rule_group {
	const struct rule_group_def *def;
	struct rule_file *file; /* owns def */
	const struct rule_settings *settings;

	pthread_mutex_t mu; /* guards what follows for readers */
	struct live_rule *rules;
	struct rule_group_stats stats;

	/* Only for the thread that evaluates. */
	struct metric_batch batch;
	uint32_t flushed; /* the results of rules before this one are written */
	/* Series of rules that a reload removed: marked as stale by the next evaluation. */
	struct rule_state orphans;
};

/*
 * Make a group; it takes a reference to the file of `def`. `restored`: there is no state to be
 * restored. Return 0 or -ENOMEM.
 */
MUST_USE int rule_group_new(struct rule_group **out, struct rule_file *file,
			    const struct rule_group_def *def, const struct rule_settings *settings,
			    bool restored);
void rule_group_free(struct rule_group *g); /* takes NULL */

/*
 * Evaluate all rules for `time_ms`, write the results, and pass alerts to the notifier (may be
 * NULL). Errors are kept with their rule.
 */
void rule_group_eval(struct rule_group *g, struct rule_io *io, int64_t time_ms,
		     struct notifier *notifier);

/*
 * After a start: continue the alerts that were active before it, by ALERTS_FOR_STATE. Errors are
 * logged; the states begin anew then.
 */
void rule_group_restore(struct rule_group *g, struct rule_io *io, int64_t now_ms,
			const struct log *log);

/* Return whether an alerting rule has not been restored yet. */
bool rule_group_needs_restore(const struct rule_group *g);

/* Move the states of the same rules of `old`, a group of the same name that it replaces. */
void rule_group_take(struct rule_group *g, struct rule_group *old);

/* Mark all series of a group that ends as stale. */
void rule_group_end(struct rule_group *g, struct rule_io *io, int64_t time_ms);

/* Return the offset of the queries and samples. */
static inline int64_t rule_group_offset(const struct rule_group *g)
{
	return g->def->offset_ms >= 0 ? g->def->offset_ms : g->settings->offset_ms;
}

/* Send the alerts of a rule that need it, and note that they were sent. Used by rule_group_eval(). */
void rule_send_alerts(struct rule_group *g, struct live_rule *rule, int64_t time_ms,
		      struct notifier *notifier);

/*
 * Return how many rules from the first on have to be written before rule `at` is evaluated, because
 * it may read what one of them writes. Conservative: by text.
 */
uint32_t rule_reads(const struct rule_group_def *g, uint32_t at);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_RULES_EVAL_RULE_STATE_H
#define VARVE_RULES_EVAL_RULE_STATE_H

#include "rules/eval/rule_io.h"
#include "rules/rule_file.h"

/*
 * What remains of a rule between two evaluations. Each evaluation makes a new state out of the old
 * one and the result of the query, in an arena of its own, and replaces the old state as a whole:
 * nothing refers to memory of an earlier evaluation, and a failed one changes nothing.
 */
enum alert_state { ALERT_INACTIVE, ALERT_PENDING, ALERT_FIRING };

struct alert {
	struct str key; /* the labels, as metric_labels.h */
	struct label *labels, *annotations;
	uint32_t label_count, annotation_count;
	double value;
	enum alert_state state;
	/* Unix ms; 0: none. */
	int64_t active_ms, fired_ms, resolved_ms;
	int64_t keep_since_ms;	/* firing without a result since then */
	int64_t sent_ms;	/* when the notifier got it last */
	int64_t valid_until_ms; /* what that message said */
};

struct rule_state {
	struct arena arena;
	VEC(struct alert) alerts; /* by key */
	VEC(struct str) series;	  /* written by the evaluation: by key, each once */
};

enum {
	/* A resolved alert is kept, to be sent again. */
	ALERT_RESOLVED_MS = 15 * 60 * 1000,
	ALERTS_MAX = 200000, /* of a rule */
};

/* The settings that an evaluation needs; what they refer to outlives it. */
struct rule_settings {
	const struct label *external_labels; /* by name */
	uint32_t external_count;
	struct str external_url;
	int64_t interval_ms; /* of groups without one */
	int64_t offset_ms;   /* query_offset of groups without one */
	int64_t outage_ms;   /* states are restored after outages up to this */
	int64_t grace_ms;    /* shorter holds are not restored */
	int64_t resend_ms;
	struct budget *budget;
};

/* One evaluation of one rule. */
struct rule_run {
	const struct rule_group_def *group;
	const struct rule *rule;
	const struct rule_settings *settings;
	struct rule_io *io;
	int64_t time_ms;   /* of the evaluation */
	int64_t sample_ms; /* of the query and the samples: earlier by the offset */
	bool restored;	   /* the states of alerts are known: their series may be written */
	const struct rule_state *before;
	struct rule_state *after;
	struct metric_batch *batch; /* what the rule writes is appended */
};

void rule_state_init(struct rule_state *s, struct budget *budget);
void rule_state_fini(struct rule_state *s); /* takes the zero value */

/*
 * Evaluate into `after`, which is empty. Return 0 or -errno with text in `e`; -E2BIG: the limit of
 * the group was exceeded, then `after` is the state to continue with, and nothing is written.
 */
MUST_USE int recording_rule_run(struct rule_run *r, struct err *e);
MUST_USE int alerting_rule_run(struct rule_run *r, struct err *e);

/*
 * Append a sample to the batch of the run, and its series to the new state. `h` NULL: a float.
 * Return 0 or -ENOMEM.
 */
MUST_USE int rule_put_sample(struct rule_run *r, struct str key, double value,
			     const struct native_histogram *h);

/* Sort the series of the new state, and mark those as stale that only the old one has. */
MUST_USE int rule_finish_series(struct rule_run *r);

/* Append a staleness marker. Return 0 or -ENOMEM. */
MUST_USE int rule_put_stale(struct metric_batch *b, struct str key, int64_t time_ms);

/*
 * Append labels to `out`, with room for all of them: those of a sample without its name, then
 * `extra`, which replace others of the same name. Return their number.
 */
uint32_t rule_join_labels(struct label *out, const struct rule_sample *s, const struct label *extra,
			  uint32_t extra_count);

/* Set *key to the labels as metric_labels.h; sorts them. Return 0, -EINVAL with text, or -ENOMEM. */
MUST_USE int rule_label_key(struct arena *a, struct label *labels, uint32_t n, struct str *key,
			    struct err *e);

/* Return the name of a state as Prometheus has it. */
const char *alert_state_name(enum alert_state s);

#endif

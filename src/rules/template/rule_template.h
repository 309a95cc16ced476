/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_RULES_TEMPLATE_RULE_TEMPLATE_H
#define VARVE_RULES_TEMPLATE_RULE_TEMPLATE_H

#include "base/arena.h"
#include "base/err.h"
#include "signal/selector.h"

/*
 * Templates in labels and annotations of alerting rules: the language of Go's text/template with
 * the functions of Prometheus (docs/alerts.md). The variables $labels, $value, $externalLabels and
 * $externalURL are defined, and `.` has the fields Labels, Value, ExternalLabels and ExternalURL. A
 * label that does not exist is the empty string.
 *
 * Expansion is bounded in depth, steps and bytes of output. Errors name line and column of the
 * template, counted from 1.
 */
struct rule_template_sample {
	const struct label *labels; /* sorted by name; may include __name__ */
	uint32_t label_count;
	double value;
};

struct rule_template_data {
	const struct label *labels; /* sorted by name, as external_labels */
	uint32_t label_count;
	const struct label *external_labels;
	uint32_t external_count;
	struct str external_url;
	double value;
	/*
	 * Execute an instant query at now_ms; results are in the arena. Return 0, or a negative
	 * errno with text in `e`. NULL: the function query fails.
	 */
	int (*query)(void *ctx, struct str expr, struct arena *a,
		     struct rule_template_sample **samples, uint32_t *n, struct err *e);
	void *query_ctx;
	int64_t now_ms;
};

enum {
	RULE_TEMPLATE_TEXT_MAX = 64 << 10,  /* bytes of a template */
	RULE_TEMPLATE_OUTPUT_MAX = 1 << 20, /* bytes of its result, and of each value on the way */
	RULE_TEMPLATE_DEPTH_MAX = 64,	    /* nested blocks, parentheses and templates */
	RULE_TEMPLATE_STEPS_MAX = 200000,   /* executed nodes */
	RULE_TEMPLATE_QUERIES_MAX = 32,	    /* calls of the function query */
};

/*
 * Expand `text`. *out is in the arena, or `text` itself if it has no action. Return 0, -EINVAL or
 * the result of the query with text in `e`, or -ENOMEM. One thread for each arena.
 */
MUST_USE int rule_template_expand(struct arena *a, struct str text,
				  const struct rule_template_data *d, struct str *out,
				  struct err *e);

/* Parse `text` without executing it. Return 0, -EINVAL with text in `e`, or -ENOMEM. */
MUST_USE int rule_template_check(struct arena *a, struct str text, struct err *e);

#endif

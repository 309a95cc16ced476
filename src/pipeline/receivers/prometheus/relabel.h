/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_RECEIVERS_PROMETHEUS_RELABEL_H
#define VARVE_PIPELINE_RECEIVERS_PROMETHEUS_RELABEL_H

#include "config/settings.h"
#include "pipeline/convert/prometheus/prom_labels.h"

/*
 * Relabelling by Prometheus' rules: relabel_configs of targets and metric_relabel_configs of
 * samples. Expressions are anchored at both ends and `.` matches a newline. $1, ${1}, ${name} and
 * $$ are expanded in `replacement` and `target_label`.
 */
enum relabel_action {
	RELABEL_REPLACE,
	RELABEL_KEEP,
	RELABEL_DROP,
	RELABEL_KEEPEQUAL,
	RELABEL_DROPEQUAL,
	RELABEL_HASHMOD,
	RELABEL_LABELMAP,
	RELABEL_LABELDROP,
	RELABEL_LABELKEEP,
	RELABEL_LOWERCASE,
	RELABEL_UPPERCASE,
};

struct relabel_rule {
	struct setting_list source_labels;
	struct str separator, regex, target_label, replacement, action_name;
	int64_t modulus;
	enum relabel_action action; /* of action_name */
};

struct relabel_rules {
	const struct relabel_rule *at;
	uint32_t n;
};

/* Read a list of rules into a struct relabel_rules, and check them. */
setting_reader relabel_rules_read;

/* Compiled rules. One thread at a time; the rules outlive it. */
struct relabel;

/* Return 0, or a negative errno with text in `e`. */
MUST_USE int relabel_new(struct relabel **out, struct relabel_rules rules, struct err *e);
void relabel_free(struct relabel *r); /* takes NULL */

/*
 * Apply the rules in order to the labels; new texts are in the arena. Return 1 if the labels are
 * kept, 0 if they are dropped, -ENOMEM, or the error of an expression.
 */
MUST_USE int relabel_apply(struct relabel *r, struct prom_labels *labels, struct arena *arena,
			   struct err *e);

#endif

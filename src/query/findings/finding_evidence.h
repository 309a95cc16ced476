/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_FINDINGS_FINDING_EVIDENCE_H
#define VARVE_QUERY_FINDINGS_FINDING_EVIDENCE_H

#include "query/findings/finding_walk.h"

/* Sums of the first walk, and the evidence of a rule that reports something. */

struct finding_name_sums {
	int64_t self, total; /* as in query/tree/top.h */
	int64_t own;	     /* self values that own_rules do not exclude */
	int64_t place;	     /* self values that belong to this function of the program */
	int64_t recursive;   /* total of the stacks with recursion_least occurrences */
	bool nested;	     /* it occurs twice on a stack */
};

struct finding_sums {
	struct finding_name_sums *of_name;
	uint32_t place_rules;	  /* whose exclusions apply to `place` */
	uint32_t own_rules;	  /* and to `own` */
	uint32_t recursion_least; /* 0: no rule applies */
};

/*
 * Set functions, evidence, node, frames and hint of a finding of rule number `rule`, by another walk.
 * `name`: the function that the rule found; FINDING_NO_NAME: the rule is about roles or depth. 0 or
 * -ENOMEM.
 */
MUST_USE int finding_explain(struct finding *f, const struct finding_facts *facts,
			     const struct finding_sums *sums, uint32_t rule, uint32_t name,
			     struct arena *scratch);

#endif

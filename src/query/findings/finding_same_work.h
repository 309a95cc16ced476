/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_FINDINGS_FINDING_SAME_WORK_H
#define VARVE_QUERY_FINDINGS_FINDING_SAME_WORK_H

#include "query/findings/finding_evidence.h"

/*
 * Find the function with the largest total that does the same work for many callers: at least
 * rule->least of them, functions of the program, have each 2 % of it or more, none has more than half, and what the function
 * does is about the same for all of them: the shares of its callees, and of its own code, overlap by
 * 60 % in the mean. Functions that call themselves are excluded. Set *name and *value, or leave them.
 * 0 or -ENOMEM.
 */
MUST_USE int finding_same_work(uint32_t *name, int64_t *value, const struct finding_facts *facts,
			       const struct finding_sums *sums, const struct finding_rule *rule,
			       struct arena *scratch);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_RULES_TEST_RULE_MEMORY_H
#define VARVE_RULES_TEST_RULE_MEMORY_H

#include "rules/eval/rule_io.h"
#include "rules/test/promql_memory.h"

/* Rules over series in memory: what they write can be queried at once. One thread at a time. */
struct rule_memory {
	struct rule_io io; /* first */
	struct promql_memory memory;
	struct promql_options options; /* of queries; set by the caller after rule_memory_init() */
};

/* Initialize. Return 0 or -ENOMEM; call rule_memory_fini() in any case. */
MUST_USE int rule_memory_init(struct rule_memory *m, struct budget *budget);
void rule_memory_fini(struct rule_memory *m);

#endif

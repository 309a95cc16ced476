/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_PROCESSORS_SANITIZE_RULE_SET_H
#define VARVE_PIPELINE_PROCESSORS_SANITIZE_RULE_SET_H

#include "pipeline/processors/sanitize/sanitize_settings.h"
#include "pipeline/processors/scratch.h"

/*
 * A sanitizer with rules of the user: compiled expressions, and the key of hashes. Immutable after
 * rule_set_init() but for its pools; any thread.
 */
enum { HASH_KEY_MIN = 16, HASH_KEY_MAX = 4096 };

struct rule_set {
	struct sanitizer *z;
	struct sanitize_rule *rules;
	struct scratch_pool pool; /* expressions, by the number of the rule */
	char key[HASH_KEY_MAX];
	size_t key_size;
};

/*
 * Compile the rules; the texts of the settings outlive the set. Return 0 or -errno with text in `e`;
 * call rule_set_fini() in either case.
 */
MUST_USE int rule_set_init(struct rule_set *s, const struct sanitize_settings *settings,
			   unsigned cache_bits, struct budget *budget, struct err *e);
void rule_set_fini(struct rule_set *s);

/* One thread's work on one batch. It must not move while it is in use. */
struct rule_run {
	struct sanitize_run run;
	struct rule_set *set;
	struct scratch *scratch; /* run.arena is its arena */
};

/* Return 0 or -ENOMEM. */
MUST_USE int rule_run_start(struct rule_run *r, struct rule_set *s);

/* Free what the run has allocated. Accepts the zero value. */
void rule_run_end(struct rule_run *r);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_RULES_TEMPLATE_TEMPLATE_RUN_H
#define VARVE_RULES_TEMPLATE_TEMPLATE_RUN_H

#include "rules/template/template_ast.h"

/* The execution of a template. One thread. */
struct template_variable {
	struct str name; /* with its $ */
	struct template_value value;
};

struct template_run {
	struct arena *arena;
	const struct rule_template_data *data;
	const struct template_tree *tree;
	struct buf out, scratch;
	VEC(struct template_variable) variables;
	/* Variables below are those of callers, which a {{template}} does not see. */
	uint32_t first_variable;
	uint32_t steps, depth, queries;
	size_t bytes; /* of texts that were made */
	uint32_t at;  /* offset of what is being executed, for errors */
	struct err *e;
};

enum {
	TEMPLATE_CALLS_MAX = 256,      /* nested lists, parentheses and templates in execution */
	TEMPLATE_BYTES_MAX = 16 << 20, /* of all texts that an execution makes */
	TEMPLATE_REGEX_STEPS = 200,    /* what a regular expression counts */
};

/* Execute the tree with `.` being the data; the output is in run->out. Return 0 or -errno. */
MUST_USE int template_execute(struct template_run *run);

/* Execute a defined template with this value of `.`. */
MUST_USE int template_execute_named(struct template_run *run, struct str name,
				    const struct template_value *dot);

/* Count steps. Return 0, or -E2BIG with text in `e` beyond the limit. */
MUST_USE int template_step(struct template_run *run, uint32_t steps);

/* Set the error at the current place. Return -EINVAL. */
int template_run_fail(struct template_run *run, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Copy a text into the arena. Return 0, -ENOMEM, or -E2BIG with text in `e`. */
MUST_USE int template_keep(struct template_run *run, struct str text, struct template_value *out);

#endif

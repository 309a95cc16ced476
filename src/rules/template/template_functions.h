/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_RULES_TEMPLATE_TEMPLATE_FUNCTIONS_H
#define VARVE_RULES_TEMPLATE_TEMPLATE_FUNCTIONS_H

#include "rules/template/template_run.h"

/* The functions of templates: those of Go's text/template and those of Prometheus. */
enum { TEMPLATE_ANY_COUNT = -1 };

/* A call: the arguments are evaluated; *out is TEMPLATE_NONE before. */
struct template_call {
	struct template_run *run;
	const char *name;
	struct template_value *args;
	uint32_t n;
	struct template_value *out;
};

/* Return 0 or a negative errno, with the reason set by template_call_fail(). */
typedef int template_function_run(struct template_call *c);

struct template_function {
	const char *name;
	int min, max; /* number of arguments; TEMPLATE_ANY_COUNT: no limit */
	template_function_run *run;
};

/* Tables that end with a NULL name. */
extern const struct template_function template_builtin_functions[];
extern const struct template_function template_prometheus_functions[];
extern const struct template_function template_sample_functions[];

/* Return the function of that name, or NULL. */
const struct template_function *template_function_find(struct str name);

/* and, or: the evaluator calls them itself, since they do not evaluate all their arguments. */
int template_and(struct template_call *c);
int template_or(struct template_call *c);

/* Set the error "line L, column C: error calling NAME: ...". Return -EINVAL. */
int template_call_fail(struct template_call *c, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Get an argument of one type, or fail. */
MUST_USE int template_string_arg(struct template_call *c, uint32_t i, struct str *out);
MUST_USE int template_samples_arg(struct template_call *c, uint32_t i,
				  struct template_samples *out);
MUST_USE int template_sample_arg(struct template_call *c, uint32_t i,
				 const struct rule_template_sample **out);
/* A number, a duration in seconds, or a text that is a number. */
MUST_USE int template_number_arg(struct template_call *c, uint32_t i, double *out);

/* Return the empty scratch buffer; template_return_text() makes its content the result. */
struct buf *template_scratch(struct template_call *c);
MUST_USE int template_return_text(struct template_call *c);

/* Methods of times and durations. Return 0, or -ENOENT if there is no such method. */
int template_method(struct template_call *c);

#endif

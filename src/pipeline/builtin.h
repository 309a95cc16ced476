/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_BUILTIN_H
#define VARVE_PIPELINE_BUILTIN_H

/* The built-in configurations, which `varve up` and `varve server` run without --config. */
struct builtin {
	const char *name, *summary, *yaml;
};

/* Terminated by an entry with a NULL name. */
extern const struct builtin builtins[];

/* Return the built-in configuration of that name, or NULL. */
const struct builtin *builtin_find(const char *name);

#endif

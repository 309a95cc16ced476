/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_BUILTIN_H
#define VARVE_PIPELINE_BUILTIN_H

/* The configurations in the program, NULL-terminated: what `varve up` and `varve server` run without --config. */
struct builtin {
	const char *name, *summary, *yaml;
};

extern const struct builtin builtins[];

/* By name; NULL when there is none. */
const struct builtin *builtin_find(const char *name);

#endif

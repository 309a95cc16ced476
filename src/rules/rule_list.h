/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_RULES_RULE_LIST_H
#define VARVE_RULES_RULE_LIST_H

#include "rules/rule_file.h"

/* The rule files that paths and patterns name. */
enum { RULE_FILES_MAX = 4096 };

struct rule_paths {
	char **at; /* sorted by pattern, then by name; each once */
	uint32_t n;
};

/*
 * Find the files. A path without the characters *?[ is one, whether it exists or not. Return 0,
 * -E2BIG or -ENOMEM; call rule_paths_fini() in any case.
 */
MUST_USE int rule_paths_find(struct rule_paths *p, const struct str *patterns, uint32_t n,
			     struct err *e);
void rule_paths_fini(struct rule_paths *p); /* takes the zero value */

struct rule_list {
	struct rule_file **files;
	uint32_t n;
};

/*
 * Read all files, with the flags of rule_file_read(). Return 0; or -errno with the first error in `e`, then the set has what could be
 * read. Call rule_list_fini() in any case.
 */
MUST_USE int rule_list_read(struct rule_list *s, const struct rule_paths *paths, unsigned flags,
			    struct budget *budget, struct err *e);
void rule_list_fini(struct rule_list *s); /* takes the zero value */

#endif

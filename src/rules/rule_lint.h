/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_RULES_RULE_LINT_H
#define VARVE_RULES_RULE_LINT_H

#include "rules/rule_file.h"

/*
 * Find the rules of a file that have the name and labels of another one: their results may
 * overwrite each other. `out` has room for all rules of the file (rule_file.rule_count); each
 * duplicate is there once. Return their number.
 */
uint32_t rule_find_duplicates(const struct rule_file *f, const struct rule **out);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_RULES_TEST_RULE_TEST_H
#define VARVE_RULES_TEST_RULE_TEST_H

#include "rules/rule_list.h"
#include "rules/test/rule_test_file.h"

/*
 * Runs unit tests of rules as promtool does: the rules are evaluated at each evaluation_interval
 * over the input series, and what they have written can be queried.
 */
enum { RULE_TEST_FAILURES_MAX = 1000, RULE_TEST_EVALUATIONS_MAX = 1000000 };

struct rule_test_report {
	struct arena arena;
	VEC(struct str) failures; /* lines as promtool prints them */
};

/*
 * Run the tests of a file whose names match `only` (NULL: all) over rules that are given. Return 0, also if tests fail; or -errno with
 * text in `e`. The report is initialized by the caller (rule_test_report_init()).
 */
MUST_USE int rule_test_run(const struct rule_test_file *f, const struct rule_list *rules,
			   struct regex *only, struct rule_test_report *report, struct err *e);

/*
 * Read a file of tests and the rule files that it names, with the flags of rule_file_read(), and
 * run them. What cannot be read is a
 * failure, too. Return 0 or -ENOMEM.
 */
MUST_USE int rule_test_run_path(const char *path, unsigned flags, struct regex *only,
				struct budget *budget, struct rule_test_report *report);

void rule_test_report_init(struct rule_test_report *report, struct budget *budget);
void rule_test_report_fini(struct rule_test_report *report);

#endif

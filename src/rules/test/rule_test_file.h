/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_RULES_TEST_RULE_TEST_FILE_H
#define VARVE_RULES_TEST_RULE_TEST_FILE_H

#include "base/container/vec.h"
#include "rules/rule_file.h"
#include "rules/test/series_notation.h"

/* A file of unit tests of rules, in the format of promtool. */
enum {
	RULE_TESTS_MAX = 10000,		/* of a file */
	RULE_TEST_SERIES_MAX = 200000,	/* of a file */
	RULE_TEST_CASES_MAX = 100000,	/* of a test */
	RULE_TEST_VALUES_MAX = 20000000 /* of a file */
};

/* What an expected alert has, each sorted by name; without alertname. */
struct rule_test_expected {
	struct label *labels, *annotations;
	uint32_t label_count, annotation_count;
};

struct rule_test_alerts {
	int64_t at_ms; /* since the start */
	struct str name;
	VEC(struct rule_test_expected) expected;
};

struct rule_test_sample {
	struct promql_label *labels; /* by name */
	uint32_t label_count;
	double value;
	const struct native_histogram *histogram; /* NULL: a float */
};

struct rule_test_query {
	int64_t at_ms;
	struct str expr;
	VEC(struct rule_test_sample) expected;
};

struct rule_test {
	struct str name;
	int64_t interval_ms; /* of the samples */
	int64_t start_ms;
	VEC(struct series_line *) series;
	VEC(struct rule_test_alerts) alerts;
	VEC(struct rule_test_query) queries;
	struct label *external_labels;
	uint32_t external_count;
	struct str external_url;
};

struct rule_test_file {
	struct arena arena;
	struct str path;
	VEC(struct str) rule_files; /* as written: relative to the file, patterns */
	VEC(struct str) group_order;
	int64_t interval_ms;
	bool fuzzy;
	VEC(struct rule_test) tests;
};

/*
 * Parse the text of a file, or read one, with the flags of rule_file_read(). Return 0; -EINVAL with "FILE:LINE:COLUMN: ..." in `e`, or
 * another -errno. Call rule_test_file_fini() in any case.
 */
MUST_USE int rule_test_file_parse(struct rule_test_file *f, struct str text, const char *path,
				  unsigned flags, struct budget *budget, struct err *e);
MUST_USE int rule_test_file_read(struct rule_test_file *f, const char *path, unsigned flags,
				 struct budget *budget, struct err *e);
void rule_test_file_fini(struct rule_test_file *f);

#endif

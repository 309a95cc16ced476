/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_RECEIVERS_RESPONSE_CHECKS_H
#define VARVE_PIPELINE_RECEIVERS_RESPONSE_CHECKS_H

#include "base/regex.h"
#include "config/settings.h"

/*
 * The key `validations` of a target: what the body of a response has to be. Each check counts as
 * passed or failed under its type.
 */
enum response_check_type {
	CHECK_CONTAINS,
	CHECK_NOT_CONTAINS,
	CHECK_JSON_PATH,
	CHECK_SIZE,
	CHECK_REGEX,
	RESPONSE_CHECK_TYPES,
};

/* "contains", "not_contains", "json_path", "size", "regex". */
extern const char *const response_check_names[RESPONSE_CHECK_TYPES];

/* One entry of the list; texts that are not given are empty. */
struct response_check {
	struct str contains, not_contains, json_path, equals, regex;
	int64_t min_size, max_size; /* -1: not given */
};

struct response_checks {
	const struct response_check *at;
	uint32_t n;
};

/* Reads the list; fills a struct response_checks. */
setting_reader response_checks_read;

struct response_counts {
	uint32_t passed[RESPONSE_CHECK_TYPES], failed[RESPONSE_CHECK_TYPES];
};

/* Compiled expressions of a list, in the same order. */
struct response_matcher {
	const struct response_checks *checks;
	struct regex **regexes;
};

/* Return 0, -ENOMEM or -EINVAL. Call response_matcher_fini() in every case. */
MUST_USE int response_matcher_init(struct response_matcher *m, const struct response_checks *checks,
				   struct err *e);
void response_matcher_fini(struct response_matcher *m);

/* Check a body, and add the results to *counts. One thread at a time. */
void response_matcher_run(const struct response_matcher *m, struct str body,
			  struct response_counts *counts);

#endif

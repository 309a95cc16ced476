/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_OTLP_CHECK_CHECK_H
#define VARVE_FORMAT_OTLP_CHECK_CHECK_H

#include "base/budget.h"
#include "base/err.h"
#include "base/str.h"

enum otlp_check_flags {
	OTLP_CHECK_DUPES = 1,	/* equal rows in a table */
	OTLP_CHECK_SHAPES = 2,	/* values and timestamps of samples */
	OTLP_CHECK_ORPHANS = 4, /* unreferenced rows */
	OTLP_CHECK_ALL = 7,
};

enum otlp_check_level {
	OTLP_NOTE,   /* a conversion applied to the file before the check */
	OTLP_SHOULD, /* a violated recommendation of the specification */
	OTLP_MUST,   /* a violated rule: the file is invalid */
};

/*
 * Receives one finding: `path` is its location in the file
 * ("resource_profiles[0].scope_profiles[1].profiles[0].samples[12].stack_index"; empty for the
 * whole file), `text` describes it.
 */
typedef void otlp_report(void *arg, enum otlp_check_level level, const char *path,
			 const char *text);

/*
 * Check a file, protobuf or JSON, and call `report` for every violated rule. Memory is charged to
 * `budget`, which may be NULL. Return the number of OTLP_MUST findings, or -errno if the file
 * cannot be decoded.
 */
MUST_USE int64_t otlp_check(struct str in, unsigned flags, struct budget *budget,
			    otlp_report *report, void *arg, struct err *e);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_RULES_TEST_SERIES_NOTATION_H
#define VARVE_RULES_TEST_SERIES_NOTATION_H

#include "query/promql/promql_source.h"

/*
 * The notation of series in unit tests of rules and in test scripts of PromQL: a metric, and a value
 * for each step.
 *
 *	up{job="a"} 1 2 3	a{} 0+10x5 (0 10 20 30 40 50)	b 5-1x2 (5 4 3)	c 7x2 (7 7 7)
 *	d 1 _ 3 _x4 stale	e {{schema:1 sum:4 count:3 buckets:[1 2]}}x3	f {{...}}+{{...}}x5
 */
enum {
	SERIES_LABELS_MAX = 64,
	SERIES_TEXT_MAX = 1 << 20,
	SERIES_VALUES_MAX = 1000000,	/* of a series */
	SERIES_HISTOGRAMS_MAX = 100000, /* of them */
};

struct series_value {
	bool omitted;
	bool hint_set; /* the hint of resets is written */
	double value;
	struct native_histogram *histogram; /* or NULL */
};

struct series_line {
	struct promql_label labels[SERIES_LABELS_MAX];
	uint32_t label_count;
	VEC(struct series_value) values;
};

/*
 * Parse a metric and its values, which live in the arena; texts are borrowed from `line`. Return 0,
 * -EINVAL with the column in `e`, or -ENOMEM.
 */
MUST_USE int series_parse(struct series_line *out, struct str line, struct arena *a, struct err *e);

#endif

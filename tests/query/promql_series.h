/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TESTS_QUERY_PROMQL_SERIES_H
#define VARVE_TESTS_QUERY_PROMQL_SERIES_H

#include "query/promql/promql_source.h"

/* The notation of series in test scripts: name{labels} values. */
enum { SERIES_LABELS_MAX = 64 };

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

/* Parse a line. Return false with the reason in `e`. */
bool series_parse(struct series_line *out, struct str line, struct arena *a, struct err *e);

/* Parse a duration, such as 5m or -1h. */
bool series_parse_duration(struct str text, int64_t *ms);

#endif

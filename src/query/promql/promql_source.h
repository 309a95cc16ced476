/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_PROMQL_PROMQL_SOURCE_H
#define VARVE_QUERY_PROMQL_PROMQL_SOURCE_H

#include "query/promql/syntax/promql_ast.h"
#include "signal/metric/native_histogram.h"

/*
 * Where PromQL gets its series from: a store, or memory.
 *
 * A query selects by matchers and a time range and reads the series one after another, so that only
 * one of them needs to be in memory. Several cursors may be open at once. All calls of one query
 * come from one thread.
 */

struct promql_label {
	struct str name, value;
};

/* The samples of one series in columns, in order of time, without two of the same time. */
struct promql_samples {
	/* Sorted by name, each name once, no empty values. The name of the metric is __name__. */
	const struct promql_label *labels;
	uint32_t label_count;
	uint32_t count, histogram_count;
	const int64_t *times; /* ms since 1970 */
	const double *values; /* the bits NATIVE_STALE_BITS mark the end of the series */
	const int64_t *histogram_times;
	const struct native_histogram *histograms;
	/* When the counter of each sample began to count, 0 if unknown; NULL: all unknown. */
	const int64_t *starts, *histogram_starts;
	/*
	 * The values are those of a counter that is known at all times: it was 0 before the first
	 * sample, does not change between samples, and has no resets. Then the increase over a
	 * window is the difference of its values at both edges, and nothing is extrapolated.
	 */
	bool exact;
};

struct promql_select {
	const struct promql_matcher *matchers; /* all must match */
	uint32_t matcher_count;
	int64_t from_ms, to_ms; /* only samples of from_ms <= time <= to_ms are needed */

	/* Hints, which need not be used. */
	struct str function; /* what is called on the range, or empty */
	/* The windows end at last_ms and every step before, and are range_ms long (0: no range). */
	int64_t last_ms, step_ms, range_ms;
	bool smoothed; /* values are interpolated */
	/*
	 * Of the series, or of what the function makes of them, only the sums by the labels of
	 * `grouping` (or, without grouping_by, by all others) are used.
	 */
	bool summed, grouping_by;
	const struct str *grouping;
	uint32_t grouping_count;
};

struct promql_cursor;

struct promql_source {
	/* Begin to read. On success *out is closed by the caller. Return 0 or -errno with `e` set. */
	int (*select)(struct promql_source *source, const struct promql_select *select,
		      struct promql_cursor **out, struct err *e);
	/*
	 * Read the next series, which may have no samples. It is valid until the next call or the
	 * end of the cursor. Return 1, 0 at the end, or -errno with `e` set.
	 */
	int (*next)(struct promql_cursor *cursor, struct promql_samples *out, struct err *e);
	/* Accepts NULL. */
	void (*close)(struct promql_cursor *cursor);
};

#endif

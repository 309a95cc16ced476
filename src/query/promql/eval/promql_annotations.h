/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_PROMQL_EVAL_PROMQL_ANNOTATIONS_H
#define VARVE_QUERY_PROMQL_EVAL_PROMQL_ANNOTATIONS_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/container/vec.h"

/*
 * Warnings and infos of an evaluation. Each text occurs once, with the position of its last
 * occurrence, in the order in which the texts first occurred.
 */
enum promql_note { PROMQL_WARNING, PROMQL_INFO };

/* What a correction of decreasing buckets reports over all its occurrences. */
struct promql_monotonic {
	double min_bucket, max_bucket, max_diff;
	int64_t from_ms, to_ms;
};

struct promql_annotation {
	enum promql_note note;
	struct str text; /* without prefix and position */
	uint32_t at;	 /* offset in the query */
	uint64_t count;
	bool is_counted; /* the number of occurrences is shown */
	bool is_monotonic;
	struct promql_monotonic monotonic;
};

struct promql_annotations {
	struct arena *arena; /* borrowed */
	VEC(struct promql_annotation) list;
};

/* Add an annotation with a text as from printf(). Return 0 or -ENOMEM. */
MUST_USE int promql_annotate(struct promql_annotations *a, enum promql_note note, uint32_t at,
			     const char *fmt, ...) PRINTF_LIKE(4, 5);

/* Add the warning of a quantile that is not between 0 and 1. */
MUST_USE int promql_annotate_quantile(struct promql_annotations *a, uint32_t at, double q);

/* Add the warning of overlapping start times; occurrences are counted. */
MUST_USE int promql_annotate_overlap(struct promql_annotations *a, uint32_t at, struct str metric);

/* Add the info that buckets of a classic histogram were made monotonic. */
MUST_USE int promql_annotate_monotonic(struct promql_annotations *a, uint32_t at, struct str metric,
				       const struct promql_monotonic *m);

/* Append the whole text of an annotation: "PromQL warning: ... (1:5)". */
void promql_annotation_put(struct buf *b, const struct promql_annotation *note, struct str query);

#endif

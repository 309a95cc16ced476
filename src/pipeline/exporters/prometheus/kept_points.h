/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_EXPORTERS_PROMETHEUS_KEPT_POINTS_H
#define VARVE_PIPELINE_EXPORTERS_PROMETHEUS_KEPT_POINTS_H

#include "base/log.h"
#include "pipeline/convert/prometheus/prom_points.h"

/*
 * The last data point of each series, for a scrape to come. Deltas are added up while each one
 * begins where the one before has ended; otherwise the sum begins again. The caller serializes.
 */
struct kept_point {
	struct kept_point *next, *next_in_bucket;
	struct kept_family *family;
	uint32_t hash;
	uint64_t updated; /* clock_monotonic_ns() */
	/* All memory of the point: labels, pairs, exemplars. Its metric is that of the family. */
	struct prom_point point;
	char *texts; /* of the labels */
	struct prom_pair *pairs;
	struct prom_exemplar *exemplars; /* one block with their labels and texts, or NULL */
};

struct kept_family {
	struct kept_family *next, *next_in_bucket;
	struct prom_metric metric; /* owns its texts */
	struct kept_point *first, **end;
};

struct kept_points {
	struct kept_family *families;
	struct kept_point **point_buckets;
	struct kept_family **family_buckets;
	uint32_t point_count, point_mask, family_count;
	const struct log *log;
};

/* The most series that are kept; more are refused. */
enum { KEPT_POINTS_MAX = 2000000, KEPT_FAMILIES_MAX = 100000 };

/* Return 0 or -ENOMEM. Call kept_points_fini() in every case. */
MUST_USE int kept_points_init(struct kept_points *k, const struct log *log);
void kept_points_fini(struct kept_points *k);

enum kept_result {
	KEPT_OK,
	KEPT_REFUSED, /* of a kind, or too many; logged */
	KEPT_NO_MEMORY,
};

/* Keep a point; a stale one removes what is kept. */
enum kept_result kept_points_put(struct kept_points *k, const struct prom_point *p, uint64_t now);

/* Remove points that were not updated since `before`, and families without points. */
void kept_points_expire(struct kept_points *k, uint64_t before);

#endif

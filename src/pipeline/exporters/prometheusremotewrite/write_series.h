/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_EXPORTERS_PROMETHEUSREMOTEWRITE_WRITE_SERIES_H
#define VARVE_PIPELINE_EXPORTERS_PROMETHEUSREMOTEWRITE_WRITE_SERIES_H

#include "base/container/idset.h"
#include "pipeline/convert/prometheus/prom_points.h"

/* The series of one payload, each with its samples in the order of their times. */
struct write_sample {
	double value;
	int64_t time_ms, start_ms; /* start 0: unknown */
};

/* An exponential histogram. */
struct write_histogram {
	struct prom_point point;
	int64_t time_ms;
};

struct write_metric {
	struct str name; /* of the family */
	struct str help, unit;
	enum prom_type type;
};

struct write_series {
	struct prom_labels labels; /* with __name__, sorted */
	uint32_t metric;
	VEC(struct write_sample) samples;
	VEC(struct prom_exemplar) exemplars;
	VEC(struct write_histogram) histograms;
};

struct write_table {
	struct arena *arena;
	struct idset by_labels;
	VEC(struct write_series) series;
	VEC(struct write_metric) metrics;
	uint32_t last_metric; /* number + 1 of the last metric of the payload; 0: none */
	/* Data points that cannot be written, and why the first could not. */
	uint32_t refused;
	char reason[128];
};

/*
 * Fill the table, which lives in the arena, from a payload. Return 0, -ENOMEM, or -EBADMSG with
 * text in `e`.
 */
MUST_USE int write_table_read(struct write_table *t, const struct payload *p,
			      const struct prom_options *o, struct arena *arena, struct err *e);

#endif

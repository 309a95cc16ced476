/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_OTLP_BUILD_H
#define VARVE_SIGNAL_OTLP_BUILD_H

#include "base/buf.h"
#include "signal/otlp/attributes.h"
#include "signal/otlp/payload.h"
#include "wire/proto.h"

/*
 * Builds an OTLP message from the front: for components that make metrics or logs (scrapes, host
 * metrics, tailed files, connectors).
 *
 *	struct otlp_builder b;
 *	otlp_builder_init(&b, SIGNAL_METRICS, budget);
 *	otlp_begin_resource(&b, &attributes, schema_url);
 *	otlp_begin_scope(&b, name, version);
 *	otlp_begin_metric(&b, &(struct otlp_metric){.name = ..., .kind = OTLP_SUM, ...});
 *	otlp_add_number(&b, &(struct otlp_number){...});	// any number of points
 *	payload = otlp_builder_finish(&b);			// ends what is open
 *	otlp_builder_fini(&b);
 *
 * A begin ends what is open on its level and below. Errors are sticky: otlp_builder_finish()
 * returns NULL after any failed allocation.
 */
enum otlp_metric_kind {
	OTLP_GAUGE = 5,
	OTLP_SUM = 7,
	OTLP_HISTOGRAM = 9,
	OTLP_EXPONENTIAL = 10,
	OTLP_SUMMARY = 11,
};

enum otlp_temporality { OTLP_DELTA = 1, OTLP_CUMULATIVE = 2 };

/* The flag of a data point without a value: the series has ended (staleness). */
enum { OTLP_NO_RECORDED_VALUE = 1 };

struct otlp_metric {
	struct str name, description, unit;
	enum otlp_metric_kind kind;
	enum otlp_temporality temporality; /* not for gauges and summaries */
	bool monotonic;			   /* sums */
	const struct attributes *metadata; /* may be NULL */
};

struct otlp_exemplar {
	uint64_t time;
	bool is_int;
	union {
		double d;
		int64_t i;
	};
	uint8_t trace_id[16], span_id[8];    /* all zero: none */
	const struct attributes *attributes; /* filtered_attributes; may be NULL */
};

/* What all data points have. */
struct otlp_point {
	const struct attributes *attributes; /* may be NULL */
	uint64_t start, time;		     /* nanoseconds since 1970; start 0: unknown */
	uint32_t flags;
	const struct otlp_exemplar *exemplars;
	uint32_t exemplar_count;
};

/* A data point of a gauge or sum. It has no value if its flags say OTLP_NO_RECORDED_VALUE. */
struct otlp_number {
	struct otlp_point point;
	bool is_int;
	union {
		double d;
		int64_t i;
	};
};

/* A data point of an explicit histogram: bound_count + 1 bucket counts, or none of both. */
struct otlp_histogram {
	struct otlp_point point;
	uint64_t count;
	bool has_sum, has_min_max;
	double sum, min, max;
	const double *bounds;
	const uint64_t *counts;
	uint32_t bound_count, count_count;
};

struct otlp_quantile {
	double quantile, value;
};

struct otlp_summary {
	struct otlp_point point;
	uint64_t count;
	double sum;
	const struct otlp_quantile *quantiles;
	uint32_t quantile_count;
};

struct otlp_buckets {
	int32_t offset;
	const uint64_t *counts;
	uint32_t count;
};

struct otlp_exponential {
	struct otlp_point point;
	uint64_t count, zero_count;
	bool has_sum, has_min_max;
	double sum, min, max, zero_threshold;
	int32_t scale;
	struct otlp_buckets positive, negative;
};

struct otlp_log {
	uint64_t time, observed_time;
	uint32_t severity; /* SeverityNumber */
	struct str severity_text;
	struct value body;
	const struct attributes *attributes; /* may be NULL */
	uint32_t flags;
	uint8_t trace_id[16], span_id[8]; /* all zero: none */
	struct str event_name;
};

enum { OTLP_BUILDER_LEVELS = 5 }; /* request, resource_x, scope_x, metric, data */

struct otlp_builder {
	enum signal_kind signal;
	uint32_t items;
	/* The open message of each level, without its tag and length. */
	struct buf open[OTLP_BUILDER_LEVELS];
	uint32_t items_before[OTLP_BUILDER_LEVELS]; /* `items` when the level was opened */
	unsigned depth;				    /* number of open levels below the request */
	enum otlp_metric_kind kind;		    /* of the open metric */
	enum otlp_temporality temporality;
	bool monotonic;
	struct proto_writer writer; /* for one item */
};

void otlp_builder_init(struct otlp_builder *b, enum signal_kind signal, struct budget *budget);
void otlp_builder_fini(struct otlp_builder *b);

/*
 * Begin a resource. `attributes` may be NULL. Resources and scopes without items are left out. An
 * item outside of a scope gets an empty scope of an empty resource.
 */
void otlp_begin_resource(struct otlp_builder *b, const struct attributes *attributes,
			 struct str schema_url);
void otlp_begin_scope(struct otlp_builder *b, struct str name, struct str version);

/* Begin a metric; its texts are copied at once. A metric without points is left out. */
void otlp_begin_metric(struct otlp_builder *b, const struct otlp_metric *metric);
void otlp_add_number(struct otlp_builder *b, const struct otlp_number *point);
void otlp_add_histogram(struct otlp_builder *b, const struct otlp_histogram *point);
void otlp_add_exponential(struct otlp_builder *b, const struct otlp_exponential *point);
void otlp_add_summary(struct otlp_builder *b, const struct otlp_summary *point);
void otlp_add_log(struct otlp_builder *b, const struct otlp_log *log);

/*
 * Return the finished payload, or NULL without memory; the builder is empty afterwards. Without
 * items the payload has 0 bytes.
 */
struct payload *otlp_builder_finish(struct otlp_builder *b);

#endif

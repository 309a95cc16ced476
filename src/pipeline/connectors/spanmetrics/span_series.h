/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_CONNECTORS_SPAN_SERIES_H
#define VARVE_PIPELINE_CONNECTORS_SPAN_SERIES_H

#include "base/container/lru.h"
#include "pipeline/connectors/spanmetrics/span_fields.h"

/*
 * The series of the spanmetrics connector: counts and durations of spans by resource and by the
 * attributes of the metric. Bounded: the resource that was used least recently makes room for a new
 * one, and new series beyond a limit are counted in one series for all of them. Not thread-safe.
 */

/* An object with a text as key, the first member of a struct. The table owns the text. */
struct keyed {
	uint64_t hash;
	struct str key;
};

/* A hash table of objects, which are allocated by malloc(). */
struct keyed_table {
	struct keyed **at;
	size_t cap, count; /* cap: 0 or a power of two, at most half full */
};

struct span_exemplar {
	uint64_t time;
	double value; /* the duration */
	uint8_t trace_id[16], span_id[8];
};

/* One series of a metric; the key is its attributes, as fields 1 of a message. */
struct span_series {
	struct keyed keyed;
	uint64_t start, seen; /* nanoseconds since 1970: the first and the last span */
	double sum;	      /* of the durations */
	struct span_exemplar *exemplars;
	uint32_t exemplar_count;
	double counts[]; /* of spans by bucket: one more than there are bounds */
};

/* The metrics of one resource; the key is the attributes that tell resources apart. */
struct span_resource {
	struct lru_link link; /* before `keyed`, for the list of resources */
	struct keyed keyed;
	struct str resource;		 /* the first Resource message of this key */
	struct str service;		 /* its service.name; may be empty */
	uint64_t seen;			 /* nanoseconds since 1970 */
	struct keyed_table calls, times; /* with the same attributes: `calls` has both */
};

struct span_limits {
	uint32_t resources;	/* at most; at least 1 */
	uint64_t series;	/* by metric and resource; 0: no limit */
	uint64_t series_in_all; /* beyond, new ones are counted in the overflow series */
	uint32_t exemplars;	/* by series and interval */
	const double *bounds;	/* of the buckets, ascending; borrowed */
	uint32_t bound_count;
};

struct span_registry {
	struct span_limits limits;
	struct keyed_table resources; /* of &span_resource.keyed */
	struct lru order;
	uint64_t series_count;
};

/* The key of the series for all that are too many: {otel.metric.overflow: true}. */
extern const struct str span_overflow_key;

void span_registry_init(struct span_registry *r, const struct span_limits *limits);

/* Free all series. The registry stays usable. */
void span_registry_clear(struct span_registry *r);

/* Return the resource of that key, which is added if it is new; NULL without memory. */
struct span_resource *span_registry_resource(struct span_registry *r, struct str key,
					     struct str resource, struct str service, uint64_t now);

/* Count a span in the series of that key; `value` is its duration. Return 0 or -ENOMEM. */
MUST_USE int span_registry_count(struct span_registry *r, struct keyed_table *series,
				 struct str key, const struct span_fields *span, double value,
				 uint64_t now);

/* Remove resources and series without a span since `before`; 0: none. */
void span_registry_expire(struct span_registry *r, uint64_t resources_before,
			  uint64_t series_before);

#endif

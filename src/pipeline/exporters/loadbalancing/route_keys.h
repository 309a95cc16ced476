/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_EXPORTERS_LOADBALANCING_ROUTE_KEYS_H
#define VARVE_PIPELINE_EXPORTERS_LOADBALANCING_ROUTE_KEYS_H

#include "config/settings.h"
#include "signal/otlp/tree.h"

/* The keys by which a load balancer chooses backends: routing_key and routing_attributes. */
enum route_by {
	ROUTE_DEFAULT, /* traces: ROUTE_TRACE_ID; others: ROUTE_SERVICE */
	ROUTE_TRACE_ID,
	ROUTE_SERVICE,
	ROUTE_RESOURCE,
	ROUTE_METRIC,
	ROUTE_ATTRIBUTES,
	ROUTE_STREAM, /* of a metric: the key of its first data point; see route_streams.h */
	ROUTE_BY_COUNT,
};

/* Return the kind of a routing_key, or ROUTE_BY_COUNT if there is no such kind. */
enum route_by route_by_name(struct str name);

/* Return how a signal is routed, or ROUTE_BY_COUNT if the kind is not for that signal. */
enum route_by route_by_of(enum route_by configured, enum signal_kind signal);

/* Return whether all items of a resource have the same key. */
static inline bool route_is_by_resource(enum route_by by)
{
	return by == ROUTE_SERVICE || by == ROUTE_RESOURCE;
}

/* The position of an item in its tree. For keys of resources, scope and item may be NULL. */
struct route_item {
	enum signal_kind signal;
	const struct otlp_resource *resource;
	const struct otlp_scope *scope;
	const struct otlp_item *item;
};

/*
 * Return the key of an item: borrowed, or in `scratch`, which is cleared first. `by` is a result of
 * route_by_of(). Without memory the error is kept in `scratch`. Items without what the key is made
 * of have the same, empty key; log records without a trace get different ones.
 */
struct str route_key(enum route_by by, const struct setting_list *attributes,
		     const struct route_item *at, struct buf *scratch);

/*
 * Return the key of a data point of the metric `at->item`: of its resource, scope, metric and
 * attributes. `kind` is the field number of the metric's data.
 */
struct str route_stream_key(const struct route_item *at, uint32_t kind, struct str point,
			    struct buf *scratch);

#endif

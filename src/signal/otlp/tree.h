/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_OTLP_TREE_H
#define VARVE_SIGNAL_OTLP_TREE_H

#include "base/arena.h"
#include "base/err.h"
#include "signal/otlp/payload.h"

/*
 * The light index of a payload: its resources, their scopes, and their items (Span, Metric,
 * LogRecord or Profile messages) as slices of the received bytes. Nothing below is
 * decoded. A processor marks what it changed, and otlp_tree_write() makes a new payload of the
 * tree:
 *
 *	rc = otlp_tree_read(&tree, payload, &arena, &e);
 *	for each item: item->bytes = another Span message; item->dropped = true;
 *	tree.changed = true;
 *	changed = otlp_tree_write(&tree, budget);
 *
 * The field numbers are the same for all signals: request { 1: resource_x { 1: resource,
 * 2: scope_x { 1: scope, 2: item, 3: schema_url }, 3: schema_url } }. Unknown fields are kept, among
 * them the dictionary of profiles (request { 2 }). Attributes of the resources and scopes of
 * profiles may have keys and values that refer to the dictionary.
 */
struct otlp_item {
	struct str bytes; /* the Span, Metric, LogRecord or Profile message */
	/*
	 * The number of spans, data points, log records or samples in it: 1 but for metrics and
	 * profiles. A processor that removes data points from a metric has to set it again.
	 */
	uint32_t count;
	bool dropped;
};

struct otlp_scope {
	struct str scope;      /* the InstrumentationScope message; may be empty */
	struct str schema_url; /* may be empty */
	struct str unknown;    /* other fields, with their tags */
	struct otlp_item *items;
	uint32_t item_count;
};

struct otlp_resource {
	struct str resource; /* the Resource message; may be empty */
	struct str schema_url;
	struct str unknown;
	struct otlp_scope *scopes;
	uint32_t scope_count;
};

struct otlp_tree {
	enum signal_kind signal;
	struct otlp_resource *resources;
	uint32_t resource_count;
	struct str unknown; /* other fields of the request, with their tags */
	uint32_t items;	    /* spans, data points, log records or samples that were read */
	bool changed;
};

/*
 * Read the index of `p` into `arena`. The tree borrows the bytes of `p`. Return 0, -ENOMEM, or
 * -EBADMSG with text in `e`.
 */
MUST_USE int otlp_tree_read(struct otlp_tree *tree, const struct payload *p, struct arena *arena,
			    struct err *e);

/*
 * Return a new payload of what is not dropped, without scopes and resources that have no items
 * left; NULL without memory. The payload has 0 items and 0 bytes if all are dropped.
 */
struct payload *otlp_tree_write(const struct otlp_tree *tree, struct budget *budget);

/*
 * Return the field number of the data of a Metric message (5 gauge, 7 sum, 9 histogram, 10
 * exponential histogram, 11 summary) and the data message in *data; 0 if there is none.
 */
uint32_t otlp_metric_data(struct str metric, struct str *data);

/* Return the number of data points of a Metric message. */
uint32_t otlp_metric_points(struct str metric);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_CONNECTORS_COUNT_ITEMS_H
#define VARVE_PIPELINE_CONNECTORS_COUNT_ITEMS_H

#include "pipeline/connectors/count/count_settings.h"
#include "pipeline/connectors/count/count_sums.h"

/* What is read of items without decoding the rest: attributes and times. */

/* The dictionary of a message of profiles; empty for other signals. */
struct count_dictionary {
	VEC(struct str) strings;
	VEC(struct str) attributes; /* KeyValueAndUnit messages */
};

/* Read the dictionary of a tree. Return 0 or -ENOMEM. */
MUST_USE int count_dictionary_read(struct count_dictionary *d, const struct otlp_tree *tree,
				   struct arena *arena);

/* An item, and where else to look for its attributes. */
struct counted_item {
	enum count_kind kind;
	uint32_t data;	    /* data points: the field of the data in their metric, 5 to 11 */
	struct str message; /* of the item itself: the event, the data point */
	struct str scope, resource;
	const struct count_dictionary *dictionary;
};

/* Find an attribute of the item, its scope or its resource. Return false if there is none. */
bool counted_item_attribute(const struct counted_item *item, struct str key, struct value *out);

/* Return when the item was, or of a metric, its data points. */
struct count_span_of_time counted_item_time(const struct counted_item *item);

/* Move to the next event of a span or data point of the data of a metric. */
bool count_next_part(struct proto_reader *r, enum count_kind kind, struct str *part);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_SPAN_LEAVES_H
#define VARVE_STORE_SQLITE_SPAN_LEAVES_H

#include "signal/trace/trace_want.h"
#include "store/sqlite/spans/span_group.h"
#include "store/sqlite/spans/span_table.h"

/*
 * Which spans of a block may be of interest: the alternatives of a want are tested by the filter
 * and the limits of a group, then by its columns, and by the structure. Each test only removes
 * alternatives of spans that cannot have all of their leaves; what it cannot decide (events, links,
 * arrays) counts as true. Bit i of a mask is alternative i.
 */
struct span_leaf {
	const struct trace_leaf *of;
	uint32_t alternative; /* its bit */
	bool hashed;	      /* the filter decides */
	uint64_t hash;
	struct str key; /* of attributes of spans and resources */
};

struct span_leaves {
	uint32_t all; /* the mask of all alternatives */
	struct span_leaf *at;
	uint32_t n;
	bool columns, structure; /* whether there are leaves of columns, of the structure */
	bool ids;		 /* all alternatives have the id of a span or a trace */
};

/* Prepare the leaves of a want that is not `all`. It is borrowed. Return 0 or -ENOMEM. */
MUST_USE int span_leaves_init(struct span_leaves *l, const struct trace_want *want,
			      struct arena *a);

/* Return the alternatives that spans of a block may have, by the filter of its ids. */
uint32_t span_leaves_ids(const struct span_leaves *l, struct str filter);

/* Return the alternatives that spans of the group may have, by its filter and its columns' limits. */
uint32_t span_leaves_group(const struct span_leaves *l, const struct span_group *g);

/*
 * Remove alternatives from masks[i] of the spans of the open group, by its columns and by resources
 * (`origins`, of the index). Check span_group_error() afterwards.
 */
void span_leaves_columns(const struct span_leaves *l, struct span_group_reader *g,
			 const struct str *origins, uint32_t *masks);

/* Remove alternatives from the masks of all spans of a block. Return 0 or -ENOMEM. */
MUST_USE int span_leaves_structure(const struct span_leaves *l, const struct span_table *t,
				   uint32_t *masks, struct arena *a);

#endif

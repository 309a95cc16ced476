/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_SPAN_TREE_H
#define VARVE_QUERY_SPAN_TREE_H

#include "base/container/idset.h"
#include "store/store.h"

/*
 * Which span is whose child, as far as it is kept.
 *
 *	span_tree_init(&t, budget);
 *	span_tree_load(&t, store, &select, &e);	whole traces, any number of times
 *	span_tree_finish(&t);
 *	... t.nodes, span_tree_find(), span_tree_below() ...
 *	span_tree_fini(&t);
 *
 * A span that others name as their parent and that is not kept (it has not ended yet, or its service sends none) has a node as
 * well. Spans that are each other's ancestors are cut apart: one of them has no parent then. So each node has one place, and what
 * is added up over children ends.
 */
enum { SPAN_TREE_MAX = 1 << 18 };
#define SPAN_NONE UINT32_MAX

struct span_node {
	struct link link;
	bool kept; /* false: all that follows is unknown, but for children */
	uint8_t kind, status, parent_id[8];
	struct str name, service;
	uint64_t start, end;
	uint32_t parent; /* SPAN_NONE: it is a root */
	uint32_t first_child, next_sibling;
	int64_t total; /* for span_tree_add_up() */
};

struct span_tree {
	struct arena arena;
	VEC(struct span_node) nodes;
	struct idset index;
	uint32_t *order; /* of nodes: parents before children */
	bool cut;	 /* there were more than SPAN_TREE_MAX */
};

/* 0 or -ENOMEM. Fini in every case. */
MUST_USE int span_tree_init(struct span_tree *t, struct budget *budget);
void span_tree_fini(struct span_tree *t);

/* Add what the selection finds; what is there already is passed over. 0 or -errno. */
MUST_USE int span_tree_load(struct span_tree *t, struct store *store,
			    const struct store_span_select *sel, struct err *e);

/* Give each node its place. 0 or -ENOMEM. */
MUST_USE int span_tree_finish(struct span_tree *t);

/* The node of that span, or SPAN_NONE. */
uint32_t span_tree_find(const struct span_tree *t, const struct link *link);

/* Add to the total of each node those of all its descendants. */
void span_tree_add_up(struct span_tree *t);

/*
 * The ids of these spans (whichever trace of those that are loaded has them, or none) and of all their descendants, in `a`. 0 or
 * -ENOMEM.
 */
MUST_USE int span_tree_below(const struct span_tree *t, const uint8_t (*ids)[8], uint32_t n,
			     struct arena *a, const uint8_t (**out)[8], uint32_t *out_n);

/*
 * The structure of spans that are named by their ids alone: the traces that have them are looked for first. With `traces` these are loaded
 * instead. The tree is finished.
 */
MUST_USE int span_tree_of_ids(struct span_tree *t, struct store *store,
			      const struct store_span_select *sel, struct err *e);

/* When spans may have begun whose samples lie in a range: a day before it to an hour behind it. */
void span_tree_range(uint64_t from, uint64_t to, struct store_span_select *out);

#endif

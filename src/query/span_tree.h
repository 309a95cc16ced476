/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_SPAN_TREE_H
#define VARVE_QUERY_SPAN_TREE_H

#include "base/container/idset.h"
#include "store/store.h"

/*
 * The tree of stored spans: parents and children.
 *
 *	span_tree_init(&t, budget);
 *	span_tree_load(&t, store, &select, &e);	whole traces, any number of times
 *	span_tree_finish(&t);
 *	... t.nodes, span_tree_find(), span_tree_below() ...
 *	span_tree_fini(&t);
 *
 * A span that others name as their parent but that is not stored (it has not ended yet, or its
 * service sends no spans) has a node as well. Cycles of spans that name each other as ancestors are
 * broken by removing one parent link, so the nodes form a forest.
 */
enum { SPAN_TREE_MAX = 1 << 18 };
#define SPAN_NONE UINT32_MAX

struct span_node {
	struct link link;
	bool kept; /* false: not stored; only the tree links and total are set */
	uint8_t kind, status, parent_id[8];
	struct str name, service;
	uint64_t start, end;
	uint32_t parent; /* SPAN_NONE for a root */
	uint32_t first_child, next_sibling;
	int64_t total; /* set by the caller; see span_tree_add_up() */
};

struct span_tree {
	struct arena arena;
	VEC(struct span_node) nodes;
	struct idset index;
	uint32_t *order; /* all nodes, parents before children */
	bool cut;	 /* there were more than SPAN_TREE_MAX spans */
};

/* Initialize an empty tree. 0 or -ENOMEM. Fini in every case. */
MUST_USE int span_tree_init(struct span_tree *t, struct budget *budget);
void span_tree_fini(struct span_tree *t);

/* Add the spans of the selection that are not in the tree yet. 0 or -errno. */
MUST_USE int span_tree_load(struct span_tree *t, struct store *store,
			    const struct store_span_select *sel, struct err *e);

/* Link parents and children, and compute the order. 0 or -ENOMEM. */
MUST_USE int span_tree_finish(struct span_tree *t);

/* Return the node of that span, or SPAN_NONE. */
uint32_t span_tree_find(const struct span_tree *t, const struct link *link);

/* Add the totals of all its descendants to the total of each node. */
void span_tree_add_up(struct span_tree *t);

/*
 * Return the ids of the given spans (in any loaded trace, or in none) and of all their descendants,
 * allocated in `a`. 0 or -ENOMEM.
 */
MUST_USE int span_tree_below(const struct span_tree *t, const uint8_t (*ids)[8], uint32_t n,
			     struct arena *a, const uint8_t (**out)[8], uint32_t *out_n);

/*
 * Load the traces that contain the spans of sel->ids, or the traces sel->traces if any are given,
 * and finish the tree. 0 or -errno.
 */
MUST_USE int span_tree_of_ids(struct span_tree *t, struct store *store,
			      const struct store_span_select *sel, struct err *e);

/*
 * Set the range of start times of spans whose samples may lie in [from, to): from one day before to
 * one hour after it.
 */
void span_tree_range(uint64_t from, uint64_t to, struct store_span_select *out);

#endif

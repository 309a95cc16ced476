/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_TREE_STACK_FILTER_H
#define VARVE_QUERY_TREE_STACK_FILTER_H

#include "query/tree/frames.h"
#include "signal/stack_tree.h"

/*
 * Selects stacks of a stack tree by the functions on them. Each node is evaluated once, from the
 * state of its caller; stack_filter_decide() evaluates the nodes added since the last call, so it
 * also works on a tree that a scan is still filling.
 */
struct stack_filter_options {
	const struct str *call_site; /* the stack must begin with these names, the root first */
	uint32_t call_site_n;
	struct str function;  /* must be on the stack, as in struct frame_ref; empty: any */
	struct regex *focus;  /* must match the function, file or module of a frame; NULL: any */
	struct regex *ignore; /* must match no frame */
};

struct stack_filter {
	const struct stack_filter_options *options; /* borrowed, as is the tree */
	const struct stack_tree *tree;
	struct frame_ref function;
	struct frame_filters filters;
	struct arena arena;
	struct names names;
	struct frames frames;
	struct stack_state *states; /* one per evaluated node */
	uint32_t decided, cap;
};

struct stack_state {
	/* How many names of the call site matched so far; UINT32_MAX: the path differs. */
	uint32_t depth;
	bool function, focus, ignore;
};

/* Return whether the options filter anything. */
static inline bool stack_filter_any(const struct stack_filter_options *o)
{
	return o && (o->call_site_n || o->function.n || o->focus || o->ignore);
}

/* Prepare to filter the tree, which is borrowed. 0 or -ENOMEM. Fini in every case. */
MUST_USE int stack_filter_init(struct stack_filter *f, const struct stack_filter_options *o,
			       const struct stack_tree *t, struct budget *budget);
void stack_filter_fini(struct stack_filter *f);

/* Evaluate all nodes that the tree has now. 0 or -errno. */
MUST_USE int stack_filter_decide(struct stack_filter *f, struct err *e);

/* Return whether the stack that ends at this (evaluated) node passes the filter. */
bool stack_filter_keeps(const struct stack_filter *f, uint32_t node);

/*
 * Set the sums of all stacks that do not pass to 0 and add them to sums->dropped and
 * dropped_weight. 0 or -errno.
 */
MUST_USE int stack_filter_sums(const struct stack_filter_options *o, const struct stack_tree *t,
			       struct stack_sums *sums, struct budget *budget, struct err *e);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_TREE_STACK_FILTER_H
#define VARVE_QUERY_TREE_STACK_FILTER_H

#include "query/tree/frames.h"
#include "signal/stack_tree.h"

/*
 * Which stacks of a stack tree are meant, by the functions on them. Each node is decided once, by
 * what its caller was decided; nodes that come later are decided when they are first asked for, so
 * it also serves a tree that a scan is still filling.
 */
struct stack_filter_options {
	const struct str *call_site; /* the stack must begin with these names, the root first */
	uint32_t call_site_n;
	struct str function;  /* this one must be on it, as in struct frame_ref; empty: any */
	struct regex *focus;  /* a frame must match: function, file or module; NULL: any */
	struct regex *ignore; /* none may match */
};

struct stack_filter {
	const struct stack_filter_options *options; /* borrowed, as is the tree */
	const struct stack_tree *tree;
	struct frame_ref function;
	struct frame_filters filters;
	struct arena arena;
	struct names names;
	struct frames frames;
	struct stack_state *states; /* one a node that is decided */
	uint32_t decided, cap;
};

struct stack_state {
	uint32_t
		depth; /* how many names of the call site are met; UINT32_MAX: it went another way */
	bool function, focus, ignore;
};

/* Does it ask for anything? */
static inline bool stack_filter_any(const struct stack_filter_options *o)
{
	return o && (o->call_site_n || o->function.n || o->focus || o->ignore);
}

/* 0 or -ENOMEM. Fini in every case. */
MUST_USE int stack_filter_init(struct stack_filter *f, const struct stack_filter_options *o,
			       const struct stack_tree *t, struct budget *budget);
void stack_filter_fini(struct stack_filter *f);

/* Decide all nodes that the tree has now. 0 or -errno. */
MUST_USE int stack_filter_decide(struct stack_filter *f, struct err *e);

/* Is the stack that ends at this (decided) node meant? */
bool stack_filter_keeps(const struct stack_filter *f, uint32_t node);

/* Set the sums of all stacks that are not meant to 0, and tell how much that was. 0 or -errno. */
MUST_USE int stack_filter_sums(const struct stack_filter_options *o, const struct stack_tree *t,
			       struct stack_sums *sums, struct budget *budget, struct err *e);

#endif

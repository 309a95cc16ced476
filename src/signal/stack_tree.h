/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_STACK_TREE_H
#define VARVE_SIGNAL_STACK_TREE_H

#include "signal/profile/profile_remap.h"

/*
 * Stacks as a tree of locations, and sums over it: what a store answers and a query turns into
 * tables and pictures. Exact: nothing is grouped, cut or renamed yet.
 *
 * Node 0 is the root and has no location; the path from it to a node is a stack, the outermost
 * call first. A parent stands before its children, so one pass from the end adds up totals.
 */
struct stack_node {
	uint32_t parent, location;
};

struct stack_tree {
	struct profile_batch
		dictionary; /* only strings, mappings, functions, locations and their attributes */
	struct profile_builder builder; /* of the dictionary: equal rows have one id */
	VEC(struct stack_node) nodes;	/* in the dictionary's arena, as is the index */
	/*
	 * By hash of parent and location: the node; 0: free. A node that was added right after its
	 * parent is not in it, because the parent leads to it: of a new path that is every node but
	 * the first.
	 */
	uint32_t *index;
	uint32_t index_size; /* a power of two; 0: there is none yet */
	uint32_t index_used;
	/* Nodes that are in it or need not be. The others are put into it when somebody looks. */
	uint32_t indexed;
};

/* The root alone. 0 or -ENOMEM. Fini in every case. */
MUST_USE int stack_tree_init(struct stack_tree *t, struct budget *budget);
void stack_tree_fini(struct stack_tree *t);

/* The child of `parent` at that location of the dictionary, added if new. 0 or -errno. */
MUST_USE int stack_tree_child(struct stack_tree *t, uint32_t parent, uint32_t location,
			      uint32_t *node);

/* The same for who knows that there is no such child yet: nothing is looked up. */
MUST_USE int stack_tree_append(struct stack_tree *t, uint32_t parent, uint32_t location,
			       uint32_t *node);

/*
 * From another batch's rows to the tree's; each location and stack is worked out once. The batch's
 * texts are borrowed unless `copy`: then they must live as long as the tree.
 */
struct stack_import {
	struct stack_tree *tree;
	struct profile_remap remap;
	uint32_t *stacks; /* node + 1; 0: not worked out */
};

/* Ready for the rows of `from`. 0 or -ENOMEM. Fini in every case. */
MUST_USE int stack_import_init(struct stack_import *i, struct stack_tree *t,
			       const struct profile_batch *from, bool copy);
void stack_import_fini(struct stack_import *i);

MUST_USE int stack_import_location(struct stack_import *i, uint32_t location, uint32_t *id);
MUST_USE int stack_import_stack(struct stack_import *i, uint32_t stack, uint32_t *node);

/* One value a node: what was seen at exactly that stack. May be shorter than the tree: the rest is 0. */
struct stack_sums {
	VEC(int64_t) self; /* in the tree's arena; the zero value is empty */
	/* What a filter has taken out, and the same without signs: with `self` it is the whole. */
	int64_t dropped;
	uint64_t dropped_weight;
};

/* Room for all nodes of the tree. 0 or -ENOMEM. */
MUST_USE int stack_sums_fit(struct stack_tree *t, struct stack_sums *s);

/* Wraps at 64 bits. 0 or -ENOMEM. */
MUST_USE int stack_sums_add(struct stack_tree *t, struct stack_sums *s, uint32_t node,
			    int64_t value);

/* Give back what is reserved for more nodes and sums. Both stay as they are. */
void stack_tree_trim(struct stack_tree *t);
void stack_sums_trim(struct stack_tree *t, struct stack_sums *s);

/*
 * The sums as samples of one profile of `out`, an empty batch: each node with a value is a sample.
 * For the encoders (pprof, folded, OTLP, speedscope). 0 or -errno.
 */
MUST_USE int stack_sums_to_batch(const struct stack_tree *t, const struct stack_sums *s,
				 struct str sample_type, struct str sample_unit,
				 struct profile_batch *out);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_STACK_TREE_H
#define VARVE_SIGNAL_STACK_TREE_H

#include "signal/profile/profile_remap.h"

/*
 * Stacks as a tree of locations, with sums per node. A store returns it; queries compute tables and
 * pictures from it. Exact: nothing is grouped, truncated or renamed.
 *
 * Node 0 is the root and has no location; the path from it to a node is a stack, outermost call
 * first. A parent precedes its children, so one backward pass computes totals.
 */
struct stack_node {
	uint32_t parent, location;
};

struct stack_tree {
	/* Only strings, mappings, functions, locations and their attributes. */
	struct profile_batch dictionary;
	struct profile_builder builder; /* of the dictionary: equal rows have one id */
	VEC(struct stack_node) nodes;	/* in the dictionary's arena, as is the index */
	/*
	 * Open-addressing hash index of nodes by parent and location; 0: free. A node added right
	 * after its parent is not indexed, because it is found at parent + 1: on a new path these
	 * are all nodes but the first.
	 */
	uint32_t *index;
	uint32_t index_size; /* a power of two; 0: not allocated yet */
	uint32_t index_used;
	/* Nodes below this one are indexed or need not be; the others are indexed on lookup. */
	uint32_t indexed;
};

/* Initialize a tree that has only the root. 0 or -ENOMEM. Fini in every case. */
MUST_USE int stack_tree_init(struct stack_tree *t, struct budget *budget);
void stack_tree_fini(struct stack_tree *t);

/* Return the child of `parent` at a location of the dictionary, added if new. 0 or -errno. */
MUST_USE int stack_tree_child(struct stack_tree *t, uint32_t parent, uint32_t location,
			      uint32_t *node);

/* Add a child without a lookup. The caller knows that it does not exist yet. 0 or -errno. */
MUST_USE int stack_tree_append(struct stack_tree *t, uint32_t parent, uint32_t location,
			       uint32_t *node);

/*
 * Maps rows of another batch to rows of the tree; each location and stack is mapped once. Unless
 * `copy` is set, strings are borrowed from the batch and must live as long as the tree.
 */
struct stack_import {
	struct stack_tree *tree;
	struct profile_remap remap;
	uint32_t *stacks; /* by stack of the batch: node + 1; 0: not mapped yet */
};

/* Prepare to import rows of `from`. 0 or -ENOMEM. Fini in every case. */
MUST_USE int stack_import_init(struct stack_import *i, struct stack_tree *t,
			       const struct profile_batch *from, bool copy);
void stack_import_fini(struct stack_import *i);

MUST_USE int stack_import_location(struct stack_import *i, uint32_t location, uint32_t *id);
MUST_USE int stack_import_stack(struct stack_import *i, uint32_t stack, uint32_t *node);

/* Sums by node, of samples with exactly that stack. May be shorter than the tree: the rest is 0. */
struct stack_sums {
	VEC(int64_t) self; /* in the tree's arena; the zero value is empty */
	/* Sum of the values that a filter removed, and of their magnitudes. */
	int64_t dropped;
	uint64_t dropped_weight;
};

/* Extend the sums to all nodes of the tree. 0 or -ENOMEM. */
MUST_USE int stack_sums_fit(struct stack_tree *t, struct stack_sums *s);

/* Add a value to a node's sum, which wraps at 64 bits. 0 or -ENOMEM. */
MUST_USE int stack_sums_add(struct stack_tree *t, struct stack_sums *s, uint32_t node,
			    int64_t value);

/* Free the memory reserved for more nodes or sums. */
void stack_tree_trim(struct stack_tree *t);
void stack_sums_trim(struct stack_tree *t, struct stack_sums *s);

/*
 * Convert the sums to one profile of `out`, an empty batch, with one sample per node with a value.
 * For the encoders (pprof, folded, OTLP, speedscope). 0 or -errno.
 */
MUST_USE int stack_sums_to_batch(const struct stack_tree *t, const struct stack_sums *s,
				 struct str sample_type, struct str sample_unit,
				 struct profile_batch *out);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_TREE_TREE_H
#define VARVE_QUERY_TREE_TREE_H

#include "query/labels.h"
#include "query/tree/frames.h"
#include "signal/sample_type.h"
#include "signal/stack_tree.h"

/*
 * All samples of one type as one exact call tree. Nothing is cut off or rounded here: what does
 * not fit a screen is left out by who draws.
 *
 *	tree_init(&t, &options, budget);
 *	tree_add(&t, &batch, TREE_BEFORE, &e);	any number of batches, in either column
 *	tree_finish(&t);
 *	... read t.nodes, t.names ...
 *	tree_fini(&t);
 *
 * Values of a stack are added up first and each distinct stack is walked once, so the cost of a
 * sample is one addition. The tree keeps nothing of the batches. Sums wrap at 64 bits; `wrapped`
 * says that it happened. One thread.
 */

/* A diff has two columns of values on one tree; everything else uses the first. */
enum tree_column { TREE_ONLY = 0, TREE_BEFORE = 0, TREE_AFTER = 1, TREE_COLUMNS = 2 };

struct tree_options {
	struct str type; /* wanted sample type: see sample_type_pick() */
	bool last_type;	 /* without a wish: the last one, not the first */
	enum group_by group;
	bool all_frames; /* those too that the profile itself calls uninteresting: see query/tree/prune.h */
	bool invert; /* leaves at the root: who calls it, and not what it calls */
	struct frame_filters frames;
	const struct label_filter *labels; /* borrowed */
	uint32_t label_count;
};

struct tree_node {
	uint32_t parent, name; /* of node 0, the root: 0 and none */
	/*
	 * Of tree.children, once tree_finish() has been called. Before: the child
	 * that came last (tree.siblings leads to the others; 0: none), and how many there are.
	 */
	uint32_t child_at, child_n;
};

/* A value in each column. */
struct tree_values {
	int64_t in[TREE_COLUMNS];
};

struct tree_sum {
	int64_t all, kept;  /* of all samples of the type; of those the filters keep */
	uint64_t magnitude; /* of all, each without its sign: what 100 % is */
	uint64_t samples, kept_samples;
	uint64_t duration_nano; /* of all profiles of the type */
	uint32_t profiles;
};

struct tree {
	struct arena arena;
	struct tree_options options;
	struct sample_type type; /* what the first batch was asked for; copied */
	struct names names;
	VEC(struct tree_node) nodes;
	/* While it is built only: siblings and index are given back by tree_finish(). */
	struct arena building;
	uint32_t *siblings; /* by node: the child of the same parent before it */
	/* Once tree_finish() has been called. */
	uint32_t *children;	     /* node ids, by parent; of each parent by size, then by name */
	uint32_t *below;	     /* by node: how many nodes are below it */
	int64_t *self[TREE_COLUMNS]; /* by node; NULL: all 0. Read them by tree_self() */
	int64_t *total[TREE_COLUMNS]; /* the same, once tree_finish() has been called */
	struct idset index;	      /* of the children of nodes with many */
	struct tree_sum sum[TREE_COLUMNS];
	bool has_type, wrapped;
	/* No value is below 0 and no sum has wrapped: no node weighs more than its parent. Set by tree_finish(). */
	bool monotone;
};

/* An empty tree; strings and filters of the options are borrowed. 0 or -ENOMEM. Fini in every case. */
MUST_USE int tree_init(struct tree *t, const struct tree_options *options, struct budget *budget);
void tree_fini(struct tree *t);

/*
 * Add the samples of the batch that are of the tree's type. The first batch decides which type
 * that is, if the options leave it open. 0; -ENOENT when the batch has none of that type;
 * or another -errno, after which the tree may only be freed.
 */
MUST_USE int tree_add(struct tree *t, const struct profile_batch *batch, enum tree_column column,
		      struct err *e);

/*
 * Add what a store answered: the sums of one selection, or of two for a diff (either may be NULL). Its type is
 * told by tree_set_type(); labels were the store's business. `samples` counts stacks with a value. Errors as above.
 */
MUST_USE int tree_add_stacks(struct tree *t, const struct stack_tree *stacks,
			     const struct stack_sums *before, const struct stack_sums *after,
			     struct err *e);

/* The type the tree is about; both are copied. 0 or -ENOMEM. */
MUST_USE int tree_set_type(struct tree *t, struct str type, struct str unit);

/* Room for so many nodes more. 0, -ENOMEM or -EOVERFLOW. */
MUST_USE int tree_reserve(struct tree *t, uint32_t more);

/* The child of that name, made if it is new. Before tree_finish() only. 0, -ENOMEM or -EOVERFLOW. */
MUST_USE int tree_child(struct tree *t, uint32_t parent, uint32_t name, uint32_t *child);

/* Add to what the node has itself. Before tree_finish() only. 0 or -ENOMEM. */
MUST_USE int tree_put(struct tree *t, uint32_t node, enum tree_column column, int64_t value);

/* Work out the totals and sort the children. 0 or -ENOMEM. What it has worked out does not change any more. */
MUST_USE int tree_finish(struct tree *t);

/*
 * Make `out` a tree that reads what the finished tree `of` has, and has an arena of its own, so that several threads can work
 * with one tree. tree_fini() it before `of`; nothing can be added.
 */
void tree_borrow(struct tree *out, const struct tree *of, struct budget *budget);

/* The children of a node: its child_n, by size, then by name. After tree_finish() only. */
static inline const uint32_t *tree_children(const struct tree *t, uint32_t node)
{
	return t->children + t->nodes.at[node].child_at;
}

/* The name of a node that is not the root. */
static inline const struct frame_name *tree_name(const struct tree *t, uint32_t node)
{
	return &t->names.rows.at[t->nodes.at[node].name];
}

static inline struct str tree_text(const struct tree *t, uint32_t node)
{
	return node ? tree_name(t, node)->text : (struct str){0};
}

static inline struct tree_values tree_self(const struct tree *t, uint32_t node)
{
	return (struct tree_values){
		{t->self[0] ? t->self[0][node] : 0, t->self[1] ? t->self[1][node] : 0}};
}

static inline struct tree_values tree_total(const struct tree *t, uint32_t node)
{
	return (struct tree_values){
		{t->total[0] ? t->total[0][node] : 0, t->total[1] ? t->total[1][node] : 0}};
}

/* How large a value is without its sign; the least int64 too. */
static inline uint64_t magnitude_of(int64_t value)
{
	return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

/* How much room a node takes in a picture: the larger of its totals, without sign. */
static inline uint64_t tree_weight(const struct tree *t, uint32_t node)
{
	struct tree_values total = tree_total(t, node);
	uint64_t before = magnitude_of(total.in[TREE_BEFORE]);
	uint64_t after = magnitude_of(total.in[TREE_AFTER]);

	return before > after ? before : after;
}

/* a + b, wrapping; *wrapped is set when it does. */
static inline int64_t add_wrapping(int64_t a, int64_t b, bool *wrapped)
{
	int64_t sum;

	if (unlikely(__builtin_add_overflow(a, b, &sum)))
		*wrapped = true;
	return sum;
}

#endif

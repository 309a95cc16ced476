/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_TREE_TREE_H
#define VARVE_QUERY_TREE_TREE_H

#include "query/labels.h"
#include "query/tree/frames.h"
#include "signal/sample_type.h"
#include "signal/stack_tree.h"

/*
 * All samples of one type as one exact call tree. Nothing is truncated or rounded here:
 * query/tree/cut.h selects what a picture shows.
 *
 *	tree_init(&t, &options, budget);
 *	tree_add(&t, &batch, TREE_BEFORE, &e);	any number of batches, in either column
 *	tree_finish(&t);
 *	... read t.nodes, t.names ...
 *	tree_fini(&t);
 *
 * Values are first added up by stack, then each distinct stack is walked once, so a sample costs
 * one addition. The tree holds no references to the batches. Sums wrap at 64 bits; `wrapped` is set
 * when one does. One thread.
 */

/* A diff has two columns of values on one tree; everything else uses the first. */
enum tree_column { TREE_ONLY = 0, TREE_BEFORE = 0, TREE_AFTER = 1, TREE_COLUMNS = 2 };

struct tree_options {
	struct str type; /* wanted sample type: see sample_type_pick() */
	bool last_type;	 /* the default type is the last one, not the first */
	enum group_by group;
	/* Include frames that the profile declares uninteresting: see query/tree/prune.h. */
	bool all_frames;
	bool invert; /* leaves at the root, callers below */
	struct frame_filters frames;
	const struct label_filter *labels; /* borrowed */
	uint32_t label_count;
};

struct tree_node {
	uint32_t parent, name; /* both 0 for node 0, the root, which has no name */
	/*
	 * After tree_finish(): a range of tree.children. Before: the child added last
	 * (tree.siblings links to the others; 0: none), and the number of children.
	 */
	uint32_t child_at, child_n;
};

/* One value per column. */
struct tree_values {
	int64_t in[TREE_COLUMNS];
};

struct tree_sum {
	int64_t all, kept;  /* sum of all samples of the type; of those that pass the filters */
	uint64_t magnitude; /* sum of the absolute values of all samples: 100 % */
	uint64_t samples, kept_samples;
	uint64_t duration_nano; /* of all profiles of the type */
	uint32_t profiles;
};

struct tree {
	struct arena arena;
	struct tree_options options;
	struct sample_type type; /* chosen with the first batch; copied */
	struct names names;
	VEC(struct tree_node) nodes;
	/* Memory of siblings and index, freed by tree_finish(). */
	struct arena building;
	uint32_t *siblings; /* by node: the previously added child of the same parent; 0: none */
	struct idset index; /* of the children of nodes with many */
	/* Set by tree_finish(). */
	uint32_t *children; /* node ids, grouped by parent; within it by size, then by name */
	uint32_t *below;    /* by node: number of nodes below it */
	/*
	 * By node; NULL: all 0. Read by tree_self() and tree_total(); total is set by
	 * tree_finish().
	 */
	int64_t *self[TREE_COLUMNS], *total[TREE_COLUMNS];
	struct tree_sum sum[TREE_COLUMNS];
	bool has_type, wrapped;
	/*
	 * No value is negative and no sum has wrapped, so no node weighs more than its parent. Set
	 * by tree_finish().
	 */
	bool monotone;
};

/*
 * Initialize an empty tree; strings and filters of the options are borrowed. 0 or -ENOMEM. Fini in
 * every case.
 */
MUST_USE int tree_init(struct tree *t, const struct tree_options *options, struct budget *budget);
void tree_fini(struct tree *t);

/*
 * Add the samples of the batch that are of the tree's type. If the options name no type, the first
 * batch determines it. 0; -ENOENT when the batch has no profile of that type; or another -errno,
 * after which the tree may only be freed.
 */
MUST_USE int tree_add(struct tree *t, const struct profile_batch *batch, enum tree_column column,
		      struct err *e);

/*
 * Add the result of a store query: the sums of one selection, or of two for a diff (either may be
 * NULL). The caller sets the type by tree_set_type(); the label options do not apply.
 * tree_sum.samples counts stacks with a value. Errors as above. (tree_stacks.c)
 */
MUST_USE int tree_add_stacks(struct tree *t, const struct stack_tree *stacks,
			     const struct stack_sums *before, const struct stack_sums *after,
			     struct err *e);

/* Set the sample type of the tree; both strings are copied. 0 or -ENOMEM. */
MUST_USE int tree_set_type(struct tree *t, struct str type, struct str unit);

/* Reserve memory for `more` nodes. 0, -ENOMEM or -EOVERFLOW. */
MUST_USE int tree_reserve(struct tree *t, uint32_t more);

/*
 * Return the child with that name, created if it is new. Before tree_finish() only. 0, -ENOMEM or
 * -EOVERFLOW.
 */
MUST_USE int tree_child(struct tree *t, uint32_t parent, uint32_t name, uint32_t *child);

/* Add to the self value of a node. Before tree_finish() only. 0 or -ENOMEM. */
MUST_USE int tree_put(struct tree *t, uint32_t node, enum tree_column column, int64_t value);

/* Compute the totals and sort the children. The tree is immutable afterwards. 0 or -ENOMEM. */
MUST_USE int tree_finish(struct tree *t);

/*
 * Make `out` a read-only view of the finished tree `of` with its own arena, so that several threads
 * can work with one tree. Call tree_fini() on `out` before `of`.
 */
void tree_borrow(struct tree *out, const struct tree *of, struct budget *budget);

/* Return the child_n children of a node, by size, then by name. After tree_finish() only. */
static inline const uint32_t *tree_children(const struct tree *t, uint32_t node)
{
	return t->children + t->nodes.at[node].child_at;
}

/* Return the name of a node other than the root. */
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

/* Return the absolute value; works for INT64_MIN too. */
static inline uint64_t magnitude_of(int64_t value)
{
	return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

/* Return the size of a node in a picture: the larger absolute value of its totals. */
static inline uint64_t tree_weight(const struct tree *t, uint32_t node)
{
	struct tree_values total = tree_total(t, node);
	uint64_t before = magnitude_of(total.in[TREE_BEFORE]);
	uint64_t after = magnitude_of(total.in[TREE_AFTER]);

	return before > after ? before : after;
}

/* Return a + b, wrapping; set *wrapped if it wraps. */
static inline int64_t add_wrapping(int64_t a, int64_t b, bool *wrapped)
{
	int64_t sum;

	if (unlikely(__builtin_add_overflow(a, b, &sum)))
		*wrapped = true;
	return sum;
}

#endif

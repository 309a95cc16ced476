/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_FLAMEBEARER_H
#define VARVE_QUERY_FLAMEBEARER_H

#include "base/buf.h"
#include "query/tree/cut.h"

/*
 * A tree in the shapes that Pyroscope's clients read. What the cut hides below a node becomes one
 * child "other". Children stand in the order of their names. The cost grows with what is shown.
 *
 * Levels: four numbers a node (x, total, self, name), or seven for two columns (x, total, self of
 * the left, the same of the right, name); x counts from the end of the node before it in the level.
 */
struct levels {
	VEC(struct str)
	names; /* in the order in which a stack of nodes is popped; the first is "total" */
	VEC(struct level) rows;
	int64_t total, max_self, ticks[TREE_COLUMNS];
	unsigned width; /* 4 or 7 */
};

struct level {
	VEC(int64_t) values;
};

/* Memory is the tree's arena. 0 or -ENOMEM. */
MUST_USE int levels_of_tree(struct levels *out, struct tree *t, const struct cut *c, bool both);

/* The bytes of a tree as Pyroscope merges them: name, self, number of children; depth first. 0 or -ENOMEM. */
MUST_USE int levels_tree_bytes(struct buf *out, struct tree *t, const struct cut *c);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_FLAMEBEARER_H
#define VARVE_QUERY_FLAMEBEARER_H

#include "base/buf.h"
#include "query/tree/cut.h"

/*
 * Encodes a tree in the two formats that Pyroscope's clients read: flamebearer levels and merge
 * tree bytes. The hidden nodes below a node become one child "other". Children are sorted by name.
 * The cost is proportional to the number of nodes shown.
 *
 * A level has four numbers per node (x, total, self, name), or seven for two columns (x, total and
 * self of the left column, the same of the right column, name). x is relative to the end of the
 * previous node in the level.
 */
struct flamebearer {
	/* In the order in which the depth-first walk visits nodes; the first is "total". */
	VEC(struct str) names;
	VEC(struct flamebearer_level) rows;
	int64_t total, max_self, ticks[TREE_COLUMNS];
	unsigned width; /* 4 or 7 */
};

struct flamebearer_level {
	VEC(int64_t) values;
};

/* Encode the nodes that `c` shows as levels, allocated in the tree's arena. 0 or -ENOMEM. */
MUST_USE int flamebearer_of_tree(struct flamebearer *out, struct tree *t, const struct cut *c,
				 bool both);

/*
 * Append the tree in the binary format that Pyroscope merges: name, self and number of children of
 * each node, depth first. 0 or -ENOMEM.
 */
MUST_USE int flamebearer_tree_bytes(struct buf *out, struct tree *t, const struct cut *c);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_NODE_MAP_H
#define VARVE_STORE_SQLITE_NODE_MAP_H

#include "store/sqlite/read/query.h"

/* Map nodes of a book to nodes of the answer's tree, each at its first use. */
struct node_map {
	struct stack_tree *tree;
	const struct stack_node *nodes; /* of the book */
	struct stack_import import;
	uint32_t *map; /* node of the tree + 1, by node of the book */
};

/*
 * Load the book and prepare the map, in memory of the query's current partition. Return 0 or
 * -errno; call node_map_fini() in every case.
 */
MUST_USE int node_map_init(struct node_map *m, struct query *q, uint32_t book,
			   struct stack_tree *tree);
void node_map_fini(struct node_map *m);

/* Set *out to the node of the tree for a node of the book. Return 0 or -errno. */
MUST_USE int node_map_get(struct node_map *m, uint32_t node, uint32_t *out);

#endif

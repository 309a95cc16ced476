/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mapping is memoized: an array by node of the book holds the result, so each node is mapped once.
 */
#include "store/sqlite/read/node_map.h"

#include "store/sqlite/read/book_cache.h"

int node_map_init(struct node_map *m, struct query *q, uint32_t book, struct stack_tree *tree)
{
	int rc = reader_dictionary(&q->reader, book, q->error);

	*m = (struct node_map){.tree = tree};
	if (rc)
		return rc;
	m->nodes = q->reader.dictionary->tree.nodes.at;
	m->map = arena_zalloc(&q->scratch, query_book_nodes(q, book), sizeof(*m->map));
	rc = m->map ? stack_import_init(&m->import, tree, &q->reader.dictionary->tree.dictionary,
					true)
		    : -ENOMEM;
	if (rc)
		return err_errno(q->error, rc, "read samples");
	m->map[0] = 1;
	return 0;
}

void node_map_fini(struct node_map *m)
{
	stack_import_fini(&m->import);
}

/* Each node is mapped once, after its parent. */
int node_map_get(struct node_map *m, uint32_t node, uint32_t *out)
{
	uint32_t path[64], n = 0, at = node;
	int rc = 0;

	while (!m->map[at] && n < countof(path)) {
		path[n++] = at;
		at = m->nodes[at].parent;
	}
	if (!m->map[at]) { /* deeper than the path: map the ancestors first */
		rc = node_map_get(m, at, out);
		n = rc ? 0 : n;
	}
	while (!rc && n--) {
		const struct stack_node *row = &m->nodes[path[n]];
		uint32_t location, id;

		rc = stack_import_location(&m->import, row->location, &location);
		if (!rc)
			rc = stack_tree_child(m->tree, m->map[row->parent] - 1, location, &id);
		if (!rc)
			m->map[path[n]] = id + 1;
	}
	*out = m->map[node] - 1;
	return rc;
}

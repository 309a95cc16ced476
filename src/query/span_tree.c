/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes are found by an index over (trace id, span id). Loading adds nodes; span_tree_finish()
 * links children to parents, breaks cycles, and computes an order in which parents precede
 * children.
 */
#include "query/span_tree.h"

#include "base/clock.h"
#include "base/container/hash.h"

#define BEFORE_NS (24 * 3600 * NS_PER_SECOND)
#define AFTER_NS (3600 * NS_PER_SECOND)

int span_tree_init(struct span_tree *t, struct budget *budget)
{
	*t = (struct span_tree){0};
	arena_init(&t->arena, budget);
	return idset_init(&t->index, &t->arena, 256);
}

void span_tree_fini(struct span_tree *t)
{
	arena_fini(&t->arena);
}

void span_tree_range(uint64_t from, uint64_t to, struct store_span_select *out)
{
	out->from = from > BEFORE_NS ? from - BEFORE_NS : 0;
	out->to = to < UINT64_MAX - AFTER_NS ? to + AFTER_NS : UINT64_MAX;
}

/* ---- nodes ---- */

static uint32_t find_node(const struct span_tree *t, const struct link *link, uint32_t *hash)
{
	uint32_t id;

	*hash = (uint32_t)hash_bytes(link, sizeof(*link));
	for (struct idset_cursor c = idset_seek(&t->index, *hash); idset_next(&t->index, &c, &id);)
		if (memcmp(&t->nodes.at[id].link, link, sizeof(*link)) == 0)
			return id;
	return SPAN_NONE;
}

uint32_t span_tree_find(const struct span_tree *t, const struct link *link)
{
	uint32_t hash;

	return find_node(t, link, &hash);
}

/* Find or add the node of a span; *added reports whether it is new. */
static int node_of(struct span_tree *t, const struct link *link, uint32_t *node, bool *added)
{
	uint32_t hash;
	int rc = 0;

	*node = find_node(t, link, &hash);
	*added = *node == SPAN_NONE;
	if (!*added)
		return 0;
	*node = t->nodes.n;
	rc = vec_push(&t->arena, &t->nodes,
		      (struct span_node){.link = *link,
					 .parent = SPAN_NONE,
					 .first_child = SPAN_NONE,
					 .next_sibling = SPAN_NONE});
	return rc ? rc : idset_add(&t->index, hash, *node);
}

/* Copy a string, or share `before`, the previous node's, if it is equal, as it often is. */
static int copy_or_share(struct span_tree *t, struct str text, struct str before, struct str *out)
{
	*out = before;
	return str_eq(text, before) ? 0 : arena_copy_str(&t->arena, text, out);
}

static int visit_span(void *ctx, const struct span *s)
{
	struct span_tree *t = ctx;
	struct link link;
	struct span_node *n, *before;
	uint32_t node;
	bool added;
	int rc;

	memcpy(link.trace_id, s->trace_id, sizeof(link.trace_id));
	memcpy(link.span_id, s->span_id, sizeof(link.span_id));
	if (t->nodes.n >= SPAN_TREE_MAX) {
		t->cut = true;
		return 0;
	}
	rc = node_of(t, &link, &node, &added);
	if (rc || !added)
		return rc;
	n = &t->nodes.at[node];
	before = node ? n - 1 : n;
	rc = copy_or_share(t, s->name, before->name, &n->name);
	if (!rc)
		rc = copy_or_share(t, s->service, before->service, &n->service);
	n->kept = true;
	n->kind = s->kind;
	n->status = s->status;
	n->start = s->start;
	n->end = s->end;
	memcpy(n->parent_id, s->parent_id, sizeof(n->parent_id));
	return rc;
}

int span_tree_load(struct span_tree *t, struct store *store, const struct store_span_select *sel,
		   struct err *e)
{
	return store->ops->spans(store, sel, visit_span, t, e);
}

/* ---- structure ---- */

/* Set the parent of each node. A parent that is not stored gets a node. */
static int find_parents(struct span_tree *t)
{
	uint32_t kept = t->nodes.n;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < kept; i++) {
		struct link link = t->nodes.at[i].link;
		uint32_t parent;
		bool added;

		memcpy(link.span_id, t->nodes.at[i].parent_id, sizeof(link.span_id));
		if (!span_id_is_set(link.span_id, sizeof(link.span_id)))
			continue;
		rc = node_of(t, &link, &parent, &added);
		if (!rc)
			t->nodes.at[i].parent = parent;
	}
	return rc;
}

/* Walk up from each node; where a walk reaches its own path again, remove the parent link. */
static int cut_cycles(struct span_tree *t)
{
	uint32_t *walk = arena_zalloc(&t->arena, t->nodes.n + 1, sizeof(*walk));

	if (!walk)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->nodes.n; i++) {
		uint32_t at = i;

		while (at != SPAN_NONE && !walk[at]) {
			uint32_t parent = t->nodes.at[at].parent;

			walk[at] = i + 1;
			if (parent != SPAN_NONE && walk[parent] == i + 1)
				parent = t->nodes.at[at].parent = SPAN_NONE;
			at = parent;
		}
	}
	return 0;
}

static void link_children(struct span_tree *t)
{
	for (uint32_t i = t->nodes.n; i-- > 0;) { /* so that siblings keep their order */
		struct span_node *n = &t->nodes.at[i];

		if (n->parent == SPAN_NONE)
			continue;
		n->next_sibling = t->nodes.at[n->parent].first_child;
		t->nodes.at[n->parent].first_child = i;
	}
}

/* Append all descendants of the nodes in the list, each after its parent. */
static void append_descendants(const struct span_tree *t, uint32_t *list, uint32_t *n)
{
	for (uint32_t i = 0; i < *n; i++)
		for (uint32_t c = t->nodes.at[list[i]].first_child; c != SPAN_NONE;
		     c = t->nodes.at[c].next_sibling)
			list[(*n)++] = c;
}

int span_tree_finish(struct span_tree *t)
{
	uint32_t n = 0;
	int rc = find_parents(t);

	if (!rc)
		rc = cut_cycles(t);
	if (rc)
		return rc;
	link_children(t);
	t->order = arena_alloc(&t->arena, t->nodes.n + 1, sizeof(*t->order));
	if (!t->order)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->nodes.n; i++)
		if (t->nodes.at[i].parent == SPAN_NONE)
			t->order[n++] = i;
	append_descendants(t, t->order, &n);
	return 0;
}

void span_tree_add_up(struct span_tree *t)
{
	for (uint32_t i = t->nodes.n; i-- > 0;) {
		const struct span_node *n = &t->nodes.at[t->order[i]];

		if (n->parent != SPAN_NONE) {
			int64_t *to = &t->nodes.at[n->parent].total;

			*to = (int64_t)((uint64_t)*to + (uint64_t)n->total);
		}
	}
}

/* ---- descendants ---- */

/* A set of span ids, and which of them have a node. */
struct wanted_ids {
	const uint8_t (*ids)[8];
	struct idset index;
	uint8_t *found;
};

static int wanted_init(struct wanted_ids *q, const uint8_t (*ids)[8], uint32_t n, struct arena *a)
{
	int rc = idset_init(&q->index, a, n);

	q->ids = ids;
	q->found = arena_zalloc(a, n + 1, 1);
	for (uint32_t i = 0; !rc && i < n; i++)
		rc = idset_add(&q->index, (uint32_t)hash_bytes(ids[i], sizeof(*ids)), i);
	return q->found ? rc : -ENOMEM;
}

/* Return whether the id is wanted, and record that it has a node. */
static bool is_wanted(struct wanted_ids *q, const uint8_t id[8])
{
	struct idset_cursor c = idset_seek(&q->index, (uint32_t)hash_bytes(id, sizeof(*q->ids)));
	bool yes = false;
	uint32_t i;

	while (idset_next(&q->index, &c, &i)) /* all of them: an id may be given twice */
		if (memcmp(q->ids[i], id, sizeof(*q->ids)) == 0) {
			q->found[i] = true;
			yes = true;
		}
	return yes;
}

/* List the wanted spans that are not descendants of another wanted span. */
static uint32_t list_outermost(const struct span_tree *t, struct wanted_ids *q, uint8_t *inside,
			       uint32_t *list)
{
	uint32_t count = 0;

	for (uint32_t k = 0; k < t->nodes.n; k++) {
		uint32_t i = t->order[k], parent = t->nodes.at[i].parent;
		bool wanted = is_wanted(q, t->nodes.at[i].link.span_id);

		inside[i] = wanted || (parent != SPAN_NONE && inside[parent]);
		if (wanted && (parent == SPAN_NONE || !inside[parent]))
			list[count++] = i;
	}
	return count;
}

int span_tree_below(const struct span_tree *t, const uint8_t (*ids)[8], uint32_t n, struct arena *a,
		    const uint8_t (**out)[8], uint32_t *out_n)
{
	uint32_t *list = arena_alloc(a, t->nodes.n + 1, sizeof(*list));
	uint8_t *inside = arena_zalloc(a, t->nodes.n + 1, 1);
	uint8_t(*all)[8] = arena_alloc(a, (size_t)t->nodes.n + n + 1, sizeof(*all));
	struct wanted_ids wanted;
	uint32_t count;
	int rc = wanted_init(&wanted, ids, n, a);

	if (rc || !list || !inside || !all)
		return -ENOMEM;
	count = list_outermost(t, &wanted, inside, list);
	append_descendants(t, list, &count);
	for (uint32_t i = 0; i < count; i++)
		memcpy(all[i], t->nodes.at[list[i]].link.span_id, sizeof(all[i]));
	for (uint32_t i = 0; i < n; i++)
		if (!wanted.found[i])
			memcpy(all[count++], ids[i], sizeof(*all));
	*out = (const uint8_t(*)[8])all;
	*out_n = count;
	return 0;
}

/* ---- by id ---- */

/* List the traces of the loaded spans, each once; spans of one trace are adjacent. */
static int list_loaded_traces(struct span_tree *t, const uint8_t (**out)[16], uint32_t *n)
{
	uint8_t(*traces)[16] = arena_alloc(&t->arena, t->nodes.n + 1, sizeof(*traces));

	*n = 0;
	if (!traces)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->nodes.n; i++) {
		const struct link *link = &t->nodes.at[i].link;

		if (!*n || memcmp(traces[*n - 1], link->trace_id, 16) != 0)
			memcpy(traces[(*n)++], link->trace_id, 16);
	}
	*out = (const uint8_t(*)[16])traces;
	return 0;
}

int span_tree_of_ids(struct span_tree *t, struct store *store, const struct store_span_select *sel,
		     struct err *e)
{
	struct store_span_select whole = *sel;
	int rc = span_tree_load(t, store, sel, e);

	if (!rc && !sel->trace_count) {
		whole.ids = NULL;
		whole.id_count = 0;
		rc = list_loaded_traces(t, &whole.traces, &whole.trace_count);
		if (!rc && whole.trace_count)
			rc = span_tree_load(t, store, &whole, e);
	}
	return rc ? rc : span_tree_finish(t);
}

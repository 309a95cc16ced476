/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums by stack. In a partition values are added into an array by node; then the nodes that have a
 * value, and those on their way to the root, are carried into the tree of the answer, parents
 * before children, in one pass each.
 */
#include "store/sqlite/query_stacks.h"
#include "store/sqlite/query.h"

static void add_to(int64_t *at, int64_t value)
{
	*at = (int64_t)((uint64_t)*at + (uint64_t)value); /* wraps */
}

/* ---- into the tree ---- */

/* From the partition's nodes to the tree's; 0 + 1 is the root. */
static int carry_nodes(struct query *q, struct stack_tree *tree, const int64_t *acc, uint32_t *map)
{
	const struct stack_tree *from = &q->reader.dictionary->tree;
	uint32_t n = (uint32_t)q->reader.directory->state.nodes;
	struct stack_import import = {0};
	int rc;

	for (uint32_t i = n - 1; i; i--)
		if (acc[i] || map[i])
			map[from->nodes.at[i].parent] = map[i] = 1;
	map[0] = 1;
	rc = stack_import_init(&import, tree, &from->dictionary, true);
	for (uint32_t i = 1; !rc && i < n; i++) {
		struct stack_node node = from->nodes.at[i];
		uint32_t location, id = 0;

		if (!map[i])
			continue;
		rc = stack_import_location(&import, node.location, &location);
		if (!rc)
			rc = stack_tree_child(tree, map[node.parent] - 1, location, &id);
		map[i] = id + 1;
	}
	stack_import_fini(&import);
	return rc;
}

int stacks_carry(struct query *q, struct stack_tree *tree, struct stack_sums *sums,
		 const int64_t *acc)
{
	uint32_t n = (uint32_t)q->reader.directory->state.nodes;
	uint32_t *map = arena_zalloc(&q->scratch, n, sizeof(*map));
	int rc = map ? reader_dictionary(&q->reader, q->error) : -ENOMEM;

	if (!rc)
		rc = carry_nodes(q, tree, acc, map);
	if (!rc)
		rc = stack_sums_fit(tree, sums);
	for (uint32_t i = 0; !rc && i < n; i++)
		if (acc[i])
			add_to(&sums->self.at[map[i] - 1], acc[i]);
	return rc ? err_errno(q->error, rc, "merge stacks") : 0;
}

/* ---- sums ---- */

static void add_samples(const struct query *q, const struct rows *r, uint32_t at, uint32_t n,
			int64_t *acc)
{
	if (!query_by_link(q)) {
		for (uint32_t i = at; i < at + n; i++)
			add_to(&acc[r->node.at[i]], r->value.at[i]);
		return;
	}
	for (uint32_t i = at; r->link.n && i < at + n; i++)
		if (r->link.at[i] && query_takes_link(q, &r->links.at[r->link.at[i]]))
			add_to(&acc[r->node.at[i]], r->value.at[i]);
}

int stacks_add_rows(struct query *q, const struct rows *r, void *acc)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < r->series.n; i++) {
		if (query_takes(q, r, i))
			add_samples(q, r, at, r->count.at[i], acc);
		at += r->count.at[i];
	}
	return 0;
}

struct stacks_work {
	struct stack_tree *tree;
	struct stack_sums *sums;
	struct stack_sums parts; /* of gauges: in MEAN_PARTS */
	uint64_t slots;		 /* of gauges: those with data */
};

static int sum_all(struct query *q, int64_t *acc)
{
	uint64_t from = q->select->from, to = q->select->to;
	int rc;

	if (query_by_link(q) || q->select->profile_id)
		return query_each_rows(q, from, to, query_by_link(q) ? NEED_LINKED : NEED_SAMPLES,
				       NULL, stacks_add_rows, acc);
	rc = query_each_level0(q, from, to, NULL, stacks_add_rows, acc);
	return rc ? rc : stacks_add_chunks(q, acc);
}

static int sum_partition(struct query *q, void *arg)
{
	struct stacks_work *w = arg;
	int64_t *acc = arena_zalloc(&q->scratch, q->reader.directory->state.nodes, sizeof(*acc));
	int rc = acc ? sum_all(q, acc) : err_errno(q->error, -ENOMEM, "sum up stacks");

	return rc ? rc : stacks_carry(q, w->tree, w->sums, acc);
}

static int average_partition(struct query *q, void *arg)
{
	struct stacks_work *w = arg;
	int64_t *acc = arena_zalloc(&q->scratch, q->reader.directory->state.nodes, sizeof(*acc));
	struct slot_set slots = {0};
	int rc = acc ? average_sum(q, acc, &slots) : err_errno(q->error, -ENOMEM, "average stacks");

	w->slots += slot_set_count(&slots);
	return rc ? rc : stacks_carry(q, w->tree, &w->parts, acc);
}

/* The mean over the slots, rounded once. */
static int finish_average(struct stacks_work *w)
{
	int rc = stack_sums_fit(w->tree, w->sums);

	for (uint32_t i = 0; !rc && w->slots && i < w->parts.self.n; i++)
		add_to(&w->sums->self.at[i],
		       divide_rounded(w->parts.self.at[i], (int64_t)(w->slots * MEAN_PARTS)));
	return rc;
}

int query_stacks(struct store *s, const struct store_select *sel, struct stack_tree *tree,
		 struct stack_sums *sums, struct err *e)
{
	struct stacks_work w = {.tree = tree, .sums = sums};
	struct query q;
	int rc = query_init(&q, s, sel, e);

	if (!rc)
		rc = query_each(&q, sel->average ? average_partition : sum_partition, &w);
	if (!rc && sel->average)
		rc = finish_average(&w);
	query_fini(&q);
	return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums by stack. For each book values are added up in an array by node; then the nodes with a value
 * and their ancestors are copied into the tree of the answer, parents before children, in one pass
 * each.
 */
#include "store/sqlite/read/query_stacks.h"

#include "store/sqlite/read/book_cache.h"
#include "store/sqlite/read/query_average.h"
#include "store/sqlite/read/query_chunks.h"

/* Estimated bytes of a node of the answer, with its place in a flame graph. */
enum { NODE_BYTES = 72 };

static void add_wrapping(int64_t *at, int64_t value)
{
	*at = (int64_t)((uint64_t)*at + (uint64_t)value); /* wraps */
}

/* ---- into the tree ---- */

struct copy_work {
	struct query *q;
	struct stack_tree *tree;
	const struct stack_tree *from;
	struct node_sums *acc;
	struct node_sums map; /* node of the tree + 1; before that is known, 1 for a needed node */
	struct stack_import import;
	bool empty; /* the tree was empty: no node can be in it already */
};

/* Mark the nodes with a sum and their ancestors. A parent has a lower number than its children. */
static void mark_nodes(struct copy_work *c)
{
	const struct stack_node *nodes = c->from->nodes.at;

	for (uint32_t first = c->acc->n, end; node_sums_previous(c->acc, &first, &end);)
		for (uint32_t i = end; i-- > first;) {
			uint32_t parent = nodes[i].parent;

			if (!i || (!c->acc->at[i] && !c->map.at[i]))
				continue;
			c->map.at[i] = c->map.at[parent] = 1;
			node_sums_touch(c->acc, parent); /* this block or an earlier one */
		}
	c->map.at[0] = 1;
}

static int copy_tree_node(struct copy_work *c, uint32_t i)
{
	struct stack_node node = c->from->nodes.at[i];
	uint32_t location, id = 0, parent = (uint32_t)c->map.at[node.parent] - 1;
	int rc = i ? stack_import_location(&c->import, node.location, &location) : 0;

	if (!rc && i)
		rc = c->empty ? stack_tree_append(c->tree, parent, location, &id)
			      : stack_tree_child(c->tree, parent, location, &id);
	c->map.at[i] = (int64_t)id + 1;
	return rc;
}

static int copy_nodes(struct copy_work *c)
{
	int rc = 0;

	mark_nodes(c);
	for (uint32_t first = 0, end = 0; !rc && node_sums_next(c->acc, &first, &end);)
		for (uint32_t i = first; !rc && i < end; i++)
			if (c->map.at[i])
				rc = copy_tree_node(c, i);
	return rc;
}

static int copy_sums(struct copy_work *c, struct stack_sums *sums)
{
	int rc = stack_sums_fit(c->tree, sums);

	for (uint32_t first = 0, end = 0; !rc && node_sums_next(c->acc, &first, &end);)
		for (uint32_t i = first; i < end; i++)
			if (c->acc->at[i])
				add_wrapping(&sums->self.at[c->map.at[i] - 1], c->acc->at[i]);
	return rc;
}

static int copy_book_sums(struct query *q, uint32_t book, struct stack_tree *tree,
			  struct stack_sums *sums, struct node_sums *acc)
{
	struct copy_work c = {.q = q, .tree = tree, .acc = acc, .empty = tree->nodes.n == 1};
	int rc = reader_dictionary(&q->reader, book, q->error);

	if (rc)
		return rc;
	c.from = &q->reader.dictionary->tree;
	rc = node_sums_init(&c.map, acc->n, q->select->limits.budget);
	if (!rc)
		rc = stack_import_init(&c.import, tree, &c.from->dictionary, true);
	if (!rc)
		rc = copy_nodes(&c);
	if (!rc)
		rc = copy_sums(&c, sums);
	stack_import_fini(&c.import);
	node_sums_fini(&c.map);
	return rc ? err_errno(q->error, rc, "merge stacks") : 0;
}

/* ---- sums ---- */

static void add_node_sums(const struct query *q, const struct rows *r, uint32_t at, uint32_t n,
			  struct node_sums *acc)
{
	if (!query_by_link(q)) {
		for (uint32_t i = at; i < at + n; i++)
			node_sums_add(acc, r->node.at[i], r->value.at[i]);
		return;
	}
	for (uint32_t i = at; r->link.n && i < at + n; i++)
		if (r->link.at[i] && query_selects_link(q, &r->links.at[r->link.at[i]]))
			node_sums_add(acc, r->node.at[i], r->value.at[i]);
}

static int add_selected_rows(struct query *q, const struct rows *r, void *acc)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < r->series.n; i++) {
		if (query_selects(q, r, i))
			add_node_sums(q, r, at, r->count.at[i], acc);
		at += r->count.at[i];
	}
	return 0;
}

struct stacks_work {
	struct stack_tree *tree; /* NULL: visit them instead */
	struct stack_sums *sums;
	store_visit_stacks *visit;
	void *ctx;
	struct stack_sums parts; /* of gauges, in MEAN_PARTS */
	uint64_t slots;		 /* of gauges: number of slots with data */
	struct slot_set day;	 /* of the current partition */
};

static int sum_visited(struct query *q, struct node_sums *acc)
{
	uint64_t from = q->select->from, to = q->select->to;
	int rc;

	if (query_by_link(q) || q->select->profile_id)
		return query_each_rows(q, from, to, query_by_link(q) ? NEED_LINKED : NEED_SAMPLES,
				       NULL, add_selected_rows, acc);
	rc = query_each_level0(q, from, to, NULL, add_selected_rows, acc);
	return rc ? rc : stacks_add_chunks(q, acc);
}

/* Copy the sums of the book into the tree, or visit them. */
static int end_book(struct query *q, struct stacks_work *w, uint32_t book, struct node_sums *acc)
{
	int rc;

	if (w->tree)
		return copy_book_sums(q, book, w->tree, q->select->average ? &w->parts : w->sums,
				      acc);
	rc = reader_dictionary(&q->reader, book, q->error);
	return rc ? rc : w->visit(w->ctx, &q->reader.dictionary->tree, acc->at, acc->n);
}

static int sum_book(struct query *q, uint32_t book, void *arg)
{
	struct stacks_work *w = arg;
	struct node_sums acc;
	int rc = node_sums_init(&acc, query_book_nodes(q, book), q->select->limits.budget);

	if (rc)
		rc = err_errno(q->error, rc, "sum up stacks");
	else
		rc = q->select->average ? average_sum(q, &acc, &w->day) : sum_visited(q, &acc);
	if (!rc)
		rc = end_book(q, w, book, &acc);
	node_sums_fini(&acc);
	return rc;
}

/*
 * Set *books to the number of selected books, and *bytes to the memory that their nodes may take in
 * an answer.
 */
static int estimate_memory(struct query *q, uint32_t *books, uint64_t *bytes)
{
	const struct directory *d = q->reader.directory;
	uint8_t *counted = arena_zalloc(&q->scratch, d->books->n, 1);

	*books = 0;
	*bytes = 0;
	for (uint32_t i = 0; counted && i < q->visited.n; i++) {
		uint32_t book = d->series->groups.at[q->visited.at[i]].book;

		*books += !counted[book];
		*bytes += counted[book] ? 0 : query_book_nodes(q, book) * NODE_BYTES;
		counted[book] = 1;
	}
	return counted ? 0 : -ENOMEM;
}

static int sum_partition(struct query *q, void *arg)
{
	const struct store_limits *limits = &q->select->limits;
	const struct budget *budget = limits->budget;
	struct stacks_work *w = arg;
	uint32_t books;
	uint64_t bytes;
	int rc = estimate_memory(q, &books, &bytes);

	if (!rc && w->tree && limits->most && bytes > limits->most) {
		*limits->need = bytes;
		rc = -ENOBUFS;
	}
	if (!rc && q->select->refuse_large && books > 1 && budget &&
	    bytes > budget->limit / 8 * 5) {
		rc = -ENOMEM;
		if (q->select->limits.missing)
			q->select->limits.missing->smaller = true;
	}
	if (!rc && q->select->average)
		rc = average_begin(q);
	w->day = (struct slot_set){0};
	if (!rc)
		rc = query_each_book(q, sum_book, w);
	w->slots += slot_set_count(&w->day);
	q->skip = NULL;
	q->shared = NULL;
	if (rc != -ENOMEM || books < 2 || !q->error)
		return rc;
	*q->error = (struct err){0};
	return err_set(q->error, rc, "merging the stacks of %u services may take %llu MB", books,
		       (unsigned long long)(bytes / MIB));
}

/* Compute the mean over the slots, rounded once. */
static int finish_average(struct stacks_work *w)
{
	int rc = stack_sums_fit(w->tree, w->sums);

	for (uint32_t i = 0; !rc && w->slots && i < w->parts.self.n; i++)
		add_wrapping(&w->sums->self.at[i],
			     divide_rounded(w->parts.self.at[i], (int64_t)(w->slots * MEAN_PARTS)));
	return rc;
}

static int sum_up(struct stacks_work *w, struct store *s, const struct store_select *sel,
		  struct err *e)
{
	struct query q;
	int rc = query_init(&q, s, sel, e);

	if (!rc)
		rc = query_each(&q, sum_partition, w);
	query_fini(&q);
	return rc;
}

int query_stacks(struct store *s, const struct store_select *sel, struct stack_tree *tree,
		 struct stack_sums *sums, struct err *e)
{
	struct stacks_work w = {.tree = tree, .sums = sums};
	int rc = sum_up(&w, s, sel, e);

	return rc || !sel->average ? rc : finish_average(&w);
}

int query_each_stacks(struct store *s, const struct store_select *sel, store_visit_stacks *visit,
		      void *ctx, uint64_t *divisor, struct err *e)
{
	struct stacks_work w = {.visit = visit, .ctx = ctx};
	int rc = sum_up(&w, s, sel, e);

	*divisor = sel->average && w.slots ? w.slots * MEAN_PARTS : 1;
	return rc;
}

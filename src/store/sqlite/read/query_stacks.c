/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums by stack. Book by book values are added into an array by node; then the nodes that have a
 * value, and those on their way to the root, are carried into the tree of the answer, parents
 * before children, in one pass each.
 */
#include "store/sqlite/read/query_stacks.h"
#include "store/sqlite/read/query.h"

/* A node of the answer takes about so much, with its place in a flame graph. */
enum { NODE_BYTES = 72 };

static void add_to(int64_t *at, int64_t value)
{
	*at = (int64_t)((uint64_t)*at + (uint64_t)value); /* wraps */
}

/* ---- into the tree ---- */

struct carry {
	struct query *q;
	struct stack_tree *tree;
	const struct stack_tree *from;
	struct node_sums *acc;
	struct node_sums map; /* node of the tree + 1; before it is known, 1: needed */
	struct stack_import import;
	bool empty; /* the tree was: no two nodes are equal, so nobody has to look */
};

/* The nodes with a sum and all on their way to the root. A parent stands before its children. */
static void need_nodes(struct carry *c)
{
	const struct stack_node *nodes = c->from->nodes.at;

	for (uint32_t first = c->acc->n, end; node_sums_previous(c->acc, &first, &end);)
		for (uint32_t i = end; i-- > first;) {
			uint32_t parent = nodes[i].parent;

			if (!i || (!c->acc->at[i] && !c->map.at[i]))
				continue;
			c->map.at[i] = c->map.at[parent] = 1;
			node_sums_touch(c->acc, parent); /* a block before this one, or this one */
		}
	c->map.at[0] = 1;
}

static int carry_node(struct carry *c, uint32_t i)
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

static int carry_nodes(struct carry *c)
{
	int rc = 0;

	need_nodes(c);
	for (uint32_t first = 0, end = 0; !rc && node_sums_next(c->acc, &first, &end);)
		for (uint32_t i = first; !rc && i < end; i++)
			if (c->map.at[i])
				rc = carry_node(c, i);
	return rc;
}

static int carry_sums(struct carry *c, struct stack_sums *sums)
{
	int rc = stack_sums_fit(c->tree, sums);

	for (uint32_t first = 0, end = 0; !rc && node_sums_next(c->acc, &first, &end);)
		for (uint32_t i = first; i < end; i++)
			if (c->acc->at[i])
				add_to(&sums->self.at[c->map.at[i] - 1], c->acc->at[i]);
	return rc;
}

int stacks_carry(struct query *q, uint32_t book, struct stack_tree *tree, struct stack_sums *sums,
		 struct node_sums *acc)
{
	struct carry c = {.q = q, .tree = tree, .acc = acc, .empty = tree->nodes.n == 1};
	int rc = reader_dictionary(&q->reader, book, q->error);

	if (rc)
		return rc;
	c.from = &q->reader.dictionary->tree;
	rc = node_sums_init(&c.map, acc->n, q->select->limits.budget);
	if (!rc)
		rc = stack_import_init(&c.import, tree, &c.from->dictionary, true);
	if (!rc)
		rc = carry_nodes(&c);
	if (!rc)
		rc = carry_sums(&c, sums);
	stack_import_fini(&c.import);
	node_sums_fini(&c.map);
	return rc ? err_errno(q->error, rc, "merge stacks") : 0;
}

/* ---- sums ---- */

static void add_samples(const struct query *q, const struct rows *r, uint32_t at, uint32_t n,
			struct node_sums *acc)
{
	if (!query_by_link(q)) {
		for (uint32_t i = at; i < at + n; i++)
			node_sums_add(acc, r->node.at[i], r->value.at[i]);
		return;
	}
	for (uint32_t i = at; r->link.n && i < at + n; i++)
		if (r->link.at[i] && query_takes_link(q, &r->links.at[r->link.at[i]]))
			node_sums_add(acc, r->node.at[i], r->value.at[i]);
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
	struct stack_tree *tree; /* NULL: they are visited */
	struct stack_sums *sums;
	store_visit_stacks *visit;
	void *ctx;
	struct stack_sums parts; /* of gauges: in MEAN_PARTS */
	uint64_t slots;		 /* of gauges: those with data */
	struct slot_set day;	 /* of the partition at hand */
};

static int sum_all(struct query *q, struct node_sums *acc)
{
	uint64_t from = q->select->from, to = q->select->to;
	int rc;

	if (query_by_link(q) || q->select->profile_id)
		return query_each_rows(q, from, to, query_by_link(q) ? NEED_LINKED : NEED_SAMPLES,
				       NULL, stacks_add_rows, acc);
	rc = query_each_level0(q, from, to, NULL, stacks_add_rows, acc);
	return rc ? rc : stacks_add_chunks(q, acc);
}

/* What was summed up of the book goes into the tree, or is visited. */
static int end_book(struct query *q, struct stacks_work *w, uint32_t book, struct node_sums *acc)
{
	int rc;

	if (w->tree)
		return stacks_carry(q, book, w->tree, q->select->average ? &w->parts : w->sums,
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
		rc = q->select->average ? average_sum(q, &acc, &w->day) : sum_all(q, &acc);
	if (!rc)
		rc = end_book(q, w, book, &acc);
	node_sums_fini(&acc);
	return rc;
}

/* How many books are selected, and how much memory their nodes may take in an answer. */
static int find_need(struct query *q, uint32_t *books, uint64_t *bytes)
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
	int rc = find_need(q, &books, &bytes);

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

/* The mean over the slots, rounded once. */
static int finish_average(struct stacks_work *w)
{
	int rc = stack_sums_fit(w->tree, w->sums);

	for (uint32_t i = 0; !rc && w->slots && i < w->parts.self.n; i++)
		add_to(&w->sums->self.at[i],
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

/* SPDX-License-Identifier: Apache-2.0 */
/* Queries that visit results one by one: points and samples. */
#include "store/sqlite/read/query_visit.h"

#include <stdlib.h>

#include "store/sqlite/read/node_map.h"
#include "store/sqlite/read/query_filter.h"

/* ---- points ---- */

struct points_work {
	struct arena arena;
	VEC(struct store_point) points;
};

static int collect_points(struct query *q, const struct rows *r, void *arg)
{
	const struct series_entry *series = q->reader.directory->series->series.at;
	struct points_work *w = arg;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < r->series.n; i++) {
		struct store_point p = {series[r->series.at[i]].number,
					r->time.at[i],
					r->duration.at[i],
					r->total.at[i],
					{0}};

		if (!query_selects(q, r, i))
			continue;
		if (r->ids.n)
			memcpy(p.profile_id, r->ids.at + (size_t)i * PROFILE_ID_SIZE,
			       PROFILE_ID_SIZE);
		rc = vec_push(&w->arena, &w->points, p);
	}
	return rc ? err_errno(q->error, rc, "read points") : 0;
}

static int points_partition(struct query *q, void *arg)
{
	if (q->select->stacks)
		return query_each_filtered(q, collect_points, arg);
	return query_each_rows(q, q->select->from, q->select->to, NEED_POINTS, NULL, collect_points,
			       arg);
}

static int compare_points(const void *a, const void *b)
{
	const struct store_point *x = a, *y = b;

	if (x->series != y->series)
		return x->series < y->series ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return memcmp(x->profile_id, y->profile_id, sizeof(x->profile_id));
}

/*
 * A run of points of one series in order. Each chunk has its points in order, so runs are sorted,
 * not points.
 */
struct point_run {
	uint64_t time; /* of the first point */
	uint32_t series, first, n;
};

static int compare_runs(const void *a, const void *b)
{
	const struct point_run *x = a, *y = b;

	if (x->series != y->series)
		return x->series < y->series ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

struct point_runs {
	VEC(struct point_run) at;
};

static int find_runs(struct points_work *w, struct point_runs *runs)
{
	const struct store_point *p = w->points.at;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < w->points.n; i++) {
		if (i && p[i].series == p[i - 1].series && compare_points(&p[i - 1], &p[i]) <= 0)
			runs->at.at[runs->at.n - 1].n++;
		else
			rc = vec_push(&w->arena, &runs->at,
				      ((struct point_run){p[i].time, p[i].series, i, 1}));
	}
	if (!rc && runs->at.n)
		qsort(runs->at.at, runs->at.n, sizeof(*runs->at.at), compare_runs);
	return rc;
}

/* Return whether each run ends before the next one begins. */
static bool runs_are_ordered(const struct points_work *w, const struct point_run *runs, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		const struct point_run *before = &runs[i - 1];

		if (compare_points(&w->points.at[before->first + before->n - 1],
				   &w->points.at[runs[i].first]) > 0)
			return false;
	}
	return true;
}

/* Visit the points of one series in order, given its runs. */
static int visit_runs(struct points_work *w, const struct point_run *runs, uint32_t n,
		      store_visit_point *visit, void *ctx)
{
	VEC(struct store_point) mixed = {0}; /* all points, if runs overlap */
	bool follow = runs_are_ordered(w, runs, n);
	int rc = 0;

	for (uint32_t i = 0; !rc && i < n; i++)
		for (uint32_t k = runs[i].first; !rc && k < runs[i].first + runs[i].n; k++)
			rc = follow ? visit(ctx, &w->points.at[k])
				    : vec_push(&w->arena, &mixed, w->points.at[k]);
	if (!rc && mixed.n)
		qsort(mixed.at, mixed.n, sizeof(*mixed.at), compare_points);
	for (uint32_t i = 0; !rc && i < mixed.n; i++)
		rc = visit(ctx, &mixed.at[i]);
	return rc;
}

static int visit_points(struct points_work *w, store_visit_point *visit, void *ctx)
{
	struct point_runs runs = {0};
	int rc = find_runs(w, &runs);

	for (uint32_t i = 0, end; !rc && i < runs.at.n; i = end) {
		for (end = i + 1;
		     end < runs.at.n && runs.at.at[end].series == runs.at.at[i].series;)
			end++;
		rc = visit_runs(w, &runs.at.at[i], end - i, visit, ctx);
	}
	return rc;
}

int query_points(struct store *s, const struct store_select *sel, store_visit_point *visit,
		 void *ctx, struct err *e)
{
	struct points_work w = {0};
	struct query q;
	int rc = query_init(&q, s, sel, e);

	arena_init(&w.arena, sel->limits.budget);
	if (!rc)
		rc = query_each(&q, points_partition, &w);
	if (!rc)
		rc = visit_points(&w, visit, ctx);
	arena_fini(&w.arena);
	query_fini(&q);
	return rc;
}

/* ---- scan ---- */

struct scan_work {
	struct stack_tree *tree; /* NULL: nodes are not requested */
	store_visit_samples *visit;
	void *ctx;
	struct node_map nodes;
	struct arena arena; /* of one profile */
};

/* Selected samples of a profile, as columns. */
struct scan_columns {
	uint32_t *nodes;
	int64_t *values;
	uint64_t *times;
	struct link *links;
	uint32_t n;
	bool timed, linked;
};

static int fill_columns(struct query *q, struct scan_work *w, const struct rows *r, uint32_t at,
			uint32_t n, struct scan_columns *c)
{
	int rc = 0;

	c->nodes = w->tree ? arena_alloc(&w->arena, n, sizeof(*c->nodes)) : NULL;
	c->values = arena_alloc(&w->arena, n, sizeof(*c->values));
	c->times = arena_alloc(&w->arena, n, sizeof(*c->times));
	c->links = arena_alloc(&w->arena, n, sizeof(*c->links));
	if ((w->tree && !c->nodes) || !c->values || !c->times || !c->links)
		return -ENOMEM;
	for (uint32_t i = at; !rc && i < at + n; i++) {
		struct link link = r->link.n ? r->links.at[r->link.at[i]] : (struct link){0};
		bool linked = r->link.n && r->link.at[i];

		if (query_by_link(q) && (!linked || !query_selects_link(q, &link)))
			continue;
		if (w->tree)
			rc = node_map_get(&w->nodes, r->node.at[i], &c->nodes[c->n]);
		c->values[c->n] = r->value.at[i];
		c->times[c->n] = r->sample_time.n ? r->sample_time.at[i] : 0;
		c->links[c->n] = link;
		c->timed |= c->times[c->n] != 0;
		c->linked |= linked;
		c->n++;
	}
	return rc;
}

static int scan_rows(struct query *q, const struct rows *r, void *arg)
{
	const struct series_entry *series = q->reader.directory->series->series.at;
	struct scan_work *w = arg;
	uint32_t at = 0;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < r->series.n; at += r->count.at[i++]) {
		struct scan_columns c = {0};
		struct store_samples out = {series[r->series.at[i]].number, r->time.at[i],
					    r->duration.at[i]};

		if (!query_selects(q, r, i))
			continue;
		arena_reset(&w->arena);
		rc = fill_columns(q, w, r, at, r->count.at[i], &c);
		out.n = c.n;
		out.nodes = c.nodes;
		out.values = c.values;
		out.times = c.timed ? c.times : NULL;
		out.links = c.linked ? c.links : NULL;
		if (rc)
			rc = err_errno(q->error, rc, "read samples");
		else if (c.n || !query_by_link(q))
			rc = w->visit(w->ctx, &out);
	}
	return rc;
}

static int scan_all(struct query *q, struct scan_work *w)
{
	return query_each_rows(q, q->select->from, q->select->to,
			       query_by_link(q) ? NEED_LINKED : NEED_SAMPLES, NULL, scan_rows, w);
}

static int scan_book(struct query *q, uint32_t book, void *arg)
{
	struct scan_work *w = arg;
	int rc = node_map_init(&w->nodes, q, book, w->tree);

	if (!rc)
		rc = scan_all(q, w);
	node_map_fini(&w->nodes);
	return rc;
}

static int scan_partition(struct query *q, void *arg)
{
	struct scan_work *w = arg;

	return w->tree ? query_each_book(q, scan_book, w) : scan_all(q, w);
}

int query_scan(struct store *s, const struct store_select *sel, struct stack_tree *tree,
	       store_visit_samples *visit, void *ctx, struct err *e)
{
	struct scan_work w = {.tree = tree, .visit = visit, .ctx = ctx};
	struct query q;
	int rc = query_init(&q, s, sel, e);

	arena_init(&w.arena, sel->limits.budget);
	if (!rc)
		rc = query_each(&q, scan_partition, &w);
	arena_fini(&w.arena);
	query_fini(&q);
	return rc;
}

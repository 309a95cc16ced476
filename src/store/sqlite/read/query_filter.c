/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles whose totals count only some stacks. The filter is evaluated once for each stack of a
 * book, at its first use. The samples of a run have one stack, so runs of other stacks are skipped
 * as a whole.
 */
#include "store/sqlite/read/query_filter.h"

#include "store/sqlite/block/chunk.h"
#include "store/sqlite/block/columns.h"
#include "store/sqlite/catalog/chunk_cache.h"
#include "store/sqlite/read/node_map.h"

enum { UNKNOWN, DROPPED, KEPT };

struct filter_work {
	struct query *q;
	struct node_map nodes;
	uint8_t *states; /* by node of the book */
	uint64_t node_count;
	rows_visitor *visit;
	void *arg;
};

static void add_wrapping(int64_t *at, int64_t value)
{
	*at = (int64_t)((uint64_t)*at + (uint64_t)value); /* wraps */
}

/* Return whether the filter keeps the stack: 1, 0 or -errno. */
static int filter_keeps(struct filter_work *w, uint32_t node)
{
	const struct store_stack_filter *f = w->q->select->stacks;
	uint32_t id;
	bool yes = false;
	int rc;

	if (w->states[node])
		return w->states[node] == KEPT;
	rc = node_map_get(&w->nodes, node, &id);
	if (!rc)
		rc = f->keeps(f->context, id, &yes);
	if (rc)
		return err_errno(w->q->error, rc, "filter stacks");
	w->states[node] = yes ? KEPT : DROPPED;
	return yes;
}

/* Add the kept samples of each selected profile to its total. */
static int filter_rows(struct filter_work *w, const struct rows *r, int64_t *totals)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < r->series.n; at += r->count.at[i++])
		for (uint32_t k = at; query_selects(w->q, r, i) && k < at + r->count.at[i]; k++) {
			int yes = filter_keeps(w, r->node.at[k]);

			if (yes < 0)
				return yes;
			if (yes)
				add_wrapping(&totals[i], r->value.at[k]);
		}
	return 0;
}

static int filter_level0(struct query *q, const struct rows *r, void *arg)
{
	struct filter_work *w = arg;
	struct rows filtered = *r;
	int rc;

	filtered.total.at = arena_zalloc(&q->scratch, r->series.n + 1, sizeof(*r->total.at));
	if (!filtered.total.at)
		return err_errno(q->error, -ENOMEM, "filter stacks");
	rc = filter_rows(w, r, filtered.total.at);
	return rc ? rc : w->visit(q, &filtered, w->arg);
}

/* ---- chunks ---- */

struct filter_chunk {
	struct filter_work *work;
	struct arena arena, section;
	struct rows points; /* with recomputed totals */
	struct runs_reader runs;
	struct column_cursor detail;
	uint32_t first; /* first profile of the current section */
};

static int details_damaged(struct filter_chunk *c)
{
	return err_set(c->work->q->error, -EUCLEAN, "the details of a chunk are damaged");
}

static uint32_t filter_section_end(const struct filter_chunk *c, uint32_t series, uint32_t slot)
{
	const struct rows *r = &c->points;
	uint32_t i = c->first;

	while (i < r->series.n && r->series.at[i] == series &&
	       section_slot(r->by_hour, r->time.at[i]) == slot)
		i++;
	return i;
}

/* Add the kept samples of the section's runs. Its profiles end at `end`. */
static int filter_runs(struct filter_chunk *c, const struct chunk_section *s, uint64_t samples,
		       uint32_t end)
{
	int rc = 0, yes;
	uint32_t *ordinals = column_new_u32(&c->detail, &c->section, samples, &rc);
	uint64_t *values = column_new_u64(&c->detail, &c->section, samples - s->n, &rc);

	if (rc)
		return err_errno(c->work->q->error, rc, "read samples");
	if (c->detail.bad)
		return details_damaged(c);
	for (uint32_t k = 0; k < s->n;
	     k++, ordinals += s->counts[k - 1], values += s->counts[k - 1] - 1) {
		uint64_t profile = c->first;
		int64_t left = s->sums[k];

		if (!s->counts[k] || s->nodes[k] >= c->work->node_count)
			return details_damaged(c);
		yes = filter_keeps(c->work, s->nodes[k]);
		if (yes < 0)
			return yes;
		for (uint32_t i = 0; yes && i < s->counts[k]; i++) {
			int64_t value = left;

			if (i + 1 < s->counts[k])
				value = (int64_t)((uint64_t)unzigzag(values[i]) *
						  (uint64_t)c->runs.unit);
			left = (int64_t)((uint64_t)left - (uint64_t)value);
			profile += ordinals[i];
			if (profile >= end)
				return details_damaged(c);
			add_wrapping(&c->points.total.at[profile], value);
		}
	}
	return 0;
}

static int filter_section(struct filter_chunk *c)
{
	struct query *q = c->work->q;
	struct chunk_section s;
	uint64_t samples = 0;
	uint32_t end;
	int rc = runs_next(&c->runs, &s, RUNS_ALL, q->error);

	if (rc < 0)
		return rc;
	if (s.series >= q->reader.directory->series->series.n)
		return err_set(q->error, -EUCLEAN, "samples refer to missing series");
	for (uint32_t i = 0; i < s.n; i++)
		samples += s.counts[i];
	if (samples < s.n)
		return details_damaged(c);
	end = filter_section_end(c, s.series, s.slot);
	if (q->wanted[s.series]) {
		arena_reset(&c->section);
		rc = filter_runs(c, &s, samples, end);
	} else {
		column_skip(&c->detail, samples);
		column_skip(&c->detail, samples - s.n);
		rc = 0;
	}
	c->first = end;
	return rc;
}

static int filter_plain(struct filter_chunk *c, const struct chunk_entry *entry)
{
	struct query *q = c->work->q;
	struct str runs, detail;
	int rc = query_part(q, entry, PART_RUNS, &c->arena, &runs);

	if (!rc)
		rc = query_part(q, entry, PART_DETAIL, &c->arena, &detail);
	if (rc || !runs.n)
		return rc;
	c->detail = column_cursor(detail);
	rc = runs_begin(&c->runs, runs, &q->reader.connection->unpacker, &c->arena, q->error);
	while (!rc && c->runs.at < c->runs.sections)
		rc = filter_section(c);
	return rc;
}

/* Add samples with a time or link of their own. */
static int filter_linked(struct filter_chunk *c, const struct chunk_entry *entry)
{
	struct query *q = c->work->q;
	struct linked_samples l;
	struct str linked;
	int rc = query_part(q, entry, PART_LINKED, &c->arena, &linked);

	if (!rc)
		rc = chunk_linked(&l, &c->points, linked, &c->arena, q->error);
	for (uint32_t i = 0; !rc && i < l.n; i++) {
		int yes;

		if (!q->wanted[c->points.series.at[l.profiles[i]]])
			continue;
		yes = l.nodes[i] < c->work->node_count ? filter_keeps(c->work, l.nodes[i])
						       : details_damaged(c);
		rc = yes < 0 ? yes : 0;
		if (yes > 0)
			add_wrapping(&c->points.total.at[l.profiles[i]], l.values[i]);
	}
	return rc;
}

static int filter_chunk(struct filter_work *w, const struct chunk_entry *entry)
{
	struct query *q = w->q;
	struct filter_chunk c = {.work = w};
	int rc = query_check(q);

	arena_init(&c.arena, q->select->limits.budget);
	arena_init(&c.section, q->select->limits.budget);
	if (!rc)
		rc = query_chunk_rows(q, entry, NEED_POINTS, &c.arena, &c.points);
	if (!rc) {
		memset(c.points.total.at, 0, c.points.total.n * sizeof(*c.points.total.at));
		rc = filter_plain(&c, entry);
	}
	if (!rc && entry->parts[PART_LINKED])
		rc = filter_linked(&c, entry);
	if (!rc)
		rc = w->visit(q, &c.points, w->arg);
	arena_fini(&c.section);
	arena_fini(&c.arena);
	return rc;
}

static int filter_book(struct query *q, uint32_t book, void *arg)
{
	struct filter_work *w = arg;
	int rc = node_map_init(&w->nodes, q, book, q->select->stacks->tree);

	w->node_count = query_book_nodes(q, book);
	w->states = arena_zalloc(&q->scratch, w->node_count, 1);
	if (!rc && !w->states)
		rc = err_errno(q->error, -ENOMEM, "filter stacks");
	if (!rc)
		rc = query_each_level0(q, q->select->from, q->select->to, NULL, filter_level0, w);
	for (uint32_t v = 0; !rc && v < q->visited.n; v++) {
		struct chunk_range range;

		rc = reader_chunks(&q->reader, q->visited.at[v], &range, q->error);
		for (uint32_t i = 0; !rc && i < range.n; i++)
			if (range.at[i].kind == CHUNK_HOUR && range.at[i].last >= q->select->from &&
			    range.at[i].first < q->select->to)
				rc = filter_chunk(w, &range.at[i]);
	}
	node_map_fini(&w->nodes);
	return rc;
}

int query_each_filtered(struct query *q, rows_visitor *visit, void *arg)
{
	struct filter_work w = {.q = q, .visit = visit, .arg = arg};

	return query_each_book(q, filter_book, &w);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * List the series with profiles in the range. A query for many groups of a day uses the index; a
 * query for a few groups reads their roll-ups. Where the range cuts through an hour and the first
 * and last time do not decide, the profiles are read one by one.
 */
#include "store/sqlite/read/query_series.h"

#include "store/sqlite/catalog/chunk_cache.h"
#include "store/sqlite/catalog/day.h"
#include "store/sqlite/read/series_index.h"

/*
 * The index is used, and built, only if at least one in this many of a partition's groups is
 * selected.
 */
enum { GROUPS_FOR_INDEX = 8 };

struct series_work {
	struct series_span *at; /* by number of the registry */
	uint32_t n;
	uint32_t *open; /* by group of the current partition: hours to read, a bit each */
};

static int fit_series(struct query *q, struct series_work *w)
{
	uint32_t n = atomic_load(&q->store->registry.count);

	if (n <= w->n)
		return 0;
	w->at = arena_resize(&q->arena, w->at, w->n, n, sizeof(*w->at));
	if (!w->at)
		return err_errno(q->error, -ENOMEM, "list series");
	for (; w->n < n; w->n++)
		w->at[w->n] = (struct series_span){UINT64_MAX, 0};
	return 0;
}

/* Extend the times of a series of the current partition. */
static void extend_series(const struct query *q, struct series_work *w, uint32_t series,
			  uint64_t first, uint64_t last)
{
	struct series_span *s = &w->at[q->reader.directory->series->series.at[series].number];

	s->first = first < s->first ? first : s->first;
	s->last = last > s->last ? last : s->last;
}

static int add_series_of_rows(struct query *q, const struct rows *r, void *arg)
{
	for (uint32_t i = 0; i < r->series.n; i++)
		if (query_selects(q, r, i))
			extend_series(q, arg, r->series.at[i], r->time.at[i], r->time.at[i]);
	return 0;
}

/* ---- from roll-ups ---- */

int query_series_times(struct query *q, const struct chunk_entry *c, struct arena *arena,
		       struct series_times *out)
{
	uint32_t n = q->reader.directory->series->series.n, bad = 0;
	struct str bytes;
	int rc = query_part(q, c, PART_SERIES, arena, &bytes);

	*out = (struct series_times){0};
	if (!rc)
		rc = series_times_decode(out, bytes, arena, q->error);
	for (uint32_t i = 0; !rc && i < out->at.n; i++)
		bad |= out->at.at[i].series >= n;
	return bad ? err_set(q->error, -EUCLEAN, "a roll-up refers to missing series") : rc;
}

static int add_series_of_rollup(struct query *q, const struct chunk_entry *c, struct arena *block,
				struct series_work *w)
{
	struct series_times times;
	int rc = query_series_times(q, c, block, &times);

	for (uint32_t i = 0; !rc && i < times.at.n; i++) {
		const struct series_time *t = &times.at.at[i];

		if (q->wanted[t->series])
			extend_series(q, w, t->series, t->first, t->last);
	}
	return rc;
}

/*
 * Add the series of the group's roll-ups that lie in the range; the chunks that they include are
 * skipped later.
 */
static int add_series_of_group(struct query *q, struct chunk_range range, struct arena *block,
			       struct series_work *w)
{
	bool day = false;
	int rc = 0;

	/* the day's roll-up before those of its hours */
	for (uint32_t i = range.n; !rc && i-- > 0;) {
		const struct chunk_entry *c = &range.at[i];

		if (c->kind == CHUNK_HOUR || c->first < q->select->from || c->last >= q->select->to)
			continue;
		if (c->kind == CHUNK_ROLLUP_HOUR)
			q->rolled[c->group] |= (uint32_t)1 << c->hour;
		if (c->kind == CHUNK_ROLLUP_HOUR && c->rolled && day)
			continue;
		day |= c->kind == CHUNK_ROLLUP_DAY;
		rc = add_series_of_rollup(q, c, block, w);
		arena_reset(block);
	}
	return rc;
}

static int add_series_of_rollups(struct query *q, struct series_work *w)
{
	struct arena block;
	int rc = 0;

	q->rolled = arena_zalloc(&q->scratch, q->reader.directory->series->groups.n + 1,
				 sizeof(*q->rolled));
	if (!q->rolled)
		return err_errno(q->error, -ENOMEM, "list series");
	arena_init(&block, q->select->limits.budget);
	for (uint32_t v = 0; !rc && v < q->visited.n; v++) {
		struct chunk_range range;

		rc = reader_chunks(&q->reader, q->visited.at[v], &range, q->error);
		if (!rc)
			rc = add_series_of_group(q, range, &block, w);
	}
	arena_fini(&block);
	return rc;
}

/* ---- from the index ---- */

static bool is_in_range(const struct query *q, uint64_t time)
{
	return time >= q->select->from && time < q->select->to;
}

/* Add the selected series of the page. Hours for which it does not decide are set in `open`. */
static void add_series_of_page(struct query *q, const struct series_page *p, unsigned number,
			       struct series_work *w)
{
	const struct series_list *l = q->reader.directory->series;

	for (uint32_t i = 0; i < p->n; i++) {
		struct series_span s = p->at[i];
		bool first = is_in_range(q, s.first), last = is_in_range(q, s.last);

		if (!q->wanted[i] || s.last < q->select->from || s.first >= q->select->to)
			continue;
		if (first && last)
			extend_series(q, w, i, s.first, s.last);
		else if (q->select->untimed && (first || last))
			extend_series(q, w, i, first ? s.first : s.last, first ? s.first : s.last);
		else
			w->open[l->series.at[i].group] |= (uint32_t)1 << number;
	}
}

static bool wants_index(const struct query *q)
{
	uint32_t groups = q->reader.directory->series->groups.n, wanted = 0;

	for (uint32_t g = 0; g < groups; g++)
		wanted += q->groups[g] != GROUP_NONE;
	return !q->select->profile_id && wanted >= groups / GROUPS_FOR_INDEX;
}

static int add_page(struct query *q, unsigned number, struct series_work *w)
{
	const struct series_page *page;
	int rc = series_index_page(q, number, &page);

	if (rc)
		return rc;
	add_series_of_page(q, page, number, w);
	series_index_done(q);
	return 0;
}

static int add_series_of_index(struct query *q, struct series_work *w)
{
	const struct chunk_list *l = q->reader.directory->chunks;
	uint64_t day = q->reader.partition->day * NS_PER_DAY;
	int rc = 0;

	w->open = arena_zalloc(&q->scratch, q->reader.directory->series->groups.n + 1,
			       sizeof(*w->open));
	if (!w->open)
		return err_errno(q->error, -ENOMEM, "list series");
	if (l->last < l->first)
		return 0;
	if (is_in_range(q, l->first) && is_in_range(q, l->last))
		return add_page(q, SERIES_INDEX_DAY, w);
	for (unsigned hour = 0; !rc && hour < 24; hour++) {
		uint64_t begin = day + hour * NS_PER_HOUR;

		if (begin < q->select->to && begin + NS_PER_HOUR > q->select->from)
			rc = add_page(q, hour, w);
	}
	return rc;
}

/* Read the rows of the open hours. */
static int read_open_hours(struct query *q, struct series_work *w)
{
	uint32_t groups = q->reader.directory->series->groups.n;
	uint64_t from = q->select->from, to = q->select->to;
	bool any = false;
	int rc;

	for (uint32_t g = 0; g < groups; g++) {
		any |= w->open[g] != 0;
		w->open[g] = ~w->open[g];
	}
	if (!any)
		return query_each_level0(q, from, to, NULL, add_series_of_rows, w);
	q->skip = w->open;
	rc = query_each_rows(q, from, to, NEED_POINTS, NULL, add_series_of_rows, w);
	q->skip = NULL;
	return rc;
}

static int add_series_of_partition(struct query *q, void *arg)
{
	int rc = fit_series(q, arg);

	if (rc)
		return rc;
	rc = wants_index(q) ? add_series_of_index(q, arg) : -EAGAIN;
	if (!rc)
		return read_open_hours(q, arg);
	if (rc != -EAGAIN)
		return rc;
	rc = q->select->profile_id ? 0 : add_series_of_rollups(q, arg);
	if (!rc)
		rc = query_each_rows(q, q->select->from, q->select->to, NEED_POINTS, NULL,
				     add_series_of_rows, arg);
	q->rolled = NULL;
	return rc;
}

int query_series(struct store *s, const struct store_select *sel, store_visit_series *visit,
		 void *ctx, struct err *e)
{
	struct series_work w = {0};
	struct query q;
	int rc = query_init(&q, s, sel, e);

	if (!rc)
		rc = query_each(&q, add_series_of_partition, &w);
	for (uint32_t i = 0; !rc && i < w.n; i++) {
		const struct registry_series *r = registry_get(&q.store->registry, i);
		struct store_series out = {r->labels, w.at[i].first, w.at[i].last};

		if (w.at[i].first <= w.at[i].last)
			rc = visit(ctx, i, &out);
	}
	query_fini(&q);
	return rc;
}

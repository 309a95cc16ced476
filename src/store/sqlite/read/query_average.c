/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Averages of gauges. Hour by hour the profiles of each slot and series are collected, and their
 * mean is added; hours that roll-ups cover are added from those.
 */
#include "store/sqlite/read/query_average.h"

#include <stdlib.h>

#include "store/sqlite/block/rollup_block.h"
#include "store/sqlite/catalog/chunk_cache.h"
#include "store/sqlite/catalog/day.h"

/*
 * A series may have profiles of one slot in several books, if its service got a new book in
 * between. The mean of such a slot counts the profiles of all of them. Each book rounds its part of
 * the mean, so the sum may be off by half of one MEAN_PARTS-th of a unit for each book.
 */
struct slot_count {
	uint32_t number; /* of the registry */
	uint32_t slot;
	uint32_t n;
};

struct shared_series {
	/* By group: hours in which another book of the same service and type has profiles, too. */
	uint32_t *hours;
	/* Selected profiles of those hours, sorted; equal entries are added up. */
	VEC(struct slot_count) counts;
};

/* A selected profile, and the position of its samples. */
struct average_piece {
	uint32_t slot, series;
	uint32_t rows; /* index into average_work.rows */
	uint32_t at, n;
};

struct average_work {
	uint64_t from, to; /* the hour, clipped to the range */
	struct arena arena;
	VEC(struct rows) rows;
	VEC(struct average_piece) pieces;
	struct node_sums sums; /* of the current slot and series */
	VEC(uint32_t) touched; /* the touched nodes; may have duplicates */
	struct node_sums *acc;
};

static int collect_rows(struct query *q, const struct rows *r, void *arg)
{
	struct average_work *w = arg;
	uint32_t at = 0;
	int rc = vec_push(&w->arena, &w->rows, *r);

	for (uint32_t i = 0; !rc && i < r->series.n; at += r->count.at[i++]) {
		struct average_piece p = {slot_of(r->time.at[i]), r->series.at[i], w->rows.n - 1,
					  at, r->count.at[i]};

		if (r->time.at[i] >= w->from && r->time.at[i] < w->to && query_selects(q, r, i))
			rc = vec_push(&w->arena, &w->pieces, p);
	}
	return rc;
}

static int compare_pieces(const void *a, const void *b)
{
	const struct average_piece *x = a, *y = b;

	if (x->slot != y->slot)
		return x->slot < y->slot ? -1 : 1;
	return x->series < y->series ? -1 : x->series > y->series;
}

static int add_average_piece(struct query *q, struct average_work *w, const struct average_piece *p)
{
	const struct rows *r = &w->rows.at[p->rows];
	int rc = vec_reserve(&w->arena, &w->touched, p->n);

	for (uint32_t i = p->at; !rc && i < p->at + p->n; i++) {
		if (query_by_link(q) && (!r->link.n || !r->link.at[i] ||
					 !query_selects_link(q, &r->links.at[r->link.at[i]])))
			continue;
		node_sums_add(&w->sums, r->node.at[i], r->value.at[i]);
		w->touched.at[w->touched.n++] = r->node.at[i];
	}
	return rc;
}

static int compare_counts(const void *a, const void *b)
{
	const struct slot_count *x = a, *y = b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return x->slot < y->slot ? -1 : x->slot > y->slot;
}

/*
 * Return the number of profiles of the piece's slot and series in all books; this one has
 * `n` of them.
 */
static uint32_t count_all(const struct query *q, const struct average_piece *p, uint32_t n)
{
	struct slot_count key = {q->reader.directory->series->series.at[p->series].number, p->slot,
				 0};
	const struct slot_count *found = NULL;

	if (q->shared && q->shared->counts.n)
		found = bsearch(&key, q->shared->counts.at, q->shared->counts.n, sizeof(key),
				compare_counts);
	return found && found->n > n ? found->n : n;
}

/* Add the mean of the current slot and series, which had `n` profiles, to acc. */
static void add_mean(struct average_work *w, uint32_t n)
{
	for (uint32_t i = 0; i < w->touched.n; i++) {
		uint32_t node = w->touched.at[i];
		int64_t mean = divide_rounded((__int128)w->sums.at[node] * MEAN_PARTS, n);

		node_sums_add(w->acc, node, mean);
		w->sums.at[node] = 0; /* a repeated node adds nothing */
	}
	w->touched.n = 0;
}

static int average_hour(struct query *q, struct average_work *w, struct slot_set *slots)
{
	uint32_t n = 0;
	int rc = query_each_rows(q, w->from, w->to, query_by_link(q) ? NEED_LINKED : NEED_SAMPLES,
				 &w->arena, collect_rows, w);

	if (rc)
		return err_errno(q->error, rc, "average stacks");
	if (w->pieces.n)
		qsort(w->pieces.at, w->pieces.n, sizeof(*w->pieces.at), compare_pieces);
	for (uint32_t i = 0; !rc && i < w->pieces.n; i++) {
		const struct average_piece *p = &w->pieces.at[i];

		slot_set_add(slots, p->slot);
		n++;
		rc = add_average_piece(q, w, p);
		if (i + 1 == w->pieces.n || compare_pieces(p, p + 1) != 0) {
			add_mean(w, count_all(q, p, n));
			n = 0;
		}
	}
	return rc ? err_errno(q->error, rc, "average stacks") : 0;
}

/* ---- roll-ups ---- */

/* Set the hours in which groups have profiles in level 0. */
static int add_level0_hours(struct query *q, const struct rows *r, void *arg)
{
	const struct series_entry *series = q->reader.directory->series->series.at;
	uint32_t *hours = arg;

	for (uint32_t i = 0; i < r->series.n; i++)
		hours[series[r->series.at[i]].group] |= (uint32_t)1
							<< r->time.at[i] % NS_PER_DAY / NS_PER_HOUR;
	return 0;
}

static int add_group_rollups(struct query *q, uint32_t group, struct node_sums *acc,
			     struct slot_set *slots, struct arena *block)
{
	const struct directory *d = q->reader.directory;
	struct chunk_range range;
	int rc;

	if (q->groups[group] != GROUP_ALL || !d->series->groups.at[group].gauge)
		return 0;
	rc = reader_chunks(&q->reader, group, &range, q->error);
	if (rc)
		return rc;
	if (q->shared)
		q->open[group] |= q->shared->hours[group];
	for (uint32_t i = 0; i < range.n; i++)
		if (range.at[i].kind == CHUNK_HOUR && !range.at[i].rolled)
			q->open[group] |= (uint32_t)1 << range.at[i].hour;
	for (uint32_t i = 0; !rc && i < range.n; i++) {
		const struct chunk_entry *c = &range.at[i];
		struct str rollup;

		if (c->kind != CHUNK_ROLLUP_HOUR || c->first < q->select->from ||
		    c->last >= q->select->to || q->open[group] >> c->hour & 1)
			continue;
		rc = query_part(q, c, PART_ROLLUP, block, &rollup);
		if (!rc)
			rc = rollup_add(rollup, true, acc, block, q->error);
		q->skip[group] |= (uint32_t)1 << c->hour;
		for (unsigned k = 0; k < countof(slots->bits); k++)
			slots->bits[k] |= c->slots[k];
		arena_reset(block);
	}
	return rc;
}

/* Add the roll-ups of hours that they cover completely, and skip those hours. */
static int add_rollups(struct query *q, struct node_sums *acc, struct slot_set *slots)
{
	struct arena block;
	int rc = query_each_level0(q, q->select->from, q->select->to, NULL, add_level0_hours,
				   q->open);

	arena_init(&block, q->select->limits.budget);
	for (uint32_t v = 0; !rc && v < q->visited.n; v++)
		rc = add_group_rollups(q, q->visited.at[v], acc, slots, &block);
	arena_fini(&block);
	return rc;
}

/* ---- series in several books ---- */

static int compare_service_and_type(const void *a, const void *b, void *list)
{
	const struct group *groups = ((const struct series_list *)list)->groups.at;
	const struct group *x = &groups[*(const uint32_t *)a], *y = &groups[*(const uint32_t *)b];
	int order = str_cmp(x->service, y->service);

	return order ? order : str_cmp(x->type, y->type);
}

/* Set the hours of the day in which each group has profiles. */
static int find_hours(struct query *q, uint32_t *hours)
{
	int rc =
		query_each_level0(q, q->select->from, q->select->to, NULL, add_level0_hours, hours);

	for (uint32_t v = 0; !rc && v < q->visited.n; v++) {
		struct chunk_range range;

		rc = reader_chunks(&q->reader, q->visited.at[v], &range, q->error);
		for (uint32_t i = 0; i < range.n; i++)
			if (range.at[i].kind == CHUNK_HOUR)
				hours[q->visited.at[v]] |= (uint32_t)1 << range.at[i].hour;
	}
	return rc;
}

/*
 * For each set of alike groups (adjacent in `sorted`) set the hours that two or more of them have.
 * Return whether there are any.
 */
static bool share_hours(struct query *q, const uint32_t *sorted, const uint32_t *hours)
{
	struct series_list *l = q->reader.directory->series;
	bool any = false;

	for (uint32_t i = 0, end; i < q->visited.n; i = end) {
		uint32_t once = 0, twice = 0;

		for (end = i;
		     end < q->visited.n && !compare_service_and_type(&sorted[i], &sorted[end], l);
		     end++) {
			twice |= once & hours[sorted[end]];
			once |= hours[sorted[end]];
		}
		any |= twice;
		for (uint32_t k = i; k < end; k++)
			q->shared->hours[sorted[k]] = twice;
	}
	return any;
}

static int count_rows(struct query *q, const struct rows *r, void *arg)
{
	const struct series_entry *series = q->reader.directory->series->series.at;
	struct shared_series *s = arg;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < r->series.n; i++) {
		struct series_entry entry = series[r->series.at[i]];
		struct slot_count c = {entry.number, slot_of(r->time.at[i]), 1};

		if (query_selects(q, r, i) &&
		    s->hours[entry.group] >> r->time.at[i] % NS_PER_DAY / NS_PER_HOUR & 1)
			rc = vec_push(&q->scratch, &s->counts, c);
	}
	return rc;
}

static int count_shared(struct query *q)
{
	struct shared_series *s = q->shared;
	uint32_t groups = q->reader.directory->series->groups.n, n = 0;
	int rc;

	for (uint32_t g = 0; g < groups; g++)
		q->skip[g] = ~s->hours[g];
	rc = query_each_rows(q, q->select->from, q->select->to, NEED_POINTS, NULL, count_rows, s);
	memset(q->skip, 0, groups * sizeof(*q->skip));
	if (rc || !s->counts.n)
		return rc;
	qsort(s->counts.at, s->counts.n, sizeof(*s->counts.at), compare_counts);
	for (uint32_t i = 1; i < s->counts.n; i++)
		if (compare_counts(&s->counts.at[n], &s->counts.at[i]) == 0)
			s->counts.at[n].n++;
		else
			s->counts.at[++n] = s->counts.at[i];
	s->counts.n = n + 1;
	return 0;
}

static int find_shared(struct query *q)
{
	struct series_list *l = q->reader.directory->series;
	uint32_t *sorted = arena_alloc(&q->scratch, q->visited.n + 1, sizeof(*sorted));
	uint32_t *hours = arena_zalloc(&q->scratch, l->groups.n + 1, sizeof(*hours));
	bool any = false;
	int rc;

	q->shared = arena_zalloc(&q->scratch, 1, sizeof(*q->shared));
	if (q->shared)
		q->shared->hours = arena_zalloc(&q->scratch, l->groups.n + 1, sizeof(*hours));
	if (!sorted || !hours || !q->shared || !q->shared->hours)
		return -ENOMEM;
	memcpy(sorted, q->visited.at, q->visited.n * sizeof(*sorted));
	qsort_r(sorted, q->visited.n, sizeof(*sorted), compare_service_and_type, l);
	for (uint32_t i = 1; i < q->visited.n; i++)
		any |= compare_service_and_type(&sorted[i - 1], &sorted[i], l) == 0;
	rc = any ? find_hours(q, hours) : 0;
	if (!rc && any && share_hours(q, sorted, hours))
		return count_shared(q);
	q->shared = NULL;
	return rc;
}

int average_begin(struct query *q)
{
	uint32_t groups = q->reader.directory->series->groups.n;
	int rc;

	q->open = arena_zalloc(&q->scratch, groups + 1, sizeof(*q->open));
	q->skip = arena_zalloc(&q->scratch, groups + 1, sizeof(*q->skip));
	rc = q->open && q->skip ? find_shared(q) : -ENOMEM;
	return rc ? err_errno(q->error, rc, "average stacks") : 0;
}

int average_sum(struct query *q, struct node_sums *acc, struct slot_set *slots)
{
	uint64_t day = q->reader.partition->day * NS_PER_DAY;
	struct average_work w = {.acc = acc};
	int rc;

	rc = node_sums_init(&w.sums, acc->n, q->select->limits.budget);
	if (rc)
		err_errno(q->error, rc, "average stacks");
	if (!rc && !query_by_link(q) && !q->select->profile_id)
		rc = add_rollups(q, acc, slots);
	for (unsigned hour = 0; !rc && hour < 24; hour++) {
		w.from = day + hour * NS_PER_HOUR;
		w.to = w.from + NS_PER_HOUR;
		if (w.to <= q->select->from || w.from >= q->select->to)
			continue;
		arena_init(&w.arena, q->select->limits.budget);
		w.rows.n = w.rows.cap = w.pieces.n = w.pieces.cap = w.touched.n = w.touched.cap = 0;
		rc = average_hour(q, &w, slots);
		arena_fini(&w.arena);
	}
	node_sums_fini(&w.sums);
	return rc;
}

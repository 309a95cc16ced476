/* SPDX-License-Identifier: Apache-2.0 */
/* Finished hours and days: one chunk an hour, and the sums of it. */
#include <stdlib.h>

#include "store/sqlite/compact.h"
#include "store/sqlite/query_stacks.h"

struct finish_work {
	struct query q;
	struct partition *partition;
	const struct compact_rules *rules;
	struct arena arena;
	struct swap swap;
	struct rows rows;
	struct node_sums sums, parts, mean;
	struct series_times times;
};

/* ---- hours ---- */

/* The hour is over, and so is the time in which late profiles come. */
static bool hour_finished(const struct finish_work *w, const struct chunk_entry *c)
{
	uint64_t end = w->partition->day * SECONDS_PER_DAY + (c->hour + 1) * 3600;

	return w->rules->all || (w->rules->now > end + STORE_SLOT_SECONDS &&
				 w->rules->now > c->made + w->rules->settled);
}

static bool same_hour(const struct chunk_entry *a, const struct chunk_entry *b)
{
	return a->group == b->group && a->hour == b->hour;
}

/* The first chunk of an hour that can be rolled up: none of that hour may be too young. */
static const struct chunk_entry *find_hour(const struct finish_work *w)
{
	const struct chunk_list *l = w->q.reader.directory->chunks;

	for (uint32_t i = 0; i < l->n; i++) {
		bool ready = l->at[i].kind == CHUNK_HOUR && !l->at[i].rolled;

		for (uint32_t k = i; ready && k < l->n; k++)
			if (l->at[k].kind == CHUNK_HOUR && same_hour(&l->at[i], &l->at[k]))
				ready = hour_finished(w, &l->at[k]);
			else
				break; /* they are neighbours */
		if (ready)
			return &l->at[i];
	}
	return NULL;
}

static int alloc_sums(struct finish_work *w)
{
	uint64_t n = w->q.reader.directory->state.nodes;
	int rc = node_sums_init(&w->sums, n, NULL);

	if (!rc)
		rc = node_sums_init(&w->parts, n, NULL);
	return rc ? rc : node_sums_init(&w->mean, n, NULL);
}

/* The means of a section of so many profiles, whose samples are [at, stop). */
static void add_means(struct finish_work *w, uint32_t profiles, uint32_t at, uint32_t stop)
{
	const struct rows *r = &w->rows;

	for (uint32_t i = at; i < stop; i++)
		node_sums_add(&w->mean, r->node.at[i], r->value.at[i]);
	for (uint32_t i = at; i < stop; i++) {
		int64_t *sum = &w->mean.at[r->node.at[i]];

		node_sums_add(&w->parts, r->node.at[i],
			      divide_rounded((__int128)*sum * MEAN_PARTS, profiles));
		*sum = 0; /* so the second time it counts nothing */
	}
}

struct profile_order {
	uint32_t series, slot, profile;
};

static int compare_order(const void *a, const void *b)
{
	const struct profile_order *x = a, *y = b;

	if (x->series != y->series)
		return x->series < y->series ? -1 : 1;
	if (x->slot != y->slot)
		return x->slot < y->slot ? -1 : 1;
	return x->profile < y->profile ? -1 : x->profile > y->profile;
}

/* Bring the profiles of each series and slot together. */
static int order_rows(struct finish_work *w)
{
	const struct rows *r = &w->rows;
	struct profile_order *order = arena_alloc(&w->arena, r->series.n, sizeof(*order));
	uint32_t *at = rows_offsets(r, &w->arena);
	struct rows sorted = {0};
	int rc = order && at ? 0 : -ENOMEM;

	for (uint32_t i = 0; !rc && i < r->series.n; i++)
		order[i] = (struct profile_order){r->series.at[i], slot_of(r->time.at[i]), i};
	if (!rc)
		qsort(order, r->series.n, sizeof(*order), compare_order);
	for (uint32_t i = 0; !rc && i < r->series.n; i++)
		rc = rows_append(&sorted, &w->arena, r, order[i].profile, at[order[i].profile]);
	if (!rc)
		w->rows = sorted;
	return rc;
}

static int sum_rows(struct finish_work *w, bool gauge)
{
	const struct rows *r;
	uint32_t at = 0, stop = 0, first = 0;
	int rc = gauge ? order_rows(w) : 0;

	r = &w->rows;
	if (rc)
		return rc;
	for (uint32_t i = 0; i < r->node.n; i++)
		node_sums_add(&w->sums, r->node.at[i], r->value.at[i]);
	for (uint32_t i = 0; gauge && i < r->series.n; i++) {
		stop += r->count.at[i];
		if (i + 1 < r->series.n && r->series.at[i] == r->series.at[i + 1] &&
		    slot_of(r->time.at[i]) == slot_of(r->time.at[i + 1]))
			continue;
		add_means(w, i + 1 - first, at, stop);
		first = i + 1;
		at = stop;
	}
	return 0;
}

static int read_rows(struct finish_work *w, const struct chunk_entry *c)
{
	struct arena block;
	struct rows r;
	uint32_t at = 0;
	int rc;

	arena_init(&block, NULL);
	rc = query_chunk_rows(&w->q, c, NEED_SAMPLES, &block, &r);
	for (uint32_t i = 0; !rc && i < r.series.n; at += r.count.at[i++])
		rc = rows_append(&w->rows, &w->arena, &r, i, at);
	arena_fini(&block);
	return rc;
}

static void widen(struct chunk_entry *to, const struct chunk_entry *c)
{
	to->first = c->first < to->first ? c->first : to->first;
	to->last = c->last > to->last ? c->last : to->last;
	to->profiles += c->profiles;
	to->samples += c->samples;
	for (unsigned k = 0; k < countof(to->slots); k++)
		to->slots[k] |= c->slots[k];
}

static int finish_hour(struct finish_work *w, const struct chunk_entry *hour)
{
	const struct directory *d = w->q.reader.directory;
	bool gauge = d->series->groups.at[hour->group].gauge;
	struct chunk_entry like = {.kind = CHUNK_ROLLUP_HOUR,
				   .group = hour->group,
				   .hour = hour->hour,
				   .first = UINT64_MAX};
	const struct chunk_entry *last = NULL;
	uint32_t n = 0;
	int rc = alloc_sums(w);

	for (uint32_t i = 0; !rc && i < d->chunks->n; i++) {
		const struct chunk_entry *c = &d->chunks->at[i];

		if (c->kind != CHUNK_HOUR || !same_hour(c, hour))
			continue;
		rc = read_rows(w, c);
		if (!rc)
			rc = vec_push(&w->swap.arena, &w->swap.chunks, c->id);
		widen(&like, c);
		last = c;
		n++;
	}
	if (!rc && n == 1) { /* it may stay as it is */
		w->swap.chunks.n = 0;
		rc = vec_push(&w->swap.arena, &w->swap.marks, (struct mark_chunk){last->id, 1});
	} else if (!rc) {
		rc = swap_add_chunk(&w->swap, &w->rows, hour->group, hour->hour, 0, true);
	}
	if (!rc)
		rc = sum_rows(w, gauge);
	if (!rc)
		rc = swap_drop_rollups(&w->swap, d->chunks, hour);
	for (uint32_t i = 0; !rc && i < w->rows.series.n; i++)
		rc = series_times_add(&w->times, &w->arena, w->rows.series.at[i],
				      w->rows.time.at[i], w->rows.time.at[i]);
	if (rc)
		return rc;
	series_times_finish(&w->times);
	return swap_add_rollup(&w->swap, &like, &w->sums, gauge ? &w->parts : NULL, &w->times);
}

/* ---- days ---- */

/* A group all of whose hours are rolled up, but not in the day's roll-up yet; false: none. */
static bool find_day(const struct finish_work *w, uint64_t *group)
{
	const struct directory *d = w->q.reader.directory;
	const struct chunk_list *l = d->chunks;
	uint64_t end = (w->partition->day + 1) * SECONDS_PER_DAY;
	uint32_t stop;

	if (d->level0_n || (!w->rules->all && w->rules->now < end + 2 * STORE_SLOT_SECONDS))
		return false;
	for (uint32_t i = 0; i < l->n; i = stop) {
		bool open = false, wanting = false;

		for (stop = i; stop < l->n && l->at[stop].group == l->at[i].group; stop++) {
			open |= l->at[stop].kind == CHUNK_HOUR && !l->at[stop].rolled;
			wanting |= l->at[stop].kind == CHUNK_ROLLUP_HOUR && !l->at[stop].rolled;
		}
		if (wanting && !open) {
			*group = l->at[i].group;
			return true;
		}
	}
	return false;
}

static int finish_day(struct finish_work *w, uint64_t group)
{
	const struct directory *d = w->q.reader.directory;
	struct chunk_entry like = {.kind = CHUNK_ROLLUP_DAY, .group = group, .first = UINT64_MAX};
	struct arena block;
	int rc = alloc_sums(w);

	arena_init(&block, NULL);
	for (uint32_t i = 0; !rc && i < d->chunks->n; i++) {
		const struct chunk_entry *c = &d->chunks->at[i];
		struct str rollup, times;

		if (c->group != group || c->kind == CHUNK_HOUR)
			continue;
		if (c->kind == CHUNK_ROLLUP_DAY) {
			rc = vec_push(&w->swap.arena, &w->swap.chunks, c->id);
			continue;
		}
		arena_reset(&block);
		rc = query_part(&w->q, c, PART_ROLLUP, &block, &rollup);
		if (!rc)
			rc = rollup_add(rollup, false, &w->sums, &block, w->q.error);
		if (!rc)
			rc = query_part(&w->q, c, PART_SERIES, &block, &times);
		if (!rc)
			rc = series_times_decode(&w->times, times, &w->arena, w->q.error);
		if (!rc && !c->rolled)
			rc = vec_push(&w->swap.arena, &w->swap.marks,
				      (struct mark_chunk){c->id, 1});
		widen(&like, c);
	}
	arena_fini(&block);
	series_times_finish(&w->times);
	return rc ? rc : swap_add_rollup(&w->swap, &like, &w->sums, NULL, &w->times);
}

int compact_finish(struct partition *p, const struct compact_rules *rules, bool *more,
		   struct err *e)
{
	struct finish_work w = {.partition = p, .rules = rules};
	struct store_select select = {.to = UINT64_MAX};
	const struct chunk_entry *hour;
	uint64_t group;
	int rc;

	w.q = (struct query){.store = p->store, .select = &select, .error = e};
	*more = false;
	swap_init(&w.swap, p);
	arena_init(&w.arena, NULL);
	rc = reader_begin(&w.q.reader, p, e);
	if (!rc) {
		hour = find_hour(&w);
		*more = hour || find_day(&w, &group);
		if (*more)
			rc = hour ? finish_hour(&w, hour) : finish_day(&w, group);
	}
	reader_end(&w.q.reader);
	if (!rc && *more) {
		rc = swap_run(&w.swap);
		if (rc == -ESTALE)
			rc = 0;
		else if (rc && e && !e->code)
			*e = w.swap.error;
	}
	node_sums_fini(&w.sums);
	node_sums_fini(&w.parts);
	node_sums_fini(&w.mean);
	arena_fini(&w.arena);
	swap_fini(&w.swap);
	return rc ? err_errno(e, rc, "roll up") : 0;
}

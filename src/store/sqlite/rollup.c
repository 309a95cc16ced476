/* SPDX-License-Identifier: Apache-2.0 */
/* Finished hours and days: one chunk an hour, and the sums of it. */
#include <stdlib.h>

#include "store/sqlite/compact.h"
#include "store/sqlite/query_stacks.h"

enum { GROUPS_AT_ONCE = 256, SAMPLES_AT_ONCE = 4000000 };

struct finish_work {
	struct query q;
	struct partition *partition;
	const struct compact_rules *rules;
	struct arena arena;
	struct swap swap;
	struct rows rows;
	struct node_sums sums, parts, mean;
	struct series_times times;
	uint64_t samples; /* read so far */
};

/* ---- hours ---- */

/*
 * The hour is over, and so is the time in which late profiles come. A chunk that was made in the future is of a clock
 * that was put back since, and old.
 */
static bool hour_finished(const struct finish_work *w, const struct chunk_entry *c)
{
	uint64_t end = w->partition->day * SECONDS_PER_DAY + (c->hour + 1) * 3600;
	uint64_t now = w->rules->now;

	return w->rules->all || (now > end + STORE_SLOT_SECONDS &&
				 (now > c->made + w->rules->settled || c->made > now + 3600));
}

/* Entries [first, end) of the directory's chunks: those of one group. */
struct group_range {
	const struct chunk_entry *at;
	uint32_t n;
};

/* The first chunk of an hour that can be rolled up: none of that hour may be
 * too young. */
static const struct chunk_entry *find_hour(const struct finish_work *w, struct group_range g)
{
	for (uint32_t i = 0; i < g.n; i++) {
		bool ready = g.at[i].kind == CHUNK_HOUR && !g.at[i].rolled;

		for (uint32_t k = i;
		     ready && k < g.n && g.at[k].kind == CHUNK_HOUR && g.at[k].hour == g.at[i].hour;
		     k++) /* they are neighbours */
			ready = hour_finished(w, &g.at[k]);
		if (ready)
			return &g.at[i];
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

static int finish_hour(struct finish_work *w, struct group_range g, const struct chunk_entry *hour)
{
	const struct directory *d = w->q.reader.directory;
	bool gauge = d->series->groups.at[hour->group].gauge;
	struct chunk_entry like = {.kind = CHUNK_ROLLUP_HOUR,
				   .group = hour->group,
				   .hour = hour->hour,
				   .first = UINT64_MAX};
	const struct chunk_entry *last = NULL;
	uint32_t n = 0, before = w->swap.chunks.n;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < g.n; i++) {
		const struct chunk_entry *c = &g.at[i];

		if (c->kind != CHUNK_HOUR || c->hour != hour->hour)
			continue;
		rc = read_rows(w, c);
		if (!rc)
			rc = vec_push(&w->swap.arena, &w->swap.chunks, c->id);
		widen(&like, c);
		last = c;
		n++;
	}
	if (!rc && n == 1) { /* it may stay as it is */
		w->swap.chunks.n = before;
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

/* The day is over, all hours of the group are rolled up, and one is not in the
 * day's roll-up yet. */
static bool day_ready(const struct finish_work *w, struct group_range g)
{
	uint64_t end = (w->partition->day + 1) * SECONDS_PER_DAY;
	bool open = false, wanting = false;

	if (w->q.reader.directory->level0_n ||
	    (!w->rules->all && w->rules->now < end + 2 * STORE_SLOT_SECONDS))
		return false;
	for (uint32_t i = 0; i < g.n; i++) {
		open |= g.at[i].kind == CHUNK_HOUR && !g.at[i].rolled;
		wanting |= g.at[i].kind == CHUNK_ROLLUP_HOUR && !g.at[i].rolled;
	}
	return wanting && !open;
}

static int finish_day(struct finish_work *w, struct group_range g)
{
	struct chunk_entry like = {
		.kind = CHUNK_ROLLUP_DAY, .group = g.at[0].group, .first = UINT64_MAX};
	struct arena block;
	int rc = 0;

	arena_init(&block, NULL);
	for (uint32_t i = 0; !rc && i < g.n; i++) {
		const struct chunk_entry *c = &g.at[i];
		struct str rollup, times;

		if (c->kind == CHUNK_HOUR)
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

/* One hour, or the day, of the group; true: there was something to do. */
static bool finish_group(struct finish_work *w, struct group_range g, int *rc)
{
	const struct chunk_entry *hour = find_hour(w, g);
	bool day = !hour && day_ready(w, g);

	if (!hour && !day)
		return false;
	arena_reset(&w->arena);
	w->rows = (struct rows){0};
	w->times = (struct series_times){0};
	node_sums_clear(&w->sums);
	node_sums_clear(&w->parts);
	*rc = hour ? finish_hour(w, g, hour) : finish_day(w, g);
	return true;
}

/* Something of each group, so that groups by the thousand do not each rewrite
 * the directory. */
static int finish_groups(struct finish_work *w, bool *more)
{
	const struct chunk_list *l = w->q.reader.directory->chunks;
	uint32_t end, done = 0;
	int rc = alloc_sums(w);

	for (uint32_t first = 0;
	     !rc && first < l->n && done < GROUPS_AT_ONCE && w->samples < SAMPLES_AT_ONCE;
	     first = end) {
		for (end = first; end < l->n && l->at[end].group == l->at[first].group;)
			end++;
		done += finish_group(w, (struct group_range){&l->at[first], end - first}, &rc);
		w->samples += w->rows.node.n;
	}
	*more = done > 0;
	return rc;
}

int compact_finish(struct partition *p, const struct compact_rules *rules, bool *more,
		   struct err *e)
{
	struct finish_work w = {.partition = p, .rules = rules};
	struct store_select select = {.to = UINT64_MAX};
	int rc;

	w.q = (struct query){.store = p->store, .select = &select, .error = e};
	*more = false;
	swap_init(&w.swap, p);
	arena_init(&w.arena, NULL);
	rc = reader_begin(&w.q.reader, p, e);
	if (!rc)
		rc = finish_groups(&w, more);
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

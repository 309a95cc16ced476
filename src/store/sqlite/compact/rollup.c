/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finished hours and days. The chunks of an hour are merged into one, or a few if there are very
 * many samples, and their sum becomes a roll-up; the day's roll-up is the sum of its hours. Memory
 * is bounded: an hour is processed in pieces that fit the budget for background work.
 */
#include "store/sqlite/compact/rollup.h"

#include <stdlib.h>

#include "store/sqlite/block/chunk.h"
#include "store/sqlite/block/rollup_block.h"
#include "store/sqlite/catalog/chunk_cache.h"
#include "store/sqlite/catalog/day.h"
#include "store/sqlite/read/query_average.h"

enum {
	GROUPS_AT_ONCE = 256,
	SAMPLES_AT_ONCE = 4000000,
	/* estimated bytes per sample of a piece while its chunk is encoded */
	SAMPLE_BYTES = 160,
	PIECE_LEAST = 20000,
	/* from this many samples in an hour each slot gets a chunk; in a slot, several chunks */
	CHUNK_SAMPLES = 100000,
	SLOT_CUTS_MAX = 10,
	PIECES_MAX = 100 * SLOTS_IN_HOUR
};

struct finish_work {
	struct query q;
	struct partition *partition;
	const struct compact_rules *rules;
	struct arena arena; /* of the group */
	struct arena piece; /* of the rows of a piece */
	struct arena cut;   /* of the rows of a cut */
	uint64_t piece_samples;
	struct replacement change;
	struct rows rows;
	struct node_sums sums, parts, mean;
	struct series_times times;
	uint64_t samples; /* read so far */
};

/* ---- hours ---- */

/*
 * Return whether the hour of the chunk is over, and the time in which late profiles arrive. A chunk
 * made in the future is from before the clock was set back, and counts as old.
 */
static bool chunk_hour_finished(const struct finish_work *w, const struct chunk_entry *c)
{
	uint64_t end = w->partition->day * SECONDS_PER_DAY + (c->hour + 1) * 3600;
	uint64_t now = w->rules->now;

	return w->rules->all || (now > end + STORE_SLOT_SECONDS &&
				 (now > c->made + w->rules->settled || c->made > now + 3600));
}

/*
 * Return the first chunk of an hour that can be rolled up, or NULL. No chunk of the hour may be too
 * young.
 */
static const struct chunk_entry *find_hour(const struct finish_work *w, struct chunk_range g)
{
	for (uint32_t i = 0; i < g.n; i++) {
		bool ready = g.at[i].kind == CHUNK_HOUR && !g.at[i].rolled;

		for (uint32_t k = i;
		     ready && k < g.n && g.at[k].kind == CHUNK_HOUR && g.at[k].hour == g.at[i].hour;
		     k++) /* they are adjacent */
			ready = chunk_hour_finished(w, &g.at[k]);
		if (ready)
			return &g.at[i];
	}
	return NULL;
}

static int alloc_sums(struct finish_work *w)
{
	uint64_t n = book_list_most_nodes(w->q.reader.directory->books);
	int rc = node_sums_init(&w->sums, n, NULL);

	if (!rc)
		rc = node_sums_init(&w->parts, n, NULL);
	return rc ? rc : node_sums_init(&w->mean, n, NULL);
}

/* Add the means of a section of that many profiles, whose samples are [at, stop). */
static void add_section_means(struct finish_work *w, uint32_t profiles, uint32_t at, uint32_t stop)
{
	const struct rows *r = &w->rows;

	for (uint32_t i = at; i < stop; i++)
		node_sums_add(&w->mean, r->node.at[i], r->value.at[i]);
	for (uint32_t i = at; i < stop; i++) {
		int64_t *sum = &w->mean.at[r->node.at[i]];

		node_sums_add(&w->parts, r->node.at[i],
			      divide_rounded((__int128)*sum * MEAN_PARTS, profiles));
		*sum = 0; /* a repeated node adds nothing */
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

/* Sort the profiles by series and slot. */
static int order_rows(struct finish_work *w)
{
	const struct rows *r = &w->rows;
	struct profile_order *order = arena_alloc(&w->piece, r->series.n, sizeof(*order));
	uint32_t *at = rows_offsets(r, &w->piece);
	struct rows sorted = {0};
	int rc = order && at ? 0 : -ENOMEM;

	for (uint32_t i = 0; !rc && i < r->series.n; i++)
		order[i] = (struct profile_order){r->series.at[i], slot_of(r->time.at[i]), i};
	if (!rc)
		qsort(order, r->series.n, sizeof(*order), compare_order);
	for (uint32_t i = 0; !rc && i < r->series.n; i++)
		rc = rows_append(&sorted, &w->piece, r, order[i].profile, at[order[i].profile]);
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
		add_section_means(w, i + 1 - first, at, stop);
		first = i + 1;
		at = stop;
	}
	return 0;
}

/*
 * An hour of one group, and how it is divided. `cuts` are intervals of equal length, at most a
 * slot; with `apart` each gets a chunk of its own. Pieces are what is in memory at a time: cuts or,
 * if these are too large, parts of a cut by series and time. A gauge is divided by slot and series
 * only, because a mean is computed from all profiles of a series and slot.
 */
struct hour {
	struct chunk_range range;
	uint64_t number;
	uint32_t cuts;	 /* a multiple of SLOTS_IN_HOUR */
	uint32_t pieces; /* at most `cuts`, or a multiple of it */
	bool gauge;
	bool rewrite; /* new chunks replace the existing ones */
	/* a chunk for each cut: a range that begins within one reads fewer single samples */
	bool apart;
};

static uint32_t count_pieces(uint64_t samples, uint64_t most, uint32_t cuts)
{
	uint64_t n = samples / most + 1;

	if (n > cuts)
		n = (n + cuts - 1) / cuts * cuts;
	return n < PIECES_MAX ? (uint32_t)n : PIECES_MAX / cuts * cuts;
}

static uint32_t cut_of(const struct hour *h, uint64_t time)
{
	return (uint32_t)(time % NS_PER_HOUR * h->cuts / NS_PER_HOUR);
}

static uint32_t piece_of(const struct hour *h, uint32_t series, uint64_t time)
{
	uint32_t cut = cut_of(h, time), parts = h->pieces / h->cuts;
	uint64_t key = h->gauge ? series : series + time;

	if (h->pieces <= h->cuts)
		return cut * h->pieces / h->cuts;
	return cut * parts + (uint32_t)((key * 0x9e3779b97f4a7c15u >> 32) % parts);
}

static bool is_of_hour(const struct hour *h, const struct chunk_entry *c)
{
	return c->kind == CHUNK_HOUR && c->hour == h->number;
}

/*
 * Return whether rows of the chunk may be in the piece. Pieces are ordered by time, except for
 * parts of the same cut.
 */
static bool may_have_rows(const struct hour *h, const struct chunk_entry *c, uint32_t piece)
{
	uint32_t parts = h->pieces > h->cuts ? h->pieces / h->cuts : 1;

	return piece_of(h, 0, c->first) / parts <= piece / parts &&
	       piece_of(h, 0, c->last) / parts >= piece / parts;
}

static int read_chunk_piece(struct finish_work *w, const struct hour *h,
			    const struct chunk_entry *c, uint32_t piece)
{
	struct arena block;
	struct rows r;
	uint32_t at = 0;
	int rc;

	arena_init(&block, w->arena.budget);
	rc = query_chunk_rows(&w->q, c, NEED_SAMPLES, &block, &r);
	for (uint32_t i = 0; !rc && i < r.series.n; at += r.count.at[i++])
		if (piece_of(h, r.series.at[i], r.time.at[i]) == piece)
			rc = rows_append(&w->rows, &w->piece, &r, i, at);
	arena_fini(&block);
	return rc;
}

/* Read the rows of a piece into w->rows. */
static int read_piece(struct finish_work *w, const struct hour *h, uint32_t piece)
{
	int rc = 0;

	arena_reset(&w->piece);
	w->rows = (struct rows){0};
	for (uint32_t i = 0; !rc && i < h->range.n; i++)
		if (is_of_hour(h, &h->range.at[i]) && may_have_rows(h, &h->range.at[i], piece))
			rc = read_chunk_piece(w, h, &h->range.at[i], piece);
	w->samples += w->rows.node.n;
	return rc;
}

static void extend_entry(struct chunk_entry *to, const struct chunk_entry *c)
{
	to->first = c->first < to->first ? c->first : to->first;
	to->last = c->last > to->last ? c->last : to->last;
	to->profiles += c->profiles;
	to->samples += c->samples;
	for (unsigned k = 0; k < countof(to->slots); k++)
		to->slots[k] |= c->slots[k];
}

static int add_new_chunk(struct finish_work *w, const struct hour *h, const struct rows *r)
{
	return r->series.n ? replacement_add_chunk(&w->change, r, h->range.at[0].group, h->number,
						   0, true)
			   : 0;
}

/* Add a chunk for each cut of the piece. */
static int add_cuts(struct finish_work *w, const struct hour *h)
{
	const struct rows *r = &w->rows;
	const uint32_t *at = rows_offsets(r, &w->piece);
	int rc = at ? 0 : -ENOMEM;

	for (uint32_t cut = 0; !rc && cut < h->cuts; cut++) {
		struct rows own = {0};

		arena_reset(&w->cut);
		for (uint32_t i = 0; !rc && i < r->series.n; i++)
			if (cut_of(h, r->time.at[i]) == cut)
				rc = rows_append(&own, &w->cut, r, i, at[i]);
		if (!rc)
			rc = add_new_chunk(w, h, &own);
	}
	return rc;
}

/*
 * Choose cuts and pieces for the hour. With very many samples each chunk should have about
 * CHUNK_SAMPLES; fewer samples are not divided, because each chunk repeats the runs.
 */
static void cut_hour(const struct finish_work *w, struct hour *h, const struct chunk_entry *all)
{
	uint64_t most = w->partition->store->options.chunk_samples;
	struct slot_set set = {{all->slots[0], all->slots[1], all->slots[2]}};
	uint32_t slots = slot_set_count(&set) ? slot_set_count(&set) : 1;
	uint64_t cuts;

	most = most ? most : CHUNK_SAMPLES;
	cuts = h->gauge ? 1 : all->samples / slots / most + 1;
	h->cuts = SLOTS_IN_HOUR * (uint32_t)(cuts < SLOT_CUTS_MAX ? cuts : SLOT_CUTS_MAX);
	h->pieces = count_pieces(all->samples, w->piece_samples, h->cuts);
	h->apart = all->samples >= most && (slots > 1 || h->cuts > SLOTS_IN_HOUR);
}

/* Add a piece to the sums, and encode it as one or more chunks if the hour is rewritten. */
static int finish_piece(struct finish_work *w, const struct hour *h, uint32_t piece)
{
	int rc = read_piece(w, h, piece);

	if (!rc && h->rewrite)
		rc = h->apart ? add_cuts(w, h) : add_new_chunk(w, h, &w->rows);
	if (!rc)
		rc = sum_rows(w, h->gauge);
	for (uint32_t i = 0; !rc && i < w->rows.series.n; i++)
		rc = series_times_add(&w->times, &w->arena, w->rows.series.at[i],
				      w->rows.time.at[i], w->rows.time.at[i]);
	return rc;
}

static int finish_hour(struct finish_work *w, struct chunk_range g, const struct chunk_entry *first)
{
	const struct directory *d = w->q.reader.directory;
	struct hour h = {.range = g,
			 .number = first->hour,
			 .gauge = d->series->groups.at[first->group].gauge};
	struct chunk_entry like = {.kind = CHUNK_ROLLUP_HOUR,
				   .group = first->group,
				   .hour = first->hour,
				   .first = UINT64_MAX};
	uint32_t before = w->change.chunks.n;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < g.n; i++)
		if (is_of_hour(&h, &g.at[i])) {
			extend_entry(&like, &g.at[i]);
			rc = replacement_drop_chunk(&w->change, &g.at[i]);
		}
	cut_hour(w, &h, &like);
	h.rewrite = w->change.chunks.n - before > 1 || h.apart;
	if (!rc && !h.rewrite) { /* the chunk stays as it is */
		w->change.chunks.n = before;
		rc = replacement_mark_chunk(&w->change, first, true);
	}
	for (uint32_t i = 0; !rc && i < h.pieces; i++)
		rc = finish_piece(w, &h, i);
	if (!rc)
		rc = replacement_drop_rollups(&w->change, g, first);
	if (rc)
		return rc;
	series_times_finish(&w->times);
	return replacement_add_rollup(&w->change, &like, &w->sums, h.gauge ? &w->parts : NULL,
				      &w->times);
}

/* ---- days ---- */

/*
 * Return whether the day is over, all hours of the group are rolled up, and one is not in the day's
 * roll-up yet.
 */
static bool day_ready(const struct finish_work *w, struct chunk_range g)
{
	uint64_t end = (w->partition->day + 1) * SECONDS_PER_DAY;
	bool open = false, missing = false;

	if (w->q.reader.directory->level0_n ||
	    (!w->rules->all && w->rules->now < end + 2 * STORE_SLOT_SECONDS))
		return false;
	for (uint32_t i = 0; i < g.n; i++) {
		open |= g.at[i].kind == CHUNK_HOUR && !g.at[i].rolled;
		missing |= g.at[i].kind == CHUNK_ROLLUP_HOUR && !g.at[i].rolled;
	}
	return missing && !open;
}

static int finish_day(struct finish_work *w, struct chunk_range g)
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
			rc = replacement_drop_chunk(&w->change, c);
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
			rc = replacement_mark_chunk(&w->change, c, true);
		extend_entry(&like, c);
	}
	arena_fini(&block);
	series_times_finish(&w->times);
	return rc ? rc : replacement_add_rollup(&w->change, &like, &w->sums, NULL, &w->times);
}

/* Finish one hour, or the day, of the group. Return whether there was something to do. */
static bool finish_group(struct finish_work *w, struct chunk_range g, int *rc)
{
	const struct chunk_entry *hour = find_hour(w, g);
	bool day = !hour && day_ready(w, g);

	if (!hour && !day)
		return false;
	arena_reset(&w->arena);
	w->times = (struct series_times){0};
	node_sums_clear(&w->sums);
	node_sums_clear(&w->parts);
	*rc = hour ? finish_hour(w, g, hour) : finish_day(w, g);
	return true;
}

/* Return whether the group may have an hour or the day to finish. Avoids reading its rows. */
static bool may_finish(const struct finish_work *w, const struct chunk_group *g)
{
	uint64_t begin = w->partition->day * SECONDS_PER_DAY, now = w->rules->now;

	if (w->rules->all)
		return g->open;
	for (uint64_t hour = 0; hour < 24; hour++)
		if (g->open >> hour & 1 && now > begin + (hour + 1) * 3600 + STORE_SLOT_SECONDS)
			return true;
	return g->open && now > begin + SECONDS_PER_DAY;
}

/*
 * Finish one hour or day of each group, so that thousands of groups share one update of the
 * directory.
 */
static int finish_groups(struct finish_work *w, bool *more)
{
	const struct chunk_list *l = w->q.reader.directory->chunks;
	uint32_t done = 0;
	int rc = alloc_sums(w);

	for (uint32_t g = 0;
	     !rc && g < l->groups && done < GROUPS_AT_ONCE && w->samples < SAMPLES_AT_ONCE; g++)
		if (may_finish(w, &l->at[g])) {
			struct chunk_range range;

			rc = reader_chunks(&w->q.reader, g, &range, w->q.error);
			if (!rc)
				done += finish_group(w, range, &rc);
		}
	*more = done > 0;
	return rc;
}

/* Finish groups with about `piece_samples` samples in memory at a time. */
static int finish_some(struct partition *p, const struct compact_rules *rules,
		       struct budget *budget, uint64_t piece_samples, bool *more, struct err *e)
{
	struct finish_work w = {.partition = p, .rules = rules, .piece_samples = piece_samples};
	struct store_select select = {.to = UINT64_MAX};
	int rc;

	w.q = (struct query){.store = p->store, .select = &select, .error = e};
	*more = false;
	replacement_init(&w.change, p);
	arena_init(&w.arena, budget);
	arena_init(&w.piece, budget);
	arena_init(&w.cut, budget);
	rc = reader_begin(&w.q.reader, p, e);
	if (!rc)
		rc = finish_groups(&w, more);
	reader_end(&w.q.reader);
	arena_fini(&w.cut);
	arena_fini(&w.piece);
	if (!rc && *more) {
		rc = replacement_run(&w.change);
		if (rc == -ESTALE)
			rc = 0;
		else if (rc && e && !e->code)
			*e = w.change.error;
	}
	node_sums_fini(&w.sums);
	node_sums_fini(&w.parts);
	node_sums_fini(&w.mean);
	arena_fini(&w.arena);
	replacement_fini(&w.change);
	return rc ? err_errno(e, rc, "roll up") : 0;
}

/*
 * If the rows do not fit the budget, try again with smaller pieces. The smallest pieces ignore the
 * budget, because a store without roll-ups would grow without bound.
 */
int rollup_finished(struct partition *p, const struct compact_rules *rules, bool *more,
		    struct err *e)
{
	struct budget *budget = &p->store->work;
	uint64_t samples = budget->limit / SAMPLE_BYTES;
	int rc;

	if (p->store->options.merge_samples)
		return finish_some(p, rules, budget, p->store->options.merge_samples, more, e);
	for (;; samples /= 4) {
		struct err own = {0};
		bool least = samples < PIECE_LEAST;

		rc = finish_some(p, rules, least ? NULL : budget, least ? PIECE_LEAST : samples,
				 more, &own);
		if (rc && e && (rc != -ENOMEM || least))
			*e = own;
		if (rc != -ENOMEM || least)
			return rc;
	}
}

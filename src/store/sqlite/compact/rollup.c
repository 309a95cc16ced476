/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finished hours and days: the chunks of an hour become one, or a few where there are very many samples, and
 * the sums of it. What is in memory is bounded: an hour is worked on in pieces that fit the work's budget.
 */
#include <stdlib.h>

#include "store/sqlite/catalog/chunk_cache.h"
#include "store/sqlite/compact/compact.h"
#include "store/sqlite/read/query_stacks.h"

enum {
	GROUPS_AT_ONCE = 256,
	SAMPLES_AT_ONCE = 4000000,
	SAMPLE_BYTES = 160, /* of a piece, while its chunk is made, about */
	PIECE_LEAST = 20000,
	CHUNK_SAMPLES = 100000, /* in an hour: a chunk a slot; in a slot: several */
	SLOT_CUTS_MAX = 10,
	PIECES_MAX = 100 * SLOTS_IN_HOUR
};

struct finish_work {
	struct query q;
	struct partition *partition;
	const struct compact_rules *rules;
	struct arena arena; /* of the group */
	struct arena piece; /* of its rows */
	struct arena cut;   /* of those of a cut */
	uint64_t piece_samples;
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

/* The first chunk of an hour that can be rolled up: none of that hour may be
 * too young. */
static const struct chunk_entry *find_hour(const struct finish_work *w, struct chunk_range g)
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
	uint64_t n = book_list_most_nodes(w->q.reader.directory->books);
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
		add_means(w, i + 1 - first, at, stop);
		first = i + 1;
		at = stop;
	}
	return 0;
}

/*
 * An hour of one group, and how it is cut. `cuts` are times of equal length, no longer than a slot, and where that is asked
 * for each gets a chunk of its own. Pieces are what is in memory at a time: cuts or, where these are too large, parts of
 * them by series and time. A gauge is cut into slots and by series alone, for the mean is one of all profiles of a
 * series and slot.
 */
struct hour {
	struct chunk_range range;
	uint64_t number;
	uint32_t cuts;	 /* a multiple of the slots of an hour */
	uint32_t pieces; /* up to `cuts`, or a multiple of them */
	bool gauge;
	bool rewrite; /* new chunks take the place of those that are there */
	bool apart;   /* one for each cut: a range that begins within it reads no more one by one */
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

/* May rows of the chunk be in the piece? Pieces are in the order of their times, but for parts of the same cut. */
static bool touches(const struct hour *h, const struct chunk_entry *c, uint32_t piece)
{
	uint32_t parts = h->pieces > h->cuts ? h->pieces / h->cuts : 1;

	return piece_of(h, 0, c->first) / parts <= piece / parts &&
	       piece_of(h, 0, c->last) / parts >= piece / parts;
}

static int read_chunk(struct finish_work *w, const struct hour *h, const struct chunk_entry *c,
		      uint32_t piece)
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

/* The rows of a piece, in w->rows. */
static int read_piece(struct finish_work *w, const struct hour *h, uint32_t piece)
{
	int rc = 0;

	arena_reset(&w->piece);
	w->rows = (struct rows){0};
	for (uint32_t i = 0; !rc && i < h->range.n; i++)
		if (is_of_hour(h, &h->range.at[i]) && touches(h, &h->range.at[i], piece))
			rc = read_chunk(w, h, &h->range.at[i], piece);
	w->samples += w->rows.node.n;
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

static int add_chunk(struct finish_work *w, const struct hour *h, const struct rows *r)
{
	return r->series.n ? swap_add_chunk(&w->swap, r, h->range.at[0].group, h->number, 0, true)
			   : 0;
}

/* A chunk for each cut of the piece. */
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
			rc = add_chunk(w, h, &own);
	}
	return rc;
}

/*
 * Where there are very many samples a chunk is to have about so many. Runs are told in each chunk again, so it is not done
 * where it is not needed.
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

/* Sum up a piece, and make it a chunk, or several, where it takes the place of others. */
static int finish_piece(struct finish_work *w, const struct hour *h, uint32_t piece)
{
	int rc = read_piece(w, h, piece);

	if (!rc && h->rewrite)
		rc = h->apart ? add_cuts(w, h) : add_chunk(w, h, &w->rows);
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
	uint32_t before = w->swap.chunks.n;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < g.n; i++)
		if (is_of_hour(&h, &g.at[i])) {
			widen(&like, &g.at[i]);
			rc = swap_drop_chunk(&w->swap, &g.at[i]);
		}
	cut_hour(w, &h, &like);
	h.rewrite = w->swap.chunks.n - before > 1 || h.apart;
	if (!rc && !h.rewrite) { /* it may stay as it is */
		w->swap.chunks.n = before;
		rc = swap_mark_chunk(&w->swap, first, true);
	}
	for (uint32_t i = 0; !rc && i < h.pieces; i++)
		rc = finish_piece(w, &h, i);
	if (!rc)
		rc = swap_drop_rollups(&w->swap, g, first);
	if (rc)
		return rc;
	series_times_finish(&w->times);
	return swap_add_rollup(&w->swap, &like, &w->sums, h.gauge ? &w->parts : NULL, &w->times);
}

/* ---- days ---- */

/* The day is over, all hours of the group are rolled up, and one is not in the
 * day's roll-up yet. */
static bool day_ready(const struct finish_work *w, struct chunk_range g)
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
			rc = swap_drop_chunk(&w->swap, c);
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
			rc = swap_mark_chunk(&w->swap, c, true);
		widen(&like, c);
	}
	arena_fini(&block);
	series_times_finish(&w->times);
	return rc ? rc : swap_add_rollup(&w->swap, &like, &w->sums, NULL, &w->times);
}

/* One hour, or the day, of the group; true: there was something to do. */
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

/* May the group have an hour or a day to finish? Saves reading its rows. */
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

/* Something of each group, so that groups by the thousand do not each rewrite
 * the directory. */
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

/* With so many samples of a group in memory at a time, about. */
static int finish_some(struct partition *p, const struct compact_rules *rules,
		       struct budget *budget, uint64_t piece_samples, bool *more, struct err *e)
{
	struct finish_work w = {.partition = p, .rules = rules, .piece_samples = piece_samples};
	struct store_select select = {.to = UINT64_MAX};
	int rc;

	w.q = (struct query){.store = p->store, .select = &select, .error = e};
	*more = false;
	swap_init(&w.swap, p);
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

/*
 * What does not fit the budget is tried again in smaller pieces; the smallest are worked on in any case, for a store
 * that does not roll up grows without end.
 */
int compact_finish(struct partition *p, const struct compact_rules *rules, bool *more,
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

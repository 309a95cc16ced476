/* SPDX-License-Identifier: Apache-2.0 */
#include "store/sqlite/compact/compact.h"

#include <stdlib.h>

#include "store/sqlite/catalog/chunk_cache.h"

/*
 * Of level 0 at a time: what is unpacked is held in memory, about ten times as much. Where little else is kept it is less:
 * what is merged is free then, but still on the disk, and no log can be emptied while it is read.
 */
#define LEVEL0_BYTES (4 * MIB)
#define LEVEL0_BYTES_SMALL MIB
#define LEVEL0_BYTES_LEAST (256 * KIB)

/* So many chunks of a generation are merged into one of the next. */
enum { FAN_IN = 4, GENERATION_MAX = 8 };

/* But not more samples than this, which are in memory meanwhile: large chunks wait for the end of their hour. */
enum { SWALLOW_SAMPLES = 400000, SAMPLE_BYTES = 160 };

/* ---- the query that reads everything ---- */

/* A query without a selector, so that the same code checks what is read. */
static void everything(struct query *q, struct store_select *select, struct partition *p,
		       struct err *e)
{
	*select = (struct store_select){.to = UINT64_MAX};
	*q = (struct query){.store = p->store, .select = select, .error = e};
}

static int read_chunk(struct query *q, const struct chunk_entry *c, struct rows *to,
		      struct arena *a)
{
	struct arena block;
	struct rows r;
	uint32_t at = 0;
	int rc;

	arena_init(&block, a->budget);
	rc = query_chunk_rows(q, c, NEED_SAMPLES, &block, &r);
	for (uint32_t i = 0; !rc && i < r.series.n; at += r.count.at[i++])
		rc = rows_append(to, a, &r, i, at);
	arena_fini(&block);
	return rc;
}

/* ---- level 0 ---- */

/* A profile of a level-0 block, and where it belongs. */
struct place {
	uint32_t group, hour;
	uint32_t block, profile, at;
};

struct level0_work {
	struct query q;
	struct arena arena; /* of the blocks */
	struct arena rows;  /* of the chunk in the making */
	VEC(struct rows) blocks;
	VEC(struct place) places;
	uint64_t bytes_most, swallow_most; /* level 0, samples */
	struct swap swap;
};

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->hour != y->hour)
		return x->hour < y->hour ? -1 : 1;
	if (x->block != y->block)
		return x->block < y->block ? -1 : 1;
	return x->profile < y->profile ? -1 : x->profile > y->profile;
}

static int read_block(struct level0_work *w, const struct level0_entry *entry)
{
	const struct series_list *l = w->q.reader.directory->series;
	struct rows r;
	uint32_t at = 0;
	int rc = reader_level0(&w->q.reader, entry, &w->arena, &r, w->q.error);

	if (!rc)
		rc = query_check_rows(&w->q, &r);
	if (!rc)
		rc = vec_push(&w->arena, &w->blocks, r);
	if (!rc)
		rc = vec_push(&w->swap.arena, &w->swap.level0, entry->id);
	for (uint32_t i = 0; !rc && i < r.series.n; at += r.count.at[i++]) {
		struct place p = {l->series.at[r.series.at[i]].group,
				  (uint32_t)(r.time.at[i] % NS_PER_DAY / NS_PER_HOUR),
				  w->blocks.n - 1, i, at};

		rc = vec_push(&w->arena, &w->places, p);
	}
	return rc;
}

/*
 * Which chunks of the group and hour the new one swallows: all of a generation
 * where there would be FAN_IN of them, and so on upwards. Their rows are
 * appended; returns the generation of the new one.
 */
static int swallow(struct level0_work *w, uint32_t group, uint32_t hour, struct rows *to,
		   uint64_t *generation)
{
	struct chunk_range g;
	int rc = reader_chunks(&w->q.reader, group, &g, w->q.error);

	if (rc)
		return rc;
	for (*generation = 0; *generation < GENERATION_MAX; ++*generation) {
		uint64_t samples = to->node.n;
		unsigned n = 1;

		for (uint32_t i = 0; i < g.n; i++)
			if (g.at[i].kind == CHUNK_HOUR && g.at[i].hour == hour &&
			    g.at[i].generation == *generation && !g.at[i].rolled) {
				samples += g.at[i].samples;
				n++;
			}
		if (n < FAN_IN || samples > w->swallow_most)
			return 0;
		for (uint32_t i = 0; !rc && i < g.n; i++) {
			const struct chunk_entry *c = &g.at[i];

			if (c->kind != CHUNK_HOUR || c->hour != hour ||
			    c->generation != *generation || c->rolled)
				continue;
			rc = read_chunk(&w->q, c, to, &w->rows);
			if (!rc)
				rc = swap_drop_chunk(&w->swap, c);
		}
		if (rc)
			return rc;
	}
	return 0;
}

/* Make the chunk of places [first, end), which are of one group and hour. */
static int make_chunk(struct level0_work *w, uint32_t first, uint32_t end)
{
	const struct place *p = &w->places.at[first];
	struct rows rows = {0};
	uint64_t generation;
	int rc = 0;

	for (uint32_t i = first; !rc && i < end; i++)
		rc = rows_append(&rows, &w->rows, &w->blocks.at[w->places.at[i].block],
				 w->places.at[i].profile, w->places.at[i].at);
	if (!rc)
		rc = swallow(w, p->group, p->hour, &rows, &generation);
	if (!rc)
		rc = swap_add_chunk(&w->swap, &rows, p->group, p->hour, generation, false);
	arena_reset(&w->rows);
	return rc;
}

static uint64_t most_of_level0(const struct level0_work *w)
{
	uint64_t kept = w->q.reader.directory->chunks->bytes;

	kept = kept < LEVEL0_BYTES_SMALL ? LEVEL0_BYTES_SMALL : kept;
	return kept < w->bytes_most ? kept : w->bytes_most;
}

static int merge_level0(struct level0_work *w, bool *more)
{
	const struct directory *d = w->q.reader.directory;
	uint64_t bytes = 0, most = most_of_level0(w);
	uint32_t end, n = 0;
	int rc = 0;

	for (; !rc && n < d->level0_n && bytes < most; n++) {
		bytes += d->level0[n].bytes;
		rc = read_block(w, &d->level0[n]);
	}
	*more = n < d->level0_n;
	if (!rc && w->places.n)
		qsort(w->places.at, w->places.n, sizeof(*w->places.at), compare_places);
	for (uint32_t first = 0; !rc && first < w->places.n; first = end) {
		for (end = first + 1; end < w->places.n &&
				      w->places.at[end].group == w->places.at[first].group &&
				      w->places.at[end].hour == w->places.at[first].hour;)
			end++;
		rc = make_chunk(w, first, end);
	}
	return rc;
}

/* So many bytes of level 0, but one block at least. */
static int merge_some(struct partition *p, struct budget *budget, uint64_t bytes, bool *more,
		      struct err *e)
{
	uint64_t fitting = p->store->work.limit / 2 / SAMPLE_BYTES;
	struct level0_work w = {.bytes_most = bytes,
				.swallow_most =
					fitting < SWALLOW_SAMPLES ? fitting : SWALLOW_SAMPLES};
	struct store_select select;
	int rc;

	*more = false;
	everything(&w.q, &select, p, e);
	swap_init(&w.swap, p);
	arena_init(&w.arena, budget);
	arena_init(&w.rows, budget);
	rc = reader_begin(&w.q.reader, p, e);
	if (!rc && w.q.reader.directory->level0_n)
		rc = merge_level0(&w, more);
	reader_end(&w.q.reader);
	if (!rc && w.swap.level0.n) {
		rc = swap_run(&w.swap);
		if (rc == -ESTALE) /* somebody deleted: next time */
			rc = 0;
		else if (rc && e && !e->code)
			*e = w.swap.error;
	}
	arena_fini(&w.rows);
	arena_fini(&w.arena);
	swap_fini(&w.swap);
	return rc ? err_errno(e, rc, "merge level 0") : 0;
}

/* What does not fit the budget is tried again with less; a single block is merged in any case. */
int compact_level0(struct partition *p, bool *more, struct err *e)
{
	int rc;

	for (uint64_t bytes = LEVEL0_BYTES;; bytes /= 4) {
		struct err own = {0};
		bool least = bytes < LEVEL0_BYTES_LEAST;

		rc = merge_some(p, least ? NULL : &p->store->work, least ? 1 : bytes, more, &own);
		if (rc && e && (rc != -ENOMEM || least))
			*e = own;
		if (rc != -ENOMEM || least)
			return rc;
	}
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compaction of level 0: its profiles are sorted by group and hour, and each group and hour gets a
 * chunk. A new chunk includes FAN_IN - 1 or more chunks of its generation, if there are so many,
 * and becomes one of the next generation.
 */
#include "store/sqlite/compact/compact.h"

#include <stdlib.h>

#include "store/sqlite/catalog/chunk_cache.h"
#include "store/sqlite/catalog/day.h"

/*
 * Bytes of level 0 to merge at a time: unpacked it takes about ten times as much memory. Less where
 * little else is stored: merged blocks are free then, but still on the disk, and the log cannot be
 * emptied while they are read.
 */
#define LEVEL0_BYTES (4 * MIB)
#define LEVEL0_BYTES_SMALL MIB
#define LEVEL0_BYTES_LEAST (256 * KIB)

/* FAN_IN chunks of a generation are merged into one of the next. */
enum { FAN_IN = 4, GENERATION_MAX = 8 };

/*
 * But at most this many samples, which are in memory meanwhile: large chunks wait for the end of
 * their hour.
 */
enum { ABSORB_SAMPLES = 400000, SAMPLE_BYTES = 160 };

/* ---- reading a chunk ---- */

/* Set up a query without a selector, which reads and checks all rows. */
static void init_query_for_all(struct query *q, struct store_select *select, struct partition *p,
			       struct err *e)
{
	*select = (struct store_select){.to = UINT64_MAX};
	*q = (struct query){.store = p->store, .select = select, .error = e};
}

static int append_chunk_rows(struct query *q, const struct chunk_entry *c, struct rows *to,
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

/* A profile of a level-0 block, and the group and hour it belongs to. */
struct block_profile {
	uint32_t group, hour;
	uint32_t block, profile, at;
};

struct level0_work {
	struct query q;
	struct arena arena; /* of the blocks */
	struct arena rows;  /* of the new chunk */
	VEC(struct rows) blocks;
	VEC(struct block_profile) profiles;
	/* upper bounds: bytes of level 0, samples of merged chunks */
	uint64_t bytes_most, absorb_most;
	struct replacement change;
};

static int compare_block_profiles(const void *a, const void *b)
{
	const struct block_profile *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->hour != y->hour)
		return x->hour < y->hour ? -1 : 1;
	if (x->block != y->block)
		return x->block < y->block ? -1 : 1;
	return x->profile < y->profile ? -1 : x->profile > y->profile;
}

static int read_level0_block(struct level0_work *w, const struct level0_entry *entry)
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
		rc = vec_push(&w->change.arena, &w->change.level0, entry->id);
	for (uint32_t i = 0; !rc && i < r.series.n; at += r.count.at[i++]) {
		struct block_profile p = {l->series.at[r.series.at[i]].group,
					  (uint32_t)(r.time.at[i] % NS_PER_DAY / NS_PER_HOUR),
					  w->blocks.n - 1, i, at};

		rc = vec_push(&w->arena, &w->profiles, p);
	}
	return rc;
}

/*
 * Merge chunks of the group and hour into the new one: all chunks of a generation if there are
 * FAN_IN of them with the new one, then the same for the next generation. Append their rows to
 * `to`, drop them, and set the generation of the new chunk.
 */
static int absorb_chunks(struct level0_work *w, uint32_t group, uint32_t hour, struct rows *to,
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
		if (n < FAN_IN || samples > w->absorb_most)
			return 0;
		for (uint32_t i = 0; !rc && i < g.n; i++) {
			const struct chunk_entry *c = &g.at[i];

			if (c->kind != CHUNK_HOUR || c->hour != hour ||
			    c->generation != *generation || c->rolled)
				continue;
			rc = append_chunk_rows(&w->q, c, to, &w->rows);
			if (!rc)
				rc = replacement_drop_chunk(&w->change, c);
		}
		if (rc)
			return rc;
	}
	return 0;
}

/* Build the chunk of the profiles [first, end), which are of one group and hour. */
static int build_chunk(struct level0_work *w, uint32_t first, uint32_t end)
{
	const struct block_profile *p = &w->profiles.at[first];
	struct rows rows = {0};
	uint64_t generation;
	int rc = 0;

	for (uint32_t i = first; !rc && i < end; i++)
		rc = rows_append(&rows, &w->rows, &w->blocks.at[w->profiles.at[i].block],
				 w->profiles.at[i].profile, w->profiles.at[i].at);
	if (!rc)
		rc = absorb_chunks(w, p->group, p->hour, &rows, &generation);
	if (!rc)
		rc = replacement_add_chunk(&w->change, &rows, p->group, p->hour, generation, false);
	arena_reset(&w->rows);
	return rc;
}

static uint64_t level0_limit(const struct level0_work *w)
{
	uint64_t kept = w->q.reader.directory->chunks->bytes;

	kept = kept < LEVEL0_BYTES_SMALL ? LEVEL0_BYTES_SMALL : kept;
	return kept < w->bytes_most ? kept : w->bytes_most;
}

static int merge_level0(struct level0_work *w, bool *more)
{
	const struct directory *d = w->q.reader.directory;
	uint64_t bytes = 0, most = level0_limit(w);
	uint32_t end, n = 0;
	int rc = 0;

	for (; !rc && n < d->level0_n && bytes < most; n++) {
		bytes += d->level0[n].bytes;
		rc = read_level0_block(w, &d->level0[n]);
	}
	*more = n < d->level0_n;
	if (!rc && w->profiles.n)
		qsort(w->profiles.at, w->profiles.n, sizeof(*w->profiles.at),
		      compare_block_profiles);
	for (uint32_t first = 0; !rc && first < w->profiles.n; first = end) {
		for (end = first + 1; end < w->profiles.n &&
				      w->profiles.at[end].group == w->profiles.at[first].group &&
				      w->profiles.at[end].hour == w->profiles.at[first].hour;)
			end++;
		rc = build_chunk(w, first, end);
	}
	return rc;
}

/* Merge about `bytes` of level 0, but at least one block. */
static int merge_some(struct partition *p, struct budget *budget, uint64_t bytes, bool *more,
		      struct err *e)
{
	uint64_t fitting = p->store->work.limit / 2 / SAMPLE_BYTES;
	struct level0_work w = {.bytes_most = bytes,
				.absorb_most = fitting < ABSORB_SAMPLES ? fitting : ABSORB_SAMPLES};
	struct store_select select;
	int rc;

	*more = false;
	init_query_for_all(&w.q, &select, p, e);
	replacement_init(&w.change, p);
	arena_init(&w.arena, budget);
	arena_init(&w.rows, budget);
	rc = reader_begin(&w.q.reader, p, e);
	if (!rc && w.q.reader.directory->level0_n)
		rc = merge_level0(&w, more);
	reader_end(&w.q.reader);
	if (!rc && w.change.level0.n) {
		rc = replacement_run(&w.change);
		if (rc == -ESTALE) /* a concurrent deletion: try again next time */
			rc = 0;
		else if (rc && e && !e->code)
			*e = w.change.error;
	}
	arena_fini(&w.rows);
	arena_fini(&w.arena);
	replacement_fini(&w.change);
	return rc ? err_errno(e, rc, "merge level 0") : 0;
}

/* If the rows do not fit the budget, try again with less; merge a single block in any case. */
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

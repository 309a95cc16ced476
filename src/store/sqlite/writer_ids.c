/* SPDX-License-Identifier: Apache-2.0 */
#include "store/sqlite/writer_ids.h"

#include "store/sqlite/chunk.h"

static const uint8_t no_id[PROFILE_ID_SIZE];

/* ---- keys ---- */

static uint64_t fold(struct key_maker k)
{
	return k.low ^ k.high;
}

static uint64_t word_of(const uint8_t *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

/* Rows have samples in another order after they were merged: a sum does not mind. */
static uint64_t content_of(const struct rows *r, uint32_t at, uint32_t n)
{
	const struct key_maker begin = key_begin(n);
	uint64_t sum = 0;

	for (uint32_t i = at; i < at + n; i++) {
		uint64_t time = i < r->sample_time.n ? r->sample_time.at[i] : 0;
		uint32_t link = i < r->link.n ? r->link.at[i] : 0;
		struct key_maker k = key_mix(begin, r->node.at[i], (uint64_t)r->value.at[i]);

		if (unlikely(time || link)) {
			const struct link *l = link ? &r->links.at[link] : &(struct link){0};

			k = key_mix(k, time, word_of(l->span_id));
			k = key_mix(k, word_of(l->trace_id), word_of(l->trace_id + 8));
		}
		sum += fold(k);
	}
	return sum;
}

uint64_t profile_key_rough(const struct rows *r, uint32_t i, uint32_t series, const uint8_t *id,
			   bool timed)
{
	struct key_maker k = key_begin(timed);

	k = key_mix(k, word_of(id), word_of(id + 8));
	k = key_mix(k, (uint64_t)series << 32 | r->count.at[i], r->duration.at[i]);
	k = key_mix(k, (uint64_t)r->total.at[i], timed ? r->time.at[i] : 0);
	return key_end(k).hash;
}

static uint64_t exact_of(uint64_t rough, uint64_t content)
{
	return key_end(key_mix(key_begin(2), rough, content)).hash;
}

struct profile_key profile_key_of(const struct rows *r, uint32_t i, uint32_t at, const uint8_t *id,
				  bool timed)
{
	uint64_t rough = profile_key_rough(r, i, r->series.at[i], id, timed);

	return (struct profile_key){rough, exact_of(rough, content_of(r, at, r->count.at[i]))};
}

/* ---- reading them ---- */

static const uint8_t *id_at(const struct rows *r, uint32_t i)
{
	const uint8_t *id = r->ids.n ? r->ids.at + (size_t)i * PROFILE_ID_SIZE : no_id;

	return memcmp(id, no_id, sizeof(no_id)) ? id : NULL;
}

/* Whether a time was its own is not kept, so a profile is added as both. Of chunks the samples are not read. */
static int add_rows(struct writer_side *side, const struct rows *r, bool samples)
{
	uint32_t at = 0;
	uint64_t keys = (uint64_t)r->series.n * (samples ? 3 : 2);
	int rc = r->ids.n ? id_set_reserve(&side->ids, keys) : 0;

	for (uint32_t i = 0; !rc && r->ids.n && i < r->series.n; at += r->count.at[i++]) {
		const uint8_t *id = id_at(r, i);

		for (unsigned timed = 0; id && timed < 2; timed++) {
			struct profile_key key = {0};

			if (samples)
				key = profile_key_of(r, i, at, id, timed);
			else
				key.rough = profile_key_rough(r, i, r->series.at[i], id, timed);
			if (samples)
				id_set_add(&side->ids, key.exact);
			if (!samples || !timed)
				id_set_add(&side->ids, key.rough);
		}
	}
	return rc;
}

static int chunk_points_of(struct reader *r, const struct chunk_entry *c, struct arena *arena,
			   struct rows *out, struct err *e)
{
	struct str points;
	int rc = reader_blob(r, c->parts[PART_POINTS], FRAME_POINTS, arena, &points, e);

	return rc ? rc : chunk_points(out, points, r->partition->day * 24 + c->hour, arena, e);
}

int writer_load_ids(struct partition *p, struct err *e)
{
	struct writer_side *side = p->writer;
	struct reader r = {0};
	struct arena arena;
	int rc;

	if (side->ids_loaded)
		return 0;
	arena_init(&arena, NULL);
	rc = reader_begin(&r, p, e);
	for (uint32_t i = 0; !rc && i < r.directory->level0_n; i++) {
		struct rows rows;

		arena_reset(&arena);
		rc = reader_level0(&r, &r.directory->level0[i], &arena, &rows, e);
		if (!rc)
			rc = add_rows(side, &rows, true);
	}
	for (uint32_t i = 0; !rc && i < r.directory->chunks->n; i++) {
		const struct chunk_entry *c = &r.directory->chunks->at[i];
		struct rows rows;

		if (c->kind != CHUNK_HOUR)
			continue;
		arena_reset(&arena);
		rc = chunk_points_of(&r, c, &arena, &rows, e);
		if (!rc)
			rc = add_rows(side, &rows, false);
	}
	reader_end(&r);
	arena_fini(&arena);
	side->ids_loaded = !rc;
	return rc ? err_errno(e, rc, "read the ids of profiles") : 0;
}

void writer_forget_ids(struct partition *p)
{
	pthread_mutex_lock(&p->store->map_mu);
	id_set_fini(&p->writer->ids);
	p->writer->ids_loaded = false;
	pthread_mutex_unlock(&p->store->map_mu);
}

/* ---- comparing ---- */

/* A profile that is looked for. */
struct sought {
	const struct rows *rows;
	uint32_t i;
	const uint8_t *id;
	bool timed;
	struct profile_key key;
};

static int chunk_all(struct reader *r, const struct chunk_entry *c, struct arena *arena,
		     struct rows *out, struct err *e)
{
	struct sample_parts parts = {.unpacker = &r->connection->unpacker};
	static const enum chunk_part wanted[] = {PART_RUNS, PART_DETAIL, PART_LINKED, PART_LINKS};
	struct str *const into[] = {&parts.runs, &parts.detail, &parts.linked, &parts.links};
	int rc = 0;

	for (unsigned k = 0; !rc && k < countof(wanted); k++)
		if (c->parts[wanted[k]])
			rc = reader_blob(r, c->parts[wanted[k]], part_kinds[wanted[k]], arena,
					 into[k], e);
	return rc ? rc : chunk_samples(out, &parts, arena, e);
}

/* Which profile of the rows it may be, and where its samples begin; false: none behind *i. */
static bool next_like(const struct rows *r, const struct sought *s, uint32_t *i, uint32_t *at)
{
	for (; *i < r->series.n; *at += r->count.at[(*i)++]) {
		const uint8_t *id = id_at(r, *i);

		if (id && memcmp(id, s->id, PROFILE_ID_SIZE) == 0 &&
		    profile_key_rough(r, *i, r->series.at[*i], id, s->timed) == s->key.rough)
			return true;
	}
	return false;
}

static int chunk_has(struct reader *r, const struct chunk_entry *c, const struct sought *s,
		     struct arena *arena, bool *yes, struct err *e)
{
	struct rows rows;
	uint32_t i = 0, at = 0;
	int rc = chunk_points_of(r, c, arena, &rows, e);

	if (rc || !next_like(&rows, s, &i, &at))
		return rc;
	rc = chunk_all(r, c, arena, &rows, e);
	for (; !rc && !*yes && next_like(&rows, s, &i, &at); at += rows.count.at[i++])
		*yes = profile_key_of(&rows, i, at, s->id, s->timed).exact == s->key.exact;
	return rc;
}

/* Is it in a chunk, with the same samples? */
static int compare_samples(struct partition *p, const struct sought *s, bool *yes, struct err *e)
{
	uint64_t time = s->rows->time.at[s->i];
	uint32_t group = p->writer->series->series.at[s->rows->series.at[s->i]].group;
	struct chunk_range range = {0};
	struct reader r = {0};
	struct arena arena;
	int rc = reader_begin(&r, p, e);

	arena_init(&arena, NULL);
	if (!rc)
		range = chunk_list_of_group(r.directory->chunks, group);
	for (uint32_t i = range.first; !rc && !*yes && i < range.end; i++) {
		const struct chunk_entry *c = &r.directory->chunks->at[i];

		if (c->kind != CHUNK_HOUR || (s->timed && (c->first > time || c->last < time)))
			continue;
		rc = chunk_has(&r, c, s, &arena, yes, e);
		arena_reset(&arena);
	}
	reader_end(&r);
	arena_fini(&arena);
	return rc;
}

static bool has_key(const struct commit_rows *c, uint64_t key)
{
	for (uint32_t i = 0; i < c->new_ids.n; i++)
		if (c->new_ids.at[i] == key)
			return true;
	return false;
}

int writer_knows(struct partition *p, uint32_t i, uint32_t at, const struct profile_asked *asked,
		 bool *yes, struct err *e)
{
	struct writer_side *side = p->writer;
	const struct rows *r = &side->pending.rows;
	struct sought s = {r, i, asked->id, asked->timed,
			   profile_key_of(r, i, at, asked->id, asked->timed)};
	struct arena *arena = &side->pending.arena;
	int rc = asked->may_read || side->ids_loaded ? writer_load_ids(p, e) : -EINPROGRESS;

	*yes = !rc && (id_set_has(&side->ids, s.key.exact) ||
		       has_key(&side->pending, s.key.exact) || has_key(&side->sealed, s.key.exact));
	if (!rc && !*yes && id_set_has(&side->ids, s.key.rough))
		rc = asked->may_read ? compare_samples(p, &s, yes, e) : -EINPROGRESS;
	if (rc || *yes)
		return rc;
	rc = vec_push(arena, &side->pending.new_ids, s.key.exact);
	if (!rc && !asked->timed) /* for other days: kept_elsewhere() */
		rc = vec_push(arena, &side->pending.new_ids, s.key.rough);
	return rc;
}

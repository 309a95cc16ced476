/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of profiles, the sets they are kept in, and the comparison with chunks. */
#include "store/sqlite/write/writer_ids.h"

#include <stdlib.h>

#include "store/sqlite/block/chunk_decode.h"
#include "store/sqlite/catalog/chunk_cache.h"
#include "store/sqlite/catalog/schema.h"
#include "store/sqlite/read/reader.h"
#include "store/sqlite/store_state.h"
#include "store/sqlite/write/writer.h"

/*
 * Upper bounds: keys in `recent` before a new set is begun, and keys of chunks in the sets of all
 * groups.
 */
enum { RECENT_MAX = 1 << 19, IN_GROUPS_MAX = 1 << 20 };

static const uint8_t no_id[PROFILE_ID_SIZE];

/* ---- keys ---- */

static uint64_t key_fold(struct key_maker k)
{
	return k.low ^ k.high;
}

static uint64_t word_of(const uint8_t *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

/* Return a hash of the samples. It is a sum, because a merge changes the order of the samples. */
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
		sum += key_fold(k);
	}
	return sum;
}

uint64_t profile_key_rough(const struct rows *r, uint32_t i, struct profile_source source,
			   const uint8_t *id, bool timed)
{
	struct key_maker k = key_begin(timed);

	k = key_mix(k, word_of(id), word_of(id + 8));
	k = key_mix(k, (uint64_t)source.number << 32 | r->count.at[i], r->duration.at[i]);
	k = key_mix(k, (uint64_t)r->total.at[i], timed ? r->time.at[i] : 0);
	k = key_mix(k, source.book, 0);
	return key_end(k).hash;
}

static uint64_t exact_of(uint64_t rough, uint64_t content)
{
	return key_end(key_mix(key_begin(2), rough, content)).hash;
}

/* Return the key of profile i of the rows, whose samples begin at row `at`. */
static struct profile_id_key profile_key_of(const struct rows *r, uint32_t i, uint32_t at,
					    struct profile_source source, const uint8_t *id,
					    bool timed)
{
	uint64_t rough = profile_key_rough(r, i, source, id, timed);

	return (struct profile_id_key){rough, exact_of(rough, content_of(r, at, r->count.at[i]))};
}

/* ---- reading keys ---- */

static const uint8_t *id_at(const struct rows *r, uint32_t i)
{
	const uint8_t *id = r->ids.n ? r->ids.at + (size_t)i * PROFILE_ID_SIZE : no_id;

	return memcmp(id, no_id, sizeof(no_id)) ? id : NULL;
}

/*
 * Add the keys of the rows. Whether a profile had a time of its own is not stored, so it is added
 * as both. With `samples` exact keys are added too; chunks are read without samples.
 */
static int add_keys(struct id_set *ids, const struct series_list *l, const struct rows *r,
		    bool samples)
{
	uint32_t at = 0;
	uint64_t keys = (uint64_t)r->series.n * (samples ? 4 : 2);
	int rc = r->ids.n ? id_set_reserve(ids, keys) : 0;

	for (uint32_t i = 0; !rc && r->ids.n && i < r->series.n; at += r->count.at[i++]) {
		const uint8_t *id = id_at(r, i);
		struct profile_source source;

		if (r->series.at[i] >= l->series.n)
			return -EUCLEAN;
		source = profile_source_of(l, r->series.at[i]);
		for (unsigned timed = 0; id && timed < 2; timed++) {
			if (samples)
				id_set_add(ids, profile_key_of(r, i, at, source, id, timed).exact);
			id_set_add(ids, profile_key_rough(r, i, source, id, timed));
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

static int read_level0_keys(struct reader *r, struct arena *arena, struct id_set *ids,
			    struct err *e)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < r->directory->level0_n; i++) {
		struct rows rows;

		arena_reset(arena);
		rc = reader_level0(r, &r->directory->level0[i], arena, &rows, e);
		if (!rc)
			rc = add_keys(ids, r->directory->series, &rows, true);
	}
	return rc;
}

static int read_chunk_keys(struct reader *r, uint32_t group, struct arena *arena,
			   struct id_set *ids, struct err *e)
{
	struct chunk_range range;
	int rc = id_set_reserve(ids, 1); /* a set without slots counts as not built */

	if (!rc)
		rc = reader_chunks(r, group, &range, e);

	for (uint32_t i = 0; !rc && i < range.n; i++) {
		const struct chunk_entry *c = &range.at[i];
		struct rows rows;

		if (c->kind != CHUNK_HOUR)
			continue;
		arena_reset(arena);
		rc = chunk_points_of(r, c, arena, &rows, e);
		if (!rc)
			rc = add_keys(ids, r->directory->series, &rows, false);
	}
	return rc;
}

static int read_set(struct partition *p, const struct writer_need *need, struct id_set *ids,
		    struct err *e)
{
	struct reader r = {0};
	struct arena arena;
	int rc = reader_begin(&r, p, e);

	*ids = (struct id_set){.budget = &p->store->budget};
	arena_init(&arena, NULL);
	if (!rc)
		rc = need->kind == NEED_LEVEL0_IDS
			     ? read_level0_keys(&r, &arena, ids, e)
			     : read_chunk_keys(&r, need->number, &arena, ids, e);
	reader_end(&r);
	arena_fini(&arena);
	if (rc)
		id_set_fini(ids);
	return rc;
}

/* ---- sets in memory ---- */

static void clear_group_sets(struct known_ids *k)
{
	for (uint32_t i = 0; i < k->groups_n; i++)
		id_set_fini(&k->groups[i]);
	k->in_groups = 0;
	k->emptied++;
}

static void clear_all_sets(struct known_ids *k)
{
	clear_group_sets(k);
	id_set_fini(&k->recent);
	id_set_fini(&k->before);
	k->loaded = false;
}

void known_ids_fini(struct known_ids *k)
{
	clear_all_sets(k);
	free(k->groups);
	*k = (struct known_ids){.budget = k->budget, .emptied = k->emptied};
}

void writer_forget_ids(struct partition *p)
{
	pthread_mutex_lock(&p->store->map_mu);
	clear_all_sets(&p->writer->ids);
	pthread_mutex_unlock(&p->store->map_mu);
}

static bool has_group(const struct known_ids *k, uint32_t group)
{
	return group < k->groups_n && k->groups[group].slots;
}

/* Grow the list for the set of that group. */
static int fit_group(struct known_ids *k, uint32_t group)
{
	uint32_t n = k->groups_n ? k->groups_n : 16;
	struct id_set *grown;

	if (group < k->groups_n)
		return 0;
	while (n <= group)
		n *= 2;
	grown = realloc(k->groups, n * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	for (uint32_t i = k->groups_n; i < n; i++)
		grown[i] = (struct id_set){.budget = k->budget};
	k->groups = grown;
	k->groups_n = n;
	return 0;
}

/* Store the set of a group, unless it has one. Takes over the set. */
static int store_group_set(struct known_ids *k, uint32_t group, struct id_set *set)
{
	int rc;

	if (k->in_groups > IN_GROUPS_MAX)
		clear_group_sets(k);
	rc = fit_group(k, group);
	if (rc || has_group(k, group)) {
		id_set_fini(set);
		return rc;
	}
	k->groups[group] = *set;
	k->in_groups += set->count;
	return 0;
}

/*
 * Store a set that was read when the sets of groups had been cleared `emptied` times. Takes over
 * the set.
 */
static int store_set(struct known_ids *k, const struct writer_need *need, struct id_set *set,
		     uint64_t emptied)
{
	if (need->kind == NEED_GROUP_IDS && emptied == k->emptied)
		return store_group_set(k, need->number, set);
	if (need->kind == NEED_GROUP_IDS || k->loaded) { /* the caller looks again */
		id_set_fini(set);
		return 0;
	}
	k->recent = *set;
	k->loaded = true;
	return 0;
}

int writer_ids_load(struct partition *p, const struct writer_need *need, struct err *e)
{
	struct sqlite_store *s = p->store;
	struct writer_side *side = p->writer;
	uint64_t emptied, ticket = side->ticket;
	struct err own;
	struct id_set set;
	bool again;
	int rc;

	do { /* without memory: replace other sets */
		own = (struct err){0};
		emptied = side->ids.emptied;
		pthread_mutex_unlock(&s->map_mu);
		rc = read_set(p, need, &set, &own);
		pthread_mutex_lock(&s->map_mu);
		if (!writer_is_same(p, ticket)) { /* the caller looks again */
			if (!rc)
				id_set_fini(&set);
			return 0;
		}
		again = rc == -ENOMEM && (side->ids.in_groups || writer_book_evict(s));
		if (again)
			clear_group_sets(&side->ids);
	} while (again);
	if (!rc)
		rc = store_set(&side->ids, need, &set, emptied);
	if (rc && e && own.code)
		*e = own;
	return rc ? err_errno(e, rc, "read the keys of profiles") : 0;
}

/*
 * Begin a new set. A full set is dropped when the next one is full too and all of its profiles are
 * in chunks; then also drop the sets of groups, which may have been built before these chunks.
 */
static void begin_set(struct partition *p, struct known_ids *k)
{
	const struct directory *d = p->directory;

	if (k->before.slots && d->level0_n && d->level0[0].id <= k->before_last)
		return;
	if (k->before.slots)
		clear_group_sets(k);
	id_set_fini(&k->before);
	k->before = k->recent;
	k->before_last = d->level0_n ? d->level0[d->level0_n - 1].id : 0;
	k->recent = (struct id_set){.budget = k->budget};
}

/* Without memory the sets are dropped, and read from the file when they are needed next. */
void writer_ids_committed(struct partition *p)
{
	const struct commit_rows *c = &p->writer->sealed;
	struct known_ids *k = &p->writer->ids;
	uint32_t most = p->store->options.recent_ids;

	if (!k->loaded)
		return;
	if (id_set_reserve(&k->recent, c->new_ids.n)) {
		clear_all_sets(k);
		return;
	}
	for (uint32_t i = 0; i < c->new_ids.n; i++)
		id_set_add(&k->recent, c->new_ids.at[i]);
	if (k->recent.count > (most ? most : RECENT_MAX))
		begin_set(p, k);
}

/* ---- comparing samples ---- */

static int chunk_read_samples(struct reader *r, const struct chunk_entry *c, struct arena *arena,
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

/*
 * Advance *i to the next profile of the rows with the same rough key, and *at to its first sample.
 * Return false if there is none.
 */
static bool next_candidate(const struct rows *r, const struct series_list *l,
			   const struct sought_profile *s, uint32_t *i, uint32_t *at)
{
	for (; *i < r->series.n; *at += r->count.at[(*i)++]) {
		const uint8_t *id = id_at(r, *i);
		uint32_t series = r->series.at[*i];

		if (id && series < l->series.n && memcmp(id, s->id, PROFILE_ID_SIZE) == 0 &&
		    profile_key_rough(r, *i, profile_source_of(l, series), id, s->timed) ==
			    s->key.rough)
			return true;
	}
	return false;
}

static int chunk_has_profile(struct reader *r, const struct chunk_entry *c,
			     const struct sought_profile *s, struct arena *arena, bool *yes,
			     struct err *e)
{
	const struct series_list *l = r->directory->series;
	struct rows rows;
	uint32_t i = 0, at = 0;
	int rc = chunk_points_of(r, c, arena, &rows, e);

	if (rc || !next_candidate(&rows, l, s, &i, &at))
		return rc;
	rc = chunk_read_samples(r, c, arena, &rows, e);
	for (; !rc && !*yes && next_candidate(&rows, l, s, &i, &at); at += rows.count.at[i++]) {
		struct profile_source source = profile_source_of(l, rows.series.at[i]);

		*yes = profile_key_of(&rows, i, at, source, s->id, s->timed).exact == s->key.exact;
	}
	return rc;
}

/* Set *yes to whether a chunk has the profile with the same samples. */
static int find_same_samples(struct partition *p, const struct writer_need *need, bool *yes,
			     struct err *e)
{
	const struct sought_profile *s = &need->sought;
	struct chunk_range range = {0};
	struct reader r = {0};
	struct arena arena;
	int rc = reader_begin(&r, p, e);

	arena_init(&arena, NULL);
	if (!rc)
		rc = reader_chunks(&r, need->number, &range, e);
	for (uint32_t i = 0; !rc && !*yes && i < range.n; i++) {
		const struct chunk_entry *c = &range.at[i];

		if (c->kind != CHUNK_HOUR ||
		    (s->timed && (c->first > s->time || c->last < s->time)))
			continue;
		rc = chunk_has_profile(&r, c, s, &arena, yes, e);
		arena_reset(&arena);
	}
	reader_end(&r);
	arena_fini(&arena);
	return rc;
}

/* A profile that is found is added to the recent ones. */
int writer_ids_compare(struct partition *p, struct writer_need *need, struct err *e)
{
	struct sqlite_store *s = p->store;
	struct writer_side *side = p->writer;
	uint64_t ticket = side->ticket;
	bool yes = false;
	int rc;

	pthread_mutex_unlock(&s->map_mu);
	rc = find_same_samples(p, need, &yes, e);
	pthread_mutex_lock(&s->map_mu);
	if (rc)
		return err_errno(e, rc, "compare a profile with stored ones");
	if (!yes && need->absent_n < ABSENT_MAX)
		need->absent[need->absent_n++] = need->sought.key.exact;
	if (!yes || !writer_is_same(p, ticket))
		return 0;
	rc = id_set_reserve(&side->ids.recent, 1);
	if (!rc)
		id_set_add(&side->ids.recent, need->sought.key.exact);
	return rc;
}

static bool has_key(const struct commit_rows *c, uint64_t key)
{
	for (uint32_t i = 0; i < c->new_ids.n; i++)
		if (c->new_ids.at[i] == key)
			return true;
	return false;
}

/* Return whether a chunk may have a profile of the group of that time. */
static bool chunk_may_have(struct partition *p, uint32_t group, uint64_t time, bool timed)
{
	struct chunk_group g;

	pthread_mutex_lock(&p->mu);
	g = chunk_list_get(p->directory->chunks, group);
	pthread_mutex_unlock(&p->mu);
	return g.profiles && (!timed || (g.first <= time && g.last >= time));
}

static bool is_recent(const struct writer_side *side, uint64_t key)
{
	return id_set_has(&side->ids.recent, key) || id_set_has(&side->ids.before, key) ||
	       has_key(&side->pending, key) || has_key(&side->sealed, key);
}

static int set_need(struct writer_need *need, enum writer_need_kind kind, const struct partition *p,
		    uint32_t number)
{
	need->kind = kind;
	need->day = p->day;
	need->number = number;
	return -EINPROGRESS;
}

/*
 * Look for a profile that is not recent. Return 0: no chunk has it; or -EINPROGRESS: something has
 * to be read or compared.
 */
static int find_in_chunks(struct partition *p, uint32_t group, const struct sought_profile *s,
			  struct writer_need *need)
{
	const struct known_ids *k = &p->writer->ids;

	if (!chunk_may_have(p, group, s->time, s->timed))
		return 0;
	if (!has_group(k, group))
		return set_need(need, NEED_GROUP_IDS, p, group);
	if (!id_set_has(&k->groups[group], s->key.rough))
		return 0;
	for (uint32_t i = 0; i < need->absent_n; i++)
		if (need->absent[i] == s->key.exact)
			return 0;
	if (need->absent_n == ABSENT_MAX) /* storing a profile twice is better than losing it */
		return 0;
	need->sought = *s;
	return set_need(need, NEED_COMPARISON, p, group);
}

int writer_has_profile(struct partition *p, uint32_t i, uint32_t at,
		       const struct profile_lookup *lookup, bool *yes)
{
	struct writer_side *side = p->writer;
	const struct rows *r = &side->pending.rows;
	uint32_t series = r->series.at[i];
	struct sought_profile s = {.time = r->time.at[i], .timed = lookup->timed};
	struct arena *arena = &side->pending.arena;
	int rc = 0;

	if (!side->ids.loaded)
		return set_need(lookup->need, NEED_LEVEL0_IDS, p, 0);
	memcpy(s.id, lookup->id, sizeof(s.id));
	s.key = profile_key_of(r, i, at, profile_source_of(side->series, series), s.id, s.timed);
	*yes = is_recent(side, s.key.exact);
	if (!*yes)
		rc = find_in_chunks(p, side->series->series.at[series].group, &s, lookup->need);
	if (rc || *yes)
		return rc;
	rc = vec_push(arena, &side->pending.new_ids, s.key.exact);
	/* for other books and days: writer_has_rough_key() */
	return rc ? rc : vec_push(arena, &side->pending.new_ids, s.key.rough);
}

int writer_has_rough_key(struct partition *p, uint32_t group, uint64_t rough, const uint64_t *time,
			 struct writer_need *need, bool *yes)
{
	const struct known_ids *k = &p->writer->ids;

	if (!k->loaded)
		return set_need(need, NEED_LEVEL0_IDS, p, 0);
	*yes = is_recent(p->writer, rough);
	if (*yes || !chunk_may_have(p, group, time ? *time : 0, time))
		return 0;
	if (!has_group(k, group))
		return set_need(need, NEED_GROUP_IDS, p, group);
	*yes = id_set_has(&k->groups[group], rough);
	return 0;
}

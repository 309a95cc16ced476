/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a batch to rows: series, nodes and values. Every stack of the batch is worked out once; its
 * locations are mapped by the remap of signal/, and the whole of it is looked up by hash before the
 * tree is walked. Samples of value zero say nothing in a sum and are left out, unless they have a time.
 */
#include "base/container/hash.h"
#include "store/sqlite/catalog/time_limits.h"
#include "store/sqlite/write/writer.h"
#include "store/sqlite/write/writer_guess.h"
#include "store/sqlite/write/writer_seen.h"

/* So many stacks of the memo are looked at before the table is: a few may have come or gone. */
enum { MEMO_AHEAD = 4 };

/* Frames of a stack that are kept. Of a deeper one the innermost, below a frame that says so. */
enum { DEPTH_MAX = 4096 };

/* The size of the book is checked once for this many new stacks. */
enum { LOOK_AT_SIZE = 64 };

struct mapping_work {
	struct partition *partition;
	struct writer_side *side;
	struct store_write *write;
	struct stack_import import;
	struct writer_need *need; /* of -EINPROGRESS */
	struct writer_book *book; /* the one at hand */
	uint32_t *series;	  /* of the partition, + 1, of each series of the map */
	uint32_t *books;	  /* of each series of the map, + 1; 0: it is not mapped */
	uint8_t *duplicates;	  /* by profile */
	uint32_t *links;	  /* row of rows.links of each link of the batch, + 1 */
	const struct memo *memo;  /* of the sender's last batch, or NULL */
	uint32_t memo_at;	  /* of its stacks: what should come next */
	struct row_slot *keys;	  /* of the stacks of the batch that were mapped, with a guess */
	uint32_t fresh;		  /* stacks that were not known */
	bool full;		  /* the book was, before this write */
	struct arena scratch;
};

/* How far the commit in the making was before this write. */
struct mark {
	uint32_t profiles, samples, ids, new_ids;
};

static struct mark mark_of(const struct writer_side *side)
{
	return (struct mark){side->pending.rows.series.n, side->pending.rows.node.n,
			     side->pending.rows.ids.n, side->pending.new_ids.n};
}

static void take_back(struct writer_side *side, struct mark m)
{
	struct rows *r = &side->pending.rows;

	r->series.n = r->count.n = r->time.n = r->duration.n = r->total.n = m.profiles;
	r->node.n = r->value.n = m.samples;
	r->ids.n = m.ids < r->ids.n ? m.ids : r->ids.n;
	r->sample_time.n = m.samples < r->sample_time.n ? m.samples : r->sample_time.n;
	r->link.n = m.samples < r->link.n ? m.samples : r->link.n;
	side->pending.new_ids.n = m.new_ids;
}

/* ---- series ---- */

/* Takes over the ref of the number, unless it fails. */
static int new_series(struct mapping_work *k, uint32_t number, uint32_t *local, struct err *e)
{
	struct writer_side *side = k->side;
	struct series_entry entry = {.number = number};
	int rc;

	if (side->series_shared) {
		struct series_list *copy = series_list_dup(side->series);

		if (!copy)
			return -ENOMEM;
		series_list_unref(side->series);
		side->series = copy;
		side->series_shared = false;
	}
	if (side->series->series.n >= SERIES_MAX)
		return err_set(e, -EDQUOT, "the day has %u series already", SERIES_MAX);
	rc = writer_group_of(side, registry_get(&k->partition->store->registry, number),
			     &entry.group, e);
	if (!rc)
		rc = series_list_add(side->series, entry);
	if (rc)
		return rc;
	*local = side->series->series.n;
	k->write->added.series += !side->local[number];
	side->local[number] = *local;
	return 0;
}

/* The number in the partition of a series of the map. */
static int map_series(struct mapping_work *k, uint32_t i, uint32_t *series, struct err *e)
{
	struct writer_side *side = k->side;
	struct registry *registry = &k->partition->store->registry;
	uint32_t number, *local = &k->series[i];
	bool known;
	int rc;

	*series = *local - 1;
	if (*local)
		return 0;
	buf_clear(&side->labels);
	labels_encode(&side->labels, k->write->tenant, k->write->series->series.at[i].labels);
	rc = buf_error(&side->labels);
	if (!rc)
		rc = registry_add(registry, buf_str(&side->labels), &number, e);
	if (rc)
		return rc;
	rc = writer_local_fit(side, number);
	if (!rc)
		*local = side->local[number];
	known = *local && !writer_is_full(side, *local - 1);
	if (!rc && !known)
		rc = new_series(k, number, local, e);
	if (rc || known) /* the list has a ref already */
		registry_unref(registry, number);
	*series = *local - 1;
	return rc;
}

/* ---- stacks and links ---- */

/* The node of the frame that stands for those that are left out. */
static int cut_node(struct mapping_work *k, uint32_t *node)
{
	uint32_t location;
	int rc = profile_add_frame(&k->book->tree.builder, STR("[cut]"), STR(""), 0, &location);

	return rc ? rc : stack_tree_child(&k->book->tree, 0, location, node);
}

/* The locations are mapped. */
static int walk_stack(struct mapping_work *k, const uint32_t *locations, uint32_t n, bool cut,
		      uint32_t *node)
{
	const uint32_t *ids = k->import.remap.locations;
	uint32_t at = 0;
	int rc = cut ? cut_node(k, &at) : 0;

	while (!rc && n--)
		rc = stack_tree_child(&k->book->tree, at, ids[locations[n]], &at);
	*node = at;
	return rc;
}

/*
 * The key of a stack: four ids of its locations at a time. False: some are not known yet, and the key says
 * nothing (or they are 2^31 and more, or there is none in its place). Taking one from each of two ids
 * shows it in their highest bits.
 */
static bool stack_key(const uint32_t *ids, const uint32_t *locations, uint32_t n,
		      struct row_slot *key)
{
	struct key_maker k = key_begin(n);
	uint64_t unknown = 0;
	uint32_t i;

	for (i = 0; i + 4 <= n; i += 4) {
		uint64_t a = (uint64_t)ids[locations[i]] << 32 | ids[locations[i + 1]];
		uint64_t b = (uint64_t)ids[locations[i + 2]] << 32 | ids[locations[i + 3]];

		unknown |= (a - 0x100000001) | (b - 0x100000001);
		k = key_mix(k, a, b);
	}
	for (; i < n; i++) {
		unknown |= (uint64_t)ids[locations[i]] - 1;
		k = key_mix(k, ids[locations[i]], 0);
	}
	*key = key_end(k);
	return !(unknown & 0x8000000080000000);
}

/* Most are known (writer_guess.h); the others are mapped now. */
static int map_locations(struct mapping_work *k, const uint32_t *locations, uint32_t n)
{
	uint32_t id;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < n; i++)
		rc = stack_import_location(&k->import, locations[i], &id);
	return rc;
}

/* Is it one of the stacks that are due in the memo? */
static bool recall_stack(struct mapping_work *k, struct row_slot key, uint32_t *node)
{
	const struct memo *m = k->memo;
	uint32_t end;

	if (!m)
		return false;
	end = m->stacks.n - k->memo_at < MEMO_AHEAD ? m->stacks.n : k->memo_at + MEMO_AHEAD;
	for (uint32_t i = k->memo_at; i < end; i++)
		if (row_slot_is(m->stacks.at[i], key)) {
			*node = m->stacks.at[i].node - 1;
			k->memo_at = i + 1;
			return true;
		}
	return false;
}

static int map_stack(struct mapping_work *k, uint32_t stack, uint32_t *node)
{
	uint32_t n, *known = &k->import.stacks[stack];
	const uint32_t *locations = stack_of(k->write->batch, stack, &n);
	const uint32_t *ids = k->import.remap.locations;
	bool cut = n > DEPTH_MAX;
	struct row_slot key;
	int rc;

	if (*known) {
		*node = *known - 1;
		return 0;
	}
	n = cut ? DEPTH_MAX - 1 : n; /* the leaf stands first */
	if (unlikely(!stack_key(ids, locations, n, &key))) {
		rc = map_locations(k, locations, n);
		if (rc)
			return rc;
		(void)!stack_key(ids, locations, n, &key);
	}
	key.hash = cut ? ~key.hash | 1 : key.hash;
	if (!recall_stack(k, key, node) && !row_index_get(&k->book->stacks, key, node)) {
		rc = walk_stack(k, locations, n, cut, node);
		if (!rc && (++k->fresh % LOOK_AT_SIZE == 0 || k->full) &&
		    writer_book_is_full(k->book))
			rc = -EFBIG;
		if (rc)
			return rc;
		if (k->book->frequent)
			row_index_add(&k->book->stacks, key, *node);
	}
	*known = key.node = *node + 1;
	if (k->keys)
		k->keys[stack] = key;
	return 0;
}

static int map_link(struct mapping_work *k, uint32_t link, uint32_t *row)
{
	struct rows *r = &k->side->pending.rows;
	struct arena *a = &k->side->pending.arena;
	int rc = 0;

	if (!r->links.n)
		rc = vec_push(a, &r->links, (struct link){0});
	if (!rc && !k->links[link]) {
		rc = vec_push(a, &r->links, k->write->batch->links.at[link]);
		k->links[link] = r->links.n;
	}
	*row = k->links[link] - 1;
	return rc;
}

/* ---- samples ---- */

/* The column of what not every sample has, filled with zeros up to the last sample. */
#define FILL_TO(arena, vec, want)                                                                  \
	({                                                                                         \
		int rc_ = vec_reserve(arena, vec, (want) - (vec)->n);                              \
		if (!rc_) {                                                                        \
			memset((vec)->at + (vec)->n, 0, ((want) - (vec)->n) * sizeof(*(vec)->at)); \
			(vec)->n = (want);                                                         \
		}                                                                                  \
		rc_;                                                                               \
	})

struct sample_row {
	uint32_t node, link;
	int64_t value;
	uint64_t time;
};

static int push_row(struct mapping_work *k, struct sample_row s)
{
	struct arena *a = &k->side->pending.arena;
	struct rows *r = &k->side->pending.rows;
	uint32_t row, profile = r->series.n - 1;
	int rc;

	if (!s.value && !s.time)
		return 0;
	rc = vec_push(a, &r->node, s.node);
	if (!rc)
		rc = vec_push(a, &r->value, s.value);
	if (!rc && s.time) {
		rc = FILL_TO(a, &r->sample_time, r->node.n);
		if (!rc)
			r->sample_time.at[r->node.n - 1] = s.time;
	}
	if (!rc && s.link) {
		rc = map_link(k, s.link, &row);
		if (!rc)
			rc = FILL_TO(a, &r->link, r->node.n);
		if (!rc)
			r->link.at[r->node.n - 1] = row;
	}
	if (rc)
		return rc;
	r->count.at[profile]++;
	r->total.at[profile] = (int64_t)((uint64_t)r->total.at[profile] + (uint64_t)s.value);
	return 0;
}

/* A sample with nothing but one value, as nearly all are. */
static int map_value(struct mapping_work *k, uint32_t stack, int64_t value)
{
	struct arena *a = &k->side->pending.arena;
	struct rows *r = &k->side->pending.rows;
	uint32_t node, profile = r->series.n - 1;
	int rc = value ? map_stack(k, stack, &node) : 0;

	if (rc || !value)
		return rc;
	rc = vec_push(a, &r->node, node);
	if (!rc)
		rc = vec_push(a, &r->value, value);
	if (rc)
		return rc;
	r->count.at[profile]++;
	r->total.at[profile] = (int64_t)((uint64_t)r->total.at[profile] + (uint64_t)value);
	return 0;
}

/* All observations of one sample of the batch: rows of the last profile. */
static int map_sample(struct mapping_work *k, uint32_t i, int64_t scale)
{
	const struct profile_batch *b = k->write->batch;
	uint32_t values = b->sample_values_at[i], times = b->sample_times_at[i];
	uint32_t values_n = b->sample_values_at[i + 1] - values;
	uint32_t times_n = b->sample_times_at[i + 1] - times;
	uint32_t n = values_n > times_n ? values_n : times_n;
	struct sample_row row = {.link = b->sample_link[i]};
	int rc;

	if (likely(n == 1 && values_n && !times_n && !row.link))
		return map_value(k, b->sample_stack[i],
				 (int64_t)((uint64_t)b->values.at[values] * (uint64_t)scale));
	rc = n ? map_stack(k, b->sample_stack[i], &row.node) : 0;
	for (uint32_t o = 0; !rc && o < n; o++) {
		int64_t value = o < values_n ? b->values.at[values + o] : 1;

		row.value = (int64_t)((uint64_t)value * (uint64_t)scale); /* wraps */
		row.time = o < times_n ? b->times.at[times + o] : 0;
		rc = push_row(k, row);
	}
	return rc;
}

static int begin_profile(struct mapping_work *k, const struct profile *p, uint32_t series)
{
	struct arena *a = &k->side->pending.arena;
	struct rows *r = &k->side->pending.rows;
	uint64_t time = p->time_unix_nano ? p->time_unix_nano : k->write->received;
	int rc = vec_push(a, &r->series, series);

	if (!rc)
		rc = vec_push(a, &r->count, 0);
	if (!rc)
		rc = vec_push(a, &r->time, time);
	if (!rc)
		rc = vec_push(a, &r->duration, p->duration_nano);
	return rc ? rc : vec_push(a, &r->total, 0);
}

static const uint8_t no_id[PROFILE_ID_SIZE];

/* One series of a profile: its samples are those of the profile that say so. A retry is taken back when it is known. */
static int map_profile_series(struct mapping_work *k, const struct profile *p, uint32_t s,
			      bool alone, bool *duplicate, struct err *e)
{
	const struct series *row = &k->write->series->series.at[s];
	const uint32_t *of_sample = k->write->series->of_sample;
	struct mark before = mark_of(k->side);
	uint32_t series;
	int rc = map_series(k, s, &series, e);

	if (!rc)
		rc = begin_profile(k, p, series);
	for (uint32_t i = p->sample_first; !rc && i < p->sample_first + p->sample_count; i++)
		if (alone ? of_sample[i] != SERIES_NONE : of_sample[i] == s)
			rc = map_sample(k, i, row->scale);
	if (rc || memcmp(p->id, no_id, sizeof(no_id)) == 0)
		return rc;
	rc = writer_seen(k->partition, &(struct seen_query){k->write, p, before.samples, k->need},
			 duplicate);
	if (!rc && *duplicate)
		take_back(k->side, before);
	else if (!rc)
		rc = rows_add_id(&k->side->pending.rows, &k->side->pending.arena, p->id);
	return rc;
}

/* Is the profile of the partition's day, and not refused? */
static bool is_meant(const struct mapping_work *k, const struct profile *p)
{
	uint64_t time = p->time_unix_nano ? p->time_unix_nano : k->write->received;

	return time / NS_PER_DAY == k->partition->day &&
	       time_limits_accept(k->write, p->time_unix_nano);
}

/* The series [s, end) of the map that are of the profile. */
static uint32_t series_end(const struct series_map *map, uint32_t s, uint32_t profile)
{
	while (s < map->series.n && map->series.at[s].profile == profile)
		s++;
	return s;
}

/* All series of the profile that are of the book at hand. */
static int map_profile(struct mapping_work *k, uint32_t profile, uint32_t s, uint32_t end,
		       struct err *e)
{
	const struct profile *p = &k->write->batch->profiles.at[profile];
	int rc = 0;

	for (uint32_t i = s; !rc && i < end; i++) {
		bool duplicate = false;

		if (k->books[i] != k->book->id + 1)
			continue;
		rc = map_profile_series(k, p, i, end - s == 1, &duplicate, e);
		if (duplicate && !k->duplicates[profile]++)
			k->write->duplicates++;
	}
	return rc;
}

/* Who sends: the labels of the first series. */
static int sender_of(struct mapping_work *k, uint64_t *sender)
{
	const struct series_map *map = k->write->series;
	struct buf *labels = &k->side->labels;

	*sender = 0;
	if (!map->series.n)
		return 0;
	buf_clear(labels);
	labels_encode(labels, k->write->tenant, map->series.at[0].labels);
	if (buf_error(labels))
		return -ENOMEM;
	*sender = hash_bytes(labels->p, labels->n);
	return 0;
}

static void keep_memo(struct mapping_work *k, const struct guess *g, uint64_t sender)
{
	struct memo m = {.sender = sender,
			 .strings = {g->strings.keys, g->strings.n},
			 .functions = {g->functions.keys, g->functions.n},
			 .locations = {g->locations.keys, g->locations.n},
			 .stacks = {k->keys, k->write->batch->stacks.n}};

	memo_keep(&k->side->memos, &m);
}

static int map_profiles(struct mapping_work *k, struct err *e)
{
	const struct profile_batch *b = k->write->batch;
	uint32_t s = 0, end;
	int rc = 0;

	for (uint32_t p = 0; !rc && p < b->profiles.n; p++, s = end) {
		end = series_end(k->write->series, s, p);
		rc = map_profile(k, p, s, end, e);
	}
	return rc;
}

/* Of a batch of one service all rows are looked up ahead. Of many services each needs a few of them. */
static int map_with_guess(struct mapping_work *k, struct err *e)
{
	struct guess g = {.remap = &k->import.remap,
			  .strings.index = &k->book->strings,
			  .functions.index = &k->book->functions,
			  .locations.index = &k->book->locations,
			  .scratch = &k->scratch};
	uint64_t sender;
	int rc = sender_of(k, &sender);

	k->keys = arena_zalloc(&k->scratch, k->write->batch->stacks.n, sizeof(*k->keys));
	if (rc || !k->keys)
		return -ENOMEM;
	sender ^= k->book->id * 0x9e3779b97f4a7c15u;
	k->memo = memo_find(&k->side->memos, sender);
	rc = guess_rows(&g, k->memo);
	if (!rc)
		rc = map_profiles(k, e);
	if (rc)
		return rc;
	guess_learn(&g);
	keep_memo(k, &g, sender);
	return 0;
}

/* Map all profiles of the book of series `first` of the map. */
static int map_book(struct mapping_work *k, uint32_t first, bool alone, struct err *e)
{
	uint32_t id = k->books[first] - 1;
	uint32_t group = k->side->series->series.at[k->series[first] - 1].group;
	struct dictionary_counts before;
	int rc = writer_book_get(k->partition, id, &k->book);

	if (rc == -EINPROGRESS) {
		k->need->kind = NEED_BOOK;
		k->need->day = k->partition->day;
		k->need->number = id;
	}
	if (rc)
		return rc;
	before = dictionary_count(&k->book->tree);
	k->full = before.nodes > 1 && k->book->full;
	if (k->full && !writer_may_begin_book(k->side, group, NULL))
		return writer_book_close(k->book, group, before, e);
	rc = stack_import_init(&k->import, &k->book->tree, k->write->batch, true);
	if (!rc)
		rc = alone && k->book->frequent ? map_with_guess(k, e) : map_profiles(k, e);
	stack_import_fini(&k->import);
	k->book->frequent = true;
	if (!rc)
		rc = writer_book_used(k->book);
	if (rc == -EFBIG)
		rc = writer_book_close(k->book, group, before, e);
	if (rc) {
		writer_book_take_back(k->book, before);
	} else if (dictionary_grew(before, dictionary_count(&k->book->tree))) {
		k->write->added.names += k->book->tree.dictionary.strings.n - before.strings;
		(void)writer_book_is_full(k->book);
	}
	return rc;
}

/* The book of each series, + 1; 0: it is not of this day. *only: that of all of them, if there is but one. */
static int find_books(struct mapping_work *k, bool *only, struct err *e)
{
	const struct series_map *map = k->write->series;
	uint32_t s = 0, end, first = 0;
	int rc = 0;

	*only = true;
	for (uint32_t p = 0; !rc && p < k->write->batch->profiles.n; p++, s = end) {
		end = series_end(map, s, p);
		if (!is_meant(k, &k->write->batch->profiles.at[p]))
			continue;
		for (uint32_t i = s; !rc && i < end; i++) {
			const struct series_list *l;
			uint32_t series;

			rc = map_series(k, i, &series, e);
			if (rc)
				break;
			l = k->side->series;
			k->books[i] = l->groups.at[l->series.at[series].group].book + 1;
			first = first ? first : k->books[i];
			*only &= k->books[i] == first;
		}
	}
	return rc;
}

static int map_all(struct mapping_work *k, struct err *e)
{
	const struct profile_batch *b = k->write->batch;
	uint32_t n = k->write->series->series.n;
	uint8_t *done = NULL;
	bool only = true;
	int rc = 0;

	k->series = arena_zalloc(&k->scratch, n + 1, sizeof(*k->series));
	k->books = arena_zalloc(&k->scratch, n + 1, sizeof(*k->books));
	k->duplicates = arena_zalloc(&k->scratch, b->profiles.n + 1, sizeof(*k->duplicates));
	k->links = arena_zalloc(&k->scratch, b->links.n, sizeof(*k->links));
	if (!k->series || !k->books || !k->duplicates || !k->links)
		return -ENOMEM;
	rc = find_books(k, &only, e);
	if (!rc) {
		done = arena_zalloc(&k->scratch, k->side->book_count + 1, 1);
		rc = done ? 0 : -ENOMEM;
	}
	for (uint32_t i = 0; !rc && i < n; i++) {
		if (!k->books[i] || done[k->books[i]])
			continue;
		done[k->books[i]] = 1;
		rc = map_book(k, i, only, e);
	}
	return rc;
}

/* Add the write to the pending rows, or nothing of it. */
static int try_map(struct partition *p, struct store_write *w, struct writer_need *need,
		   struct err *e)
{
	struct mapping_work k = {.partition = p, .side = p->writer, .write = w, .need = need};
	struct mark m = mark_of(p->writer);
	uint32_t duplicates = w->duplicates, names = w->added.names;
	int rc;

	arena_init(&k.scratch, &p->store->budget);
	rc = map_all(&k, e);
	arena_fini(&k.scratch);
	if (rc) {
		take_back(p->writer, m);
		w->duplicates = duplicates;
		w->added.names = names;
	}
	return rc;
}

/* Where memory is short, books that are not written now go. */
int writer_map(struct partition *p, struct store_write *w, struct writer_need *need, struct err *e)
{
	struct sqlite_store *s = p->store;
	struct err own;
	bool again;
	int rc;

	do {
		own = (struct err){0};
		rc = try_map(p, w, need, &own);
		again = rc == -EFBIG || (rc == -ENOMEM && writer_book_evict(s));
	} while (again);
	while (atomic_load(&s->budget.used) > s->budget.limit / 8 * 7 && writer_book_evict(s))
		;
	if (!rc || rc == -EINPROGRESS)
		return rc;
	if (e && own.code)
		*e = own;
	return err_errno(e, rc, "store a profile");
}

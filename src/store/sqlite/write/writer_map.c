/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Map a batch to rows: series, nodes and values. Every stack of the batch is mapped once; its
 * locations are mapped by the remap of signal/, and the whole stack is looked up by its key before
 * the tree is walked. Samples of value zero do not change a sum and are dropped, unless they have a
 * time.
 */
#include "store/sqlite/write/writer_map.h"

#include "base/container/hash.h"
#include "store/sqlite/catalog/day.h"
#include "store/sqlite/catalog/directory.h"
#include "store/sqlite/catalog/partitions.h"
#include "store/sqlite/catalog/time_limits.h"
#include "store/sqlite/store_state.h"
#include "store/sqlite/write/writer_guess.h"
#include "store/sqlite/write/writer_retry.h"

/*
 * Number of stacks of the memo to compare before the index is searched: a few may have come or
 * gone.
 */
enum { MEMO_AHEAD = 4 };

/*
 * Maximum number of frames of a stack. Of a deeper stack the innermost are kept, below a frame
 * "[cut]".
 */
enum { DEPTH_MAX = 4096 };

/* The size of the book is checked after this many new stacks. */
enum { LOOK_AT_SIZE = 64 };

struct mapping_work {
	struct partition *partition;
	struct writer_side *side;
	struct store_write *write;
	struct stack_import import;
	struct writer_need *need; /* set with -EINPROGRESS */
	struct writer_book *book; /* current book */
	uint32_t *series;	  /* series of the partition + 1, by series of the map */
	uint32_t *books;	  /* book + 1, by series of the map; 0: not mapped */
	uint8_t *duplicates;	  /* by profile */
	uint32_t *links;	  /* row of rows.links + 1, by link of the batch */
	const struct memo *memo;  /* of the sender's last batch, or NULL */
	uint32_t memo_at;	  /* position of the expected next stack */
	/* of mapped stacks, by stack of the batch; NULL without a guess */
	struct row_slot *keys;
	uint32_t fresh; /* number of stacks that were not in the index */
	bool full;	/* the book was full before this write */
	struct arena scratch;
};

/* The size of the pending rows before this write. */
struct row_counts {
	uint32_t profiles, samples, ids, new_ids;
};

static struct row_counts row_counts_of(const struct writer_side *side)
{
	return (struct row_counts){side->pending.rows.series.n, side->pending.rows.node.n,
				   side->pending.rows.ids.n, side->pending.new_ids.n};
}

static void roll_back_rows(struct writer_side *side, struct row_counts m)
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

/* Add a series to the partition. On success the list takes over the reference to the number. */
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

/* Set *series to the partition's number of series i of the map. */
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
	if (rc || known) /* the list has a reference already */
		registry_unref(registry, number);
	*series = *local - 1;
	return rc;
}

/* ---- stacks and links ---- */

/* Set *node to the node of the frame that replaces the dropped ones. */
static int cut_node(struct mapping_work *k, uint32_t *node)
{
	uint32_t location;
	int rc = profile_add_frame(&k->book->tree.builder, STR("[cut]"), STR(""), 0, &location);

	return rc ? rc : stack_tree_child(&k->book->tree, 0, location, node);
}

/* Walk the tree along the stack, whose locations are mapped. */
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
 * Compute the key of a stack from the ids of its locations, four at a time. Return false, with a
 * meaningless key, if some are not known yet (or, extremely rare, if an id is 2^31 or more).
 * Subtracting one from each of two ids at once shows a zero in their highest bits.
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

/* Map the locations of a stack. Most are known already (writer_guess.h). */
static int map_locations(struct mapping_work *k, const uint32_t *locations, uint32_t n)
{
	uint32_t id;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < n; i++)
		rc = stack_import_location(&k->import, locations[i], &id);
	return rc;
}

/* Look the stack up among the next stacks of the memo. */
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
	n = cut ? DEPTH_MAX - 1 : n; /* the leaf is first */
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

/* Fill an optional column with zeros up to the last sample. */
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

static int append_sample(struct mapping_work *k, struct sample_row s)
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

/* Add a sample with a single value and neither time nor link, as nearly all are. */
static int append_value(struct mapping_work *k, uint32_t stack, int64_t value)
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

/* Add all observations of one sample of the batch to the last profile. */
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
		return append_value(k, b->sample_stack[i],
				    (int64_t)((uint64_t)b->values.at[values] * (uint64_t)scale));
	rc = n ? map_stack(k, b->sample_stack[i], &row.node) : 0;
	for (uint32_t o = 0; !rc && o < n; o++) {
		int64_t value = o < values_n ? b->values.at[values + o] : 1;

		row.value = (int64_t)((uint64_t)value * (uint64_t)scale); /* wraps */
		row.time = o < times_n ? b->times.at[times + o] : 0;
		rc = append_sample(k, row);
	}
	return rc;
}

static int append_profile(struct mapping_work *k, const struct profile *p, uint32_t series)
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

/*
 * Map one series of a profile: the samples of the profile that belong to it. A retry is rolled back
 * once it is recognized.
 */
static int map_profile_series(struct mapping_work *k, const struct profile *p, uint32_t s,
			      bool alone, bool *duplicate, struct err *e)
{
	const struct series *row = &k->write->series->series.at[s];
	const uint32_t *of_sample = k->write->series->of_sample;
	struct row_counts before = row_counts_of(k->side);
	uint32_t series;
	int rc = map_series(k, s, &series, e);

	if (!rc)
		rc = append_profile(k, p, series);
	for (uint32_t i = p->sample_first; !rc && i < p->sample_first + p->sample_count; i++)
		if (alone ? of_sample[i] != SERIES_NONE : of_sample[i] == s)
			rc = map_sample(k, i, row->scale);
	if (rc || memcmp(p->id, no_id, sizeof(no_id)) == 0)
		return rc;
	rc = writer_is_retry(k->partition,
			     &(struct retry_query){k->write, p, before.samples, k->need},
			     duplicate);
	if (!rc && *duplicate)
		roll_back_rows(k->side, before);
	else if (!rc)
		rc = rows_add_id(&k->side->pending.rows, &k->side->pending.arena, p->id);
	return rc;
}

/* Return whether the profile is of the partition's day, and not refused for its time. */
static bool is_of_day(const struct mapping_work *k, const struct profile *p)
{
	uint64_t time = p->time_unix_nano ? p->time_unix_nano : k->write->received;

	return time / NS_PER_DAY == k->partition->day &&
	       time_limits_accept(k->write, p->time_unix_nano);
}

/* Return the end of the series [s, end) of the map that belong to the profile. */
static uint32_t series_end(const struct series_map *map, uint32_t s, uint32_t profile)
{
	while (s < map->series.n && map->series.at[s].profile == profile)
		s++;
	return s;
}

/* Map all series of the profile that belong to the current book. */
static int map_profile_in_book(struct mapping_work *k, uint32_t profile, uint32_t s, uint32_t end,
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

/* Set *sender to the hash of the labels of the first series. */
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

static void keep_memo(struct mapping_work *k, const struct row_guess *g, uint64_t sender)
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
		rc = map_profile_in_book(k, p, s, end, e);
	}
	return rc;
}

/*
 * Map a batch of one service with a guess: all rows are looked up ahead. For a batch of many
 * services that does not pay, since each needs only a few rows.
 */
static int map_with_guess(struct mapping_work *k, struct err *e)
{
	struct row_guess g = {.remap = &k->import.remap,
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

/*
 * Map all profiles of the book of series `first` of the map. `alone`: the batch has only this book.
 */
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
		writer_book_roll_back(k->book, before);
	} else if (dictionary_grew(before, dictionary_count(&k->book->tree))) {
		k->write->added.names += k->book->tree.dictionary.strings.n - before.strings;
		(void)writer_book_is_full(k->book);
	}
	return rc;
}

/*
 * Set the book + 1 of each series; 0: not of this day. Set *only to whether all have the same book.
 */
static int find_batch_books(struct mapping_work *k, bool *only, struct err *e)
{
	const struct series_map *map = k->write->series;
	uint32_t s = 0, end, first = 0;
	int rc = 0;

	*only = true;
	for (uint32_t p = 0; !rc && p < k->write->batch->profiles.n; p++, s = end) {
		end = series_end(map, s, p);
		if (!is_of_day(k, &k->write->batch->profiles.at[p]))
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
	rc = find_batch_books(k, &only, e);
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

/* Add the write to the pending rows; on error roll all of it back. */
static int try_map(struct partition *p, struct store_write *w, struct writer_need *need,
		   struct err *e)
{
	struct mapping_work k = {.partition = p, .side = p->writer, .write = w, .need = need};
	struct row_counts m = row_counts_of(p->writer);
	uint32_t duplicates = w->duplicates, names = w->added.names;
	int rc;

	arena_init(&k.scratch, &p->store->budget);
	rc = map_all(&k, e);
	arena_fini(&k.scratch);
	if (rc) {
		roll_back_rows(p->writer, m);
		w->duplicates = duplicates;
		w->added.names = names;
	}
	return rc;
}

/* Without memory, evict books that have no uncommitted rows, and try again. */
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

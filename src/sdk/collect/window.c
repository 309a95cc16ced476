/* SPDX-License-Identifier: Apache-2.0 */
/* A hash table of entries in an arena, with linear probing. */
#include "sdk/collect/window.h"

#include <string.h>

#include "base/clock.h"
#include "base/container/hash.h"
#include "sdk/hook/stack_ids.h"

enum {
	SLOTS_FIRST = 1024,
	TIMES_MAX = 1 << 20, /* observations with timestamps; further ones are only summed */
};

static int make_slots(struct window *w, uint32_t count)
{
	uint32_t *slots = arena_zalloc(&w->arena, count, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	w->slots = slots;
	w->slot_mask = count - 1;
	return 0;
}

int window_reset(struct window *w)
{
	arena_reset(&w->arena);
	memset(&w->entries, 0, sizeof(w->entries));
	memset(&w->times, 0, sizeof(w->times));
	memset(w->counts, 0, sizeof(w->counts));
	w->samples = 0;
	w->over = 0;
	w->end_ns = 0;
	w->start_ns = clock_monotonic_ns();
	w->start_unix_ns = clock_realtime_ns();
	return make_slots(w, SLOTS_FIRST);
}

int window_init(struct window *w, unsigned kinds, uint32_t max_samples, struct budget *budget)
{
	*w = (struct window){.kinds = kinds, .max_samples = max_samples};
	arena_init(&w->arena, budget);
	return window_reset(w);
}

void window_fini(struct window *w)
{
	arena_fini(&w->arena);
}

enum varve_profile window_kind_of(enum record_kind kind)
{
	static const enum varve_profile kinds[] = {
		[RECORD_CPU] = VARVE_CPU,	 [RECORD_WALL] = VARVE_WALL,
		[RECORD_ALLOC] = VARVE_HEAP,	 [RECORD_FREE] = VARVE_HEAP,
		[RECORD_MMAP] = VARVE_MMAP,	 [RECORD_MUNMAP] = VARVE_MMAP,
		[RECORD_BLOCK] = VARVE_BLOCK,	 [RECORD_MUTEX] = VARVE_MUTEX,
		[RECORD_THREAD] = VARVE_THREADS, [RECORD_THREADCREATE] = VARVE_THREADCREATE,
	};

	return kind < countof(kinds) ? kinds[kind] : 0;
}

static uint32_t entry_hash(const struct window_entry *x)
{
	uint64_t span;

	memcpy(&span, x->span_id, sizeof(span));
	return hash_u64(((uint64_t)x->stack << 32 | x->labels) ^ span ^ x->tid ^
			(uint64_t)x->kind << 56 ^ (uint64_t)x->flags << 48);
}

static bool same_entry(const struct window_entry *a, const struct window_entry *b)
{
	return a->kind == b->kind && a->flags == b->flags && a->stack == b->stack &&
	       a->labels == b->labels && a->tid == b->tid &&
	       !memcmp(a->span_id, b->span_id, sizeof(a->span_id)) &&
	       !memcmp(a->trace_id, b->trace_id, sizeof(a->trace_id));
}

static uint32_t *find_entry_slot(struct window *w, const struct window_entry *key)
{
	for (uint32_t at = entry_hash(key);; at++) {
		uint32_t *slot = &w->slots[at & w->slot_mask];

		if (!*slot || same_entry(&w->entries.at[*slot - 1], key))
			return slot;
	}
}

static int grow_entry_slots(struct window *w)
{
	int rc = make_slots(w, (w->slot_mask + 1) * 2);

	for (uint32_t i = 0; !rc && i < w->entries.n; i++)
		*find_entry_slot(w, &w->entries.at[i]) = i + 1;
	return rc;
}

/* Return the entry of that key, added if it is new; NULL without memory. */
static struct window_entry *get_entry(struct window *w, const struct window_entry *key)
{
	uint32_t *slot;

	if (w->entries.n >= w->slot_mask / 2 && grow_entry_slots(w))
		return NULL;
	slot = find_entry_slot(w, key);
	if (!*slot) {
		if (vec_push(&w->arena, &w->entries, *key))
			return NULL;
		*slot = w->entries.n;
		w->counts[key->kind % WINDOW_KINDS]++;
	}
	return &w->entries.at[*slot - 1];
}

static bool wants_time(enum record_kind kind)
{
	return kind == RECORD_CPU || kind == RECORD_WALL;
}

static void note_time(struct window *w, struct window_entry *entry, const struct record *r)
{
	struct window_time time = {r->time_ns, r->value, entry->last_time};

	if (w->times.n >= TIMES_MAX || vec_push(&w->arena, &w->times, time))
		return;
	entry->last_time = w->times.n;
	entry->time_count++;
}

/* Return whether the key has an entry or may get one; `room` raises the limit of its kind. */
static bool has_room(struct window *w, const struct window_entry *key, uint32_t room)
{
	return w->counts[key->kind % WINDOW_KINDS] < (uint64_t)w->max_samples + room ||
	       *find_entry_slot(w, key);
}

/* Make the key of a sample above the limit less specific; the leaf is dropped last. */
static void coarsen_key(struct window *w, struct window_entry *key)
{
	uint32_t whole = key->stack;

	*key = (struct window_entry){.kind = key->kind, .flags = key->flags, .stack = whole};
	if (has_room(w, key, 0))
		return;
	key->stack = stack_ids_cut(whole, STACK_CUT_FRAMES);
	if (key->stack != STACK_LOST && has_room(w, key, w->max_samples / 4))
		return;
	key->stack = stack_ids_cut(whole, 1);
	if (key->stack != STACK_LOST && has_room(w, key, w->max_samples))
		return;
	*key = (struct window_entry){.kind = key->kind, .stack = STACK_OTHER};
}

void window_add(struct window *w, const struct record *r)
{
	struct window_entry key = {
		.kind = r->kind, .flags = r->flags, .stack = r->stack, .labels = r->labels};
	struct window_entry *entry;

	if (!(window_kind_of(r->kind) & w->kinds) || (w->only_tid && r->tid != w->only_tid))
		return;
	if (r->kind == RECORD_THREAD)
		key.tid = r->tid;
	w->samples++;
	memcpy(key.trace_id, r->trace_id, sizeof(key.trace_id));
	memcpy(key.span_id, r->span_id, sizeof(key.span_id));
	if (!has_room(w, &key, 0)) {
		coarsen_key(w, &key);
		w->over++;
	}
	entry = get_entry(w, &key);
	if (!entry) {
		w->over++;
		return;
	}
	entry->value += r->value;
	entry->weight += r->weight;
	if (wants_time(r->kind))
		note_time(w, entry, r);
}

void window_renew_stacks(struct window *w, uint32_t (*renew)(uint32_t stack))
{
	memset(w->slots, 0, (w->slot_mask + 1) * sizeof(*w->slots));
	for (uint32_t i = 0; i < w->entries.n; i++) {
		uint32_t *slot;

		w->entries.at[i].stack = renew(w->entries.at[i].stack);
		slot = find_entry_slot(w, &w->entries.at[i]);
		if (!*slot)
			*slot = i + 1;
	}
}

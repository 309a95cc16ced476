/* SPDX-License-Identifier: Apache-2.0 */
#include "sdk/hook/heap_table.h"

#include <string.h>

#include "sdk/hook/hook_lock.h"
#include "sdk/hook/hook_map.h"

enum {
	SHARD_BITS = 4,
	SHARDS = 1 << SHARD_BITS,
	SLOTS_FIRST = 8,
	SLOTS_MAPPED = 64, /* then: less than a page */
};

/*
 * Guarded by its lock, as the words of its part of both filters are: they are written with plain stores. The first slots are beside it: as
 * long as few blocks are live all shards are two or three pages, which stay in the host's caches from one sample to the next.
 */
struct shard {
	struct hook_lock lock;
	uint32_t used, capacity;  /* a power of two, or 0 */
	bool open;		  /* its part of the gate stands open: all bits are set */
	struct heap_block *slots; /* address 0: empty; `first`, or mapped */
	struct heap_block first[SLOTS_FIRST];
	char pad_[40]; /* whole cache lines */
};

/* A line of the gate belongs to each shard, which is open as long as there are more blocks than bits for them. */
enum {
	GATE_WORDS = countof(heap_gate) / SHARDS,
	BITS_A_BLOCK = 32,
	GATE_BLOCKS = GATE_WORDS * 32 / BITS_A_BLOCK,
};
static struct {
	_Alignas(64) struct shard shards[SHARDS];
	_Atomic uint64_t bytes, limit, dropped, missed;
	_Atomic bool keeps; /* something is in `kept` */
} table;

/* Bits of heap_filter that stay. Guarded as those. */
static uint32_t kept[countof(heap_filter)];

_Atomic uint32_t heap_filter[countof(heap_filter)];
_Alignas(64) _Atomic uint32_t heap_gate[countof(heap_gate)]; /* the last is the first in .bss */

_Atomic uint32_t heap_table_rarer;

static __thread bool forking __attribute__((tls_model("initial-exec")));

static bool enter(struct shard *s)
{
	if (forking || hook_lock(&s->lock))
		return true;
	atomic_fetch_add_explicit(&table.missed, 1, memory_order_relaxed);
	return false;
}

static void leave(struct shard *s)
{
	if (!forking)
		hook_unlock(&s->lock);
}

static struct shard *shard_of(uint32_t hash)
{
	return &table.shards[hash >> (32 - SHARD_BITS)];
}

/* In the order of hashes: what shares a bit of a filter stands together. */
static uint32_t home_of(const struct shard *s, uint32_t hash)
{
	return (uint32_t)((uint64_t)(hash << SHARD_BITS) * s->capacity >> 32);
}

/* Called with the shard's lock held. */
static void change_word(_Atomic uint32_t *word, uint32_t clear, uint32_t set)
{
	uint32_t bits = atomic_load_explicit(word, memory_order_relaxed);

	atomic_store_explicit(word, (bits & ~clear) | set, memory_order_relaxed);
}

static uint32_t bit_of(uint32_t hash, unsigned shift)
{
	return UINT32_C(1) << (hash >> shift) % 32;
}

/* A word of the filter is a bit of the gate. Called with the shard's lock held. */
static void filter_add(uint32_t hash)
{
	change_word(&heap_filter[hash >> HEAP_GATE_SHIFT], 0, bit_of(hash, HEAP_FILTER_SHIFT));
	change_word(&heap_gate[hash >> HEAP_GATE_SHIFT >> 5], 0, bit_of(hash, HEAP_GATE_SHIFT));
}

/* No block has the bit any more. Called with the shard's lock held. */
static void filter_remove(const struct shard *s, uint32_t hash)
{
	_Atomic uint32_t *word = &heap_filter[hash >> HEAP_GATE_SHIFT];
	uint32_t bit = bit_of(hash, HEAP_FILTER_SHIFT);

	if (unlikely(atomic_load_explicit(&table.keeps, memory_order_relaxed)) &&
	    kept[hash >> HEAP_GATE_SHIFT] & bit)
		return;
	change_word(word, bit, 0);
	if (!atomic_load_explicit(word, memory_order_relaxed) && !s->open)
		change_word(&heap_gate[hash >> HEAP_GATE_SHIFT >> 5], bit_of(hash, HEAP_GATE_SHIFT),
			    0);
}

/* Open the shard's part of the gate, or close it but for what is in the filter. Called with the shard's lock held. */
static __attribute__((noinline, cold)) void set_gate(struct shard *s, bool open)
{
	size_t first = (size_t)(s - table.shards) * GATE_WORDS;

	for (size_t at = first; at < first + GATE_WORDS; at++) {
		uint32_t bits = 0;

		for (unsigned i = 0; i < 32; i++)
			bits |= (open || heap_filter[at * 32 + i] ? UINT32_C(1) : 0) << i;
		atomic_store_explicit(&heap_gate[at], bits, memory_order_relaxed);
	}
	s->open = open;
}

bool heap_filter_keep(const void *p)
{
	uint32_t hash = heap_hash((uintptr_t)p);
	struct shard *s = shard_of(hash);

	if (!enter(s))
		return false;
	atomic_store_explicit(&table.keeps, true, memory_order_relaxed);
	kept[hash >> HEAP_GATE_SHIFT] |= bit_of(hash, HEAP_FILTER_SHIFT);
	filter_add(hash);
	leave(s);
	return true;
}

/* The slot of the address, or the empty one where it would be. There is always an empty one. */
static uint32_t find_slot(const struct shard *s, uint64_t address)
{
	uint32_t at = home_of(s, heap_hash(address));

	while (s->slots[at].address && s->slots[at].address != address)
		at = (at + 1) & (s->capacity - 1);
	return at;
}

/* Has another block the same bit of the filter? Their homes are one, or (in a large table) neighbours. */
static bool shares_bit(const struct shard *s, uint32_t hash)
{
	uint32_t bit = hash >> HEAP_FILTER_SHIFT;
	uint32_t first = home_of(s, bit << HEAP_FILTER_SHIFT);
	uint32_t homes = home_of(s, hash | ((1 << HEAP_FILTER_SHIFT) - 1)) - first;

	for (uint32_t i = 0;; i++) {
		uint64_t address = s->slots[(first + i) & (s->capacity - 1)].address;

		if (address ? heap_hash(address) >> HEAP_FILTER_SHIFT == bit : i >= homes)
			return address != 0;
	}
}

/* `limit`: of all that is mapped. */
static struct heap_block *map_slots(uint32_t capacity, uint64_t limit)
{
	size_t size = capacity * sizeof(struct heap_block);
	struct heap_block *slots = NULL;

	if (atomic_fetch_add(&table.bytes, size) + size <= limit)
		slots = hook_map(size);
	if (!slots)
		atomic_fetch_sub(&table.bytes, size);
	return slots;
}

static void unmap_slots(struct heap_block *slots, uint32_t capacity)
{
	size_t size = capacity * sizeof(*slots);

	if (!slots)
		return;
	hook_unmap(slots, size);
	atomic_fetch_sub(&table.bytes, size);
}

/* Called with the shard's lock held. */
static void drop_slots(struct shard *s)
{
	if (s->slots == s->first)
		memset(s->first, 0, sizeof(s->first));
	else
		unmap_slots(s->slots, s->capacity);
}

/* Called with the shard's lock held. */
static __attribute__((noinline, cold)) bool grow(struct shard *s)
{
	struct shard larger = {.capacity =
				       s->capacity > SLOTS_FIRST ? s->capacity * 2 : SLOTS_MAPPED};

	if (!s->capacity) {
		s->slots = s->first;
		s->capacity = SLOTS_FIRST;
		return true;
	}
	larger.slots = map_slots(larger.capacity,
				 atomic_load_explicit(&table.limit, memory_order_relaxed));
	if (!larger.slots)
		return false;
	for (uint32_t i = 0; i < s->capacity; i++)
		if (s->slots[i].address)
			larger.slots[find_slot(&larger, s->slots[i].address)] = s->slots[i];
	drop_slots(s);
	s->slots = larger.slots;
	s->capacity = larger.capacity;
	return true;
}

/* From three quarters to full, 0 to 15: each step has a 64th of the slots. Called with the shard's lock held. */
static uint32_t fullness(const struct shard *s)
{
	uint32_t step = s->capacity / 64, begin = s->capacity / 4 * 3;

	return s->used <= begin || !step ? 0 : (uint32_t)min_size((s->used - begin) / step, 15);
}

/* Called with the shard's lock held. */
static __attribute__((noinline, cold)) bool fill_up(struct shard *s)
{
	uint32_t full = fullness(s);

	if (full > atomic_load_explicit(&heap_table_rarer, memory_order_relaxed))
		atomic_store_explicit(&heap_table_rarer, full, memory_order_relaxed);
	return s->used + 1 < s->capacity;
}

/* Called with the shard's lock held. */
static bool put(struct shard *s, const struct heap_block *b)
{
	uint32_t at;

	if (s->used >= s->capacity / 4 * 3 && !grow(s) && !fill_up(s))
		return false;
	at = find_slot(s, b->address);
	if (!s->slots[at].address) {
		s->used++;
		filter_add(heap_hash(b->address));
		if (unlikely(s->used > GATE_BLOCKS) && !s->open)
			set_gate(s, true);
	}
	s->slots[at] = *b;
	return true;
}

bool heap_table_put(const struct heap_block *b)
{
	struct shard *s = shard_of(heap_hash(b->address));
	bool done = false;

	if (enter(s)) {
		done = put(s, b);
		leave(s);
	}
	if (!done)
		atomic_fetch_add_explicit(&table.dropped, 1, memory_order_relaxed);
	return done;
}

/* Close the gap at `at`: whoever stands behind it and could stand in it moves there. */
static void close_gap(struct shard *s, uint32_t at)
{
	uint32_t mask = s->capacity - 1;

	for (uint32_t next = (at + 1) & mask; s->slots[next].address; next = (next + 1) & mask) {
		uint32_t from_home = (next - home_of(s, heap_hash(s->slots[next].address))) & mask;

		if (from_home >= ((next - at) & mask)) {
			s->slots[at] = s->slots[next];
			at = next;
		}
	}
	s->slots[at].address = 0;
}

/* Called with the shard's lock held. */
static void remove_at(struct shard *s, uint32_t at)
{
	uint32_t hash = heap_hash(s->slots[at].address);

	close_gap(s, at);
	s->used--;
	if (!shares_bit(s, hash))
		filter_remove(s, hash);
	if (unlikely(s->open) && s->used <= GATE_BLOCKS / 2)
		set_gate(s, false);
}

bool heap_table_take(const void *p, struct heap_block *out)
{
	struct shard *s = shard_of(heap_hash((uintptr_t)p));
	bool found = false;
	uint32_t at;

	if (!heap_likely_live(p) || !enter(s))
		return false;
	if (s->used) {
		at = find_slot(s, (uintptr_t)p);
		found = s->slots[at].address != 0;
		if (found) {
			*out = s->slots[at];
			remove_at(s, at);
		}
	}
	leave(s);
	return found;
}

/* A copy of what is in the shard, and its length; NULL: empty, or no memory. */
static struct heap_block *copy_shard(struct shard *s, uint32_t *capacity)
{
	struct heap_block *copy = NULL;

	*capacity = 0;
	if (!enter(s))
		return NULL;
	if (s->used)
		copy = map_slots(s->capacity, UINT64_MAX);
	if (copy) {
		memcpy(copy, s->slots, s->capacity * sizeof(*copy));
		*capacity = s->capacity;
	}
	leave(s);
	return copy;
}

void heap_table_each(void (*each)(void *arg, const struct heap_block *b), void *arg)
{
	for (unsigned i = 0; i < SHARDS; i++) {
		uint32_t n;
		struct heap_block *blocks = copy_shard(&table.shards[i], &n);

		for (uint32_t at = 0; at < n; at++)
			if (blocks[at].address)
				each(arg, &blocks[at]);
		unmap_slots(blocks, n);
	}
}

void heap_table_renew(uint32_t (*renew)(uint32_t stack))
{
	for (unsigned i = 0; i < SHARDS; i++) {
		struct shard *s = &table.shards[i];

		if (!enter(s))
			continue; /* its stacks will be lost */
		for (uint32_t at = 0; at < s->capacity; at++)
			if (s->slots[at].address)
				s->slots[at].stack = renew(s->slots[at].stack);
		leave(s);
	}
}

void heap_table_set_limit(size_t bytes)
{
	atomic_store(&table.limit, bytes);
	atomic_store(&heap_table_rarer, 0);
}

void heap_table_relax(void)
{
	uint32_t full = 0;

	if (!atomic_load_explicit(&heap_table_rarer, memory_order_relaxed))
		return;
	for (unsigned i = 0; i < SHARDS; i++) {
		struct shard *s = &table.shards[i];

		if (!enter(s))
			continue;
		full = (uint32_t)max_size(full, fullness(s));
		leave(s);
	}
	atomic_store_explicit(&heap_table_rarer, full, memory_order_relaxed);
}

void heap_table_clear(void)
{
	for (unsigned i = 0; i < SHARDS; i++) {
		struct shard *s = &table.shards[i];

		if (!enter(s))
			continue; /* better a leak than a fault */
		for (uint32_t at = 0; at < s->capacity; at++)
			if (s->slots[at].address)
				filter_remove(s, heap_hash(s->slots[at].address));
		if (s->open)
			set_gate(s, false);
		drop_slots(s);
		s->slots = NULL;
		s->used = s->capacity = 0;
		leave(s);
	}
	atomic_store(&table.dropped, 0);
	atomic_store(&table.missed, 0);
}

void heap_table_before_fork(void)
{
	for (unsigned i = 0; i < SHARDS; i++)
		hook_lock_always(&table.shards[i].lock);
	forking = true;
}

void heap_table_after_fork(void)
{
	forking = false;
	for (unsigned i = 0; i < SHARDS; i++)
		hook_unlock(&table.shards[i].lock);
}

void heap_table_stats(struct heap_table_stats *out)
{
	out->blocks = 0;
	for (unsigned i = 0; i < SHARDS; i++) {
		struct shard *s = &table.shards[i];

		if (!enter(s))
			continue;
		out->blocks += s->used;
		leave(s);
	}
	out->bytes = atomic_load(&table.bytes);
	out->dropped = atomic_load(&table.dropped);
	out->missed = atomic_load(&table.missed);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The live table: shards with linear probing, and the two filters that are kept in step with them.
 */
#include "sdk/hook/heap_table.h"

#include <string.h>

#include "sdk/hook/hook_lock.h"
#include "sdk/hook/hook_map.h"

enum {
	SHARD_BITS = 4,
	SHARDS = 1 << SHARD_BITS,
	SLOTS_FIRST = 8,
	SLOTS_MAPPED = 64, /* the next size: less than a page */
};

/*
 * Guarded by its lock, which guards the shard's part of both filters too, so their words are
 * written with plain stores. The first slots are inside the shard: as long as few blocks are live,
 * all shards take two or three pages, which stay cached from one sample to the next.
 */
struct shard {
	struct hook_lock lock;
	uint32_t used, capacity;  /* a power of two, or 0 */
	bool open;		  /* all bits of its part of the gate are set */
	struct heap_block *slots; /* address 0: empty; `first`, or mapped */
	struct heap_block first[SLOTS_FIRST];
	char pad_[40]; /* whole cache lines */
};

/*
 * Each shard has a cache line of the gate, which is opened when the shard has more blocks than bits
 * for them.
 */
enum {
	GATE_WORDS = countof(heap_gate) / SHARDS,
	BITS_A_BLOCK = 32,
	GATE_BLOCKS = GATE_WORDS * 32 / BITS_A_BLOCK,
};
static struct {
	_Alignas(64) struct shard shards[SHARDS];
	_Atomic uint64_t bytes, limit, dropped, missed;
	_Atomic bool has_permanent; /* permanent_bits has a bit set */
} table;

/* Bits of heap_filter that are never cleared. Guarded like heap_filter. */
static uint32_t permanent_bits[countof(heap_filter)];

_Atomic uint32_t heap_filter[countof(heap_filter)];
_Alignas(64) _Atomic uint32_t heap_gate[countof(heap_gate)]; /* defined last: first in .bss */

_Atomic uint32_t heap_table_interval_shift;

static __thread bool forking __attribute__((tls_model("initial-exec")));

static bool enter_shard(struct shard *s)
{
	if (forking || hook_lock(&s->lock))
		return true;
	atomic_fetch_add_explicit(&table.missed, 1, memory_order_relaxed);
	return false;
}

static void leave_shard(struct shard *s)
{
	if (!forking)
		hook_unlock(&s->lock);
}

static struct shard *shard_of(uint32_t hash)
{
	return &table.shards[hash >> (32 - SHARD_BITS)];
}

/* Homes are in the order of hashes, so blocks that share a filter bit are adjacent. */
static uint32_t home_slot(const struct shard *s, uint32_t hash)
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

/*
 * Set the hash's bit in the filter, and in the gate the bit of that word. Called with the shard's
 * lock held.
 */
static void filter_add(uint32_t hash)
{
	change_word(&heap_filter[hash >> HEAP_GATE_SHIFT], 0, bit_of(hash, HEAP_FILTER_SHIFT));
	change_word(&heap_gate[hash >> HEAP_GATE_SHIFT >> 5], 0, bit_of(hash, HEAP_GATE_SHIFT));
}

/* Clear the hash's bits, which no block has any more. Called with the shard's lock held. */
static void filter_remove(const struct shard *s, uint32_t hash)
{
	_Atomic uint32_t *word = &heap_filter[hash >> HEAP_GATE_SHIFT];
	uint32_t bit = bit_of(hash, HEAP_FILTER_SHIFT);

	if (unlikely(atomic_load_explicit(&table.has_permanent, memory_order_relaxed)) &&
	    permanent_bits[hash >> HEAP_GATE_SHIFT] & bit)
		return;
	change_word(word, bit, 0);
	if (!atomic_load_explicit(word, memory_order_relaxed) && !s->open)
		change_word(&heap_gate[hash >> HEAP_GATE_SHIFT >> 5], bit_of(hash, HEAP_GATE_SHIFT),
			    0);
}

/*
 * Set all bits of the shard's part of the gate, or only those of non-zero filter words. Called with
 * the shard's lock held.
 */
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

bool heap_filter_add_permanent(const void *p)
{
	uint32_t hash = heap_hash((uintptr_t)p);
	struct shard *s = shard_of(hash);

	if (!enter_shard(s))
		return false;
	atomic_store_explicit(&table.has_permanent, true, memory_order_relaxed);
	permanent_bits[hash >> HEAP_GATE_SHIFT] |= bit_of(hash, HEAP_FILTER_SHIFT);
	filter_add(hash);
	leave_shard(s);
	return true;
}

/*
 * Return the slot of the address, or the empty slot where it belongs. There is always an empty
 * slot.
 */
static uint32_t find_block_slot(const struct shard *s, uint64_t address)
{
	uint32_t at = home_slot(s, heap_hash(address));

	while (s->slots[at].address && s->slots[at].address != address)
		at = (at + 1) & (s->capacity - 1);
	return at;
}

/*
 * Does another block have the same filter bit? Its home is the same slot or, in a large table, a
 * neighbour.
 */
static bool shares_bit(const struct shard *s, uint32_t hash)
{
	uint32_t bit = hash >> HEAP_FILTER_SHIFT;
	uint32_t first = home_slot(s, bit << HEAP_FILTER_SHIFT);
	uint32_t homes = home_slot(s, hash | ((1 << HEAP_FILTER_SHIFT) - 1)) - first;

	for (uint32_t i = 0;; i++) {
		uint64_t address = s->slots[(first + i) & (s->capacity - 1)].address;

		if (address ? heap_hash(address) >> HEAP_FILTER_SHIFT == bit : i >= homes)
			return address != 0;
	}
}

/* Map zeroed slots; NULL: no memory, or more than `limit` bytes mapped in all. */
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
static __attribute__((noinline, cold)) bool grow_shard(struct shard *s)
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
			larger.slots[find_block_slot(&larger, s->slots[i].address)] = s->slots[i];
	drop_slots(s);
	s->slots = larger.slots;
	s->capacity = larger.capacity;
	return true;
}

/*
 * Return 0 for up to three quarters full, up to 15 for full, in steps of 1/64. Called with the
 * shard's lock held.
 */
static uint32_t fullness(const struct shard *s)
{
	uint32_t step = s->capacity / 64, begin = s->capacity / 4 * 3;

	return s->used <= begin || !step ? 0 : (uint32_t)min_size((s->used - begin) / step, 15);
}

/*
 * A shard that cannot grow: make samples rarer; false when it is full. Called with the shard's lock
 * held.
 */
static __attribute__((noinline, cold)) bool may_fill_up(struct shard *s)
{
	uint32_t full = fullness(s);

	if (full > atomic_load_explicit(&heap_table_interval_shift, memory_order_relaxed))
		atomic_store_explicit(&heap_table_interval_shift, full, memory_order_relaxed);
	return s->used + 1 < s->capacity;
}

/* Called with the shard's lock held. */
static bool insert_block(struct shard *s, const struct heap_block *b)
{
	uint32_t at;

	if (s->used >= s->capacity / 4 * 3 && !grow_shard(s) && !may_fill_up(s))
		return false;
	at = find_block_slot(s, b->address);
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

	if (enter_shard(s)) {
		done = insert_block(s, b);
		leave_shard(s);
	}
	if (!done)
		atomic_fetch_add_explicit(&table.dropped, 1, memory_order_relaxed);
	return done;
}

/* Empty the slot `at`, shifting back later entries whose probe sequence passes it. */
static void close_gap(struct shard *s, uint32_t at)
{
	uint32_t mask = s->capacity - 1;

	for (uint32_t next = (at + 1) & mask; s->slots[next].address; next = (next + 1) & mask) {
		uint32_t from_home =
			(next - home_slot(s, heap_hash(s->slots[next].address))) & mask;

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

	if (!heap_likely_live(p) || !enter_shard(s))
		return false;
	if (s->used) {
		at = find_block_slot(s, (uintptr_t)p);
		found = s->slots[at].address != 0;
		if (found) {
			*out = s->slots[at];
			remove_at(s, at);
		}
	}
	leave_shard(s);
	return found;
}

/* Return a copy of the shard's slots and their number; NULL: empty, or no memory. */
static struct heap_block *copy_shard(struct shard *s, uint32_t *capacity)
{
	struct heap_block *copy = NULL;

	*capacity = 0;
	if (!enter_shard(s))
		return NULL;
	if (s->used)
		copy = map_slots(s->capacity, UINT64_MAX);
	if (copy) {
		memcpy(copy, s->slots, s->capacity * sizeof(*copy));
		*capacity = s->capacity;
	}
	leave_shard(s);
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

		if (!enter_shard(s))
			continue; /* its stacks become [lost] */
		for (uint32_t at = 0; at < s->capacity; at++)
			if (s->slots[at].address)
				s->slots[at].stack = renew(s->slots[at].stack);
		leave_shard(s);
	}
}

void heap_table_set_limit(size_t bytes)
{
	atomic_store(&table.limit, bytes);
	atomic_store(&heap_table_interval_shift, 0);
}

void heap_table_relax(void)
{
	uint32_t full = 0;

	if (!atomic_load_explicit(&heap_table_interval_shift, memory_order_relaxed))
		return;
	for (unsigned i = 0; i < SHARDS; i++) {
		struct shard *s = &table.shards[i];

		if (!enter_shard(s))
			continue;
		full = (uint32_t)max_size(full, fullness(s));
		leave_shard(s);
	}
	atomic_store_explicit(&heap_table_interval_shift, full, memory_order_relaxed);
}

void heap_table_clear(void)
{
	for (unsigned i = 0; i < SHARDS; i++) {
		struct shard *s = &table.shards[i];

		if (!enter_shard(s))
			continue; /* leak rather than crash */
		for (uint32_t at = 0; at < s->capacity; at++)
			if (s->slots[at].address)
				filter_remove(s, heap_hash(s->slots[at].address));
		if (s->open)
			set_gate(s, false);
		drop_slots(s);
		s->slots = NULL;
		s->used = s->capacity = 0;
		leave_shard(s);
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

		if (!enter_shard(s))
			continue;
		out->blocks += s->used;
		leave_shard(s);
	}
	out->bytes = atomic_load(&table.bytes);
	out->dropped = atomic_load(&table.dropped);
	out->missed = atomic_load(&table.missed);
}

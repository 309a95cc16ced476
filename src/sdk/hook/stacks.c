/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of stacks. A stack is stored as one word with its length and hash, two words for its
 * counter, then its addresses; its id is the index of the first word. A 16th of the memory is
 * slots: a third of them is in use when the words are used up, so that a miss needs few probes.
 */
#include "sdk/hook/stacks.h"

#include <string.h>

#include "sdk/hook/hook_map.h"

struct stacks {
	size_t mapped;
	uint32_t slot_mask, word_count;
	_Atomic uint32_t words_used, count;
	_Atomic uint32_t *slots; /* ids; 0: empty */
	uint64_t *words;
};

enum {
	PROBE_MAX = 64, /* a longer probe sequence counts as a full table */
	LENGTH_BITS = 12,
	HEAD_WORDS = 3, /* before the addresses */
};

int stacks_new(struct stacks **out, size_t bytes)
{
	size_t slot_count = 1024, mapped = max_size(bytes, 64 * KIB);
	struct stacks *s;
	char *memory;

	while (slot_count * 2 * sizeof(uint32_t) <= mapped / 16)
		slot_count *= 2;
	memory = hook_map(mapped);
	if (!memory)
		return -ENOMEM;
	s = (struct stacks *)memory;
	s->mapped = mapped;
	s->slot_mask = (uint32_t)slot_count - 1;
	s->slots = (_Atomic uint32_t *)(memory + 64);
	s->words = (uint64_t *)(memory + 64 + slot_count * sizeof(uint32_t));
	s->word_count = (uint32_t)min_size(
		(mapped - 64 - slot_count * sizeof(uint32_t)) / sizeof(uint64_t), UINT32_MAX);
	atomic_store(&s->words_used, STACK_FIRST);
	*out = s;
	return 0;
}

void stacks_free(struct stacks *s)
{
	if (s)
		hook_unmap(s, s->mapped);
}

/*
 * Addresses differ in few bits, so each is mixed by a multiplication and its high half folded in.
 */
static uint64_t hash_stack(const uint64_t *pcs, uint32_t n)
{
	uint64_t h = n * UINT64_C(0x9E3779B97F4A7C15);

	for (uint32_t i = 0; i < n; i++) {
		h = (h ^ pcs[i]) * UINT64_C(0xD6E8FEB86659FD93);
		h ^= h >> 32;
	}
	return h;
}

static bool same_stack(const struct stacks *s, uint32_t id, uint64_t head, const uint64_t *pcs,
		       uint32_t n)
{
	const uint64_t *words = s->words + id;

	if (words[0] != head)
		return false;
	/* not memcmp(): calling it takes longer than comparing most stacks */
	for (uint32_t i = 0; i < n; i++)
		if (words[HEAD_WORDS + i] != pcs[i])
			return false;
	return true;
}

/* Return how many of `total` words or slots are reserved for stacks shorter than `n` addresses. */
static uint32_t reserve_of(uint32_t total, uint32_t n)
{
	if (n > STACK_CUT_FRAMES + 1)
		return total / 8;
	return n > 2 ? total / 16 : 0;
}

/* Store the stack. Return its id, or 0 when there is no room. */
static uint32_t store_stack(struct stacks *s, uint64_t head, const uint64_t *pcs, uint32_t n)
{
	uint32_t id = atomic_load_explicit(&s->words_used, memory_order_relaxed);
	uint32_t end = s->word_count - reserve_of(s->word_count, n);
	uint32_t slots = s->slot_mask + 1;

	if (atomic_load_explicit(&s->count, memory_order_relaxed) >=
	    slots / 8 * 7 - reserve_of(slots, n))
		return 0;
	do {
		if (id + n + HEAD_WORDS > end)
			return 0;
	} while (!atomic_compare_exchange_weak_explicit(&s->words_used, &id, id + n + HEAD_WORDS,
							memory_order_relaxed,
							memory_order_relaxed));
	s->words[id] = head;
	memcpy(s->words + id + HEAD_WORDS, pcs, n * sizeof(*pcs));
	return id;
}

uint32_t stacks_add(struct stacks *s, const uint64_t *pcs, uint32_t n)
{
	uint64_t hash = hash_stack(pcs, n);
	uint64_t head = hash << LENGTH_BITS | n;
	/* the highest bits of a product are mixed best */
	uint32_t at = (uint32_t)(hash >> 32 ^ hash >> 48), stored = 0;

	if (!n || n >= 1u << LENGTH_BITS)
		return n ? STACK_LOST : STACK_NONE;
	for (unsigned probes = 0; probes < PROBE_MAX; probes++, at++) {
		_Atomic uint32_t *slot = &s->slots[at & s->slot_mask];
		uint32_t id = atomic_load_explicit(slot, memory_order_acquire);

		if (!id) {
			if (!stored)
				stored = store_stack(s, head, pcs, n);
			if (!stored)
				return STACK_LOST;
			if (atomic_compare_exchange_strong_explicit(slot, &id, stored,
								    memory_order_release,
								    memory_order_acquire)) {
				atomic_fetch_add_explicit(&s->count, 1, memory_order_relaxed);
				return stored;
			}
		}
		if (same_stack(s, id, head, pcs, n))
			return id;
	}
	return STACK_LOST;
}

uint32_t stacks_add_cut(struct stacks *s, const uint64_t *pcs, uint32_t n, uint32_t frames)
{
	uint64_t cut[STACK_CUT_FRAMES + 1];

	if (n <= frames || frames > STACK_CUT_FRAMES ||
	    (n == frames + 1 && pcs[frames] == STACK_CUT_MARK))
		return stacks_add(s, pcs, n);
	memcpy(cut, pcs, frames * sizeof(*pcs));
	cut[frames] = STACK_CUT_MARK;
	return stacks_add(s, cut, frames + 1);
}

const uint64_t *stacks_get(const struct stacks *s, uint32_t id, uint32_t *n)
{
	if (id < STACK_FIRST || id >= s->word_count) {
		*n = 0;
		return NULL;
	}
	*n = s->words[id] & ((1u << LENGTH_BITS) - 1);
	return s->words + id + HEAD_WORDS;
}

/* Return the two words of a stack's counter. */
static _Atomic int64_t *counter_of(struct stacks *s, uint32_t id)
{
	return (_Atomic int64_t *)(s->words + id + 1);
}

void stacks_count_at(struct stacks *s, uint32_t id, int64_t value, int64_t weight)
{
	_Atomic int64_t *counter = counter_of(s, id);

	atomic_fetch_add_explicit(&counter[0], value, memory_order_relaxed);
	atomic_fetch_add_explicit(&counter[1], weight, memory_order_relaxed);
}

void stacks_take_counts(struct stacks *s,
			void (*each)(void *arg, uint32_t id, int64_t value, int64_t weight),
			void *arg)
{
	for (uint32_t i = 0; i <= s->slot_mask; i++) {
		uint32_t id = atomic_load_explicit(&s->slots[i], memory_order_acquire);
		_Atomic int64_t *counter;
		int64_t value, weight;

		if (!id)
			continue;
		counter = counter_of(s, id);
		if (!atomic_load_explicit(&counter[0], memory_order_relaxed) &&
		    !atomic_load_explicit(&counter[1], memory_order_relaxed))
			continue;
		value = atomic_exchange_explicit(&counter[0], 0, memory_order_relaxed);
		weight = atomic_exchange_explicit(&counter[1], 0, memory_order_relaxed);
		each(arg, id, value, weight);
	}
}

double stacks_fill(const struct stacks *s)
{
	double words = atomic_load_explicit(&s->words_used, memory_order_relaxed);
	double slots = atomic_load_explicit(&s->count, memory_order_relaxed);

	words /= s->word_count;
	slots /= s->slot_mask + 1.0;
	return words > slots ? words : slots;
}

uint32_t stacks_count(const struct stacks *s)
{
	return atomic_load_explicit(&s->count, memory_order_relaxed);
}

size_t stacks_bytes(const struct stacks *s)
{
	return (s->slot_mask + 1) * sizeof(*s->slots) +
	       atomic_load_explicit(&s->words_used, memory_order_relaxed) * sizeof(*s->words);
}

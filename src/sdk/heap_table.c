/* SPDX-License-Identifier: Apache-2.0 */
#include "sdk/heap_table.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sdk/hook_lock.h"

enum {
	SHARD_BITS = 4,
	SHARDS = 1 << SHARD_BITS,
	SLOTS_FIRST = 8,
	SLOTS_MAPPED = 64, /* then: less than a page */
};

/*
 * Guarded by its lock. The first slots are beside it: as long as few blocks are live all shards are two or three pages, which stay in the
 * host's caches from one sample to the next.
 */
struct shard {
	struct hook_lock lock;
	uint32_t used, capacity;  /* a power of two, or 0 */
	struct heap_block *slots; /* address 0: empty; `first`, or mapped */
	struct heap_block first[SLOTS_FIRST];
	char pad_[40]; /* whole cache lines */
};

/* By mask. Smaller ones than `smallest` have full counters: they are good for nothing any more. */
static const uint32_t filters[] = {HEAP_FILTER_SMALL - 1, HEAP_FILTER_MIDDLE - 1,
				   HEAP_FILTER_LARGE - 1};
enum { LARGEST = countof(filters) - 1 };
static _Atomic size_t smallest;

static struct {
	_Alignas(64) struct shard shards[SHARDS];
	_Atomic uint64_t blocks, bytes, dropped, missed;
} table;

_Atomic uint8_t heap_filter[HEAP_FILTER_LARGE];
_Atomic uint32_t heap_filter_mask = HEAP_FILTER_SMALL - 1;

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

/* Add `by` to a counter. False: it is full, has lost count, and stays. */
static bool count(_Atomic uint8_t *counter, int by)
{
	uint8_t n = atomic_load_explicit(counter, memory_order_relaxed);

	while (n < UINT8_MAX && n + by >= 0 &&
	       !atomic_compare_exchange_weak_explicit(counter, &n, (uint8_t)(n + by),
						      memory_order_relaxed, memory_order_relaxed))
		;
	return n < UINT8_MAX;
}

static void filter_count(const void *p, int by)
{
	for (size_t i = 0; i < countof(filters); i++)
		if (unlikely(!count(heap_filter_counter(p, filters[i]), by)) && i < LARGEST &&
		    i >= atomic_load_explicit(&smallest, memory_order_relaxed))
			atomic_store_explicit(&smallest, i + 1, memory_order_relaxed);
}

void heap_filter_add(const void *p)
{
	filter_count(p, 1);
}

/*
 * All filters are right at any time, so it does not matter who asks which meanwhile. From a larger one it goes back to one that is at most half
 * as full as it may be.
 */
static void choose_filter(uint64_t blocks)
{
	uint32_t asked = atomic_load_explicit(&heap_filter_mask, memory_order_relaxed);
	size_t i = atomic_load_explicit(&smallest, memory_order_relaxed);

	while (i < LARGEST &&
	       blocks * HEAP_FILTER_SPARSE > (filters[i] < asked ? filters[i] / 2 : filters[i]))
		i++;
	if (unlikely(filters[i] != asked))
		atomic_store_explicit(&heap_filter_mask, filters[i], memory_order_relaxed);
}

/* A block came (1) or went (-1). */
static void count_block(const void *p, int by)
{
	filter_count(p, by);
	choose_filter(atomic_fetch_add_explicit(&table.blocks, (uint64_t)by, memory_order_relaxed) +
		      (uint64_t)by);
}

static uint64_t hash_address(uint64_t address)
{
	return (address >> 4) * UINT64_C(0x9E3779B97F4A7C15);
}

static struct shard *shard_of(uint64_t address)
{
	return &table.shards[hash_address(address) >> (64 - SHARD_BITS)];
}

static uint32_t home_of(const struct shard *s, uint64_t address)
{
	return (uint32_t)(hash_address(address) >> 26) & (s->capacity - 1);
}

/* The slot of the address, or the empty one where it would be. There is always an empty one. */
static uint32_t find_slot(const struct shard *s, uint64_t address)
{
	uint32_t at = home_of(s, address);

	while (s->slots[at].address && s->slots[at].address != address)
		at = (at + 1) & (s->capacity - 1);
	return at;
}

/* Memory straight from the kernel: mmap() itself may be interposed, by us. ThreadSanitizer must see when an address is used anew. */
#ifdef __SANITIZE_THREAD__
#define MMAP_CALL(name, ...) ((long)name(__VA_ARGS__))
#else
#define MMAP_CALL(name, ...) syscall(SYS_##name, __VA_ARGS__)
#endif
static struct heap_block *map_slots(uint32_t capacity)
{
	size_t size = capacity * sizeof(struct heap_block);
	long at;

	if (atomic_fetch_add(&table.bytes, size) + size > HEAP_TABLE_BYTES_MAX) {
		atomic_fetch_sub(&table.bytes, size);
		return NULL;
	}
	at = MMAP_CALL(mmap, NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		       0);
	if (at == -1) {
		atomic_fetch_sub(&table.bytes, size);
		return NULL;
	}
	return (struct heap_block *)at;
}

static void unmap_slots(struct heap_block *slots, uint32_t capacity)
{
	size_t size = capacity * sizeof(*slots);

	if (!slots)
		return;
	(void)MMAP_CALL(munmap, slots, size);
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
	int saved_errno = errno;
	struct shard larger = {.capacity =
				       s->capacity > SLOTS_FIRST ? s->capacity * 2 : SLOTS_MAPPED};

	if (!s->capacity) {
		s->slots = s->first;
		s->capacity = SLOTS_FIRST;
		return true;
	}
	larger.slots = map_slots(larger.capacity);
	errno = saved_errno;
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

/* Called with the shard's lock held. */
static bool put(struct shard *s, const struct heap_block *b)
{
	uint32_t at;

	if (s->used >= s->capacity / 4 * 3 && !grow(s) && s->used + 1 >= s->capacity)
		return false;
	at = find_slot(s, b->address);
	if (!s->slots[at].address) {
		s->used++;
		count_block((const void *)(uintptr_t)b->address, 1);
	}
	s->slots[at] = *b;
	return true;
}

bool heap_table_put(const struct heap_block *b)
{
	struct shard *s = shard_of(b->address);
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
		uint32_t from_home = (next - home_of(s, s->slots[next].address)) & mask;

		if (from_home >= ((next - at) & mask)) {
			s->slots[at] = s->slots[next];
			at = next;
		}
	}
	s->slots[at].address = 0;
}

/* In each filter: the larger ones are not crowded, so that who is in the small one by chance hardly ever takes a lock for it. */
static bool in_all_filters(const void *p)
{
	for (size_t i = 0; i < countof(filters); i++)
		if (!atomic_load_explicit(heap_filter_counter(p, filters[i]), memory_order_relaxed))
			return false;
	return true;
}

bool heap_table_take(const void *p, struct heap_block *out)
{
	struct shard *s = shard_of((uintptr_t)p);
	bool found = false;
	uint32_t at;

	if (!in_all_filters(p) || !enter(s))
		return false;
	if (s->used) {
		at = find_slot(s, (uintptr_t)p);
		found = s->slots[at].address != 0;
		if (found) {
			*out = s->slots[at];
			close_gap(s, at);
			s->used--;
			count_block(p, -1);
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
		copy = map_slots(s->capacity);
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

void heap_table_clear(void)
{
	for (unsigned i = 0; i < SHARDS; i++) {
		struct shard *s = &table.shards[i];

		if (!enter(s))
			continue; /* better a leak than a fault */
		for (uint32_t at = 0; at < s->capacity; at++)
			if (s->slots[at].address)
				count_block((const void *)(uintptr_t)s->slots[at].address, -1);
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
	out->blocks = atomic_load(&table.blocks);
	out->bytes = atomic_load(&table.bytes);
	out->dropped = atomic_load(&table.dropped);
	out->missed = atomic_load(&table.missed);
}

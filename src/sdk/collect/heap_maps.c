/* SPDX-License-Identifier: Apache-2.0 */
/* A sorted array of disjoint ranges: binary search for lookups, memmove() for changes. */
#include "sdk/collect/heap_maps.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sdk/hook/hook_lock.h"

enum { CAPACITY_FIRST = 128 };

_Atomic uint32_t heap_maps_count;
static struct {
	struct hook_lock lock; /* guards all fields below */
	uint32_t capacity;
	struct heap_map *ranges; /* sorted, disjoint; heap_maps_count of them */
} maps;

static __thread bool forking __attribute__((tls_model("initial-exec")));

static bool lock_maps(void)
{
	return forking || hook_lock(&maps.lock);
}

static void unlock_maps(void)
{
	if (!forking)
		hook_unlock(&maps.lock);
}

/* Allocate from the kernel directly: mmap() itself is interposed by libvarve. */
static struct heap_map *map_ranges(uint32_t capacity)
{
	long at = syscall(SYS_mmap, NULL, capacity * sizeof(struct heap_map),
			  PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return at == -1 ? NULL : (struct heap_map *)at;
}

static void unmap_ranges(struct heap_map *ranges, uint32_t capacity)
{
	if (ranges)
		syscall(SYS_munmap, ranges, capacity * sizeof(*ranges));
}

/* Make room for one more range. Requires the lock, as do all functions below. */
static bool reserve_range(uint32_t n)
{
	uint32_t capacity = maps.capacity ? maps.capacity * 2 : CAPACITY_FIRST;
	struct heap_map *ranges;

	if (n < maps.capacity)
		return true;
	ranges = capacity <= HEAP_MAPS_MAX ? map_ranges(capacity) : NULL;
	if (!ranges)
		return false;
	if (n)
		memcpy(ranges, maps.ranges, n * sizeof(*ranges));
	unmap_ranges(maps.ranges, maps.capacity);
	maps.ranges = ranges;
	maps.capacity = capacity;
	return true;
}

/* Return the index of the first range that ends after `address`. */
static uint32_t first_after(uint64_t address)
{
	uint32_t low = 0, high = atomic_load_explicit(&heap_maps_count, memory_order_relaxed);

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (maps.ranges[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool insert_at(uint32_t at, const struct heap_map *m)
{
	uint32_t n = atomic_load_explicit(&heap_maps_count, memory_order_relaxed);

	if (!reserve_range(n))
		return false;
	memmove(maps.ranges + at + 1, maps.ranges + at, (n - at) * sizeof(*m));
	maps.ranges[at] = *m;
	atomic_store_explicit(&heap_maps_count, n + 1, memory_order_relaxed);
	return true;
}

static void remove_between(uint32_t from, uint32_t to)
{
	uint32_t n = atomic_load_explicit(&heap_maps_count, memory_order_relaxed);

	memmove(maps.ranges + from, maps.ranges + to, (n - to) * sizeof(*maps.ranges));
	atomic_store_explicit(&heap_maps_count, n - (to - from), memory_order_relaxed);
}

static void save_piece(struct heap_maps_cut *cut, const struct heap_map *m, uint64_t start,
		       uint64_t end)
{
	struct heap_map piece = *m;

	if (!cut || cut->n == HEAP_MAPS_CUT_MAX)
		return;
	piece.start = start > m->start ? start : m->start;
	piece.end = end < m->end ? end : m->end;
	cut->pieces[cut->n++] = piece;
}

static void cut_out(uint64_t start, uint64_t end, struct heap_maps_cut *cut)
{
	uint32_t n = atomic_load_explicit(&heap_maps_count, memory_order_relaxed);
	uint32_t from = first_after(start), to = from;

	while (to < n && maps.ranges[to].start < end)
		save_piece(cut, &maps.ranges[to++], start, end);
	if (from == to)
		return;
	if (to == from + 1 && maps.ranges[from].start < start && maps.ranges[from].end > end) {
		struct heap_map upper = maps.ranges[from]; /* a hole leaves two parts */

		upper.start = end;
		maps.ranges[from].end = start;
		(void)insert_at(to, &upper);
		return;
	}
	if (maps.ranges[from].start < start)
		maps.ranges[from++].end = start;
	if (from < to && maps.ranges[to - 1].end > end)
		maps.ranges[--to].start = end;
	if (from < to)
		remove_between(from, to);
}

void heap_maps_remove(uint64_t start, uint64_t end, struct heap_maps_cut *cut)
{
	int saved_errno = errno;

	cut->n = 0;
	if (atomic_load_explicit(&heap_maps_count, memory_order_relaxed) && start < end &&
	    lock_maps()) {
		cut_out(start, end, cut);
		unlock_maps();
	}
	errno = saved_errno;
}

bool heap_maps_put(const struct heap_map *m)
{
	int saved_errno = errno;
	bool done = false;

	if (m->start < m->end && lock_maps()) {
		cut_out(m->start, m->end, NULL);
		done = insert_at(first_after(m->start), m);
		unlock_maps();
	}
	errno = saved_errno;
	return done;
}

static bool can_merge(const struct heap_map *a, const struct heap_map *b)
{
	return a->end == b->start && a->stack == b->stack && a->labels == b->labels;
}

/* Insert a piece that was cut out, and merge it with its neighbours. */
static void reinsert_piece(const struct heap_map *piece)
{
	uint32_t at = first_after(piece->start);

	if (!insert_at(at, piece))
		return;
	if (at + 1 < atomic_load_explicit(&heap_maps_count, memory_order_relaxed) &&
	    can_merge(&maps.ranges[at], &maps.ranges[at + 1])) {
		maps.ranges[at].end = maps.ranges[at + 1].end;
		remove_between(at + 1, at + 2);
	}
	if (at && can_merge(&maps.ranges[at - 1], &maps.ranges[at])) {
		maps.ranges[at - 1].end = maps.ranges[at].end;
		remove_between(at, at + 1);
	}
}

void heap_maps_restore(const struct heap_maps_cut *cut)
{
	int saved_errno = errno;

	if (cut->n && lock_maps()) {
		for (uint32_t i = 0; i < cut->n; i++) {
			cut_out(cut->pieces[i].start, cut->pieces[i].end, NULL);
			reinsert_piece(&cut->pieces[i]);
		}
		unlock_maps();
	}
	errno = saved_errno;
}

/* Visit a copy, so that hooks do not wait for the callback. */
void heap_maps_each(void (*each)(void *arg, const struct heap_block *b), void *arg)
{
	struct heap_map *copy = NULL;
	uint32_t n = 0;

	if (!lock_maps())
		return;
	n = atomic_load_explicit(&heap_maps_count, memory_order_relaxed);
	if (n)
		copy = map_ranges(n);
	if (copy)
		memcpy(copy, maps.ranges, n * sizeof(*copy));
	unlock_maps();
	for (uint32_t i = 0; copy && i < n; i++) {
		uint64_t size = copy[i].end - copy[i].start;
		struct heap_block b = {.address = copy[i].start,
				       .bytes = (int64_t)size,
				       .objects = 65536,
				       .size = size,
				       .stack = copy[i].stack,
				       .labels = copy[i].labels};

		each(arg, &b);
	}
	unmap_ranges(copy, n);
}

void heap_maps_renew(uint32_t (*renew)(uint32_t stack))
{
	uint32_t n;

	if (!lock_maps())
		return; /* the stacks of all ranges are lost */
	n = atomic_load_explicit(&heap_maps_count, memory_order_relaxed);
	for (uint32_t i = 0; i < n; i++)
		maps.ranges[i].stack = renew(maps.ranges[i].stack);
	unlock_maps();
}

void heap_maps_clear(void)
{
	if (!lock_maps())
		return;
	unmap_ranges(maps.ranges, maps.capacity);
	maps.ranges = NULL;
	maps.capacity = 0;
	atomic_store(&heap_maps_count, 0);
	unlock_maps();
}

void heap_maps_before_fork(void)
{
	hook_lock_always(&maps.lock);
	forking = true;
}

void heap_maps_after_fork(void)
{
	forking = false;
	hook_unlock(&maps.lock);
}

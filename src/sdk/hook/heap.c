/* SPDX-License-Identifier: Apache-2.0 */
/* Heap sampling: the countdown of each thread, and what happens when it runs out. */
#include "sdk/hook/heap.h"

#include <errno.h>

#include "sdk/collect/heap_maps.h"
#include "sdk/hook/sampling.h"
#include "sdk/hook/stack_ids.h"
#include "varve/varve.h"

enum {
	RECHECK_BYTES = 64 << 10, /* between two checks whether heap sampling is still off */
	SLOWDOWN_MAX = 64,	  /* upper bound of `slowdown`, nearly */
};

__thread uint64_t heap_countdown __attribute__((tls_model("initial-exec")));

/* The mean with which heap_countdown was drawn; 0: it was not drawn. */
static __thread double mean __attribute__((tls_model("initial-exec")));

/*
 * Factor on this thread's mean: more than 1 while it samples faster than the collector takes
 * records.
 */
static __thread double slowdown __attribute__((tls_model("initial-exec")));

/* Sums of samples that found the ring full and had no stack, for heap_take_overflow(). */
static struct {
	_Atomic int64_t bytes, objects;
} lost;

/*
 * Draw the next countdown. The rest of the last one may be ignored: the distribution is memoryless.
 */
static void draw_countdown(struct guest_thread *t)
{
	double interval = (double)atomic_load_explicit(&guest.heap_interval, memory_order_relaxed);

	if (slowdown < 1)
		slowdown = 1;
	mean = interval * slowdown *
	       (double)(1u << atomic_load_explicit(&heap_table_interval_shift,
						   memory_order_relaxed));
	heap_countdown = mean <= 1 ? 0 : (uint64_t)(sampling_distance(guest_random(t)) * mean);
}

/*
 * Put the sample into the ring. If that is full, count it at its stack and sample less often on
 * this thread.
 */
static void record_allocation(struct guest_thread *t, const struct heap_block *b)
{
	if (guest_record(t, RECORD_ALLOC, b->stack, b->bytes, b->objects)) {
		slowdown -= (slowdown - 1) / 64;
		return;
	}
	if (!stack_ids_count(b->stack, b->bytes, b->objects)) {
		atomic_fetch_add(&lost.bytes, b->bytes);
		atomic_fetch_add(&lost.objects, b->objects);
		atomic_fetch_add_explicit(&guest.lost, 1, memory_order_relaxed);
	}
	if (slowdown < SLOWDOWN_MAX)
		slowdown *= 1.02; /* slowly: nothing is lost, and large weights add noise */
}

static void sample_allocation(struct guest_thread *t, void *p, size_t size, const void *caller,
			      const void *frame)
{
	double weight = mean <= 1 ? 1 : 1 / sampling_chance((double)size / mean);
	struct heap_block b = {
		.address = (uintptr_t)p,
		.bytes = (int64_t)(weight * (double)size + 0.5),
		.objects = (int64_t)(weight * 65536 + 0.5),
		.size = size,
		.stack = guest_stack_from_frame(t, frame, caller),
		.labels = t->labels,
	};

	record_allocation(t, &b);
	(void)heap_table_put(&b);
}

/*
 * Inside a hook: sample the allocation. On a thread without a countdown, first draw one and count
 * the allocation.
 */
static void count_or_sample(struct guest_thread *t, void *p, size_t size, const void *caller,
			    const void *frame)
{
	if (mean <= 0) {
		draw_countdown(t);
		if (!heap_crossed(size))
			return;
	}
	if (p)
		sample_allocation(t, p, size, caller, frame);
	draw_countdown(t);
}

NO_INLINE void heap_sampled(void *p, size_t size, const void *caller, const void *frame)
{
	int saved_errno = errno;
	struct guest_thread *t;

	if (guest_own || !(guest_on() & VARVE_HEAP)) {
		heap_countdown = RECHECK_BYTES;
		mean = 0;
	} else if ((t = guest_enter())) {
		count_or_sample(t, p, size, caller, frame);
		guest_leave(t);
	} else {
		heap_countdown += size; /* a hook inside a hook: undo the count */
	}
	errno = saved_errno;
}

void heap_call_ended(void)
{
	if (mean <= 0)
		heap_countdown = 0; /* draw at the next allocation */
}

NO_INLINE void heap_remove(void *p)
{
	struct heap_block b;

	(void)heap_table_take(p, &b);
}

bool heap_take(void *p, struct heap_block *out)
{
	return heap_table_take(p, out);
}

void heap_restore(const struct heap_block *b)
{
	(void)heap_table_put(b);
}

int heap_start(uint64_t interval, size_t table_bytes)
{
	heap_table_set_limit(table_bytes);
	atomic_store(&guest.heap_interval, interval);
	atomic_store(&lost.bytes, 0);
	atomic_store(&lost.objects, 0);
	heap_countdown = 0; /* the starting thread counts at once */
	mean = 0;
	return 0;
}

/* The caller's callback of heap_take_overflow(). */
struct overflow {
	void (*each)(void *arg, const struct record *r);
	void *arg;
};

static void pass_count_as_record(void *arg, uint32_t stack, int64_t value, int64_t weight)
{
	struct overflow *o = arg;
	struct record r = {.kind = RECORD_ALLOC, .stack = stack, .value = value, .weight = weight};

	o->each(o->arg, &r);
}

void heap_take_overflow(void (*each)(void *arg, const struct record *r), void *arg)
{
	struct overflow o = {each, arg};
	int64_t bytes = atomic_exchange(&lost.bytes, 0),
		objects = atomic_exchange(&lost.objects, 0);

	stack_ids_take_counts(pass_count_as_record, &o);
	if (bytes || objects)
		pass_count_as_record(&o, STACK_LOST, bytes, objects);
}

void heap_stop(void)
{
	heap_table_clear();
	heap_maps_clear();
}

void heap_each_live(void (*each)(void *arg, const struct heap_block *b), void *arg)
{
	heap_table_each(each, arg);
}

void heap_before_fork(void)
{
	heap_table_before_fork();
	heap_maps_before_fork();
}

void heap_after_fork(void)
{
	heap_maps_after_fork();
	heap_table_after_fork();
}

void heap_renew_stacks(uint32_t (*renew)(uint32_t stack))
{
	heap_table_renew(renew);
	heap_maps_renew(renew);
}

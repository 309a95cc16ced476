/* SPDX-License-Identifier: Apache-2.0 */
#include "sdk/hook/heap.h"

#include <errno.h>

#include "sdk/collect/heap_maps.h"
#include "sdk/hook/sampling.h"
#include "sdk/hook/stack_ids.h"
#include "varve/varve.h"

enum {
	LOOK_AGAIN = 64 << 10, /* bytes: how often a thread looks whether it is still off */
	SLOWER_MAX = 64,       /* the mean grows no further than so many times */
};

__thread uint64_t heap_left __attribute__((tls_model("initial-exec")));

/* The mean that heap_left was drawn with; 0: it was not drawn. */
static __thread double drawn __attribute__((tls_model("initial-exec")));

/* How many times the interval the mean is on this thread: more than 1 while it samples faster than the collector takes. */
static __thread double slower __attribute__((tls_model("initial-exec")));

/* Samples that found the ring full and had no stack, for heap_take_overflow(). */
static struct {
	_Atomic int64_t bytes, objects;
} lost;

/* Begin the next countdown. What was drawn before does not matter: the distribution has no memory. */
static void draw(struct guest_thread *t)
{
	double interval = (double)atomic_load_explicit(&guest.heap_interval, memory_order_relaxed);

	if (slower < 1)
		slower = 1;
	drawn = interval * slower *
		(double)(1u << atomic_load_explicit(&heap_table_rarer, memory_order_relaxed));
	heap_left = drawn <= 1 ? 0 : (uint64_t)(sampling_distance(guest_random(t)) * drawn);
}

/* Tell the collector; when it does not follow, this thread samples less, and the sample is counted at its stack. */
static void tell(struct guest_thread *t, const struct heap_block *b)
{
	if (guest_record(t, RECORD_ALLOC, b->stack, b->bytes, b->objects)) {
		slower -= (slower - 1) / 64;
		return;
	}
	if (!stack_ids_count(b->stack, b->bytes, b->objects)) {
		atomic_fetch_add(&lost.bytes, b->bytes);
		atomic_fetch_add(&lost.objects, b->objects);
		atomic_fetch_add_explicit(&guest.lost, 1, memory_order_relaxed);
	}
	if (slower < SLOWER_MAX)
		slower *= 1.02; /* gently: nothing is lost, and large weights are noise */
}

static void take_sample(struct guest_thread *t, void *p, size_t size, const void *caller,
			const void *frame)
{
	double weight = drawn <= 1 ? 1 : 1 / sampling_chance((double)size / drawn);
	struct heap_block b = {
		.address = (uintptr_t)p,
		.bytes = (int64_t)(weight * (double)size + 0.5),
		.objects = (int64_t)(weight * 65536 + 0.5),
		.size = size,
		.stack = guest_stack_above(t, frame, caller),
		.labels = t->labels,
	};

	tell(t, &b);
	(void)heap_table_put(&b);
}

/* Inside: begin the count on a thread that had none, and see whether the allocation crosses it; or take the sample. */
static void look(struct guest_thread *t, void *p, size_t size, const void *caller,
		 const void *frame)
{
	if (drawn <= 0) {
		draw(t);
		if (!heap_crossed(size))
			return;
	}
	if (p)
		take_sample(t, p, size, caller, frame);
	draw(t);
}

NO_INLINE void heap_sampled(void *p, size_t size, const void *caller, const void *frame)
{
	int saved_errno = errno;
	struct guest_thread *t;

	if (guest_own || !(guest_on() & VARVE_HEAP)) {
		heap_left = LOOK_AGAIN;
		drawn = 0;
	} else if ((t = guest_enter())) {
		look(t, p, size, caller, frame);
		guest_leave(t);
	} else {
		heap_left += size; /* a hook inside a hook: it did not happen */
	}
	errno = saved_errno;
}

void heap_call_ended(void)
{
	if (drawn <= 0)
		heap_left = 0; /* look at the next allocation */
}

NO_INLINE void heap_forget(void *p)
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
	heap_left = 0; /* whoever starts it sees it at once */
	drawn = 0;
	return 0;
}

/* Where records made of counts go. */
struct overflow {
	void (*each)(void *arg, const struct record *r);
	void *arg;
};

static void pass_on(void *arg, uint32_t stack, int64_t value, int64_t weight)
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

	stack_ids_take_counts(pass_on, &o);
	if (bytes || objects)
		pass_on(&o, STACK_LOST, bytes, objects);
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

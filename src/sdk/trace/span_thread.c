/* SPDX-License-Identifier: Apache-2.0 */
/* The tracer's records of threads: what is current, entering the tracer, and random numbers. */
#include "sdk/trace/span_thread.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "sdk/hook/guest.h"
#include "sdk/trace/span_slot.h"
#include "sdk/trace/span_tls.h"

static __thread struct span_thread *self __attribute__((tls_model("initial-exec")));

/* All records, in a list that only grows. */
static struct {
	struct span_thread *_Atomic all;
	pthread_once_t once;
	pthread_key_t key; /* its destructor notices the end of a thread */
	bool has_key;
} threads = {.once = PTHREAD_ONCE_INIT};

static const struct span_ids no_ids;

/* -- what is current --------------------------------------------------------------------------- */

void span_make_current(struct span_thread *t, const struct span_ids *ids, uint8_t flags,
		       const char *state, uint16_t state_size)
{
	volatile struct thread_context *c = &t->context;
	bool any = ids->span_id[0] | ids->span_id[1] | ids->span_id[2] | ids->span_id[3] |
		   ids->span_id[4] | ids->span_id[5] | ids->span_id[6] | ids->span_id[7];

	c->valid = 0;
	atomic_signal_fence(memory_order_seq_cst);
	memcpy(t->context.trace_id, ids->trace_id, 16);
	memcpy(t->context.span_id, ids->span_id, 8);
	t->context.trace_flags = any ? flags : 0;
	atomic_signal_fence(memory_order_seq_cst);
	c->valid = any || t->context.attributes_size; /* labels are valid without a span */
	if (state_size | t->state_size) {
		memcpy(t->trace_state, state, state_size);
		t->state_size = state_size;
	}
}

void span_set_attributes(const void *bytes, size_t n)
{
	struct span_thread *t = n <= sizeof(t->context.attributes) ? span_enter() : NULL;
	volatile struct thread_context *c;

	if (!t)
		return;
	c = &t->context;
	c->valid = 0;
	atomic_signal_fence(memory_order_seq_cst);
	memcpy(t->context.attributes, bytes, n);
	t->context.attributes_size = (uint16_t)n;
	atomic_signal_fence(memory_order_seq_cst);
	c->valid = n || span_has_ids(t);
	span_leave(t);
}

/*
 * Replace *ids, if that span was ended by another thread, which cannot change what is current here,
 * by what was current before it. False: nothing is left. Hook-safe.
 */
static bool skip_ended_spans(const struct span_thread *t, struct span_ids *ids)
{
	enum { STEPS_MAX = 64 };
	uint32_t at = t->top;

	for (unsigned i = 0; at && i < STEPS_MAX; i++) {
		const struct span_slot *s = &tracer.slots[at - 1];

		if (!memcmp(&s->ids, ids, sizeof(*ids))) {
			if (atomic_load_explicit(&s->state, memory_order_relaxed) & SPAN_RUNNING)
				return true;
			*ids = s->previous;
		}
		at = s->below;
	}
	return memcmp(ids, &no_ids, sizeof(no_ids)) != 0;
}

const void *span_thread_record(void)
{
	return self;
}

bool span_ids_of(const void *record, uint8_t trace_id[16], uint8_t span_id[8])
{
	const struct span_thread *t = record;
	const volatile struct thread_context *c = t ? &t->context : NULL;
	struct span_ids ids = {0};
	bool any = false;

	if (c && c->valid) {
		atomic_signal_fence(memory_order_seq_cst);
		memcpy(ids.trace_id, t->context.trace_id, 16);
		memcpy(ids.span_id, t->context.span_id, 8);
		any = memcmp(&ids, &no_ids, sizeof(ids)) != 0;
		if (unlikely(atomic_load_explicit(&t->ended_elsewhere, memory_order_relaxed)) &&
		    atomic_load_explicit(&tracer.on, memory_order_acquire))
			any = skip_ended_spans(t, &ids);
	}
	memcpy(trace_id, ids.trace_id, 16);
	memcpy(span_id, ids.span_id, 8);
	return any;
}

bool span_current_ids(uint8_t trace_id[16], uint8_t span_id[8])
{
	return span_ids_of(self, trace_id, span_id);
}

bool span_current_sampled_ids(uint8_t trace_id[16], uint8_t span_id[8])
{
	const struct span_thread *t = self;

	return t && (t->context.trace_flags & 1) && span_ids_of(t, trace_id, span_id);
}

bool span_wants_samples(void)
{
	const struct span_thread *t = self;

	if (!tracer.only_name[0])
		return true;
	return t && atomic_load_explicit(&t->wanted, memory_order_relaxed);
}

/* -- records ----------------------------------------------------------------------------------- */

static void on_span_thread_exit(void *arg)
{
	struct span_thread *t = arg;

	if (t != self)
		return;
	if (span_enter()) {
		span_detach_all(t);
		span_leave(t);
	}
	t->context.attributes_size = 0;
	span_make_current(t, &no_ids, 0, "", 0);
	t->top = 0;
	t->epoch = 0;
	atomic_store(&t->wanted, 0);
	span_publish_thread(NULL);
	self = NULL;
	if (guest_self)
		atomic_store(&guest_self->spans, NULL);
	atomic_store(&t->used, false);
}

static void make_span_key(void)
{
	threads.has_key = !pthread_key_create(&threads.key, on_span_thread_exit);
}

static struct span_thread *reuse_record(void)
{
	for (struct span_thread *t = atomic_load(&threads.all); t; t = t->next) {
		bool free = false;

		if (!atomic_load_explicit(&t->used, memory_order_relaxed) &&
		    atomic_compare_exchange_strong(&t->used, &free, true))
			return t;
	}
	return NULL;
}

/*
 * Map several records at a time. Return one for this thread; the others are for later threads.
 * NULL: no memory.
 */
static struct span_thread *make_records(void)
{
	enum { TOGETHER = 12, STEP = (sizeof(struct span_thread) + 63) / 64 * 64 };
	char *memory = mmap(NULL, (size_t)TOGETHER * STEP, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct span_thread *mine, *all;

	if (memory == MAP_FAILED)
		return NULL;
	mine = (struct span_thread *)memory;
	atomic_store(&mine->used, true);
	for (unsigned i = 0; i < TOGETHER; i++) {
		struct span_thread *t = (struct span_thread *)(memory + (size_t)i * STEP);

		all = atomic_load(&threads.all);
		do {
			t->next = all;
		} while (!atomic_compare_exchange_weak(&threads.all, &all, t));
	}
	return mine;
}

/* Get a record for this thread at its first call of the tracer. NULL: no memory. */
static NO_INLINE struct span_thread *register_span_thread(void)
{
	struct span_thread *t;
	int saved_errno = errno;

	pthread_once(&threads.once, make_span_key);
	t = threads.has_key ? reuse_record() : NULL;
	if (!t && threads.has_key)
		t = make_records();
	if (t && pthread_setspecific(threads.key, t)) {
		atomic_store(&t->used, false);
		t = NULL;
	}
	self = t;
	if (guest_self)
		atomic_store(&guest_self->spans, t);
	if (t && atomic_load_explicit(&tracer.publish, memory_order_relaxed))
		span_publish_thread(&t->context);
	errno = saved_errno;
	return t;
}

/* Reset the record of a thread that has last entered the tracer before its current start. */
static NO_INLINE void begin_epoch(struct span_thread *t, uint32_t epoch)
{
	t->epoch = epoch;
	t->top = 0;
	atomic_store(&t->ended_elsewhere, 0);
	atomic_store(&t->wanted, 0);
	t->context.valid = 0; /* before the labels are removed */
	atomic_signal_fence(memory_order_seq_cst);
	t->context.attributes_size = 0;
	span_make_current(t, &no_ids, 0, "", 0);
	span_publish_thread(
		atomic_load_explicit(&tracer.publish, memory_order_relaxed) ? &t->context : NULL);
}

struct span_thread *span_enter(void)
{
	struct span_thread *t = self;
	uint32_t epoch;

	if (unlikely(!atomic_load_explicit(&tracer.on, memory_order_relaxed)))
		return NULL;
	if (unlikely(!t))
		t = register_span_thread();
	if (unlikely(!t))
		return NULL;
	atomic_store_explicit(&t->inside,
			      atomic_load_explicit(&t->inside, memory_order_relaxed) + 1,
			      memory_order_relaxed);
	if (unlikely(atomic_load_explicit(&tracer.fences, memory_order_relaxed)))
		atomic_thread_fence(memory_order_seq_cst);
	else
		atomic_signal_fence(memory_order_seq_cst);
	if (unlikely(!atomic_load_explicit(&tracer.on, memory_order_acquire))) {
		span_leave(t);
		return NULL;
	}
	epoch = atomic_load_explicit(&tracer.epoch, memory_order_relaxed);
	if (unlikely(t->epoch != epoch))
		begin_epoch(t, epoch);
	if (unlikely(atomic_load_explicit(&t->ended_elsewhere, memory_order_relaxed)))
		span_unlink_ended(t);
	return t;
}

void span_threads_quiesce(void)
{
	struct timespec pause = {0, 100000};

	if (!tracer.fences)
		syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
	atomic_thread_fence(memory_order_seq_cst);
	for (struct span_thread *t = atomic_load(&threads.all); t; t = t->next)
		while (t != self && atomic_load_explicit(&t->inside, memory_order_acquire))
			nanosleep(&pause, NULL);
}

void span_threads_clear(void)
{
	for (struct span_thread *t = atomic_load(&threads.all); t; t = t->next)
		*(volatile uint8_t *)&t->context.valid = 0;
}

struct span_thread *span_threads_forked(uint32_t epoch)
{
	for (struct span_thread *t = atomic_load(&threads.all); t; t = t->next) {
		if (t == self)
			continue;
		t->context.valid = 0;
		t->top = t->epoch = 0;
		atomic_store(&t->inside, 0);
		atomic_store(&t->used, false);
	}
	if (self && self->epoch == epoch - 1)
		self->epoch = epoch;
	return self;
}

/* -- random numbers ---------------------------------------------------------------------------- */

/*
 * xoroshiro128+ with its result mixed once more. Seeded by the kernel once per thread, and again in
 * a forked child.
 */
uint64_t span_random(struct span_thread *t)
{
	uint32_t epoch = atomic_load_explicit(&tracer.epoch, memory_order_relaxed);
	uint64_t a, b, sum;

	if (unlikely(t->random_epoch != epoch)) {
		if (getrandom(t->random, sizeof(t->random), GRND_NONBLOCK) != sizeof(t->random)) {
			t->random[0] = clock_monotonic_ns() ^ (uint64_t)(uintptr_t)t << 20;
			t->random[1] = clock_realtime_ns() ^ (uint64_t)gettid() << 40;
		}
		t->random[0] |= 1;
		t->random_epoch = epoch;
	}
	a = t->random[0];
	b = t->random[1];
	sum = a + b;
	b ^= a;
	t->random[0] = (a << 24 | a >> 40) ^ b ^ (b << 16);
	t->random[1] = b << 37 | b >> 27;
	sum = (sum ^ sum >> 32) * UINT64_C(0x9E3779B97F4A7C15);
	sum ^= sum >> 29;
	return sum ? sum : 1;
}

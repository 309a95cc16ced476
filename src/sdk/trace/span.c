/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pool of span slots, the lists of spans of threads, start and end of spans, and start and stop
 * of the tracer.
 */
#include "sdk/trace/span.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "sdk/hook/guest.h"
#include "sdk/trace/span_attributes.h"
#include "sdk/trace/span_encode.h"
#include "sdk/trace/span_slot.h"
#include "sdk/trace/span_w3c.h"

struct tracer tracer;

static const struct span_ids no_ids;

/* OTLP's span flags: it is known whether the parent is remote, and the parent is remote. */
enum { PARENT_HERE = 0x100, PARENT_ELSEWHERE = 0x300 };

/* -- the pool ---------------------------------------------------------------------------------- */

/*
 * Return a slot that was never used, or NULL. So memory is touched only for as many spans as run at
 * a time.
 */
static struct span_slot *fresh_slot(void)
{
	uint32_t number = atomic_load_explicit(&tracer.fresh, memory_order_relaxed);
	struct span_slot *s;

	do {
		if (number >= tracer.slot_count)
			return NULL;
	} while (!atomic_compare_exchange_weak_explicit(
		&tracer.fresh, &number, number + 1, memory_order_relaxed, memory_order_relaxed));
	s = &tracer.slots[number];
	atomic_store_explicit(&s->state, tracer.fresh_state, memory_order_relaxed);
	return s;
}

/* Return a slot from the free list, or a fresh one; NULL: all are in use. */
static struct span_slot *alloc_slot(void)
{
	uint64_t head = atomic_load_explicit(&tracer.free_list, memory_order_acquire), next;
	struct span_slot *s;

	do {
		uint32_t number = (uint32_t)head;

		if (!number)
			return fresh_slot();
		s = &tracer.slots[number - 1];
		next = ((head >> 32) + 1) << 32 |
		       atomic_load_explicit(&s->next_free, memory_order_relaxed);
	} while (!atomic_compare_exchange_weak_explicit(
		&tracer.free_list, &head, next, memory_order_acquire, memory_order_acquire));
	return s;
}

/* Free a slot to which only the caller refers. Its handles become stale. */
static void free_slot(struct span_slot *s)
{
	uint64_t generation =
		(atomic_load_explicit(&s->state, memory_order_relaxed) >> SPAN_STATE_BITS) + 1;
	uint64_t head, next;

	span_fields_end(s);
	atomic_store_explicit(&s->state, generation << SPAN_STATE_BITS, memory_order_relaxed);
	head = atomic_load_explicit(&tracer.free_list, memory_order_relaxed);
	do {
		atomic_store_explicit(&s->next_free, (uint32_t)head, memory_order_relaxed);
		next = ((head >> 32) + 1) << 32 | ((uint32_t)(s - tracer.slots) + 1);
	} while (!atomic_compare_exchange_weak_explicit(
		&tracer.free_list, &head, next, memory_order_release, memory_order_relaxed));
}

static struct varve_span *handle_of(const struct span_slot *s)
{
	uint64_t generation =
		atomic_load_explicit(&s->state, memory_order_relaxed) >> SPAN_STATE_BITS;

	return (struct varve_span *)(uintptr_t)(generation << 16 |
						((uint64_t)(s - tracer.slots) + 1));
}

struct span_slot *span_lock(const struct varve_span *handle)
{
	uint64_t value = (uint64_t)(uintptr_t)handle, generation = value >> 16, state;
	uint32_t number = (uint32_t)value & 0xffff;
	struct span_slot *s;

	if (!number || number > tracer.slot_count)
		return NULL;
	s = &tracer.slots[number - 1];
	state = atomic_load_explicit(&s->state, memory_order_acquire);
	for (;;) {
		if ((state >> SPAN_STATE_BITS & 0xffffffffffff) != generation ||
		    !(state & SPAN_RUNNING))
			return NULL;
		if (state & SPAN_BUSY) {
			sched_yield(); /* another thread holds it for a few nanoseconds */
			state = atomic_load_explicit(&s->state, memory_order_acquire);
		} else if (atomic_compare_exchange_weak_explicit(
				   &s->state, &state, state | SPAN_BUSY, memory_order_acquire,
				   memory_order_acquire)) {
			return s;
		}
	}
}

void span_unlock(struct span_slot *s)
{
	atomic_fetch_and_explicit(&s->state, ~(uint64_t)SPAN_BUSY, memory_order_release);
}

/* -- a thread's list of spans ------------------------------------------------------------------ */

static void link_slot(struct span_thread *t, struct span_slot *s)
{
	s->owner = t;
	s->below = t->top;
	atomic_signal_fence(memory_order_seq_cst); /* a hook may walk the list at any time */
	t->top = (uint32_t)(s - tracer.slots) + 1;
	if (unlikely(s->wanted))
		atomic_store_explicit(&t->wanted, t->wanted + 1, memory_order_relaxed);
}

/*
 * Unlink a slot from the list of its thread, which is the calling one, and make current what was
 * current before it.
 */
static void unlink_slot(struct span_thread *t, struct span_slot *s)
{
	uint32_t number = (uint32_t)(s - tracer.slots) + 1, at = t->top;

	if (!memcmp(&t->context, &s->ids, sizeof(s->ids)))
		span_make_current(t, &s->previous, s->previous_flags, s->previous_state,
				  s->previous_state_size);
	if (unlikely(s->wanted))
		atomic_store_explicit(&t->wanted, t->wanted - 1, memory_order_relaxed);
	if (likely(at == number)) {
		t->top = s->below;
		return;
	}
	while (at) { /* spans started later still run and will restore `previous` */
		struct span_slot *above = &tracer.slots[at - 1];

		if (!memcmp(&above->previous, &s->ids, sizeof(s->ids))) {
			above->previous = s->previous;
			above->previous_flags = s->previous_flags;
			above->previous_state_size = s->previous_state_size;
			memcpy(above->previous_state, s->previous_state, s->previous_state_size);
		}
		at = above->below;
		if (at == number) {
			above->below = s->below;
			return;
		}
	}
}

void span_unlink_ended(struct span_thread *t)
{
	uint32_t at = t->top, below;

	atomic_store(&t->ended_elsewhere, 0);
	for (; at; at = below) {
		struct span_slot *s = &tracer.slots[at - 1];

		below = s->below;
		if (atomic_load_explicit(&s->state, memory_order_acquire) &
		    (SPAN_RUNNING | SPAN_BUSY))
			continue;
		unlink_slot(t, s);
		free_slot(s);
	}
}

void span_detach_all(struct span_thread *t)
{
	uint32_t at = t->top, below;

	for (; at; at = below) {
		struct span_slot *s = &tracer.slots[at - 1];

		below = s->below;
		if (!(atomic_fetch_and(&s->state, ~(uint64_t)SPAN_LINKED) & SPAN_RUNNING))
			free_slot(s);
	}
	t->top = 0;
}

/* -- begin ------------------------------------------------------------------------------------- */

/* The parent of a new span. */
struct parent {
	struct span_ids ids; /* zero: none */
	uint8_t flags;
	uint32_t remote;
	const char *state;
	uint16_t state_size;
};

static struct parent parent_on_thread(const struct span_thread *t)
{
	struct parent p = {.flags = t->context.trace_flags,
			   .remote = PARENT_HERE,
			   .state = t->trace_state,
			   .state_size = t->state_size};

	if (t->context.valid)
		memcpy(&p.ids, &t->context, sizeof(p.ids));
	return p;
}

static bool has_span_id(const struct span_ids *ids)
{
	return memcmp(ids->span_id, no_ids.span_id, sizeof(no_ids.span_id)) != 0;
}

static bool sampled_by_ratio(const struct span_ids *ids)
{
	uint64_t low;

	memcpy(&low, ids->trace_id + 8, sizeof(low));
	return __builtin_bswap64(low) >> 1 < tracer.ratio_bound;
}

static bool is_sampled(const struct parent *p, const struct span_ids *ids)
{
	bool has_parent = has_span_id(&p->ids), parent_says = p->flags & 1;

	switch (tracer.o.sampler) {
	case VARVE_SAMPLER_ALWAYS_ON:
		return true;
	case VARVE_SAMPLER_ALWAYS_OFF:
		return false;
	case VARVE_SAMPLER_RATIO:
		return sampled_by_ratio(ids);
	case VARVE_SAMPLER_PARENT_ALWAYS_OFF:
		return has_parent && parent_says;
	case VARVE_SAMPLER_PARENT_RATIO:
		return has_parent ? parent_says : sampled_by_ratio(ids);
	default:
		return !has_parent || parent_says;
	}
}

static void make_ids(struct span_thread *t, struct span_slot *s, const struct parent *p)
{
	uint64_t part = span_random(t);

	memcpy(s->ids.span_id, &part, 8);
	s->has_parent = has_span_id(&p->ids);
	if (s->has_parent) {
		memcpy(s->ids.trace_id, p->ids.trace_id, 16);
		memcpy(s->parent_id, p->ids.span_id, 8);
		return;
	}
	part = span_random(t);
	memcpy(s->ids.trace_id, &part, 8);
	part = span_random(t);
	memcpy(s->ids.trace_id + 8, &part, 8);
}

/* Save what is current on the thread, to be restored at the end of the span. */
static void save_previous(struct span_slot *s, const struct span_thread *t)
{
	s->previous = no_ids;
	s->previous_flags = 0;
	s->previous_state_size = 0;
	if (!t->context.valid)
		return;
	memcpy(&s->previous, &t->context, sizeof(s->previous));
	s->previous_flags = t->context.trace_flags;
	if (unlikely(t->state_size)) {
		memcpy(s->previous_state, t->trace_state, t->state_size);
		s->previous_state_size = t->state_size;
	}
}

static struct varve_span *start_span(struct span_thread *t, const char *name,
				     enum varve_span_kind kind, const struct parent *p)
{
	struct span_slot *s = alloc_slot();
	struct str text = str_of(name ? name : "", name ? strnlen(name, SPAN_NAME_MAX) : 0);
	bool sampled;

	if (unlikely(!s)) {
		atomic_fetch_add_explicit(&tracer.lost, 1, memory_order_relaxed);
		return NULL;
	}
	make_ids(t, s, p);
	sampled = is_sampled(p, &s->ids);
	s->flags = (uint8_t)((p->flags & ~1) | sampled);
	s->kind = (uint8_t)kind;
	s->remote = s->has_parent ? p->remote : 0;
	s->recorded = sampled && tracer.o.export;
	s->failed = false;
	s->wanted = unlikely(tracer.only_name[0]) && str_eq(text, str_from(tracer.only_name));
	s->state_size = s->has_parent ? p->state_size : 0;
	if (unlikely(s->state_size))
		memcpy(s->trace_state, p->state, s->state_size);
	save_previous(s, t);
	span_fields_begin(s, text);
	s->cpu_start_ns = tracer.o.records ? clock_read_ns(CLOCK_THREAD_CPUTIME_ID) : 0;
	s->start_ns = clock_monotonic_ns();
	atomic_fetch_or_explicit(&s->state, SPAN_RUNNING | SPAN_LINKED, memory_order_release);
	link_slot(t, s);
	span_make_current(t, &s->ids, s->flags, s->trace_state, s->state_size);
	return handle_of(s);
}

struct varve_span *varve_span_start(const char *name, const char *traceparent)
{
	struct span_thread *t = span_enter();
	struct varve_span *span;
	struct parent p = {0};

	if (!t)
		return NULL;
	if (traceparent && !traceparent_parse(traceparent, &p.ids, &p.flags))
		p.remote = PARENT_ELSEWHERE;
	else
		p = parent_on_thread(t);
	span = start_span(t, name, VARVE_SPAN_INTERNAL, &p);
	span_leave(t);
	return span;
}

struct varve_span *varve_span_start_with(const char *name, enum varve_span_kind kind,
					 const struct varve_context *parent)
{
	struct span_thread *t = span_enter();
	struct varve_span *span;
	struct parent p = {0};

	if (!t)
		return NULL;
	if (parent) {
		memcpy(p.ids.trace_id, parent->trace_id, 16);
		memcpy(p.ids.span_id, parent->span_id, 8);
		p.flags = parent->flags;
		p.state = parent->trace_state;
		p.state_size = (uint16_t)strnlen(parent->trace_state, SPAN_STATE_MAX);
	}
	span = start_span(t, name, kind, &p);
	span_leave(t);
	return span;
}

struct varve_span *varve_span_current(void)
{
	struct span_thread *t = span_enter();
	struct varve_span *span = NULL;

	if (!t)
		return NULL;
	for (uint32_t at = span_has_ids(t) ? t->top : 0; at && !span;) {
		const struct span_slot *s = &tracer.slots[at - 1];

		if (!memcmp(&t->context, &s->ids, sizeof(s->ids)) &&
		    atomic_load_explicit(&s->state, memory_order_acquire) & SPAN_RUNNING)
			span = handle_of(s);
		at = s->below;
	}
	span_leave(t);
	return span;
}

/* -- end --------------------------------------------------------------------------------------- */

/*
 * Put a record of the span's end into the ring, for the collector to keep or drop the span's
 * samples.
 */
static void record_span_end(const struct span_thread *t, const struct span_slot *s, uint64_t end_ns)
{
	bool here = s->owner == t;
	uint64_t cpu_ns = here ? clock_read_ns(CLOCK_THREAD_CPUTIME_ID) - s->cpu_start_ns : 0;
	struct guest_thread *g = guest_enter();
	struct record r = {.kind = RECORD_SPAN_END,
			   .flags = s->failed ? RECORD_FAILED : 0,
			   .time_ns = end_ns,
			   .value = (int64_t)(end_ns - s->start_ns),
			   .weight = (int64_t)cpu_ns};

	if (!g)
		return;
	r.tid = (uint32_t)atomic_load_explicit(&g->tid, memory_order_relaxed);
	memcpy(r.trace_id, s->ids.trace_id, 16);
	memcpy(r.span_id, s->ids.span_id, 8);
	if (s->has_parent && s->remote == PARENT_HERE) {
		memcpy(&r.stack, s->parent_id, 4);
		memcpy(&r.labels, s->parent_id + 4, 4);
	}
	guest_put_record(&r);
	guest_leave(g);
}

void varve_span_end(struct varve_span *span)
{
	struct span_thread *t = span ? span_enter() : NULL, *owner;
	struct span_slot *s;
	uint64_t end_ns, state;
	bool here;

	if (!t)
		return;
	s = span_lock(span);
	if (!s) {
		span_leave(t);
		return;
	}
	end_ns = clock_monotonic_ns();
	if (s->recorded && !span_encode(s, end_ns))
		atomic_fetch_add_explicit(&tracer.lost, 1, memory_order_relaxed);
	if (unlikely(tracer.o.records))
		record_span_end(t, s, end_ns);
	owner = s->owner;
	here = owner == t && (atomic_load_explicit(&s->state, memory_order_relaxed) & SPAN_LINKED);
	if (likely(here)) {
		/* This thread's and busy: no other thread accesses it. */
		unlink_slot(t, s);
		free_slot(s);
	} else {
		state = atomic_fetch_and(&s->state, ~(uint64_t)(SPAN_RUNNING | SPAN_BUSY));
		if (state & SPAN_LINKED)
			atomic_fetch_add(&owner->ended_elsewhere, 1); /* the owner unlinks it */
		else
			free_slot(s);
	}
	span_leave(t);
}

/* -- start and stop ---------------------------------------------------------------------------- */

/* Reset the pool. `base` makes generations of this start differ from those of earlier ones. */
static void free_all_slots(uint32_t base)
{
	tracer.fresh_state = (uint64_t)base << (24 + SPAN_STATE_BITS);
	atomic_store(&tracer.fresh, 0);
	atomic_store(&tracer.free_list, 0);
}

static void *map_memory(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static void unmap_memory(void *p, size_t size)
{
	if (p)
		munmap(p, size);
}

static void free_tracer_memory(void)
{
	for (uint32_t i = 0; tracer.slots && i < atomic_load(&tracer.fresh); i++)
		span_fields_end(&tracer.slots[i]);
	unmap_memory(tracer.slots, tracer.slot_count * sizeof(*tracer.slots));
	record_buffer_fini(&tracer.buffer);
	tracer.slots = NULL;
}

static int alloc_memory(size_t max_bytes)
{
	int rc = record_buffer_init(&tracer.buffer, max_bytes ? max_bytes : 4 * MIB);

	tracer.slots = map_memory(tracer.slot_count * sizeof(*tracer.slots));
	return tracer.slots ? rc : -ENOMEM;
}

static void set_sampling(const struct tracer_options *o)
{
	double ratio = o->ratio < 0 ? 0 : o->ratio > 1 ? 1 : o->ratio;

	tracer.o = *o;
	atomic_store(&tracer.publish, o->publish);
	tracer.ratio_bound = ratio >= 1 ? UINT64_C(1) << 63 : (uint64_t)(ratio * 0x1p63);
	tracer.only_name[0] = 0;
	if (o->only_name) {
		size_t n = strnlen(o->only_name, sizeof(tracer.only_name) - 1);

		memcpy(tracer.only_name, o->only_name, n);
		tracer.only_name[n] = 0;
	}
	tracer.o.only_name = NULL;
}

void tracer_register_membarrier(void)
{
	if (!syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0))
		atomic_store(&tracer.fences, false);
}

int tracer_start(const struct tracer_options *o, struct err *e)
{
	enum { SPANS_MAX = 65535, SPANS = 4096 };
	uint32_t epoch;

	if (atomic_load(&tracer.on))
		return err_set(e, -EALREADY, "the tracer is already running");
	set_sampling(o);
	tracer.slot_count = !o->max_spans	       ? SPANS
			    : o->max_spans > SPANS_MAX ? SPANS_MAX
						       : o->max_spans;
	if (alloc_memory(o->max_bytes)) {
		free_tracer_memory();
		return err_errno(e, -ENOMEM, "start the tracer");
	}
	atomic_store(&tracer.fences, true);
	if (__libc_single_threaded)
		tracer_register_membarrier();
	epoch = atomic_fetch_add(&tracer.epoch, 1) + 1;
	free_all_slots(epoch & 0xffff);
	atomic_store(&tracer.ended, 0);
	atomic_store(&tracer.lost, 0);
	atomic_store(&tracer.unix_offset_ns, clock_realtime_ns() - clock_monotonic_ns());
	atomic_store(&tracer.on, true);
	return 0;
}

void tracer_stop(void)
{
	if (!atomic_exchange(&tracer.on, false))
		return;
	span_threads_quiesce();
	span_threads_clear();
	tracer.only_name[0] = 0;
	free_tracer_memory();
}

/*
 * In a forked child: keep a running span of the forking thread. It is exported by the parent. Its
 * fields are dropped, because another thread may have been changing them.
 */
static void retain_slot_in_child(struct span_slot *s)
{
	s->recorded = false;
	s->fields = s->inside;
	s->capacity = sizeof(s->inside);
	s->size = 0;
	atomic_fetch_and(&s->state, ~(uint64_t)SPAN_BUSY);
}

void tracer_forked(void)
{
	struct span_thread *t;
	uint32_t epoch;

	if (!atomic_load(&tracer.on))
		return;
	epoch = atomic_fetch_add(&tracer.epoch, 1) + 1;
	t = span_threads_forked(epoch);
	atomic_store(&tracer.free_list, 0);
	/* only slots that were used: the others are untouched memory */
	for (uint32_t i = 0; i < atomic_load(&tracer.fresh); i++) {
		struct span_slot *s = &tracer.slots[i];
		uint64_t state = atomic_load(&s->state);

		if (t && s->owner == t &&
		    (state & (SPAN_RUNNING | SPAN_LINKED)) == (SPAN_RUNNING | SPAN_LINKED)) {
			retain_slot_in_child(s);
			continue;
		}
		s->fields = NULL; /* another thread may have been growing it */
		free_slot(s);
	}
	record_buffer_clear(&tracer.buffer);
	atomic_store(&tracer.ended, 0);
	atomic_store(&tracer.lost, 0);
}

void tracer_counters(uint64_t *spans, uint64_t *lost)
{
	*spans = atomic_load(&tracer.ended);
	*lost = atomic_load(&tracer.lost);
}

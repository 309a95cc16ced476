/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_TRACE_SPAN_THREAD_H
#define VARVE_SDK_TRACE_SPAN_THREAD_H

#include <stdatomic.h>
#include <string.h>

#include "base/base.h"
#include "varve/varve.h"

/*
 * The tracer's state of a thread: what is current on it, and the spans that it has started and that
 * have not ended, the innermost first. The memory is never unmapped. A span that another thread
 * ends stays in the list until its own thread unlinks it.
 *
 * The current span is in a `struct thread_context`, the record of OTEP 4947 that host profilers
 * read; hooks copy the ids from it. To make a span current takes a few stores with compiler fences
 * between them.
 *
 * Stopping: a thread inside a function of the tracer has `inside` > 0. tracer_stop() turns the
 * tracer off, makes this visible to all threads by membarrier() and waits until no thread is
 * inside; so entering costs two plain stores.
 */

enum {
	SPAN_ATTRIBUTES_BYTES = 612,
	SPAN_STATE_MAX = 512, /* bytes of a tracestate */
};

/* The record of OTEP 4947, to which the TLS symbol otel_thread_ctx_v1 points. */
struct thread_context {
	uint8_t trace_id[16], span_id[8];
	uint8_t valid, trace_flags;
	uint16_t attributes_size;
	uint8_t attributes[SPAN_ATTRIBUTES_BYTES];
} __attribute__((packed, aligned(8)));

struct span_ids {
	uint8_t trace_id[16], span_id[8];
};

struct span_thread {
	struct thread_context context; /* what is current, for hooks and host profilers */
	_Atomic uint32_t inside;
	_Atomic uint32_t ended_elsewhere; /* linked spans that another thread has ended */
	uint32_t epoch;			  /* tracer.epoch to which `top` belongs */
	uint32_t top;		 /* slot number + 1 of the innermost span started here; 0: none */
	_Atomic uint32_t wanted; /* running spans of the name tracer_options.only_name */
	_Atomic bool used;
	uint64_t random[2];
	uint32_t random_epoch;
	uint16_t state_size;
	char trace_state[SPAN_STATE_MAX + 1];
	struct span_thread *next; /* in the list of all */
};

/* -- for hooks and the rest of sdk/ ------------------------------------------------------------ */

/* Copy the current ids of this thread. False, and zeros, when there are none. Hook-safe. */
bool span_current_ids(uint8_t trace_id[16], uint8_t span_id[8]);

/* The same, but false unless the span is sampled. Hook-safe. */
bool span_current_sampled_ids(uint8_t trace_id[16], uint8_t span_id[8]);

/*
 * The same for another thread, which sleeps. `record` is that thread's span_thread_record(), or
 * NULL; it stays readable.
 */
bool span_ids_of(const void *record, uint8_t trace_id[16], uint8_t span_id[8]);

/* Return the record of this thread; NULL: none yet. Hook-safe. */
const void *span_thread_record(void);

/*
 * May samples of this thread be kept? False when only_name is set and no span of that name runs
 * here. Hook-safe.
 */
bool span_wants_samples(void);

/*
 * Replace the attributes that host profilers see: {u8 key, u8 length, value}* as in OTEP 4947,
 * where a key is an index into the process context's threadlocal.attribute_key_map. No effect while
 * the tracer is off.
 */
void span_set_attributes(const void *bytes, size_t n);

/* -- for the tracer ---------------------------------------------------------------------------- */

/*
 * Enter the tracer: return this thread's record, or NULL when the tracer is off. Unless NULL, call
 * span_leave().
 */
struct span_thread *span_enter(void);
static inline void span_leave(struct span_thread *t)
{
	atomic_store_explicit(&t->inside,
			      atomic_load_explicit(&t->inside, memory_order_relaxed) - 1,
			      memory_order_release);
}

/* Wait until no thread is inside the tracer, which is off. */
void span_threads_quiesce(void);

/* Clear what is current on all threads. No thread is inside. */
void span_threads_clear(void);

/*
 * In a forked child: free the records of all other threads. Return the record of this thread, moved
 * on to the new epoch, or NULL.
 */
struct span_thread *span_threads_forked(uint32_t epoch);

/* Make ids (zero: none) and tracestate current on this thread. */
void span_make_current(struct span_thread *t, const struct span_ids *ids, uint8_t flags,
		       const char *state, uint16_t state_size);

/*
 * Is a span or context current on this thread? `valid` does not tell, because labels alone make a
 * record valid.
 */
static inline bool span_has_ids(const struct span_thread *t)
{
	uint64_t id;

	memcpy(&id, t->context.span_id, sizeof(id));
	return id != 0;
}

/* Return 64 random bits of this thread; not zero. */
uint64_t span_random(struct span_thread *t);

#endif

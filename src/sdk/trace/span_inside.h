/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_TRACE_SPAN_INSIDE_H
#define VARVE_SDK_TRACE_SPAN_INSIDE_H

#include <stdatomic.h>
#include <string.h>

#include "sdk/trace/span.h"

/*
 * The tracer's insides; only span*.c know them.
 *
 * A **slot** holds a span that runs. What the user has is no pointer but a handle: the slot's number and its generation, so that a
 * span that was ended already, or that belongs to a library that was stopped, is noticed and nothing happens. One word of the slot
 * holds generation and state; whoever changes the slot has set SPAN_BUSY in it.
 *
 * A **span_thread** is what a thread of the host has: what is current on it, and the spans that it has begun and not ended, the
 * innermost first. Its memory is never unmapped. A span that another thread ends stays in that list until its own thread looks.
 *
 * Stopping: a thread that is inside a function of the tracer says so in its span_thread. tracer_stop() turns the tracer off, makes
 * all threads see it (membarrier) and waits until nobody is inside; so being inside costs two plain stores.
 */

enum {
	SPAN_RUNNING = 1, /* not ended */
	SPAN_LINKED = 2,  /* in its thread's list */
	SPAN_BUSY = 4,	  /* somebody writes to it */
	SPAN_STATE_BITS = 8,
};

enum {
	SPAN_ATTRIBUTES_MAX = 128, /* OTel's limits */
	SPAN_EVENTS_MAX = 128,
	SPAN_LINKS_MAX = 128,
	SPAN_TEXT_MAX = 4096,	    /* a value, a message */
	SPAN_NAME_MAX = 256,	    /* a name, a key */
	SPAN_FIELDS_MAX = 64 << 10, /* all of them, encoded */
	SPAN_FIELDS_INSIDE = 448,
	SPAN_STATE_MAX = 512,
};

struct span_ids {
	uint8_t trace_id[16], span_id[8];
};

struct span_thread {
	struct thread_context context; /* what is current, for hooks and host profilers */
	_Atomic uint32_t inside;
	_Atomic uint32_t zombies; /* spans of this thread that another one has ended */
	uint32_t epoch;		  /* of the tracer that `top` belongs to */
	uint32_t top;		  /* number + 1 of the innermost span begun here; 0: none */
	_Atomic uint32_t wanted;  /* running spans of the name that is to be profiled */
	_Atomic bool used;
	uint64_t random[2];
	uint32_t random_epoch;
	uint16_t state_size;
	char trace_state[SPAN_STATE_MAX + 1];
	struct span_thread *next; /* of all there are */
};

struct span_slot {
	_Atomic uint64_t state; /* generation << SPAN_STATE_BITS | bits */
	_Atomic uint32_t next_free;
	uint32_t below; /* number + 1 of the next in its thread's list; that thread only */
	struct span_thread *owner;
	struct span_ids ids, previous;
	uint8_t parent_id[8];
	uint64_t start_ns, cpu_start_ns;
	uint32_t remote; /* bits 8 and 9 of OTLP's flags */
	uint8_t flags, previous_flags, kind;
	bool recorded, wanted, failed, has_parent;
	uint16_t attributes, events, links;
	uint16_t lost_attributes, lost_events, lost_links;
	uint32_t size, capacity; /* of the encoded fields */
	uint8_t *fields;	 /* `inside`, or allocated */
	uint16_t state_size, previous_state_size;
	uint8_t inside[SPAN_FIELDS_INSIDE];
	char trace_state[SPAN_STATE_MAX + 1], previous_state[SPAN_STATE_MAX + 1];
};

/* Ended spans, encoded one after the other. Written by many without a lock: room is taken by compare-and-swap. */
struct span_buffer {
	_Atomic uint64_t reserved; /* the highest bit: closed */
	_Atomic uint64_t written;
	uint8_t *data;
};

struct tracer {
	_Atomic bool on;
	_Atomic uint32_t epoch; /* grows with each start and in each forked child */
	_Atomic bool fences;	/* no membarrier() here (yet): threads have to fence */
	_Atomic bool publish;	/* o.publish, for threads that are not inside yet */
	struct tracer_options o;
	char only_name[SPAN_NAME_MAX];
	uint64_t ratio_bound;
	struct span_slot *slots;
	uint32_t slot_count;
	_Atomic uint64_t free_list; /* tag << 32 | number + 1 */
	_Atomic uint32_t fresh;	    /* slots from here on were never used */
	uint64_t fresh_state;
	struct span_buffer buffers[2];
	size_t buffer_size;
	_Atomic uint32_t active;
	_Atomic uint64_t unix_offset_ns; /* realtime - monotonic */
	_Atomic uint64_t ended, lost;
};
extern struct tracer tracer;

/* Go inside: this thread's record, or NULL when the tracer does not run. span_leave() if it was not NULL. */
struct span_thread *span_enter(void);
static inline void span_leave(struct span_thread *t)
{
	atomic_store_explicit(&t->inside,
			      atomic_load_explicit(&t->inside, memory_order_relaxed) - 1,
			      memory_order_release);
}

/* Wait until no thread is inside. The tracer is off already. */
void span_threads_quiesce(void);
/* In a forked child: only this thread is left. Its record, which goes on in the new epoch; NULL: it has none. */
struct span_thread *span_threads_forked(uint32_t epoch);
/* Take from all threads what is current. Nobody is inside. */
void span_threads_clear(void);

/* Make ids (zero: none) and trace state current. This thread only. */
void span_make_current(struct span_thread *t, const struct span_ids *ids, uint8_t flags,
		       const char *state, uint16_t state_size);

/* Is a span or a context current? A record without is valid when it has labels. This thread only. */
static inline bool span_has_ids(const struct span_thread *t)
{
	uint64_t id;

	memcpy(&id, t->context.span_id, sizeof(id));
	return id != 0;
}

/* 64 random bits of this thread; not zero. */
uint64_t span_random(struct span_thread *t);

/* Take spans that others have ended out of this thread's list. */
void span_sweep(struct span_thread *t);

/* This thread ends: its spans are nobody's now. */
void span_orphan(struct span_thread *t);

/* Append a field to the encoded ones: `tag` (one byte), length, and room for `n` bytes, which the caller fills. NULL: no room. */
uint8_t *span_field(struct span_slot *s, uint8_t tag, size_t n);

/* Encode the span that has ended at `end_ns` into the buffer. False: full. */
bool span_encode(struct span_slot *s, uint64_t end_ns);

/* Lay the slot out anew, with its name. */
void span_fields_begin(struct span_slot *s, struct str name);
void span_fields_end(struct span_slot *s);

/* The slot of a handle with SPAN_BUSY set, or NULL when it does not run any more; span_unlock() gives it back. Inside only. */
struct span_slot *span_lock(const struct varve_span *handle);
void span_unlock(struct span_slot *s);

/* W3C trace context, strict (span_w3c.c). */
MUST_USE int traceparent_parse(const char *text, struct span_ids *ids, uint8_t *flags);
void traceparent_format(char out[VARVE_TRACEPARENT_SIZE], const struct span_ids *ids,
			uint8_t flags);
/* Is it a tracestate that may be passed on? Its length, or 0. */
size_t tracestate_check(const char *text);

#endif

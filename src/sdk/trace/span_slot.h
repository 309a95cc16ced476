/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_TRACE_SPAN_SLOT_H
#define VARVE_SDK_TRACE_SPAN_SLOT_H

#include "sdk/export/record_buffer.h"
#include "sdk/trace/span.h"
#include "sdk/trace/span_thread.h"

/*
 * Private to span*.c: the tracer's global state, and the functions of span.c on slots.
 *
 * A **slot** holds a running span. Users have no pointer to it but a handle: the slot's number and
 * generation. So a handle of a span that has already ended, or of a library that was stopped, is
 * recognized and ignored. One word of the slot holds generation and state bits; a thread that
 * changes the slot has set SPAN_BUSY in it.
 */

enum {
	SPAN_RUNNING = 1, /* has not ended */
	SPAN_LINKED = 2,  /* in its thread's list */
	SPAN_BUSY = 4,	  /* locked by a thread that changes it */
	SPAN_STATE_BITS = 8,
};

enum {
	/* OpenTelemetry's limits */
	SPAN_ATTRIBUTES_MAX = 128,
	SPAN_EVENTS_MAX = 128,
	SPAN_LINKS_MAX = 128,
	SPAN_TEXT_MAX = 4096,	    /* bytes of a value or message */
	SPAN_NAME_MAX = 256,	    /* bytes of a name or key */
	SPAN_FIELDS_MAX = 64 << 10, /* bytes of all encoded fields */
	SPAN_FIELDS_INSIDE = 448,
};

struct span_slot {
	_Atomic uint64_t state; /* generation << SPAN_STATE_BITS | bits */
	_Atomic uint32_t next_free;
	uint32_t below; /* slot number + 1 of the next in its thread's list; that thread only */
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

struct tracer {
	_Atomic bool on;
	_Atomic uint32_t epoch; /* incremented by each start and in each forked child */
	_Atomic bool fences;	/* membarrier() is not registered: threads need a fence to enter */
	_Atomic bool publish;	/* o.publish, readable before a thread has entered */
	struct tracer_options o;
	char only_name[SPAN_NAME_MAX];
	uint64_t ratio_bound;
	struct span_slot *slots;
	uint32_t slot_count;
	_Atomic uint64_t free_list; /* tag << 32 | number + 1 */
	_Atomic uint32_t fresh;	    /* slots from this number on were never used */
	uint64_t fresh_state;
	struct record_buffer buffer;	 /* of encoded ended spans */
	_Atomic uint64_t unix_offset_ns; /* realtime - monotonic */
	_Atomic uint64_t ended, lost;
};
extern struct tracer tracer;

/*
 * Return the slot of a handle with SPAN_BUSY set, or NULL when the span does not run any more.
 * span_unlock() releases it. Inside the tracer only.
 */
struct span_slot *span_lock(const struct varve_span *handle);
void span_unlock(struct span_slot *s);

/* Unlink and free the spans in this thread's list that other threads have ended. */
void span_unlink_ended(struct span_thread *t);

/*
 * At the end of this thread: unlink all its spans; those still running can be ended by other
 * threads.
 */
void span_detach_all(struct span_thread *t);

#endif

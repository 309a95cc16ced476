/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_HOOK_RECORD_H
#define VARVE_SDK_HOOK_RECORD_H

#include <stdatomic.h>

#include "base/base.h"

/*
 * Samples and events that hooks pass to the collector: fixed-size records in a bounded ring.
 */
enum record_kind {
	RECORD_CPU,   /* value: CPU nanoseconds; weight: ticks (1 + overruns) */
	RECORD_WALL,  /* value: wall nanoseconds; weight: ticks; flags: RECORD_RUNNING */
	RECORD_ALLOC, /* value: estimated bytes, weight: estimated objects in 1/65536 */
	RECORD_FREE,  /* value, weight and stack of its RECORD_ALLOC */
	RECORD_MMAP,  /* value: bytes */
	RECORD_MUNMAP,
	RECORD_BLOCK,  /* value: estimated nanoseconds waited; weight: estimated waits in 1/65536 */
	RECORD_MUTEX,  /* the same, with the stack of the unlocking thread */
	RECORD_THREAD, /* stack for a thread dump; value: number of the dump */
	RECORD_THREADCREATE,
	/*
	 * A span has ended; for conditional profiling. value: its nanoseconds; weight: its CPU
	 * nanoseconds; flags: RECORD_FAILED; stack and labels: the two halves of its local parent's
	 * span id.
	 */
	RECORD_SPAN_END,
};

enum record_flag {
	RECORD_RUNNING = 1, /* the thread was on a CPU */
	RECORD_FAILED = 2,
	RECORD_UNWANTED = 4, /* only_in_spans: taken outside of a span of that name */
};

/* 64 bytes; never larger than two cache lines. */
struct record {
	uint8_t kind, flags;
	uint16_t reserved;
	uint32_t stack; /* id: sdk/hook/stack_ids.h */
	uint32_t tid;
	uint32_t labels; /* id of a label set; 0: none */
	/* CLOCK_MONOTONIC; 0 for an allocation outside of all spans, whose time is not needed */
	uint64_t time_ns;
	int64_t value, weight;
	uint8_t trace_id[16], span_id[8]; /* zero: none */
};

/*
 * A record that one thread writes, also in its signal handlers, and another reads. The zero value
 * has none.
 */
struct shared_record {
	_Atomic uint32_t sequence; /* odd: being written */
	_Atomic uint64_t words[sizeof(struct record) / 8];
};

/* Replace the record. By one thread, not while it does so already. Hook-safe. */
void shared_record_set(struct shared_record *s, const struct record *r);

/* Copy the record. False: there is none, or it is being replaced. */
bool shared_record_get(struct shared_record *s, struct record *out);

/*
 * The ring (Vyukov's bounded queue). Any thread and signal handler produces, one thread consumes. A
 * slot is reserved by one compare-and-swap and published by its sequence number. A producer that is
 * interrupted, for example by a signal whose handler produces too, delays only the consumer, until
 * it resumes.
 */
struct record_slot {
	_Atomic uint64_t sequence;
	struct record record;
};

struct record_ring {
	/* next position to reserve; on one cache line with the other fields that producers read */
	_Alignas(64) _Atomic uint64_t head;
	uint64_t mask;
	struct record_slot *slots;  /* mapped; pages are touched when used */
	_Alignas(64) uint64_t tail; /* next position to take; consumer only */
};

/* Make a ring for `count` records. 0, -EINVAL if `count` is no power of two, or -ENOMEM. */
MUST_USE int record_ring_init(struct record_ring *r, uint32_t count);
void record_ring_fini(struct record_ring *r);

/* Append a record. False: the ring is full. Hook-safe. */
bool record_ring_put(struct record_ring *r, const struct record *in);

/*
 * Take the oldest record. False: the ring is empty, or its producer has not finished. Consumer
 * only.
 */
bool record_ring_take(struct record_ring *r, struct record *out);

/* Is the ring empty? Consumer only, or while there is none. */
bool record_ring_is_empty(struct record_ring *r);

/* Drop all records, in a forked child, where no other thread runs. */
void record_ring_clear(struct record_ring *r);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_HOOK_RECORD_H
#define VARVE_SDK_HOOK_RECORD_H

#include <stdatomic.h>

#include "base/base.h"

/* What hooks tell the collector. */
enum record_kind {
	RECORD_CPU,   /* value: CPU nanoseconds; weight: ticks (1 + overruns) */
	RECORD_WALL,  /* value: wall nanoseconds; weight: ticks; flags: RECORD_RUNNING */
	RECORD_ALLOC, /* value: estimated bytes, weight: estimated objects in 1/65536 */
	RECORD_FREE,  /* the same two numbers and stack as its RECORD_ALLOC had */
	RECORD_MMAP,  /* value: bytes; RECORD_MUNMAP takes them back */
	RECORD_MUNMAP,
	RECORD_BLOCK,  /* value: estimated nanoseconds waited; weight: estimated waits in 1/65536 */
	RECORD_MUTEX,  /* the same, with the stack of who unlocked */
	RECORD_THREAD, /* answer to a thread dump; value: its number */
	RECORD_THREADCREATE,
	RECORD_SPAN_END, /* value: nanoseconds it took, weight: CPU nanoseconds; flags: RECORD_FAILED; stack and labels: its local parent's span id; for conditional profiling */
};

enum record_flag {
	RECORD_RUNNING = 1, /* the thread was on a CPU */
	RECORD_FAILED = 2,
	RECORD_UNWANTED = 4, /* only_in_spans: taken outside of a span of that name */
};

/* 80 bytes; never larger than two cache lines. */
struct record {
	uint8_t kind, flags;
	uint16_t reserved;
	uint32_t stack; /* sdk/hook/stacks.h */
	uint32_t tid;
	uint32_t labels; /* a set of labels; 0: none */
	uint64_t
		time_ns; /* CLOCK_MONOTONIC; 0: of an allocation outside of all spans, when nobody wants to know */
	int64_t value, weight;
	uint8_t trace_id[16], span_id[8]; /* zero: none */
};

/*
 * A bounded ring of records: any thread and any signal handler puts, one thread takes. A slot is reserved by one
 * compare-and-swap and published by its sequence number, so that a producer that is interrupted (by a signal whose handler
 * puts too) holds up nobody but the taker, and only until it goes on. (Vyukov's bounded queue.)
 */
struct record_slot {
	_Atomic uint64_t sequence;
	struct record record;
};

struct record_ring {
	_Alignas(64) _Atomic uint64_t
		head; /* next to reserve; on one cache line with what else producers need */
	uint64_t mask;
	struct record_slot *slots;  /* mapped, lazily touched */
	_Alignas(64) uint64_t tail; /* next to take; the taker's */
};

/* Room for `count` records, a power of two. 0 or -ENOMEM. */
MUST_USE int record_ring_init(struct record_ring *r, uint32_t count);
void record_ring_fini(struct record_ring *r);

/* Hook-safe. False: full. */
bool record_ring_put(struct record_ring *r, const struct record *in);

/* False: nothing there. One thread. */
bool record_ring_take(struct record_ring *r, struct record *out);

/* Is there nothing to take? One thread, or while nobody takes. */
bool record_ring_is_empty(struct record_ring *r);

/* Forget all, in a forked child, where nobody else runs. */
void record_ring_clear(struct record_ring *r);

#endif

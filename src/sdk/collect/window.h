/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_COLLECT_WINDOW_H
#define VARVE_SDK_COLLECT_WINDOW_H

#include "base/arena.h"
#include "base/container/vec.h"
#include "sdk/hook/record.h"
#include "varve/varve.h"

/*
 * Aggregates records over a span of time: those of the same kind, stack, span and labels are one
 * entry. Guarded by the collector's mutex.
 */
struct window_entry {
	uint8_t kind, flags;
	uint32_t stack, labels;
	uint32_t tid; /* for thread dumps, else 0 */
	uint8_t trace_id[16], span_id[8];
	int64_t value, weight; /* sums of the records' */
	uint32_t last_time;    /* index + 1 in `times` of the last; head of a list */
	uint32_t time_count;
};

/* One observation: CPU and wall samples keep their timestamps. */
struct window_time {
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	int64_t value;
	uint32_t previous; /* index + 1 of the same entry's previous one; 0: none */
};

/* The stack of samples above the limit of entries whose leaf is not kept either. */
#define STACK_OTHER UINT32_MAX

enum { WINDOW_KINDS = 16 }; /* upper bound of record kinds */

struct window {
	struct window *next;
	unsigned kinds;	   /* bits of enum varve_profile */
	uint32_t only_tid; /* records of this thread only; 0: of all */
	/*
	 * Limit of entries of each record kind. Samples above it are added without span and labels,
	 * if needed with the stack truncated towards the leaf.
	 */
	uint32_t max_samples;
	uint32_t counts[WINDOW_KINDS]; /* entries of each kind */
	uint64_t start_ns, start_unix_ns;
	uint64_t end_ns; /* 0: still open */
	struct arena arena;
	VEC(struct window_entry) entries;
	VEC(struct window_time) times;
	uint32_t *slots; /* index + 1 into entries */
	uint32_t slot_mask;
	uint64_t samples, over; /* records added; records above the limit */
};

MUST_USE int window_init(struct window *w, unsigned kinds, uint32_t max_samples,
			 struct budget *budget);
void window_fini(struct window *w);

/* Start over, keeping the memory. Return 0 or -ENOMEM. */
MUST_USE int window_reset(struct window *w);

/* Return the profile that a record kind belongs to; 0: none. */
enum varve_profile window_kind_of(enum record_kind kind);

/* Add a record, if its kind is in the window. Without memory it is counted in `over`. */
void window_add(struct window *w, const struct record *r);

/* Replace all stack ids. */
void window_renew_stacks(struct window *w, uint32_t (*renew)(uint32_t stack));

#endif

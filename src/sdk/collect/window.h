/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_COLLECT_WINDOW_H
#define VARVE_SDK_COLLECT_WINDOW_H

#include "base/arena.h"
#include "base/container/vec.h"
#include "sdk/hook/record.h"
#include "varve/varve.h"

/*
 * Records of a stretch of time, added up: those of the same kind, stack, span and labels are one entry. Guarded by the collector's mutex.
 */
struct window_entry {
	uint8_t kind, flags;
	uint32_t stack, labels;
	uint32_t tid; /* of thread dumps; else 0 */
	uint8_t trace_id[16], span_id[8];
	int64_t value, weight; /* sums of the records' */
	uint32_t last_time;    /* of this entry in `times`, + 1: a chain backwards */
	uint32_t time_count;
};

/* One observation: CPU and wall samples keep their times. */
struct window_time {
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	int64_t value;
	uint32_t previous; /* of the same entry, + 1; 0: none */
};

/* The stack of what came over the limit of entries and has no leaf to be told by. */
#define STACK_OTHER UINT32_MAX

enum { WINDOW_KINDS = 16 }; /* of records */

struct window {
	struct window *next;
	unsigned kinds; /* bits of enum varve_profile */
	/* of each kind of record: what comes over it is added up without span and labels, its stack cut towards the leaf */
	uint32_t max_samples;
	uint32_t counts[WINDOW_KINDS]; /* entries of each kind */
	uint64_t start_ns, start_unix_ns;
	uint64_t end_ns; /* 0: still open */
	struct arena arena;
	VEC(struct window_entry) entries;
	VEC(struct window_time) times;
	uint32_t *slots; /* index + 1 into entries */
	uint32_t slot_mask;
	uint64_t samples, over; /* records added; those that came over the limit */
};

MUST_USE int window_init(struct window *w, unsigned kinds, uint32_t max_samples,
			 struct budget *budget);
void window_fini(struct window *w);

/* Begin anew, keep the memory. 0 or -ENOMEM. */
MUST_USE int window_reset(struct window *w);

/* Which profile a record belongs to. */
enum varve_profile window_kind_of(enum record_kind kind);

/* Add a record of a kind that it wants; others are ignored. When memory is out it is counted as over. */
void window_add(struct window *w, const struct record *r);

/* Give every stack another id. */
void window_renew_stacks(struct window *w, uint32_t (*renew)(uint32_t stack));

#endif

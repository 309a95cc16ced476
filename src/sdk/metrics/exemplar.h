/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_METRICS_EXEMPLAR_H
#define VARVE_SDK_METRICS_EXEMPLAR_H

#include <stdatomic.h>

#include "base/base.h"

/*
 * Exemplars: values that were recorded in a sampled span, with its ids. Each bucket of a histogram,
 * and each sum or gauge, keeps the first one of an export interval, so that recording further
 * values only reads one word. A thread that clears a bit of `wanted` owns that slot until it sets
 * the bit of `ready`; the reader takes ready slots and sets `wanted` again.
 */
enum { EXEMPLARS_MAX = 64 };

struct exemplar {
	uint64_t time_unix_ns;
	uint64_t value; /* an integer or the bits of a double, as the instrument has */
	uint8_t trace_id[16], span_id[8];
};

struct exemplars {
	_Atomic uint64_t wanted, ready;
	uint32_t count;
	struct exemplar *slots;
};

/* Which values may be exemplars: enum varve_exemplars. */
extern _Atomic unsigned exemplar_filter;

void exemplars_init(struct exemplars *x, struct exemplar *slots, uint32_t count);

/* Record the value in slot `index` if the filter allows it. Hook-safe. */
void exemplar_offer(struct exemplars *x, uint32_t index, uint64_t value);

/* The fast path: has the slot no value in this interval yet? */
static inline bool exemplar_is_wanted(const struct exemplars *x, uint32_t index)
{
	return atomic_load_explicit(&x->wanted, memory_order_relaxed) >> index & 1;
}

/* Take the exemplars of the interval into out[EXEMPLARS_MAX]; return their number. One reader. */
uint32_t exemplars_take(struct exemplars *x, struct exemplar out[EXEMPLARS_MAX]);

/* Forget all. No other thread uses them. */
void exemplars_reset(struct exemplars *x);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_COUNTERS_H
#define VARVE_PIPELINE_COUNTERS_H

#include <stdatomic.h>

#include "base/base.h"

/* What has come in since the start; for /metrics. Any thread. */
enum intake_count {
	COUNT_PROFILES,	      /* kept */
	COUNT_SAMPLES,	      /* of those */
	COUNT_DUPLICATES,     /* had been kept before */
	COUNT_REJECTED,	      /* profiles refused alone: limits, no type */
	COUNT_SPANS,	      /* kept */
	COUNT_REJECTED_SPANS, /* refused alone: their ids */
	COUNT_BAD,	      /* profiles or requests that could not be decoded */
	COUNT_FAILED,	      /* deliveries that may be tried again: the disk, overload */
	COUNT_REFUSED,	      /* requests not let in: no memory to spare */
	COUNT_BYTES,	      /* of bodies, as they came */
	COUNTS,
};

struct intake_counters {
	_Atomic uint64_t at[COUNTS];
};

static inline void count_add(struct intake_counters *c, enum intake_count which, uint64_t n)
{
	if (c && n)
		atomic_fetch_add_explicit(&c->at[which], n, memory_order_relaxed);
}

static inline uint64_t count_get(struct intake_counters *c, enum intake_count which)
{
	return atomic_load_explicit(&c->at[which], memory_order_relaxed);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_TELEMETRY_COUNTERS_H
#define VARVE_PIPELINE_TELEMETRY_COUNTERS_H

#include <stdatomic.h>

#include "base/base.h"

/* Ingest counters since the start of the process, for /metrics. Any thread. */
enum intake_count {
	COUNT_PROFILES,	      /* accepted profiles */
	COUNT_SAMPLES,	      /* samples of accepted profiles */
	COUNT_DUPLICATES,     /* retried profiles that were stored before */
	COUNT_REJECTED,	      /* profiles refused individually: labels, type, time, quota */
	COUNT_SPANS,	      /* accepted spans */
	COUNT_REJECTED_SPANS, /* spans refused individually: ids, time */
	COUNT_LOGS,	      /* accepted log records */
	COUNT_REJECTED_LOGS,  /* log records refused individually: size, time */
	COUNT_METRIC_SAMPLES, /* accepted samples of metrics */
	COUNT_REJECTED_METRIC_SAMPLES, /* refused individually: labels, time, limit of series */
	COUNT_BAD,		       /* profiles or requests that could not be decoded */
	COUNT_FAILED,		       /* failed deliveries that may be retried: disk, overload */
	COUNT_REFUSED,		       /* requests refused for a memory or rate limit */
	COUNT_BYTES,		       /* bytes of request bodies as received */
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

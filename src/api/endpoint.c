/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of endpoints. */
#include "api/endpoint.h"

#include "base/clock.h"

const uint64_t latency_bounds_us[LATENCY_BUCKETS] = {
	1000, 2500, 5000, 10000, 25000, 50000, 100000, 250000, 1000000, 2500000, 10000000, 60000000,
};

void endpoint_count(struct endpoint_counters *c, unsigned status, uint64_t started_ns,
		    size_t bytes_in, size_t bytes_out)
{
	uint64_t now = clock_monotonic_ns(), us = now > started_ns ? (now - started_ns) / 1000 : 0;
	unsigned bucket = 0;

	while (bucket < LATENCY_BUCKETS && us > latency_bounds_us[bucket])
		bucket++;
	atomic_fetch_add(&c->answers[status / 100 < 6 ? status / 100 : 5], 1);
	atomic_fetch_add(&c->latency[bucket], 1);
	atomic_fetch_add(&c->latency_us, us);
	atomic_fetch_add(&c->bytes_in, bytes_in);
	atomic_fetch_add(&c->bytes_out, bytes_out);
}

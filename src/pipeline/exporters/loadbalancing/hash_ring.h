/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_EXPORTERS_LOADBALANCING_HASH_RING_H
#define VARVE_PIPELINE_EXPORTERS_LOADBALANCING_HASH_RING_H

#include "base/str.h"

/*
 * Consistent hashing, with the ring of the OpenTelemetry Collector, so that load balancers of both
 * kinds in one fleet choose the same backend for a trace. Each endpoint has RING_WEIGHT points on a
 * ring of RING_POSITIONS; a key belongs to the endpoint of the next point. Immutable once made.
 */
enum { RING_POSITIONS = 131071, RING_WEIGHT = 200, RING_ENDPOINTS_MAX = 4096 };

struct ring_point {
	uint32_t position;
	uint32_t endpoint; /* its index */
};

struct hash_ring {
	struct ring_point *points; /* by position */
	uint32_t count;
};

/* Make the ring of at most RING_ENDPOINTS_MAX endpoints. Return 0 or -ENOMEM. */
MUST_USE int hash_ring_init(struct hash_ring *r, const char *const *endpoints, uint32_t count);
void hash_ring_fini(struct hash_ring *r);

/* Return the index of the endpoint that a key belongs to. The ring must not be empty. */
uint32_t hash_ring_find(const struct hash_ring *r, struct str key);

#endif

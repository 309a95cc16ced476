/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_INTAKE_H
#define VARVE_PIPELINE_INTAKE_H

#include <pthread.h>

#include "pipeline/counters.h"
#include "pipeline/delivery.h"

/*
 * All that decoding one message takes: the batch, the series, the delivery. They are used again
 * and again, with their memory, so that receiving in steady state allocates nothing.
 *
 *	struct intake *in = intake_get(pool);
 *	rc = decode(&in->batch, ...);
 *	rc = intake_deliver(in, next, tenant, limits);	// 0: in->done() will be called
 *	...
 *	intake_put(pool, in);				// when done() was
 */
struct intake {
	struct profile_batch batch;
	struct arena arena; /* of the series, and for whoever fills the batch */
	struct series_map series;
	struct delivery delivery;
	struct delivery_result
		refused; /* what intake_deliver() itself refused: rejected and reason */
	void (*done)(struct intake *in, const struct delivery_result *result); /* any thread */
	void *owner;
	struct intake_counters *counters;
	struct intake *next; /* the pool's */
};

enum { INTAKE_KEPT = 16 };
#define INTAKE_KEPT_BYTES (8 * MIB) /* one that grew beyond this is let go */

struct intake_pool {
	pthread_mutex_t mu; /* guards what follows */
	struct intake *free;
	unsigned kept;
	struct budget *budget;
	struct intake_counters counters;
};

MUST_USE int intake_pool_init(struct intake_pool *p, struct budget *budget);
void intake_pool_fini(struct intake_pool *p);

/* An empty one, or NULL when memory is out. Any thread. */
struct intake *intake_get(struct intake_pool *p);

/* Takes NULL. Any thread. */
void intake_put(struct intake_pool *p, struct intake *in);

/*
 * Work out the series of the batch and hand it on. 0: done() is called once, now or later, with the
 * profiles that were refused here counted in. -ENOMEM: nothing was done.
 */
MUST_USE int intake_deliver(struct intake *in, struct consumer *next, struct str tenant,
			    const struct series_limits *limits);

#endif

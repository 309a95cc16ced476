/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_INTAKE_H
#define VARVE_PIPELINE_INTAKE_H

#include <pthread.h>

#include "pipeline/counters.h"
#include "pipeline/delivery.h"
#include "pipeline/senders.h"

/*
 * All that decoding one message takes: the batch, the series, the delivery. They are used again
 * and again, with their memory, so that receiving in steady state allocates nothing. What is large (the work) goes
 * back as soon as the data was taken, so that few of them are enough and stay in the cache, however many
 * deliveries wait for their answer.
 *
 *	struct intake *in = intake_get(pool);
 *	rc = decode(&in->work->batch, ...);
 *	rc = intake_deliver(in, next, tenant, limits);	// 0: in->done() will be called
 *	...
 *	intake_put(pool, in);				// when done() was
 */
struct intake_work {
	struct profile_batch batch;
	struct span_batch spans; /* of a message of traces, instead */
	struct arena arena;	 /* of the series, and for whoever fills the batch */
	struct series_map series;
	struct intake_work *next; /* the pool's */
};

struct intake {
	struct intake_work *work; /* NULL: it is back in the pool already */
	struct delivery delivery;
	uint32_t profiles, samples;    /* of the batch */
	uint32_t spans;		       /* of a message of traces */
	struct service_names services; /* the first few of it */
	struct delivery_result
		refused; /* what intake_deliver() itself refused: rejected and reason */
	void (*done)(struct intake *in, const struct delivery_result *result); /* any thread */
	void *owner;
	/* Whose limits count; set before it is delivered, may be NULL */
	const struct account *account;
	struct intake_pool *pool;
	struct intake_counters *counters;
	struct intake *next; /* the pool's */
};

/* Work that grew beyond this is let go, and so is work while more than a part of the budget is in use. */
enum { INTAKE_KEPT = 16, INTAKE_KEPT_PART = 4 };
#define INTAKE_KEPT_BYTES (8 * MIB)

struct intake_pool {
	pthread_mutex_t mu; /* guards what follows */
	struct intake *free;
	struct intake_work *free_work;
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
 * Why a message could not be decoded, for its sender. -ENOMEM becomes -EFBIG when the message needs more memory than decoding has in all:
 * sending it again would fail again. Both get their text in `e`; other errors have theirs. `in` may be NULL. Before intake_put().
 */
MUST_USE int intake_explain(const struct intake *in, int rc, struct err *e);

/* Give back one piece of work that is kept for later; false: none is. Any thread. */
bool intake_pool_trim(struct intake_pool *p);

/*
 * Work out the series of the batch and hand it on. 0: done() is called once, now or later, with the
 * profiles that were refused here counted in. -ENOMEM: nothing was done.
 */
MUST_USE int intake_deliver(struct intake *in, struct consumer *next, struct str tenant,
			    const struct series_limits *limits);

/* The same with the spans that were decoded; those that were refused then are counted in. done() is called once. */
void intake_deliver_spans(struct intake *in, struct consumer *next, struct str tenant);

#endif

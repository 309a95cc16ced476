/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_INTAKE_H
#define VARVE_PIPELINE_INTAKE_H

#include <pthread.h>

#include "pipeline/admission/senders.h"
#include "pipeline/convert/prometheus/prom_series_cache.h"
#include "pipeline/delivery.h"
#include "pipeline/telemetry/counters.h"

/*
 * An intake holds everything needed to decode and deliver one message: batch, series and delivery.
 * Intakes are pooled with their memory, so ingest in steady state allocates nothing. The large part
 * (struct intake_work) returns to the pool as soon as the consumer has copied the data, so that a
 * few of them suffice and stay in the CPU's cache, however many deliveries wait for their result.
 *
 *	struct intake *in = intake_get(pool);
 *	rc = decode(&in->work->batch, ...);
 *	rc = intake_deliver(in, next, tenant, limits);	// 0: in->done() will be called
 *	...
 *	intake_put(pool, in);				// once done() was called
 */
struct intake_work {
	struct profile_batch batch;
	struct span_batch spans; /* for a message of traces */
	struct log_batch logs;	 /* for a message of logs */
	struct metric_batch metrics;
	struct prom_series_cache series_of_metrics; /* kept from message to message */
	struct arena arena;			    /* for the series, and for the decoder */
	struct series_map series;
	struct intake_work *next; /* in the pool */
};

struct intake {
	struct intake_work *work; /* NULL: already back in the pool */
	struct delivery delivery;
	uint32_t profiles, samples;    /* of the batch */
	uint32_t spans;		       /* of a message of traces */
	uint32_t logs;		       /* of a message of logs */
	uint32_t points;	       /* samples and histograms of a message of metrics */
	struct service_names services; /* the first few of the message */
	/* What intake_deliver() itself refused: `rejected` and `reason`. */
	struct delivery_result refused;
	void (*done)(struct intake *in, const struct delivery_result *result); /* any thread */
	void *owner;
	/* The account whose limits apply; set before delivery, may be NULL. */
	const struct account *account;
	/* See struct delivery; set before delivery, may be NULL. */
	const char *transport;
	/* The delivery whose payload was decoded: time and headers are taken from it; or NULL. */
	const struct delivery *from;
	/* If not NULL, set to what consumer_consume() returned; set before delivery. */
	bool *copied;
	struct intake_pool *pool;
	struct intake_counters *counters;
	struct intake *next; /* in the pool */
};

/*
 * The pool retains at most INTAKE_KEPT work objects. Objects of INTAKE_KEPT_BYTES or more are
 * freed, and so is every object while more than 1/INTAKE_KEPT_PART of the budget is in use.
 */
enum { INTAKE_KEPT = 16, INTAKE_KEPT_PART = 4 };
#define INTAKE_KEPT_BYTES (8 * MIB)

struct intake_pool {
	pthread_mutex_t mu; /* guards the fields up to `kept` */
	struct intake *free;
	struct intake_work *free_work;
	unsigned kept; /* length of free_work */
	struct budget *budget;
	struct intake_counters counters;
};

MUST_USE int intake_pool_init(struct intake_pool *p, struct budget *budget);
void intake_pool_fini(struct intake_pool *p);

/* Return an empty intake, or NULL without memory. Any thread. */
struct intake *intake_get(struct intake_pool *p);

/* Return an intake to the pool. `in` may be NULL. Any thread. */
void intake_put(struct intake_pool *p, struct intake *in);

/*
 * Return the error to report to the sender of a message that could not be decoded. -ENOMEM becomes
 * -EFBIG when the message needs more memory than decoding has in total, so that a retry would fail
 * again. Set the text of both in `e`; leave other errors unchanged. Call before intake_put(); `in`
 * may be NULL.
 */
MUST_USE int intake_explain(const struct intake *in, int rc, struct err *e);

/* Free one pooled work object. Return false if there is none. Any thread. */
bool intake_pool_trim(struct intake_pool *p);

/*
 * Compute the series of the batch and deliver it. On 0, done() is called once, now or later; its
 * result includes the profiles that were refused here. On -ENOMEM nothing was done.
 */
MUST_USE int intake_deliver(struct intake *in, struct consumer *next, struct str tenant,
			    const struct series_limits *limits);

/*
 * Deliver the decoded spans. done() is called once; its result includes spans that decoding
 * refused.
 */
void intake_deliver_spans(struct intake *in, struct consumer *next, struct str tenant);

/* Do the same for decoded log records. */
void intake_deliver_logs(struct intake *in, struct consumer *next, struct str tenant);
/* Deliver the decoded metrics in the same way. */
void intake_deliver_metrics(struct intake *in, struct consumer *next, struct str tenant);

#endif

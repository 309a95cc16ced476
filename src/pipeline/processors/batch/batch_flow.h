/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_PROCESSORS_BATCH_BATCH_FLOW_H
#define VARVE_PIPELINE_PROCESSORS_BATCH_BATCH_FLOW_H

#include <pthread.h>

#include "pipeline/delivery.h"

/*
 * Slows senders down while batches wait for the exporters that follow (a full queue that blocks, a
 * destination whose result is awaited). Otherwise batches, which acknowledge deliveries at once,
 * would take memory without regard to the limits of these queues.
 *
 * While BATCH_FLOW_MAX pieces of batches are on their way, further deliveries are acknowledged when
 * one of them is done, but at the latest after BATCH_FLOW_WAIT, so that senders do not give up and
 * send them again. Any thread; no thread is blocked.
 */
enum { BATCH_FLOW_MAX = 4 };
#define BATCH_FLOW_WAIT NS_PER_SECOND

struct batch_waiter;

struct batch_flow {
	pthread_mutex_t mu; /* guards what follows */
	uint32_t on_way;
	struct batch_waiter *first, **end; /* the oldest first */
};

void batch_flow_init(struct batch_flow *f);
void batch_flow_fini(struct batch_flow *f); /* nothing waits */

/* A piece is passed on; it is done. */
void batch_flow_begin(struct batch_flow *f);
void batch_flow_end(struct batch_flow *f);

/*
 * Acknowledge a delivery, now or later. Return when it is due (monotonic) if it is the first one
 * that waits, else 0.
 */
uint64_t batch_flow_acknowledge(struct batch_flow *f, struct delivery *d);

/* Acknowledge what was due at `now`. Return when the next one is due, or UINT64_MAX. */
uint64_t batch_flow_release(struct batch_flow *f, uint64_t now);

#endif

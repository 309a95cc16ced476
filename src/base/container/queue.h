/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_BASE_CONTAINER_QUEUE_H
#define VARVE_BASE_CONTAINER_QUEUE_H

#include <pthread.h>

#include "base/base.h"

/*
 * A bounded queue of pointers between any number of threads, first in, first out. Bounded by items and,
 * if wanted, by the sum of their weights (bytes). What is in it belongs to the queue's owner: drain
 * it before queue_fini().
 */
struct queue_item {
	void *item;
	size_t weight;
};

struct queue {
	pthread_mutex_t mu; /* guards all that follows */
	pthread_cond_t not_empty, not_full;
	struct queue_item *ring;
	size_t capacity, first, count;
	size_t weight, max_weight;
	bool closed;
};

/* Timeouts in nanoseconds, and the two that are special. */
#define QUEUE_NOW ((uint64_t)0)
#define QUEUE_FOREVER UINT64_MAX

/* Room for `capacity` items (at least 1) of together `max_weight` (0: any). 0 or -ENOMEM. */
MUST_USE int queue_init(struct queue *q, size_t capacity, size_t max_weight);

/* No thread uses it any more. Takes the zero value. */
void queue_fini(struct queue *q);

/*
 * Put an item at the end, waiting for room. 0; -EPIPE when the queue is closed, -ETIMEDOUT when
 * there was no room in time, -EFBIG when it is heavier than the whole queue may be; then the item is still the caller's.
 */
MUST_USE int queue_push(struct queue *q, void *item, size_t weight, uint64_t timeout_ns);

/* Take the first item, waiting for one. 0; -EPIPE when the queue is closed and empty, -ETIMEDOUT. */
MUST_USE int queue_pop(struct queue *q, void **item, uint64_t timeout_ns);

/* Take no more; what is in it can still be popped. Wakes all who wait. May be called again. */
void queue_close(struct queue *q);

/* How many items, and their weight (may be NULL), at this moment. */
size_t queue_count(struct queue *q, size_t *weight);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_BASE_CONTAINER_QUEUE_H
#define VARVE_BASE_CONTAINER_QUEUE_H

#include <pthread.h>

#include "base/base.h"

/*
 * A bounded first-in first-out queue of pointers for any number of threads. It is bounded by the
 * number of items and optionally by the sum of their weights (bytes). The owner of the queue must
 * drain it before queue_fini().
 */
struct queue_item {
	void *item;
	size_t weight;
};

struct queue {
	pthread_mutex_t mu; /* guards all fields below */
	pthread_cond_t not_empty, not_full;
	struct queue_item *ring;
	size_t capacity, first, count;
	size_t weight, max_weight;
	bool closed;
};

/* Special timeouts; others are in nanoseconds. */
#define QUEUE_NOW ((uint64_t)0)
#define QUEUE_FOREVER UINT64_MAX

/*
 * Initialize with room for `capacity` items (at least 1) and a total weight of `max_weight` (0: no
 * limit). Return 0 or -ENOMEM.
 */
MUST_USE int queue_init(struct queue *q, size_t capacity, size_t max_weight);

/* Free the queue, which no thread may use any more. Accepts the zero value. */
void queue_fini(struct queue *q);

/*
 * Append an item, waiting for room. Return 0, -EPIPE if the queue is closed, -ETIMEDOUT if there is
 * no room in time, or -EFBIG if the item is heavier than max_weight. The caller keeps the item on
 * error.
 */
MUST_USE int queue_push(struct queue *q, void *item, size_t weight, uint64_t timeout_ns);

/*
 * Remove the first item, waiting for one. Return 0, -EPIPE if the queue is closed and empty, or
 * -ETIMEDOUT.
 */
MUST_USE int queue_pop(struct queue *q, void **item, uint64_t timeout_ns);

/* Reject further items and wake all waiters; remaining items can be popped. May be called again. */
void queue_close(struct queue *q);

/* Return the current number of items, and their weight in *weight (may be NULL). */
size_t queue_count(struct queue *q, size_t *weight);

#endif

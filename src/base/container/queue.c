/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A ring with one mutex and two condition variables. Items differ in weight, so a pop wakes all
 * pushers: a single wake-up could go to a pusher whose item still does not fit, while another one
 * whose item does fit keeps sleeping.
 */
#include "base/container/queue.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"

static int init_conditions(struct queue *q)
{
	pthread_condattr_t attr;
	int rc = pthread_condattr_init(&attr);

	if (rc)
		return -rc;
	/* the monotonic clock: setting the time must not stretch a timeout */
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	rc = pthread_cond_init(&q->not_empty, &attr);
	if (!rc) {
		rc = pthread_cond_init(&q->not_full, &attr);
		if (rc)
			pthread_cond_destroy(&q->not_empty);
	}
	pthread_condattr_destroy(&attr);
	return -rc;
}

int queue_init(struct queue *q, size_t capacity, size_t max_weight)
{
	int rc = -ENOMEM;

	*q = (struct queue){.capacity = max_size(capacity, 1), .max_weight = max_weight};
	q->ring = calloc(q->capacity, sizeof(*q->ring));
	if (!q->ring)
		goto out;
	rc = -pthread_mutex_init(&q->mu, NULL);
	if (rc)
		goto out;
	rc = init_conditions(q);
	if (rc)
		pthread_mutex_destroy(&q->mu);
out:
	if (rc) {
		free(q->ring);
		*q = (struct queue){0};
	}
	return rc;
}

void queue_fini(struct queue *q)
{
	if (!q->ring)
		return;
	pthread_cond_destroy(&q->not_empty);
	pthread_cond_destroy(&q->not_full);
	pthread_mutex_destroy(&q->mu);
	free(q->ring);
	*q = (struct queue){0};
}

/* Return the point in time at which to give up; INT64_MAX ns if there is no timeout. */
static struct timespec deadline_after(uint64_t timeout_ns)
{
	uint64_t now = clock_monotonic_ns();
	uint64_t at = timeout_ns < INT64_MAX - now ? now + timeout_ns : INT64_MAX;

	return (struct timespec){.tv_sec = (time_t)(at / NS_PER_SECOND),
				 .tv_nsec = (long)(at % NS_PER_SECOND)};
}

static bool has_room(const struct queue *q, size_t weight)
{
	return q->count < q->capacity && (!q->max_weight || weight <= q->max_weight - q->weight);
}

int queue_push(struct queue *q, void *item, size_t weight, uint64_t timeout_ns)
{
	struct timespec deadline = deadline_after(timeout_ns);
	int rc = 0;

	if (q->max_weight && weight > q->max_weight)
		return -EFBIG;
	pthread_mutex_lock(&q->mu);
	while (!rc && !q->closed && !has_room(q, weight))
		rc = timeout_ns ? -pthread_cond_timedwait(&q->not_full, &q->mu, &deadline)
				: -ETIMEDOUT;
	if (q->closed) {
		rc = -EPIPE;
	} else if (has_room(q, weight)) {
		q->ring[(q->first + q->count++) % q->capacity] = (struct queue_item){item, weight};
		q->weight += weight;
		pthread_cond_signal(&q->not_empty);
		rc = 0;
	}
	pthread_mutex_unlock(&q->mu);
	return rc;
}

int queue_pop(struct queue *q, void **item, uint64_t timeout_ns)
{
	struct timespec deadline = deadline_after(timeout_ns);
	int rc = 0;

	pthread_mutex_lock(&q->mu);
	while (!rc && !q->closed && !q->count)
		rc = timeout_ns ? -pthread_cond_timedwait(&q->not_empty, &q->mu, &deadline)
				: -ETIMEDOUT;
	if (q->count) {
		*item = q->ring[q->first].item;
		q->weight -= q->ring[q->first].weight;
		q->first = (q->first + 1) % q->capacity;
		q->count--;
		pthread_cond_broadcast(&q->not_full);
		rc = 0;
	} else if (q->closed) {
		rc = -EPIPE;
	}
	pthread_mutex_unlock(&q->mu);
	return rc;
}

void queue_close(struct queue *q)
{
	pthread_mutex_lock(&q->mu);
	q->closed = true;
	pthread_cond_broadcast(&q->not_empty);
	pthread_cond_broadcast(&q->not_full);
	pthread_mutex_unlock(&q->mu);
}

size_t queue_count(struct queue *q, size_t *weight)
{
	size_t count;

	pthread_mutex_lock(&q->mu);
	count = q->count;
	if (weight)
		*weight = q->weight;
	pthread_mutex_unlock(&q->mu);
	return count;
}

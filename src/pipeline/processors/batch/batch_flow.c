/* SPDX-License-Identifier: Apache-2.0 */
/* Deliveries are completed without the lock, because their callbacks run code of receivers. */
#include "pipeline/processors/batch/batch_flow.h"

#include <stdlib.h>

#include "base/clock.h"

struct batch_waiter {
	struct batch_waiter *next;
	struct delivery *delivery;
	uint64_t due_ns;
};

void batch_flow_init(struct batch_flow *f)
{
	*f = (struct batch_flow){.end = &f->first};
	pthread_mutex_init(&f->mu, NULL);
}

void batch_flow_fini(struct batch_flow *f)
{
	pthread_mutex_destroy(&f->mu);
}

/* Remove and return those that were due at `until`. The caller holds the lock. */
static struct batch_waiter *take_due(struct batch_flow *f, uint64_t until)
{
	struct batch_waiter *taken = f->first, **at = &taken;

	while (*at && (*at)->due_ns <= until)
		at = &(*at)->next;
	f->first = *at;
	if (!f->first)
		f->end = &f->first;
	*at = NULL;
	return taken;
}

static void acknowledge_all(struct batch_waiter *w)
{
	while (w) {
		struct batch_waiter *next = w->next;

		delivery_done(w->delivery, &(struct delivery_result){0});
		free(w);
		w = next;
	}
}

void batch_flow_begin(struct batch_flow *f)
{
	pthread_mutex_lock(&f->mu);
	f->on_way++;
	pthread_mutex_unlock(&f->mu);
}

void batch_flow_end(struct batch_flow *f)
{
	struct batch_waiter *taken = NULL;

	pthread_mutex_lock(&f->mu);
	if (--f->on_way < BATCH_FLOW_MAX)
		taken = take_due(f, UINT64_MAX);
	pthread_mutex_unlock(&f->mu);
	acknowledge_all(taken);
}

uint64_t batch_flow_acknowledge(struct batch_flow *f, struct delivery *d)
{
	struct batch_waiter *w = NULL;
	uint64_t due = 0;

	pthread_mutex_lock(&f->mu);
	if (f->on_way >= BATCH_FLOW_MAX)
		w = malloc(sizeof(*w));
	if (w) {
		*w = (struct batch_waiter){.delivery = d,
					   .due_ns = clock_monotonic_ns() + BATCH_FLOW_WAIT};
		due = f->first ? 0 : w->due_ns;
		*f->end = w;
		f->end = &w->next;
	}
	pthread_mutex_unlock(&f->mu);
	if (!w)
		delivery_done(d, &(struct delivery_result){0});
	return due;
}

uint64_t batch_flow_release(struct batch_flow *f, uint64_t now)
{
	struct batch_waiter *taken;
	uint64_t next;

	pthread_mutex_lock(&f->mu);
	taken = take_due(f, now);
	next = f->first ? f->first->due_ns : UINT64_MAX;
	pthread_mutex_unlock(&f->mu);
	acknowledge_all(taken);
	return next;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Deliveries: errors, and the fanout to several consumers. */
#include "pipeline/delivery.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

void delivery_fail(struct delivery *d, int rc, uint32_t retry_after_ms, const char *fmt, ...)
{
	struct delivery_result result = {.rc = rc, .retry_after_ms = retry_after_ms};
	va_list args;

	va_start(args, fmt);
	vsnprintf(result.reason, sizeof(result.reason), fmt, args);
	va_end(args);
	delivery_done(d, &result);
}

uint64_t delivery_items(const struct delivery *d)
{
	if (d->payload)
		return d->payload->items;
	if (d->spans)
		return d->spans->spans.n;
	if (d->logs)
		return d->logs->logs.n;
	if (d->metrics)
		return d->metrics->samples.n + d->metrics->histograms.n;
	return d->batch ? d->batch->sample_count : 0;
}

/* A delivery that was forwarded to several consumers. */
struct fanout_delivery {
	struct delivery *from;
	pthread_mutex_t mu; /* guards `result` */
	struct delivery_result result;
	_Atomic uint32_t pending;
	struct delivery copies[];
};

/* Rank results: errors that may be retried, then other errors, then success. */
static unsigned severity(int rc)
{
	if (!rc)
		return 0;
	return delivery_may_retry(rc) ? 2 : 1;
}

static void fanout_done(struct delivery *d, const struct delivery_result *result)
{
	struct fanout_delivery *s = d->owner;

	pthread_mutex_lock(&s->mu);
	if (severity(result->rc) > severity(s->result.rc) ||
	    (!s->result.rc && !result->rc && result->rejected > s->result.rejected))
		s->result = *result;
	pthread_mutex_unlock(&s->mu);
	if (atomic_fetch_sub(&s->pending, 1) != 1)
		return;
	delivery_done(s->from, &s->result);
	pthread_mutex_destroy(&s->mu);
	free(s);
}

static bool fanout_consume(void *state, struct delivery *d)
{
	const struct fanout *f = state;
	struct fanout_delivery *s;

	if (f->count == 1)
		return consumer_consume(f->to[0], d);
	s = calloc(1, sizeof(*s) + f->count * sizeof(s->copies[0]));
	if (!s) {
		delivery_fail(d, -ENOMEM, 1000, "out of memory");
		return false;
	}
	pthread_mutex_init(&s->mu, NULL);
	s->from = d;
	atomic_init(&s->pending, f->count);
	for (uint32_t i = 0; i < f->count; i++) {
		s->copies[i] = *d;
		s->copies[i].done = fanout_done;
		s->copies[i].owner = s;
	}
	for (uint32_t i = 0; i < f->count; i++)
		consumer_consume(f->to[i], &s->copies[i]);
	return false; /* one of them may still need the data */
}

static bool fanout_admit(void *state, uint64_t bytes, struct delivery_result *why)
{
	const struct fanout *f = state;

	for (uint32_t i = 0; i < f->count; i++)
		if (!consumer_admit(f->to[i], bytes, why))
			return false;
	return true;
}

void fanout_init(struct fanout *f, struct consumer *const *to, uint32_t count)
{
	*f = (struct fanout){
		.consumer = {f, fanout_consume, fanout_admit, NULL}, .to = to, .count = count};
}

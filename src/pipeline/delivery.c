/* SPDX-License-Identifier: Apache-2.0 */
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

/* A delivery that went out several times. */
struct spread {
	struct delivery *from;
	pthread_mutex_t mu; /* guards `result` */
	struct delivery_result result;
	_Atomic uint32_t pending;
	struct delivery copies[];
};

/* Faults before refusals before success; of equals the first. */
static unsigned severity(int rc)
{
	if (!rc)
		return 0;
	return delivery_may_retry(rc) ? 2 : 1;
}

static void spread_done(struct delivery *d, const struct delivery_result *result)
{
	struct spread *s = d->owner;

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

static void fanout_consume(void *state, struct delivery *d)
{
	const struct fanout *f = state;
	struct spread *s;

	if (f->count == 1) {
		consumer_consume(f->to[0], d);
		return;
	}
	s = calloc(1, sizeof(*s) + f->count * sizeof(s->copies[0]));
	if (!s) {
		delivery_fail(d, -ENOMEM, 1000, "out of memory");
		return;
	}
	pthread_mutex_init(&s->mu, NULL);
	s->from = d;
	atomic_init(&s->pending, f->count);
	for (uint32_t i = 0; i < f->count; i++) {
		s->copies[i] = *d;
		s->copies[i].tell_taken = NULL; /* the others may still need it */
		s->copies[i].done = spread_done;
		s->copies[i].owner = s;
	}
	for (uint32_t i = 0; i < f->count; i++)
		consumer_consume(f->to[i], &s->copies[i]);
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

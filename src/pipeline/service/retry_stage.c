/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A refused delivery is not completed: its data stays valid, and copies of the delivery are passed
 * on until one is accepted. One thread repeats them, the oldest first, one at a time.
 */
#include "pipeline/service/retry_stage.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/thread.h"
#include "pipeline/processors/processor.h"

#define INTERVAL_LEAST (NS_PER_SECOND / 10)
#define INTERVAL_MOST (5 * NS_PER_SECOND)

/* A delivery on its way, or refused. */
struct retry_delivery {
	struct retry_stage_state *stage;
	struct delivery copy, *below;
	struct retry_delivery *next;
};

struct retry_stage_state {
	struct consumer *next;
	const struct log *log;
	const char *pipeline;
	_Atomic uint32_t count; /* of refused deliveries, and of the one that is repeated */

	pthread_mutex_t mu; /* guards what follows */
	pthread_cond_t changed;
	struct retry_delivery *first, **end;
	uint64_t due_ns; /* of the first */
	char reason[ERR_TEXT_MAX];
	bool stopping, closed;
	struct thread thread;
};

static void pass_on(struct retry_delivery *r)
{
	void (*done)(struct delivery *, const struct delivery_result *) = r->copy.done;

	r->copy = *r->below;
	r->copy.done = done;
	r->copy.owner = r;
	consumer_consume(r->stage->next, &r->copy);
}

/* ---- refused deliveries ---- */

static uint64_t retry_interval(const struct delivery_result *result)
{
	uint64_t wanted = result->retry_after_ms * NS_PER_MS;

	return max_size(INTERVAL_LEAST, min_size(wanted, INTERVAL_MOST));
}

/* Keep a refused delivery. Return false if the stage has stopped. */
static bool keep_refused(struct retry_delivery *r, const struct delivery_result *result)
{
	struct retry_stage_state *s = r->stage;
	bool kept;

	pthread_mutex_lock(&s->mu);
	kept = !s->closed;
	if (kept) {
		r->next = NULL;
		*s->end = r;
		s->end = &r->next;
		atomic_fetch_add(&s->count, 1);
		s->due_ns = clock_monotonic_ns() +
			    (s->stopping ? INTERVAL_LEAST : retry_interval(result));
		memcpy(s->reason, result->reason, sizeof(s->reason));
		pthread_cond_broadcast(&s->changed);
	}
	pthread_mutex_unlock(&s->mu);
	if (kept)
		log_warn(s->log, "data was refused, trying again",
			 LOG_STR("pipeline", str_from(s->pipeline)),
			 LOG_STR("reason", str_from(result->reason)));
	return kept;
}

static void retry_done(struct delivery *copy, const struct delivery_result *result)
{
	struct retry_delivery *r = copy->owner;
	struct delivery *below = r->below;

	if (result->rc && delivery_may_retry(result->rc) && keep_refused(r, result))
		return;
	free(r);
	delivery_done(below, result);
}

/* Remove the first refused delivery. The caller holds the lock. */
static struct retry_delivery *take_first(struct retry_stage_state *s)
{
	struct retry_delivery *r = s->first;

	s->first = r->next;
	if (!s->first)
		s->end = &s->first;
	return r;
}

static void wait_until(struct retry_stage_state *s, uint64_t due_ns)
{
	const struct timespec due = {.tv_sec = (time_t)(due_ns / NS_PER_SECOND),
				     .tv_nsec = (long)(due_ns % NS_PER_SECOND)};

	pthread_cond_timedwait(&s->changed, &s->mu, &due);
}

static void repeat_refused(void *arg)
{
	struct retry_stage_state *s = arg;

	pthread_mutex_lock(&s->mu);
	while (!s->closed) {
		if (!s->first) {
			pthread_cond_wait(&s->changed, &s->mu);
		} else if (clock_monotonic_ns() < s->due_ns) {
			wait_until(s, s->due_ns);
		} else {
			struct retry_delivery *r = take_first(s);

			pthread_mutex_unlock(&s->mu);
			pass_on(r);
			pthread_mutex_lock(&s->mu);
			/* if it was refused again, it has been counted again */
			if (atomic_fetch_sub(&s->count, 1) == 1)
				pthread_cond_broadcast(&s->changed);
		}
	}
	pthread_mutex_unlock(&s->mu);
}

/* ---- the component ---- */

static bool retry_consume(void *instance, struct delivery *d)
{
	struct retry_stage_state *s = instance;
	struct retry_delivery *r = malloc(sizeof(*r));

	if (!r)
		return consumer_consume(s->next, d);
	*r = (struct retry_delivery){.stage = s, .below = d, .copy.done = retry_done};
	pass_on(r);
	return false;
}

static bool retry_admit(void *instance, uint64_t bytes, struct delivery_result *why)
{
	struct retry_stage_state *s = instance;

	(void)bytes;
	if (!atomic_load_explicit(&s->count, memory_order_relaxed))
		return true;
	*why = (struct delivery_result){.rc = -EAGAIN, .retry_after_ms = 1000};
	pthread_mutex_lock(&s->mu);
	memcpy(why->reason, s->reason, sizeof(why->reason));
	pthread_mutex_unlock(&s->mu);
	return false;
}

static void retry_destroy(void *instance)
{
	struct retry_stage_state *s = instance;

	pthread_cond_destroy(&s->changed);
	pthread_mutex_destroy(&s->mu);
	free(s);
}

static int retry_create(void **instance, const struct component_env *env, const void *settings,
			struct err *e)
{
	struct retry_stage_state *s = calloc(1, sizeof(*s));
	pthread_condattr_t clock;

	(void)settings;
	if (!s)
		return err_errno(e, -ENOMEM, "retry stage");
	s->next = processor_next(env);
	s->log = env->log;
	s->pipeline = env->pipeline;
	s->end = &s->first;
	pthread_mutex_init(&s->mu, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&s->changed, &clock);
	pthread_condattr_destroy(&clock);
	*instance = s;
	return 0;
}

static int retry_start(void *instance, struct err *e)
{
	struct retry_stage_state *s = instance;

	return thread_start(&s->thread, "retry", repeat_refused, s, e);
}

/* Wait until nothing is refused any more, at most for the grace period. Hold the lock. */
static void drain_refused(struct retry_stage_state *s)
{
	uint64_t until = clock_monotonic_ns() + RETRY_STAGE_GRACE;

	s->stopping = true;
	s->due_ns = min_size(s->due_ns, clock_monotonic_ns());
	pthread_cond_broadcast(&s->changed);
	while (atomic_load(&s->count) && clock_monotonic_ns() < until)
		wait_until(s, until);
	s->closed = true;
	pthread_cond_broadcast(&s->changed);
}

/* After this, what is on its way is not kept. */
static void retry_stop(void *instance)
{
	struct retry_stage_state *s = instance;

	pthread_mutex_lock(&s->mu);
	drain_refused(s);
	pthread_mutex_unlock(&s->mu);
	thread_join(&s->thread);
	while (s->first) {
		struct retry_delivery *r = take_first(s);
		struct delivery *below = r->below;

		free(r);
		atomic_fetch_sub(&s->count, 1);
		delivery_fail(below, -EAGAIN, 0, "%s", s->reason);
	}
}

const struct component retry_stage = {
	.name = "retry",
	.kind = COMPONENT_PROCESSOR,
	.signals = SIGNAL_PROFILES | SIGNAL_TRACES | SIGNAL_METRICS | SIGNAL_LOGS,
	.form = FORM_ANY,
	.help = "Repeats what the components that follow refuse.",
	.create = retry_create,
	.start = retry_start,
	.consume = retry_consume,
	.admit = retry_admit,
	.stop = retry_stop,
	.destroy = retry_destroy,
};

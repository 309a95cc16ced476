/* SPDX-License-Identifier: Apache-2.0 */
/* A ring of deliveries. */
#include "pipeline/receivers/filelog/log_flights.h"

#include <stdlib.h>

#include "base/clock.h"
#include "pipeline/emit.h"

int log_flights_init(struct log_flights *l, const struct component_env *env,
		     const struct filelog_settings *settings)
{
	pthread_condattr_t monotonic;

	*l = (struct log_flights){.env = env, .settings = settings};
	l->next = env->next[signal_index(SIGNAL_LOGS)];
	pthread_mutex_init(&l->mu, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&l->changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
	for (unsigned i = 0; i < LOG_FLIGHTS_MAX; i++)
		l->at[i].of = l;
	return 0;
}

static void release_flight(struct log_flight *x)
{
	for (uint32_t i = 0; i < x->position_count; i++)
		x->positions[i].file->in_flight--;
	payload_release(x->payload);
	free(x->positions);
	*x = (struct log_flight){.of = x->of};
}

void log_flights_fini(struct log_flights *l)
{
	for (unsigned i = 0; i < LOG_FLIGHTS_MAX; i++)
		release_flight(&l->at[i]);
	pthread_mutex_destroy(&l->mu);
	pthread_cond_destroy(&l->changed);
}

void log_flights_stop(struct log_flights *l)
{
	pthread_mutex_lock(&l->mu);
	l->stopping = true;
	pthread_cond_broadcast(&l->changed);
	pthread_mutex_unlock(&l->mu);
}

bool log_flights_stopping(struct log_flights *l)
{
	bool stopping;

	pthread_mutex_lock(&l->mu);
	stopping = l->stopping;
	pthread_mutex_unlock(&l->mu);
	return stopping;
}

/* ---- deliveries ---- */

/* The time before the next delivery: doubled by each refusal, and at least what the consumer says. */
static uint64_t refusal_delay(const struct log_flight *x, const struct delivery_result *result)
{
	const struct filelog_retry *retry = &x->of->settings->retry;
	uint64_t delay = retry->initial_interval, said = result->retry_after_ms * NS_PER_MS;

	for (unsigned i = 1; i < x->refusals && delay < retry->max_interval; i++)
		delay *= 2;
	if (delay > retry->max_interval)
		delay = retry->max_interval;
	return delay > said ? delay : said;
}

/* Any thread. */
static void flight_done(void *owner, const struct delivery_result *result)
{
	struct log_flight *x = owner;
	struct log_flights *l = x->of;
	bool retry = result->rc && delivery_may_retry(result->rc);
	const struct log *log = l->env->log;

	if (retry)
		log_warn(log, "log records were refused, trying again",
			 LOG_STR("receiver", str_from(l->env->id)),
			 LOG_STR("reason", str_from(result->reason)));
	else if (result->rc)
		log_error(log, "log records were refused and dropped",
			  LOG_STR("receiver", str_from(l->env->id)),
			  LOG_U64("records", x->payload->items),
			  LOG_STR("reason", str_from(result->reason)));
	pthread_mutex_lock(&l->mu);
	x->refusals += retry;
	x->state = retry ? FLIGHT_REFUSED : FLIGHT_DONE;
	x->due = clock_monotonic_ns() + (retry ? refusal_delay(x, result) : 0);
	pthread_cond_broadcast(&l->changed);
	pthread_mutex_unlock(&l->mu);
}

/* Deliver the message; its state is FLIGHT_SENT. */
static void deliver_flight(struct log_flight *x)
{
	struct emit_options options = {.done = flight_done, .owner = x};

	emit_payload(x->of->next, payload_keep(x->payload, NULL), &options);
}

void log_flights_send(struct log_flights *l, struct payload *p, struct file_position *positions,
		      uint32_t count)
{
	struct log_flight *x = &l->at[(l->first + l->count++) % LOG_FLIGHTS_MAX];

	x->payload = p;
	x->positions = positions;
	x->position_count = count;
	for (uint32_t i = 0; i < count; i++)
		positions[i].file->in_flight++;
	x->state = p ? FLIGHT_SENT : FLIGHT_DONE;
	if (p)
		deliver_flight(x);
}

bool log_flights_full(const struct log_flights *l)
{
	return l->count == LOG_FLIGHTS_MAX;
}

/* ---- results ---- */

static void commit_flight(struct log_flights *l, struct log_flight *x)
{
	for (uint32_t i = 0; i < x->position_count; i++) {
		const struct file_position *p = &x->positions[i];

		if (p->file->origin.id == p->id)
			p->file->committed = p->offset;
	}
	l->committed = true;
	release_flight(x);
	l->first = (l->first + 1) % LOG_FLIGHTS_MAX;
	l->count--;
}

/* Return the first flight if it is done. */
static struct log_flight *first_done(struct log_flights *l)
{
	struct log_flight *x = &l->at[l->first];
	bool done;

	pthread_mutex_lock(&l->mu);
	done = l->count && x->state == FLIGHT_DONE;
	pthread_mutex_unlock(&l->mu);
	return done ? x : NULL;
}

/* Return a refused flight that is due, which counts as sent from now on, or NULL. */
static struct log_flight *take_due(struct log_flights *l, uint64_t now)
{
	struct log_flight *found = NULL;

	pthread_mutex_lock(&l->mu);
	for (unsigned i = 0; i < l->count && !found && !l->no_repeats; i++) {
		struct log_flight *x = &l->at[(l->first + i) % LOG_FLIGHTS_MAX];

		if (x->state == FLIGHT_REFUSED && x->due <= now)
			found = x;
	}
	if (found)
		found->state = FLIGHT_SENT;
	pthread_mutex_unlock(&l->mu);
	return found;
}

void log_flights_collect(struct log_flights *l)
{
	uint64_t now = clock_monotonic_ns();
	struct log_flight *x;

	while ((x = take_due(l, now)))
		deliver_flight(x);
	while ((x = first_done(l)))
		commit_flight(l, x);
}

/* Return when the thread has to look again, at the latest; 0: at once. The caller holds the lock. */
static uint64_t next_event(const struct log_flights *l, uint64_t until)
{
	if (l->count && l->at[l->first].state == FLIGHT_DONE)
		return 0;
	for (unsigned i = 0; i < l->count; i++) {
		const struct log_flight *x = &l->at[(l->first + i) % LOG_FLIGHTS_MAX];

		if (x->state == FLIGHT_REFUSED && x->due < until && !l->no_repeats)
			until = x->due;
	}
	return until;
}

void log_flights_wait(struct log_flights *l, uint64_t until)
{
	bool stopping;
	uint64_t event;

	pthread_mutex_lock(&l->mu);
	stopping = l->stopping;
	event = next_event(l, until);
	while (event > clock_monotonic_ns() && l->stopping == stopping) {
		const struct timespec due = {.tv_sec = (time_t)(event / NS_PER_SECOND),
					     .tv_nsec = (long)(event % NS_PER_SECOND)};

		if (pthread_cond_timedwait(&l->changed, &l->mu, &due))
			break;
		event = next_event(l, until);
	}
	pthread_mutex_unlock(&l->mu);
	log_flights_collect(l);
}

/* Return whether a result, or a repetition, is to be waited for. */
static bool is_pending(struct log_flights *l)
{
	bool pending = false;

	pthread_mutex_lock(&l->mu);
	for (unsigned i = 0; i < l->count; i++)
		pending |= l->at[(l->first + i) % LOG_FLIGHTS_MAX].state == FLIGHT_SENT ||
			   !l->no_repeats;
	pthread_mutex_unlock(&l->mu);
	return pending;
}

uint64_t log_flights_drain(struct log_flights *l, uint64_t until, bool repeat)
{
	uint64_t refused = 0;

	l->no_repeats = !repeat;
	while (is_pending(l) && clock_monotonic_ns() < until)
		log_flights_wait(l, until);
	log_flights_collect(l);
	pthread_mutex_lock(&l->mu);
	for (unsigned i = 0; i < l->count; i++) {
		const struct log_flight *x = &l->at[(l->first + i) % LOG_FLIGHTS_MAX];

		refused += x->state == FLIGHT_REFUSED ? x->payload->items : 0;
	}
	pthread_mutex_unlock(&l->mu);
	return refused;
}

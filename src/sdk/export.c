/* SPDX-License-Identifier: Apache-2.0 */
#include "sdk/export.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

#include "base/clock.h"
#include "base/thread.h"
#include "sdk/guest.h"
#include "sdk/own_cond.h"

/*
 * One thread, one queue. The item that is being delivered is out of the queue (`current`), so that dropping the oldest
 * never touches it. While one waits for its next try the others wait behind it: they go to the same place.
 */
/* A server that keeps profiles alone is not told of the others all the time. */
#define UNWANTED_NS (300 * NS_PER_SECOND)

struct exporter {
	struct sink *sink;
	struct exporter_options o;
	struct thread thread;
	_Atomic bool abandon; /* the sink gives up soon */

	pthread_mutex_t mu;  /* guards all that follows */
	pthread_cond_t wake; /* there is something to do */
	pthread_cond_t idle; /* something was done */
	bool stop;
	bool hurry; /* somebody flushes: do not sit out the back-off */
	struct export_item *first, *last, *current;
	uint32_t count; /* in the queue */
	size_t bytes;
	uint64_t random;
	uint64_t sent, confirmed, failed, sent_bytes;
	uint64_t unwanted_until
		[EXPORT_SIGNALS]; /* there is nobody for this kind over there: not before then */
	struct err last_error;
};

struct export_item *export_item_new(enum export_signal signal)
{
	struct export_item *item = calloc(1, sizeof(*item));

	if (item)
		item->signal = signal;
	return item;
}

void export_item_free(struct export_item *item)
{
	if (!item)
		return;
	buf_fini(&item->body);
	buf_fini(&item->packed);
	free(item);
}

static void init_locks(struct exporter *x)
{
	pthread_condattr_t monotonic;

	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_mutex_init(&x->mu, NULL);
	pthread_cond_init(&x->wake, &monotonic);
	pthread_cond_init(&x->idle, &monotonic);
	pthread_condattr_destroy(&monotonic);
}

static struct timespec timespec_of(uint64_t ns)
{
	return (struct timespec){.tv_sec = (time_t)(ns / NS_PER_SECOND),
				 .tv_nsec = (long)(ns % NS_PER_SECOND)};
}

/* -- the queue; the mutex is held --------------------------------------------------------------------------------------- */

static struct export_item *pop(struct exporter *x)
{
	struct export_item *item = x->first;

	if (!item)
		return NULL;
	x->first = item->next;
	if (!x->first)
		x->last = NULL;
	item->next = NULL;
	x->count--;
	x->bytes -= item->body.n;
	return item;
}

static void push(struct exporter *x, struct export_item *item)
{
	item->next = NULL;
	if (x->last)
		x->last->next = item;
	else
		x->first = item;
	x->last = item;
	x->count++;
	x->bytes += item->body.n;
}

static void drop_oldest(struct exporter *x)
{
	export_item_free(pop(x));
	x->failed++;
}

int exporter_put(struct exporter *x, struct export_item *item)
{
	int rc = 0;

	pthread_mutex_lock(&x->mu);
	if (x->unwanted_until[item->signal] > clock_monotonic_ns()) {
		export_item_free(item);
	} else if (item->body.n > x->o.max_bytes) {
		x->failed++;
		export_item_free(item);
		rc = -ENOBUFS;
	} else {
		while (x->count &&
		       (x->count >= x->o.max_items || x->bytes > x->o.max_bytes - item->body.n))
			drop_oldest(x);
		push(x, item);
		pthread_cond_signal(&x->wake);
	}
	pthread_mutex_unlock(&x->mu);
	return rc;
}

/* -- delivery ----------------------------------------------------------------------------------------------------------- */

/* Half to one and a half times `delay`, so that a thousand clients do not come back at once. */
static uint64_t with_jitter(struct exporter *x, uint64_t delay)
{
	x->random ^= x->random << 13;
	x->random ^= x->random >> 7;
	x->random ^= x->random << 17;
	return delay / 2 + x->random % (delay + 1);
}

/* Wait before try number `tries`. The mutex is held. False: there is no time left, or the library stops. */
static bool back_off(struct exporter *x, unsigned tries, uint64_t retry_after_ms, uint64_t give_up)
{
	unsigned shift = tries > 16 ? 15 : tries - 1;
	uint64_t delay = x->o.retry_first_ms << shift;
	uint64_t until;
	struct timespec deadline;

	if (delay > x->o.retry_max_ms)
		delay = x->o.retry_max_ms;
	delay = with_jitter(x, delay);
	if (delay < retry_after_ms)
		delay = retry_after_ms;
	until = clock_monotonic_ns() + delay * NS_PER_MS;
	if (until > give_up)
		return false;
	deadline = timespec_of(until);
	while (!x->stop && !x->hurry)
		if (pthread_cond_timedwait(&x->wake, &x->mu, &deadline) == ETIMEDOUT)
			break;
	x->hurry = false;
	return !x->stop;
}

/* Deliver x->current, as often as it takes. Called and returns with the mutex held. */
static void deliver(struct exporter *x)
{
	uint64_t give_up = clock_monotonic_ns() + x->o.retry_total_ms * NS_PER_MS;
	unsigned tries = 0;
	uint64_t retry_after;
	struct err e;
	int rc;

	x->sent++;
	do {
		e = (struct err){0};
		retry_after = 0;
		x->hurry = false;
		pthread_mutex_unlock(&x->mu);
		rc = x->sink->deliver(x->sink, x->current, x->o.timeout_ms, &retry_after, &e);
		pthread_mutex_lock(&x->mu);
		if (rc)
			x->last_error = e;
	} while (rc == -EAGAIN && back_off(x, ++tries, retry_after, give_up));
	x->sent_bytes += x->current->sent_bytes;
	if (rc == -EOPNOTSUPP && x->current->signal != EXPORT_PROFILES) {
		x->sent--; /* neither a success nor a failure: asked again later */
		x->unwanted_until[x->current->signal] = clock_monotonic_ns() + UNWANTED_NS;
	} else if (rc) {
		x->failed++;
	} else {
		x->confirmed++;
	}
}

static void run(void *arg)
{
	struct exporter *x = arg;

	guest_own_begin();
	pthread_mutex_lock(&x->mu);
	while (!x->stop) {
		x->current = pop(x);
		if (!x->current) {
			pthread_cond_wait(&x->wake, &x->mu);
			continue;
		}
		deliver(x);
		export_item_free(x->current);
		x->current = NULL;
		pthread_cond_broadcast(&x->idle);
	}
	pthread_mutex_unlock(&x->mu);
	guest_own_end();
}

/* -- start and stop ----------------------------------------------------------------------------------------------------- */

static void free_parts(struct exporter *x)
{
	while (x->count)
		drop_oldest(x);
	if (x->sink)
		x->sink->free(x->sink);
	pthread_mutex_destroy(&x->mu);
	pthread_cond_destroy(&x->wake);
	pthread_cond_destroy(&x->idle);
	free(x);
}

int exporter_new(struct exporter **out, struct sink *sink, const struct exporter_options *o,
		 struct err *e)
{
	static const struct exporter_options usual = {16 * MIB, 100, 10000, 1000, 30000, 300000};
	struct exporter *x = calloc(1, sizeof(*x));
	int rc;

	if (!x) {
		sink->free(sink);
		return err_errno(e, -ENOMEM, "start the exporter");
	}
	x->sink = sink;
	x->o = (struct exporter_options){
		.max_bytes = o->max_bytes ? o->max_bytes : usual.max_bytes,
		.max_items = o->max_items ? o->max_items : usual.max_items,
		.timeout_ms = o->timeout_ms ? o->timeout_ms : usual.timeout_ms,
		.retry_first_ms = o->retry_first_ms ? o->retry_first_ms : usual.retry_first_ms,
		.retry_max_ms = o->retry_max_ms ? o->retry_max_ms : usual.retry_max_ms,
		.retry_total_ms = o->retry_total_ms ? o->retry_total_ms : usual.retry_total_ms};
	if (getrandom(&x->random, sizeof(x->random), GRND_NONBLOCK) < 0 || !x->random)
		x->random = clock_monotonic_ns() | 1;
	sink->stop = &x->abandon;
	init_locks(x);
	rc = guest_own_start(&x->thread, "varve-export", run, x, e);
	if (rc) {
		free_parts(x);
		return rc;
	}
	*out = x;
	return 0;
}

int exporter_flush(struct exporter *x, uint64_t timeout_ms)
{
	struct timespec deadline = timespec_of(clock_monotonic_ns() + timeout_ms * NS_PER_MS);
	int rc = 0;

	pthread_mutex_lock(&x->mu);
	x->hurry = true;
	pthread_cond_signal(&x->wake);
	while (!rc && (x->count || x->current))
		rc = -pthread_cond_timedwait(&x->idle, &x->mu, &deadline);
	x->hurry = false;
	pthread_mutex_unlock(&x->mu);
	return rc;
}

void exporter_free(struct exporter *x, uint64_t timeout_ms)
{
	if (!x)
		return;
	if (timeout_ms)
		(void)!exporter_flush(x, timeout_ms); /* what is left is dropped */
	pthread_mutex_lock(&x->mu);
	x->stop = true;
	atomic_store(&x->abandon, true);
	pthread_cond_signal(&x->wake);
	pthread_mutex_unlock(&x->mu);
	thread_join(&x->thread);
	free_parts(x);
}

/* -- fork --------------------------------------------------------------------------------------------------------------- */

void exporter_before_fork(struct exporter *x)
{
	pthread_mutex_lock(&x->mu);
}

void exporter_after_fork(struct exporter *x)
{
	pthread_mutex_unlock(&x->mu);
}

int exporter_in_child(struct exporter *x)
{
	bool busy = x->current != NULL;

	init_locks(x); /* whoever waited for them is not here */
	x->thread = (struct thread){0};
	x->current = NULL; /* the parent's thread was at work on it: it cannot be freed */
	while (x->count)
		drop_oldest(x); /* the parent sends them */
	x->sent = x->confirmed = x->failed = x->sent_bytes = 0;
	x->hurry = false;
	x->random ^= clock_monotonic_ns() | 1;
	if (x->sink->forked)
		x->sink->forked(x->sink, busy);
	return guest_own_start(&x->thread, "varve-export", run, x, NULL);
}

const char *sink_cost(char out[SINK_COST_MAX])
{
	uint64_t cpu_ns = guest_own_cpu_ns() + atomic_load(&guest.hook_ns);

	snprintf(out, SINK_COST_MAX, "varve-profiler: samples=%llu lost=%llu cpu_ns=%llu",
		 (unsigned long long)atomic_load(&guest.samples),
		 (unsigned long long)atomic_load(&guest.lost), (unsigned long long)cpu_ns);
	return out;
}

/* -- questions ---------------------------------------------------------------------------------------------------------- */

void exporter_counters(struct exporter *x, struct varve_delivery *out)
{
	pthread_mutex_lock(&x->mu);
	out->sent = x->sent;
	out->confirmed = x->confirmed;
	out->failed = x->failed;
	out->pending = x->count + (x->current != NULL);
	out->bytes = x->sent_bytes;
	out->success_rate = x->confirmed + x->failed
				    ? (double)x->confirmed / (double)(x->confirmed + x->failed)
				    : 1;
	pthread_mutex_unlock(&x->mu);
}

size_t exporter_last_error(struct exporter *x, char *out, size_t size)
{
	pthread_mutex_lock(&x->mu);
	snprintf(out, size, "%s", x->last_error.text);
	pthread_mutex_unlock(&x->mu);
	return strlen(out);
}

bool exporter_wants_pprof(const struct exporter *x)
{
	return x->sink->pprof;
}

bool exporter_profiles_only(const struct exporter *x)
{
	return x->sink->profiles_only;
}

int exporter_check(struct exporter *x, struct err *e)
{
	enum { CHECK_MS = 5000 };

	return x->sink->check ? x->sink->check(x->sink, CHECK_MS, e) : 0;
}

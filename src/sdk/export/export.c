/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each signal has a lane: a queue and a thread, started with its first item, so that waiting (for a
 * slow server, for the next attempt) affects no other signal. The item being delivered is not in
 * the queue (`current`), so that dropping the oldest item never affects it. All lanes share the
 * limits and the mutex.
 */
#include "sdk/export/export.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

#include "base/clock.h"
#include "base/thread.h"
#include "sdk/collect/own_cond.h"
#include "sdk/hook/guest.h"

/* After a server refused a signal as unsupported, its items are discarded for this long. */
#define UNWANTED_NS (300 * NS_PER_SECOND)

struct exporter;
struct lane {
	struct exporter *exporter;
	struct thread thread; /* started with the first item */
	/* guarded by the exporter's mutex */
	pthread_cond_t wake; /* new item, flush or stop */
	bool hurry;	     /* a flush is waiting: end the back-off */
	struct export_item *first, *last, *current;
	uint64_t unwanted_until; /* the server does not support this signal: discard until then */
};

struct exporter {
	struct sink *sink;
	struct exporter_options o;
	_Atomic bool abandon; /* cancels deliveries */

	pthread_mutex_t mu;  /* guards all fields below */
	pthread_cond_t idle; /* a delivery has ended */
	bool stop;
	uint32_t count; /* items in all queues */
	size_t bytes;
	uint64_t random;
	uint64_t sent, confirmed, failed, sent_bytes;
	struct err last_error;
	struct lane lanes[EXPORT_SIGNALS];
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

static void init_exporter_locks(struct exporter *x)
{
	pthread_condattr_t monotonic;

	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_mutex_init(&x->mu, NULL);
	pthread_cond_init(&x->idle, &monotonic);
	for (size_t i = 0; i < countof(x->lanes); i++)
		pthread_cond_init(&x->lanes[i].wake, &monotonic);
	pthread_condattr_destroy(&monotonic);
}

static struct timespec timespec_of(uint64_t ns)
{
	return (struct timespec){.tv_sec = (time_t)(ns / NS_PER_SECOND),
				 .tv_nsec = (long)(ns % NS_PER_SECOND)};
}

/* -- the queues; all functions require the mutex ----------------------------------------------- */

static struct export_item *pop_item(struct lane *l)
{
	struct export_item *item = l->first;

	if (!item)
		return NULL;
	l->first = item->next;
	if (!l->first)
		l->last = NULL;
	item->next = NULL;
	l->exporter->count--;
	l->exporter->bytes -= item->body.n;
	return item;
}

static void push_item(struct lane *l, struct export_item *item)
{
	item->next = NULL;
	item->put_ns = clock_monotonic_ns();
	if (l->last)
		l->last->next = item;
	else
		l->first = item;
	l->last = item;
	l->exporter->count++;
	l->exporter->bytes += item->body.n;
}

/* Drop the oldest item of all lanes: it belongs to the lane whose deliveries are stuck. */
static void drop_oldest(struct exporter *x)
{
	struct lane *oldest = NULL;

	for (size_t i = 0; i < countof(x->lanes); i++) {
		struct lane *l = &x->lanes[i];

		if (l->first && (!oldest || l->first->put_ns < oldest->first->put_ns))
			oldest = l;
	}
	if (!oldest)
		return;
	export_item_free(pop_item(oldest));
	x->failed++;
}

static void run_lane(void *arg);

int exporter_put(struct exporter *x, struct export_item *item)
{
	struct lane *l = &x->lanes[item->signal];
	int rc = 0;

	pthread_mutex_lock(&x->mu);
	if (l->unwanted_until > clock_monotonic_ns()) {
		export_item_free(item);
		pthread_mutex_unlock(&x->mu);
		return 0;
	}
	if (item->body.n > x->o.max_bytes)
		rc = -ENOBUFS;
	else if (!l->thread.started)
		rc = guest_own_start(&l->thread, "varve-export", run_lane, l, NULL);
	if (rc) {
		x->failed++;
		export_item_free(item);
	} else {
		while (x->count &&
		       (x->count >= x->o.max_items || x->bytes > x->o.max_bytes - item->body.n))
			drop_oldest(x);
		push_item(l, item);
		pthread_cond_signal(&l->wake);
	}
	pthread_mutex_unlock(&x->mu);
	return rc;
}

/* -- delivery ---------------------------------------------------------------------------------- */

/* Return 0.5 to 1.5 times `delay`, so that many clients do not retry at once. */
static uint64_t with_jitter(struct exporter *x, uint64_t delay)
{
	x->random ^= x->random << 13;
	x->random ^= x->random >> 7;
	x->random ^= x->random << 17;
	return delay / 2 + x->random % (delay + 1);
}

/*
 * Wait before attempt number `tries`. Return false when time is up or on stop. Requires the mutex.
 */
static bool back_off(struct lane *l, unsigned tries, uint64_t retry_after_ms, uint64_t give_up)
{
	struct exporter *x = l->exporter;
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
	while (!x->stop && !l->hurry)
		if (pthread_cond_timedwait(&l->wake, &x->mu, &deadline) == ETIMEDOUT)
			break;
	l->hurry = false;
	return !x->stop;
}

/* Deliver l->current, with retries. The mutex is held on entry and return. */
static void deliver_current(struct lane *l)
{
	struct exporter *x = l->exporter;
	uint64_t give_up = clock_monotonic_ns() + x->o.retry_total_ms * NS_PER_MS;
	unsigned tries = 0;
	uint64_t retry_after;
	struct err e;
	int rc;

	x->sent++;
	do {
		e = (struct err){0};
		retry_after = 0;
		l->hurry = false;
		pthread_mutex_unlock(&x->mu);
		rc = x->sink->deliver(x->sink, l->current, x->o.timeout_ms, &retry_after, &e);
		pthread_mutex_lock(&x->mu);
		if (rc)
			x->last_error = e;
	} while (rc == -EAGAIN && back_off(l, ++tries, retry_after, give_up));
	x->sent_bytes += l->current->sent_bytes;
	if (rc == -ENODATA &&
	    (l->current->signal == EXPORT_METRICS || l->current->signal == EXPORT_LOGS))
		rc = -EOPNOTSUPP; /* a server that does not store them rejects all of them */
	if (rc == -EOPNOTSUPP && l->current->signal != EXPORT_PROFILES) {
		x->sent--; /* neither confirmed nor failed: the next attempt is much later */
		l->unwanted_until = clock_monotonic_ns() + UNWANTED_NS;
	} else if (rc) {
		x->failed++;
	} else {
		x->confirmed++;
	}
}

static void run_lane(void *arg)
{
	struct lane *l = arg;
	struct exporter *x = l->exporter;

	guest_own_begin();
	pthread_mutex_lock(&x->mu);
	while (!x->stop) {
		l->current = pop_item(l);
		if (!l->current) {
			pthread_cond_wait(&l->wake, &x->mu);
			continue;
		}
		deliver_current(l);
		export_item_free(l->current);
		l->current = NULL;
		pthread_cond_broadcast(&x->idle);
	}
	pthread_mutex_unlock(&x->mu);
	guest_own_end();
}

/* -- start and stop ---------------------------------------------------------------------------- */

static void exporter_destroy(struct exporter *x)
{
	while (x->count)
		drop_oldest(x);
	if (x->sink)
		x->sink->free(x->sink);
	pthread_mutex_destroy(&x->mu);
	pthread_cond_destroy(&x->idle);
	for (size_t i = 0; i < countof(x->lanes); i++)
		pthread_cond_destroy(&x->lanes[i].wake);
	free(x);
}

int exporter_new(struct exporter **out, struct sink *sink, const struct exporter_options *o,
		 struct err *e)
{
	static const struct exporter_options defaults = {16 * MIB, 100, 10000, 1000, 30000, 300000};
	struct exporter *x = calloc(1, sizeof(*x));

	if (!x) {
		sink->free(sink);
		return err_errno(e, -ENOMEM, "starting the exporter");
	}
	x->sink = sink;
	x->o = (struct exporter_options){
		.max_bytes = o->max_bytes ? o->max_bytes : defaults.max_bytes,
		.max_items = o->max_items ? o->max_items : defaults.max_items,
		.timeout_ms = o->timeout_ms ? o->timeout_ms : defaults.timeout_ms,
		.retry_first_ms = o->retry_first_ms ? o->retry_first_ms : defaults.retry_first_ms,
		.retry_max_ms = o->retry_max_ms ? o->retry_max_ms : defaults.retry_max_ms,
		.retry_total_ms = o->retry_total_ms ? o->retry_total_ms : defaults.retry_total_ms};
	if (getrandom(&x->random, sizeof(x->random), GRND_NONBLOCK) < 0 || !x->random)
		x->random = clock_monotonic_ns() | 1;
	sink->stop = &x->abandon;
	for (size_t i = 0; i < countof(x->lanes); i++)
		x->lanes[i].exporter = x;
	init_exporter_locks(x);
	*out = x;
	return 0;
}

/* Return the number of items being delivered. Requires the mutex. */
static uint32_t count_current(const struct exporter *x)
{
	uint32_t n = 0;

	for (size_t i = 0; i < countof(x->lanes); i++)
		n += x->lanes[i].current != NULL;
	return n;
}

/* Requires the mutex. */
static void set_hurry(struct exporter *x, bool hurry)
{
	for (size_t i = 0; i < countof(x->lanes); i++) {
		x->lanes[i].hurry = hurry;
		if (hurry)
			pthread_cond_signal(&x->lanes[i].wake);
	}
}

int exporter_flush(struct exporter *x, uint64_t timeout_ms)
{
	struct timespec deadline = timespec_of(clock_monotonic_ns() + timeout_ms * NS_PER_MS);
	int rc = 0;

	pthread_mutex_lock(&x->mu);
	set_hurry(x, true);
	while (!rc && (x->count || count_current(x)))
		rc = -pthread_cond_timedwait(&x->idle, &x->mu, &deadline);
	set_hurry(x, false);
	pthread_mutex_unlock(&x->mu);
	return rc;
}

void exporter_free(struct exporter *x, uint64_t timeout_ms)
{
	if (!x)
		return;
	if (timeout_ms)
		(void)!exporter_flush(x, timeout_ms); /* remaining items are dropped */
	pthread_mutex_lock(&x->mu);
	x->stop = true;
	atomic_store(&x->abandon, true);
	set_hurry(x, true);
	pthread_mutex_unlock(&x->mu);
	for (size_t i = 0; i < countof(x->lanes); i++)
		thread_join(&x->lanes[i].thread);
	exporter_destroy(x);
}

/* -- fork -------------------------------------------------------------------------------------- */

void exporter_before_fork(struct exporter *x)
{
	pthread_mutex_lock(&x->mu);
}

void exporter_after_fork(struct exporter *x)
{
	pthread_mutex_unlock(&x->mu);
}

void exporter_in_child(struct exporter *x)
{
	unsigned busy = 0;

	init_exporter_locks(x); /* threads that held or waited for them do not exist here */
	for (size_t i = 0; i < countof(x->lanes); i++) {
		struct lane *l = &x->lanes[i];

		busy |= l->current ? 1u << i : 0;
		l->thread = (struct thread){0};
		l->current = NULL; /* in use by the parent's thread: it cannot be freed */
		l->hurry = false;
	}
	while (x->count)
		drop_oldest(x); /* the parent delivers them */
	x->sent = x->confirmed = x->failed = x->sent_bytes = 0;
	x->random ^= clock_monotonic_ns() | 1;
	if (x->sink->forked)
		x->sink->forked(x->sink, busy);
}

const char *sink_cost(char out[SINK_COST_MAX])
{
	uint64_t cpu_ns = guest_own_cpu_ns() + atomic_load(&guest.hook_ns);

	snprintf(out, SINK_COST_MAX, "varve-profiler: samples=%llu lost=%llu cpu_ns=%llu",
		 (unsigned long long)atomic_load(&guest.samples),
		 (unsigned long long)atomic_load(&guest.lost), (unsigned long long)cpu_ns);
	return out;
}

/* -- counters ---------------------------------------------------------------------------------- */

/* Count the items that have waited longer than the timeout of a delivery. Requires the mutex. */
static uint64_t count_overdue(const struct exporter *x)
{
	uint64_t now = clock_monotonic_ns(), limit = x->o.timeout_ms * NS_PER_MS, n = 0;

	for (size_t i = 0; i < countof(x->lanes); i++) {
		const struct lane *l = &x->lanes[i];

		n += l->current && now - l->current->put_ns > limit;
		for (const struct export_item *at = l->first; at && now - at->put_ns > limit;
		     at = at->next)
			n++;
	}
	return n;
}

void exporter_counters(struct exporter *x, struct varve_delivery *out)
{
	uint64_t all;

	pthread_mutex_lock(&x->mu);
	out->sent = x->sent;
	out->confirmed = x->confirmed;
	out->failed = x->failed;
	out->pending = x->count + count_current(x);
	out->bytes = x->sent_bytes;
	all = x->confirmed + x->failed + count_overdue(x);
	out->success_rate = all ? (double)x->confirmed / (double)all : 1;
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

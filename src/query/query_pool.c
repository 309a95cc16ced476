/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads take jobs from one bounded queue. A long query waits for permits, and a large one for
 * memory, in a list guarded by the pool's mutex; each waiter has its own condition variable and
 * rechecks its deadline and cancellation every RECHECK_MS.
 */
#include "query/query_pool.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"

enum { CLIENTS = 64, RECHECK_MS = 20 };

/* The state of the query that runs on one thread of the pool. */
struct running_query {
	struct query_pool *pool;
	uint64_t client;
	uint64_t since_ns; /* when it began, or got its permit */
	bool is_long, permitted;
	/* guarded by the pool's mu */
	size_t reserved; /* bytes reserved, or requested while it waits for memory */
	bool waits;
	struct running_query *next; /* in the list of waiters */
	pthread_cond_t granted;
};

struct query_pool {
	struct workers threads; /* added under mu */
	_Atomic uint64_t done, refused;
	_Atomic size_t running, paused, reserving_n;
	pthread_mutex_t mu; /* guards the fields below */
	bool closing;
	unsigned long_n;		 /* threads that run long queries */
	unsigned short_n;		 /* minimum number of threads for short queries */
	unsigned permits;		 /* unused permits */
	struct running_query *waiting;	 /* queries waiting for a permit, in order of arrival */
	struct running_query *reserving; /* queries waiting for memory, in order of arrival */
	size_t memory, reserved;	 /* bytes that can be reserved, and are */
	uint64_t grants;		 /* number of permits and reservations granted */
	/* By hash of the client: the value of `grants` when it was last granted one. */
	uint64_t last[CLIENTS];
};

static __thread struct running_query *current_query;

/* ---- permits and reservations; mu is held ---- */

/* A list of queries that wait for the same resource, and their number. */
struct wait_list {
	struct running_query **first;
	_Atomic size_t *n;
};

static struct wait_list permit_waiters(struct query_pool *p)
{
	return (struct wait_list){&p->waiting, &p->paused};
}

static struct wait_list memory_waiters(struct query_pool *p)
{
	return (struct wait_list){&p->reserving, &p->reserving_n};
}

static void remove_waiter(struct wait_list list, struct running_query *t)
{
	struct running_query **at = list.first;

	while (*at && *at != t)
		at = &(*at)->next;
	if (*at)
		*at = t->next;
	t->waits = false;
	atomic_fetch_sub(list.n, 1);
}

static uint64_t *last_grant_of(struct query_pool *p, const struct running_query *t)
{
	return &p->last[t->client % CLIENTS];
}

/* Return the waiter whose client was granted something the longest ago, or NULL. */
static struct running_query *next_waiter(struct query_pool *p, struct wait_list list)
{
	struct running_query *best = *list.first;

	for (struct running_query *t = best ? best->next : NULL; t; t = t->next)
		if (*last_grant_of(p, t) < *last_grant_of(p, best))
			best = t;
	return best;
}

static void wake_waiter(struct query_pool *p, struct wait_list list, struct running_query *t)
{
	remove_waiter(list, t);
	*last_grant_of(p, t) = ++p->grants;
	pthread_cond_signal(&t->granted);
}

/* Pass unused permits to waiters. */
static void grant_permits(struct query_pool *p)
{
	while (p->permits && p->waiting) {
		struct running_query *best = next_waiter(p, permit_waiters(p));

		p->permits--;
		best->permitted = true;
		wake_waiter(p, permit_waiters(p), best);
	}
}

static void grant_memory(struct query_pool *p)
{
	struct running_query *best;

	while ((best = next_waiter(p, memory_waiters(p))) &&
	       (!p->reserved || best->reserved <= p->memory - p->reserved)) {
		p->reserved += best->reserved;
		wake_waiter(p, memory_waiters(p), best);
	}
}

/* Release the reservation of a query that does not wait for one. */
static void release_memory(struct running_query *t)
{
	t->pool->reserved -= t->reserved;
	t->reserved = 0;
}

static void release_permit(struct running_query *t)
{
	if (!t->permitted)
		return;
	t->permitted = false;
	t->pool->permits++;
}

static void add_waiter(struct wait_list list, struct running_query *t)
{
	struct running_query **at = list.first;

	while (*at)
		at = &(*at)->next;
	t->next = NULL;
	t->waits = true;
	*at = t;
	atomic_fetch_add(list.n, 1);
}

/* ---- threads ---- */

static void end_query(struct running_query *t)
{
	struct query_pool *p = t->pool;

	if (!t->is_long)
		return;
	pthread_mutex_lock(&p->mu);
	t->is_long = false;
	p->long_n--;
	release_permit(t);
	grant_permits(p);
	release_memory(t);
	grant_memory(p);
	pthread_mutex_unlock(&p->mu);
}

static void run_query(struct work *work)
{
	struct query_job *job =
		(struct query_job *)((char *)work - offsetof(struct query_job, work));
	struct query_pool *p = job->pool;
	struct running_query query = {
		.pool = p, .client = job->client, .since_ns = clock_monotonic_ns()};
	pthread_condattr_t monotonic;

	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&query.granted, &monotonic);
	pthread_condattr_destroy(&monotonic);
	atomic_fetch_add(&p->running, 1);
	current_query = &query;
	job->run(job); /* may free it */
	current_query = NULL;
	end_query(&query);
	pthread_cond_destroy(&query.granted);
	atomic_fetch_sub(&p->running, 1);
	atomic_fetch_add(&p->done, 1);
}

int query_pool_new(struct query_pool **out, unsigned threads, unsigned waiting, struct err *e)
{
	struct query_pool *p = calloc(1, sizeof(*p));
	int rc = p ? workers_init(&p->threads, waiting) : -ENOMEM;

	if (rc) {
		free(p);
		return err_set(e, rc, "out of memory for the query threads");
	}
	pthread_mutex_init(&p->mu, NULL);
	p->permits = p->short_n = threads;
	while (p->threads.count < threads && p->threads.count < WORKERS_MAX && !rc)
		rc = workers_add(&p->threads, "query", e);
	if (!rc)
		*out = take_ptr(&p);
	query_pool_free(p);
	return rc;
}

void query_pool_free(struct query_pool *p)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->mu);
	p->closing = true; /* no more threads */
	pthread_mutex_unlock(&p->mu);
	workers_stop(&p->threads);
	pthread_mutex_destroy(&p->mu);
	free(p);
}

int query_pool_submit(struct query_pool *p, struct query_job *job)
{
	job->pool = p;
	job->work.run = run_query;
	if (!workers_submit(&p->threads, &job->work, 1))
		return 0;
	atomic_fetch_add(&p->refused, 1);
	return -EAGAIN;
}

/* ---- long queries ---- */

/*
 * Wait until the query is granted the resource of the list. Return 0, or -ETIMEDOUT or -ECANCELED.
 * mu is held.
 */
static int wait_for_grant(struct wait_list list, struct running_query *t, uint64_t deadline_ns,
			  const _Atomic bool *cancelled)
{
	int rc = 0;

	while (t->waits) {
		uint64_t now = clock_monotonic_ns(), until = now + RECHECK_MS * NS_PER_MS;
		struct timespec at = {(time_t)(until / NS_PER_SECOND),
				      (long)(until % NS_PER_SECOND)};

		if (deadline_ns && now > deadline_ns)
			rc = -ETIMEDOUT;
		else if (cancelled && atomic_load(cancelled))
			rc = -ECANCELED;
		if (rc)
			remove_waiter(list, t);
		else
			pthread_cond_timedwait(&t->granted, &t->pool->mu, &at);
	}
	return rc;
}

/* Mark a query as long, and start a thread to replace its own for short queries. mu is held. */
static void become_long(struct query_pool *p, struct running_query *t)
{
	t->is_long = true;
	p->long_n++;
	if (!p->closing && p->threads.count < WORKERS_MAX &&
	    p->threads.count - p->long_n < p->short_n)
		(void)!workers_add(&p->threads, "query", NULL); /* on failure short queries wait */
}

void query_pool_pause(uint64_t deadline_ns, const _Atomic bool *cancelled)
{
	struct running_query *t = current_query;
	uint64_t allowed;
	struct query_pool *p;

	if (!t)
		return;
	allowed = (t->permitted ? QUERY_SLICE_MS : QUERY_LONG_MS) * NS_PER_MS;
	if (clock_monotonic_ns() - t->since_ns < allowed)
		return;
	p = t->pool;
	pthread_mutex_lock(&p->mu);
	if (!t->is_long)
		become_long(p, t);
	if (!t->permitted || p->waiting) {
		add_waiter(permit_waiters(p), t);
		release_permit(t);
		grant_permits(p);
		/* The caller checks the deadline itself. */
		(void)!wait_for_grant(permit_waiters(p), t, deadline_ns, cancelled);
	}
	pthread_mutex_unlock(&p->mu);
	t->since_ns = clock_monotonic_ns();
}

void query_pool_set_memory(struct query_pool *p, size_t bytes)
{
	p->memory = bytes;
}

int query_pool_reserve(size_t bytes, uint64_t deadline_ns, const _Atomic bool *cancelled)
{
	struct running_query *t = current_query;
	struct query_pool *p = t ? t->pool : NULL;
	int rc = 0;

	if (!t)
		return 0;
	pthread_mutex_lock(&p->mu);
	if (!t->is_long)
		become_long(p, t);
	release_memory(t);
	if (atomic_load(&p->reserving_n) >= QUERY_RESERVING_MAX) {
		rc = -EAGAIN;
	} else {
		release_permit(t); /* others may use its permit while it waits */
		grant_permits(p);
		t->reserved = min_size(bytes, p->memory);
		add_waiter(memory_waiters(p), t);
		grant_memory(p);
		rc = wait_for_grant(memory_waiters(p), t, deadline_ns, cancelled);
		t->reserved = rc ? 0 : t->reserved;
	}
	grant_memory(p); /* other waiters may fit now */
	pthread_mutex_unlock(&p->mu);
	t->since_ns = clock_monotonic_ns();
	return rc;
}

void query_pool_stats(struct query_pool *p, struct query_pool_stats *out)
{
	*out = (struct query_pool_stats){
		.done = atomic_load(&p->done),
		.refused = atomic_load(&p->refused),
		.waiting = workers_waiting(&p->threads, NULL),
		.running = atomic_load(&p->running),
		.paused = atomic_load(&p->paused),
		.reserving = atomic_load(&p->reserving_n),
	};
}

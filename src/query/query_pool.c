/* SPDX-License-Identifier: Apache-2.0 */
#include "query/query_pool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"

enum { CLIENTS = 64, LOOK_MS = 20 };

/* What the pool knows of the query that runs on one of its threads. */
struct turn {
	struct query_pool *pool;
	uint64_t client;
	uint64_t since_ns; /* it began, or got its permit */
	bool is_long, permitted;
	/* guarded by the pool's mu */
	size_t reserved; /* bytes; while it waits for memory: that it wants */
	bool waits;
	struct turn *next; /* that waits */
	pthread_cond_t granted;
};

struct query_pool {
	struct queue queue;
	_Atomic uint64_t done, refused;
	_Atomic size_t running, paused, reserving_n;
	pthread_mutex_t mu; /* guards what follows */
	bool closing;
	unsigned thread_n, long_n; /* threads, and those with long queries */
	unsigned short_n;	   /* threads that there are to be for short ones */
	unsigned permits;	   /* that nobody has */
	struct turn *waiting;	   /* for a permit, first come first */
	struct turn *reserving;	   /* for memory, first come first */
	size_t memory, reserved;   /* bytes that can be and are reserved */
	uint64_t grants,
		last[CLIENTS]; /* when a client got one last, counted in grants; clients may share a place */
	struct thread threads[QUERY_THREADS_MAX];
};

static __thread struct turn *own_turn;

/* ---- permits and reservations; mu is held ---- */

/* A list of turns that wait for the same thing, and how many there are. */
struct turn_list {
	struct turn **first;
	_Atomic size_t *n;
};

static struct turn_list for_permits(struct query_pool *p)
{
	return (struct turn_list){&p->waiting, &p->paused};
}

static struct turn_list for_memory(struct query_pool *p)
{
	return (struct turn_list){&p->reserving, &p->reserving_n};
}

static void remove_turn(struct turn_list list, struct turn *t)
{
	struct turn **at = list.first;

	while (*at != t)
		at = &(*at)->next;
	*at = t->next;
	t->waits = false;
	atomic_fetch_sub(list.n, 1);
}

static uint64_t *last_of(struct query_pool *p, const struct turn *t)
{
	return &p->last[t->client % CLIENTS];
}

/* Return the turn whose client got something the longest ago, or NULL. */
static struct turn *next_turn(struct query_pool *p, struct turn_list list)
{
	struct turn *best = *list.first;

	for (struct turn *t = best ? best->next : NULL; t; t = t->next)
		if (*last_of(p, t) < *last_of(p, best))
			best = t;
	return best;
}

static void let_go(struct query_pool *p, struct turn_list list, struct turn *t)
{
	remove_turn(list, t);
	*last_of(p, t) = ++p->grants;
	pthread_cond_signal(&t->granted);
}

static void grant(struct query_pool *p)
{
	while (p->permits && p->waiting) {
		struct turn *best = next_turn(p, for_permits(p));

		p->permits--;
		best->permitted = true;
		let_go(p, for_permits(p), best);
	}
}

static void grant_memory(struct query_pool *p)
{
	struct turn *best;

	while ((best = next_turn(p, for_memory(p))) &&
	       (!p->reserved || best->reserved <= p->memory - p->reserved)) {
		p->reserved += best->reserved;
		let_go(p, for_memory(p), best);
	}
}

/* Give back the reservation of a turn that does not wait for one. */
static void release_memory(struct turn *t)
{
	t->pool->reserved -= t->reserved;
	t->reserved = 0;
}

static void give_back(struct turn *t)
{
	if (!t->permitted)
		return;
	t->permitted = false;
	t->pool->permits++;
}

static void add_turn(struct turn_list list, struct turn *t)
{
	struct turn **at = list.first;

	while (*at)
		at = &(*at)->next;
	t->next = NULL;
	t->waits = true;
	*at = t;
	atomic_fetch_add(list.n, 1);
}

/* ---- threads ---- */

static void turn_end(struct turn *t)
{
	struct query_pool *p = t->pool;

	if (!t->is_long)
		return;
	pthread_mutex_lock(&p->mu);
	t->is_long = false;
	p->long_n--;
	give_back(t);
	grant(p);
	release_memory(t);
	grant_memory(p);
	pthread_mutex_unlock(&p->mu);
}

static void serve(void *arg)
{
	struct query_pool *p = arg;
	struct turn turn = {.pool = p};
	pthread_condattr_t monotonic;
	void *item;

	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&turn.granted, &monotonic);
	pthread_condattr_destroy(&monotonic);
	own_turn = &turn;
	while (!queue_pop(&p->queue, &item, QUEUE_FOREVER)) {
		struct query_job *job = item;

		atomic_fetch_add(&p->running, 1);
		turn.client = job->client;
		turn.since_ns = clock_monotonic_ns();
		job->run(job); /* may free it */
		turn_end(&turn);
		atomic_fetch_sub(&p->running, 1);
		atomic_fetch_add(&p->done, 1);
	}
	own_turn = NULL;
	pthread_cond_destroy(&turn.granted);
}

/* mu is held, or nobody else has the pool yet. */
static int add_thread(struct query_pool *p, struct err *e)
{
	char name[16];
	int rc;

	snprintf(name, sizeof(name), "query-%u", p->thread_n % 1000);
	rc = thread_start(&p->threads[p->thread_n], name, serve, p, e);
	p->thread_n += !rc;
	return rc;
}

int query_pool_new(struct query_pool **out, unsigned threads, unsigned waiting, struct err *e)
{
	struct query_pool *p = calloc(1, sizeof(*p));
	int rc = p ? queue_init(&p->queue, waiting, 0) : -ENOMEM;

	if (rc) {
		free(p);
		return err_set(e, rc, "out of memory for the threads of queries");
	}
	pthread_mutex_init(&p->mu, NULL);
	p->permits = p->short_n = threads;
	while (p->thread_n < threads && p->thread_n < QUERY_THREADS_MAX && !rc)
		rc = add_thread(p, e);
	if (!rc)
		*out = take_ptr(&p);
	query_pool_free(p);
	return rc;
}

void query_pool_free(struct query_pool *p)
{
	unsigned n;

	if (!p)
		return;
	queue_close(&p->queue);
	pthread_mutex_lock(&p->mu);
	p->closing = true; /* no more threads */
	n = p->thread_n;
	pthread_mutex_unlock(&p->mu);
	for (unsigned i = 0; i < n; i++)
		thread_join(&p->threads[i]);
	queue_fini(&p->queue);
	pthread_mutex_destroy(&p->mu);
	free(p);
}

int query_pool_submit(struct query_pool *p, struct query_job *job)
{
	if (!queue_push(&p->queue, job, 1, QUEUE_NOW))
		return 0;
	atomic_fetch_add(&p->refused, 1);
	return -EAGAIN;
}

/* ---- long queries ---- */

/*
 * Wait until the turn is granted what its list is for: 0, or -ETIMEDOUT or -ECANCELED when the query
 * need not go on. mu is held.
 */
static int wait_in(struct turn_list list, struct turn *t, uint64_t deadline_ns,
		   const _Atomic bool *cancelled)
{
	int rc = 0;

	while (t->waits) {
		uint64_t now = clock_monotonic_ns(), until = now + LOOK_MS * NS_PER_MS;
		struct timespec at = {(time_t)(until / NS_PER_SECOND),
				      (long)(until % NS_PER_SECOND)};

		if (deadline_ns && now > deadline_ns)
			rc = -ETIMEDOUT;
		else if (cancelled && atomic_load(cancelled))
			rc = -ECANCELED;
		if (rc)
			remove_turn(list, t);
		else
			pthread_cond_timedwait(&t->granted, &t->pool->mu, &at);
	}
	return rc;
}

/* Its thread is no more for short ones: there has to be another. mu is held. */
static void become_long(struct query_pool *p, struct turn *t)
{
	t->is_long = true;
	p->long_n++;
	if (!p->closing && p->thread_n < QUERY_THREADS_MAX && p->thread_n - p->long_n < p->short_n)
		(void)!add_thread(p, NULL); /* else short ones wait */
}

void query_pool_pause(uint64_t deadline_ns, const _Atomic bool *cancelled)
{
	struct turn *t = own_turn;
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
		add_turn(for_permits(p), t);
		give_back(t);
		grant(p);
		(void)!wait_in(for_permits(p), t, deadline_ns,
			       cancelled); /* the query looks itself */
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
	struct turn *t = own_turn;
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
		give_back(t); /* others may have its permit while it waits */
		grant(p);
		t->reserved = min_size(bytes, p->memory);
		add_turn(for_memory(p), t);
		grant_memory(p);
		rc = wait_in(for_memory(p), t, deadline_ns, cancelled);
		t->reserved = rc ? 0 : t->reserved;
	}
	grant_memory(p); /* those after it may fit */
	pthread_mutex_unlock(&p->mu);
	t->since_ns = clock_monotonic_ns();
	return rc;
}

void query_pool_stats(struct query_pool *p, struct query_pool_stats *out)
{
	*out = (struct query_pool_stats){
		.done = atomic_load(&p->done),
		.refused = atomic_load(&p->refused),
		.waiting = queue_count(&p->queue, NULL),
		.running = atomic_load(&p->running),
		.paused = atomic_load(&p->paused),
		.reserving = atomic_load(&p->reserving_n),
	};
}

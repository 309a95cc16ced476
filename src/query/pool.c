/* SPDX-License-Identifier: Apache-2.0 */
#include "query/pool.h"

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
	bool waits;
	struct turn *next; /* that waits */
	pthread_cond_t granted;
};

struct query_pool {
	struct queue queue;
	_Atomic uint64_t done, refused;
	_Atomic size_t running, paused;
	pthread_mutex_t mu; /* guards what follows */
	bool closing;
	unsigned thread_n, long_n; /* threads, and those with long queries */
	unsigned short_n;	   /* threads that there are to be for short ones */
	unsigned permits;	   /* that nobody has */
	struct turn *waiting;	   /* for a permit, first come first */
	uint64_t grants,
		last[CLIENTS]; /* when a client got one last, counted in grants; clients may share a place */
	struct thread threads[QUERY_THREADS_MAX];
};

static __thread struct turn *own_turn;

/* ---- permits; mu is held ---- */

static void remove_turn(struct query_pool *p, struct turn *t)
{
	struct turn **at = &p->waiting;

	while (*at != t)
		at = &(*at)->next;
	*at = t->next;
	t->waits = false;
	atomic_fetch_sub(&p->paused, 1);
}

static uint64_t *last_of(struct query_pool *p, const struct turn *t)
{
	return &p->last[t->client % CLIENTS];
}

static void grant(struct query_pool *p)
{
	while (p->permits && p->waiting) {
		struct turn *best = p->waiting;

		for (struct turn *t = best->next; t; t = t->next)
			if (*last_of(p, t) < *last_of(p, best))
				best = t;
		remove_turn(p, best);
		p->permits--;
		best->permitted = true;
		*last_of(p, best) = ++p->grants;
		pthread_cond_signal(&best->granted);
	}
}

static void give_back(struct turn *t)
{
	if (!t->permitted)
		return;
	t->permitted = false;
	t->pool->permits++;
}

static void add_turn(struct query_pool *p, struct turn *t)
{
	struct turn **at = &p->waiting;

	while (*at)
		at = &(*at)->next;
	t->next = NULL;
	t->waits = true;
	*at = t;
	atomic_fetch_add(&p->paused, 1);
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

/* Until it has a permit, or need not go on. mu is held. */
static void wait_for_permit(struct turn *t, uint64_t deadline_ns, const _Atomic bool *cancelled)
{
	while (t->waits) {
		uint64_t now = clock_monotonic_ns(), until = now + LOOK_MS * NS_PER_MS;
		struct timespec at = {(time_t)(until / NS_PER_SECOND),
				      (long)(until % NS_PER_SECOND)};

		if ((deadline_ns && now > deadline_ns) || (cancelled && atomic_load(cancelled)))
			remove_turn(t->pool, t);
		else
			pthread_cond_timedwait(&t->granted, &t->pool->mu, &at);
	}
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
		add_turn(p, t);
		give_back(t);
		grant(p);
		wait_for_permit(t, deadline_ns, cancelled);
	}
	pthread_mutex_unlock(&p->mu);
	t->since_ns = clock_monotonic_ns();
}

void query_pool_stats(struct query_pool *p, struct query_pool_stats *out)
{
	*out = (struct query_pool_stats){
		.done = atomic_load(&p->done),
		.refused = atomic_load(&p->refused),
		.waiting = queue_count(&p->queue, NULL),
		.running = atomic_load(&p->running),
		.paused = atomic_load(&p->paused),
	};
}

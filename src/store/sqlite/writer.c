/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writer thread: takes all writes that wait, adds them to the partitions they belong to, commits
 * each partition once, and then answers them all. It is also the only thread that changes files
 * otherwise: others hand it jobs.
 */
#include <stdlib.h>

#include "store/sqlite/writer.h"

enum { QUEUE_MAX = 4096, GROUP_MAX = 512 };

int writer_put(struct store *base, struct store_write *w, struct err *e)
{
	struct sqlite_store *s = store_of(base);
	int rc = 0;

	if (s->options.read_only)
		return err_set(e, -EROFS, "the store is open for reading only");
	w->next = NULL;
	w->duplicates = 0;
	pthread_mutex_lock(&s->queue_mu);
	if (s->closing)
		rc = err_set(e, -EAGAIN, "the store is closing");
	else if (s->waiting >= QUEUE_MAX)
		rc = err_set(e, -EAGAIN, "%u writes are waiting already", s->waiting);
	if (!rc) {
		*s->last = w;
		s->last = &w->next;
		s->waiting++;
		if (s->waiting == 1 || s->waiting == GROUP_MAX)
			pthread_cond_signal(&s->queue_wake);
	}
	pthread_mutex_unlock(&s->queue_mu);
	return rc;
}

struct waiting_job {
	struct job job;
	struct job *inner;
	struct sqlite_store *store;
	bool done;
};

static void run_waiting(struct job *job)
{
	struct waiting_job *w = (struct waiting_job *)job;

	w->inner->run(w->inner);
	pthread_mutex_lock(&w->store->queue_mu);
	w->done = true;
	pthread_cond_broadcast(&w->store->job_done);
	pthread_mutex_unlock(&w->store->queue_mu);
}

int writer_do(struct sqlite_store *s, struct job *job)
{
	struct waiting_job w = {{run_waiting, NULL}, job, s, false};

	if (s->writer.started && pthread_equal(pthread_self(), s->writer.id)) {
		job->run(job);
		return 0;
	}
	pthread_mutex_lock(&s->queue_mu);
	if (!s->writer.started || s->closing) {
		pthread_mutex_unlock(&s->queue_mu);
		return -ESHUTDOWN;
	}
	*s->jobs_last = &w.job;
	s->jobs_last = &w.job.next;
	pthread_cond_signal(&s->queue_wake);
	while (!w.done)
		pthread_cond_wait(&s->job_done, &s->queue_mu);
	pthread_mutex_unlock(&s->queue_mu);
	return 0;
}

/* ---- a group ---- */

/* A write of the group at hand and how it fares. */
struct member {
	struct store_write *write;
	struct err error;
	int rc;
	bool in; /* the partition at hand has rows of it */
};

struct writer_group {
	struct sqlite_store *store;
	uint32_t n;
	struct member at[GROUP_MAX];
};

static uint64_t time_of(const struct store_write *w, const struct profile *p)
{
	return p->time_unix_nano ? p->time_unix_nano : w->received;
}

/* The first day with profiles of the group that is later than `after`; false: none. */
static bool next_day(const struct writer_group *g, int64_t after, uint32_t *day)
{
	bool found = false;

	for (uint32_t i = 0; i < g->n; i++) {
		const struct store_write *w = g->at[i].write;

		for (uint32_t k = 0; !g->at[i].rc && k < w->batch->profiles.n; k++) {
			uint64_t d = time_of(w, &w->batch->profiles.at[k]) / NS_PER_DAY;

			if ((int64_t)d > after && (!found || d < *day)) {
				*day = (uint32_t)d;
				found = true;
			}
		}
	}
	return found;
}

static void fail_member(struct member *m, int rc, const struct err *e)
{
	m->rc = rc == -EUCLEAN ? -EAGAIN : rc; /* the next try finds a new file */
	m->error = *e;
	m->error.code = m->rc;
}

static void write_day(struct writer_group *g, struct partition *p)
{
	struct err e = {0};
	int rc = writer_attach(p, &e);

	if (!rc)
		rc = writer_ready(p, &e);
	for (uint32_t i = 0; i < g->n; i++) {
		struct member *m = &g->at[i];
		struct err own = {0};

		m->in = !m->rc;
		if (m->rc || rc)
			continue;
		m->rc = writer_map(p, m->write, &own);
		if (m->rc) {
			fail_member(m, m->rc, &own);
			m->in = false;
		}
	}
	if (!rc)
		rc = writer_commit(p, &e);
	for (uint32_t i = 0; rc && i < g->n; i++)
		if (g->at[i].in)
			fail_member(&g->at[i], rc, &e);
	if (rc == -EUCLEAN)
		partition_set_aside(p, &e);
	else if (rc)
		log_warn(g->store->log, "a commit failed", LOG_STR("partition", str_from(p->name)),
			 LOG_ERR(&e));
}

static void write_group(struct writer_group *g)
{
	struct partition *touched[8];
	uint32_t touched_n = 0;
	int64_t after = -1;
	uint32_t day;

	while (next_day(g, after, &day)) {
		struct partition *p = partition_get(g->store, day, true);
		struct err e = {0};

		if (p) {
			write_day(g, p);
		} else {
			(void)err_errno(&e, -ENOMEM, "open a partition");
			for (uint32_t i = 0; i < g->n; i++)
				if (!g->at[i].rc)
					fail_member(&g->at[i], -ENOMEM, &e);
		}
		if (p && touched_n < countof(touched))
			touched[touched_n++] = p;
		else
			partition_unref(p);
		after = day;
	}
	for (uint32_t i = 0; i < g->n; i++)
		g->at[i].write->done(g->at[i].write, g->at[i].rc, &g->at[i].error);
	for (uint32_t i = 0; i < touched_n; i++) { /* nobody waits for this */
		writer_checkpoint(touched[i], 2000);
		partition_unref(touched[i]);
	}
}

/* ---- the thread ---- */

/* Wait a while for company; not when there is plenty, or at the end. queue_mu is held. */
static void wait_for_company(struct sqlite_store *s)
{
	uint64_t until = clock_monotonic_ns() + s->options.window_ms * NS_PER_MS;
	struct timespec t = {(time_t)(until / NS_PER_SECOND), (long)(until % NS_PER_SECOND)};

	while (s->waiting < GROUP_MAX && !s->closing && !s->jobs)
		if (pthread_cond_timedwait(&s->queue_wake, &s->queue_mu, &t))
			return;
}

static void take_group(struct sqlite_store *s, struct writer_group *g)
{
	g->n = 0;
	while (s->first && g->n < GROUP_MAX) {
		struct store_write *w = s->first;

		s->first = w->next;
		g->at[g->n++] = (struct member){.write = w};
	}
	if (!s->first)
		s->last = &s->first;
	s->waiting -= g->n;
}

static struct job *take_jobs(struct sqlite_store *s)
{
	struct job *jobs = take_ptr(&s->jobs);

	s->jobs_last = &s->jobs;
	return jobs;
}

void writer_run(void *arg)
{
	struct sqlite_store *s = arg;
	struct writer_group *g = s->group;

	pthread_mutex_lock(&s->queue_mu);
	for (;;) {
		struct job *jobs;

		while (!s->first && !s->jobs && !s->closing)
			pthread_cond_wait(&s->queue_wake, &s->queue_mu);
		if (!s->first && !s->jobs)
			break;
		if (!s->jobs)
			wait_for_company(s);
		take_group(s, g);
		jobs = take_jobs(s);
		pthread_mutex_unlock(&s->queue_mu);
		if (g->n)
			write_group(g);
		while (jobs) {
			struct job *next = jobs->next;

			jobs->run(jobs);
			jobs = next;
		}
		pthread_mutex_lock(&s->queue_mu);
	}
	pthread_mutex_unlock(&s->queue_mu);
}

struct writer_group *writer_group_new(struct sqlite_store *s)
{
	struct writer_group *g = calloc(1, sizeof(*g));

	if (g)
		g->store = s;
	return g;
}

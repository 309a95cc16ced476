/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writer thread and its queue. The thread takes all queued writes as a group, seals the
 * partitions they belong to, commits each partition once, and then answers the writes (group
 * commit). It is the only thread that changes files; other threads hand it jobs.
 *
 * A write of one day is mapped by the thread that calls put(), while the batch is in that thread's
 * CPU cache, if its partition is open and the books of its services are in memory. If only a book
 * or keys of profiles are missing, a loader thread reads them and maps the write (writer_load.h);
 * the writer thread maps all other writes. No thread reads from the disk with map_mu held.
 *
 * A write is mapped and queued in one step (map_mu), so the rows of a commit belong to writes of
 * this group or of the next one. If the commit fails, the partition's ticket changes, and writes
 * with the old ticket fail.
 */
#include "store/sqlite/write/writer.h"

#include <stdlib.h>

#include "store/sqlite/catalog/day.h"
#include "store/sqlite/catalog/partitions.h"
#include "store/sqlite/catalog/time_limits.h"
#include "store/sqlite/metrics/metric_write.h"
#include "store/sqlite/read/reader.h"
#include "store/sqlite/store_state.h"
#include "store/sqlite/write/commit.h"
#include "store/sqlite/write/log_write.h"
#include "store/sqlite/write/span_write.h"
#include "store/sqlite/write/wal.h"
#include "store/sqlite/write/writer_load.h"
#include "store/sqlite/write/writer_map.h"
#include "store/sqlite/write/writer_quota.h"

enum { QUEUE_MAX = 4096, GROUP_LARGE = 512, DAYS_AT_ONCE = 8, DEFER_MAX = 8 };

/*
 * Return whether all profiles or spans have an accepted time of their own, on one day. (The
 * original of a retry without a time may belong to another day.)
 */
static bool is_of_one_day(const struct store_write *w, uint32_t *day)
{
	uint32_t n = w->rejected ? 0 : write_count(w);

	for (uint32_t i = 0; i < n; i++) {
		uint64_t time = write_own_time(w, i);

		if (!time || (i && time / NS_PER_DAY != *day))
			return false;
		*day = (uint32_t)(time / NS_PER_DAY);
	}
	return n;
}

struct writer_side *writer_side_of(struct partition *p)
{
	struct writer_side *side;

	pthread_mutex_lock(&p->mu);
	side = p->writer;
	pthread_mutex_unlock(&p->mu);
	return side;
}

bool writer_is_same(struct partition *p, uint64_t ticket)
{
	const struct writer_side *side = writer_side_of(p);

	return side && side->ready && side->ticket == ticket;
}

struct partition *writer_ready_partition(struct sqlite_store *s, uint32_t day)
{
	struct partition *p = partition_get(s, day, false);
	struct writer_side *side = p ? writer_side_of(p) : NULL;

	if (side && side->ready)
		return p;
	if (p)
		partition_unref(p);
	return NULL;
}

int writer_map_ready(struct partition *p, struct store_write *w, struct writer_need *need,
		     struct err *e)
{
	int rc = w->metrics ? writer_map_metrics(p, w, e)
		 : w->logs  ? writer_map_logs(p, w, e)
		 : w->spans ? writer_map_spans(p, w, e)
			    : writer_map(p, w, need, e);

	w->mapped = !rc;
	w->ticket = p->writer->ticket;
	if (!rc)
		writer_settle(w);	      /* releases the part that was not needed */
	return rc == -EUCLEAN ? -EAGAIN : rc; /* the next try finds a new file */
}

/*
 * Reserve quotas, and map the write if its partition is ready. Return -EINPROGRESS if something has
 * to be loaded first. map_mu is held.
 */
static int reserve_and_map(struct sqlite_store *s, struct store_write *w, struct err *e)
{
	bool one_day = is_of_one_day(w, &w->day);
	/* for profiles without a time look up today's series */
	struct partition *p =
		writer_ready_partition(s, one_day ? w->day : (uint32_t)(w->received / NS_PER_DAY));
	struct writer_need need = {0};
	struct err own = {0};
	int rc = writer_reserve(p, w, e);

	/* the writer thread loads the series of metrics */
	if (!rc && p && one_day && (!w->metrics || p->writer->metrics)) {
		rc = writer_map_ready(p, w, &need, &own);
		if (rc == -ENOMEM) /* the writer thread maps it, and can wait for a commit */
			rc = 0;
		else if (rc && e)
			*e = own;
	}
	if (p)
		partition_unref(p);
	return rc;
}

/* Return 0 if the queue accepts another write, or -EAGAIN. map_mu is held. */
static int check_queue(struct sqlite_store *s, struct err *e)
{
	int rc = 0;

	pthread_mutex_lock(&s->queue_mu);
	if (s->closing)
		rc = err_set(e, -EAGAIN, "the store is closing");
	else if (s->waiting + s->loads_waiting >= QUEUE_MAX)
		rc = err_set(e, -EAGAIN, "%u writes are queued already",
			     s->waiting + s->loads_waiting);
	pthread_mutex_unlock(&s->queue_mu);
	return rc;
}

void writer_queue(struct sqlite_store *s, struct store_write *w)
{
	pthread_mutex_lock(&s->queue_mu);
	*s->last = w;
	s->last = &w->next;
	s->waiting++;
	if (s->waiting == 1 || s->waiting == GROUP_LARGE)
		pthread_cond_signal(&s->queue_wake);
	pthread_mutex_unlock(&s->queue_mu);
}

int writer_put(struct store *base, struct store_write *w, struct err *e)
{
	struct sqlite_store *s = store_of(base);
	int rc;

	if (s->options.read_only)
		return err_set(e, -EROFS, "the store is open for reading only");
	w->next = NULL;
	w->duplicates = 0;
	w->copied = w->mapped = false;
	w->deferred = 0;
	time_limits_check(s, w);
	pthread_mutex_lock(&s->map_mu);
	rc = check_queue(s, e);
	if (!rc)
		rc = reserve_and_map(s, w, e);
	if (rc == -EINPROGRESS) {
		loader_queue(s, w);
		rc = 0;
	} else if (!rc) {
		w->copied = w->mapped;
		rc = w->copied ? STORE_COPIED
			       : 0; /* the writer may free `w` as soon as it is queued */
		writer_queue(s, w);
	} else {
		writer_settle(w);
	}
	pthread_mutex_unlock(&s->map_mu);
	return rc;
}

struct waiting_job {
	struct writer_job job;
	struct writer_job *inner;
	struct sqlite_store *store;
	bool done;
};

static void run_waiting(struct writer_job *job)
{
	struct waiting_job *w = (struct waiting_job *)job;

	w->inner->run(w->inner);
	pthread_mutex_lock(&w->store->queue_mu);
	w->done = true;
	pthread_cond_broadcast(&w->store->job_done);
	pthread_mutex_unlock(&w->store->queue_mu);
}

int writer_do(struct sqlite_store *s, struct writer_job *job)
{
	struct waiting_job w = {{run_waiting, NULL}, job, s, false};

	if (s->writer.started && pthread_equal(pthread_self(), s->writer.id)) {
		job->run(job);
		return 0;
	}
	pthread_mutex_lock(&s->queue_mu);
	if (!s->writer.started || s->finishing) {
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

/* ---- one group ---- */

/* A write of the current group, and its result. */
struct member {
	struct store_write *write;
	bool added; /* has rows in a commit */
	bool defer; /* belongs to the next group */
	int rc;
	struct err error; /* of rc */
};

struct writer_group {
	struct sqlite_store *store;
	struct partition *sealed; /* first of the list of sealed partitions */
	uint64_t answered_ns;	  /* when the previous group was answered */
	uint32_t n;
	struct member at[QUEUE_MAX];
};

/* Set *day to the first day of the write after `after`, or return false. */
static bool next_day_of(const struct store_write *w, int64_t after, uint32_t *day)
{
	bool found = false;

	if (w->mapped) {
		*day = w->day;
		return w->day > after;
	}
	for (uint32_t i = 0, n = write_count(w); i < n; i++) {
		uint64_t time = write_own_time(w, i), d = (time ? time : w->received) / NS_PER_DAY;

		if (time_limits_accept(w, time) && (int64_t)d > after && (!found || d < *day)) {
			*day = (uint32_t)d;
			found = true;
		}
	}
	return found;
}

/* Set *day to the first day of any unfailed write of the group after `after`, or return false. */
static bool next_day(const struct writer_group *g, int64_t after, uint32_t *day)
{
	bool found = false;
	uint32_t d = 0;

	for (uint32_t i = 0; i < g->n; i++)
		if (!g->at[i].rc && next_day_of(g->at[i].write, after, &d) &&
		    (!found || d < *day)) {
			*day = d;
			found = true;
		}
	return found;
}

static bool has_day(const struct store_write *w, uint32_t day)
{
	uint32_t found = 0;

	return next_day_of(w, (int64_t)day - 1, &found) && found == day;
}

/* Return whether a write of the group has metrics of that day. */
static bool has_metrics(const struct writer_group *g, uint32_t day)
{
	for (uint32_t i = 0; i < g->n; i++)
		if (g->at[i].write->metrics && has_day(g->at[i].write, day))
			return true;
	return false;
}

static void fail_member(struct member *m, int rc, const struct err *e)
{
	m->rc = rc == -EUCLEAN || rc == -ESTALE ? -EAGAIN : rc; /* the next try finds a new file */
	m->error = *e;
	m->error.code = m->rc;
}

/* Fail all writes with profiles of that day that have not failed yet. */
static void fail_day(struct writer_group *g, uint32_t day, int rc, const struct err *e)
{
	for (uint32_t i = 0; i < g->n; i++)
		if (!g->at[i].rc && has_day(g->at[i].write, day))
			fail_member(&g->at[i], rc, e);
}

/*
 * Return whether a write that did not fit the memory may wait for the next commits: books with
 * uncommitted rows cannot be evicted before.
 */
static bool may_defer(const struct member *m, const struct partition *p)
{
	return !m->added && commit_rows_any(&p->writer->pending) && m->write->deferred < DEFER_MAX;
}

/*
 * Map the write if it is not mapped yet; if it is, check that its rows still exist. map_mu is held.
 */
static void map_member(struct member *m, struct partition *p)
{
	struct err e = {0};
	int rc = 0;

	if (!has_day(m->write, p->day))
		return;
	if (m->defer)
		return;
	if (!m->write->mapped)
		rc = m->write->metrics ? writer_map_metrics(p, m->write, &e)
		     : m->write->logs  ? writer_map_logs(p, m->write, &e)
		     : m->write->spans ? writer_map_spans(p, m->write, &e)
				       : writer_map_loading(p, m->write, &e);
	else if (m->write->ticket != p->writer->ticket)
		rc = err_set(&e, -EAGAIN, "its rows were discarded after a failed commit");
	m->defer = rc == -ENOMEM && may_defer(m, p);
	m->added |= !rc;
	if (rc && !m->defer)
		fail_member(m, rc, &e);
}

static void set_aside_or_log(struct partition *p, int rc, const struct err *e)
{
	if (rc == -EUCLEAN)
		partition_set_aside(p, e);
	else if (rc == -ESTALE)
		partition_lost(p, e);
	else
		log_warn(p->store->log, "a commit failed", LOG_STR("partition", str_from(p->name)),
			 LOG_ERR(e));
}

static bool is_sealed(const struct writer_group *g, const struct partition *p)
{
	for (const struct partition *x = g->sealed; x; x = x->writer->next_sealed)
		if (x == p)
			return true;
	return false;
}

static uint64_t used_last(struct partition *p)
{
	uint64_t ns;

	pthread_mutex_lock(&p->mu);
	ns = p->used_ns;
	pthread_mutex_unlock(&p->mu);
	return ns;
}

/*
 * Return the least recently used day that can be closed, or NULL, and set *open to the number of
 * open days.
 */
static struct partition *oldest_open(const struct writer_group *g, struct partition **list,
				     uint32_t n, uint32_t *open)
{
	struct partition *oldest = NULL;

	*open = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (!list[i]->writer)
			continue;
		++*open;
		if (!is_sealed(g, list[i]) && (!oldest || used_last(list[i]) < used_last(oldest)))
			oldest = list[i];
	}
	return oldest;
}

/*
 * Close days, the least recently used first, until another day can be opened within open_days.
 * map_mu is not held.
 */
static void close_days(const struct writer_group *g)
{
	uint32_t n, open = 0;
	struct partition **list = partitions_between(g->store, 0, UINT64_MAX, &n);
	struct partition *oldest = list ? oldest_open(g, list, n, &open) : NULL;

	while (oldest && open >= g->store->open_days && writer_detach_idle(oldest)) {
		partition_shrink(oldest);
		oldest = oldest_open(g, list, n, &open);
	}
	partitions_release(list, n);
}

int writer_open(struct partition *p, struct err *e)
{
	if (!p->writer)
		close_days(p->store->group);
	return writer_attach(p, e);
}

/*
 * Map all writes of the day and seal its commit. Takes over the reference to `p`. map_mu is held,
 * and released while the file is opened.
 */
static void seal_day(struct writer_group *g, struct partition *p)
{
	struct err e = {0};
	int rc;

	pthread_mutex_unlock(&g->store->map_mu); /* put() need not wait for the file */
	rc = writer_open(p, &e);
	if (!rc && has_metrics(g, p->day))
		rc = writer_load_metrics(p, &e);
	pthread_mutex_lock(&g->store->map_mu);
	if (!rc)
		rc = writer_ready(p, &e);
	if (rc) {
		fail_day(g, p->day, rc, &e);
		pthread_mutex_unlock(&g->store->map_mu);
		set_aside_or_log(p, rc, &e);
		partition_unref(p);
		pthread_mutex_lock(&g->store->map_mu);
		return;
	}
	for (uint32_t i = 0; i < g->n; i++)
		if (!g->at[i].rc)
			map_member(&g->at[i], p);
	rc = writer_seal(p, &e);
	if (rc) {
		fail_day(g, p->day, rc, &e);
		writer_commit_end(p, rc);
	}
	p->writer->next_sealed = g->sealed;
	g->sealed = p;
}

/*
 * Open today's partition. On error nothing happens: the first write opens it, and reports the
 * error.
 */
static void run_open_today(struct writer_job *job)
{
	struct sqlite_store *s =
		(struct sqlite_store *)((char *)job - offsetof(struct sqlite_store, open_today));
	uint32_t day = (uint32_t)(clock_realtime_ns() / NS_PER_DAY);
	struct partition *p = partition_get(s, day, false);
	struct err ignored = {0};

	if (p && !writer_attach(p, &ignored)) {
		pthread_mutex_lock(&s->map_mu);
		(void)!writer_ready(p, &ignored);
		pthread_mutex_unlock(&s->map_mu);
	}
	if (p)
		partition_unref(p);
}

void writer_open_today(struct sqlite_store *s)
{
	s->open_today.run = run_open_today;
	pthread_mutex_lock(&s->queue_mu);
	*s->jobs_last = &s->open_today;
	s->jobs_last = &s->open_today.next;
	pthread_cond_signal(&s->queue_wake);
	pthread_mutex_unlock(&s->queue_mu);
}

/* Seal up to DAYS_AT_ONCE days after *after. Return whether there are more. map_mu is held. */
static bool seal_days(struct writer_group *g, int64_t *after)
{
	uint32_t day = 0, n = 0;

	while (next_day(g, *after, &day)) {
		struct partition *p;

		if (n++ == min_size(DAYS_AT_ONCE, g->store->open_days))
			return true;
		p = partition_get(g->store, day, true);
		if (p) {
			seal_day(g, p);
		} else {
			struct err e = {0};

			(void)err_errno(&e, -ENOMEM, "open a partition");
			fail_day(g, day, -ENOMEM, &e);
		}
		*after = day;
	}
	return false;
}

static void commit_day(struct writer_group *g, struct partition *p)
{
	struct err e = {0};
	int rc = writer_commit(p, &e);

	pthread_mutex_lock(&g->store->map_mu);
	writer_commit_end(p, rc);
	pthread_mutex_unlock(&g->store->map_mu);
	if (rc) {
		fail_day(g, p->day, rc, &e);
		set_aside_or_log(p, rc, &e);
	} else if (p->writer->log_lost) {
		partition_reopen(p);
	}
}

/* Commit the sealed days. Return the list of those that are still open for writing. */
static struct partition *commit_sealed(struct writer_group *g)
{
	struct partition *p, *next, *done = NULL;

	for (p = take_ptr(&g->sealed); p; p = next) {
		next = p->writer->next_sealed;
		p->writer->next_sealed = done;
		commit_day(g, p);
		if (p->writer)
			done = p;
		else
			partition_unref(p); /* set aside, lost, or to be reopened */
	}
	return done;
}

static void release_committed(struct partition *done)
{
	struct partition *next;

	for (struct partition *p = done; p; p = next) {
		next = p->writer->next_sealed;
		wal_after_commit(p);
		partition_unref(p);
	}
}

static void defer_write(struct sqlite_store *s, struct store_write *w)
{
	w->deferred++;
	w->next = NULL;
	pthread_mutex_lock(&s->map_mu);
	writer_queue(s, w);
	pthread_mutex_unlock(&s->map_mu);
}

/* Commit the group and answer its writes. map_mu is held, and released. */
static void write_group(struct writer_group *g)
{
	struct partition *done;
	int64_t after = -1;
	bool more;

	for (;;) {
		more = seal_days(g, &after);
		pthread_mutex_unlock(&g->store->map_mu);
		done = commit_sealed(g);
		if (!more)
			break;
		release_committed(done); /* they may have to be closed to open the next days */
		pthread_mutex_lock(&g->store->map_mu);
	}
	for (uint32_t i = 0; i < g->n; i++) {
		if (g->at[i].defer) {
			defer_write(g->store, g->at[i].write);
			continue;
		}
		writer_settle(g->at[i].write);
		g->at[i].write->done(g->at[i].write, g->at[i].rc, &g->at[i].error);
	}
	g->answered_ns = clock_monotonic_ns();
	release_committed(done); /* after the answers */
}

/* ---- the thread ---- */

/*
 * Group commit: wait until window_ms have passed since the last group was answered, so that more
 * writes are queued. A write after a pause does not wait, and work between two commits counts as
 * waiting time. Do not wait for a large group, a job, or at shutdown. queue_mu is held.
 */
static void wait_for_group(struct sqlite_store *s)
{
	uint64_t until = s->group->answered_ns + s->options.window_ms * NS_PER_MS;
	struct timespec t = {(time_t)(until / NS_PER_SECOND), (long)(until % NS_PER_SECOND)};

	while (s->waiting < GROUP_LARGE && !s->closing && !s->jobs)
		if (pthread_cond_timedwait(&s->queue_wake, &s->queue_mu, &t))
			return;
}

static void take_group(struct sqlite_store *s, struct writer_group *g)
{
	g->n = 0;
	while (s->first && g->n < QUEUE_MAX) {
		struct member *m = &g->at[g->n++];

		m->write = s->first;
		m->added = m->defer = false;
		m->rc = m->error.code = 0; /* without clearing the whole struct */
		m->error.text[0] = '\0';
		s->first = m->write->next;
	}
	if (!s->first)
		s->last = &s->first;
	s->waiting -= g->n;
}

static struct writer_job *take_jobs(struct sqlite_store *s)
{
	struct writer_job *jobs = take_ptr(&s->jobs);

	s->jobs_last = &s->jobs;
	return jobs;
}

void writer_run(void *arg)
{
	struct sqlite_store *s = arg;
	struct writer_group *g = s->group;

	pthread_mutex_lock(&s->queue_mu);
	for (;;) {
		struct writer_job *jobs;

		while (!s->first && !s->jobs && !s->finishing)
			pthread_cond_wait(&s->queue_wake, &s->queue_mu);
		if (!s->first && !s->jobs)
			break;
		if (!s->jobs)
			wait_for_group(s);
		pthread_mutex_unlock(&s->queue_mu);
		pthread_mutex_lock(&s->map_mu); /* taken before queue_mu */
		pthread_mutex_lock(&s->queue_mu);
		take_group(s, g);
		jobs = take_jobs(s);
		pthread_mutex_unlock(&s->queue_mu);
		if (g->n)
			write_group(g);
		else
			pthread_mutex_unlock(&s->map_mu);
		while (jobs) {
			struct writer_job *next = jobs->next;

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

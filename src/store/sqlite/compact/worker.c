/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The worker thread. Once a second it turns level 0 that is old or large enough into chunks, rolls
 * up finished hours and days, applies retention, and releases the memory of partitions that were
 * not used for a while.
 */

#include "store/sqlite/compact/worker.h"

#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/sqlite/catalog/day.h"
#include "store/sqlite/compact/compact.h"
#include "store/sqlite/compact/log_merge.h"
#include "store/sqlite/compact/retention.h"
#include "store/sqlite/compact/rollup.h"
#include "store/sqlite/compact/signal_drop.h"
#include "store/sqlite/compact/span_merge.h"
#include "store/sqlite/metrics/metric_merge.h"
#include "store/sqlite/write/wal.h"
#include "store/sqlite/write/writer.h"

#define TICK_NS NS_PER_SECOND

/* The memory of a partition is released after this time without use. */
#define IDLE_NS (60 * NS_PER_SECOND)

/* Even when memory is short, a partition keeps its memory this long after its last use. */
#define BUSY_NS (5 * NS_PER_SECOND)

/* Longer than a request takes between getting series numbers and using them. */
#define SERIES_IDLE_NS (600 * NS_PER_SECOND)

/* Level 0 of this size is merged at once. */
#define LEVEL0_LARGE (4 * MIB)

enum {
	SETTLED_SECONDS = 60,
	RETENTION_TICKS = 10,
	SWEEP_TICKS = 60,
	LEVEL0_BLOCKS = 100,
	LOOK_SECONDS = 90,
	LOOK_RARELY_SECONDS = 600,
	WORKER_NICE = 5
};

static bool worker_closing(struct sqlite_store *s)
{
	bool closing;

	pthread_mutex_lock(&s->worker_mu);
	closing = s->worker_closing;
	pthread_mutex_unlock(&s->worker_mu);
	return closing;
}

/* Wait for the next tick. Return true at shutdown. */
static bool worker_wait(struct sqlite_store *s)
{
	uint64_t until = clock_monotonic_ns() + TICK_NS;
	struct timespec t = {(time_t)(until / NS_PER_SECOND), (long)(until % NS_PER_SECOND)};
	bool closing;

	pthread_mutex_lock(&s->worker_mu);
	while (!s->worker_closing && !pthread_cond_timedwait(&s->worker_wake, &s->worker_mu, &t))
		;
	closing = s->worker_closing;
	pthread_mutex_unlock(&s->worker_mu);
	return closing;
}

/* ---- one partition ---- */

/*
 * Return whether level 0 should be merged: by size, by number of blocks (each adds cost to every
 * query) or by age. By number of blocks merging takes at most a tenth of the time, in case there
 * are many groups. Set *look to whether the partition may have hours to finish.
 */
static bool level0_due(struct partition *p, const struct compact_rules *rules, bool *look)
{
	const struct directory *d;
	uint64_t bytes = 0, now = clock_monotonic_ns(), waited;
	bool due;

	pthread_mutex_lock(&p->mu);
	*look = !p->closed_day && now >= p->look_again_ns;
	d = p->directory;
	for (uint32_t i = 0; d && i < d->level0_n; i++)
		bytes += d->level0[i].bytes;
	if (d && !d->level0_n)
		p->merged_ns = now;
	waited = now - p->merged_ns;
	due = d ? bytes >= LEVEL0_LARGE ||
			      (d->level0_n >= LEVEL0_BLOCKS && waited > 10 * p->merge_cost_ns) ||
			      (d->level0_n && waited > p->store->options.compact_ms * NS_PER_MS)
		: *look; /* not in memory */
	pthread_mutex_unlock(&p->mu);
	return due || rules->all;
}

static void note_merged(struct partition *p, uint64_t start)
{
	pthread_mutex_lock(&p->mu);
	p->merged_ns = clock_monotonic_ns();
	p->merge_cost_ns = p->merged_ns - start;
	pthread_mutex_unlock(&p->mu);
}

/*
 * Record that all work on the partition is done; a commit resets that. Work that becomes due by
 * time alone is looked for rarely, so that the memory of an unused partition can be released in
 * between.
 */
static void note_done(struct partition *p, const struct compact_rules *rules)
{
	bool hours = false, open = false;

	pthread_mutex_lock(&p->mu);
	if (p->directory) {
		hours = p->directory->chunks->open & OPEN_HOURS;
		open = p->directory->chunks->open;
	}
	if (p->directory &&
	    (spans_pending(p->directory->spans) || log_merge_pending(p->directory->logs) ||
	     metrics_pending(p->directory->metrics)))
		hours = open = true;
	if (p->directory && !p->directory->level0_n) {
		p->closed_day = !open && rules->now > (p->day + 2) * SECONDS_PER_DAY;
		p->look_again_ns = clock_monotonic_ns() +
				   (hours ? LOOK_SECONDS : LOOK_RARELY_SECONDS) * NS_PER_SECOND;
	}
	pthread_mutex_unlock(&p->mu);
}

struct give_back_job {
	struct writer_job job;
	struct partition *partition;
	bool more;
};

static void run_give_back(struct writer_job *job)
{
	struct give_back_job *g = (struct give_back_job *)job;

	g->more = g->partition->writer && !g->partition->gone && writer_give_back(g->partition);
}

/* Give free pages back in small steps, so that commits run in between; then checkpoint the log. */
static void give_back_pages(struct partition *p)
{
	struct give_back_job g = {{run_give_back, NULL}, p, true};

	while (g.more && !worker_closing(p->store))
		if (writer_do(p->store, &g.job))
			break;
	wal_move(p);
	wal_settle(p);
}

static int work_spans(struct partition *p, const struct compact_rules *rules, struct err *e)
{
	bool commits, more = spans_due(p, rules, &commits), any = more;
	int rc = 0;

	while (!rc && more && !worker_closing(p->store)) {
		rc = spans_merge(p, commits, rules, &more, e);
		wal_move(p);
	}
	if (any)
		give_back_pages(p);
	return rc;
}

static int work_metrics(struct partition *p, const struct compact_rules *rules, struct err *e)
{
	bool more = metrics_due(p, rules), any = more;
	int rc = 0;

	while (!rc && more && !worker_closing(p->store)) {
		rc = metrics_merge(p, rules, &more, e);
		wal_move(p);
	}
	if (any)
		give_back_pages(p);
	return rc;
}

/* What is due is checked again after each merge, so that no small blocks are made of new commits. */
static int work_logs(struct partition *p, const struct compact_rules *rules, struct err *e)
{
	bool commits, more = logs_due(p, rules, &commits), any = more;
	int rc = 0;

	while (!rc && more && !worker_closing(p->store)) {
		rc = logs_merge(p, commits, rules, &more, e);
		wal_move(p);
		more = !rc && more && logs_due(p, rules, &commits);
	}
	if (any)
		give_back_pages(p);
	return rc;
}

/* Drop the signals that are older than their own retention. */
static int work_expired(struct partition *p, const struct compact_rules *rules, struct err *e)
{
	uint32_t signals = signals_expired(p, rules->now);
	bool more = signals, any = false;
	int rc = 0;

	while (!rc && more && !worker_closing(p->store)) {
		rc = signals_drop(p, signals, &more, e);
		any = any || more;
		wal_move(p);
	}
	if (any)
		give_back_pages(p);
	return rc;
}

static int work_partition(struct partition *p, const struct compact_rules *rules, struct err *e)
{
	int rc = work_expired(p, rules, e);
	bool look, more = level0_due(p, rules, &look), merge = more;
	uint64_t start = clock_monotonic_ns();

	while (!rc && more && !worker_closing(p->store)) {
		rc = compact_level0(p, &more, e);
		give_back_pages(p);
	}
	if (merge)
		note_merged(p, start);
	more = look || rules->all;
	while (!rc && more && !worker_closing(p->store)) {
		rc = rollup_finished(p, rules, &more, e);
		wal_move(p);
	}
	if (look || rules->all) /* a deletion may have freed pages too */
		give_back_pages(p);
	if (!rc)
		rc = work_spans(p, rules, e);
	if (!rc)
		rc = work_logs(p, rules, e);
	if (!rc)
		rc = work_metrics(p, rules, e);
	wal_move(p);
	wal_settle(p);
	if (!rc)
		note_done(p, rules);
	return rc;
}

static int work_all(struct sqlite_store *s, const struct compact_rules *rules, struct err *e)
{
	uint32_t n;
	struct partition **list = partitions_between(s, 0, UINT64_MAX, &n);
	int result = list ? 0 : err_errno(e, -ENOMEM, "list the partitions");

	for (uint32_t i = 0; list && i < n && !worker_closing(s); i++) {
		struct err own = {0};
		int rc;

		pthread_mutex_lock(&s->work_mu);
		rc = work_partition(list[i], rules, &own);
		pthread_mutex_unlock(&s->work_mu);

		if (rc == -EUCLEAN)
			partition_damaged(list[i], &own);
		if (!rc || rc == -EUCLEAN || rc == -ENOENT || rc == -ESHUTDOWN)
			continue;
		log_warn(s->log, "background work failed",
			 LOG_STR("partition", str_from(list[i]->name)), LOG_ERR(&own));
		result = rc;
		if (e && !e->code)
			*e = own;
	}
	partitions_release(list, n);
	return result;
}

/* ---- memory ---- */

struct shrink_job {
	struct writer_job job;
	struct partition *partition;
};

static void run_shrink(struct writer_job *job)
{
	struct partition *p = ((struct shrink_job *)job)->partition;

	if (writer_detach_idle(p)) /* else it is in use again */
		partition_shrink(p);
}

/*
 * Release the memory of partitions that were not used for a while and, if memory is short, of the
 * least recently used one.
 */
static void release_partitions(struct sqlite_store *s)
{
	uint64_t now = clock_monotonic_ns(), oldest = UINT64_MAX;
	uint32_t n, at = UINT32_MAX;
	struct partition **list = partitions_between(s, 0, UINT64_MAX, &n);
	bool tight = atomic_load(&s->budget.used) > s->budget.limit / 4 * 3;

	for (uint32_t i = 0; list && i < n; i++) {
		struct shrink_job job = {{run_shrink, NULL}, list[i]};
		uint64_t used;
		bool holds;

		pthread_mutex_lock(&list[i]->mu);
		used = list[i]->used_ns;
		holds = list[i]->writer || list[i]->idle ||
			(list[i]->directory && list[i]->closed_day);
		pthread_mutex_unlock(&list[i]->mu);
		if (holds && used < oldest) {
			oldest = used;
			at = i;
		}
		if (holds && now - used > IDLE_NS && writer_do(s, &job.job))
			break;
	}
	if (tight && at != UINT32_MAX && now - oldest > BUSY_NS) {
		struct shrink_job job = {{run_shrink, NULL}, list[at]};

		if (writer_do(s, &job.job))
			log_debug(s->log, "no memory is released at shutdown");
	}
	partitions_release(list, n);
}

void worker_run(void *arg)
{
	struct sqlite_store *s = arg;

	/* senders wait for the other threads; a failure is harmless */
	(void)!setpriority(PRIO_PROCESS, (id_t)gettid(), WORKER_NICE);
	for (unsigned tick = 0; !worker_wait(s); tick++) {
		struct compact_rules rules = {.now = clock_realtime_ns() / NS_PER_SECOND,
					      .settled = SETTLED_SECONDS};
		struct err e = {0};

		if (tick % RETENTION_TICKS == 0)
			(void)!file_check_all(s); /* already logged */
		if (tick % RETENTION_TICKS == 0 && retention_apply(s, rules.now))
			log_warn(s->log, "old partitions could not be dropped");
		(void)!work_all(s, &rules, &e); /* already logged */
		release_partitions(s);
		if (tick % SWEEP_TICKS == 0)
			registry_sweep(&s->registry, SERIES_IDLE_NS);
	}
}

int sqlite_store_work(struct store *base, bool all, struct err *e)
{
	struct sqlite_store *s = store_of(base);
	struct compact_rules rules = {
		.all = all, .now = clock_realtime_ns() / NS_PER_SECOND, .settled = SETTLED_SECONDS};
	int rc = file_check_all(s);

	if (!rc)
		rc = retention_apply(s, rules.now);
	if (rc)
		rc = err_errno(e, rc, "check the partitions");
	else
		rc = work_all(s, &rules, e);
	if (all)
		registry_sweep(&s->registry, 0);
	return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the store: state, lock, list of partitions, threads. Closes it again. */
#include "store/sqlite/sqlite_store.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "store/sqlite/catalog/changes.h"
#include "store/sqlite/catalog/data_directory.h"
#include "store/sqlite/catalog/partitions.h"
#include "store/sqlite/compact/remove.h"
#include "store/sqlite/compact/worker.h"
#include "store/sqlite/metrics/metric_query.h"
#include "store/sqlite/read/logs/query_logs.h"
#include "store/sqlite/read/query_series.h"
#include "store/sqlite/read/query_stacks.h"
#include "store/sqlite/read/query_visit.h"
#include "store/sqlite/read/spans/query_spans.h"
#include "store/sqlite/read/spans/query_tags.h"
#include "store/sqlite/read/spans/query_traces.h"
#include "store/sqlite/read/spans/span_search.h"
#include "store/sqlite/read/stats.h"
#include "store/sqlite/store_state.h"
#include "store/sqlite/write/writer.h"
#include "store/sqlite/write/writer_load.h"

enum { WINDOW_MS = 15, COMPACT_MS = 10000 };
#define DEFAULT_MEMORY (256 * MIB)

/* Merging may use a quarter of the memory in addition. */
enum { WORK_PART = 4 };

static void do_close(struct store *base);

static const struct store_ops sqlite_store_ops = {
	.put = writer_put,
	.series = query_series,
	.groups = query_groups,
	.stacks = query_stacks,
	.each_stacks = query_each_stacks,
	.points = query_points,
	.scan = query_scan,
	.spans = query_spans,
	.traces = query_traces,
	.tags = query_tags,
	.trace_search = query_trace_search,
	.logs = query_logs,
	.log_counts = query_log_counts,
	.remove = query_remove,
	.metrics = &sqlite_metric_ops,
	.stats = query_stats,
	.version = changes_version,
	.close = do_close,
};

/* ---- open and close ---- */

static void init_sync(struct sqlite_store *s)
{
	pthread_condattr_t monotonic;

	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_mutex_init(&s->mu, NULL);
	pthread_mutex_init(&s->books_mu, NULL);
	pthread_mutex_init(&s->map_mu, NULL);
	pthread_mutex_init(&s->queue_mu, NULL);
	pthread_mutex_init(&s->work_mu, NULL);
	pthread_mutex_init(&s->worker_mu, NULL);
	pthread_cond_init(&s->queue_wake, &monotonic);
	pthread_cond_init(&s->job_done, &monotonic);
	pthread_cond_init(&s->loads_wake, &monotonic);
	pthread_cond_init(&s->worker_wake, &monotonic);
	pthread_condattr_destroy(&monotonic);
}

/*
 * An open day takes three file descriptors, and so does each reader. Half of all are for clients.
 */
static void share_descriptors(struct sqlite_store *s)
{
	enum { LEAST = 2, DAYS_MOST = 64, IDLE_MOST = 512, PART = 16 };
	struct rlimit files;
	uint64_t n = getrlimit(RLIMIT_NOFILE, &files) ? IDLE_MOST : files.rlim_cur / PART;

	n = n < LEAST ? LEAST : n;
	s->open_days = (uint32_t)min_size(n, DAYS_MOST);
	s->idle_most = (uint32_t)min_size(n, IDLE_MOST);
}

/* Writing and readers' caches have separate budgets, so that neither fails because of the other. */
static int store_init(struct sqlite_store *s, const struct sqlite_store_options *o)
{
	size_t memory = o->memory ? o->memory : DEFAULT_MEMORY;

	*s = (struct sqlite_store){
		.base = {&sqlite_store_ops},
		.options = *o,
		.lock_fd = -1,
		.log = o->log,
		.budget = {.limit = memory},
		.cached = {.limit = memory / 2, .own = memory / 4, .rest = o->rest},
		.work = {.limit = memory / WORK_PART}};
	changes_init(s);
	share_descriptors(s);
	s->last = &s->first;
	s->jobs_last = &s->jobs;
	s->loads_last = &s->loads;
	snprintf(s->directory, sizeof(s->directory), "%s", o->directory);
	s->options.directory = s->directory;
	if (!s->options.window_ms)
		s->options.window_ms = WINDOW_MS;
	if (!s->options.compact_ms)
		s->options.compact_ms = COMPACT_MS;
	init_sync(s);
	if (sealed_vfs_new(&s->vfs, o->keys, o->log))
		return -ENOMEM;
	s->group = writer_group_new(s);
	return s->group ? registry_init(&s->registry) : -ENOMEM;
}

static int start_store(struct sqlite_store *s, struct err *e)
{
	int rc = partitions_check_keys(s, e);

	if (!rc && !s->options.read_only)
		rc = data_directory_claim(s, e);
	if (!rc)
		rc = partitions_scan(s, e);
	if (!rc && !s->options.read_only)
		retention_begin(s);
	if (!rc && !s->options.read_only)
		rc = thread_start(&s->writer, "store-writer", writer_run, s, e);
	if (!rc && !s->options.read_only)
		rc = loaders_start(s, e);
	if (!rc && !s->options.read_only && !s->options.manual)
		writer_open_today(s);
	if (!rc && !s->options.read_only && !s->options.manual)
		rc = thread_start(&s->worker, "store-worker", worker_run, s, e);
	return rc;
}

int sqlite_store_open(struct store **out, const struct sqlite_store_options *o, struct err *e)
{
	struct sqlite_store *s = malloc(sizeof(*s));
	int rc;

	if (!s)
		return err_errno(e, -ENOMEM, "open the store");
	if (strlen(o->directory) >= sizeof(s->directory)) {
		free(s);
		return err_set(e, -ENAMETOOLONG, "the name of the data directory is too long");
	}
	rc = store_init(s, o);
	if (rc)
		(void)err_errno(e, rc, "open the store");
	else
		rc = start_store(s, e);
	if (rc) {
		err_prefix(e, "%s", o->directory);
		do_close(&s->base);
		return rc;
	}
	*out = &s->base;
	return 0;
}

static void do_close(struct store *base)
{
	struct sqlite_store *s = store_of(base);

	pthread_mutex_lock(&s->worker_mu);
	s->worker_closing = true;
	pthread_cond_broadcast(&s->worker_wake);
	pthread_mutex_unlock(&s->worker_mu);
	thread_join(&s->worker);
	pthread_mutex_lock(&s->map_mu);
	pthread_mutex_lock(&s->queue_mu);
	s->closing = true;
	pthread_cond_broadcast(&s->loads_wake);
	pthread_mutex_unlock(&s->queue_mu);
	pthread_mutex_unlock(&s->map_mu);
	loaders_join(s);
	pthread_mutex_lock(&s->queue_mu);
	s->finishing = true;
	pthread_cond_broadcast(&s->queue_wake);
	pthread_mutex_unlock(&s->queue_mu);
	thread_join(&s->writer);
	for (uint32_t i = 0; i < s->partition_count; i++)
		writer_detach(s->partitions[i]);
	partitions_fini(s);
	registry_fini(&s->registry);
	free(s->group);
	frame_packer_fini(&s->packer);
	frame_unpacker_fini(&s->unpacker);
	sealed_vfs_free(s->vfs);
	if (s->lock_fd >= 0)
		close(s->lock_fd);
	free(s);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and closing the directory: the lock, the catalogue, the threads. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/sqlite/compact/worker.h"
#include "store/sqlite/internal.h"
#include "store/sqlite/write/writer_load.h"

enum { WINDOW_MS = 15, COMPACT_MS = 10000 };
#define DEFAULT_MEMORY (256 * MIB)

/* What merging may take besides, as a part of it. */
enum { WORK_PART = 4 };

static void do_close(struct store *base);

static const struct store_ops sqlite_store_ops = {
	.put = writer_put,
	.series = query_series,
	.stacks = query_stacks,
	.each_stacks = query_each_stacks,
	.points = query_points,
	.scan = query_scan,
	.spans = query_spans,
	.remove = query_remove,
	.stats = query_stats,
	.version = changes_version,
	.close = do_close,
};

/* ---- the lock ---- */

static int lock_holder(int fd, struct err *e)
{
	char text[32] = {0};
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	return err_set(e, -EBUSY, "another process has the data directory open: pid %ld",
		       strtol(text, NULL, 10));
}

static int lock_directory(struct sqlite_store *s, struct err *e)
{
	char path[4096], text[32];
	int n;

	snprintf(path, sizeof(path), "%s/lock", s->directory);
	s->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (s->lock_fd < 0)
		return err_set(e, -errno, "cannot write in the data directory: %s",
			       strerror(errno));
	if (flock(s->lock_fd, LOCK_EX | LOCK_NB))
		return lock_holder(s->lock_fd, e);
	n = snprintf(text, sizeof(text), "%ld\n", (long)getpid());
	if (ftruncate(s->lock_fd, 0) || pwrite(s->lock_fd, text, (size_t)n, 0) != n)
		return err_set(e, errno ? -errno : -EIO, "cannot write the lock file: %s",
			       strerror(errno));
	return 0;
}

static int make_directory(const struct sqlite_store *s, struct err *e)
{
	char path[4000];

	snprintf(path, sizeof(path), "%s", s->directory);
	for (char *p = path + 1; *p; p++)
		if (*p == '/') {
			*p = '\0';
			(void)mkdir(path, 0755);
			*p = '/';
		}
	if (mkdir(path, 0750) && errno != EEXIST)
		return err_set(e, -errno, "cannot make the data directory: %s", strerror(errno));
	return 0;
}

int directory_claim(struct sqlite_store *s, struct err *e)
{
	struct file_id there;
	char path[4096];
	struct stat st;
	int rc, old = s->lock_fd;

	snprintf(path, sizeof(path), "%s/lock", s->directory);
	if (old >= 0 && (fstat(old, &st) || file_id_get(path, &there) ||
			 (there.device == st.st_dev && there.inode == st.st_ino)))
		return 0;
	if (old >= 0)
		log_error(s->log,
			  "the data directory was removed or replaced while the server runs",
			  LOG_STR("directory", str_from(s->directory)));
	rc = make_directory(s, e);
	if (!rc)
		rc = lock_directory(s, e);
	if (!rc)
		rc = catalog_open(s, e);
	if (rc && s->lock_fd != old) { /* it is tried again */
		if (s->lock_fd >= 0)
			close(s->lock_fd);
		s->lock_fd = old;
	} else if (!rc && old >= 0) {
		close(old);
		s->replaced = true;
	}
	return rc;
}

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

/* A day that is open takes three descriptors, and so does each who reads it. Half of all are for senders. */
static void share_descriptors(struct sqlite_store *s)
{
	enum { LEAST = 2, DAYS_MOST = 64, IDLE_MOST = 512, PART = 16 };
	struct rlimit files;
	uint64_t n = getrlimit(RLIMIT_NOFILE, &files) ? IDLE_MOST : files.rlim_cur / PART;

	n = n < LEAST ? LEAST : n;
	s->open_days = (uint32_t)min_size(n, DAYS_MOST);
	s->idle_most = (uint32_t)min_size(n, IDLE_MOST);
}

/* Books for readers have memory of their own: neither they nor what is written is refused because of the other. */
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
	s->group = writer_group_new(s);
	return s->group ? registry_init(&s->registry) : -ENOMEM;
}

static int start(struct sqlite_store *s, struct err *e)
{
	int rc = 0;

	if (!s->options.read_only)
		rc = directory_claim(s, e);
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
		rc = start(s, e);
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
	if (s->lock_fd >= 0)
		close(s->lock_fd);
	free(s);
}

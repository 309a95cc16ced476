/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files that were read are a sorted list of hashes of path, identity, time and size. A run
 * makes a new list: of the files that match now and need not be read again.
 */
#include "pipeline/receivers/pprof/profile_files.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "pipeline/receivers/pprof/profile_delivery.h"

enum { FILES_MAX = 10000, FILES_DEPTH_MAX = 16, FILE_LABELS = 2 };

struct profile_files {
	const struct pprof_file_settings *settings;
	struct keyvalue labels[FILE_LABELS];
	struct profile_source source;
	uint64_t *seen; /* ascending */
	size_t seen_count;
};

/* Return what changes when the file has to be read again. */
static uint64_t hash_file(const char *path, const struct stat *st)
{
	uint64_t words[] = {XXH3_64bits(path, strlen(path)),
			    st->st_dev,
			    st->st_ino,
			    (uint64_t)st->st_size,
			    (uint64_t)st->st_mtim.tv_sec,
			    (uint64_t)st->st_mtim.tv_nsec};

	return XXH3_64bits(words, sizeof(words));
}

static int compare_seen(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int read_profile_file(int fd, const struct stat *st, struct buf *out, struct err *e)
{
	size_t size = (size_t)st->st_size;
	char *at;

	if (!S_ISREG(st->st_mode))
		return err_set(e, -EINVAL, "not a regular file");
	if (size > PROFILE_BODY_MAX)
		return err_set(e, -EFBIG, "the file has more than %zu bytes",
			       (size_t)PROFILE_BODY_MAX);
	at = buf_reserve(out, size + 1);
	if (!at)
		return -ENOMEM;
	while (out->n < size) {
		ssize_t n = pread(fd, at + out->n, size - out->n, (off_t)out->n);

		if (n < 0)
			return err_set(e, -errno, "%s", strerror(errno));
		if (!n)
			break;
		out->n += (size_t)n;
	}
	return 0;
}

static int deliver_file(struct profile_files *f, int fd, const struct stat *st,
			const struct scrape_run *run, struct err *e)
{
	struct fetched_profile p = {.time = (uint64_t)st->st_mtim.tv_sec * NS_PER_SECOND +
					    (uint64_t)st->st_mtim.tv_nsec,
				    .content_id = true};
	int rc = read_profile_file(fd, st, &p.body, e);

	if (!rc)
		return profile_deliver(&f->source, &p, run, e);
	buf_fini(&p.body);
	return rc;
}

/* Return whether the file was read by an earlier run; set *hash. */
static bool was_read(const struct profile_files *f, const char *path, const struct stat *st,
		     uint64_t *hash)
{
	*hash = hash_file(path, st);
	return f->seen_count &&
	       bsearch(hash, f->seen, f->seen_count, sizeof(*f->seen), compare_seen);
}

/* Deliver a file unless it was read before. Return whether it need not be read again. */
static bool visit_file(struct profile_files *f, const char *path, const struct scrape_run *run,
		       uint64_t *hash)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), rc = 0;
	struct err e = {0};
	struct stat st = {0};
	bool known;

	if (fd < 0 || fstat(fd, &st))
		rc = err_set(&e, -ENOENT, "%s", strerror(errno));
	known = was_read(f, path, &st, hash);
	f->source.name = str_from(path);
	f->source.failing = false; /* the failure of each file is logged */
	if (!known && !rc)
		rc = deliver_file(f, fd, &st, run, &e);
	if (!known)
		profile_source_report(&f->source, run, rc, &e);
	if (fd >= 0)
		close(fd);
	return known || (!scrape_cancelled(run) && !delivery_may_retry(rc));
}

/*
 * Find the files of a pattern. A part that is double stars stands for any number of directories, up
 * to FILES_DEPTH_MAX: the pattern is applied once for each number.
 */
static int find_files(struct str pattern, glob_t *found)
{
	size_t at = str_find_str(pattern, STR("**/"));
	bool deep = at < pattern.n;
	struct buf one = {0};
	int rc = 0;

	for (unsigned depth = 0; depth <= (deep ? FILES_DEPTH_MAX : 0) && !rc; depth++) {
		buf_clear(&one);
		buf_put_str(&one, str_head(pattern, at));
		for (unsigned i = 0; i < depth; i++)
			buf_put_str(&one, STR("*/"));
		buf_put_str(&one, str_from_at(pattern, deep ? at + 3 : pattern.n));
		buf_put_char(&one, '\0');
		rc = buf_error(&one);
		if (!rc && glob(one.p, depth ? GLOB_APPEND : 0, NULL, found) == GLOB_NOSPACE)
			rc = -ENOMEM;
	}
	buf_fini(&one);
	return rc;
}

static void run_files(void *owner, const struct scrape_run *run)
{
	struct profile_files *f = owner;
	glob_t found = {0};
	uint64_t *seen;
	size_t count = 0;

	if (find_files(f->settings->include, &found))
		log_warn(f->source.env->log, "out of memory", LOG_STR("receiver", STR("pprof")));
	if (found.gl_pathc > FILES_MAX) {
		log_warn(f->source.env->log, "too many files: the first ones are read",
			 LOG_STR("include", f->settings->include), LOG_U64("max", FILES_MAX));
		found.gl_pathc = FILES_MAX;
	}
	seen = calloc(found.gl_pathc + 1, sizeof(*seen));
	for (size_t i = 0; seen && i < found.gl_pathc && !scrape_cancelled(run); i++) {
		uint64_t hash;

		if (visit_file(f, found.gl_pathv[i], run, &hash))
			seen[count++] = hash;
	}
	f->source.name = (struct str){0};
	globfree(&found);
	if (!seen)
		return;
	qsort(seen, count, sizeof(*seen), compare_seen);
	free(f->seen);
	f->seen = seen;
	f->seen_count = count;
}

int profile_files_new(struct profile_files **out, const struct component_env *env,
		      const struct pprof_file_settings *settings, struct err *e)
{
	struct profile_files *f = calloc(1, sizeof(*f));

	if (!f)
		return err_set(e, -ENOMEM, "out of memory");
	f->settings = settings;
	f->labels[0] = (struct keyvalue){STR("service_name"), VALUE_OF_STR(str_from(env->id))};
	f->labels[1] = (struct keyvalue){STR("job"), VALUE_OF_STR(str_from(env->id))};
	f->source = (struct profile_source){
		.env = env, .what = "file", .labels = f->labels, .label_count = FILE_LABELS};
	profile_source_counters(&f->source);
	*out = f;
	return 0;
}

void profile_files_free(struct profile_files *f)
{
	if (!f)
		return;
	free(f->seen);
	free(f);
}

int profile_files_start(struct profile_files *f, struct scrape_scheduler *scheduler, struct err *e)
{
	int rc = scrape_add(scheduler,
			    &(struct scrape_spec){.interval = f->settings->interval_ns,
						  .delay = f->settings->initial_delay_ns,
						  .run = run_files,
						  .owner = f},
			    NULL);

	return rc ? err_set(e, rc, "cannot start to read files") : 0;
}

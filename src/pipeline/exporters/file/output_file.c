/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of records. A record is written by writev() at once, so that it survives the end of this
 * process; a record that could be written only in part is cut off again.
 */
#include "pipeline/exporters/file/output_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"

enum { STAMP_SIZE = 24 }; /* "2026-11-15T09-37-00.123" with NUL */

/* Create the directories of a path. */
static int make_directories(char *path, uint32_t mode)
{
	for (char *at = path + 1; *at; at++) {
		int rc;

		if (*at != '/')
			continue;
		*at = '\0';
		rc = mkdir(path, mode);
		*at = '/';
		if (rc && errno != EEXIST)
			return -errno;
	}
	return 0;
}

/* Open f->path for appending; existing content is kept or removed. */
static int open_path(struct output_file *f, bool keep, struct err *e)
{
	int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | (keep ? 0 : O_TRUNC), rc = 0;
	struct stat st;

	if (f->options->create_directory)
		rc = make_directories(f->path, f->options->directory_mode);
	if (!rc) {
		f->fd = open(f->path, flags, 0644);
		rc = f->fd < 0 || fstat(f->fd, &st) ? -errno : 0;
	}
	if (rc)
		return err_errno(e, rc, f->path);
	f->size = (uint64_t)st.st_size;
	return 0;
}

int output_file_open(struct output_file *f, struct str path, const struct output_options *options,
		     const struct log *log, struct err *e)
{
	int rc;

	*f = (struct output_file){.options = options, .log = log, .fd = -1};
	f->path = strndup(path.p, path.n);
	if (!f->path)
		return -ENOMEM;
	rc = open_path(f, options->append || options->rotation.enabled, e);
	if (rc)
		output_file_close(f);
	return rc;
}

void output_file_close(struct output_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	free(f->path);
	f->path = NULL;
	f->fd = -1;
}

/* ---- rotation ---- */

/* The parts of a path: directory/stem.ext. */
struct path_parts {
	struct str directory, stem, extension;
};

static struct path_parts split_path(const char *path)
{
	struct str all = str_from(path);
	size_t slash = str_find_last(all, '/');
	struct str name = slash < all.n ? str_from_at(all, slash + 1) : all;
	size_t dot = str_find_last(name, '.');

	return (struct path_parts){slash < all.n ? str_head(all, slash) : STR("."),
				   str_head(name, dot), str_from_at(name, dot)};
}

static void format_stamp(uint64_t now, bool local, char out[STAMP_SIZE])
{
	time_t seconds = (time_t)(now / NS_PER_SECOND);
	char text[STAMP_SIZE] = "";
	struct tm tm;

	if (local)
		localtime_r(&seconds, &tm);
	else
		gmtime_r(&seconds, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H-%M-%S", &tm);
	snprintf(out, STAMP_SIZE, "%.19s.%03u", text, (unsigned)(now / NS_PER_MS % 1000));
}

/* Return the time text of a rotated file, or an empty string if `name` is not one. */
static struct str stamp_of(const struct path_parts *p, const char *name)
{
	struct str s = str_from(name);

	if (!str_starts(s, p->stem) || !str_ends(s, p->extension) ||
	    s.n != p->stem.n + 1 + STAMP_SIZE - 1 + p->extension.n || s.p[p->stem.n] != '-')
		return (struct str){0};
	return str_head(str_from_at(s, p->stem.n + 1), STAMP_SIZE - 1);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)b, *(char *const *)a); /* the newest first */
}

/* Collect the names of rotated files, newest first. Return their number. */
static size_t list_rotated(const struct path_parts *p, DIR *dir, char **names, size_t max)
{
	const struct dirent *entry;
	size_t n = 0;

	while (n < max && (entry = readdir(dir))) {
		if (!stamp_of(p, entry->d_name).n)
			continue;
		names[n] = strdup(entry->d_name);
		n += names[n] != NULL;
	}
	qsort(names, n, sizeof(*names), compare_names);
	return n;
}

/* Remove rotated files beyond the limits. */
static void remove_old(const struct output_file *f)
{
	enum { MAX_LISTED = 4096 };
	const struct output_rotation *r = &f->options->rotation;
	struct path_parts p = split_path(f->path);
	char oldest[STAMP_SIZE] = "", directory[PATH_MAX];
	uint64_t age = (uint64_t)r->max_days * 86400 * NS_PER_SECOND;
	char **names = calloc(MAX_LISTED, sizeof(*names));
	size_t n = 0;
	DIR *dir;

	snprintf(directory, sizeof(directory), "%.*s", STR_ARG(p.directory));
	dir = opendir(directory[0] ? directory : "/");
	if (names && dir)
		n = list_rotated(&p, dir, names, MAX_LISTED);
	if (r->max_days)
		format_stamp(clock_realtime_ns() - age, r->localtime, oldest);
	for (size_t i = 0; i < n; i++) {
		bool old = str_cmp(stamp_of(&p, names[i]), str_from(oldest)) < 0;

		if ((old || (r->max_backups && i >= (size_t)r->max_backups)) &&
		    unlinkat(dirfd(dir), names[i], 0))
			log_warn(f->log, "cannot remove a rotated file",
				 LOG_STR("file", str_from(names[i])), LOG_I64("errno", errno));
		free(names[i]);
	}
	free(names);
	if (dir)
		closedir(dir);
}

/* Rename the file and begin a new one. On error the old one stays open. */
static int rotate(struct output_file *f, struct err *e)
{
	struct path_parts p = split_path(f->path);
	struct output_file next = *f;
	char stamp[STAMP_SIZE], to[PATH_MAX];
	int rc;

	format_stamp(clock_realtime_ns(), f->options->rotation.localtime, stamp);
	snprintf(to, sizeof(to), "%.*s/%.*s-%s%.*s", STR_ARG(p.directory), STR_ARG(p.stem), stamp,
		 STR_ARG(p.extension));
	if (rename(f->path, to))
		return err_errno(e, -errno, to);
	rc = open_path(&next, true, e);
	if (rc)
		return rc;
	close(f->fd);
	*f = next;
	if (f->options->rotation.max_backups || f->options->rotation.max_days)
		remove_old(f);
	return 0;
}

/* ---- writing ---- */

/* Write all parts. Return 0 or -errno. */
static int write_parts(int fd, struct iovec *parts, uint32_t count)
{
	while (count) {
		ssize_t n = writev(fd, parts, (int)min_size(count, IOV_MAX));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		for (; count && (size_t)n >= parts->iov_len; parts++, count--)
			n -= (ssize_t)parts->iov_len;
		if (count) {
			parts->iov_base = (char *)parts->iov_base + n;
			parts->iov_len -= (size_t)n;
		}
	}
	return 0;
}

int output_file_write(struct output_file *f, struct iovec *parts, uint32_t count, struct err *e)
{
	const struct output_rotation *r = &f->options->rotation;
	uint64_t bytes = 0;
	int rc = 0;

	for (uint32_t i = 0; i < count; i++)
		bytes += parts[i].iov_len;
	if (r->enabled && f->size && f->size + bytes > (uint64_t)r->max_megabytes * MIB)
		rc = rotate(f, e);
	if (rc)
		return rc;
	rc = write_parts(f->fd, parts, count);
	if (!rc) {
		f->size += bytes;
		return 0;
	}
	if (ftruncate(f->fd, (off_t)f->size) && errno != EINVAL)
		log_warn(f->log, "cannot cut off a part of a record",
			 LOG_STR("file", str_from(f->path)), LOG_I64("errno", errno));
	return err_errno(e, rc, f->path);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Files: their marks, attributes and bytes. */
#include "pipeline/receivers/filelog/tail/tail_file.h"

#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { NAME_BUFFER = 4096, FIRST_BYTES_BUFFER = 64 * 1024 };

struct tail_file *tail_file_new(struct str path, dev_t dev, ino_t ino, uint64_t id)
{
	struct tail_file *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	*f = (struct tail_file){.dev = dev, .ino = ino, .fd = -1};
	f->origin.id = id;
	if (tail_file_rename(f, path)) {
		free(f);
		return NULL;
	}
	return f;
}

int tail_file_rename(struct tail_file *f, struct str path)
{
	char *copy = malloc(path.n + 1);

	if (!copy)
		return -ENOMEM;
	memcpy(copy, path.p ? path.p : "", path.n);
	copy[path.n] = 0;
	free(f->path);
	f->path = copy;
	f->origin.path = str_of(copy, path.n);
	return 0;
}

void tail_file_close(struct tail_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
	gzip_stream_free(f->gzip);
	f->gzip = NULL;
}

void tail_file_free(struct tail_file *f)
{
	if (!f)
		return;
	tail_file_close(f);
	free(f->attributes.list.at);
	free(f->texts);
	free(f->path);
	free(f);
}

/* ---- marks ---- */

/* FNV-1a, because marks are stored: hashes of base/ differ from process to process. */
static uint64_t mark_hash(const char *p, size_t n)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (size_t i = 0; i < n; i++)
		hash = (hash ^ (unsigned char)p[i]) * 0x100000001b3u;
	return hash;
}

static ssize_t read_at(int fd, char *to, size_t n, uint64_t at)
{
	size_t done = 0;

	while (done < n) {
		ssize_t got = pread(fd, to + done, n - done, (off_t)(at + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

struct tail_mark tail_first_bytes(int fd, bool is_gzip, size_t max)
{
	char *bytes = malloc(FIRST_BYTES_BUFFER);
	struct gzip_stream *g = is_gzip ? gzip_stream_new() : NULL;
	struct tail_mark mark = {0};
	ssize_t n = 0;

	max = min_size(max, FIRST_BYTES_BUFFER);
	if (bytes && !is_gzip)
		n = read_at(fd, bytes, max, 0);
	else if (bytes && g)
		n = gzip_stream_read(g, fd, bytes, max, 0);
	if (n > 0)
		mark = (struct tail_mark){(uint32_t)n, mark_hash(bytes, (size_t)n)};
	gzip_stream_free(g);
	free(bytes);
	return mark;
}

struct tail_mark tail_bytes_before(int fd, uint64_t at)
{
	size_t n = at < TAIL_MARK_MAX ? (size_t)at : TAIL_MARK_MAX;
	char bytes[TAIL_MARK_MAX];

	if (!n || read_at(fd, bytes, n, at - n) != (ssize_t)n)
		return (struct tail_mark){0};
	return (struct tail_mark){(uint32_t)n, mark_hash(bytes, n)};
}

bool tail_is_gzip(int fd)
{
	unsigned char magic[2];

	return read_at(fd, (char *)magic, 2, 0) == 2 && magic[0] == 0x1f && magic[1] == 0x8b;
}

/* ---- attributes ---- */

/* Texts of attributes that are being collected; offsets, because the buffer moves. */
struct description {
	struct buf texts;
	struct {
		const char *key;
		size_t at, n;
	} items[TAIL_ATTRIBUTES_MAX];
	uint32_t n;
};

static void describe(struct description *d, bool wanted, const char *key, const char *text)
{
	if (!wanted || !text)
		return;
	d->items[d->n].key = key;
	d->items[d->n].at = d->texts.n;
	d->items[d->n++].n = strlen(text);
	buf_put_str(&d->texts, str_from(text));
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void describe_path(struct description *d, const struct tail_file *f,
			  const struct filelog_include *include)
{
	char resolved[PATH_MAX];

	describe(d, include->name, "log.file.name", base_name(f->path));
	describe(d, include->path, "log.file.path", f->path);
	if ((include->name_resolved || include->path_resolved) && realpath(f->path, resolved)) {
		describe(d, include->name_resolved, "log.file.name_resolved", base_name(resolved));
		describe(d, include->path_resolved, "log.file.path_resolved", resolved);
	}
}

static void describe_owner(struct description *d, const struct tail_file *f,
			   const struct filelog_include *include)
{
	char buffer[NAME_BUFFER], mode[8];
	struct passwd user, *found_user = NULL;
	struct group group, *found_group = NULL;
	struct stat st;

	if (f->fd < 0 || fstat(f->fd, &st))
		return;
	if (include->owner && !getpwuid_r(st.st_uid, &user, buffer, sizeof(buffer), &found_user) &&
	    found_user)
		describe(d, true, "log.file.owner.name", user.pw_name);
	if (include->group &&
	    !getgrgid_r(st.st_gid, &group, buffer, sizeof(buffer), &found_group) && found_group)
		describe(d, true, "log.file.owner.group.name", group.gr_name);
	snprintf(mode, sizeof(mode), "%04o", (unsigned)(st.st_mode & 07777));
	describe(d, include->permissions, "log.file.permissions", mode);
}

int tail_file_describe(struct tail_file *f, const struct filelog_include *include)
{
	struct description d = {0};
	struct otlp_attribute *at = calloc(TAIL_ATTRIBUTES_MAX, sizeof(*at));

	describe_path(&d, f, include);
	describe_owner(&d, f, include);
	if (!at || buf_error(&d.texts)) {
		free(at);
		buf_fini(&d.texts);
		return -ENOMEM;
	}
	free(f->attributes.list.at);
	free(f->texts);
	f->texts = d.texts.p;
	f->attributes.list.at = at;
	f->attributes.list.n = f->attributes.list.cap = d.n;
	for (uint32_t i = 0; i < d.n; i++)
		at[i] = (struct otlp_attribute){
			str_from(d.items[i].key),
			VALUE_OF_STR(str_of(d.texts.p + d.items[i].at, d.items[i].n))};
	return 0;
}

/* ---- bytes ---- */

ssize_t tail_file_read(struct tail_file *f, char *to, size_t n, uint64_t at)
{
	if (!f->is_gzip)
		return read_at(f->fd, to, n, at);
	if (!f->gzip)
		f->gzip = gzip_stream_new();
	return f->gzip ? gzip_stream_read(f->gzip, f->fd, to, n, at) : -ENOMEM;
}

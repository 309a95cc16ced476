/* SPDX-License-Identifier: Apache-2.0 */
/* {"version": 1, "files": [{"path": ..., "dev": ..., "ino": ..., "offset": ..., ...}]} */
#include "pipeline/receivers/filelog/tail/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "pipeline/journal/disk_queue.h"
#include "wire/json.h"
#include "wire/json_write.h"

enum { CHECKPOINT_VERSION = 1, CHECKPOINT_FILE_MODE = 0600, CHECKPOINT_DIRECTORY_MODE = 0700 };

/* ---- paths ---- */

int checkpoint_init(struct checkpoint *c, const char *storage, const char *id)
{
	struct buf path = {0};
	int rc;

	*c = (struct checkpoint){0};
	disk_queue_path(&path, storage, id, "filelog");
	rc = buf_error(&path);
	if (!rc) {
		c->directory = strdup(path.p);
		if (asprintf(&c->path, "%s/positions.json", path.p) < 0)
			c->path = NULL;
		if (asprintf(&c->temporary, "%s/positions.json.new", path.p) < 0)
			c->temporary = NULL;
		if (!c->directory || !c->path || !c->temporary)
			rc = -ENOMEM;
	}
	buf_fini(&path);
	return rc;
}

void checkpoint_fini(struct checkpoint *c)
{
	free(c->directory);
	free(c->path);
	free(c->temporary);
	*c = (struct checkpoint){0};
}

/* ---- format ---- */

static void put_mark(struct json_writer *w, const char *key, struct tail_mark mark)
{
	json_put_key(w, str_from(key));
	json_open_array(w);
	json_put_u64(w, mark.n);
	json_put_u64_string(w, mark.hash);
	json_close_array(w);
}

static void put_number(struct json_writer *w, const char *key, uint64_t number)
{
	json_put_key(w, str_from(key));
	json_put_u64_string(w, number);
}

static void put_file(struct json_writer *w, const struct tail_file *f)
{
	struct tail_mark before = f->before;

	if (f->before_at != f->committed)
		before = f->fd >= 0 && !f->is_gzip ? tail_bytes_before(f->fd, f->committed)
						   : (struct tail_mark){0};
	json_open_object(w);
	json_put_key(w, STR("path"));
	json_put_string(w, f->origin.path);
	put_number(w, "dev", f->dev);
	put_number(w, "ino", f->ino);
	put_number(w, "offset", f->committed);
	put_number(w, "records", f->record_number);
	put_mark(w, "first", f->first);
	put_mark(w, "before", before);
	json_put_key(w, STR("skipping"));
	json_put_bool(w, f->skipping && f->committed == f->offset);
	json_close_object(w);
}

void checkpoint_format(struct buf *out, const struct tail_set *s)
{
	struct json_writer w = json_writer_to(out, 0);

	json_open_object(&w);
	json_put_key(&w, STR("version"));
	json_put_u64(&w, CHECKPOINT_VERSION);
	json_put_key(&w, STR("files"));
	json_open_array(&w);
	for (uint32_t i = 0; i < s->count; i++)
		if (!s->files[i]->dead && !s->files[i]->truncated)
			put_file(&w, s->files[i]);
	json_close_array(&w);
	json_close_object(&w);
	buf_put_char(out, '\n');
}

static bool get_mark(const struct json_value *v, struct tail_mark *out)
{
	uint64_t n;

	if (json_count(v) != 2 || json_u64(json_item(v, 0), &n) || n > UINT32_MAX ||
	    json_u64(json_item(v, 1), &out->hash))
		return false;
	out->n = (uint32_t)n;
	return true;
}

static int parse_file(const struct json *doc, const struct json_value *v, struct tail_set *s,
		      struct err *e)
{
	uint64_t dev, ino, offset, records;
	struct tail_mark first, before;
	bool skipping = false;
	struct tail_file *f;

	if (!json_str(json_get(v, STR("path"))).n || json_u64(json_get(v, STR("dev")), &dev) ||
	    json_u64(json_get(v, STR("ino")), &ino) ||
	    json_u64(json_get(v, STR("offset")), &offset) || offset > INT64_MAX ||
	    json_u64(json_get(v, STR("records")), &records) ||
	    !get_mark(json_get(v, STR("first")), &first) ||
	    !get_mark(json_get(v, STR("before")), &before) ||
	    json_bool(json_get(v, STR("skipping")), &skipping))
		return json_fail(doc, v, e, "the position of a file");
	f = tail_set_add(s, json_str(json_get(v, STR("path"))), (dev_t)dev, (ino_t)ino);
	if (!f)
		return -ENOMEM;
	f->offset = f->committed = f->noted = f->before_at = offset;
	f->record_number = records;
	f->first = first;
	f->before = before;
	f->skipping = skipping;
	f->gone_since = 1;
	return 0;
}

int checkpoint_parse(struct str text, struct tail_set *s, struct err *e)
{
	struct arena arena;
	struct json doc;
	const struct json_value *files;
	uint64_t version = 0;
	int rc;

	arena_init(&arena, NULL);
	json_init(&doc, &arena);
	rc = json_parse(&doc, text, e);
	if (!rc && (json_u64(json_get(json_root(&doc), STR("version")), &version) ||
		    version != CHECKPOINT_VERSION))
		rc = err_set(e, -EBADMSG, "unknown version of stored positions");
	files = rc ? NULL : json_get(json_root(&doc), STR("files"));
	if (!rc && json_kind(files) != JSON_ARRAY)
		rc = json_fail(&doc, files, e, "a list of files");
	json_each(file, files)
	{
		if (rc)
			break;
		rc = parse_file(&doc, file, s, e);
	}
	arena_fini(&arena);
	return rc;
}

/* ---- files ---- */

static int read_positions(const char *path, struct buf *out, struct err *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc = 0;
	ssize_t got = 1;

	if (fd < 0)
		return errno == ENOENT ? 0
				       : err_set(e, -errno, "open %s: %s", path, strerror(errno));
	while (!rc && got > 0) {
		char *room = out->n < CHECKPOINT_SIZE_MAX ? buf_reserve(out, 64 * KIB) : NULL;

		got = room ? read(fd, room, 64 * KIB) : 0;
		if (got > 0)
			out->n += (size_t)got;
		if (!room || got < 0)
			rc = err_set(e, -EIO, "cannot read %s", path);
	}
	close(fd);
	return rc;
}

int checkpoint_load(const struct checkpoint *c, struct tail_set *s, struct err *e)
{
	struct buf text = {0};
	int rc = read_positions(c->path, &text, e);

	if (!rc && text.n) {
		rc = checkpoint_parse(buf_str(&text), s, e);
		if (rc)
			err_prefix(e, "%s is damaged (delete it to start over)", c->path);
		s->known_all = s->count > 0;
	}
	buf_fini(&text);
	return rc;
}

static int sync_directory_of(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc;

	if (fd < 0)
		return -errno;
	rc = fsync(fd) ? -errno : 0;
	close(fd);
	return rc;
}

/* Create the directory and the one above it. */
static int make_directories_of(const char *path)
{
	char *above = strdup(path), *slash = above ? strrchr(above, '/') : NULL;
	int rc = above ? 0 : -ENOMEM;

	if (slash && slash > above) {
		*slash = 0;
		if (mkdir(above, CHECKPOINT_DIRECTORY_MODE) && errno != EEXIST)
			rc = -errno;
	}
	if (!rc && mkdir(path, CHECKPOINT_DIRECTORY_MODE) && errno != EEXIST)
		rc = -errno;
	if (!rc && above)
		rc = sync_directory_of(above);
	free(above);
	return rc;
}

static int write_whole(int fd, struct str text)
{
	while (text.n) {
		ssize_t n = write(fd, text.p, text.n);

		if (n < 0 && errno != EINTR)
			return -errno;
		text = str_from_at(text, n > 0 ? (size_t)n : 0);
	}
	return fsync(fd) ? -errno : 0;
}

static int replace_positions(const struct checkpoint *c, struct str text)
{
	const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
	int fd = open(c->temporary, flags, CHECKPOINT_FILE_MODE), rc;

	if (fd < 0 && errno == ENOENT) {
		rc = make_directories_of(c->directory);
		if (rc)
			return rc;
		fd = open(c->temporary, flags, CHECKPOINT_FILE_MODE);
	}
	if (fd < 0)
		return -errno;
	rc = write_whole(fd, text);
	close(fd);
	if (!rc && rename(c->temporary, c->path))
		rc = -errno;
	return rc ? rc : sync_directory_of(c->directory);
}

int checkpoint_store(const struct checkpoint *c, const struct tail_set *s, struct err *e)
{
	struct buf text = {0};
	int rc;

	checkpoint_format(&text, s);
	rc = buf_error(&text);
	if (!rc)
		rc = replace_positions(c, buf_str(&text));
	buf_fini(&text);
	return rc ? err_set(e, rc, "store positions in %s: %s", c->path, strerror(-rc)) : 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Which files are tailed, and which file of the last search is which one of this search. */
#include "pipeline/receivers/filelog/tail/tail_set.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/container/hash.h"
#include "pipeline/receivers/filelog/tail/found_file.h"

#define WARNING_INTERVAL (60 * NS_PER_SECOND)

enum { OPEN_LEAST = 16, FORGET_AT_ONCE = 100 };

#define WARNING_INTERVAL (60 * NS_PER_SECOND)

static uint32_t open_limit(const struct filelog_settings *s)
{
	struct rlimit limit = {0};
	uint64_t most = (uint64_t)s->max_concurrent_files;

	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur / 2 < most)
		most = limit.rlim_cur / 2;
	return (uint32_t)(most > OPEN_LEAST ? most : OPEN_LEAST);
}

int tail_set_init(struct tail_set *s, const struct filelog_settings *settings,
		  const struct log *log, struct err *e)
{
	int rc;

	*s = (struct tail_set){.settings = settings, .log = log, .open_max = open_limit(settings)};
	arena_init(&s->arena, NULL);
	rc = glob_list_init(&s->include, &settings->include, e);
	return rc ? rc : glob_list_init(&s->exclude, &settings->exclude, e);
}

void tail_set_fini(struct tail_set *s)
{
	for (uint32_t i = 0; i < s->count; i++)
		tail_file_free(s->files[i]);
	free(s->files);
	free(s->slots);
	glob_list_fini(&s->include);
	glob_list_fini(&s->exclude);
	arena_fini(&s->arena);
	*s = (struct tail_set){0};
}

/* ---- the table by inode ---- */

static uint32_t inode_slot(const struct tail_set *s, dev_t dev, ino_t ino)
{
	return hash_u64((uint64_t)dev * 31 + (uint64_t)ino) & (s->slot_count - 1);
}

static void index_file(struct tail_set *s, uint32_t i)
{
	uint32_t at = inode_slot(s, s->files[i]->dev, s->files[i]->ino);

	while (s->slots[at])
		at = (at + 1) & (s->slot_count - 1);
	s->slots[at] = i + 1;
}

/* Make the table again, with room for `count` files; it never shrinks. Return 0 or -ENOMEM. */
static int index_files(struct tail_set *s, uint32_t count)
{
	uint32_t slots = 64;

	while (slots < 2 * count + 2)
		slots *= 2;
	if (slots > s->slot_count) {
		uint32_t *table = calloc(slots, sizeof(*table));

		if (!table)
			return -ENOMEM;
		free(s->slots);
		s->slots = table;
		s->slot_count = slots;
	}
	memset(s->slots, 0, s->slot_count * sizeof(*s->slots));
	for (uint32_t i = 0; i < s->count; i++)
		if (!s->files[i]->dead && !s->files[i]->truncated)
			index_file(s, i);
	return 0;
}

static struct tail_file *find_inode(const struct tail_set *s, dev_t dev, ino_t ino)
{
	if (!s->slot_count)
		return NULL;
	for (uint32_t at = inode_slot(s, dev, ino); s->slots[at];
	     at = (at + 1) & (s->slot_count - 1)) {
		struct tail_file *f = s->files[s->slots[at] - 1];

		if (f->dev == dev && f->ino == ino && !f->dead && !f->truncated)
			return f;
	}
	return NULL;
}

struct tail_file *tail_set_add(struct tail_set *s, struct str path, dev_t dev, ino_t ino)
{
	struct tail_file *f, **files;
	uint32_t room = s->room ? 2 * s->room : 64;

	if (s->count >= TAIL_FILES_MAX)
		return NULL;
	if (s->count == s->room) {
		files = realloc(s->files, room * sizeof(struct tail_file *));
		if (!files)
			return NULL;
		s->files = files;
		s->room = room;
	}
	f = tail_file_new(path, dev, ino, s->last_id + 1);
	if (!f)
		return NULL;
	s->last_id++;
	s->files[s->count++] = f;
	if (2 * s->count + 2 > s->slot_count) {
		if (index_files(s, 2 * s->count)) {
			s->count--;
			tail_file_free(f);
			return NULL;
		}
	} else {
		index_file(s, s->count - 1);
	}
	return f;
}

/* ---- opening ---- */

static void detach_file(struct tail_set *s, struct tail_file *f)
{
	if (f->fd >= 0)
		s->open--;
	tail_file_close(f);
}

/* Give the descriptor to a file. */
static int attach_file(struct tail_set *s, struct tail_file *f, struct found_file *found,
		       uint64_t now)
{
	f->fd = found->fd;
	found->fd = -1;
	s->open++;
	f->dev = found->st.st_dev;
	f->ino = found->st.st_ino;
	f->is_gzip = found->is_gzip;
	f->first = found->first;
	f->seen = true;
	f->gone_since = 0;
	f->grown = now;
	f->size = (uint64_t)found->st.st_size;
	f->read_size = UINT64_MAX;
	if (tail_file_describe(f, &s->settings->attach))
		return -ENOMEM;
	if (s->open > s->open_max) /* it is opened again when it is its turn */
		detach_file(s, f);
	return 0;
}

/* Return whether a file may be closed: it is read, and its position is noted and accepted. */
static bool is_idle(const struct tail_file *f)
{
	return !f->in_flight && !f->dirty && !f->origin.held && f->committed == f->offset &&
	       f->read_size == f->size;
}

/* Close files until `most` are open, those first that did not grow for longest. */
static void close_over_limit(struct tail_set *s, uint32_t most)
{
	while (s->open > most) {
		struct tail_file *oldest = NULL;

		for (uint32_t i = 0; i < s->count; i++) {
			struct tail_file *f = s->files[i];

			if (f->fd >= 0 && is_idle(f) &&
			    (!f->partial || !s->settings->force_flush_period) &&
			    (!oldest || f->grown < oldest->grown))
				oldest = f;
		}
		if (!oldest)
			break;
		detach_file(s, oldest);
	}
}

int tail_set_open(struct tail_set *s, struct tail_file *f)
{
	struct stat st;
	int fd;

	close_over_limit(s, s->open_max - 1);
	if (s->open >= s->open_max)
		return -EMFILE;
	fd = open(f->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || st.st_dev != f->dev || st.st_ino != f->ino) {
		close(fd);
		return -ESTALE;
	}
	f->fd = fd;
	s->open++;
	return 0;
}

/* ---- identity ---- */

/* Return the file whose content the file that was found continues, or NULL. */
static struct tail_file *find_original(const struct tail_set *s, const struct found_file *found)
{
	for (uint32_t i = s->count; i-- > 0;)
		if (s->files[i]->fd < 0 &&
		    found_file_replaces(found, s->files[i], s->settings->fingerprint_size))
			return s->files[i];
	return NULL;
}

/*
 * Return whether it is not known yet if the file that was found is a copy: it is recent, or the
 * original is gone and still open, and its position can be taken over when it is closed.
 */
static bool must_wait(const struct tail_set *s, const struct found_file *found)
{
	bool recent = found_file_is_recent(found, TAIL_COPY_PATIENCE);

	for (uint32_t i = 0; s->searched && i < s->count; i++)
		if ((recent || s->files[i]->gone_since) &&
		    found_file_may_be_copy(found, s->files[i]))
			return true;
	return false;
}

/* The content changed although the file is the same: its former content may be in a copy. */
static void note_truncated(struct tail_set *s, struct tail_file *f, uint64_t now)
{
	struct tail_file *former = f->offset ? tail_set_add(s, f->origin.path, 0, 0) : NULL;

	log_info(s->log, "file was truncated", LOG_STR("path", f->origin.path));
	if (former) {
		former->truncated = true;
		former->first = f->first;
		former->before = f->before;
		former->before_at = f->before_at;
		former->offset = former->committed = former->noted = f->offset;
		former->gone_since = now;
	}
}

/* Start over in a file with other content. */
static void restart_file(struct tail_set *s, struct tail_file *f, uint64_t size, uint64_t now)
{
	bool new_only = str_eq(s->settings->on_truncate, STR("read_new"));

	note_truncated(s, f, now);
	f->offset = f->noted = f->committed = new_only ? size : 0;
	f->before = (struct tail_mark){0};
	f->before_at = 0;
	f->record_number = 0;
	f->skipping = f->partial = false;
	f->read_size = UINT64_MAX;
	f->origin.id = ++s->last_id; /* the reader's bytes are not of this content */
	s->changed = true;
}

/* Look at an open file: its size, and whether it is still the same content. */
static void look_at(struct tail_set *s, struct tail_file *f, uint64_t now)
{
	size_t most = (size_t)s->settings->fingerprint_size;
	struct tail_mark first;
	struct stat st;
	uint64_t size;

	if (f->fd < 0 || fstat(f->fd, &st))
		return;
	size = (uint64_t)st.st_size;
	if (size == f->size)
		return;
	first = tail_first_bytes(f->fd, f->is_gzip, f->first.n ? f->first.n : most);
	if ((!f->is_gzip && size < f->offset) || (f->first.n && !tail_mark_eq(first, f->first))) {
		restart_file(s, f, size, now);
		first = (struct tail_mark){0};
	}
	if (first.n < most)
		first = tail_first_bytes(f->fd, f->is_gzip, most);
	f->first = first;
	f->size = size;
	f->grown = now;
}

/* ---- searching ---- */

/* Where to start in a file that is not known. */
static uint64_t start_offset(const struct tail_set *s, const struct found_file *found)
{
	if (s->searched || s->known_all || found->is_gzip ||
	    str_eq(s->settings->start_at, STR("beginning")))
		return 0;
	return (uint64_t)found->st.st_size;
}

static int add_found(struct tail_set *s, struct found_file *found, uint64_t now)
{
	struct tail_file *f = find_original(s, found);

	if (f) {
		log_info(s->log, "file is a copy of a known one", LOG_STR("path", found->path));
		f->truncated = false;
		f->dev = found->st.st_dev;
		f->ino = found->st.st_ino;
		if (tail_file_rename(f, found->path) || index_files(s, s->count))
			return -ENOMEM;
		return attach_file(s, f, found, now);
	}
	if (must_wait(s, found))
		return 0;
	f = tail_set_add(s, found->path, found->st.st_dev, found->st.st_ino);
	if (!f) {
		log_warn(s->log, "file is not read: too many files", LOG_STR("path", found->path));
		return 0;
	}
	f->offset = f->committed = f->noted = start_offset(s, found);
	s->changed = true;
	return attach_file(s, f, found, now);
}

/* A closed file has the inode of a file that was found: the same file, or another one by now. */
static int reopen_found(struct tail_set *s, struct tail_file *f, struct found_file *found,
			uint64_t now)
{
	if (found_file_continues(found, f)) {
		if (!str_eq(f->origin.path, found->path) && tail_file_rename(f, found->path))
			return -ENOMEM;
		return attach_file(s, f, found, now);
	}
	f->dead = true;
	return index_files(s, s->count) ? -ENOMEM : add_found(s, found, now);
}

static bool is_excluded(const struct tail_set *s, const struct glob_file *g)
{
	uint64_t limit = s->settings->exclude_older_than, now = clock_realtime_ns();

	if (limit && (uint64_t)g->modified * NS_PER_SECOND + limit < now)
		return true;
	return s->exclude.patterns.n && glob_list_matches(&s->exclude, g->path);
}

/* A file of the last search was found again. */
static int meet_known(struct tail_set *s, struct tail_file *f, const struct glob_file *g,
		      uint64_t now)
{
	bool moved = !f->seen && !str_eq(f->origin.path, g->path);
	int rc = moved ? tail_file_rename(f, g->path) : 0;

	f->gone_since = 0;
	f->seen = true;
	if (moved && !rc)
		rc = tail_file_describe(f, &s->settings->attach);
	if (g->size != f->size)
		look_at(s, f, now);
	return rc;
}

/* Log a file that cannot be opened, now and then: it is tried again by each search. */
static void note_unreadable(struct tail_set *s, struct str path, int rc, uint64_t now)
{
	if (rc == -ENOENT || (s->warned && now - s->warned < WARNING_INTERVAL))
		return;
	s->warned = now;
	log_warn(s->log, "cannot open file", LOG_STR("path", path),
		 LOG_STR("err", str_from(strerror(-rc))));
}

/* Look at one file of the search. */
static int meet_file(struct tail_set *s, const struct glob_file *g, uint64_t now)
{
	struct found_file found = {.path = g->path, .fd = -1};
	struct tail_file *f = find_inode(s, g->dev, g->ino);
	int rc;

	if (is_excluded(s, g))
		return 0;
	if (f && (f->fd >= 0 || (!f->gone_since && f->size == g->size)))
		return meet_known(s, f, g, now);
	rc = found_file_open(&found, s->settings);
	if (rc) {
		note_unreadable(s, g->path, rc, now);
		return 0;
	}
	if (!f || f->dev != found.st.st_dev || f->ino != found.st.st_ino)
		f = find_inode(s, found.st.st_dev, found.st.st_ino);
	if (!f)
		rc = add_found(s, &found, now);
	else if (f->fd >= 0)
		rc = 0; /* the path was replaced in between: the next search sees it */
	else
		rc = reopen_found(s, f, &found, now);
	if (found.fd >= 0)
		close(found.fd);
	return rc;
}

static int compare_files(const void *a, const void *b)
{
	return str_cmp(((const struct glob_file *)a)->path, ((const struct glob_file *)b)->path);
}

/* Files that are not found any more are read to their end. */
static void note_gone(struct tail_set *s, uint64_t now)
{
	for (uint32_t i = 0; i < s->count; i++) {
		struct tail_file *f = s->files[i];

		if (f->seen)
			continue;
		if (!f->gone_since)
			f->gone_since = now;
		look_at(s, f, now);
	}
}

int tail_set_search(struct tail_set *s, uint64_t now)
{
	struct glob_files files = {0};
	const struct glob_file *at;
	int rc;

	arena_reset(&s->arena);
	for (uint32_t i = 0; i < s->count; i++)
		s->files[i]->seen = false;
	rc = glob_find(&s->include, &s->arena, &files);
	if (rc == -E2BIG)
		log_warn(s->log, "the patterns match too many files: some are not read");
	else if (rc)
		return rc;
	at = files.list.at;
	if (files.list.n)
		qsort(files.list.at, files.list.n, sizeof(*at), compare_files);
	rc = 0;
	/* known files first: a truncation explains a new copy */
	for (unsigned pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < files.list.n && !rc; i++)
			if ((find_inode(s, at[i].dev, at[i].ino) != NULL) == !pass &&
			    (!i || !str_eq(at[i].path, at[i - 1].path)))
				rc = meet_file(s, &at[i], now);
	note_gone(s, now);
	s->searched = true;
	return rc;
}

/* ---- reading and closing ---- */

bool tail_set_wants(const struct tail_set *s, const struct tail_file *f, uint64_t now, bool *flush)
{
	uint64_t period = s->settings->force_flush_period;

	*flush = false;
	if (f->dead || f->truncated || (f->fd < 0 && f->gone_since))
		return false;
	*flush = f->partial && period && now - f->grown >= period;
	return *flush || f->size != f->read_size;
}

/* Close files that are gone. The former content of a truncated file is remembered no longer. */
static void close_gone(struct tail_set *s, uint64_t now)
{
	for (uint32_t i = 0; i < s->count; i++) {
		struct tail_file *f = s->files[i];
		uint64_t last = f->gone_since > f->grown ? f->gone_since : f->grown;

		if (f->truncated && now - f->gone_since >= TAIL_GONE_PATIENCE)
			f->dead = true;
		if (f->fd >= 0 && f->gone_since && is_idle(f) && now - last >= TAIL_GONE_PATIENCE)
			detach_file(s, f);
	}
}

/* Forget some of the files that are gone for longest, if there are too many. */
static void forget_some(struct tail_set *s)
{
	uint32_t remembered = 0;

	for (uint32_t i = 0; i < s->count; i++)
		remembered += s->files[i]->fd < 0 && s->files[i]->gone_since && !s->files[i]->dead;
	for (unsigned n = 0; remembered > TAIL_REMEMBERED_MAX && n < FORGET_AT_ONCE; n++) {
		struct tail_file *oldest = NULL;

		for (uint32_t i = 0; i < s->count; i++) {
			struct tail_file *f = s->files[i];

			if (f->fd < 0 && f->gone_since && !f->dead &&
			    (!oldest || f->gone_since < oldest->gone_since))
				oldest = f;
		}
		oldest->dead = true;
		remembered--;
	}
}

void tail_set_sweep(struct tail_set *s, uint64_t now)
{
	uint32_t kept = 0;

	close_gone(s, now);
	close_over_limit(s, s->open_max);
	forget_some(s);
	for (uint32_t i = 0; i < s->count; i++) {
		struct tail_file *f = s->files[i];

		if (f->dead && !f->in_flight && !f->dirty && !f->origin.held) {
			detach_file(s, f);
			tail_file_free(f);
		} else {
			s->files[kept++] = f;
		}
	}
	if (kept == s->count)
		return;
	s->count = kept;
	s->changed = true;
	if (index_files(s, s->count))
		log_warn(s->log, "out of memory");
}

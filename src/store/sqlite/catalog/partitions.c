/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list of partitions, sorted by day. They are found by file name when the store is opened, and
 * loaded by the first query or write. A partition that is removed from the list is freed when its
 * last user releases it.
 */
#include "store/sqlite/catalog/partitions.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/sqlite/catalog/catalog.h"
#include "store/sqlite/catalog/changes.h"
#include "store/sqlite/catalog/day.h"
#include "store/sqlite/catalog/directory.h"
#include "store/sqlite/read/reader.h"
#include "store/sqlite/store_state.h"
#include "store/sqlite/write/writer.h"
#include "store/sqlite/write/writer_side.h"

static struct partition *partition_new(struct sqlite_store *s, uint32_t day)
{
	struct partition *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->store = s;
	p->day = day;
	p->refs = 1;
	day_format(day, p->name);
	snprintf(p->path, sizeof(p->path), "%s/%s.db", s->directory, p->name);
	pthread_mutex_init(&p->mu, NULL);
	pthread_mutex_init(&p->metrics_mu, NULL);
	return p;
}

static void partition_free(struct partition *p)
{
	partition_shrink(p);
	directory_unref(p->directory);
	pthread_mutex_destroy(&p->mu);
	pthread_mutex_destroy(&p->metrics_mu);
	free(p->changed);
	free(p);
}

void partition_unref(struct partition *p)
{
	bool last;

	if (!p)
		return;
	pthread_mutex_lock(&p->store->mu);
	last = --p->refs == 0;
	pthread_mutex_unlock(&p->store->mu);
	if (last)
		partition_free(p);
}

/* Return the index where the partition of `day` is or belongs. mu is held. */
static uint32_t find_place(const struct sqlite_store *s, uint32_t day)
{
	uint32_t at = s->partition_count;

	while (at && s->partitions[at - 1]->day >= day)
		at--;
	return at;
}

static struct partition *insert(struct sqlite_store *s, uint32_t at, uint32_t day)
{
	struct partition *p;

	if (s->partition_count == s->partition_cap) {
		uint32_t cap = s->partition_cap ? 2 * s->partition_cap : 32;
		struct partition **grown = realloc(s->partitions, cap * sizeof(struct partition *));

		if (!grown)
			return NULL;
		s->partitions = grown;
		s->partition_cap = cap;
	}
	p = partition_new(s, day);
	if (!p)
		return NULL;
	memmove(s->partitions + at + 1, s->partitions + at,
		(s->partition_count - at) * sizeof(struct partition *));
	s->partitions[at] = p;
	s->partition_count++;
	return p;
}

struct partition *partition_get(struct sqlite_store *s, uint32_t day, bool create)
{
	struct partition *p = NULL;
	uint32_t at;

	pthread_mutex_lock(&s->mu);
	at = find_place(s, day);
	if (at < s->partition_count && s->partitions[at]->day == day)
		p = s->partitions[at];
	else if (create)
		p = insert(s, at, day);
	if (p)
		p->refs++;
	pthread_mutex_unlock(&s->mu);
	return p;
}

struct partition **partitions_between(struct sqlite_store *s, uint64_t from, uint64_t to,
				      uint32_t *n)
{
	struct partition **list;

	*n = 0;
	pthread_mutex_lock(&s->mu);
	list = malloc((s->partition_count + 1) * sizeof(struct partition *));
	for (uint32_t i = 0; list && i < s->partition_count; i++) {
		struct partition *p = s->partitions[i];

		if (to > p->day * NS_PER_DAY && from < (p->day + 1) * NS_PER_DAY) {
			p->refs++;
			list[(*n)++] = p;
		}
	}
	pthread_mutex_unlock(&s->mu);
	return list;
}

void partitions_release(struct partition **list, uint32_t n)
{
	for (uint32_t i = 0; list && i < n; i++)
		partition_unref(list[i]);
	free(list);
}

/* Remove a file that was being created when the process was killed: it has no data. */
static void remove_unfinished(const struct sqlite_store *s, const char *name)
{
	char path[4300];

	snprintf(path, sizeof(path), "%s/%s", s->directory, name);
	unlink(path);
}

/* Add a damaged day to the list. Without memory only the log names it. */
static void note_damaged(struct sqlite_store *s, uint32_t day)
{
	pthread_mutex_lock(&s->mu);
	if (s->damaged_n == s->damaged_cap) {
		uint32_t cap = s->damaged_cap ? 2 * s->damaged_cap : 8;
		uint32_t *grown = realloc(s->damaged, cap * sizeof(*grown));

		if (grown) {
			s->damaged = grown;
			s->damaged_cap = cap;
		}
	}
	if (s->damaged_n < s->damaged_cap)
		s->damaged[s->damaged_n++] = day;
	pthread_mutex_unlock(&s->mu);
	changes_of_list(s);
}

static void add_missing(struct store_missing *out, uint64_t time)
{
	for (uint32_t i = 0; i < out->n; i++)
		if (out->days[i] == time)
			return;
	if (out->n < STORE_MISSING_MAX)
		out->days[out->n++] = time;
	else
		out->more = true;
}

void partitions_missing(struct sqlite_store *s, uint64_t from, uint64_t to,
			struct store_missing *out)
{
	if (!out)
		return;
	pthread_mutex_lock(&s->mu);
	for (uint32_t i = 0; i < s->damaged_n; i++) {
		uint64_t day = s->damaged[i] * NS_PER_DAY;

		if (to > day && from < day + NS_PER_DAY)
			add_missing(out, day);
	}
	pthread_mutex_unlock(&s->mu);
}

/*
 * Return whether the name is that of a damaged partition's file: "2026-11-12.db.damaged",
 * "2026-11-12.db.damaged.2".
 */
static bool is_damaged(struct str name, uint32_t *day)
{
	size_t at = str_find_str(name, STR(".db.damaged"));

	return at < name.n && !str_ends(name, STR("-wal")) && !str_ends(name, STR("-shm")) &&
	       day_parse(str_head(name, at), day);
}

static int list_partition(struct sqlite_store *s, uint32_t day)
{
	struct partition *p = partition_get(s, day, true);

	if (!p)
		return -ENOMEM;
	if (!p->file.inode)
		(void)!file_id_of(p, "", &p->file);
	partition_unref(p);
	changes_of_list(s);
	return 0;
}

int partitions_scan(struct sqlite_store *s, struct err *e)
{
	DIR *dir = opendir(s->directory);
	struct dirent *entry;
	int rc = dir ? 0 : err_errno(e, -errno, "open the data directory");

	pthread_mutex_lock(&s->mu);
	s->damaged_n = 0;
	pthread_mutex_unlock(&s->mu);
	changes_of_list(s);
	while (!rc && (entry = readdir(dir))) {
		struct str name = str_from(entry->d_name);
		uint32_t day;

		if (is_damaged(name, &day))
			note_damaged(s, day);
		if (str_find_str(name, STR(".db.new")) != name.n && !s->options.read_only)
			remove_unfinished(s, entry->d_name);
		if (!str_ends(name, STR(".db")) || !day_parse(str_head(name, name.n - 3), &day))
			continue;
		if (list_partition(s, day))
			rc = err_errno(e, -ENOMEM, "list the partitions");
	}
	if (dir)
		closedir(dir);
	return rc;
}

/* Check one file. Damage is found later, by the first use. */
static int check_file_key(struct sqlite_store *s, const char *name, uint32_t *plain, struct err *e)
{
	bool encrypted;
	char path[4300];
	int rc;

	snprintf(path, sizeof(path), "%s/%s", s->directory, name);
	rc = sealed_vfs_check(path, s->options.keys, &encrypted, e);
	*plain += !rc && !encrypted;
	if (rc == -EUCLEAN)
		return 0;
	if (rc)
		err_prefix(e, "%s", name);
	return rc;
}

int partitions_check_keys(struct sqlite_store *s, struct err *e)
{
	DIR *dir = opendir(s->directory);
	struct err ignored = {0};
	struct dirent *entry;
	uint32_t plain = 0;
	int rc = 0;

	while (dir && !rc && (entry = readdir(dir))) {
		struct str name = str_from(entry->d_name);
		struct err one = {0};

		if (!str_ends(name, STR(".db")))
			continue;
		rc = check_file_key(s, entry->d_name, &plain, &one);
		if (rc)
			*(e ? e : &ignored) = one;
	}
	if (dir)
		closedir(dir);
	if (!rc && plain && s->options.keys)
		log_warn(s->log,
			 "files that were begun without a key are not encrypted, and stay so until "
			 "they are deleted: new days are encrypted",
			 LOG_U64("files", plain));
	return rc;
}

void partitions_fini(struct sqlite_store *s)
{
	for (uint32_t i = 0; i < s->partition_count; i++)
		partition_free(s->partitions[i]);
	free(s->partitions);
	free(s->damaged);
	s->partitions = NULL;
	s->partition_count = 0;
}

/* ---- removing a partition ---- */

/*
 * Remove the partition from the list and mark it gone, so that it is never read again. The caller
 * gets the list's reference. Return false if it was not listed.
 */
static bool take_out(struct partition *p)
{
	struct sqlite_store *s = p->store;
	uint32_t at;
	bool there;

	pthread_mutex_lock(&s->mu);
	at = find_place(s, p->day);
	there = at < s->partition_count && s->partitions[at] == p;
	if (there) {
		s->partition_count--;
		memmove(s->partitions + at, s->partitions + at + 1,
			(s->partition_count - at) * sizeof(struct partition *));
	}
	pthread_mutex_unlock(&s->mu);
	pthread_mutex_lock(&p->mu);
	p->gone = true;
	pthread_mutex_unlock(&p->mu);
	changes_of_list(s);
	return there;
}

static const char *const suffixes[] = {"", "-wal", "-shm"};

void partition_drop(struct partition *p)
{
	char path[4200];

	writer_detach(p);
	if (!take_out(p))
		return;
	partition_shrink(p);
	for (size_t i = 0; i < countof(suffixes); i++) {
		snprintf(path, sizeof(path), "%s%s", p->path, suffixes[i]);
		unlink(path);
	}
	partition_unref(p);
}

/* Find an unused name: DAY.db.damaged, DAY.db.damaged.2, ... */
static void damaged_name(const struct partition *p, char out[4200])
{
	snprintf(out, 4200, "%s.damaged", p->path);
	for (unsigned i = 2; access(out, F_OK) == 0 && i < 10000; i++)
		snprintf(out, 4200, "%s.damaged.%u", p->path, i);
}

void partition_set_aside(struct partition *p, const struct err *why)
{
	char from[4200], to[4200], aside[4300];

	writer_detach(p);
	if (!take_out(p))
		return;
	partition_shrink(p);
	damaged_name(p, to);
	for (size_t i = 0; i < countof(suffixes); i++) {
		snprintf(from, sizeof(from), "%s%s", p->path, suffixes[i]);
		snprintf(aside, sizeof(aside), "%s%s", to, suffixes[i]);
		rename(from, aside);
	}
	note_damaged(p->store, p->day);
	log_error(p->store->log, "a partition is damaged and was set aside",
		  LOG_STR("partition", str_from(p->name)), LOG_STR("file", str_from(to)),
		  LOG_ERR(why));
	catalog_event(p->store, "set aside", p->name, why->text);
	partition_unref(p);
}

/* Remove the lost file's log and shared memory: SQLite would use them for a new file. */
static void remove_log(const struct partition *p)
{
	struct file_id log;
	char path[4200];

	snprintf(path, sizeof(path), "%s-wal", p->path);
	if (p->writer && !file_id_get(path, &log) && file_id_is(log, writer_log(p)))
		unlink(path);
	snprintf(path, sizeof(path), "%s-shm", p->path);
	unlink(path);
}

void partition_lost(struct partition *p, const struct err *why)
{
	struct sqlite_store *s = p->store;

	remove_log(p);
	writer_detach(p);
	if (!take_out(p))
		return;
	partition_shrink(p);
	log_error(s->log, "the file of a partition was lost, with the data in it",
		  LOG_STR("partition", str_from(p->name)), LOG_ERR(why));
	catalog_event(s, "lost", p->name, why->text);
	if (access(p->path, F_OK) == 0 && list_partition(s, p->day))
		log_warn(s->log, "out of memory to list a partition");
	partition_unref(p);
}

void partition_reopen(struct partition *p)
{
	writer_detach(p);
	if (!take_out(p))
		return;
	partition_shrink(p);
	if (list_partition(p->store, p->day))
		log_warn(p->store->log, "out of memory to list a partition");
	partition_unref(p);
}

struct damage {
	struct writer_job job;
	struct partition *partition;
	const struct err *why;
};

static void run_damage(struct writer_job *job)
{
	struct damage *d = (struct damage *)job;

	partition_set_aside(d->partition, d->why);
}

void partition_damaged(struct partition *p, const struct err *why)
{
	struct damage d = {{run_damage, NULL}, p, why};

	if (p->store->options.read_only) {
		if (take_out(p)) {
			log_error(p->store->log, "a partition is damaged",
				  LOG_STR("partition", str_from(p->name)), LOG_ERR(why));
			note_damaged(p->store, p->day);
			partition_unref(p);
		}
	} else if (writer_do(p->store, &d.job)) {
		log_warn(p->store->log, "a partition is damaged", LOG_ERR(why)); /* closing */
	}
}

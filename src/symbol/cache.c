/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files are few (the libraries of a process, a few hundred on a host), so lookups walk a list, the
 * most recently used file first. A path that could not be opened is an entry without a file.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "symbol/cache.h"

#define RETRY_NS (60 * NS_PER_SECOND)
enum { ENTRIES_MAX = 4096 };

struct cache_entry {
	struct cache_entry *next;
	struct symbol_file *file; /* NULL: could not be opened at `tried_ns` */
	uint64_t tried_ns;
	uint64_t device, inode, size;
	struct timespec mtime;
	char path[];
};

struct symbol_cache {
	struct symbol_options options;
	size_t max_bytes;
	struct cache_entry *first; /* the most recently used */
	uint32_t count;
};

int symbol_cache_new(struct symbol_cache **out, size_t max_bytes, const struct symbol_options *o)
{
	struct symbol_cache *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	if (o)
		c->options = *o;
	c->max_bytes = max_bytes;
	*out = c;
	return 0;
}

static void entry_free(struct cache_entry *entry)
{
	symbol_file_close(entry->file);
	free(entry);
}

void symbol_cache_free(struct symbol_cache *c)
{
	struct cache_entry *next;

	if (!c)
		return;
	for (struct cache_entry *entry = c->first; entry; entry = next) {
		next = entry->next;
		entry_free(entry);
	}
	free(c);
}

/* Unlink and return the entry of that path, or NULL. */
static struct cache_entry *take_entry(struct symbol_cache *c, const char *path)
{
	struct cache_entry **at = &c->first, *entry;

	while (*at && strcmp((*at)->path, path) != 0)
		at = &(*at)->next;
	entry = *at;
	if (entry) {
		*at = entry->next;
		c->count--;
	}
	return entry;
}

static void link_first(struct symbol_cache *c, struct cache_entry *entry)
{
	entry->next = c->first;
	c->first = entry;
	c->count++;
}

/* Return whether the path still has the entry's file. A failure to open is valid for a minute. */
static bool entry_is_current(const struct cache_entry *entry, const struct stat *st)
{
	if (!entry->file)
		return clock_monotonic_ns() - entry->tried_ns < RETRY_NS;
	return entry->device == st->st_dev && entry->inode == st->st_ino &&
	       entry->size == (uint64_t)st->st_size && entry->mtime.tv_sec == st->st_mtim.tv_sec &&
	       entry->mtime.tv_nsec == st->st_mtim.tv_nsec;
}

static struct cache_entry *entry_new(const struct symbol_cache *c, const char *path,
				     const struct stat *st)
{
	size_t n = strlen(path) + 1;
	struct cache_entry *entry = calloc(1, sizeof(*entry) + n);

	if (!entry)
		return NULL;
	memcpy(entry->path, path, n);
	entry->device = st->st_dev;
	entry->inode = st->st_ino;
	entry->size = (uint64_t)st->st_size;
	entry->mtime = st->st_mtim;
	entry->tried_ns = clock_monotonic_ns();
	if (symbol_file_open(&entry->file, path, &c->options, NULL))
		entry->file = NULL;
	return entry;
}

/* Evict the least recently used entries beyond the limits. The first entry is in use and stays. */
static void evict_least_recent(struct symbol_cache *c)
{
	size_t bytes = 0;
	uint32_t count = 0;
	struct cache_entry **at = &c->first;

	while (*at) {
		struct cache_entry *entry = *at;

		bytes += entry->file ? symbol_file_bytes(entry->file) : sizeof(*entry);
		if (++count > 1 && (bytes > c->max_bytes || count > ENTRIES_MAX)) {
			*at = entry->next;
			c->count--;
			entry_free(entry);
		} else {
			at = &entry->next;
		}
	}
}

struct symbol_file *symbol_cache_get(struct symbol_cache *c, const char *path)
{
	struct cache_entry *entry = take_entry(c, path);
	struct stat st = {0};

	/* a deleted file is served by what was read of it before */
	if (entry && (stat(path, &st) == 0 || entry->file == NULL) &&
	    !entry_is_current(entry, &st)) {
		entry_free(entry);
		entry = NULL;
	} else if (!entry) {
		(void)stat(path, &st);
	}
	if (!entry)
		entry = entry_new(c, path, &st);
	if (!entry)
		return NULL;
	link_first(c, entry);
	evict_least_recent(c);
	return entry->file;
}

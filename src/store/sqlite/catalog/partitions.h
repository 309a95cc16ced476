/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_PARTITIONS_H
#define VARVE_STORE_SQLITE_PARTITIONS_H

#include <pthread.h>

#include "base/err.h"
#include "store/sqlite/catalog/file_check.h"
#include "store/store.h"

/*
 * The set of partitions of a store. A partition is one day: its file (YYYY-MM-DD.db), what is known
 * of it in memory (directory.h) and the caches of its readers.
 */
struct sqlite_store;

struct partition {
	struct sqlite_store *store;
	uint32_t day;  /* since 1970 */
	char name[24]; /* 2026-11-15 */
	char path[4096];
	uint32_t refs;	     /* guarded by the store's mu */
	struct file_id file; /* zero: not created yet. Writer thread only */

	pthread_mutex_t mu;	     /* guards all that follows up to `writer` */
	struct directory *directory; /* NULL: not loaded */
	struct reader_connection *idle;
	uint64_t used_ns;	/* the last read or write */
	uint64_t merged_ns;	/* the last time level 0 was merged or empty */
	uint64_t merge_cost_ns; /* how long the last merge took */
	int wal_moved;		/* pages in the log at the worker's last checkpoint */
	uint64_t look_again_ns; /* when the worker checks the partition again */
	/* The last time spans of commits were merged, or there were none. */
	uint64_t spans_merged_ns, logs_merged_ns;
	uint64_t metrics_merged_ns; /* the same of metrics */
	bool gone;		    /* dropped or set aside */
	bool closed_day;	    /* the worker has nothing left to do */
	uint32_t dropped;	    /* signals without data, by retention (signal_drop.h) */
	/* The last change of each minute of the day (changes.h); NULL: none since the start. */
	uint64_t *changed;
	uint64_t changed_all; /* the last change of the whole day */

	struct writer_side *writer; /* writer thread only */

	pthread_mutex_t metrics_mu;   /* guards the pointer */
	struct metric_index *metrics; /* NULL: not in memory */

	/* Guarded by the store's books_mu: cached for readers, by book and by group. */
	struct dictionary_cache **books; /* book_cache.h */
	uint32_t books_n;
	struct cached_chunks **chunks; /* chunk_cache.h */
	uint32_t chunks_n;
	struct cached_filter **filters; /* read/spans/filter_cache.h; sorted by id */
	uint32_t filters_n, filters_cap;
};

/* List the new partitions of the data directory. Writer thread, or before it runs. 0 or -errno. */
MUST_USE int partitions_scan(struct sqlite_store *s, struct err *e);
/*
 * Check that the encrypted files of the directory can be opened with the keys of the store. Called
 * once, before any of them is open. Return 0, -ENOKEY with the file and what to do, or -ENOMEM.
 */
MUST_USE int partitions_check_keys(struct sqlite_store *s, struct err *e);

void partitions_fini(struct sqlite_store *s);

/*
 * Return the partition of the day with a reference, or NULL. With `create`, add a missing one,
 * whose file is created by the first write; then NULL means out of memory.
 */
struct partition *partition_get(struct sqlite_store *s, uint32_t day, bool create);
void partition_unref(struct partition *p);

/*
 * Return the partitions that may have data in [from, to), oldest first, each with a reference: free
 * them by partitions_release(). Return NULL without memory.
 */
struct partition **partitions_between(struct sqlite_store *s, uint64_t from, uint64_t to,
				      uint32_t *n);
void partitions_release(struct partition **list, uint32_t n); /* takes NULL */

/* Log that the partition is damaged and have the writer set it aside. Any thread. */
void partition_damaged(struct partition *p, const struct err *why);

/* Add the days of the range that were set aside to `out`, which may be NULL. */
void partitions_missing(struct sqlite_store *s, uint64_t from, uint64_t to,
			struct store_missing *out);

/* Unlist the partition and remove its file, or rename it to *.damaged. Writer thread only. */
void partition_drop(struct partition *p);
void partition_set_aside(struct partition *p, const struct err *why);

/*
 * Handle a file that was deleted or replaced: log it, unlist the partition, and list the file that
 * has its name now. Writes that wait for the partition fail. Writer thread only.
 */
void partition_lost(struct partition *p, const struct err *why);

/* Close the partition and list it anew. Writes that wait for it fail. Writer thread only. */
void partition_reopen(struct partition *p);

#endif

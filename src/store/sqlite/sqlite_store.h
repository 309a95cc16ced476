/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_SQLITE_STORE_H
#define VARVE_STORE_SQLITE_SQLITE_STORE_H

#include "base/log.h"
#include "store/store.h"

/*
 * The store in one directory of this machine: a SQLite file a day (YYYY-MM-DD.db, UTC, the day of
 * the profiles' own time) and catalog.db. docs/store.md has the layout.
 *
 * One writer thread commits what waits, all of it together; one worker thread sorts, merges and
 * rolls up behind it, and drops what is too old or too much. Queries read on their callers'
 * threads, each from one snapshot, so that an answer is the same before, while and after the worker
 * moves things.
 *
 * A partition that is found damaged is renamed to *.damaged, told in the log and in the stats, and
 * not asked any more; the others answer as before.
 */
struct sqlite_store_options {
	const char *directory;	    /* made if it is not there (not with read_only) */
	bool read_only;		    /* put() and remove() are -EROFS; no lock, nothing is written */
	uint64_t retention_seconds; /* partitions that ended longer ago are dropped; 0: never */
	uint64_t retention_bytes;   /* over it the oldest partitions are dropped; 0: never */
	/* Times further ahead of the clock are refused; 0: none are. */
	uint64_t future_seconds;
	size_t memory; /* bytes of caches and work; 0: 256 MiB */
	uint32_t
		window_ms; /* from one commit to the next, at least, so that they have company; 0: 15 */
	uint32_t compact_ms;   /* how long level 0 may wait to be merged; 0: 10,000 */
	const struct log *log; /* borrowed; NULL: silent */
	uint32_t
		merge_samples; /* tests: so many samples of an hour are merged at a time; 0: what fits the memory */
	struct budget *rest; /* which what readers keep shares with others; borrowed, may be NULL */
	bool one_book;	     /* for tests: all services share a dictionary, as before format 4 */
	/* For tests: a book is full with this many bytes; 0: a part of `memory`. */
	size_t book_bytes;
	/* Nodes of the stacks of a service in a day, after which writes with new stacks are refused; 0: any. */
	uint64_t service_nodes;
	uint32_t recent_ids; /* tests: hashes of profiles in a set; 0: 524,288 */
	uint32_t
		chunk_samples; /* tests: a finished hour's chunks have about so many samples at most; 0: 100,000 */
	bool manual; /* tests: the worker works only when told, by sqlite_store_work() */
};

/*
 * Open the directory. On success *out is the caller's (ops->close()). -EBUSY: another process has
 * it, whose pid the text tells; -EROFS, -ENOSPC, -EACCES: the disk; -ENOTSUP: a newer version wrote it.
 */
MUST_USE int sqlite_store_open(struct store **out, const struct sqlite_store_options *o,
			       struct err *e);

/*
 * Do all background work there is now, on this thread: merge level 0, and with `all` also close
 * hours and days that could still get data. For tests and benchmarks.
 */
MUST_USE int sqlite_store_work(struct store *s, bool all, struct err *e);

/* ---- looking into it: varve store ---- */

struct sqlite_store_report {
	/* A partition, the `i`-th of `n`, is looked at next. May be NULL. */
	void (*begin)(void *context, const char *partition, uint32_t i, uint32_t n);
	void (*problem)(void *context, const char *partition, const char *text);
	void *context;
};

/* Prove every checksum and every sum. 0, whatever is found, or -ENOMEM. */
MUST_USE int sqlite_store_check(struct store *s, const struct sqlite_store_report *report,
				uint64_t *problems, struct err *e);

/* What takes the room: `count` blocks of a kind and their bytes, partition by partition. */
struct sqlite_store_sizes {
	void (*visit)(void *context, const char *partition, struct str kind, uint64_t count,
		      uint64_t bytes);
	void *context;
};

MUST_USE int sqlite_store_sizes(struct store *s, const struct sqlite_store_sizes *out,
				struct err *e);

#endif

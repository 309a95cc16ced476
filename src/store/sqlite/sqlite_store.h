/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_SQLITE_STORE_H
#define VARVE_STORE_SQLITE_SQLITE_STORE_H

#include "base/log.h"
#include "seal/key_ring.h"
#include "signal/signal_kind.h"
#include "store/store.h"

/*
 * The embedded store: a directory with one SQLite file per day (YYYY-MM-DD.db, UTC, the day of the
 * profiles' own time) and catalog.db. docs/store.md describes the layout.
 *
 * One writer thread commits all waiting writes together (group commit). One worker thread sorts,
 * merges and rolls up what was committed, and applies retention. Queries run on their callers'
 * threads, each on one snapshot, so their results do not depend on the progress of the worker.
 *
 * A partition that is found damaged is renamed to *.damaged, reported in the log and the stats, and
 * excluded from queries; the other days are still queried.
 */
struct sqlite_store_options {
	const char *directory; /* created if missing (not with read_only) */
	/* put() and remove() fail with -EROFS; nothing is locked or written. */
	bool read_only;
	uint64_t retention_seconds; /* partitions that ended longer ago are dropped; 0: never */
	/* The same of one signal, by signal_index(); 0: as all data. */
	uint64_t signal_retention_seconds[SIGNALS];
	uint64_t retention_bytes; /* beyond it the oldest partitions are dropped; 0: never */
	/* Times further ahead of the clock are refused; 0: no limit. */
	uint64_t future_seconds;
	size_t memory; /* bytes of caches and work; 0: 256 MiB */
	/* The least time from one commit to the next, for group commit; 0: 15. */
	uint32_t window_ms;
	uint32_t compact_ms;   /* how long level 0 may wait to be merged; 0: 10,000 */
	const struct log *log; /* borrowed; NULL: silent */
	/* A budget that the readers' caches share with others; borrowed, may be NULL. */
	struct budget *rest;
	/*
	 * Limit of nodes of the stacks of a service in a day; then new stacks are refused. 0: none.
	 */
	uint64_t service_nodes;
	/* Limit of series of metrics of a tenant in a day; then new ones are refused. 0: none. */
	uint32_t metric_series;
	/*
	 * Master keys: new files are encrypted. The store takes a reference. NULL: none, and
	 * encrypted files cannot be opened.
	 */
	struct key_ring *keys;

	/* For tests and benchmarks: */
	uint32_t merge_samples; /* samples of an hour that are merged at a time; 0: what fits */
	bool one_book;		/* all services share a dictionary, as before format 4 */
	size_t book_bytes;	/* the size of a full book; 0: a part of `memory` */
	uint32_t recent_ids;	/* hashes of profiles in a set; 0: 524,288 */
	/* About how many samples the chunks of a finished hour have at most; 0: 100,000. */
	uint32_t chunk_samples;
	bool manual; /* the worker runs only in sqlite_store_work() */
};

/*
 * Open the directory. Return 0 and set *out, which the caller closes (ops->close()); -EBUSY when
 * another process has it open, with its pid in `e`; -EROFS, -ENOSPC or -EACCES for a failure of the
 * disk; -ENOTSUP when a newer version wrote it; -ENOKEY when a file is encrypted with a key that is
 * missing, which changes nothing; or another -errno.
 */
MUST_USE int sqlite_store_open(struct store **out, const struct sqlite_store_options *o,
			       struct err *e);

/*
 * Do all background work on this thread: merge level 0, and with `all` also finish hours and days
 * that could still get data. For tests and benchmarks. Implemented in compact/worker.c.
 */
MUST_USE int sqlite_store_work(struct store *s, bool all, struct err *e);

/* ---- inspection, for `varve store`: read/check.c ---- */

struct sqlite_store_report {
	/* Called before partition `i` of `n` is checked. May be NULL. */
	void (*begin)(void *context, const char *partition, uint32_t i, uint32_t n);
	void (*problem)(void *context, const char *partition, const char *text);
	void *context;
};

/*
 * Verify every checksum and every sum, and set *problems to the number of problems reported. Return
 * 0 whatever is found, or -ENOMEM.
 */
MUST_USE int sqlite_store_check(struct store *s, const struct sqlite_store_report *report,
				uint64_t *problems, struct err *e);

/* Called per partition and kind of block with their number and bytes. */
struct sqlite_store_sizes {
	void (*visit)(void *context, const char *partition, struct str kind, uint64_t count,
		      uint64_t bytes);
	void *context;
};

/* Visit the sizes of all blocks. Return 0 or -errno. */
MUST_USE int sqlite_store_sizes(struct store *s, const struct sqlite_store_sizes *out,
				struct err *e);

#endif

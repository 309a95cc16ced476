/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_STORE_STATE_H
#define VARVE_STORE_SQLITE_STORE_STATE_H

#include <pthread.h>

#include "base/budget.h"
#include "base/clock.h"
#include "base/container/lru.h"
#include "base/thread.h"
#include "store/sqlite/block/frame.h"
#include "store/sqlite/catalog/registry.h"
#include "store/sqlite/compact/retention.h"
#include "store/sqlite/sealed/sealed_vfs.h"
#include "store/sqlite/sqlite_store.h"

/* The state of an open store: its partitions, its threads, and what they share. */

/* Work for the writer thread, which is the only one that changes files. Run by writer_do(). */
struct writer_job {
	void (*run)(struct writer_job *job);
	struct writer_job *next;
};

/* The largest book takes 0.1 s to load; with a second loader other writes need not wait for it. */
enum { LOADERS = 2 };

struct sqlite_store {
	struct store base;
	struct sqlite_store_options options; /* strings are copied */
	char directory[4000];
	int lock_fd; /* writer thread only, once it runs */
	/* The directory was replaced since it was listed. Writer thread only. */
	bool replaced;
	const struct log *log;
	struct sealed_vfs *vfs; /* opens all database files */
	struct budget budget;	/* of writing */
	struct budget cached;	/* of caches for readers */
	struct budget work;	/* of merging */
	struct registry registry;

	pthread_mutex_t mu;	       /* guards what follows */
	struct partition **partitions; /* by day */
	uint32_t partition_count, partition_cap;
	uint32_t *damaged; /* the day of each file *.damaged */
	uint32_t damaged_n, damaged_cap;

	pthread_mutex_t books_mu; /* guards the lists of cached books and chunks; held briefly */
	struct lru read_books;
	struct lru read_chunks;	  /* rows of chunks for readers */
	struct lru read_filters;  /* filters of blocks of spans for readers */
	struct lru written_books; /* guarded by map_mu */

	/*
	 * Held while a write is mapped and queued, and while the writer takes what was queued. It
	 * guards the part of every struct writer_side that says so. Taken before every other lock.
	 */
	pthread_mutex_t map_mu;

	pthread_mutex_t queue_mu; /* guards what follows; writes are added with map_mu held, too */
	pthread_cond_t queue_wake, job_done;
	struct store_write *first, **last;
	uint32_t waiting;
	struct writer_job *jobs, **jobs_last;
	bool closing;	/* no more writes are accepted */
	bool finishing; /* the writer thread ends when it has nothing to do */
	/* Writes that need a book or a day to be loaded first: writer_load.h. */
	struct store_write *loads;
	struct store_write **loads_last;
	uint32_t loads_waiting;
	pthread_cond_t loads_wake;

	struct writer_job open_today;
	struct writer_group *group; /* the next three: writer thread only */
	struct frame_packer packer;
	struct frame_unpacker unpacker;
	struct thread writer, worker, loaders[LOADERS];
	pthread_mutex_t work_mu;   /* held while a partition is worked on: one at a time */
	pthread_mutex_t worker_mu; /* guards what follows */
	pthread_cond_t worker_wake;
	bool worker_closing;
	uint64_t level0_bytes;		  /* written since the worker last checked */
	struct retention_clock retention; /* worker thread only */
	/* The time that retention trusts, in seconds since 1970; set by the worker periodically. */
	_Atomic uint64_t trusted;
	uint64_t ingested; /* since the start; writer thread only */
	/*
	 * From the limit of file descriptors: the most partitions open for writing, and idle
	 * connections of readers.
	 */
	uint32_t open_days, idle_most;
	_Atomic uint32_t idle;
	_Atomic uint64_t tickets;
	/*
	 * The count of changes of query results, which starts at a number that no earlier run used,
	 * and its value at the last change of the list of partitions (changes.h).
	 */
	_Atomic uint64_t changes, changed_list;
};

static inline struct sqlite_store *store_of(struct store *s)
{
	return (struct sqlite_store *)s;
}

#endif

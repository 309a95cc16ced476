/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_INTERNAL_H
#define VARVE_STORE_SQLITE_INTERNAL_H

#include "base/clock.h"
#include "base/thread.h"
#include "store/sqlite/catalog/partition.h"
#include "store/sqlite/compact/retention.h"
#include "store/sqlite/sqlite_store.h"

/* The store itself: which partitions there are, the two threads, and what they share. */

/* Work for the writer thread: the only one that changes files. */
struct job {
	void (*run)(struct job *job);
	struct job *next;
};

/* A book of the largest size takes 0.1 s to load: others need not wait for one of them. */
enum { LOADERS = 2 };

struct sqlite_store {
	struct store base;
	struct sqlite_store_options options; /* texts are copied */
	char directory[4000];
	int lock_fd;   /* writer thread only, once it runs */
	bool replaced; /* the directory is another one than when it was listed; writer thread only */
	const struct log *log;
	struct budget budget; /* of what is written */
	struct budget cached; /* of books for readers */
	struct budget work;   /* of merging */
	struct registry registry;

	pthread_mutex_t mu;	       /* guards what follows */
	struct partition **partitions; /* by day */
	uint32_t partition_count, partition_cap;
	uint32_t *damaged; /* the day of each file *.damaged */
	uint32_t damaged_n, damaged_cap;

	pthread_mutex_t books_mu; /* guards the lists of books for readers; held for moments only */
	struct lru read_books;
	struct lru read_chunks;	  /* rows of chunks for readers */
	struct lru written_books; /* guarded by map_mu */

	/*
	 * Held while a write is mapped and queued, and by the writer when it takes what was: it guards the part
	 * of every struct writer_side that says so. Taken before every other lock.
	 */
	pthread_mutex_t map_mu;

	pthread_mutex_t queue_mu; /* guards what follows; writes are added with map_mu held too */
	pthread_cond_t queue_wake, job_done;
	struct store_write *first, **last;
	uint32_t waiting;
	struct job *jobs, **jobs_last;
	bool closing;		   /* no more writes are accepted */
	bool finishing;		   /* the writer thread ends when it has nothing to do */
	struct store_write *loads; /* which have to be loaded first: writer_load.h */
	struct store_write **loads_last;
	uint32_t loads_waiting;
	pthread_cond_t loads_wake;

	struct job open_today;
	struct writer_group *group; /* writer thread only, as are these */
	struct frame_packer packer;
	struct frame_unpacker unpacker;
	struct thread writer, worker, loaders[LOADERS];
	pthread_mutex_t work_mu;   /* held while a partition is worked on: one at a time */
	pthread_mutex_t worker_mu; /* guards what follows */
	pthread_cond_t worker_wake;
	bool worker_closing;
	uint64_t level0_bytes;		  /* written since the worker last looked */
	struct retention_clock retention; /* worker thread only */
	/* The time that retention believes, in seconds since 1970; set by the worker now and then. */
	_Atomic uint64_t trusted;
	uint64_t ingested; /* since the start; writer thread only */
	/* By how many descriptors a process may have: days that are open for writing, and idle connections of readers. */
	uint32_t open_days, idle_most;
	_Atomic uint32_t idle;
	_Atomic uint64_t tickets;
	/* Counts changes of what queries answer, from a number that no run before had; and the last one of the list of partitions. changes.c */
	_Atomic uint64_t changes, changed_list;
};

static inline struct sqlite_store *store_of(struct store *s)
{
	return (struct sqlite_store *)s;
}

/* ---- store.c ---- */

/*
 * Hold the lock of the directory. Where that was removed or replaced under us it is made and locked again, and
 * `replaced` is set. 0, -EBUSY: another process has it, or -errno. Writer thread, or before it runs.
 */
MUST_USE int directory_claim(struct sqlite_store *s, struct err *e);

/* ---- partitions.c ---- */

/* Find what is in the directory and not in the list yet. Writer thread, or before it runs. */
MUST_USE int partitions_scan(struct sqlite_store *s, struct err *e);
void partitions_fini(struct sqlite_store *s);

/* The partition of the day with a ref; with `create` a new one (its file comes with the first write). */
struct partition *partition_get(struct sqlite_store *s, uint32_t day, bool create);
void partition_unref(struct partition *p);

/* Those that may have data in [from, to), oldest first, each with a ref. NULL: no memory. */
struct partition **partitions_between(struct sqlite_store *s, uint64_t from, uint64_t to,
				      uint32_t *n);
void partitions_release(struct partition **list, uint32_t n);

/* It is damaged: log it, and set it aside. Any thread; the writer does it. */
void partition_damaged(struct partition *p, const struct err *why);

/* Note the days of the range that were set aside. `out` may be NULL. */
void partitions_missing(struct sqlite_store *s, uint64_t from, uint64_t to,
			struct store_missing *out);

/* Remove the file, or rename it to *.damaged. Writer thread only. */
void partition_drop(struct partition *p);
void partition_set_aside(struct partition *p, const struct err *why);

/*
 * Its file was deleted or replaced: log it, let go of it, and list the file that has the name now. Writes that wait for
 * it fail. Writer thread only.
 */
void partition_lost(struct partition *p, const struct err *why);

/* Close all connections and list it anew. Writes that wait for it fail. Writer thread only. */
void partition_reopen(struct partition *p);

/* ---- book_cache.c ---- */

/* Let go of the books of the partition. */
void book_cache_drop(struct partition *p);

/* ---- changes.c ---- */

/* Before the store is used. */
void changes_init(struct sqlite_store *s);

/* Partitions or damaged days come or go. After that has happened. */
void changes_of_list(struct sqlite_store *s);

/* The directory `next` takes the place of the partition's (which may be NULL). p->mu is held, and the commit is on disk. */
void changes_of_partition(struct partition *p, const struct directory *next);

/* store_ops.version */
uint64_t changes_version(struct store *base, uint64_t from, uint64_t to);

/* ---- catalog.c ---- */

/* Make or check the catalogue. 0, -ENOTSUP for one of a newer version, or -errno. */
MUST_USE int catalog_open(struct sqlite_store *s, struct err *e);

/* Note what happened to a partition; where that fails, only the log says so. */
void catalog_event(struct sqlite_store *s, const char *what, const char *partition,
		   const char *reason);

/* The time that retention believed last, in seconds since 1970; 0: none is kept. */
uint64_t catalog_clock(struct sqlite_store *s);
void catalog_save_clock(struct sqlite_store *s, uint64_t seconds);

/* ---- writer.c ---- */
void writer_run(void *arg);
struct writer_group *writer_group_new(struct sqlite_store *s); /* free() it */
int writer_put(struct store *base, struct store_write *w, struct err *e);

/* Have the writer open the day that is now, if it is there: the first who writes need not wait for that. */
void writer_open_today(struct sqlite_store *s);

/* Run the job on the writer thread and wait for it. 0 or -ESHUTDOWN. */
MUST_USE int writer_do(struct sqlite_store *s, struct job *job);

/* The write-ahead log that the writer has open; zero: none. Writer thread only. */
struct file_id writer_log(const struct partition *p);

/* Forget what the writer knows of the partition and close its connection. Writer thread only; takes map_mu. */
void writer_detach(struct partition *p);

/* The same unless writes wait for its next commit; false: they do, and nothing has changed. */
bool writer_detach_idle(struct partition *p);

/* ---- queries ---- */
int query_series(struct store *s, const struct store_select *sel, store_visit_series *visit,
		 void *ctx, struct err *e);
int query_stacks(struct store *s, const struct store_select *sel, struct stack_tree *tree,
		 struct stack_sums *sums, struct err *e);
int query_each_stacks(struct store *s, const struct store_select *sel, store_visit_stacks *visit,
		      void *ctx, uint64_t *divisor, struct err *e);
int query_points(struct store *s, const struct store_select *sel, store_visit_point *visit,
		 void *ctx, struct err *e);
int query_scan(struct store *s, const struct store_select *sel, struct stack_tree *tree,
	       store_visit_samples *visit, void *ctx, struct err *e);
int query_spans(struct store *base, const struct store_span_select *sel, store_visit_span *visit,
		void *ctx, struct err *e);
int query_remove(struct store *s, const struct store_select *sel, uint64_t *profiles,
		 struct err *e);
int query_stats(struct store *base, struct str tenant, struct store_stats *out, struct err *e);

#endif

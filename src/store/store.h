/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_STORE_H
#define VARVE_STORE_STORE_H

#include <stdatomic.h>

#include "signal/series.h"
#include "signal/span_batch.h"
#include "signal/stack_tree.h"
#include "store/quota.h"

/*
 * Where profiles and the structure of spans are kept: the interface. store/sqlite is the embedded one. Nothing here says how
 * or in which files.
 *
 * A profile counts at the time it begins (time_unix_nano; a profile without one counts when it
 * arrives): every sample of it is inside a time range or none is, so that a flame graph, a table
 * and a chart of one range add up to the same number. Times of single samples are kept beside it.
 *
 * Any thread may call; queries run on the caller's thread. All answers are exact, and of one moment: what
 * is committed while a query runs is in it as a whole or not at all, day by day. Samples of value 0 that
 * have no time of their own are not kept.
 */
struct store {
	const struct store_ops *ops;
};

/* ---- writing ---- */

enum { STORE_REASON_MAX = 200 };

/*
 * One write, of profiles or of spans: answered when it is durable, whole or not at all, but for those that are
 * refused for their time (too far ahead of the clock, or older than the retention), which are counted in
 * `rejected`. A write over several days that fails may be kept for some of them; a retry adds the others.
 * A profile with an id (profile.id) that is already kept for the same series with the same time (unless it has
 * none of its own) and the same samples is acknowledged and not kept again; a span that comes twice is kept once.
 */
struct store_write {
	struct str tenant;		   /* empty: the one tenant there is */
	const struct profile_batch *batch; /* all borrowed until done(), or until it is taken */
	const struct series_map *series;
	const struct span_batch *spans; /* instead of those two; NULL: profiles */
	uint64_t
		received; /* nanoseconds since 1970: the time of profiles and spans that have none */
	/*
	 * Called once, from a thread of the store; must not block. 0: it is on disk. -EAGAIN: try
	 * again later (overload); -ENOSPC, -EROFS, -EIO: the disk; else a fault. `e` has the reason.
	 */
	void (*done)(struct store_write *w, int rc, const struct err *e);
	void *owner;	     /* the caller's */
	uint32_t duplicates; /* out: profiles that were there already */
	/* out: profiles or spans that were refused for their time; a retry does not help */
	uint32_t rejected;
	/* out: why the first of them was, in one line */
	char reason[STORE_REASON_MAX];
	/*
	 * Taken: when put() returned the store had all it needs of batch and series, or spans, so that they need not
	 * live until done(). done() may have come before put() returns, so whoever called put() is told by
	 * *tell_taken (NULL: nobody wants to know), and done() by `taken`.
	 */
	bool taken, *tell_taken;
	/*
	 * What the tenant and the token may add; NULL: no limit. Where a limit is reached put() fails with -EDQUOT and nothing is kept. Have to
	 * outlive the write.
	 */
	struct store_quota *quotas[STORE_QUOTAS];
	/* the store's while it has the write */
	struct store_reserved reserved, added;
	uint64_t oldest, newest; /* times of their own outside of these are refused */
	uint64_t ticket;
	uint32_t day;
	bool mapped;	  /* its rows are those of a commit of that day */
	uint8_t deferred; /* how often it had to wait for memory that a commit frees */
	struct store_write *next;
};

/* ---- asking ---- */

/*
 * What answers had to do without: days whose data is damaged, and the structure of spans. The first so many are named, each once, by when it
 * begins (nanoseconds since 1970). Zero is nothing.
 */
enum { STORE_MISSING_MAX = 32 };
struct store_missing {
	uint32_t n;
	bool more;	/* than are named */
	bool structure; /* of spans that were asked for with their children; set by who asks for that */
	bool smaller; /* frames, which did not fit the memory: query/wide.h */
	uint64_t days[STORE_MISSING_MAX];
};

/* How far an answer may go. Checked often; then it ends with -ETIMEDOUT, -ECANCELED or -ENOMEM. */
struct store_limits {
	uint64_t deadline_ns;	       /* of the monotonic clock; 0: none */
	const _Atomic bool *cancelled; /* NULL: never */
	/* Called often, where no lock is held: a query that takes long may have to wait for its turn there. NULL: never */
	void (*pause)(uint64_t deadline_ns, const _Atomic bool *cancelled);
	struct budget *budget;
	/*
	 * Of stacks(): if the stacks may need more memory than this, fail with -ENOBUFS before anything
	 * is merged, and set *need to the estimate. 0: any amount.
	 */
	uint64_t most;
	uint64_t *need;
	struct store_missing
		*missing; /* added to, where the range touches such days; may be NULL */
};

/*
 * For points(): only samples whose stack is meant count. Stacks that are met are put into `tree`, and each is asked for
 * once a day that has it: is the one that ends at that node meant? 0 or -errno, which ends the query.
 */
struct store_stack_filter {
	struct stack_tree *tree;
	int (*keeps)(void *context, uint32_t node, bool *yes);
	void *context;
};

struct store_select {
	struct str tenant;
	const struct selector
		*selector;	   /* of series; the profile type is the label __profile_type__ */
	uint64_t from, to;	   /* nanoseconds since 1970, from included, to excluded */
	const uint8_t (*spans)[8]; /* only samples of one of these spans */
	uint32_t span_count;	   /* 0: of any, or of none */
	const uint8_t *trace_id;   /* 16 bytes: only samples of this trace; NULL: any */
	const uint8_t *profile_id; /* 16 bytes: only this profile; NULL: any */
	/*
	 * For gauges: not the sum over time but the mean over slots of ten minutes (those with
	 * data; clipped to the range) of the sum over series of each series' mean in the slot. A
	 * series' mean is rounded to 1/240 of a unit, the answer to a whole one.
	 */
	bool average;
	const struct store_stack_filter
		*stacks; /* of points(); others do not look at it. NULL: all */
	bool untimed; /* of series(): first and last of them need not be right, which costs less */
	/* Of stacks(): -ENOMEM at once, and limits.missing->smaller, where those of several services are likely to take all of the memory. */
	bool refuse_large;
	struct store_limits limits;
};

enum { STORE_SLOT_SECONDS = 600 };

struct store_series {
	struct label_set labels;
	uint64_t first, last; /* profile times in the range */
};

/* One stored profile of one series. */
struct store_point {
	uint32_t series; /* a number that stays for this query: see visit_series */
	uint64_t time, duration_nano;
	int64_t total;
	uint8_t profile_id[PROFILE_ID_SIZE];
};

/* Samples of one profile and series, as columns; nodes are of the tree given to scan(). */
struct store_samples {
	uint32_t series;
	uint64_t time, duration_nano; /* of the profile */
	uint32_t n;
	const uint32_t *nodes; /* NULL: no tree was given */
	const int64_t *values;
	const uint64_t *times;	  /* NULL: none of them has its own; an entry 0: this one has not */
	const struct link *links; /* NULL: none has one; zero: this one has not */
};

/* Which spans: of one of these traces, or with one of these ids (of whichever trace). */
struct store_span_select {
	struct str tenant;
	uint64_t from, to; /* of their starts: nanoseconds since 1970, from included, to excluded */
	const uint8_t (*traces)[16];
	const uint8_t (*ids)[8];
	uint32_t trace_count, id_count;
	struct store_limits limits;
};

/*
 * Visitors return 0 to go on, or -errno, which ends the query with that. They run inside of the query:
 * they may not ask the store themselves.
 */
typedef int store_visit_series(void *ctx, uint32_t series, const struct store_series *s);
typedef int store_visit_point(void *ctx, const struct store_point *p);
typedef int store_visit_samples(void *ctx, const struct store_samples *s);
typedef int store_visit_span(void *ctx, const struct span *s);

/* The sums of the n nodes of a tree; both are gone when it returns. */
typedef int store_visit_stacks(void *ctx, const struct stack_tree *tree, const int64_t *self,
			       uint32_t n);

/* What the memory of a store is for. */
enum store_memory { STORE_WRITING, STORE_READING, STORE_MERGING, STORE_MEMORIES };

struct store_stats {
	uint64_t profiles, samples,
		series; /* kept now; samples are exact, series those of all days together */
	uint64_t spans, bytes_spans;	 /* blocks that are not merged yet may have some twice */
	uint64_t oldest, newest;	 /* profile times; 0: nothing is kept */
	uint64_t bytes_live, bytes_disk; /* what answers need; what the files take */
	uint64_t bytes_disk_limit; /* what they take at most, unless a reader stays for long */
	uint64_t bytes_ingested;   /* samples and dictionaries as they came, before compression */
	uint32_t partitions, partitions_damaged;
	struct store_missing damaged; /* the days of those */
	/* What is older, or more, is dropped; 0: never. */
	uint64_t retention_seconds, retention_bytes;
	/* Bytes that are in use and that may be; limit 0: it has no such part. */
	struct {
		uint64_t used, limit;
	} memory[STORE_MEMORIES];
};

struct store_ops {
	/* Take the write: 0, and done() will be called; or -EAGAIN when the queue is full, -EDQUOT when a quota is (done() is not called). */
	int (*put)(struct store *s, struct store_write *w, struct err *e);

	/* The series with data in the range. Their numbers are those of `points` and `scan` for the same store. */
	int (*series)(struct store *s, const struct store_select *sel, store_visit_series *visit,
		      void *ctx, struct err *e);

	/* Sum by stack. `tree` may hold nodes already (of another selection, for a diff). */
	int (*stacks)(struct store *s, const struct store_select *sel, struct stack_tree *tree,
		      struct stack_sums *sums, struct err *e);

	/*
	 * The same in parts, one for each service and day or so: who cannot hold all of it makes what is wanted of one after the
	 * other. Values are to be divided by *divisor when all have been visited. NULL: the store has no such parts.
	 */
	int (*each_stacks)(struct store *s, const struct store_select *sel,
			   store_visit_stacks *visit, void *ctx, uint64_t *divisor, struct err *e);

	/* Each profile's total, or the part of it that `stacks` keeps, by series and then time. Spans and traces are not
	 * looked at. */
	int (*points)(struct store *s, const struct store_select *sel, store_visit_point *visit,
		      void *ctx, struct err *e);

	/*
	 * Every sample, profile by profile. The dear one: for heatmaps, single profiles, filters by time and stack. Without
	 * a tree (NULL) nodes are not told, which costs much less.
	 */
	int (*scan)(struct store *s, const struct store_select *sel, struct stack_tree *tree,
		    store_visit_samples *visit, void *ctx, struct err *e);

	/* Spans, by trace and then by start, each once. Text lives until visit() returns. */
	int (*spans)(struct store *s, const struct store_span_select *sel, store_visit_span *visit,
		     void *ctx, struct err *e);

	/*
	 * Delete what is selected (spans, trace and average are not looked at); *profiles says how many. Durable. Where all
	 * profiles of whole days are selected, the structure of the spans that began in them goes too.
	 */
	int (*remove)(struct store *s, const struct store_select *sel, uint64_t *profiles,
		      struct err *e);

	/*
	 * Of a tenant only what is its own: spans and bytes_ingested are 0, bytes_disk is bytes_live; damaged days, which may be
	 * anybody's, and retention are those of the store. Without a tenant all of them together.
	 */
	int (*stats)(struct store *s, struct str tenant, struct store_stats *out, struct err *e);

	/*
	 * The version of all profiles in [from, to), of every tenant: it grows with each commit, deletion, drop or damage that changes
	 * answers of the range, before the write is acknowledged, and sometimes without one. Who reads it before a query, and
	 * again later, knows whether the answer is still the store's. Reads no file. 0, or no such function: the store cannot tell.
	 */
	uint64_t (*version)(struct store *s, uint64_t from, uint64_t to);

	/* Finish what was taken, close, free. */
	void (*close)(struct store *s);
};

#endif

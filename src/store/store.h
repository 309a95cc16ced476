/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_STORE_H
#define VARVE_STORE_STORE_H

#include <stdatomic.h>

#include "signal/log_batch.h"
#include "signal/metric/metric_batch.h"
#include "signal/series.h"
#include "signal/signal_kind.h"
#include "signal/span_batch.h"
#include "signal/stack_tree.h"
#include "signal/trace/trace_view.h"
#include "store/quota.h"

struct regex;

/*
 * The interface of a store of profiles, traces and logs. store/sqlite is the embedded
 * store, store/batch reads one decoded batch.
 *
 * The time of a profile is when it begins (time_unix_nano, or if that is 0 the time of arrival):
 * either all its samples are inside a time range or none is, so that a flame graph, a table and a
 * chart of one range add up to the same number. Times of single samples are stored in addition.
 *
 * Any thread may call; queries run on the caller's thread. Results are exact. A query sees a write
 * that is committed while it runs either completely or not at all, day by day. Samples of value 0
 * without a time of their own are not stored.
 */
struct store {
	const struct store_ops *ops;
};

struct trace_want;  /* signal/trace/trace_want.h */
struct trace_field; /* signal/trace/trace_view.h */

/* ---- writing ---- */

enum { STORE_REASON_MAX = 200 };

/* Returned by put(). */
enum { STORE_COPIED = 1 };

/*
 * One write, of profiles, of spans or of log records. It completes when it is durable. It is stored completely or
 * not at all, except for profiles, spans and records whose time is refused (too far ahead of the clock, or
 * older than the retention), which are counted in `rejected`. A failed write over several days may
 * be stored for some of them; a retry adds the others. A profile with an id (profile.id) that is
 * stored already for the same series with the same time (unless it has none of its own) and the
 * same samples is acknowledged and not stored again. A span that is written twice is stored once.
 * A write of log records that is equal to one of the last of the day is acknowledged and not stored
 * again, unless a record has no time of its own.
 */
struct store_write {
	struct str tenant; /* empty: the default tenant */
	/* Batch, series, spans and metrics are borrowed until done() or until put() returns STORE_COPIED. */
	const struct profile_batch *batch;
	const struct series_map *series;
	const struct span_batch *spans;	    /* instead of those two; NULL: profiles */
	const struct log_batch *logs;	    /* instead of all of these */
	const struct metric_batch *metrics; /* or these */
	/* Nanoseconds since 1970: the time of profiles and spans that have none. */
	uint64_t received;
	/*
	 * Called once, from a thread of the store; must not block. `rc` is 0 when the write is
	 * durable; -EAGAIN on overload (retry later); -ENOSPC, -EROFS or -EIO for a failure of the
	 * disk; or another -errno. `e` has the reason.
	 */
	void (*done)(struct store_write *w, int rc, const struct err *e);
	void *owner;	     /* for the caller */
	uint32_t duplicates; /* out: profiles or records that were stored already */
	/*
	 * out: profiles, spans, records or samples whose time was refused, and samples of new series
	 * beyond the limit; a retry does not help.
	 */
	uint32_t rejected;
	/* out: the reason for the first of them, in one line. */
	char reason[STORE_REASON_MAX];
	/* out, for done(): put() returned or will return STORE_COPIED. */
	bool copied;
	/*
	 * The quotas of the tenant and the token; NULL: no limit. They must outlive the write. When
	 * one is reached put() fails with -EDQUOT and stores nothing.
	 */
	struct store_quota *quotas[STORE_QUOTAS];
	/* The following fields are for the store. */
	struct store_reserved reserved, added;
	uint64_t oldest, newest; /* limits of the times that are accepted */
	uint64_t ticket;
	uint32_t day;
	bool mapped;	  /* its rows are in the pending commit of that day */
	uint8_t deferred; /* how often it waited for a commit to free memory */
	struct store_write *next;
};

/* ---- queries ---- */

/* What a result lacks. The zero value: nothing. */
enum { STORE_MISSING_MAX = 32 };
struct store_missing {
	uint32_t n;
	bool more; /* damaged days than fit `days` */
	/* The children of spans that were selected with them; set by the caller that selects so. */
	bool structure;
	bool smaller; /* frames that did not fit the memory: query/wide.h */
	bool spans;   /* of the spans that were searched, all but some: api/selection_traces.h */
	/* The begins of the first damaged days in the range: nanoseconds since 1970. */
	uint64_t days[STORE_MISSING_MAX];
};

/* Limits of a query. A query checks them often and fails with -ETIMEDOUT, -ECANCELED or -ENOMEM. */
struct store_limits {
	uint64_t deadline_ns;	       /* of the monotonic clock; 0: none */
	const _Atomic bool *cancelled; /* NULL: never */
	/* Called often without locks, so that a long query can yield to short ones. May be NULL. */
	void (*pause)(uint64_t deadline_ns, const _Atomic bool *cancelled);
	struct budget *budget;
	/*
	 * For stacks(): if the stacks may need more memory than this, fail with -ENOBUFS before
	 * anything is merged, and set *need to the estimate. 0: no limit.
	 */
	uint64_t most;
	uint64_t *need;
	/* The damaged days in the range are added to it; may be NULL. */
	struct store_missing *missing;
};

/*
 * A filter for points(): only samples whose stack passes are counted. The query adds stacks to
 * `tree` and calls keeps() once per day and stack, with the node that the stack ends at. It sets
 * *yes and returns 0, or -errno, which ends the query.
 */
struct store_stack_filter {
	struct stack_tree *tree;
	int (*keeps)(void *context, uint32_t node, bool *yes);
	void *context;
};

struct store_select {
	struct str tenant;
	/* Of series; the profile type is the label __profile_type__. */
	const struct selector *selector;
	uint64_t from, to;	   /* nanoseconds since 1970, from included, to excluded */
	const uint8_t (*spans)[8]; /* only samples of one of these spans */
	uint32_t span_count;	   /* 0: samples of any span or of none */
	const uint8_t *trace_id;   /* 16 bytes: only samples of this trace; NULL: any */
	const uint8_t *profile_id; /* 16 bytes: only this profile; NULL: any */
	/*
	 * For gauges: return not the sum over time but the mean over slots of ten minutes (those
	 * with data; clipped to the range) of the sum over series of each series' mean in the slot.
	 * A series' mean is rounded to 1/240 of a unit, the result to a whole unit.
	 */
	bool average;
	const struct store_stack_filter *stacks; /* for points(); NULL: all */
	/*
	 * For remove(): one SIGNAL_ bit; 0: profiles, and everything of whole days of which all
	 * profiles are selected.
	 */
	uint32_t signal;
	bool untimed; /* for series(): first and last may be inexact, which is faster */
	/*
	 * For stacks(): if the stacks of several services are likely to need all of the memory,
	 * fail with -ENOMEM at once and set limits.missing->smaller.
	 */
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
	uint32_t series; /* a number as of store_visit_series, constant during the query */
	uint64_t time, duration_nano;
	int64_t total;
	uint8_t profile_id[PROFILE_ID_SIZE];
};

/* Samples of one profile and series, as columns; nodes are of the tree that is passed to scan(). */
struct store_samples {
	uint32_t series;
	uint64_t time, duration_nano; /* of the profile */
	uint32_t n;
	const uint32_t *nodes; /* NULL without a tree */
	const int64_t *values;
	const uint64_t *times;	  /* of single samples; 0: none. NULL: no sample has one */
	const struct link *links; /* zero: none. NULL: no sample has one */
};

/* A selection of spans: those of one of these traces, or with one of these ids (of any trace). */
struct store_span_select {
	struct str tenant;
	uint64_t from, to; /* of starts: nanoseconds since 1970, from included, to excluded */
	const uint8_t (*traces)[16];
	const uint8_t (*ids)[8];
	uint32_t trace_count, id_count;
	/*
	 * For traces(): visit only some of the spans if all are more than about this many bytes in
	 * memory, and set *cut. 0: no limit.
	 */
	uint64_t most_bytes;
	bool *cut;
	struct store_limits limits;
};

/* A selection of attributes of spans, for tags(). */
struct store_tag_select {
	struct str tenant;
	uint64_t from, to; /* of starts of spans; blocks that overlap the range count as a whole */
	/* Visit the names of all attributes in these scopes (1 << enum trace_scope); 0: values. */
	unsigned scopes;
	/*
	 * Visit the values of this field. Of the intrinsics, names, services, status messages and
	 * the names of events and scopes have values.
	 */
	struct trace_field field;
	bool roots; /* names and services of spans without parent only */
	struct store_limits limits;
};

/* A condition on an attribute of a record. The value of a missing attribute is empty text. */
enum store_log_scope { STORE_LOG_ANY, STORE_LOG_RECORD, STORE_LOG_RESOURCE };
struct store_log_match {
	/* STORE_LOG_ANY: the attribute of the record, else of its resource. */
	enum store_log_scope scope;
	struct str key, value;
	struct regex *regex; /* instead of value: matches the value; NULL: equal to it */
	bool negated;
};

/* A selection of log records: all conditions hold. */
struct store_log_select {
	struct str tenant;
	uint64_t from, to; /* of times: nanoseconds since 1970, from included, to excluded */
	const struct str *services;
	uint32_t service_count; /* 0: all */
	uint32_t severity;	/* the least; 0: all */
	const uint8_t (*traces)[16];
	const uint8_t (*spans)[8];
	uint32_t trace_count, span_count;
	/* Phrases of whole words, in any case of ASCII letters; all occur in the body. */
	const struct str *phrases;
	/* Parts of the body, all of them. */
	const struct str *parts;
	uint32_t phrase_count, part_count;
	struct regex *regex; /* matches the body; NULL: none */
	const struct store_log_match *matches;
	uint32_t match_count;
	/*
	 * For logs(): the most records to visit, after leaving out the first `skip` of the time
	 * to - 1.
	 */
	uint32_t limit, skip;
	/*
	 * Of the monotonic clock: then end the search with what was found. 0: never. The deadline
	 * of the limits is an error.
	 */
	uint64_t stop_ns;
	struct store_limits limits;
};

/* Where a search of records has ended. */
struct store_log_end {
	bool more;    /* there may be records that were not visited */
	bool stopped; /* by stop_ns */
	/* The next search has this `to` and `skip`. */
	uint64_t to;
	uint32_t skip;
};

struct store_log {
	uint64_t time; /* of the record, or of its arrival */
	struct log_record record;
	struct str service;
	struct span_origin resource, scope;
};

/* What has profiles on a day. */
struct store_group {
	struct str tenant, service, type;
	uint64_t day; /* its begin: nanoseconds since 1970 */
};

/*
 * Visitors return 0 to continue, or -errno, which ends the query with that error. They run inside
 * the query and must not query the store themselves.
 */
typedef int store_visit_series(void *ctx, uint32_t series, const struct store_series *s);
typedef int store_visit_group(void *ctx, const struct store_group *g);
typedef int store_visit_point(void *ctx, const struct store_point *p);
typedef int store_visit_samples(void *ctx, const struct store_samples *s);
typedef int store_visit_span(void *ctx, const struct span *s);

/* One trace: all its spans by start, with resources, scopes and details. Valid until it returns. */
typedef int store_visit_trace(void *ctx, const struct span_batch *trace);

/*
 * The name of an attribute, or one of its values: a scalar; the elements of an array are visited
 * one by one. Valid until it returns. Return 1 to end the query without an error.
 */
typedef int store_visit_tag(void *ctx, enum trace_scope scope, struct str key,
			    const struct trace_value *value);

/*
 * A search of traces, the newest first. Traces that cannot be of interest are passed over without
 * reading them; spans of the others are probed, and where a span is hit the whole trace is visited.
 */
struct store_trace_search {
	const struct trace_want *want;
	/* The fields that visit() and probe() need; details of spans have at least these. */
	const struct trace_field *fields, *probe_fields;
	uint32_t field_count, probe_field_count;
	bool all_fields; /* visit() needs all details */
	/*
	 * Decide on spans that may be of interest: set hits[i] of those that are. Those of a trace
	 * are adjacent, but others of it may be missing or in other calls. NULL: all are hit.
	 */
	int (*probe)(void *ctx, const struct span_batch *spans, bool *hits);
	/* NULL: spans are probed, each once, and hits are ignored. */
	store_visit_trace *visit;
	uint32_t most; /* about how many traces are needed; 0: unknown */
	/* Return whether traces that start at or before `start` are not needed any more. */
	bool (*enough)(void *ctx, uint64_t start);
	void *ctx;
};

typedef int store_visit_log(void *ctx, const struct store_log *l);

/* `n` records of a service and severity class at `time`, rounded down to the step. */
struct store_log_count {
	uint64_t time, n;
	enum severity_class severity;
	struct str service;
};
typedef int store_visit_log_count(void *ctx, const struct store_log_count *c);

/* The sums of the n nodes of a tree; both are valid until it returns. */
typedef int store_visit_stacks(void *ctx, const struct stack_tree *tree, const int64_t *self,
			       uint32_t n);

/* The purposes of a store's memory. */
enum store_memory { STORE_WRITING, STORE_READING, STORE_MERGING, STORE_MEMORIES };

struct store_stats {
	uint64_t profiles, samples, series; /* series: distinct ones of all days */
	uint64_t spans, bytes_spans; /* a span may be counted twice until its blocks are merged */
	uint64_t logs, bytes_logs;
	/* Series: of the day with the most. Samples: as spans. */
	uint64_t metric_series, metric_samples, bytes_metrics;
	uint64_t oldest, newest;	 /* profile times; 0: there are none */
	uint64_t bytes_live, bytes_disk; /* of the data; of the files */
	/* The most that the files should take; a long query can delay their truncation. */
	uint64_t bytes_disk_limit;
	uint64_t bytes_ingested; /* samples and dictionaries before compression */
	uint32_t partitions, partitions_damaged;
	struct store_missing damaged; /* the damaged days */
	/* Older days, or the oldest ones beyond this size, are dropped; 0: never. */
	uint64_t retention_seconds, retention_bytes;
	/* Bytes in use and their limit; limit 0: the store has no such memory. */
	struct {
		uint64_t used, limit;
	} memory[STORE_MEMORIES];
};

struct store_metric_ops;

struct store_ops {
	/*
	 * Accept the write: done() will be called, possibly before put() returns. Return 0 when the
	 * store borrows batch, series and spans until then, or STORE_COPIED when it no longer needs
	 * them. Return -EAGAIN when the queue is full and -EDQUOT when a quota is; done() is not
	 * called then.
	 */
	int (*put)(struct store *s, struct store_write *w, struct err *e);

	/* Visit the series with data in the range; points() and scan() use the same numbers. */
	int (*series)(struct store *s, const struct store_select *sel, store_visit_series *visit,
		      void *ctx, struct err *e);

	/*
	 * Visit tenant, service and profile type of all profiles of the days that overlap [from,
	 * to), day by day and each at least once. Reads no data. NULL: unknown.
	 */
	int (*groups)(struct store *s, uint64_t from, uint64_t to, store_visit_group *visit,
		      void *ctx, struct err *e);

	/* Sum values by stack. `tree` may have nodes already (of another selection, for a diff). */
	int (*stacks)(struct store *s, const struct store_select *sel, struct stack_tree *tree,
		      struct stack_sums *sums, struct err *e);

	/*
	 * Do the same in parts, about one per service and day, for callers that cannot hold the
	 * whole tree. The caller divides values by *divisor after the last part. NULL: the store
	 * has no parts.
	 */
	int (*each_stacks)(struct store *s, const struct store_select *sel,
			   store_visit_stacks *visit, void *ctx, uint64_t *divisor, struct err *e);

	/*
	 * Visit each profile's total, or the part of it that `stacks` keeps, by series and then
	 * time. Ignores selected spans and traces.
	 */
	int (*points)(struct store *s, const struct store_select *sel, store_visit_point *visit,
		      void *ctx, struct err *e);

	/*
	 * Visit every sample, profile by profile. This is expensive: for heatmaps, single profiles,
	 * filters by time and stack. Without a tree (NULL) the samples have no nodes, which is much
	 * faster.
	 */
	int (*scan)(struct store *s, const struct store_select *sel, struct stack_tree *tree,
		    store_visit_samples *visit, void *ctx, struct err *e);

	/* Visit spans by trace and start, each once; strings are valid until visit() returns. */
	int (*spans)(struct store *s, const struct store_span_select *sel, store_visit_span *visit,
		     void *ctx, struct err *e);

	/*
	 * Visit the traces that overlap sel->from to sel->to and have a hit, whole, in about the
	 * order of their start, the newest first. Spans are probed that begin in the range, up to an
	 * hour before it if spans of their trace end less than ten minutes before it, or up to ten
	 * minutes after it; spans of a trace that begin more than a day before or after one that is
	 * hit are not seen. Without visit(), the spans of the range are probed. Ignores sel->traces
	 * and sel->ids. NULL: the store has no traces.
	 */
	int (*trace_search)(struct store *s, const struct store_span_select *sel,
			    const struct store_trace_search *search, struct err *e);

	/*
	 * Visit whole traces, those of sel->traces, with all that was stored of them: one after the
	 * other, by id. Ignores sel->ids. NULL: the store has no traces.
	 */
	int (*traces)(struct store *s, const struct store_span_select *sel,
		      store_visit_trace *visit, void *ctx, struct err *e);

	/* Visit log records, the newest first, and fill *end. NULL: the store has no logs. */
	int (*logs)(struct store *s, const struct store_log_select *sel, store_visit_log *visit,
		    void *ctx, struct store_log_end *end, struct err *e);

	/*
	 * Count log records by steps of `step` nanoseconds since 1970, severity class and service;
	 * a count may be visited in several parts. Set *stopped if it was ended by stop_ns. Ignores
	 * limit and skip. NULL: the store has no logs.
	 */
	int (*log_counts)(struct store *s, const struct store_log_select *sel, uint64_t step,
			  store_visit_log_count *visit, void *ctx, bool *stopped, struct err *e);

	/*
	 * Visit names or values of attributes of spans, the newest days first, each possibly more
	 * than once. Maps, bytes and lists of several types have no values. Reads dictionaries and
	 * columns, not spans. NULL: the store has no traces.
	 */
	int (*tags)(struct store *s, const struct store_tag_select *sel, store_visit_tag *visit,
		    void *ctx, struct err *e);

	/*
	 * Delete the selected profiles durably and set *removed to their number. Ignores spans,
	 * trace and average. Where all profiles of whole days are selected, delete the spans, log
	 * records and metrics of these days, too. With sel->signal delete only data of that signal:
	 * of traces, logs and metrics what the tenant has in whole days of the range, and set
	 * *removed to the number of spans, log records or samples; a selector is an error then.
	 */
	int (*remove)(struct store *s, const struct store_select *sel, uint64_t *removed,
		      struct err *e);

	/*
	 * Return the statistics of the whole store, or with a non-empty tenant those of its data:
	 * then spans and bytes_ingested are 0 and bytes_disk is bytes_live; damaged days and
	 * retention are those of the store.
	 */
	int (*stats)(struct store *s, struct str tenant, struct store_stats *out, struct err *e);

	/*
	 * Return the version of the profiles in [from, to) of all tenants. It grows with each
	 * commit, deletion, drop or damage that changes results of the range, before the write is
	 * acknowledged, and sometimes without a change. A cached result is valid while the version
	 * is the one that was read before its query. Reads no file. 0, or NULL for the function:
	 * unknown.
	 */
	uint64_t (*version)(struct store *s, uint64_t from, uint64_t to);

	const struct store_metric_ops *metrics; /* metric_store.h; NULL: the store has no metrics */

	/* Finish the accepted writes, close the store and free it. */
	void (*close)(struct store *s);
};

#endif

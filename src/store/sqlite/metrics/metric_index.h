/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_METRIC_INDEX_H
#define VARVE_STORE_SQLITE_METRIC_INDEX_H

#include <pthread.h>

#include "base/container/idset.h"
#include "base/err.h"
#include "signal/metric/metric_batch.h"
#include "signal/selector.h"

/*
 * The series of a day in memory: their labels, and an inverted index from each label to its series.
 * A series has a number, in the order of arrival; rows and chunks refer to it. Labels are pairs of
 * name and value, numbered likewise. The tenant is a pair with an empty name, so that it needs no
 * index of its own.
 *
 * The index only grows. The writer adds series and metadata before they are on disk; `written` says
 * how many are. All threads read under the read lock; the writer adds under the write lock.
 *
 * A block of series (FRAME_METRIC_SERIES): the first series, their number; the number of strings,
 * the strings; the number of pairs, columns of their names and values (strings); columns of each
 * series: its number of pairs, and then the pairs of all. Strings and pairs are in the order of
 * their first use. Loading all blocks in order gives pairs the numbers that they had, which are in
 * the keys of chunks.
 */
struct metric_pair {
	uint32_t name, value; /* symbols */
	uint32_t n, cap;      /* of the postings */
	union {
		uint32_t one;	/* cap 0: the only posting */
		uint32_t *many; /* series, ascending */
	} series;
};

struct metric_label_name {
	uint32_t symbol;
	VEC(uint32_t) pairs;
};

struct metric_series_slot {
	uint64_t hash;
	uint32_t more; /* of the hash */
	uint32_t id;   /* + 1; 0: free */
};

/* Metadata of a family of a tenant. */
struct metric_family {
	struct str tenant;
	struct metric_metadata meta;
};

struct metric_index {
	_Atomic uint32_t refs;
	pthread_rwlock_t lock; /* guards all that follows */
	struct arena arena;
	VEC(struct str) symbols;
	VEC(uint32_t) name_of; /* by symbol: its label name + 1, or 0 */
	struct idset by_symbol;
	VEC(struct metric_pair) pairs;
	struct idset by_pair;
	VEC(struct metric_label_name) names;
	VEC(uint32_t) first;	  /* of each series: its first pair in `labels`; and the end */
	VEC(uint32_t) labels;	  /* pairs of all series */
	VEC(uint32_t) name_pairs; /* of each series: the pair of its metric name */
	struct metric_series_slot *slots;
	uint64_t mask;
	uint32_t n; /* series */
	VEC(struct metric_family) families;
	struct idset by_family;
	struct buf scratch; /* of the writer */
	/* Writer thread only, or while loading. */
	uint32_t written, families_written;
};

/* Return an empty index with one reference, or NULL. */
struct metric_index *metric_index_new(void);
struct metric_index *metric_index_ref(struct metric_index *x);
void metric_index_unref(struct metric_index *x); /* takes NULL */

/*
 * Find a series. The thread that adds series may call it without the lock: nobody else changes the
 * index. Return false if it is new.
 */
bool metric_index_find(struct metric_index *x, struct str tenant, struct str labels,
		       uint32_t *series);

/* ---- with the write lock ---- */

/*
 * Find the series of the tenant with these labels (metric_labels.h), or add it unless the tenant
 * has `most` series. Return 0, -ENOMEM, or -EDQUOT.
 */
MUST_USE int metric_index_add(struct metric_index *x, struct str tenant, struct str labels,
			      uint32_t most, uint32_t *series);

/*
 * Add metadata of a family of the tenant, unless it is there already. A later one of the same name
 * replaces it. Return 0 or -ENOMEM.
 */
MUST_USE int metric_index_add_family(struct metric_index *x, struct str tenant,
				     const struct metric_metadata *m);

/*
 * Add the series of a block, which follow those of the index. Return 0, -ENOMEM or -EUCLEAN.
 * Implemented in metric_series_block.c, like metric_index_put().
 */
MUST_USE int metric_index_load(struct metric_index *x, struct str block, struct err *e);

/* ---- with the read lock ---- */

/* Append a block of the series [from, to). Return 0 or -ENOMEM. */
MUST_USE int metric_index_put(const struct metric_index *x, uint32_t from, uint32_t to,
			      struct buf *block);

/* Append the labels of a series, without its tenant. */
void metric_index_labels(const struct metric_index *x, uint32_t series, struct buf *out);

/* Return the pair of the metric name of a series, which is the upper half of its key. */
static inline uint32_t metric_index_name(const struct metric_index *x, uint32_t series)
{
	return x->name_pairs.at[series];
}

static inline const uint32_t *metric_postings(const struct metric_pair *p)
{
	return p->cap ? p->series.many : &p->series.one;
}

/* Return the pair, or NULL. */
const struct metric_pair *metric_index_pair(const struct metric_index *x, struct str name,
					    struct str value);

/* Return the label name, or NULL. */
const struct metric_label_name *metric_index_name_of(const struct metric_index *x, struct str name);

/* Series of one index, ascending. */
struct metric_ids {
	uint32_t *at; /* in the arena that was given */
	uint32_t n;
};

/*
 * Find the series of the tenant for which all matchers hold. Return 0, -ENOMEM, or -errno of a
 * regular expression. Implemented in metric_match.c.
 */
MUST_USE int metric_index_match(const struct metric_index *x, struct str tenant,
				const struct matcher *matchers, uint32_t n, struct arena *a,
				struct metric_ids *out, struct err *e);

/* Compare two series of the index by their labels, as metric_labels_cmp(). */
int metric_index_compare(const struct metric_index *x, uint32_t a, uint32_t b);

#endif

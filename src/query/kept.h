/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_KEPT_H
#define VARVE_QUERY_KEPT_H

#include <pthread.h>

#include "base/clock.h"
#include "base/container/lru.h"
#include "query/tree/top.h"
#include "signal/stack_tree.h"
#include "store/store.h"

/*
 * The query result cache. It serves follow-up queries over the same selection: a zoom, a search, a
 * table beside a flame graph. It holds two kinds of results: the merged stacks of a selection, from
 * which every view and export can be made, and the finished tree of a view.
 *
 * An entry is found by a key (everything the result depends on: tenant, selector, range, ids,
 * filters) and by the version of the store for the range (store_ops.version) at the time the result
 * was computed. Every commit, deletion, drop and damage in the range changes its version, so an
 * entry of the current version equals what the store would return. The version is read before the
 * result is computed: a commit in between makes the entry unusable, never stale.
 *
 * A range that is being written to has a new version after every commit. Only a query that names
 * the version of an earlier answer (`as_of`) may get an entry of that older version, for up to
 * KEPT_AS_OF_NS: it refines a view that is already shown and has to be consistent with it.
 *
 * Entries are immutable and reference-counted: a reader needs no lock, and its entry stays valid
 * after removal from the cache. Nothing is computed under the lock; two equal concurrent queries
 * both compute. Memory is charged to the query budget. The cache holds at most `limit` bytes and
 * KEPT_MAX entries and evicts the least recently used first, those unused for KEPT_IDLE_NS, and all
 * unreferenced ones when a query needs the memory (budget.reclaim). Any thread.
 */
enum { KEPT_MAX = 256, KEPT_KEY_MAX = 64 * 1024 };
#define KEPT_AS_OF_NS (10 * NS_PER_SECOND)
#define KEPT_IDLE_NS (300 * NS_PER_SECOND)

enum kept_kind { KEPT_STACKS, KEPT_TREE, KEPT_KINDS };

/* The store versions that an entry has, or that a lookup accepts. */
struct kept_versions {
	/* The current store version of each selection; a diff has two. 0: unknown, do not cache. */
	uint64_t current[2];
	/* Older versions that a lookup also accepts; 0: none */
	uint64_t as_of[2];
	/* When the version was read (monotonic clock). */
	uint64_t ns;
};

struct kept_entry {
	struct lru_link use; /* must be first; private to kept.c */
	enum kept_kind kind;
	struct str key; /* copied */
	struct kept_versions versions;
	size_t bytes;
	void (*free)(struct kept_entry *entry);

	/* private to kept.c, guarded by kept.mu */
	uint32_t hash;
	unsigned refs;
	bool listed;
	uint64_t used_ns;
};

struct kept {
	struct budget *budget;
	size_t limit;
	pthread_mutex_t mu; /* guards the fields below */
	struct lru entries;
	size_t bytes;
	unsigned count;
	uint64_t hits[KEPT_KINDS], misses[KEPT_KINDS], dropped;
};

struct kept_stats {
	uint64_t hits[KEPT_KINDS], misses[KEPT_KINDS], dropped;
	uint64_t bytes, entries;
};

/*
 * Initialize a cache of at most `limit` bytes and install it as the budget's reclaim function. Call
 * kept_fini() when no entry is referenced any more.
 */
void kept_init(struct kept *k, struct budget *budget, size_t limit);
void kept_fini(struct kept *k);

/*
 * Return the entry with that key and an accepted version, with a reference for the caller, or NULL.
 * On success *versions is set to the entry's.
 */
struct kept_entry *kept_find(struct kept *k, enum kept_kind kind, struct str key,
			     struct kept_versions *versions);

/*
 * Insert an entry whose only reference is the caller's, replacing an older one with the same key.
 * An entry that is too large or older than the existing one is not inserted.
 */
void kept_put(struct kept *k, struct kept_entry *entry);

/* Account for `bytes` more in the entry. */
void kept_grow(struct kept *k, struct kept_entry *entry, size_t bytes);

/* Release a reference; the last one frees an entry that is not in the cache. Takes NULL. */
void kept_unref(struct kept *k, struct kept_entry *entry);

/* Evict unreferenced entries until `n` bytes are freed. Return whether any was evicted. */
bool kept_drop(struct kept *k, size_t n);

void kept_stats(struct kept *k, struct kept_stats *out);

/* ---- entries ---- */

/* Sums by stack as the store returned them, before any filter. */
struct kept_stacks {
	struct kept_entry entry;
	struct stack_tree *tree; /* reference-counted: both sides of a diff may share one */
	struct stack_sums sums;
	struct store_missing missing;
};

/* A finished tree. Each query reads it through tree_borrow(). */
struct kept_tree {
	struct kept_entry entry;
	struct tree tree;
	struct store_missing missing;
	_Atomic(struct kept_top *) top; /* NULL until first needed */
};

/*
 * Allocate an entry of either kind with one reference and an empty tree charged to the budget; the
 * key is copied. 0 or -ENOMEM.
 */
MUST_USE int kept_stacks_new(struct kept_stacks **out, struct str key, struct budget *budget);
MUST_USE int kept_tree_new(struct kept_tree **out, struct str key,
			   const struct tree_options *options, struct budget *budget);

/*
 * Allocate an entry that shares the tree of `other`, which must not be in the cache yet. The tree
 * is freed with the last entry that uses it. 0 or -ENOMEM.
 */
MUST_USE int kept_stacks_new_shared(struct kept_stacks **out, struct str key,
				    const struct kept_stacks *other);

/*
 * Return the rows of top_of_tree() in *out, computed on the first call. They live as long as the
 * entry. 0 or -ENOMEM.
 */
MUST_USE int kept_tree_top(struct kept *k, struct kept_tree *t, struct top *out);

/* Merge the missing data of one answer into that of another. `to` may be NULL. */
void store_missing_add(struct store_missing *to, const struct store_missing *from);

#endif

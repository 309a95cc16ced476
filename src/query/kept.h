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
 * Results of queries that are kept for the next query over the same selection: a zoom, a search, a table beside a flame graph.
 * Two kinds: the merged stacks of a selection, of which every view and export can be made, and the finished tree of a view.
 *
 * An entry is found by a key (all that the result depends on: tenant, selector, range, ids, filters) and by the version of the
 * store for the range (store_ops.version) when the result was computed. Nothing that is committed, deleted, dropped or damaged
 * in the range leaves its version as it is, so an entry of the current version is what the store would answer. The version is
 * read before the result is computed: what is committed meanwhile makes the entry unusable, and never stale.
 *
 * A range that is written to now has another version after every commit. Only a query that names the version of an answer it was
 * given (`as_of`) may have the entry of that version instead, for KEPT_AS_OF_NS: it asks for more of what is shown, and wants it of
 * the same moment.
 *
 * Entries are immutable and have refs: who found one reads it without a lock, also after it was dropped. Nothing is computed under
 * the lock, and two equal queries at the same time both compute. Memory is charged to the budget of queries. Entries take at most
 * `limit` bytes and number at most KEPT_MAX; those used least recently go first, those not used for KEPT_IDLE_NS go, and all that are
 * not in use go where a query needs the memory (budget.reclaim). Any thread.
 */
enum { KEPT_MAX = 256, KEPT_KEY_MAX = 64 * 1024 };
#define KEPT_AS_OF_NS (10 * NS_PER_SECOND)
#define KEPT_IDLE_NS (300 * NS_PER_SECOND)

enum kept_kind { KEPT_STACKS, KEPT_TREE, KEPT_KINDS };

/* What a query that looks for an entry accepts. */
struct kept_moment {
	/* Of the store now, for each selection: a difference has two. 0: unknown, nothing is kept. */
	uint64_t version[2];
	/* Older ones that will do as well; 0: none */
	uint64_t as_of[2];
	/* Of the entry that was found, or when the version was read: of the monotonic clock */
	uint64_t ns;
};

struct kept_entry {
	struct lru_link use; /* first; private to kept.c, as is what says so below */
	enum kept_kind kind;
	struct str key; /* copied */
	struct kept_moment moment;
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
	pthread_mutex_t mu; /* guards what follows */
	struct lru entries;
	size_t bytes;
	unsigned count;
	uint64_t hits[KEPT_KINDS], misses[KEPT_KINDS], dropped;
};

struct kept_stats {
	uint64_t hits[KEPT_KINDS], misses[KEPT_KINDS], dropped;
	uint64_t bytes, entries;
};

/* Keep at most `limit` bytes; the budget's reclaim is set. Fini when no entry is in use. */
void kept_init(struct kept *k, struct budget *budget, size_t limit);
void kept_fini(struct kept *k);

/* The entry of that key and moment with a ref, or NULL. *moment becomes that of the entry. */
struct kept_entry *kept_find(struct kept *k, enum kept_kind kind, struct str key,
			     struct kept_moment *moment);

/* Keep an entry that the caller has the one ref of, instead of an older one of the same key. One that is too large is not kept. */
void kept_put(struct kept *k, struct kept_entry *entry);

/* The entry has grown by `bytes`. */
void kept_grow(struct kept *k, struct kept_entry *entry, size_t bytes);

/* Give the ref back; the last one frees. Takes NULL. */
void kept_unref(struct kept *k, struct kept_entry *entry);

/* Drop entries that are not in use until `n` bytes are given back. Return whether one was dropped. */
bool kept_drop(struct kept *k, size_t n);

void kept_stats(struct kept *k, struct kept_stats *out);

/* ---- what is kept ---- */

/* Sums by stack as the store answered, before any filter. */
struct kept_stacks {
	struct kept_entry entry;
	struct stack_tree
		*tree; /* refs are kept of it: both sides of a difference may have one tree */
	struct stack_sums sums;
	struct store_missing missing;
};

/* A finished tree. Each query reads it through tree_borrow(). */
struct kept_tree {
	struct kept_entry entry;
	struct tree tree;
	struct store_missing missing;
	_Atomic(struct kept_top *) top; /* NULL: nobody asked yet */
};

/* An entry of either kind with one ref and an empty tree, which is charged to the budget; the key is copied. 0 or -ENOMEM. */
MUST_USE int kept_stacks_new(struct kept_stacks **out, struct str key, struct budget *budget);
MUST_USE int kept_tree_new(struct kept_tree **out, struct str key,
			   const struct tree_options *options, struct budget *budget);

/*
 * The same with the tree of another entry, which must not be kept yet. The tree is freed with the
 * last entry that has it. 0 or -ENOMEM.
 */
MUST_USE int kept_stacks_beside(struct kept_stacks **out, struct str key,
				const struct kept_stacks *other);

/* The rows of the tree, of top_of_tree(): worked out once. They live as long as the entry. 0 or -ENOMEM. */
MUST_USE int kept_tree_top(struct kept *k, struct kept_tree *t, struct top *out);

/* Add what an answer is without to what another is without. `to` may be NULL. */
void store_missing_add(struct store_missing *to, const struct store_missing *from);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One LRU list, searched linearly by hash, under one mutex. Removed entries are collected in a
 * local list and freed after the mutex is released, because freeing much memory takes time.
 */
#include "query/kept.h"

#include <malloc.h>
#include <stdlib.h>

#include "base/container/hash.h"

/*
 * Free at least a quarter of the cache at once: freed memory stays with the allocator, often in
 * another thread's arena, until malloc_trim() returns it to the system.
 */
static bool reclaim_memory(void *owner, size_t n)
{
	struct kept *k = owner;
	bool any = kept_drop(k, max_size(n, k->limit / 4));

	if (any)
		malloc_trim(0);
	return any;
}

void kept_init(struct kept *k, struct budget *budget, size_t limit)
{
	*k = (struct kept){.budget = budget, .limit = limit};
	pthread_mutex_init(&k->mu, NULL);
	if (budget) {
		budget->reclaim = reclaim_memory;
		budget->owner = k;
	}
}

void kept_fini(struct kept *k)
{
	kept_drop(k, SIZE_MAX);
	if (k->budget)
		k->budget->reclaim = NULL;
	pthread_mutex_destroy(&k->mu);
}

/* ---- the list; kept.mu is held ---- */

static struct kept_entry *lru_entry(struct lru_link *x)
{
	return (struct kept_entry *)x;
}

/* Remove an entry from the list; if it is unreferenced, add it to *removed for free_entries(). */
static void remove_entry(struct kept *k, struct kept_entry *e, struct lru *removed)
{
	lru_remove(&k->entries, &e->use);
	e->listed = false;
	k->bytes -= e->bytes;
	k->count--;
	if (!e->refs)
		lru_add(removed, &e->use);
}

/* Remove the oldest entries until the limits hold. */
static void evict_entries(struct kept *k, uint64_t now, struct lru *removed)
{
	while (k->entries.oldest && (k->bytes > k->limit || k->count > KEPT_MAX ||
				     now - lru_entry(k->entries.oldest)->used_ns > KEPT_IDLE_NS)) {
		remove_entry(k, lru_entry(k->entries.oldest), removed);
		k->dropped++;
	}
}

static struct kept_entry *find_entry(struct kept *k, enum kept_kind kind, struct str key)
{
	uint32_t hash = hash32(key);

	for (struct lru_link *x = k->entries.newest; x; x = x->older) {
		struct kept_entry *e = lru_entry(x);

		if (e->hash == hash && e->kind == kind && str_eq(e->key, key))
			return e;
	}
	return NULL;
}

/* Free removed entries. The lock is not held. */
static void free_entries(const struct lru *removed)
{
	for (struct lru_link *x = removed->oldest, *next; x; x = next) {
		next = x->newer;
		lru_entry(x)->free(lru_entry(x));
	}
}

/* ---- lookup and insertion ---- */

static bool same_versions(const uint64_t a[2], const uint64_t b[2])
{
	return a[0] && a[0] == b[0] && a[1] == b[1];
}

static bool is_usable(const struct kept_entry *e, const struct kept_versions *m, uint64_t now)
{
	return same_versions(e->versions.current, m->current) ||
	       (same_versions(e->versions.current, m->as_of) &&
		now - e->versions.ns <= KEPT_AS_OF_NS);
}

/* Versions only increase, so newer ones have a larger sum. */
static bool is_newer(const struct kept_versions *a, const struct kept_versions *b)
{
	return a->current[0] + a->current[1] > b->current[0] + b->current[1];
}

struct kept_entry *kept_find(struct kept *k, enum kept_kind kind, struct str key,
			     struct kept_versions *versions)
{
	struct kept_entry *e;
	struct lru removed = {0};
	uint64_t now = clock_monotonic_ns();

	pthread_mutex_lock(&k->mu);
	evict_entries(k, now, &removed);
	e = find_entry(k, kind, key);
	if (e && is_usable(e, versions, now)) {
		lru_use(&k->entries, &e->use);
		e->refs++;
		e->used_ns = now;
		*versions = e->versions;
		k->hits[kind]++;
	} else {
		e = NULL;
		k->misses[kind]++;
	}
	pthread_mutex_unlock(&k->mu);
	free_entries(&removed);
	return e;
}

void kept_put(struct kept *k, struct kept_entry *entry)
{
	struct kept_entry *old;
	struct lru removed = {0};
	uint64_t now = clock_monotonic_ns();

	if (!entry->versions.current[0] || entry->bytes > k->limit || entry->key.n > KEPT_KEY_MAX)
		return;
	pthread_mutex_lock(&k->mu);
	old = find_entry(k, entry->kind, entry->key);
	if (!old || !is_newer(&old->versions, &entry->versions)) {
		if (old)
			remove_entry(k, old, &removed);
		entry->listed = true;
		entry->used_ns = now;
		lru_add(&k->entries, &entry->use);
		k->bytes += entry->bytes;
		k->count++;
		evict_entries(k, now, &removed);
	}
	pthread_mutex_unlock(&k->mu);
	free_entries(&removed);
}

void kept_grow(struct kept *k, struct kept_entry *entry, size_t bytes)
{
	struct lru removed = {0};

	pthread_mutex_lock(&k->mu);
	entry->bytes += bytes;
	if (entry->listed) {
		k->bytes += bytes;
		evict_entries(k, clock_monotonic_ns(), &removed);
	}
	pthread_mutex_unlock(&k->mu);
	free_entries(&removed);
}

void kept_unref(struct kept *k, struct kept_entry *entry)
{
	bool last;

	if (!entry)
		return;
	pthread_mutex_lock(&k->mu);
	last = --entry->refs == 0 && !entry->listed;
	pthread_mutex_unlock(&k->mu);
	if (last)
		entry->free(entry);
}

bool kept_drop(struct kept *k, size_t n)
{
	struct lru removed = {0};
	size_t dropped = 0;
	bool any;

	pthread_mutex_lock(&k->mu);
	for (struct lru_link *x = k->entries.oldest, *newer; x && dropped < n; x = newer) {
		struct kept_entry *e = lru_entry(x);

		newer = x->newer;
		if (e->refs) /* removing it would not free its memory */
			continue;
		dropped += e->bytes;
		remove_entry(k, e, &removed);
		k->dropped++;
	}
	pthread_mutex_unlock(&k->mu);
	any = removed.oldest;
	free_entries(&removed);
	return any;
}

void kept_stats(struct kept *k, struct kept_stats *out)
{
	struct lru removed = {0};

	pthread_mutex_lock(&k->mu);
	evict_entries(k, clock_monotonic_ns(), &removed);
	*out = (struct kept_stats){.dropped = k->dropped, .bytes = k->bytes, .entries = k->count};
	memcpy(out->hits, k->hits, sizeof(out->hits));
	memcpy(out->misses, k->misses, sizeof(out->misses));
	pthread_mutex_unlock(&k->mu);
	free_entries(&removed);
}

/* ---- entries ---- */

struct kept_top {
	struct tree tree; /* from tree_borrow(); its arena holds the rows */
	struct top top;
};

static void top_free(struct kept_top *top)
{
	if (!top)
		return;
	tree_fini(&top->tree);
	free(top);
}

struct shared_tree {
	struct stack_tree tree; /* must be first */
	_Atomic unsigned refs;
};

static struct shared_tree *shared_of(const struct kept_stacks *s)
{
	return (struct shared_tree *)s->tree;
}

static void stacks_free(struct kept_entry *entry)
{
	struct kept_stacks *s = (struct kept_stacks *)entry;
	struct shared_tree *shared = shared_of(s);

	if (shared && atomic_fetch_sub(&shared->refs, 1) == 1) {
		stack_tree_fini(&shared->tree);
		free(shared);
	}
	free((char *)entry->key.p);
	free(s);
}

static void tree_free(struct kept_entry *entry)
{
	struct kept_tree *t = (struct kept_tree *)entry;

	top_free(atomic_load(&t->top));
	tree_fini(&t->tree);
	free((char *)entry->key.p);
	free(t);
}

/* Allocate `size` bytes that begin with an entry, and initialize the entry. NULL: out of memory. */
static void *entry_new(enum kept_kind kind, size_t size, struct str key)
{
	struct kept_entry *e = calloc(1, size);
	char *copy = e ? malloc(key.n + 1) : NULL;

	if (!copy) {
		free(e);
		return NULL;
	}
	if (key.n)
		memcpy(copy, key.p, key.n);
	*e = (struct kept_entry){.kind = kind,
				 .key = str_of(copy, key.n),
				 .free = kind == KEPT_STACKS ? stacks_free : tree_free,
				 .hash = hash32(key),
				 .refs = 1};
	return e;
}

int kept_stacks_new(struct kept_stacks **out, struct str key, struct budget *budget)
{
	struct kept_stacks *s = entry_new(KEPT_STACKS, sizeof(*s), key);
	struct shared_tree *shared = s ? calloc(1, sizeof(*shared)) : NULL;
	int rc = -ENOMEM;

	if (shared) {
		s->tree = &shared->tree;
		atomic_init(&shared->refs, 1);
		rc = stack_tree_init(&shared->tree, budget);
	}
	if (!rc)
		*out = s;
	else if (s)
		stacks_free(&s->entry);
	return rc;
}

int kept_stacks_new_shared(struct kept_stacks **out, struct str key,
			   const struct kept_stacks *other)
{
	struct kept_stacks *s = entry_new(KEPT_STACKS, sizeof(*s), key);

	if (!s)
		return -ENOMEM;
	s->tree = other->tree;
	atomic_fetch_add(&shared_of(s)->refs, 1);
	*out = s;
	return 0;
}

int kept_tree_new(struct kept_tree **out, struct str key, const struct tree_options *options,
		  struct budget *budget)
{
	struct kept_tree *t = entry_new(KEPT_TREE, sizeof(*t), key);
	int rc = t ? tree_init(&t->tree, options, budget) : -ENOMEM;

	if (!rc)
		*out = t;
	else if (t)
		tree_free(&t->entry);
	return rc;
}

int kept_tree_top(struct kept *k, struct kept_tree *t, struct top *out)
{
	struct kept_top *top = atomic_load(&t->top), *none = NULL;
	int rc;

	if (!top) {
		top = calloc(1, sizeof(*top));
		if (!top)
			return -ENOMEM;
		tree_borrow(&top->tree, &t->tree, t->tree.arena.budget);
		rc = top_of_tree(&top->top, &top->tree);
		if (rc) {
			top_free(top);
			return rc;
		}
		if (atomic_compare_exchange_strong(&t->top, &none, top)) {
			kept_grow(k, &t->entry, arena_bytes(&top->tree.arena));
		} else { /* another query computed it first */
			top_free(top);
			top = none;
		}
	}
	*out = top->top;
	return 0;
}

void store_missing_add(struct store_missing *to, const struct store_missing *from)
{
	if (!to)
		return;
	to->more |= from->more;
	to->structure |= from->structure;
	to->smaller |= from->smaller;
	for (uint32_t i = 0; i < from->n; i++) {
		uint32_t k = 0;

		while (k < to->n && to->days[k] != from->days[i])
			k++;
		if (k == STORE_MISSING_MAX)
			to->more = true;
		else if (k == to->n)
			to->days[to->n++] = from->days[i];
	}
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cache of filters. A partition has a list of its filters sorted by id; all are in an LRU list
 * of the store, and their memory is part of the budget of readers' caches.
 */
#include "store/sqlite/read/spans/filter_cache.h"

#include <stdlib.h>

#include "store/sqlite/store_state.h"

/* Guarded by the store's books_mu, but for the references; the bytes are immutable. */
struct cached_filter {
	struct lru_link use; /* first */
	struct partition *partition;
	uint64_t id;
	_Atomic uint32_t refs;
	size_t n;
	char bytes[];
};

static size_t bytes_of(size_t n)
{
	return sizeof(struct cached_filter) + sizeof(struct cached_filter *) + n;
}

void span_filter_release(struct cached_filter *held)
{
	if (held && atomic_fetch_sub(&held->refs, 1) == 1)
		free(held);
}

/* Return the place of the id in the partition's list, or where it belongs. books_mu is held. */
static uint32_t place_of(const struct partition *p, uint64_t id)
{
	uint32_t low = 0, high = p->filters_n;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (p->filters[middle]->id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Remove the filter from the LRU list and give its memory back. books_mu is held. */
static void cached_free(struct sqlite_store *s, struct cached_filter *c)
{
	lru_remove(&s->read_filters, &c->use);
	budget_give(&s->cached, bytes_of(c->n));
	span_filter_release(c);
}

bool span_filters_evict(struct sqlite_store *s)
{
	enum { AT_ONCE = 64 };
	unsigned n = 0;

	pthread_mutex_lock(&s->books_mu);
	for (; s->read_filters.oldest && n < AT_ONCE; n++) {
		struct cached_filter *c = (struct cached_filter *)s->read_filters.oldest;
		struct partition *p = c->partition;
		uint32_t at = place_of(p, c->id);

		p->filters_n--;
		memmove(p->filters + at, p->filters + at + 1,
			(p->filters_n - at) * sizeof(struct cached_filter *));
		cached_free(s, c);
	}
	pthread_mutex_unlock(&s->books_mu);
	return n;
}

void span_filters_drop(struct partition *p)
{
	struct sqlite_store *s = p->store;

	pthread_mutex_lock(&s->books_mu);
	for (uint32_t i = 0; i < p->filters_n; i++)
		cached_free(s, p->filters[i]);
	free(take_ptr(&p->filters));
	p->filters_n = p->filters_cap = 0;
	pthread_mutex_unlock(&s->books_mu);
}

/* Return the cached filter with a reference, or NULL. */
static struct cached_filter *cache_get(struct partition *p, uint64_t id)
{
	struct sqlite_store *s = p->store;
	struct cached_filter *c = NULL;
	uint32_t at;

	pthread_mutex_lock(&s->books_mu);
	at = place_of(p, id);
	if (at < p->filters_n && p->filters[at]->id == id) {
		c = p->filters[at];
		lru_use(&s->read_filters, &c->use);
		atomic_fetch_add(&c->refs, 1);
	}
	pthread_mutex_unlock(&s->books_mu);
	return c;
}

/* Grow the partition's list by one. Return false without memory. books_mu is held. */
static bool fit_one(struct partition *p)
{
	uint32_t cap = p->filters_cap ? 2 * p->filters_cap : 16;
	struct cached_filter **grown;

	if (p->filters_n < p->filters_cap)
		return true;
	grown = realloc(p->filters, cap * sizeof(struct cached_filter *));
	if (!grown)
		return false;
	p->filters = grown;
	p->filters_cap = cap;
	return true;
}

/* Cache the filter, unless the budget is exhausted. */
static void cache_put(struct partition *p, uint64_t id, struct str bytes)
{
	struct sqlite_store *s = p->store;
	struct cached_filter *c;
	uint32_t at;

	if (!budget_take(&s->cached, bytes_of(bytes.n)) &&
	    (!span_filters_evict(s) || !budget_take(&s->cached, bytes_of(bytes.n))))
		return;
	c = malloc(sizeof(*c) + bytes.n);
	pthread_mutex_lock(&s->books_mu);
	at = place_of(p, id);
	if (!c || (at < p->filters_n && p->filters[at]->id == id) || !fit_one(p)) {
		budget_give(&s->cached, bytes_of(bytes.n));
		free(c);
	} else {
		*c = (struct cached_filter){.partition = p, .id = id, .refs = 1, .n = bytes.n};
		if (bytes.n)
			memcpy(c->bytes, bytes.p, bytes.n);
		memmove(p->filters + at + 1, p->filters + at,
			(p->filters_n - at) * sizeof(struct cached_filter *));
		p->filters[at] = c;
		p->filters_n++;
		lru_add(&s->read_filters, &c->use);
	}
	pthread_mutex_unlock(&s->books_mu);
}

int span_filter_hold(struct reader *r, uint64_t id, struct arena *a, struct cached_filter **held,
		     struct str *out, struct err *e)
{
	int rc;

	*held = cache_get(r->partition, id);
	if (*held) {
		*out = str_of((*held)->bytes, (*held)->n);
		return 0;
	}
	rc = reader_blob(r, id, FRAME_SPAN_FILTER, a, out, e);
	if (!rc)
		cache_put(r->partition, id, *out);
	return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_BASE_CONTAINER_LRU_H
#define VARVE_BASE_CONTAINER_LRU_H

#include <stddef.h>

/*
 * A list of objects in the order of their last use. The link is the first member of an object, so
 * that a cast converts between them. Not thread-safe.
 */
struct lru_link {
	struct lru_link *older, *newer;
};

struct lru {
	struct lru_link *oldest, *newest;
};

/* Add an object, which must not be in a list, as the most recently used one. */
static inline void lru_add(struct lru *l, struct lru_link *x)
{
	*x = (struct lru_link){.older = l->newest};
	*(x->older ? &x->older->newer : &l->oldest) = x;
	l->newest = x;
}

static inline void lru_remove(struct lru *l, struct lru_link *x)
{
	*(x->older ? &x->older->newer : &l->oldest) = x->newer;
	*(x->newer ? &x->newer->older : &l->newest) = x->older;
	*x = (struct lru_link){NULL, NULL};
}

/* Make the object the most recently used one. */
static inline void lru_use(struct lru *l, struct lru_link *x)
{
	lru_remove(l, x);
	lru_add(l, x);
}

#endif

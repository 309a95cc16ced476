/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_REGISTRY_H
#define VARVE_STORE_SQLITE_REGISTRY_H

#include <pthread.h>

#include "base/buf.h"
#include "base/container/idset.h"
#include "signal/selector.h"

/*
 * The series of all partitions that are in memory, each once, with a number: the same series has one number in
 * every partition.
 *
 * A series is there while lists of partitions refer to it, and some time longer, so that a partition that is let go
 * and read again finds the same numbers. Then its number is given to another one. Whoever uses numbers or what
 * registry_get() gives without such a list in his hands holds the registry (registry_hold()): nothing goes meanwhile.
 *
 * Any thread. What registry_get() gives is immutable.
 */
struct registry_series {
	struct str tenant;
	struct label_set labels;
	struct str
		encoded; /* tenant and labels: what makes it this series; none: the number is free */
	uint64_t hash;
	void *memory; /* of the labels and the texts */
	_Atomic uint32_t refs;
	_Atomic uint64_t idle_ns; /* since when nobody refers to it */
};

enum { REGISTRY_BLOCK = 1024, REGISTRY_BLOCKS = 16384 };

struct registry {
	pthread_rwlock_t use; /* held for reading by those who use numbers; comes before mu */
	pthread_mutex_t mu;   /* guards all but series that somebody refers to */
	struct arena arena;   /* of the index */
	struct idset index;
	VEC(uint32_t) free;
	_Atomic uint32_t count; /* numbers are below it */
	struct registry_series *blocks[REGISTRY_BLOCKS];
};

MUST_USE int registry_init(struct registry *r);
void registry_fini(struct registry *r);

/* Labels as bytes: tenant, how many, names and values, each with its length. */
void labels_encode(struct buf *out, struct str tenant, struct label_set labels);

/* The other way; texts are slices of the bytes. 0, -ENOMEM or -EUCLEAN. */
MUST_USE int labels_decode(struct str bytes, struct arena *arena, struct str *tenant,
			   struct label_set *labels, struct err *e);

/*
 * The number of the series, new if need be, with a ref that is the caller's. 0, -ENOMEM, -EOVERFLOW, or -EUCLEAN for
 * bad bytes.
 */
MUST_USE int registry_add(struct registry *r, struct str encoded, uint32_t *number, struct err *e);

/* The number of a series that is there; false: it is not. No ref is taken, so it may go at any time. */
bool registry_find(struct registry *r, struct str encoded, uint32_t *number);

/* One ref more, besides one that is there already; and one less. */
void registry_ref(struct registry *r, uint32_t number);
void registry_unref(struct registry *r, uint32_t number);

static inline void registry_hold(struct registry *r)
{
	pthread_rwlock_rdlock(&r->use);
}

static inline void registry_release(struct registry *r)
{
	pthread_rwlock_unlock(&r->use);
}

/*
 * Let go of the series that nobody has referred to for so long. Not while somebody holds the registry: then, and
 * without memory, nothing happens. Returns how many went.
 */
uint32_t registry_sweep(struct registry *r, uint64_t idle_ns);

static inline struct registry_series *registry_at(const struct registry *r, uint32_t number)
{
	return &r->blocks[number / REGISTRY_BLOCK][number % REGISTRY_BLOCK];
}

static inline const struct registry_series *registry_get(const struct registry *r, uint32_t number)
{
	return registry_at(r, number);
}

#endif

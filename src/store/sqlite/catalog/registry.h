/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_REGISTRY_H
#define VARVE_STORE_SQLITE_REGISTRY_H

#include <pthread.h>

#include "base/buf.h"
#include "base/container/idset.h"
#include "signal/selector.h"

/*
 * The series of all loaded partitions, each once, with a number: a series has the same number in
 * every partition.
 *
 * A series is kept while lists of partitions refer to it and for some time longer, so that a
 * partition that is unloaded and loaded again gets the same numbers. Then its number is reused for
 * another series. A caller that uses numbers, or results of registry_get(), without a reference to
 * such a list holds the registry (registry_hold()); no series is freed while it is held.
 *
 * Any thread. The result of registry_get() is immutable.
 */
struct registry_series {
	struct str tenant;
	struct label_set labels;
	struct str encoded; /* tenant and labels, the identity; NULL: the number is free */
	uint64_t hash;
	void *memory; /* of the labels and strings */
	_Atomic uint32_t refs;
	_Atomic uint64_t idle_ns; /* time of the last registry_unref() */
};

enum { REGISTRY_BLOCK = 1024, REGISTRY_BLOCKS = 16384 };

struct registry {
	pthread_rwlock_t use; /* read-locked while numbers are used; taken before mu */
	pthread_mutex_t mu;   /* guards all but referenced series */
	struct arena arena;   /* of the index */
	struct idset index;
	VEC(uint32_t) free;
	_Atomic uint32_t count; /* all numbers are lower */
	struct registry_series *blocks[REGISTRY_BLOCKS];
};

/* Initialize an empty registry. Return 0 or -ENOMEM; call registry_fini() in every case. */
MUST_USE int registry_init(struct registry *r);
void registry_fini(struct registry *r);

/* Append the encoding: tenant, number of labels, names and values, each string with its length. */
void labels_encode(struct buf *out, struct str tenant, struct label_set labels);

/* Decode labels_encode(); strings are slices of `bytes`. Return 0, -ENOMEM or -EUCLEAN. */
MUST_USE int labels_decode(struct str bytes, struct arena *arena, struct str *tenant,
			   struct label_set *labels, struct err *e);

/*
 * Find or add the series and set *number, with a reference for the caller. Return 0, -ENOMEM,
 * -EOVERFLOW, or -EUCLEAN for bytes that are not an encoding.
 */
MUST_USE int registry_add(struct registry *r, struct str encoded, uint32_t *number, struct err *e);

/*
 * Set the number of an existing series without taking a reference. Return false if there is none.
 */
bool registry_find(struct registry *r, struct str encoded, uint32_t *number);

/* Add a reference to a series that has one; release one. */
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
 * Free the series that have had no reference for that long, and return their number. Do nothing
 * while the registry is held or without memory.
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

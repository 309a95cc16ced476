/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_REGISTRY_H
#define VARVE_STORE_SQLITE_REGISTRY_H

#include <pthread.h>

#include "base/buf.h"
#include "base/idset.h"
#include "signal/selector.h"

/*
 * The series of all partitions that were read or written since the start, each once, with a number
 * that stays as long as the process: the same series has one number in every partition.
 *
 * Any thread. What registry_get() gives is immutable and stays.
 */
struct registry_series {
	struct str tenant;
	struct label_set labels;
	struct str encoded; /* tenant and labels: what makes it this series */
	uint64_t hash;
};

enum { REGISTRY_BLOCK = 1024, REGISTRY_BLOCKS = 16384 };

struct registry {
	pthread_mutex_t mu; /* guards all but blocks that are published */
	struct arena arena;
	struct idset index;
	_Atomic uint32_t count;
	struct registry_series *blocks[REGISTRY_BLOCKS];
};

MUST_USE int registry_init(struct registry *r, struct budget *budget);
void registry_fini(struct registry *r);

/* Labels as bytes: tenant, how many, names and values, each with its length. */
void labels_encode(struct buf *out, struct str tenant, struct label_set labels);

/* The other way; texts are slices of the bytes. 0, -ENOMEM or -EUCLEAN. */
MUST_USE int labels_decode(struct str bytes, struct arena *arena, struct str *tenant,
			   struct label_set *labels, struct err *e);

/* The number of the series, new if need be. 0, -ENOMEM, -EOVERFLOW, or -EUCLEAN for bad bytes. */
MUST_USE int registry_add(struct registry *r, struct str encoded, uint32_t *number, struct err *e);

static inline const struct registry_series *registry_get(const struct registry *r, uint32_t number)
{
	return &r->blocks[number / REGISTRY_BLOCK][number % REGISTRY_BLOCK];
}

#endif

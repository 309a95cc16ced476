/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_PROCESSORS_TAIL_SAMPLING_TRACE_ID_SET_H
#define VARVE_PIPELINE_PROCESSORS_TAIL_SAMPLING_TRACE_ID_SET_H

#include "base/container/hash.h"
#include "signal/span_batch.h"

/* A trace of a tenant. */
struct trace_key {
	uint8_t id[TRACE_ID_SIZE];
	uint64_t tenant; /* a hash of its name */
};

static inline uint64_t trace_key_hash(const struct trace_key *k)
{
	return hash_bytes(k->id, sizeof(k->id)) ^ k->tenant;
}

static inline bool trace_key_eq(const struct trace_key *a, const struct trace_key *b)
{
	return a->tenant == b->tenant && !memcmp(a->id, b->id, sizeof(a->id));
}

/*
 * The last N traces that were added: a set of fixed size from which the oldest is removed when it
 * is full. Not thread-safe.
 */
struct trace_id_set {
	struct trace_key *keys; /* a ring */
	uint32_t *next;		/* of each key: the next one of its bucket, plus 1 */
	uint32_t *buckets;	/* the first key, plus 1 */
	uint32_t capacity, mask, count, oldest;
};

/* Capacity 0: a set that stays empty. Return 0 or -ENOMEM. The zero value is such a set, too. */
MUST_USE int trace_id_set_init(struct trace_id_set *s, uint32_t capacity);
void trace_id_set_fini(struct trace_id_set *s);

void trace_id_set_add(struct trace_id_set *s, const struct trace_key *key);
bool trace_id_set_has(const struct trace_id_set *s, const struct trace_key *key);

#endif

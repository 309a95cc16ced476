/* SPDX-License-Identifier: Apache-2.0 */
/* A set of trace ids of fixed capacity: when it is full, the oldest id makes room. */
#include "pipeline/processors/tail_sampling/trace_id_set.h"

#include <errno.h>
#include <stdlib.h>

int trace_id_set_init(struct trace_id_set *s, uint32_t capacity)
{
	uint32_t buckets = 1;

	*s = (struct trace_id_set){0};
	if (!capacity)
		return 0;
	while (buckets < capacity && buckets < (uint32_t)1 << 31)
		buckets *= 2;
	s->keys = calloc(capacity, sizeof(*s->keys));
	s->next = calloc(capacity, sizeof(*s->next));
	s->buckets = calloc(buckets, sizeof(*s->buckets));
	if (!s->keys || !s->next || !s->buckets) {
		trace_id_set_fini(s);
		return -ENOMEM;
	}
	s->capacity = capacity;
	s->mask = buckets - 1;
	return 0;
}

void trace_id_set_fini(struct trace_id_set *s)
{
	free(s->keys);
	free(s->next);
	free(s->buckets);
	*s = (struct trace_id_set){0};
}

static uint32_t *bucket_of(const struct trace_id_set *s, const struct trace_key *key)
{
	return &s->buckets[trace_key_hash(key) & s->mask];
}

static void remove_oldest(struct trace_id_set *s)
{
	uint32_t *at = bucket_of(s, &s->keys[s->oldest]);

	while (*at != s->oldest + 1)
		at = &s->next[*at - 1];
	*at = s->next[s->oldest];
	s->oldest = (s->oldest + 1) % s->capacity;
	s->count--;
}

bool trace_id_set_has(const struct trace_id_set *s, const struct trace_key *key)
{
	if (!s->count)
		return false;
	for (uint32_t at = *bucket_of(s, key); at; at = s->next[at - 1])
		if (trace_key_eq(&s->keys[at - 1], key))
			return true;
	return false;
}

void trace_id_set_add(struct trace_id_set *s, const struct trace_key *key)
{
	uint32_t *bucket, at;

	if (!s->capacity || trace_id_set_has(s, key))
		return;
	if (s->count == s->capacity)
		remove_oldest(s);
	at = (s->oldest + s->count) % s->capacity;
	bucket = bucket_of(s, key);
	s->keys[at] = *key;
	s->next[at] = *bucket;
	*bucket = at + 1;
	s->count++;
}

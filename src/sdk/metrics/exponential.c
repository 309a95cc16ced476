/* SPDX-License-Identifier: Apache-2.0 */
/* Base-2 exponential histograms: index of a value, merging of buckets, sharded recording. */
#include "sdk/metrics/exponential.h"

#include <float.h>
#include <math.h>
#include <string.h>

void exponential_reset(struct exponential *e)
{
	memset(e, 0, sizeof(*e));
	e->scale = EXPONENTIAL_SCALE_MAX;
	e->min = INFINITY;
	e->max = -INFINITY;
}

int32_t exponential_index(double value, int32_t scale)
{
	int exponent;
	double fraction = frexp(value, &exponent); /* value = fraction * 2^exponent, [0.5, 1) */

	if (value < DBL_MIN)
		return exponential_index(DBL_MIN, scale); /* subnormal: its bucket's neighbours */
	if (fraction == 0.5)
		exponent--; /* a power of two belongs to the bucket that it bounds from above */
	if (scale <= 0)
		return (exponent - 1) >> -scale;
	if (fraction == 0.5)
		return (int32_t)((int64_t)exponent * ((int64_t)1 << scale)) - 1;
	/* log2 of the fraction alone is precise near every power of two */
	return (int32_t)((int64_t)(exponent - 1) * ((int64_t)1 << scale) +
			 (int64_t)ceil(log2(fraction * 2) * (double)((int64_t)1 << scale)) - 1);
}

/* Merge 2^by neighbouring buckets each. */
static void shrink_buckets(struct exponential_buckets *b, int32_t by)
{
	int32_t first = b->first >> by;
	uint32_t n = 0;

	if (!b->n)
		return;
	for (uint32_t i = 0; i < b->n; i++) {
		uint32_t to = (uint32_t)(((b->first + (int32_t)i) >> by) - first);
		uint64_t count = b->at[i];

		b->at[i] = 0;
		b->at[to] += count;
		n = to + 1;
	}
	b->first = first;
	b->n = n;
}

void exponential_rescale(struct exponential *e, int32_t scale)
{
	if (scale >= e->scale)
		return;
	shrink_buckets(&e->positive, e->scale - scale);
	shrink_buckets(&e->negative, e->scale - scale);
	e->scale = scale;
}

/* Return by how much the scale must fall so that buckets low to high fit. */
static int32_t scale_change(int64_t low, int64_t high)
{
	int32_t by = 0;

	for (; high - low >= EXPONENTIAL_BUCKETS; by++) {
		low >>= 1;
		high >>= 1;
	}
	return by;
}

/* Extend the buckets, which have room for it, to include `index`. */
static void extend_buckets(struct exponential_buckets *b, int32_t index)
{
	uint32_t more;

	if (!b->n) {
		b->first = index;
		b->n = 1;
	} else if (index < b->first) {
		more = (uint32_t)(b->first - index);
		memmove(b->at + more, b->at, b->n * sizeof(*b->at));
		memset(b->at, 0, more * sizeof(*b->at));
		b->first = index;
		b->n += more;
	} else if ((uint32_t)(index - b->first) >= b->n) {
		b->n = (uint32_t)(index - b->first) + 1;
	}
}

/* Add `count` to the bucket of `index` at e->scale, lowering the scale if needed. */
static void add_to_bucket(struct exponential *e, struct exponential_buckets *b, int32_t index,
			  uint64_t count)
{
	int64_t low = b->n && b->first < index ? b->first : index;
	int64_t high =
		b->n && b->first + (int32_t)b->n - 1 > index ? b->first + (int32_t)b->n - 1 : index;
	int32_t by = scale_change(low, high);

	if (by) {
		exponential_rescale(e, e->scale - by);
		index >>= by;
	}
	extend_buckets(b, index);
	b->at[index - b->first] += count;
}

void exponential_add(struct exponential *e, double value)
{
	e->count++;
	e->sum += value;
	e->min = value < e->min ? value : e->min;
	e->max = value > e->max ? value : e->max;
	if (value == 0)
		e->zero_count++;
	else
		add_to_bucket(e, value > 0 ? &e->positive : &e->negative,
			      exponential_index(fabs(value), e->scale), 1);
}

static void merge_buckets(struct exponential *to, bool positive, const struct exponential *from)
{
	const struct exponential_buckets *b = positive ? &from->positive : &from->negative;

	for (uint32_t i = 0; i < b->n; i++) {
		if (!b->at[i])
			continue;
		if (from->scale < to->scale)
			exponential_rescale(to, from->scale);
		/* the scale of `to` may fall while its buckets are added */
		add_to_bucket(to, positive ? &to->positive : &to->negative,
			      (b->first + (int32_t)i) >> (from->scale - to->scale), b->at[i]);
	}
}

void exponential_merge(struct exponential *to, const struct exponential *from)
{
	to->count += from->count;
	to->zero_count += from->zero_count;
	to->sum += from->sum;
	to->min = from->min < to->min ? from->min : to->min;
	to->max = from->max > to->max ? from->max : to->max;
	merge_buckets(to, true, from);
	merge_buckets(to, false, from);
}

static bool try_lock(struct hook_lock *l)
{
	uint32_t state = 0;

	return atomic_compare_exchange_strong_explicit(&l->state, &state, 1, memory_order_acquire,
						       memory_order_relaxed);
}

void exponential_record(struct exponential_shard *shards, uint32_t count, uint32_t first,
			double value)
{
	struct exponential_shard *shard = NULL;

	if (!shards || !count)
		return;
	for (uint32_t i = 0; !shard && i < count; i++)
		if (try_lock(&shards[(first + i) % count].lock))
			shard = &shards[(first + i) % count];
	if (!shard) {
		shard = &shards[first % count];
		if (!hook_lock(&shard->lock))
			return; /* its holder will never unlock it */
	}
	exponential_add(&shard->values, value);
	hook_unlock(&shard->lock);
}

void exponential_read(struct exponential *out, struct exponential_shard *shards, uint32_t count)
{
	exponential_reset(out);
	for (uint32_t i = 0; i < count; i++) {
		if (!hook_lock(&shards[i].lock))
			continue;
		exponential_merge(out, &shards[i].values);
		hook_unlock(&shards[i].lock);
	}
}

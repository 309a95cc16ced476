/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_METRICS_EXPONENTIAL_H
#define VARVE_SDK_METRICS_EXPONENTIAL_H

#include "base/base.h"
#include "sdk/hook/hook_lock.h"

/*
 * Base-2 exponential histograms as OpenTelemetry defines them: bucket i of scale s counts values in
 * (base^i, base^(i+1)] with base = 2^(2^-s). The scale begins at 20 and falls, by merging pairs of
 * buckets, whenever the values do not fit into 160 buckets.
 *
 * A shard has a lock, because merging moves counts. A thread that finds its shard locked uses
 * another one, so it waits only if all are locked.
 */
enum {
	EXPONENTIAL_BUCKETS = 160,
	EXPONENTIAL_SCALE_MAX = 20,
};

/* Buckets first to first + n - 1; at[] begins at `first`. */
struct exponential_buckets {
	int32_t first;
	uint32_t n;
	uint64_t at[EXPONENTIAL_BUCKETS];
};

struct exponential {
	int32_t scale;
	uint64_t count, zero_count;
	double sum, min, max;
	struct exponential_buckets positive, negative;
};

struct exponential_shard {
	_Alignas(64) struct hook_lock lock;
	struct exponential values;
};

void exponential_reset(struct exponential *e);

/* Count a value, which is finite. */
void exponential_add(struct exponential *e, double value);

/* Add the counts of another histogram, whose scale may differ. */
void exponential_merge(struct exponential *to, const struct exponential *from);

/* Merge buckets until the scale is at most `scale`. */
void exponential_rescale(struct exponential *e, int32_t scale);

/* Return the index of the bucket of a positive value at a scale. */
int32_t exponential_index(double value, int32_t scale);

/* Record in one of `count` shards, first trying number `first`. */
void exponential_record(struct exponential_shard *shards, uint32_t count, uint32_t first,
			double value);

/* Sum the shards. */
void exponential_read(struct exponential *out, struct exponential_shard *shards, uint32_t count);

#endif

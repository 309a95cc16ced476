/* SPDX-License-Identifier: Apache-2.0 */
/* Samples are nearly always in order already: then nothing is moved. */
#include "store/sqlite/metrics/layout/metric_runs.h"

#include <stdlib.h>

void metric_gather_init(struct metric_gather *g, struct arena *a)
{
	*g = (struct metric_gather){.arena = a, .sorted = true};
}

void metric_gather_reset(struct metric_gather *g)
{
	g->times.n = g->bits.n = g->histograms.n = 0;
	g->sorted = true;
}

static int add_times(struct metric_gather *g, const int64_t *times, uint32_t n)
{
	int64_t last = g->times.n ? g->times.at[g->times.n - 1] : INT64_MIN;
	int rc = vec_reserve(g->arena, &g->times, n);

	if (rc || !n)
		return rc;
	for (uint32_t i = 0; i < n && g->sorted; i++) {
		g->sorted = times[i] > last;
		last = times[i];
	}
	memcpy(g->times.at + g->times.n, times, n * sizeof(*times));
	g->times.n += n;
	return 0;
}

int metric_gather_add_placed(struct metric_gather *g, const int64_t *times, uint32_t n)
{
	int rc = add_times(g, times, n);

	g->bits.n += rc ? 0 : n;
	return rc;
}

int metric_gather_add(struct metric_gather *g, const int64_t *times, uint32_t n,
		      const uint64_t *bits, const struct native_histogram *histograms)
{
	int rc = 0;

	if (bits)
		rc = vec_reserve(g->arena, &g->bits, n);
	if (!rc && histograms)
		rc = vec_reserve(g->arena, &g->histograms, n);
	if (!rc)
		rc = add_times(g, times, n);
	if (rc || !n)
		return rc;
	if (bits) {
		memcpy(g->bits.at + g->bits.n, bits, n * sizeof(*bits));
		g->bits.n += n;
	}
	if (histograms) {
		memcpy(g->histograms.at + g->histograms.n, histograms, n * sizeof(*histograms));
		g->histograms.n += n;
	}
	return 0;
}

struct timed {
	int64_t time;
	uint32_t at;
};

static int compare_timed(const void *a, const void *b)
{
	const struct timed *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

int metric_gather_finish(struct metric_gather *g)
{
	uint32_t n = g->times.n, kept = 0;
	struct timed *order;
	uint64_t *bits = NULL;
	struct native_histogram *histograms = NULL;
	int rc = 0;

	if (g->sorted)
		return 0;
	order = calloc(n, sizeof(*order));
	if (g->bits.n)
		bits = calloc(n, sizeof(*bits));
	else
		histograms = calloc(n, sizeof(*histograms));
	if (!order || (!bits && !histograms)) {
		rc = -ENOMEM;
		goto out;
	}
	for (uint32_t i = 0; i < n; i++)
		order[i] = (struct timed){g->times.at[i], i};
	qsort(order, n, sizeof(*order), compare_timed);
	for (uint32_t i = 0; i < n; i++) {
		if (i + 1 < n && order[i + 1].time == order[i].time)
			continue;
		g->times.at[kept] = order[i].time;
		if (bits)
			bits[kept] = g->bits.at[order[i].at];
		else
			histograms[kept] = g->histograms.at[order[i].at];
		kept++;
	}
	if (bits)
		memcpy(g->bits.at, bits, kept * sizeof(*bits));
	else
		memcpy(g->histograms.at, histograms, kept * sizeof(*histograms));
	g->times.n = kept;
	g->bits.n = bits ? kept : 0;
	g->histograms.n = bits ? 0 : kept;
	g->sorted = true;
out:
	free(order);
	free(bits);
	free(histograms);
	return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_CONVERT_PROMETHEUS_PROM_DELTAS_H
#define VARVE_PIPELINE_CONVERT_PROMETHEUS_PROM_DELTAS_H

#include <pthread.h>

#include "base/container/map.h"
#include "base/container/vec.h"

/*
 * Running totals of series with delta temporality. They are in memory only: after a restart a total
 * begins at 0 again, which queries take for a reset of the counter. A series that gets no point for
 * an hour is forgotten. Any thread.
 */
struct prom_total {
	uint64_t key; /* hash of tenant and labels */
	double total;
	int64_t time;
};

struct prom_deltas {
	pthread_mutex_t mu;
	struct arena arena;
	struct map by_key; /* index of `list` + 1 */
	VEC(struct prom_total) list;
};

MUST_USE int prom_deltas_init(struct prom_deltas *d);
void prom_deltas_fini(struct prom_deltas *d);

/*
 * Add a point of a series and set *total. Return false if the point is not newer than the last one,
 * or there is no memory.
 */
bool prom_deltas_add(struct prom_deltas *d, struct str tenant, struct str labels, int64_t time,
		     double value, double *total);

#endif

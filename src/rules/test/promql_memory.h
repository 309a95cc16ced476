/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_RULES_TEST_PROMQL_MEMORY_H
#define VARVE_RULES_TEST_PROMQL_MEMORY_H

#include "base/container/idset.h"
#include "query/promql/promql_source.h"

/* Series in memory, as a source of PromQL: of unit tests, of rules and of PromQL itself. */
struct promql_memory_series {
	struct promql_label *labels;
	uint32_t label_count;
	VEC(int64_t) times;
	VEC(double) values;
	VEC(int64_t) starts;
	VEC(int64_t) histogram_times;
	VEC(struct native_histogram) histograms;
	VEC(int64_t) histogram_starts;
	bool has_starts;
};

struct promql_memory {
	struct promql_source source; /* first */
	struct arena arena;
	VEC(struct promql_memory_series *) series;
	struct idset set;
	int64_t until_ms; /* queries do not see later samples; initially they see all */
};

/* Initialize. Return 0 or -ENOMEM; call promql_memory_fini() in any case. */
MUST_USE int promql_memory_init(struct promql_memory *m, struct budget *budget);
void promql_memory_fini(struct promql_memory *m);

/*
 * Get the series with these labels, which are copied and sorted; those with empty values are left
 * out. It is added if it is new. Return NULL if memory is exhausted.
 */
struct promql_memory_series *promql_memory_add(struct promql_memory *m,
					       const struct promql_label *labels, uint32_t n);

/*
 * Add a sample in the order of time; one of the same time is replaced. `start`: when the counter
 * began, 0 if unknown. Return 0 or -ENOMEM.
 */
MUST_USE int promql_memory_put(struct promql_memory *m, struct promql_memory_series *s,
			       int64_t time, double value, int64_t start);
MUST_USE int promql_memory_put_histogram(struct promql_memory *m, struct promql_memory_series *s,
					 int64_t time, const struct native_histogram *h,
					 int64_t start);

/*
 * Give the histograms from index `from` on the hints of resets that they have when they are read
 * from Prometheus' store.
 */
void promql_memory_set_hints(struct promql_memory_series *s, uint32_t from);

#endif

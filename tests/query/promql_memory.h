/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TESTS_QUERY_PROMQL_MEMORY_H
#define VARVE_TESTS_QUERY_PROMQL_MEMORY_H

#include "query/promql/promql_source.h"

/* Series in memory, as a source of PromQL for tests and benchmarks. */
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
	struct promql_source source;
	struct arena arena;
	VEC(struct promql_memory_series) series;
};

void promql_memory_init(struct promql_memory *m);
void promql_memory_fini(struct promql_memory *m);

/* Return the series with these labels, which are copied and sorted; added if it is new. */
struct promql_memory_series *promql_memory_add(struct promql_memory *m,
					       const struct promql_label *labels, uint32_t n);

/* Add a sample in the order of time; one of the same time is replaced. */
void promql_memory_put(struct promql_memory *m, struct promql_memory_series *s, int64_t time,
		       double value, int64_t start);
void promql_memory_put_histogram(struct promql_memory *m, struct promql_memory_series *s,
				 int64_t time, const struct native_histogram *h, int64_t start);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_PROMQL_FUNCTIONS_PROMQL_VECTOR_CALL_H
#define VARVE_QUERY_PROMQL_FUNCTIONS_PROMQL_VECTOR_CALL_H

#include "query/promql/eval/promql_eval.h"

/* Functions of instant vectors, each group in its own file. */
typedef int promql_vector_function(struct promql_eval *ev, struct promql_node *call,
				   struct promql_sink *sink);

promql_vector_function promql_eval_map, promql_eval_time_part, promql_eval_absent, promql_eval_sort,
	promql_eval_label_replace, promql_eval_label_join, promql_eval_info, promql_eval_buckets;

/* Evaluate the scalar argument `i` into a new column of the arena. NULL: *rc is set. */
double *promql_scalar_arg(struct promql_eval *ev, struct promql_node *call, uint32_t i,
			  struct arena *arena, int *rc);

#endif

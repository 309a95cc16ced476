/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_TEMPO_JSON_H
#define VARVE_API_TEMPO_JSON_H

#include "query/traceql/traceql_metrics.h"
#include "query/traceql/traceql_search.h"
#include "wire/json_write.h"

/* Answers of Tempo's API as JSON: 64-bit numbers are strings, values are those of OTLP. */

/* Append the answer of a search. */
void tempo_put_search(struct json_writer *w, const struct traceql_search *s);

/* Append the answer of a query of metrics. */
void tempo_put_metrics(struct json_writer *w, const struct traceql_series_list *l,
		       const struct traceql_range *range, uint64_t inspected);

#endif

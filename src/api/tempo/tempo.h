/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_TEMPO_TEMPO_H
#define VARVE_API_TEMPO_TEMPO_H

#include "api/request.h"
#include "wire/schema.h"

/*
 * Tempo's HTTP API, as Grafana's Tempo data source uses it. Private to src/api; the endpoints are
 * listed in trace_by_id.c.
 */

/* Trace { 1: resource spans }, which Tempo's JSON calls batches, with ids in base64. */
extern const struct schema_message tempo_trace;

/* TraceByIDResponse { 1: trace, 2: metrics, 3: status, 4: message }. */
extern const struct schema_message tempo_trace_response;

/* Searches and metrics by TraceQL. */
api_answer tempo_search_traces, tempo_query_range, tempo_query_instant;

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_TEMPO_TEMPO_H
#define VARVE_API_TEMPO_TEMPO_H

#include "api/request.h"
#include "wire/schema.h"

/*
 * Tempo's HTTP API, as Grafana's Tempo data source uses it. Private to src/api; the endpoints are
 * listed in endpoints.c.
 */
#define TEMPO_TRACE_PATH "/api/traces/"
#define TEMPO_TRACE_PATH_V2 "/api/v2/traces/"
#define TEMPO_TAG_PATH "/api/search/tag/"
#define TEMPO_TAG_PATH_V2 "/api/v2/search/tag/"

/* Trace { 1: resource spans }, which Tempo's JSON calls batches, with ids in base64. */
extern const struct schema_message tempo_trace;

/* TraceByIDResponse { 1: trace, 2: metrics, 3: status, 4: message }. */
extern const struct schema_message tempo_trace_response;

/* search_messages.c */
extern const struct schema_message tempo_search_request, tempo_search_response;
extern const struct schema_message tempo_tags_request, tempo_tags_response, tempo_tags_v2_response;
extern const struct schema_message tempo_tag_values_request, tempo_tag_values_response,
	tempo_tag_values_v2_response;
extern const struct schema_message tempo_range_request, tempo_range_response;
extern const struct schema_message tempo_instant_request, tempo_instant_response;

api_answer tempo_trace_v1, tempo_trace_v2;

/* Searches and metrics by TraceQL. */
api_answer tempo_search_traces, tempo_query_range, tempo_query_instant;

/* Names and values of attributes. */
api_answer tempo_tag_names, tempo_tag_names_v2, tempo_tag_values, tempo_tag_values_v2;

/* Put the values of a tag as JSON, with their types or without. */
int tempo_put_tag_values(struct request *r, struct str tag, bool typed, struct reply *out,
			 struct err *e);

/* Return whether the client accepts protobuf. */
bool tempo_wants_protobuf(const struct request *r);

/*
 * Finish a reply whose body is JSON: set the content type, and convert the body if the client
 * accepts protobuf. Return 0 or -errno.
 */
MUST_USE int tempo_reply_as_accepted(struct request *r, struct reply *out,
				     const struct schema_message *message, struct err *e);

/* Convert the body from JSON to protobuf. Return 0 or -errno. */
MUST_USE int tempo_reply_to_proto(struct request *r, struct reply *out,
				  const struct schema_message *message, struct err *e);

#endif

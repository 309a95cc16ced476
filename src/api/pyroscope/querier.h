/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_PYROSCOPE_QUERIER_H
#define VARVE_API_PYROSCOPE_QUERIER_H

#include "api/request.h"
#include "wire/schema.h"

/*
 * querier.v1.QuerierService: each call is an api_answer from protobuf request to protobuf response,
 * in *_calls.c. docs/api.md describes the differences from Pyroscope.
 */
struct querier_rpc {
	struct str name; /* "ProfileTypes" */
	const struct schema_message *request, *response;
	api_answer *answer;
	bool all_services; /* reads data of all services: refused to tokens for some of them */
};

extern const struct querier_rpc querier_rpcs[];
extern const size_t querier_rpc_count;

/* Calls of other services that are answered with an empty message; their names are whole paths. */
extern const struct querier_rpc empty_rpcs[];
extern const size_t empty_rpc_count;

/* The calls. */
api_answer querier_profile_types, querier_label_names, querier_label_values, querier_series,
	querier_select_merge, querier_span_profile, querier_merge_profile, querier_select_series,
	querier_select_heatmap, querier_diff, querier_profile_stats, querier_analyze_query;

#endif

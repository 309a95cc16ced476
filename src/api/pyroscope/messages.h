/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_PYROSCOPE_MESSAGES_H
#define VARVE_API_PYROSCOPE_MESSAGES_H

#include "wire/schema.h"

/* Schemas of querier.v1.QuerierService's messages, for conversion between JSON and protobuf. */
extern const struct schema_message profile_types_request, profile_types_response,
	label_names_request, label_values_request, names_response, series_request, series_response,
	select_merge_request, select_merge_response, span_profile_request, span_profile_response,
	merge_profile_request, merge_profile_response, select_series_request,
	select_series_response, select_heatmap_request, select_heatmap_response, diff_request,
	diff_response, profile_stats_request, profile_stats_response, analyze_query_request,
	analyze_query_response;

#endif

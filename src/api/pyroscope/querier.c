/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of RPCs. */
#include "api/pyroscope/querier.h"

#include "api/pyroscope/messages.h"

const struct querier_rpc querier_rpcs[] = {
	{STR_INIT("ProfileTypes"), &profile_types_request, &profile_types_response,
	 querier_profile_types},
	{STR_INIT("LabelNames"), &label_names_request, &names_response, querier_label_names},
	{STR_INIT("LabelValues"), &label_values_request, &names_response, querier_label_values},
	{STR_INIT("Series"), &series_request, &series_response, querier_series},
	{STR_INIT("SelectMergeStacktraces"), &select_merge_request, &select_merge_response,
	 querier_select_merge},
	{STR_INIT("SelectMergeSpanProfile"), &span_profile_request, &span_profile_response,
	 querier_span_profile},
	{STR_INIT("SelectMergeProfile"), &merge_profile_request, &merge_profile_response,
	 querier_merge_profile},
	{STR_INIT("SelectSeries"), &select_series_request, &select_series_response,
	 querier_select_series},
	{STR_INIT("SelectHeatmap"), &select_heatmap_request, &select_heatmap_response,
	 querier_select_heatmap},
	{STR_INIT("Diff"), &diff_request, &diff_response, querier_diff},
	{STR_INIT("GetProfileStats"), &profile_stats_request, &profile_stats_response,
	 querier_profile_stats},
	{STR_INIT("AnalyzeQuery"), &analyze_query_request, &analyze_query_response,
	 querier_analyze_query},
};

const size_t querier_rpc_count = countof(querier_rpcs);

static int answer_nothing(struct request *r, struct reply *out, struct err *e)
{
	(void)r;
	(void)out;
	(void)e;
	return 0;
}

static const struct schema_message empty_message = {"an empty message", NULL, 0};

/*
 * The first calls of Grafana's Profiles Drilldown: stored settings and feature flags. The response
 * is empty, because after an error Drilldown warns its user about lost settings.
 */
const struct querier_rpc empty_rpcs[] = {
	{STR_INIT("/settings.v1.SettingsService/Get"), &empty_message, &empty_message,
	 answer_nothing},
	{STR_INIT("/capabilities.v1.FeatureFlagsService/GetFeatureFlags"), &empty_message,
	 &empty_message, answer_nothing},
};

const size_t empty_rpc_count = countof(empty_rpcs);

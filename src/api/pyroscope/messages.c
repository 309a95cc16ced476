/* SPDX-License-Identifier: Apache-2.0 */
/* Schemas of the messages of querier.v1, types.v1 and google.v1. */
#include "api/pyroscope/messages.h"

#define FIELD SCHEMA_FIELD
#define NESTED SCHEMA_NESTED
#define MANY SCHEMA_MANY
#define ONE_OF SCHEMA_ONE_OF

/* A message declared in the header. */
#define PUBLIC_MESSAGE(variable, name_, ...)                                                       \
	static const struct schema_field variable##_fields[] = {__VA_ARGS__};                      \
	const struct schema_message variable = {name_, variable##_fields,                          \
						countof(variable##_fields)}

/* Unknown enum names are read as 0, as in Pyroscope's server: newer clients have more. */
#define ENUM_NAMES(variable, ...)                                                                  \
	static const struct schema_enum_name variable##_names[] = {__VA_ARGS__};                   \
	static const struct schema_enum variable = {variable##_names, countof(variable##_names),   \
						    true}

/* ---- types.v1 ---- */

ENUM_NAMES(aggregation_type, {STR_INIT("TIME_SERIES_AGGREGATION_TYPE_SUM"), 0},
	   {STR_INIT("TIME_SERIES_AGGREGATION_TYPE_AVERAGE"), 1});
ENUM_NAMES(exemplar_type, {STR_INIT("EXEMPLAR_TYPE_UNSPECIFIED"), 0},
	   {STR_INIT("EXEMPLAR_TYPE_NONE"), 1}, {STR_INIT("EXEMPLAR_TYPE_INDIVIDUAL"), 2},
	   {STR_INIT("EXEMPLAR_TYPE_SPAN"), 3});
ENUM_NAMES(profile_format, {STR_INIT("PROFILE_FORMAT_UNSPECIFIED"), 0},
	   {STR_INIT("PROFILE_FORMAT_FLAMEGRAPH"), 1}, {STR_INIT("PROFILE_FORMAT_TREE"), 2},
	   {STR_INIT("PROFILE_FORMAT_DOT"), 3}, {STR_INIT("PROFILE_FORMAT_PPROF"), 4});
ENUM_NAMES(async_type, {STR_INIT("ASYNC_QUERY_TYPE_DISABLED"), 0},
	   {STR_INIT("ASYNC_QUERY_TYPE_FORCE"), 1});
ENUM_NAMES(async_status, {STR_INIT("ASYNC_QUERY_STATUS_UNKNOWN"), 0},
	   {STR_INIT("ASYNC_QUERY_STATUS_IN_PROGRESS"), 1},
	   {STR_INIT("ASYNC_QUERY_STATUS_SUCCESS"), 2},
	   {STR_INIT("ASYNC_QUERY_STATUS_FAILURE"), 3});
ENUM_NAMES(heatmap_query_type, {STR_INIT("HEATMAP_QUERY_TYPE_UNSPECIFIED"), 0},
	   {STR_INIT("HEATMAP_QUERY_TYPE_INDIVIDUAL"), 1},
	   {STR_INIT("HEATMAP_QUERY_TYPE_SPAN"), 2});

SCHEMA_MESSAGE(label_pair, "types.v1.LabelPair", FIELD(1, "name", "name", STRING),
	       FIELD(2, "value", "value", STRING));
SCHEMA_MESSAGE(labels, "types.v1.Labels", NESTED(1, "labels", "labels", label_pair, MANY));
SCHEMA_MESSAGE(profile_type_message, "types.v1.ProfileType", FIELD(1, "ID", "ID", STRING),
	       FIELD(2, "name", "name", STRING), FIELD(4, "sample_type", "sampleType", STRING),
	       FIELD(5, "sample_unit", "sampleUnit", STRING),
	       FIELD(6, "period_type", "periodType", STRING),
	       FIELD(7, "period_unit", "periodUnit", STRING));
SCHEMA_MESSAGE(exemplar, "types.v1.Exemplar", FIELD(1, "timestamp", "timestamp", INT64),
	       FIELD(2, "profile_id", "profileId", STRING), FIELD(3, "span_id", "spanId", STRING),
	       FIELD(4, "value", "value", INT64), NESTED(5, "labels", "labels", label_pair, MANY),
	       FIELD(6, "trace_id", "traceId", STRING));
SCHEMA_MESSAGE(point, "types.v1.Point", FIELD(1, "value", "value", DOUBLE),
	       FIELD(2, "timestamp", "timestamp", INT64),
	       NESTED(4, "exemplars", "exemplars", exemplar, MANY));
SCHEMA_MESSAGE(series, "types.v1.Series", NESTED(1, "labels", "labels", label_pair, MANY),
	       NESTED(2, "points", "points", point, MANY));
SCHEMA_MESSAGE(heatmap_slot, "types.v1.HeatmapSlot", FIELD(1, "timestamp", "timestamp", INT64),
	       FIELD(2, "y_min", "yMin", DOUBLE, MANY), FIELD(3, "counts", "counts", INT32, MANY),
	       NESTED(4, "exemplars", "exemplars", exemplar, MANY));
SCHEMA_MESSAGE(heatmap_series, "types.v1.HeatmapSeries",
	       NESTED(1, "labels", "labels", label_pair, MANY),
	       NESTED(2, "slots", "slots", heatmap_slot, MANY));
SCHEMA_MESSAGE(call_site, "types.v1.Location", FIELD(1, "name", "name", STRING));
SCHEMA_MESSAGE(go_pgo, "types.v1.GoPGO", FIELD(1, "keep_locations", "keepLocations", UINT32),
	       FIELD(2, "aggregate_callees", "aggregateCallees", BOOL));
SCHEMA_MESSAGE(stack_trace_selector, "types.v1.StackTraceSelector",
	       NESTED(1, "call_site", "callSite", call_site, MANY),
	       NESTED(2, "go_pgo", "goPgo", go_pgo));

PUBLIC_MESSAGE(label_names_request, "types.v1.LabelNamesRequest",
	       FIELD(1, "matchers", "matchers", STRING, MANY), FIELD(2, "start", "start", INT64),
	       FIELD(3, "end", "end", INT64));
PUBLIC_MESSAGE(label_values_request, "types.v1.LabelValuesRequest",
	       FIELD(1, "name", "name", STRING), FIELD(2, "matchers", "matchers", STRING, MANY),
	       FIELD(3, "start", "start", INT64), FIELD(4, "end", "end", INT64));
PUBLIC_MESSAGE(names_response, "types.v1.LabelNamesResponse",
	       FIELD(1, "names", "names", STRING, MANY));
const struct schema_message profile_stats_request = {"types.v1.GetProfileStatsRequest", NULL, 0};
PUBLIC_MESSAGE(profile_stats_response, "types.v1.GetProfileStatsResponse",
	       FIELD(1, "data_ingested", "dataIngested", BOOL),
	       FIELD(2, "oldest_profile_time", "oldestProfileTime", INT64),
	       FIELD(3, "newest_profile_time", "newestProfileTime", INT64));

/* ---- google.v1: pprof ---- */

SCHEMA_MESSAGE(pprof_value_type, "google.v1.ValueType", FIELD(1, "type", "type", INT64),
	       FIELD(2, "unit", "unit", INT64));
SCHEMA_MESSAGE(pprof_label, "google.v1.Label", FIELD(1, "key", "key", INT64),
	       FIELD(2, "str", "str", INT64), FIELD(3, "num", "num", INT64),
	       FIELD(4, "num_unit", "numUnit", INT64));
SCHEMA_MESSAGE(pprof_sample, "google.v1.Sample",
	       FIELD(1, "location_id", "locationId", UINT64, MANY),
	       FIELD(2, "value", "value", INT64, MANY),
	       NESTED(3, "label", "label", pprof_label, MANY));
SCHEMA_MESSAGE(pprof_mapping, "google.v1.Mapping", FIELD(1, "id", "id", UINT64),
	       FIELD(2, "memory_start", "memoryStart", UINT64),
	       FIELD(3, "memory_limit", "memoryLimit", UINT64),
	       FIELD(4, "file_offset", "fileOffset", UINT64),
	       FIELD(5, "filename", "filename", INT64), FIELD(6, "build_id", "buildId", INT64),
	       FIELD(7, "has_functions", "hasFunctions", BOOL),
	       FIELD(8, "has_filenames", "hasFilenames", BOOL),
	       FIELD(9, "has_line_numbers", "hasLineNumbers", BOOL),
	       FIELD(10, "has_inline_frames", "hasInlineFrames", BOOL));
SCHEMA_MESSAGE(pprof_line, "google.v1.Line", FIELD(1, "function_id", "functionId", UINT64),
	       FIELD(2, "line", "line", INT64));
SCHEMA_MESSAGE(pprof_location, "google.v1.Location", FIELD(1, "id", "id", UINT64),
	       FIELD(2, "mapping_id", "mappingId", UINT64), FIELD(3, "address", "address", UINT64),
	       NESTED(4, "line", "line", pprof_line, MANY),
	       FIELD(5, "is_folded", "isFolded", BOOL));
SCHEMA_MESSAGE(pprof_function, "google.v1.Function", FIELD(1, "id", "id", UINT64),
	       FIELD(2, "name", "name", INT64), FIELD(3, "system_name", "systemName", INT64),
	       FIELD(4, "filename", "filename", INT64), FIELD(5, "start_line", "startLine", INT64));
PUBLIC_MESSAGE(merge_profile_response, "google.v1.Profile",
	       NESTED(1, "sample_type", "sampleType", pprof_value_type, MANY),
	       NESTED(2, "sample", "sample", pprof_sample, MANY),
	       NESTED(3, "mapping", "mapping", pprof_mapping, MANY),
	       NESTED(4, "location", "location", pprof_location, MANY),
	       NESTED(5, "function", "function", pprof_function, MANY),
	       FIELD(6, "string_table", "stringTable", STRING, MANY),
	       FIELD(7, "drop_frames", "dropFrames", INT64),
	       FIELD(8, "keep_frames", "keepFrames", INT64),
	       FIELD(9, "time_nanos", "timeNanos", INT64),
	       FIELD(10, "duration_nanos", "durationNanos", INT64),
	       NESTED(11, "period_type", "periodType", pprof_value_type),
	       FIELD(12, "period", "period", INT64), FIELD(13, "comment", "comment", INT64, MANY),
	       FIELD(14, "default_sample_type", "defaultSampleType", INT64));

/* ---- querier.v1 ---- */

SCHEMA_MESSAGE(level, "querier.v1.Level", FIELD(1, "values", "values", INT64, MANY));
SCHEMA_MESSAGE(flame_graph, "querier.v1.FlameGraph", FIELD(1, "names", "names", STRING, MANY),
	       NESTED(2, "levels", "levels", level, MANY), FIELD(3, "total", "total", INT64),
	       FIELD(4, "max_self", "maxSelf", INT64));
SCHEMA_MESSAGE(flame_graph_diff, "querier.v1.FlameGraphDiff",
	       FIELD(1, "names", "names", STRING, MANY), NESTED(2, "levels", "levels", level, MANY),
	       FIELD(3, "total", "total", INT64), FIELD(4, "max_self", "maxSelf", INT64),
	       FIELD(5, "leftTicks", "leftTicks", INT64),
	       FIELD(6, "rightTicks", "rightTicks", INT64));
SCHEMA_MESSAGE(pprof_profile, "querier.v1.PprofProfile",
	       NESTED(1, "profile", "profile", merge_profile_response));

PUBLIC_MESSAGE(profile_types_request, "querier.v1.ProfileTypesRequest",
	       FIELD(1, "start", "start", INT64), FIELD(2, "end", "end", INT64));
PUBLIC_MESSAGE(profile_types_response, "querier.v1.ProfileTypesResponse",
	       NESTED(1, "profile_types", "profileTypes", profile_type_message, MANY));
PUBLIC_MESSAGE(series_request, "querier.v1.SeriesRequest",
	       FIELD(1, "matchers", "matchers", STRING, MANY),
	       FIELD(2, "label_names", "labelNames", STRING, MANY),
	       FIELD(3, "start", "start", INT64), FIELD(4, "end", "end", INT64));
PUBLIC_MESSAGE(series_response, "querier.v1.SeriesResponse",
	       NESTED(2, "labels_set", "labelsSet", labels, MANY));

SCHEMA_MESSAGE(async_request, "querier.v1.AsyncQueryRequest",
	       FIELD(1, "request_id", "requestId", STRING),
	       FIELD(2, "type", "type", ENUM, .names = &async_type));
SCHEMA_MESSAGE(async_response, "querier.v1.AsyncQueryResponse",
	       FIELD(1, "request_id", "requestId", STRING),
	       FIELD(2, "status", "status", ENUM, .names = &async_status),
	       FIELD(3, "error_message", "errorMessage", STRING));
PUBLIC_MESSAGE(select_merge_request, "querier.v1.SelectMergeStacktracesRequest",
	       FIELD(1, "profile_typeID", "profileTypeID", STRING),
	       FIELD(2, "label_selector", "labelSelector", STRING),
	       FIELD(3, "start", "start", INT64), FIELD(4, "end", "end", INT64),
	       FIELD(5, "max_nodes", "maxNodes", INT64, ONE_OF),
	       FIELD(6, "format", "format", ENUM, .names = &profile_format),
	       NESTED(7, "stack_trace_selector", "stackTraceSelector", stack_trace_selector),
	       FIELD(8, "profile_id_selector", "profileIdSelector", STRING, MANY),
	       NESTED(9, "async", "async", async_request),
	       FIELD(10, "trace_id_selector", "traceIdSelector", STRING, MANY),
	       FIELD(11, "span_selector", "spanSelector", STRING, MANY));
PUBLIC_MESSAGE(select_merge_response, "querier.v1.SelectMergeStacktracesResponse",
	       NESTED(1, "flamegraph", "flamegraph", flame_graph), FIELD(2, "tree", "tree", BYTES),
	       FIELD(3, "dot", "dot", STRING), NESTED(4, "async", "async", async_response),
	       NESTED(5, "pprof", "pprof", pprof_profile));
PUBLIC_MESSAGE(span_profile_request, "querier.v1.SelectMergeSpanProfileRequest",
	       FIELD(1, "profile_typeID", "profileTypeID", STRING),
	       FIELD(2, "label_selector", "labelSelector", STRING),
	       FIELD(3, "span_selector", "spanSelector", STRING, MANY),
	       FIELD(4, "start", "start", INT64), FIELD(5, "end", "end", INT64),
	       FIELD(6, "max_nodes", "maxNodes", INT64, ONE_OF),
	       FIELD(7, "format", "format", ENUM, .names = &profile_format));
PUBLIC_MESSAGE(span_profile_response, "querier.v1.SelectMergeSpanProfileResponse",
	       NESTED(1, "flamegraph", "flamegraph", flame_graph), FIELD(2, "tree", "tree", BYTES));
PUBLIC_MESSAGE(merge_profile_request, "querier.v1.SelectMergeProfileRequest",
	       FIELD(1, "profile_typeID", "profileTypeID", STRING),
	       FIELD(2, "label_selector", "labelSelector", STRING),
	       FIELD(3, "start", "start", INT64), FIELD(4, "end", "end", INT64),
	       FIELD(5, "max_nodes", "maxNodes", INT64, ONE_OF),
	       NESTED(6, "stack_trace_selector", "stackTraceSelector", stack_trace_selector),
	       FIELD(7, "profile_id_selector", "profileIdSelector", STRING, MANY),
	       FIELD(8, "trace_id_selector", "traceIdSelector", STRING, MANY));
PUBLIC_MESSAGE(select_series_request, "querier.v1.SelectSeriesRequest",
	       FIELD(1, "profile_typeID", "profileTypeID", STRING),
	       FIELD(2, "label_selector", "labelSelector", STRING),
	       FIELD(3, "start", "start", INT64), FIELD(4, "end", "end", INT64),
	       FIELD(5, "group_by", "groupBy", STRING, MANY), FIELD(6, "step", "step", DOUBLE),
	       FIELD(7, "aggregation", "aggregation", ENUM, .names = &aggregation_type, ONE_OF),
	       NESTED(8, "stack_trace_selector", "stackTraceSelector", stack_trace_selector),
	       FIELD(9, "limit", "limit", INT64, ONE_OF),
	       FIELD(10, "exemplar_type", "exemplarType", ENUM, .names = &exemplar_type));
PUBLIC_MESSAGE(select_series_response, "querier.v1.SelectSeriesResponse",
	       NESTED(1, "series", "series", series, MANY));
PUBLIC_MESSAGE(select_heatmap_request, "querier.v1.SelectHeatmapRequest",
	       FIELD(1, "profile_typeID", "profileTypeID", STRING),
	       FIELD(2, "label_selector", "labelSelector", STRING),
	       FIELD(3, "start", "start", INT64), FIELD(4, "end", "end", INT64),
	       FIELD(5, "step", "step", DOUBLE), FIELD(6, "group_by", "groupBy", STRING, MANY),
	       FIELD(7, "query_type", "queryType", ENUM, .names = &heatmap_query_type),
	       FIELD(8, "exemplar_type", "exemplarType", ENUM, .names = &exemplar_type),
	       FIELD(9, "limit", "limit", INT64, ONE_OF));
PUBLIC_MESSAGE(select_heatmap_response, "querier.v1.SelectHeatmapResponse",
	       NESTED(1, "series", "series", heatmap_series, MANY));
PUBLIC_MESSAGE(diff_request, "querier.v1.DiffRequest",
	       NESTED(1, "left", "left", select_merge_request),
	       NESTED(2, "right", "right", select_merge_request));
PUBLIC_MESSAGE(diff_response, "querier.v1.DiffResponse",
	       NESTED(1, "flamegraph", "flamegraph", flame_graph_diff));
PUBLIC_MESSAGE(analyze_query_request, "querier.v1.AnalyzeQueryRequest",
	       FIELD(2, "start", "start", INT64), FIELD(3, "end", "end", INT64),
	       FIELD(4, "query", "query", STRING));
SCHEMA_MESSAGE(query_impact, "querier.v1.QueryImpact",
	       FIELD(3, "total_queried_series", "totalQueriedSeries", UINT64));
PUBLIC_MESSAGE(analyze_query_response, "querier.v1.AnalyzeQueryResponse",
	       NESTED(2, "query_impact", "queryImpact", query_impact));

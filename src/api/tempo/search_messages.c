/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tempo's messages for searches, tags and metrics (pkg/tempopb/tempo.proto). Answers are written as
 * JSON (tempo_json.c, tempo_tags.c); their protobuf is made of that.
 */
#include "api/tempo/tempo.h"

#include "format/otlp/schema_common.h"

#define FIELD SCHEMA_FIELD
#define NESTED SCHEMA_NESTED
#define MESSAGE SCHEMA_MESSAGE
#define MANY SCHEMA_MANY

/* Define a message that tempo.h declares. */
#define SHARED(variable, name_, ...)                                                               \
	static const struct schema_field variable##_fields[] = {__VA_ARGS__};                      \
	const struct schema_message variable = {name_, variable##_fields,                          \
						countof(variable##_fields)}

/* ---- search ---- */

MESSAGE(found_span, "Span", FIELD(1, "span_id", "spanID", STRING), FIELD(2, "name", "name", STRING),
	FIELD(3, "start_time_unix_nano", "startTimeUnixNano", UINT64),
	FIELD(4, "duration_nanos", "durationNanos", UINT64),
	NESTED(5, "attributes", "attributes", otlp_key_value, MANY));

MESSAGE(span_set, "SpanSet", NESTED(1, "spans", "spans", found_span, MANY),
	FIELD(2, "matched", "matched", UINT32),
	NESTED(3, "attributes", "attributes", otlp_key_value, MANY));

MESSAGE(service_stats, "ServiceStats", FIELD(1, "span_count", "spanCount", UINT32),
	FIELD(2, "error_count", "errorCount", UINT32));

MESSAGE(service_stats_entry, "ServiceStatsEntry", FIELD(1, "key", "key", STRING),
	NESTED(2, "value", "value", service_stats));

MESSAGE(found_trace, "TraceSearchMetadata", FIELD(1, "trace_id", "traceID", STRING),
	FIELD(2, "root_service_name", "rootServiceName", STRING),
	FIELD(3, "root_trace_name", "rootTraceName", STRING),
	FIELD(4, "start_time_unix_nano", "startTimeUnixNano", UINT64),
	FIELD(5, "duration_ms", "durationMs", UINT32), NESTED(6, "span_set", "spanSet", span_set),
	NESTED(7, "span_sets", "spanSets", span_set, MANY),
	NESTED(8, "service_stats", "serviceStats", service_stats_entry, SCHEMA_MAPPED));

MESSAGE(search_metrics, "SearchMetrics", FIELD(1, "inspected_traces", "inspectedTraces", UINT32),
	FIELD(2, "inspected_bytes", "inspectedBytes", UINT64),
	FIELD(4, "completed_jobs", "completedJobs", UINT32),
	FIELD(5, "total_jobs", "totalJobs", UINT32),
	FIELD(7, "inspected_spans", "inspectedSpans", UINT64));

SHARED(tempo_search_response, "SearchResponse", NESTED(1, "traces", "traces", found_trace, MANY),
       NESTED(2, "metrics", "metrics", search_metrics));

MESSAGE(tag_pair, "TagsEntry", FIELD(1, "key", "key", STRING), FIELD(2, "value", "value", STRING));

SHARED(tempo_search_request, "SearchRequest", NESTED(1, "tags", "Tags", tag_pair, SCHEMA_MAPPED),
       FIELD(2, "min_duration_ms", "MinDurationMs", UINT32),
       FIELD(3, "max_duration_ms", "MaxDurationMs", UINT32), FIELD(4, "limit", "Limit", UINT32),
       FIELD(5, "start", "start", UINT32), FIELD(6, "end", "end", UINT32),
       FIELD(8, "query", "Query", STRING),
       FIELD(9, "spans_per_span_set", "SpansPerSpanSet", UINT32));

/* ---- tags ---- */

MESSAGE(metadata_metrics, "MetadataMetrics", FIELD(1, "inspected_bytes", "inspectedBytes", UINT64));

SHARED(tempo_tags_response, "SearchTagsResponse", FIELD(1, "tag_names", "tagNames", STRING, MANY),
       NESTED(2, "metrics", "metrics", metadata_metrics));

MESSAGE(tag_scope, "SearchTagsV2Scope", FIELD(1, "name", "name", STRING),
	FIELD(2, "tags", "tags", STRING, MANY));

SHARED(tempo_tags_v2_response, "SearchTagsV2Response",
       NESTED(1, "scopes", "scopes", tag_scope, MANY),
       NESTED(2, "metrics", "metrics", metadata_metrics));

SHARED(tempo_tag_values_response, "SearchTagValuesResponse",
       FIELD(1, "tag_values", "tagValues", STRING, MANY),
       NESTED(2, "metrics", "metrics", metadata_metrics));

MESSAGE(tag_value, "TagValue", FIELD(1, "type", "type", STRING),
	FIELD(2, "value", "value", STRING));

SHARED(tempo_tag_values_v2_response, "SearchTagValuesV2Response",
       NESTED(1, "tag_values", "tagValues", tag_value, MANY),
       NESTED(2, "metrics", "metrics", metadata_metrics));

SHARED(tempo_tags_request, "SearchTagsRequest", FIELD(1, "scope", "scope", STRING),
       FIELD(2, "query", "query", STRING), FIELD(3, "start", "start", UINT32),
       FIELD(4, "end", "end", UINT32), FIELD(5, "max_tags_per_scope", "maxTagsPerScope", UINT32));

SHARED(tempo_tag_values_request, "SearchTagValuesRequest", FIELD(1, "tag_name", "tagName", STRING),
       FIELD(2, "query", "query", STRING), FIELD(4, "start", "start", UINT32),
       FIELD(5, "end", "end", UINT32), FIELD(6, "max_tag_values", "maxTagValues", UINT32));

/* ---- metrics ---- */

static const struct schema_enum_name status_names[] = {
	{STR_INIT("COMPLETE"), 0},
	{STR_INIT("PARTIAL"), 1},
};
static const struct schema_enum statuses = {.names = status_names,
					    .name_count = countof(status_names)};

MESSAGE(sample, "Sample", FIELD(1, "value", "value", DOUBLE),
	FIELD(2, "timestamp_ms", "timestampMs", INT64));

MESSAGE(exemplar, "Exemplar", NESTED(1, "labels", "labels", otlp_key_value, MANY),
	FIELD(2, "value", "value", DOUBLE), FIELD(3, "timestamp_ms", "timestampMs", INT64));

MESSAGE(time_series, "TimeSeries", NESTED(1, "labels", "labels", otlp_key_value, MANY),
	NESTED(2, "samples", "samples", sample, MANY),
	NESTED(4, "exemplars", "exemplars", exemplar, MANY));

SHARED(tempo_range_response, "QueryRangeResponse", NESTED(1, "series", "series", time_series, MANY),
       NESTED(2, "metrics", "metrics", search_metrics),
       FIELD(3, "status", "status", ENUM, .names = &statuses),
       FIELD(4, "message", "message", STRING));

MESSAGE(instant_series, "InstantSeries", NESTED(1, "labels", "labels", otlp_key_value, MANY),
	FIELD(2, "value", "value", DOUBLE));

SHARED(tempo_instant_response, "QueryInstantResponse",
       NESTED(1, "series", "series", instant_series, MANY),
       NESTED(2, "metrics", "metrics", search_metrics),
       FIELD(3, "status", "status", ENUM, .names = &statuses),
       FIELD(4, "message", "message", STRING));

SHARED(tempo_range_request, "QueryRangeRequest", FIELD(1, "query", "query", STRING),
       FIELD(2, "start", "start", UINT64), FIELD(3, "end", "end", UINT64),
       FIELD(4, "step", "step", UINT64), FIELD(16, "exemplars", "exemplars", UINT32),
       FIELD(17, "max_series", "maxSeries", UINT32));

SHARED(tempo_instant_request, "QueryInstantRequest", FIELD(1, "query", "query", STRING),
       FIELD(2, "start", "start", UINT64), FIELD(3, "end", "end", UINT64));

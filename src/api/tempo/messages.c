/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tempo's messages for traces by id (pkg/tempopb/tempo.proto). Protobuf is OTLP's; in JSON ids are
 * base64 and enumerations are names, because Tempo uses protobuf's own mapping.
 */
#include "api/tempo/tempo.h"

#include "format/otlp/schema_common.h"

#define FIELD SCHEMA_FIELD
#define NESTED SCHEMA_NESTED
#define MESSAGE SCHEMA_MESSAGE
#define MANY SCHEMA_MANY

static const struct schema_enum_name kind_names[] = {
	{STR_INIT("SPAN_KIND_UNSPECIFIED"), 0}, {STR_INIT("SPAN_KIND_INTERNAL"), 1},
	{STR_INIT("SPAN_KIND_SERVER"), 2},	{STR_INIT("SPAN_KIND_CLIENT"), 3},
	{STR_INIT("SPAN_KIND_PRODUCER"), 4},	{STR_INIT("SPAN_KIND_CONSUMER"), 5},
};
static const struct schema_enum kinds = {.names = kind_names, .name_count = countof(kind_names)};

static const struct schema_enum_name code_names[] = {
	{STR_INIT("STATUS_CODE_UNSET"), 0},
	{STR_INIT("STATUS_CODE_OK"), 1},
	{STR_INIT("STATUS_CODE_ERROR"), 2},
};
static const struct schema_enum codes = {.names = code_names, .name_count = countof(code_names)};

MESSAGE(event, "Event", FIELD(1, "time_unix_nano", "timeUnixNano", FIXED64),
	FIELD(2, "name", "name", STRING),
	NESTED(3, "attributes", "attributes", otlp_key_value, MANY),
	FIELD(4, "dropped_attributes_count", "droppedAttributesCount", UINT32));

MESSAGE(link, "Link", FIELD(1, "trace_id", "traceId", BYTES), FIELD(2, "span_id", "spanId", BYTES),
	FIELD(3, "trace_state", "traceState", STRING),
	NESTED(4, "attributes", "attributes", otlp_key_value, MANY),
	FIELD(5, "dropped_attributes_count", "droppedAttributesCount", UINT32),
	FIELD(6, "flags", "flags", FIXED32));

MESSAGE(status, "Status", FIELD(2, "message", "message", STRING),
	FIELD(3, "code", "code", ENUM, .names = &codes));

MESSAGE(span, "Span", FIELD(1, "trace_id", "traceId", BYTES), FIELD(2, "span_id", "spanId", BYTES),
	FIELD(3, "trace_state", "traceState", STRING),
	FIELD(4, "parent_span_id", "parentSpanId", BYTES), FIELD(5, "name", "name", STRING),
	FIELD(6, "kind", "kind", ENUM, .names = &kinds),
	FIELD(7, "start_time_unix_nano", "startTimeUnixNano", FIXED64),
	FIELD(8, "end_time_unix_nano", "endTimeUnixNano", FIXED64),
	NESTED(9, "attributes", "attributes", otlp_key_value, MANY),
	FIELD(10, "dropped_attributes_count", "droppedAttributesCount", UINT32),
	NESTED(11, "events", "events", event, MANY),
	FIELD(12, "dropped_events_count", "droppedEventsCount", UINT32),
	NESTED(13, "links", "links", link, MANY),
	FIELD(14, "dropped_links_count", "droppedLinksCount", UINT32),
	NESTED(15, "status", "status", status), FIELD(16, "flags", "flags", FIXED32));

MESSAGE(scope_spans, "ScopeSpans", NESTED(1, "scope", "scope", otlp_scope),
	NESTED(2, "spans", "spans", span, MANY), FIELD(3, "schema_url", "schemaUrl", STRING));

MESSAGE(resource_spans, "ResourceSpans", NESTED(1, "resource", "resource", otlp_resource),
	NESTED(2, "scope_spans", "scopeSpans", scope_spans, MANY),
	FIELD(3, "schema_url", "schemaUrl", STRING));

static const struct schema_field trace_fields[] = {
	NESTED(1, "batches", "batches", resource_spans, MANY),
};
const struct schema_message tempo_trace = {"Trace", trace_fields, countof(trace_fields)};

MESSAGE(full_trace, "Trace", NESTED(1, "resource_spans", "resourceSpans", resource_spans, MANY));

MESSAGE(metrics, "TraceByIDMetrics", FIELD(1, "inspected_bytes", "inspectedBytes", UINT64));

static const struct schema_enum_name partial_names[] = {
	{STR_INIT("COMPLETE"), 0},
	{STR_INIT("PARTIAL"), 1},
};
static const struct schema_enum partial_statuses = {.names = partial_names,
						    .name_count = countof(partial_names)};

static const struct schema_field response_fields[] = {
	NESTED(1, "trace", "trace", full_trace),
	NESTED(2, "metrics", "metrics", metrics),
	FIELD(3, "status", "status", ENUM, .names = &partial_statuses),
	FIELD(4, "message", "message", STRING),
};
const struct schema_message tempo_trace_response = {"TraceByIDResponse", response_fields,
						    countof(response_fields)};

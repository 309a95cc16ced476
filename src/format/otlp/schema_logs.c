/* SPDX-License-Identifier: Apache-2.0 */
/* opentelemetry/proto/logs/v1/logs.proto and its collector service. */
#include "format/otlp/schema.h"
#include "format/otlp/schema_common.h"

#define FIELD SCHEMA_FIELD
#define NESTED SCHEMA_NESTED
#define MESSAGE SCHEMA_MESSAGE
#define MANY SCHEMA_MANY

static const struct schema_enum_name severity_names[] = {
	{STR_INIT("SEVERITY_NUMBER_UNSPECIFIED"), 0}, {STR_INIT("SEVERITY_NUMBER_TRACE"), 1},
	{STR_INIT("SEVERITY_NUMBER_TRACE2"), 2},      {STR_INIT("SEVERITY_NUMBER_TRACE3"), 3},
	{STR_INIT("SEVERITY_NUMBER_TRACE4"), 4},      {STR_INIT("SEVERITY_NUMBER_DEBUG"), 5},
	{STR_INIT("SEVERITY_NUMBER_DEBUG2"), 6},      {STR_INIT("SEVERITY_NUMBER_DEBUG3"), 7},
	{STR_INIT("SEVERITY_NUMBER_DEBUG4"), 8},      {STR_INIT("SEVERITY_NUMBER_INFO"), 9},
	{STR_INIT("SEVERITY_NUMBER_INFO2"), 10},      {STR_INIT("SEVERITY_NUMBER_INFO3"), 11},
	{STR_INIT("SEVERITY_NUMBER_INFO4"), 12},      {STR_INIT("SEVERITY_NUMBER_WARN"), 13},
	{STR_INIT("SEVERITY_NUMBER_WARN2"), 14},      {STR_INIT("SEVERITY_NUMBER_WARN3"), 15},
	{STR_INIT("SEVERITY_NUMBER_WARN4"), 16},      {STR_INIT("SEVERITY_NUMBER_ERROR"), 17},
	{STR_INIT("SEVERITY_NUMBER_ERROR2"), 18},     {STR_INIT("SEVERITY_NUMBER_ERROR3"), 19},
	{STR_INIT("SEVERITY_NUMBER_ERROR4"), 20},     {STR_INIT("SEVERITY_NUMBER_FATAL"), 21},
	{STR_INIT("SEVERITY_NUMBER_FATAL2"), 22},     {STR_INIT("SEVERITY_NUMBER_FATAL3"), 23},
	{STR_INIT("SEVERITY_NUMBER_FATAL4"), 24},
};
static const struct schema_enum severities = {severity_names, countof(severity_names),
					      .as_number = true};

MESSAGE(log_record, "LogRecord", FIELD(1, "time_unix_nano", "timeUnixNano", FIXED64),
	FIELD(11, "observed_time_unix_nano", "observedTimeUnixNano", FIXED64),
	FIELD(2, "severity_number", "severityNumber", ENUM, .names = &severities),
	FIELD(3, "severity_text", "severityText", STRING),
	NESTED(5, "body", "body", otlp_any_value),
	NESTED(6, "attributes", "attributes", otlp_key_value, MANY),
	FIELD(7, "dropped_attributes_count", "droppedAttributesCount", UINT32),
	FIELD(8, "flags", "flags", FIXED32), FIELD(9, "trace_id", "traceId", ID, .id_size = 16),
	FIELD(10, "span_id", "spanId", ID, .id_size = 8),
	FIELD(12, "event_name", "eventName", STRING));

MESSAGE(scope_logs, "ScopeLogs", NESTED(1, "scope", "scope", otlp_scope),
	NESTED(2, "log_records", "logRecords", log_record, MANY),
	FIELD(3, "schema_url", "schemaUrl", STRING));

MESSAGE(resource_logs, "ResourceLogs", NESTED(1, "resource", "resource", otlp_resource),
	NESTED(2, "scope_logs", "scopeLogs", scope_logs, MANY),
	FIELD(3, "schema_url", "schemaUrl", STRING));

static const struct schema_field request_fields[] = {
	NESTED(1, "resource_logs", "resourceLogs", resource_logs, MANY),
};
const struct schema_message otlp_logs_request = {"ExportLogsServiceRequest", request_fields,
						 countof(request_fields)};

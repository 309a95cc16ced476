/* SPDX-License-Identifier: Apache-2.0 */
/* The messages of OTLP profiles 1.11, and the table of all requests. */
#include "format/otlp/schema.h"

#include "format/otlp/schema_common.h"

#define FIELD SCHEMA_FIELD
#define NESTED SCHEMA_NESTED
#define MESSAGE SCHEMA_MESSAGE
#define MANY SCHEMA_MANY
#define ONE_OF SCHEMA_ONE_OF

MESSAGE(value_type, "ValueType", FIELD(1, "type_strindex", "typeStrindex", INT32),
	FIELD(2, "unit_strindex", "unitStrindex", INT32));

MESSAGE(sample, "Sample", FIELD(1, "stack_index", "stackIndex", INT32),
	FIELD(2, "attribute_indices", "attributeIndices", INT32, MANY),
	FIELD(3, "link_index", "linkIndex", INT32), FIELD(4, "values", "values", INT64, MANY),
	FIELD(5, "timestamps_unix_nano", "timestampsUnixNano", FIXED64, MANY));

MESSAGE(profile, "Profile", NESTED(1, "sample_type", "sampleType", value_type),
	NESTED(2, "samples", "samples", sample, MANY),
	NESTED(2, "sample", "sample", sample, .flags = SCHEMA_REPEATED | SCHEMA_OLD_NAME),
	FIELD(3, "time_unix_nano", "timeUnixNano", FIXED64),
	FIELD(4, "duration_nano", "durationNano", UINT64),
	NESTED(5, "period_type", "periodType", value_type), FIELD(6, "period", "period", INT64),
	FIELD(7, "profile_id", "profileId", ID, .id_size = 16),
	FIELD(8, "dropped_attributes_count", "droppedAttributesCount", UINT32),
	FIELD(9, "original_payload_format", "originalPayloadFormat", STRING),
	FIELD(10, "original_payload", "originalPayload", BYTES),
	FIELD(11, "attribute_indices", "attributeIndices", INT32, MANY));

MESSAGE(mapping, "Mapping", FIELD(1, "memory_start", "memoryStart", UINT64),
	FIELD(2, "memory_limit", "memoryLimit", UINT64),
	FIELD(3, "file_offset", "fileOffset", UINT64),
	FIELD(4, "filename_strindex", "filenameStrindex", INT32),
	FIELD(5, "attribute_indices", "attributeIndices", INT32, MANY));

MESSAGE(line, "Line", FIELD(1, "function_index", "functionIndex", INT32),
	FIELD(2, "line", "line", INT64), FIELD(3, "column", "column", INT64));

MESSAGE(location, "Location", FIELD(1, "mapping_index", "mappingIndex", INT32),
	FIELD(2, "address", "address", UINT64), NESTED(3, "lines", "lines", line, MANY),
	NESTED(3, "line", "line", line, .flags = SCHEMA_REPEATED | SCHEMA_OLD_NAME),
	FIELD(4, "attribute_indices", "attributeIndices", INT32, MANY));

MESSAGE(function, "Function", FIELD(1, "name_strindex", "nameStrindex", INT32),
	FIELD(2, "system_name_strindex", "systemNameStrindex", INT32),
	FIELD(3, "filename_strindex", "filenameStrindex", INT32),
	FIELD(4, "start_line", "startLine", INT64));

MESSAGE(link, "Link", FIELD(1, "trace_id", "traceId", ID, .id_size = 16),
	FIELD(2, "span_id", "spanId", ID, .id_size = 8));

MESSAGE(attribute, "KeyValueAndUnit", FIELD(1, "key_strindex", "keyStrindex", INT32),
	NESTED(2, "value", "value", otlp_any_value),
	FIELD(3, "unit_strindex", "unitStrindex", INT32));

MESSAGE(stack, "Stack", FIELD(1, "location_indices", "locationIndices", INT32, MANY));

MESSAGE(dictionary, "ProfilesDictionary", NESTED(1, "mapping_table", "mappingTable", mapping, MANY),
	NESTED(2, "location_table", "locationTable", location, MANY),
	NESTED(3, "function_table", "functionTable", function, MANY),
	NESTED(4, "link_table", "linkTable", link, MANY),
	FIELD(5, "string_table", "stringTable", STRING, MANY),
	NESTED(6, "attribute_table", "attributeTable", attribute, MANY),
	NESTED(7, "stack_table", "stackTable", stack, MANY));

MESSAGE(scope_profiles, "ScopeProfiles", NESTED(1, "scope", "scope", otlp_scope),
	NESTED(2, "profiles", "profiles", profile, MANY),
	FIELD(3, "schema_url", "schemaUrl", STRING));

MESSAGE(resource_profiles, "ResourceProfiles", NESTED(1, "resource", "resource", otlp_resource),
	NESTED(2, "scope_profiles", "scopeProfiles", scope_profiles, MANY),
	FIELD(3, "schema_url", "schemaUrl", STRING));

static const struct schema_field profiles_fields[] = {
	NESTED(1, "resource_profiles", "resourceProfiles", resource_profiles, MANY),
	NESTED(2, "dictionary", "dictionary", dictionary),
};

const struct schema_message otlp_profiles_request = {"ExportProfilesServiceRequest",
						     profiles_fields, countof(profiles_fields)};

const struct schema_message *otlp_request_schema(enum signal_kind signal)
{
	switch (signal) {
	case SIGNAL_TRACES:
		return &otlp_traces_request;
	case SIGNAL_METRICS:
		return &otlp_metrics_request;
	case SIGNAL_LOGS:
		return &otlp_logs_request;
	default:
		return &otlp_profiles_request;
	}
}

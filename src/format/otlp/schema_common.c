/* SPDX-License-Identifier: Apache-2.0 */
/* opentelemetry/proto/common/v1/common.proto, resource/v1/resource.proto */
#include "format/otlp/schema_common.h"

#define FIELD SCHEMA_FIELD
#define NESTED SCHEMA_NESTED
#define MESSAGE SCHEMA_MESSAGE
#define MANY SCHEMA_MANY
#define ONE_OF SCHEMA_ONE_OF

MESSAGE(array_value, "ArrayValue", NESTED(1, "values", "values", otlp_any_value, MANY));

MESSAGE(key_value_list, "KeyValueList", NESTED(1, "values", "values", otlp_key_value, MANY));

static const struct schema_field any_value_fields[] = {
	FIELD(1, "string_value", "stringValue", STRING, ONE_OF),
	FIELD(2, "bool_value", "boolValue", BOOL, ONE_OF),
	FIELD(3, "int_value", "intValue", INT64, ONE_OF),
	FIELD(4, "double_value", "doubleValue", DOUBLE, ONE_OF),
	NESTED(5, "array_value", "arrayValue", array_value, ONE_OF),
	NESTED(6, "kvlist_value", "kvlistValue", key_value_list, ONE_OF),
	FIELD(7, "bytes_value", "bytesValue", BYTES, ONE_OF),
	FIELD(8, "string_value_strindex", "stringValueStrindex", INT32, ONE_OF),
};
const struct schema_message otlp_any_value = {"AnyValue", any_value_fields,
					      countof(any_value_fields)};

static const struct schema_field key_value_fields[] = {
	FIELD(1, "key", "key", STRING),
	NESTED(2, "value", "value", otlp_any_value),
	FIELD(3, "key_strindex", "keyStrindex", INT32),
};
const struct schema_message otlp_key_value = {"KeyValue", key_value_fields,
					      countof(key_value_fields)};

MESSAGE(entity_ref, "EntityRef", FIELD(1, "schema_url", "schemaUrl", STRING),
	FIELD(2, "type", "type", STRING), FIELD(3, "id_keys", "idKeys", STRING, MANY),
	FIELD(4, "description_keys", "descriptionKeys", STRING, MANY));

static const struct schema_field resource_fields[] = {
	NESTED(1, "attributes", "attributes", otlp_key_value, MANY),
	FIELD(2, "dropped_attributes_count", "droppedAttributesCount", UINT32),
	NESTED(3, "entity_refs", "entityRefs", entity_ref, MANY),
};
const struct schema_message otlp_resource = {"Resource", resource_fields, countof(resource_fields)};

static const struct schema_field scope_fields[] = {
	FIELD(1, "name", "name", STRING),
	FIELD(2, "version", "version", STRING),
	NESTED(3, "attributes", "attributes", otlp_key_value, MANY),
	FIELD(4, "dropped_attributes_count", "droppedAttributesCount", UINT32),
};
const struct schema_message otlp_scope = {"InstrumentationScope", scope_fields,
					  countof(scope_fields)};

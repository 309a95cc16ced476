/* SPDX-License-Identifier: Apache-2.0 */
/* Resolves indices of profiles in the dictionary of the message. */
#include "pipeline/ottl/paths/profile_paths.h"

#include <errno.h>

#include "pipeline/ottl/ottl_access.h"

/* Field numbers of opentelemetry.proto.profiles.v1development. */
enum {
	REQUEST_DICTIONARY = 2,
	STRING_TABLE = 5, /* of the dictionary */
	ATTRIBUTE_TABLE = 6,
	ATTRIBUTE_KEY = 1,
	ATTRIBUTE_VALUE = 2,
	TYPE_NAME = 1, /* of ValueType */
	TYPE_UNIT = 2,
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLES = 2,
	PROFILE_PERIOD_TYPE = 5,
	PROFILE_ATTRIBUTES = 11,
};

/* Return the element of a table of the dictionary; empty past its end. */
static struct str table_at(const struct ottl_eval *ev, uint32_t table, int64_t index)
{
	struct proto_reader request = proto_reader_of(ev->tree->unknown);

	while (proto_next(&request)) {
		struct proto_reader r;

		if (request.tag != PROTO_TAG(REQUEST_DICTIONARY, PROTO_BYTES)) {
			proto_skip(&request);
			continue;
		}
		r = proto_message(&request);
		while (proto_next(&r)) {
			struct str element;

			if (r.tag != PROTO_TAG(table, PROTO_BYTES)) {
				proto_skip(&r);
				continue;
			}
			element = proto_bytes(&r);
			if (!index--)
				return element;
		}
	}
	return (struct str){0};
}

static int64_t number_in(struct str message, uint32_t field)
{
	struct ottl_value v = {0};

	return ottl_field_read(message, field, FIELD_INT, NULL, &v) ? 0 : v.i;
}

static int read_value_type(struct ottl_eval *ev, const struct ottl_node *n,
			   const struct ottl_path_def *def, struct ottl_value *out)
{
	struct str type = ottl_find_bytes(ev->at[LEVEL_ITEM].message, def->field);

	(void)n;
	*out = OTTL_VALUE_STRING(table_at(ev, STRING_TABLE, number_in(type, def->inner)));
	return 0;
}

static int read_profile_attributes(struct ottl_eval *ev, const struct ottl_node *n,
				   const struct ottl_path_def *def, struct ottl_value *out)
{
	struct ottl_map *map = ottl_map_new(&ev->scratch);
	struct ottl_value indices;
	int rc = ottl_field_read(ottl_record_field(&ev->at[LEVEL_ITEM], def->field), def->field,
				 FIELD_VARINTS, &ev->scratch, &indices);

	if (rc || !map)
		return rc ? rc : -ENOMEM;
	for (uint32_t i = 0; i < indices.list->items.n && !rc; i++) {
		struct str row = table_at(ev, ATTRIBUTE_TABLE, indices.list->items.at[i].i);
		struct str key = table_at(ev, STRING_TABLE, number_in(row, ATTRIBUTE_KEY));
		struct value value;

		if (!otlp_value_read(ottl_find_bytes(row, ATTRIBUTE_VALUE), &value))
			return -EBADMSG;
		rc = ottl_map_set(&ev->scratch, map, key, ottl_value_of(&value));
	}
	*out = (struct ottl_value){.kind = OTTL_MAP, .map = map};
	return rc ? rc : ottl_follow_keys(ev, n, out);
}

#define PROFILE_FIELD(name_, type_, field_)                                                        \
	{                                                                                          \
		.name = (name_), .type = (type_), .field = (field_)                                \
	}
#define VALUE_TYPE(name_, field_, inner_)                                                          \
	{                                                                                          \
		.name = (name_), .field = (field_), .inner = (inner_), .read = read_value_type     \
	}

const struct ottl_path_def ottl_profile_paths[] = {
	{.name = "attributes", .field = PROFILE_ATTRIBUTES, .read = read_profile_attributes},
	VALUE_TYPE("sample_type.type", PROFILE_SAMPLE_TYPE, TYPE_NAME),
	VALUE_TYPE("sample_type.unit", PROFILE_SAMPLE_TYPE, TYPE_UNIT),
	{.name = "sample", .type = FIELD_MESSAGES, .field = PROFILE_SAMPLES, .read_only = true},
	PROFILE_FIELD("time_unix_nano", FIELD_FIXED64, 3),
	PROFILE_FIELD("time", FIELD_TIME, 3),
	PROFILE_FIELD("duration_unix_nano", FIELD_INT, 4),
	PROFILE_FIELD("duration", FIELD_DURATION, 4),
	VALUE_TYPE("period_type.type", PROFILE_PERIOD_TYPE, TYPE_NAME),
	VALUE_TYPE("period_type.unit", PROFILE_PERIOD_TYPE, TYPE_UNIT),
	PROFILE_FIELD("period", FIELD_INT, 6),
	PROFILE_FIELD("profile_id", FIELD_TRACE_ID, 7),
	PROFILE_FIELD("profile_id.string", FIELD_TRACE_TEXT, 7),
	PROFILE_FIELD("dropped_attributes_count", FIELD_INT, 8),
	PROFILE_FIELD("original_payload_format", FIELD_STRING, 9),
	PROFILE_FIELD("original_payload", FIELD_BYTES, 10),
	PROFILE_FIELD("attribute_indices", FIELD_VARINTS, PROFILE_ATTRIBUTES),
	{.name = NULL},
};

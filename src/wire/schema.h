/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_WIRE_SCHEMA_H
#define VARVE_WIRE_SCHEMA_H

#include "base/buf.h"
#include "base/err.h"
#include "wire/json.h"

/*
 * Protobuf messages as const tables, and conversion between JSON text and protobuf bytes by the
 * rules of proto3's JSON mapping: to protobuf in schema_in.c, to JSON in schema_out.c. A new
 * message needs one row per field and nothing else.
 *
 *	SCHEMA_MESSAGE(pair, "types.v1.LabelPair",
 *		       SCHEMA_FIELD(1, "name", "name", STRING),
 *		       SCHEMA_FIELD(2, "value", "value", STRING));
 *	SCHEMA_MESSAGE(labels, "types.v1.Labels",
 *		       SCHEMA_NESTED(1, "labels", "labels", pair, SCHEMA_MANY));
 *
 * A message has at most SCHEMA_FIELDS_MAX fields.
 */
enum schema_type {
	SCHEMA_MESSAGE_TYPE,
	SCHEMA_STRING,
	SCHEMA_BYTES, /* base64 in JSON */
	SCHEMA_ID,    /* bytes, hex in JSON: OTLP's trace, span and profile ids */
	SCHEMA_BOOL,
	SCHEMA_INT32,
	SCHEMA_UINT32,
	SCHEMA_SINT32, /* zigzag encoding */
	SCHEMA_FIXED32,
	SCHEMA_ENUM,  /* int32; a name or number in JSON */
	SCHEMA_INT64, /* from here on decimal strings in JSON, numbers are accepted */
	SCHEMA_UINT64,
	SCHEMA_FIXED64,
	SCHEMA_SFIXED64,
	SCHEMA_DOUBLE, /* a number, or "NaN", "Infinity", "-Infinity" */
};

enum { SCHEMA_FIELDS_MAX = 64 };

enum schema_field_flags {
	SCHEMA_REPEATED = 1,
	/* Part of a oneof, or optional: present even if it is zero or empty. */
	SCHEMA_ONEOF = 2,
	/* A name of an older layout: accepted in JSON, never written. */
	SCHEMA_OLD_NAME = 4,
	/* With SCHEMA_REPEATED: a JSON object; `message` has key = 1 and value = 2. */
	SCHEMA_MAP = 8,
};

struct schema_message;

struct schema_enum {
	const struct schema_enum_name {
		struct str name;
		int32_t number;
	} * names;
	size_t name_count;
	bool open;	/* unknown names are read as 0, because newer clients know more */
	bool as_number; /* written as a number, as in OTLP; names are accepted */
};

struct schema_field {
	struct str name;  /* lowerCamelCase, as written */
	struct str snake; /* as in the .proto file; accepted, too */
	uint32_t number;
	enum schema_type type;
	unsigned flags;
	size_t id_size;			      /* SCHEMA_ID: bytes; 0: any */
	const struct schema_message *message; /* SCHEMA_MESSAGE_TYPE */
	const struct schema_enum *names;      /* SCHEMA_ENUM; NULL: numbers only */
};

struct schema_message {
	const char *name;
	const struct schema_field *fields;
	size_t field_count;
};

#define SCHEMA_FIELD(number_, snake_, name_, type_, ...)                                           \
	{                                                                                          \
		.name = STR_INIT(name_), .snake = STR_INIT(snake_), .number = (number_),           \
		.type = SCHEMA_##type_, __VA_ARGS__                                                \
	}
#define SCHEMA_NESTED(number_, snake_, name_, message_, ...)                                       \
	SCHEMA_FIELD(number_, snake_, name_, MESSAGE_TYPE, .message = &(message_), __VA_ARGS__)
#define SCHEMA_MANY .flags = SCHEMA_REPEATED
#define SCHEMA_ONE_OF .flags = SCHEMA_ONEOF
#define SCHEMA_MAPPED .flags = SCHEMA_REPEATED | SCHEMA_MAP

/*
 * Define a message of this file. For a shared one, write out what this expands to without static.
 */
#define SCHEMA_MESSAGE(variable, name_, ...)                                                       \
	static const struct schema_field variable##_fields[] = {__VA_ARGS__};                      \
	static const struct schema_message variable = {name_, variable##_fields,                   \
						       countof(variable##_fields)}

/* Find a field by JSON name in either spelling or by number. Return NULL if it is unknown. */
const struct schema_field *schema_field_by_name(const struct schema_message *m, struct str name);
const struct schema_field *schema_field_by_number(const struct schema_message *m, uint32_t number);

/*
 * Append the protobuf encoding of the parsed document. Unknown keys are ignored; null is the
 * default value. Return 0, -EBADMSG "at byte N (line L, column C): expected X, found Y", or
 * -ENOMEM.
 */
MUST_USE int schema_to_proto(struct buf *out, const struct schema_message *m,
			     const struct json *doc, struct err *e);

/* The same for JSON text, which is parsed in `scratch`. Empty text is the empty message. */
MUST_USE int schema_json_to_proto(struct buf *out, const struct schema_message *m, struct str json,
				  struct arena *scratch, struct err *e);

/*
 * Append the JSON of the message on one line: the fields that are present, in the order of the
 * wire. Unknown fields are omitted. Return 0, -EBADMSG "at byte N: ..." or -ENOMEM.
 */
MUST_USE int schema_to_json(struct buf *out, const struct schema_message *m, struct str message,
			    struct err *e);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_OTLP_SCHEMA_H
#define VARVE_FORMAT_OTLP_SCHEMA_H

#include "base/str.h"

/*
 * The OTLP messages as a table: all that the transcoding between JSON and protobuf knows of them. To add
 * a message (a span, a log record, ...): a row a field in schema.c, nothing else.
 */
enum otlp_type {
	OTLP_MESSAGE,
	OTLP_STRING,
	OTLP_BYTES, /* base64 in JSON */
	OTLP_ID,    /* bytes, hex in JSON: trace, span and profile ids */
	OTLP_BOOL,
	OTLP_INT32,
	OTLP_UINT32,
	OTLP_INT64, /* from here on decimal strings in JSON */
	OTLP_UINT64,
	OTLP_FIXED64,
	OTLP_DOUBLE,
};

enum otlp_field_flags {
	OTLP_REPEATED = 1,
	OTLP_ONEOF = 2,	   /* present also when it is zero or empty */
	OTLP_OLD_NAME = 4, /* read only: what an older layout called it */
};

struct otlp_message;

struct otlp_field {
	struct str name;  /* lowerCamelCase, as it is written */
	struct str snake; /* as the .proto file has it: also read */
	uint32_t number;
	enum otlp_type type;
	unsigned flags;
	size_t id_size;			    /* OTLP_ID: bytes */
	const struct otlp_message *message; /* OTLP_MESSAGE */
};

struct otlp_message {
	const char *name;
	const struct otlp_field *fields;
	size_t field_count;
};

/* ExportProfilesServiceRequest, which is laid out as ProfilesData, 1.11. */
extern const struct otlp_message otlp_profiles_request;

/* By JSON name of either spelling, by number; NULL when unknown. */
const struct otlp_field *otlp_field_by_name(const struct otlp_message *m, struct str name);
const struct otlp_field *otlp_field_by_number(const struct otlp_message *m, uint32_t number);

#endif

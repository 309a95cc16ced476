/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_OTTL_FIELD_H
#define VARVE_PIPELINE_OTTL_FIELD_H

#include "pipeline/ottl/ottl_value.h"

/* Fields of OTLP messages as values of OTTL. A field that is missing has its default: 0, "". */
enum ottl_field_type {
	FIELD_STRING,
	FIELD_BYTES,
	FIELD_TRACE_ID, /* bytes, 16 or 8; missing: zeros */
	FIELD_SPAN_ID,
	FIELD_TRACE_TEXT, /* the same in hex; missing: "" */
	FIELD_SPAN_TEXT,
	FIELD_INT,     /* varint */
	FIELD_SINT,    /* varint, zigzag */
	FIELD_FIXED64, /* as integer */
	FIELD_FIXED32,
	FIELD_TIME,	/* fixed64 */
	FIELD_DURATION, /* varint */
	FIELD_BOOL,
	FIELD_DOUBLE,
	FIELD_DOUBLES, /* packed */
	FIELD_FIXED64S,
	FIELD_VARINTS,
	FIELD_MESSAGES, /* a list of their bytes; cannot be set */
	FIELD_MAP,	/* attributes: kept in a slot */
	FIELD_ANY,	/* a body: kept in a slot */
};

/* Return the last occurrence of a field of bytes, or an empty string. */
struct str ottl_find_bytes(struct str message, uint32_t field);

/* Return whether a message has a field of any wire type. */
bool ottl_has_field(struct str message, uint32_t field);

/* Read a field that is not in a slot. Return 0, -ENOMEM or -EBADMSG. */
MUST_USE int ottl_field_read(struct str message, uint32_t field, enum ottl_field_type type,
			     struct arena *arena, struct ottl_value *out);

/*
 * Write a field with its tag, back to front; defaults are left out, unless `explicit`. Return 0, or
 * -EINVAL if the value has the wrong type, whose name is in *expected then.
 */
MUST_USE int ottl_field_write(struct proto_writer *w, uint32_t field, enum ottl_field_type type,
			      bool explicit, struct ottl_value *v, struct arena *arena,
			      const char **expected);

#endif

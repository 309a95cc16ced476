/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_SPAN_FIELDS_H
#define VARVE_STORE_SQLITE_SPAN_FIELDS_H

#include "base/buf.h"
#include "store/sqlite/spans/span_columns.h"

/* The details of a span as a list of fields, and back. Exact: the same bytes come back. */
struct span_field {
	uint8_t field, type; /* as in struct span_column */
	struct str key;	     /* of an attribute that is no SPAN_VALUE_MESSAGE */
	struct str payload;  /* text, or the encoded number */
};

/* Read the next field at *at. Return false at the end, or where the details are no message. */
bool span_field_next(struct str details, size_t *at, struct span_field *out);

/* Read a KeyValue message; one that cannot be restored from key and value is SPAN_VALUE_MESSAGE. */
void span_field_attribute(struct str message, struct span_field *out);

/* Turn an attribute that has a key and a value back into its KeyValue message. */
void span_field_whole(struct span_field *f);

/* Return the number as it is stored; the field has one. */
uint64_t span_field_number(const struct span_field *f);

/* Append the field with that text or number. */
void span_field_put(struct buf *out, const struct span_column *c, struct str text, uint64_t number);

#endif

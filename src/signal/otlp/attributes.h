/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SIGNAL_OTLP_ATTRIBUTES_H
#define VARVE_SIGNAL_OTLP_ATTRIBUTES_H

#include "base/container/vec.h"
#include "base/err.h"
#include "signal/otlp/value_text.h"
#include "signal/value.h"
#include "wire/proto.h"

/*
 * Attributes in OTLP's protobuf: AnyValue messages, KeyValue lists, and the attributes of a message
 * (Resource, Span, LogRecord, a data point ...), read and replaced without decoding the rest of the
 * message.
 */
struct otlp_attribute {
	struct str key;
	struct value value;
};

struct attributes {
	VEC(struct otlp_attribute) list;
};

/* The field number of `attributes` in the messages of OTLP. */
enum {
	OTLP_RESOURCE_ATTRIBUTES = 1,
	OTLP_SCOPE_ATTRIBUTES = 3,
	OTLP_SPAN_ATTRIBUTES = 9,
	OTLP_SPAN_EVENT_ATTRIBUTES = 3,
	OTLP_LOG_ATTRIBUTES = 6,
	OTLP_NUMBER_POINT_ATTRIBUTES = 7,
	OTLP_HISTOGRAM_POINT_ATTRIBUTES = 9,
	OTLP_EXPONENTIAL_POINT_ATTRIBUTES = 1,
	OTLP_SUMMARY_POINT_ATTRIBUTES = 7,
};

/* How deep lists and maps may be nested in an attribute: more is damage. */
enum { OTLP_VALUE_DEPTH_MAX = 100 };

/* Read an AnyValue message. Lists and maps stay encoded. Return false if it is damaged. */
MUST_USE bool otlp_value_read(struct str any_value, struct value *out);

/* Write the AnyValue message (without tag and length), back to front. */
void otlp_value_write(struct proto_writer *w, const struct value *value);

/* Write a KeyValue as element of repeated field `field`, back to front. */
void otlp_attribute_write(struct proto_writer *w, uint32_t field, struct str key,
			  const struct value *value);

/*
 * Read the attributes of a message: all fields `field`. Keys and values borrow its bytes. Return 0,
 * -ENOMEM or -EBADMSG.
 */
MUST_USE int otlp_attributes_read(struct attributes *out, struct str message, uint32_t field,
				  struct arena *arena);

/* Find one attribute in a message without reading the others. Return false if there is none. */
bool otlp_attribute_find(struct str message, uint32_t field, struct str key, struct value *out);

/*
 * Return in *out, allocated in `arena`, the message with its fields `field` replaced by the
 * attributes; everything else keeps its bytes and order. Return 0, -ENOMEM or -EBADMSG.
 */
MUST_USE int otlp_attributes_replace(struct str message, uint32_t field,
				     const struct attributes *attributes, struct arena *arena,
				     struct str *out);

/* Return the attribute of that key, or NULL. */
struct otlp_attribute *attributes_get(const struct attributes *a, struct str key);

/* Set or append an attribute; the key and the value are borrowed. Return 0 or -ENOMEM. */
MUST_USE int attributes_set(struct attributes *a, struct arena *arena, struct str key,
			    const struct value *value);

#endif

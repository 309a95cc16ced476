/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TESTS_SDK_METRICS_PROTO_PARTS_H
#define VARVE_TESTS_SDK_METRICS_PROTO_PARTS_H

#include "test/test.h"
#include "wire/proto.h"

/* Reading single fields of encoded messages in tests. */

/* Return element `index` of a repeated message field; empty when there are fewer. */
static inline struct str proto_part(struct str message, uint32_t field, unsigned index)
{
	struct proto_reader r = proto_reader_of(message);

	while (proto_next(&r)) {
		struct str bytes;

		if (r.tag != PROTO_TAG(field, PROTO_BYTES)) {
			proto_skip(&r);
			continue;
		}
		bytes = proto_bytes(&r);
		if (!index--)
			return bytes;
	}
	assert_int_equal(r.error, 0);
	return (struct str){0};
}

/* Return a number of any wire type; -1 when the field is missing. */
static inline int64_t proto_number(struct str message, uint32_t field)
{
	struct proto_reader r = proto_reader_of(message);

	while (proto_next(&r)) {
		if (r.tag == PROTO_TAG(field, PROTO_VARINT))
			return (int64_t)proto_varint(&r);
		if (r.tag == PROTO_TAG(field, PROTO_FIXED64))
			return (int64_t)proto_fixed64(&r);
		if (r.tag == PROTO_TAG(field, PROTO_FIXED32))
			return proto_fixed32(&r);
		proto_skip(&r);
	}
	assert_int_equal(r.error, 0);
	return -1;
}

static inline double proto_real(struct str message, uint32_t field)
{
	int64_t bits = proto_number(message, field);
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* Return the AnyValue of an attribute in a message whose KeyValues have this field number. */
static inline struct str proto_attribute(struct str message, uint32_t field, const char *key)
{
	struct str pair;

	for (unsigned i = 0; (pair = proto_part(message, field, i)).n; i++)
		if (str_eq(proto_part(pair, 1, 0), str_from(key)))
			return proto_part(pair, 2, 0);
	return (struct str){0};
}

#endif

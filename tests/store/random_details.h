/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TESTS_RANDOM_DETAILS_H
#define VARVE_TESTS_RANDOM_DETAILS_H

#include "signal/otlp/attributes.h"
#include "signal/span_batch.h"

#include "store/store_support.h"

/* Random details of spans, with common and rare keys of all types, events, links and the rest. */

static UNUSED void random_value(struct proto_writer *w, uint64_t *seed, unsigned kind)
{
	struct value v = {.kind = (enum value_kind)kind};
	char text[64];

	switch (kind) {
	case VALUE_STRING:
	case VALUE_BYTES:
		snprintf(text, sizeof(text), "value %u", test_random(seed, 5000));
		v.s = str_from(text);
		break;
	case VALUE_BOOL:
		v.i = test_random(seed, 2);
		break;
	case VALUE_INT:
		v.i = (int64_t)test_random(seed, 1000000) - 1000;
		break;
	case VALUE_DOUBLE:
		v.d = test_random(seed, 4000) / 16.0 - 100;
		break;
	case VALUE_LIST: /* ArrayValue with a string */
		v.s = STR("\x2a\x05\x0a\x03\x0a\x01x");
		break;
	case VALUE_MAP:
		v.s = STR("\x32\x07\x0a\x05\x0a\x01k\x12\x00");
		break;
	default:
		break;
	}
	otlp_value_write(w, &v);
}

static UNUSED void random_attribute(struct proto_writer *w, uint64_t *seed, uint32_t field)
{
	bool rare = test_random(seed, 20) == 0;
	unsigned key = test_random(seed, rare ? 3000 : 8);
	size_t end = proto_mark(w), value = end;
	char text[32];

	random_value(w, seed, rare ? test_random(seed, VALUE_MAP + 1) : key % (VALUE_DOUBLE + 1));
	proto_put_header(w, 2, value);
	snprintf(text, sizeof(text), "%s.%u", rare ? "rare" : "key", key);
	proto_put_entry(w, 1, str_from(text));
	proto_put_header(w, field, end);
}

static UNUSED void random_event(struct proto_writer *w, uint64_t *seed)
{
	size_t end = proto_mark(w);

	for (unsigned i = test_random(seed, 3); i > 0; i--)
		random_attribute(w, seed, OTLP_SPAN_EVENT_ATTRIBUTES);
	proto_put_bytes(w, 2, STR("exception"));
	proto_put_fixed64(w, 1, test_random(seed, 1000));
	proto_put_header(w, SPAN_FIELD_EVENTS, end);
}

/* Write the details of a span back to front, as the decoder orders them. */
static UNUSED void random_details(struct proto_writer *w, uint64_t *seed)
{
	size_t end;

	if (test_random(seed, 2)) {
		proto_put_raw(w, &(uint32_t){257}, sizeof(uint32_t));
		proto_put_varint(w, PROTO_TAG(SPAN_FIELD_FLAGS, PROTO_FIXED32));
	}
	end = proto_mark(w);
	if (test_random(seed, 10) == 0) {
		proto_put_entry(w, SPAN_FIELD_STATUS_MESSAGE, STR("failed"));
		proto_put_header(w, SPAN_FIELD_STATUS, end);
	}
	proto_put_uint(w, SPAN_FIELD_DROPPED_LINKS, test_random(seed, 30) == 0);
	end = proto_mark(w);
	if (test_random(seed, 10) == 0) {
		random_attribute(w, seed, 4);
		proto_put_entry(w, 2, STR("12345678"));
		proto_put_entry(w, 1, STR("1234567890123456"));
		proto_put_header(w, SPAN_FIELD_LINKS, end);
	}
	for (unsigned i = test_random(seed, 10) == 0 ? 3 : 0; i > 0; i--)
		random_event(w, seed);
	proto_put_uint(w, SPAN_FIELD_DROPPED_ATTRIBUTES, test_random(seed, 10) ? 0 : 300);
	for (unsigned i = test_random(seed, 8); i > 0; i--)
		random_attribute(w, seed, SPAN_FIELD_ATTRIBUTES);
	if (test_random(seed, 20) == 0)
		proto_put_bytes(w, SPAN_FIELD_TRACE_STATE, STR("vendor=1"));
}

#endif

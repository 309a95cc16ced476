/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes of keys with values, and the filter of a group of spans. */
#include "store/sqlite/spans/span_filter.h"

#include "signal/otlp/attributes.h"
#include "store/sqlite/block/columns.h"
#include "store/sqlite/read/filter.h"
#include "wire/proto.h"

/* Field numbers of opentelemetry.proto.trace.v1 and common.v1. */
enum { ANY_LIST = 5, LIST_ITEM = 1, SCOPE_NAME = 1, EVENT_NAME = 2, LINK_ATTRIBUTES = 4 };

static uint64_t mix_hash(uint64_t x)
{
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93u;
	return x ^ x >> 32;
}

uint64_t span_filter_key(enum span_filter_scope scope, struct str key)
{
	return mix_hash(frame_sum(key.p, key.n) + scope);
}

uint64_t span_filter_intrinsic(enum span_filter_intrinsic which)
{
	return mix_hash(((uint64_t)SPAN_FILTER_INTRINSIC << 32) + which + 1);
}

uint64_t span_filter_text(uint64_t key, struct str value)
{
	return mix_hash(key + frame_sum(value.p, value.n));
}

uint64_t span_filter_number(uint64_t key, uint64_t value)
{
	return mix_hash(key + mix_hash(value + 1));
}

uint64_t span_filter_double(uint64_t key, double value)
{
	static const double limit = 9223372036854775808.0; /* 2^63 */
	uint64_t bits;

	if (value >= -limit && value < limit && value == (double)(int64_t)value)
		return span_filter_number(key, (uint64_t)(int64_t)value ^ (uint64_t)1 << 63);
	memcpy(&bits, &value, sizeof(bits));
	return span_filter_number(key, bits);
}

/* ---- collecting ---- */

/* Add the elements of an AnyValue with an array. */
static int hash_list(struct span_hashes *h, struct arena *a, uint64_t key, struct str any)
{
	struct proto_reader r = proto_reader_of(any), list;
	int rc = 0;

	if (!proto_next(&r) || r.tag != PROTO_TAG(ANY_LIST, PROTO_BYTES))
		return 0;
	list = proto_message(&r);
	while (!rc && proto_next(&list)) {
		struct value v;

		if (list.tag != PROTO_TAG(LIST_ITEM, PROTO_BYTES)) {
			proto_skip(&list);
			continue;
		}
		if (!otlp_value_read(proto_bytes(&list), &v))
			continue;
		if (v.kind == VALUE_STRING)
			rc = vec_push(a, &h->list, span_filter_text(key, v.s));
		else if (v.kind == VALUE_INT)
			rc = vec_push(a, &h->list,
				      span_filter_number(key, (uint64_t)v.i ^ (uint64_t)1 << 63));
		else if (v.kind == VALUE_BOOL)
			rc = vec_push(a, &h->list, span_filter_number(key, (uint64_t)v.i));
		else if (v.kind == VALUE_DOUBLE)
			rc = vec_push(a, &h->list, span_filter_double(key, v.d));
	}
	return rc;
}

/* Read key and AnyValue of a KeyValue message of any encoding. */
static bool read_pair(struct str message, struct str *key, struct str *any)
{
	struct proto_reader r = proto_reader_of(message);

	*key = *any = STR("");
	while (proto_next(&r))
		if (r.tag == PROTO_TAG(1, PROTO_BYTES))
			*key = proto_bytes(&r);
		else if (r.tag == PROTO_TAG(2, PROTO_BYTES))
			*any = proto_bytes(&r);
		else
			proto_skip(&r);
	return !r.error;
}

int span_hashes_attribute(struct span_hashes *h, struct arena *a, enum span_filter_scope scope,
			  struct str message)
{
	struct str key, any;
	struct value v;
	uint64_t hash;

	if (!read_pair(message, &key, &any) || !otlp_value_read(any, &v))
		return 0;
	hash = span_filter_key(scope, key);
	switch (v.kind) {
	case VALUE_STRING:
		return vec_push(a, &h->list, span_filter_text(hash, v.s));
	case VALUE_INT:
		return vec_push(a, &h->list,
				span_filter_number(hash, (uint64_t)v.i ^ (uint64_t)1 << 63));
	case VALUE_BOOL:
		return vec_push(a, &h->list, span_filter_number(hash, (uint64_t)v.i));
	case VALUE_DOUBLE:
		return vec_push(a, &h->list, span_filter_double(hash, v.d));
	case VALUE_LIST:
		return hash_list(h, a, hash, v.s);
	default:
		return 0;
	}
}

int span_hashes_attributes(struct span_hashes *h, struct arena *a, enum span_filter_scope scope,
			   struct str message, uint32_t field)
{
	struct proto_reader r = proto_reader_of(message);
	int rc = 0;

	while (!rc && proto_next(&r))
		if (r.tag == PROTO_TAG(field, PROTO_BYTES))
			rc = span_hashes_attribute(h, a, scope, proto_bytes(&r));
		else
			proto_skip(&r);
	return rc;
}

int span_hashes_name(struct span_hashes *h, struct arena *a, enum span_filter_intrinsic which,
		     struct str message, uint32_t field)
{
	struct proto_reader r = proto_reader_of(message);
	int rc = 0;

	while (!rc && proto_next(&r))
		if (r.tag == PROTO_TAG(field, PROTO_BYTES))
			rc = vec_push(
				a, &h->list,
				span_filter_text(span_filter_intrinsic(which), proto_bytes(&r)));
		else
			proto_skip(&r);
	return rc;
}

int span_hashes_resource(struct span_hashes *h, struct arena *a, struct str message)
{
	return span_hashes_attributes(h, a, SPAN_FILTER_RESOURCE, message,
				      OTLP_RESOURCE_ATTRIBUTES);
}

int span_hashes_scope(struct span_hashes *h, struct arena *a, struct str message)
{
	int rc = span_hashes_name(h, a, SPAN_FILTER_SCOPE_NAME, message, SCOPE_NAME);

	return rc ? rc
		  : span_hashes_attributes(h, a, SPAN_FILTER_INSTRUMENTATION, message,
					   OTLP_SCOPE_ATTRIBUTES);
}

int span_hashes_field(struct span_hashes *h, struct arena *a, uint8_t field, struct str message)
{
	int rc;

	switch (field) {
	case SPAN_FIELD_EVENTS:
		rc = span_hashes_name(h, a, SPAN_FILTER_EVENT_NAME, message, EVENT_NAME);
		return rc ? rc
			  : span_hashes_attributes(h, a, SPAN_FILTER_EVENT, message,
						   OTLP_SPAN_EVENT_ATTRIBUTES);
	case SPAN_FIELD_LINKS:
		return span_hashes_attributes(h, a, SPAN_FILTER_LINK, message, LINK_ATTRIBUTES);
	case SPAN_FIELD_STATUS:
		return span_hashes_name(h, a, SPAN_FILTER_STATUS_MESSAGE, message,
					SPAN_FIELD_STATUS_MESSAGE);
	default:
		return 0;
	}
}

int span_hashes_details(struct span_hashes *h, struct arena *a, struct str details)
{
	struct proto_reader r = proto_reader_of(details);
	int rc = 0;

	while (!rc && proto_next(&r)) {
		if (r.tag == PROTO_TAG(SPAN_FIELD_ATTRIBUTES, PROTO_BYTES))
			rc = span_hashes_attribute(h, a, SPAN_FILTER_SPAN, proto_bytes(&r));
		else if ((r.tag & 7) == PROTO_BYTES)
			rc = span_hashes_field(h, a, (uint8_t)proto_field(&r), proto_bytes(&r));
		else
			proto_skip(&r);
	}
	return rc;
}

/* ---- the filter ---- */

int span_hashes_put(struct buf *out, const struct span_hashes *h, struct arena *a)
{
	struct filter f;

	if (filter_init(&f, h->list.n, a))
		return -ENOMEM;
	for (uint32_t i = 0; i < h->list.n; i++)
		filter_add_hash(&f, h->list.at[i]);
	column_put_varint(out, f.bytes);
	buf_put(out, f.bits, f.bytes);
	return buf_error(out);
}

bool span_filter_has(struct str filter, uint64_t hash)
{
	for (unsigned i = 0; filter.n && i < FILTER_HASHES; i++) {
		uint64_t bit = filter_bit(hash, i, filter.n);

		if (!((uint8_t)filter.p[bit / 8] >> bit % 8 & 1))
			return false;
	}
	return filter.n;
}

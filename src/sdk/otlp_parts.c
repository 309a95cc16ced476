/* SPDX-License-Identifier: Apache-2.0 */
#include "sdk/otlp_parts.h"

/* AnyValue, without its tag. */
static void put_value(struct proto_writer *w, const struct value *v)
{
	uint64_t bits;

	switch (v->kind) {
	case VALUE_STRING:
		proto_put_entry(w, 1, v->s);
		break;
	case VALUE_BOOL:
		proto_put_varint(w, v->i != 0);
		proto_put_varint(w, PROTO_TAG(2, PROTO_VARINT));
		break;
	case VALUE_INT:
		proto_put_varint(w, (uint64_t)v->i);
		proto_put_varint(w, PROTO_TAG(3, PROTO_VARINT));
		break;
	case VALUE_DOUBLE:
		memcpy(&bits, &v->d, sizeof(bits));
		proto_put_fixed64_raw(w, bits);
		proto_put_varint(w, PROTO_TAG(4, PROTO_FIXED64));
		break;
	case VALUE_LIST:
	case VALUE_MAP:
		proto_put_raw(w, v->s.p, v->s.n);
		break;
	default:
		break;
	}
}

void otlp_put_keyvalue(struct proto_writer *w, uint32_t field, const struct keyvalue *pair)
{
	size_t end = proto_mark(w);

	put_value(w, &pair->value);
	proto_put_header(w, 2, end);
	proto_put_bytes(w, 1, pair->key);
	proto_put_header(w, field, end);
}

void otlp_put_resource(struct proto_writer *w, const struct keyvalue *resource, uint32_t count)
{
	size_t end = proto_mark(w);

	for (uint32_t i = count; i-- > 0;)
		otlp_put_keyvalue(w, 1, &resource[i]);
	proto_put_header(w, 1, end);
}

void otlp_put_scope(struct proto_writer *w)
{
	size_t end = proto_mark(w);

	proto_put_bytes(w, 2, STR(VARVE_VERSION));
	proto_put_bytes(w, 1, STR("varve"));
	proto_put_header(w, 1, end);
}

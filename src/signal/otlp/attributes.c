/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attributes in place: the reader keeps slices of the message, and a replacement copies the other
 * fields around the new attributes. The size of the result is computed first, so that it is written
 * once, from the front, into memory of its final size.
 *
 * Of several values of one AnyValue the last one counts, as for each oneof.
 */
#include "signal/otlp/attributes.h"

/* Field numbers of opentelemetry.proto.common.v1. */
enum {
	ANY_STRING = 1,
	ANY_BOOL = 2,
	ANY_INT = 3,
	ANY_DOUBLE = 4,
	ANY_LIST = 5,
	ANY_MAP = 6,
	ANY_BYTES = 7,
	LIST_VALUES = 1, /* of ArrayValue and KeyValueList */
	PAIR_KEY = 1,
	PAIR_VALUE = 2,
};

/* ---- reading ---- */

/* Read the fields of an AnyValue over what *out has already. Return false if it is damaged. */
static bool merge_value(struct str any, struct value *out)
{
	struct proto_reader r = proto_reader_of(any);

	while (proto_next(&r)) {
		switch (r.tag) {
		case PROTO_TAG(ANY_STRING, PROTO_BYTES):
			*out = (struct value){.kind = VALUE_STRING, .s = proto_bytes(&r)};
			break;
		case PROTO_TAG(ANY_BOOL, PROTO_VARINT):
			*out = (struct value){.kind = VALUE_BOOL, .i = proto_varint(&r) != 0};
			break;
		case PROTO_TAG(ANY_INT, PROTO_VARINT):
			*out = (struct value){.kind = VALUE_INT, .i = (int64_t)proto_varint(&r)};
			break;
		case PROTO_TAG(ANY_DOUBLE, PROTO_FIXED64):
			*out = (struct value){.kind = VALUE_DOUBLE, .d = proto_double(&r)};
			break;
		case PROTO_TAG(ANY_LIST, PROTO_BYTES):
		case PROTO_TAG(ANY_MAP, PROTO_BYTES):
			out->kind = proto_field(&r) == ANY_LIST ? VALUE_LIST : VALUE_MAP;
			out->s = any;
			proto_bytes(&r);
			break;
		case PROTO_TAG(ANY_BYTES, PROTO_BYTES):
			*out = (struct value){.kind = VALUE_BYTES, .s = proto_bytes(&r)};
			break;
		default:
			proto_skip(&r);
		}
	}
	return !r.error;
}

bool otlp_value_read(struct str any_value, struct value *out)
{
	*out = (struct value){0};
	return merge_value(any_value, out);
}

/* Read a KeyValue. Return false if it is damaged. */
static bool read_pair(struct str message, struct otlp_attribute *out)
{
	struct proto_reader r = proto_reader_of(message);
	bool good = true;

	*out = (struct otlp_attribute){0};
	while (proto_next(&r)) {
		if (r.tag == PROTO_TAG(PAIR_KEY, PROTO_BYTES))
			out->key = proto_bytes(&r);
		else if (r.tag == PROTO_TAG(PAIR_VALUE, PROTO_BYTES))
			good &= merge_value(proto_bytes(&r), &out->value);
		else
			proto_skip(&r);
	}
	return good && !r.error;
}

int otlp_attributes_read(struct attributes *out, struct str message, uint32_t field,
			 struct arena *arena)
{
	struct proto_reader r = proto_reader_of(message);
	struct otlp_attribute a;
	int rc;

	*out = (struct attributes){0};
	while (proto_next(&r)) {
		if (r.tag != PROTO_TAG(field, PROTO_BYTES)) {
			proto_skip(&r);
			continue;
		}
		if (!read_pair(proto_bytes(&r), &a))
			return -EBADMSG;
		rc = vec_push(arena, &out->list, a);
		if (rc)
			return -ENOMEM;
	}
	return r.error ? -EBADMSG : 0;
}

/* Return whether the KeyValue has another key, without reading it: its key is its first field. */
static bool has_other_key(struct str pair, struct str key)
{
	return pair.n >= 2 && pair.p[0] == PROTO_TAG(PAIR_KEY, PROTO_BYTES) &&
	       (unsigned char)pair.p[1] < 0x80 && (size_t)pair.p[1] != key.n &&
	       pair.n >= 2 + (size_t)pair.p[1] && key.n < 0x80;
}

bool otlp_attribute_find(struct str message, uint32_t field, struct str key, struct value *out)
{
	struct proto_reader r = proto_reader_of(message);
	struct otlp_attribute a;

	while (proto_next(&r)) {
		struct str pair;

		if (r.tag != PROTO_TAG(field, PROTO_BYTES)) {
			proto_skip(&r);
			continue;
		}
		pair = proto_bytes(&r);
		if (has_other_key(pair, key) || !read_pair(pair, &a) || !str_eq(a.key, key))
			continue;
		*out = a.value;
		return true;
	}
	return false;
}

/* ---- writing, back to front ---- */

void otlp_value_write(struct proto_writer *w, const struct value *value)
{
	switch (value->kind) {
	case VALUE_EMPTY:
		break;
	case VALUE_STRING:
		proto_put_entry(w, ANY_STRING, value->s);
		break;
	case VALUE_BOOL:
		proto_put_varint(w, value->i != 0);
		proto_put_varint(w, PROTO_TAG(ANY_BOOL, PROTO_VARINT));
		break;
	case VALUE_INT:
		proto_put_varint(w, (uint64_t)value->i);
		proto_put_varint(w, PROTO_TAG(ANY_INT, PROTO_VARINT));
		break;
	case VALUE_DOUBLE:
		proto_put_raw(w, &value->d, sizeof(value->d));
		proto_put_varint(w, PROTO_TAG(ANY_DOUBLE, PROTO_FIXED64));
		break;
	case VALUE_BYTES:
		proto_put_entry(w, ANY_BYTES, value->s);
		break;
	case VALUE_LIST:
	case VALUE_MAP:
		proto_put_raw(w, value->s.p, value->s.n);
		break;
	}
}

void otlp_attribute_write(struct proto_writer *w, uint32_t field, struct str key,
			  const struct value *value)
{
	size_t end = proto_mark(w);

	otlp_value_write(w, value);
	proto_put_header(w, PAIR_VALUE, end);
	proto_put_bytes(w, PAIR_KEY, key);
	proto_put_header(w, field, end);
}

/* ---- writing, from the front ---- */

static size_t value_size(const struct value *v)
{
	switch (v->kind) {
	case VALUE_EMPTY:
		break;
	case VALUE_STRING:
	case VALUE_BYTES:
		return 1 + proto_varint_size(v->s.n) + v->s.n;
	case VALUE_BOOL:
		return 2;
	case VALUE_INT:
		return 1 + proto_varint_size((uint64_t)v->i);
	case VALUE_DOUBLE:
		return 1 + sizeof(v->d);
	case VALUE_LIST:
	case VALUE_MAP:
		return v->s.n;
	}
	return 0;
}

static size_t pair_size(const struct otlp_attribute *a)
{
	size_t value = value_size(&a->value);
	size_t key = a->key.n ? 1 + proto_varint_size(a->key.n) + a->key.n : 0;

	return key + 1 + proto_varint_size(value) + value;
}

static char *append_varint(char *at, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*at++ = (char)(value | 0x80);
	*at++ = (char)value;
	return at;
}

static char *append_bytes(char *at, const void *p, size_t n)
{
	if (n)
		memcpy(at, p, n);
	return at + n;
}

static char *append_text(char *at, uint32_t field, struct str s)
{
	*at++ = (char)PROTO_TAG(field, PROTO_BYTES);
	return append_bytes(append_varint(at, s.n), s.p, s.n);
}

static char *append_value(char *at, const struct value *v)
{
	switch (v->kind) {
	case VALUE_EMPTY:
		break;
	case VALUE_STRING:
		return append_text(at, ANY_STRING, v->s);
	case VALUE_BYTES:
		return append_text(at, ANY_BYTES, v->s);
	case VALUE_BOOL:
		*at++ = PROTO_TAG(ANY_BOOL, PROTO_VARINT);
		return append_varint(at, v->i != 0);
	case VALUE_INT:
		*at++ = PROTO_TAG(ANY_INT, PROTO_VARINT);
		return append_varint(at, (uint64_t)v->i);
	case VALUE_DOUBLE:
		*at++ = PROTO_TAG(ANY_DOUBLE, PROTO_FIXED64);
		return append_bytes(at, &v->d, sizeof(v->d));
	case VALUE_LIST:
	case VALUE_MAP:
		return append_bytes(at, v->s.p, v->s.n);
	}
	return at;
}

static char *append_attributes(char *at, uint32_t field, const struct attributes *attributes)
{
	for (uint32_t i = 0; i < attributes->list.n; i++) {
		const struct otlp_attribute *a = &attributes->list.at[i];

		at = append_varint(at, PROTO_TAG(field, PROTO_BYTES));
		at = append_varint(at, pair_size(a));
		if (a->key.n)
			at = append_text(at, PAIR_KEY, a->key);
		*at++ = PROTO_TAG(PAIR_VALUE, PROTO_BYTES);
		at = append_varint(at, value_size(&a->value));
		at = append_value(at, &a->value);
	}
	return at;
}

static size_t attributes_size(uint32_t field, const struct attributes *attributes)
{
	size_t tag = proto_varint_size(PROTO_TAG(field, PROTO_BYTES)), size = 0;

	for (uint32_t i = 0; i < attributes->list.n; i++) {
		size_t pair = pair_size(&attributes->list.at[i]);

		size += tag + proto_varint_size(pair) + pair;
	}
	return size;
}

/*
 * The attributes are written where the first one was, or at the end of a message without any: then
 * fields stay in their usual order.
 */
int otlp_attributes_replace(struct str message, uint32_t field, const struct attributes *attributes,
			    struct arena *arena, struct str *out)
{
	size_t room = message.n + attributes_size(field, attributes);
	char *start = arena_alloc(arena, max_size(room, 1), 1), *at = start;
	struct proto_reader r = proto_reader_of(message);
	const uint8_t *copied = r.at, *field_at = r.at;
	bool written = false;

	if (!start)
		return -ENOMEM;
	for (; proto_next(&r); field_at = r.at) {
		proto_skip(&r);
		if (r.error || r.tag != PROTO_TAG(field, PROTO_BYTES))
			continue;
		at = append_bytes(at, copied, (size_t)(field_at - copied));
		copied = r.at;
		if (!written)
			at = append_attributes(at, field, attributes);
		written = true;
	}
	if (r.error)
		return -EBADMSG;
	at = append_bytes(at, copied, (size_t)(r.end - copied));
	if (!written)
		at = append_attributes(at, field, attributes);
	*out = str_of(start, (size_t)(at - start));
	return 0;
}

/* ---- lists of attributes ---- */

struct otlp_attribute *attributes_get(const struct attributes *a, struct str key)
{
	for (uint32_t i = 0; i < a->list.n; i++)
		if (str_eq(a->list.at[i].key, key))
			return &a->list.at[i];
	return NULL;
}

int attributes_set(struct attributes *a, struct arena *arena, struct str key,
		   const struct value *value)
{
	struct otlp_attribute *found = attributes_get(a, key);

	if (found) {
		found->value = *value;
		return 0;
	}
	return vec_push(arena, &a->list, (struct otlp_attribute){key, *value}) ? -ENOMEM : 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fields of details. They are taken apart only if their encoding is the shortest one, so that
 * their values are enough to restore them.
 */
#include "store/sqlite/spans/span_fields.h"

#include "wire/proto.h"

enum { KEY_TAG = 0x0a, VALUE_TAG = 0x12 };
enum { STRING_TAG = 0x0a, BOOL_TAG = 0x10, INT_TAG = 0x18, DOUBLE_TAG = 0x21 };

#define SIGN_BIT ((uint64_t)1 << 63)

/* ---- reading ---- */

static size_t size_of_bytes(size_t n)
{
	return 1 + proto_varint_size(n) + n;
}

/* Return the size of the KeyValue message of a key and an AnyValue of n bytes. */
static size_t size_of_pair(struct str key, size_t n)
{
	return size_of_bytes(key.n) + size_of_bytes(n);
}

/* Return the size of the AnyValue message of the field's payload. */
static size_t size_of_any(const struct span_field *f)
{
	return f->type == SPAN_VALUE_STRING ? size_of_bytes(f->payload.n) : 1 + f->payload.n;
}

/* Return whether the bytes are a varint of 64 bits in its shortest encoding. */
static bool is_short_varint(struct str bytes)
{
	struct proto_reader r = proto_reader_of(bytes);
	bool fits = bytes.n < 10 || (uint8_t)bytes.p[bytes.n - 1] <= 1;

	return fits && bytes.n == proto_varint_size(proto_varint(&r)) && !r.error;
}

/* Read an AnyValue with one value into type and payload. Return false if it is something else. */
static bool read_any(struct str any, struct span_field *out)
{
	struct proto_reader r = proto_reader_of(any);
	uint8_t tag = any.n ? (uint8_t)any.p[0] : 0;

	r.at++;
	out->payload = str_from_at(any, any.n ? 1 : 0);
	switch (tag) {
	case STRING_TAG:
		out->type = SPAN_VALUE_STRING;
		out->payload = proto_bytes(&r);
		return !r.error && r.at == r.end;
	case BOOL_TAG:
		out->type = SPAN_VALUE_BOOL;
		return any.n == 2 && (uint8_t)any.p[1] < 2;
	case INT_TAG:
		out->type = SPAN_VALUE_INT;
		return any.n > 1 && is_short_varint(out->payload);
	case DOUBLE_TAG:
		out->type = SPAN_VALUE_DOUBLE;
		return any.n == 9;
	default:
		return false;
	}
}

void span_field_attribute(struct str message, struct span_field *out)
{
	struct proto_reader r = proto_reader_of(message);
	struct str any;

	out->field = SPAN_FIELD_ATTRIBUTES;
	if (proto_next_is(&r, KEY_TAG)) {
		out->key = proto_bytes(&r);
		if (proto_next_is(&r, VALUE_TAG)) {
			any = proto_bytes(&r);
			if (!r.error && r.at == r.end && any.n && read_any(any, out) &&
			    size_of_any(out) == any.n && size_of_pair(out->key, any.n) == message.n)
				return;
		}
	}
	out->type = SPAN_VALUE_MESSAGE;
	out->key = (struct str){0};
	out->payload = message;
}

void span_field_whole(struct span_field *f)
{
	size_t n = size_of_pair(f->key, size_of_any(f));
	const char *end = f->payload.p + f->payload.n;

	f->type = SPAN_VALUE_MESSAGE;
	f->key = (struct str){0};
	f->payload = str_of(end - n, n);
}

static struct str number_of(struct proto_reader *r)
{
	const uint8_t *from = r->at;

	proto_skip(r);
	return str_of((const char *)from, (size_t)(r->at - from));
}

static bool read_payload(struct proto_reader *r, struct span_field *out)
{
	switch (r->tag) {
	case PROTO_TAG(SPAN_FIELD_ATTRIBUTES, PROTO_BYTES):
		span_field_attribute(proto_bytes(r), out);
		return true;
	case PROTO_TAG(SPAN_FIELD_TRACE_STATE, PROTO_BYTES):
	case PROTO_TAG(SPAN_FIELD_EVENTS, PROTO_BYTES):
	case PROTO_TAG(SPAN_FIELD_LINKS, PROTO_BYTES):
	case PROTO_TAG(SPAN_FIELD_STATUS, PROTO_BYTES):
		out->payload = proto_bytes(r);
		return true;
	case PROTO_TAG(SPAN_FIELD_DROPPED_ATTRIBUTES, PROTO_VARINT):
	case PROTO_TAG(SPAN_FIELD_DROPPED_EVENTS, PROTO_VARINT):
	case PROTO_TAG(SPAN_FIELD_DROPPED_LINKS, PROTO_VARINT):
	case PROTO_TAG(SPAN_FIELD_FLAGS, PROTO_FIXED32):
		out->payload = number_of(r);
		return true;
	default:
		return false;
	}
}

/* Return whether the field at the reader, which is after its tag, has the shortest encoding. */
static bool is_shortest(struct proto_reader r, const char *from)
{
	size_t size = proto_varint_size(r.tag);
	const char *value = (const char *)r.at;

	switch (r.tag & 7) {
	case PROTO_VARINT:
		(void)proto_varint(&r);
		size += (size_t)((const char *)r.at - value);
		if (!is_short_varint(str_of(value, (size_t)((const char *)r.at - value))))
			return false;
		break;
	case PROTO_BYTES:
		size += size_of_bytes(proto_bytes(&r).n) - 1;
		break;
	default:
		size += 4; /* the flags */
		proto_skip(&r);
	}
	return !r.error && size == (size_t)((const char *)r.at - from);
}

bool span_field_next(struct str details, size_t *at, struct span_field *out)
{
	struct str rest = str_from_at(details, *at);
	struct proto_reader r = proto_reader_of(rest);

	*out = (struct span_field){0};
	if (!proto_next(&r))
		return false;
	out->field = (uint8_t)proto_field(&r);
	if (!is_shortest(r, rest.p) || !read_payload(&r, out) || r.error)
		return false;
	*at += (size_t)(r.at - (const uint8_t *)rest.p);
	return true;
}

uint64_t span_field_number(const struct span_field *f)
{
	struct proto_reader r = proto_reader_of(f->payload);
	uint64_t number = 0;

	if (f->field == SPAN_FIELD_FLAGS)
		return proto_fixed32(&r);
	if (f->field != SPAN_FIELD_ATTRIBUTES || f->type == SPAN_VALUE_BOOL)
		return proto_varint(&r);
	if (f->type == SPAN_VALUE_INT)
		return proto_varint(&r) ^ SIGN_BIT;
	number = proto_fixed64(&r);
	return number & SIGN_BIT ? ~number : number | SIGN_BIT;
}

/* ---- writing ---- */

static char *put_number(char *p, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*p++ = (char)(v | 0x80);
	*p++ = (char)v;
	return p;
}

static char *put_text(char *p, unsigned tag, struct str s)
{
	*p++ = (char)tag;
	p = put_number(p, s.n);
	if (s.n)
		memcpy(p, s.p, s.n);
	return p + s.n;
}

static char *put_any(char *p, const struct span_column *c, struct str text, uint64_t number)
{
	uint64_t bits;

	switch (c->type) {
	case SPAN_VALUE_STRING:
		return put_text(p, STRING_TAG, text);
	case SPAN_VALUE_BOOL:
		*p++ = BOOL_TAG;
		return put_number(p, number);
	case SPAN_VALUE_INT:
		*p++ = INT_TAG;
		return put_number(p, number ^ SIGN_BIT);
	default:
		*p++ = DOUBLE_TAG;
		bits = number & SIGN_BIT ? number & ~SIGN_BIT : ~number;
		memcpy(p, &bits, sizeof(bits));
		return p + sizeof(bits);
	}
}

static size_t size_of_value(const struct span_column *c, struct str text, uint64_t number)
{
	switch (c->type) {
	case SPAN_VALUE_STRING:
		return size_of_bytes(text.n);
	case SPAN_VALUE_BOOL:
		return 1 + proto_varint_size(number);
	case SPAN_VALUE_INT:
		return 1 + proto_varint_size(number ^ SIGN_BIT);
	default:
		return 1 + sizeof(uint64_t);
	}
}

static char *put_attribute(char *p, const struct span_column *c, struct str text, uint64_t number)
{
	size_t any = size_of_value(c, text, number);

	*p++ = PROTO_TAG(SPAN_FIELD_ATTRIBUTES, PROTO_BYTES);
	p = put_number(p, size_of_pair(c->key, any));
	p = put_text(p, KEY_TAG, c->key);
	*p++ = VALUE_TAG;
	p = put_number(p, any);
	return put_any(p, c, text, number);
}

void span_field_put(struct buf *out, const struct span_column *c, struct str text, uint64_t number)
{
	enum { TAGS_AND_LENGTHS = 64 };
	char *at = buf_reserve(out, text.n + c->key.n + TAGS_AND_LENGTHS), *p = at;
	uint32_t flags = (uint32_t)number;

	if (!at)
		return;
	if (c->field == SPAN_FIELD_WHOLE) {
		buf_put_str(out, text);
		return;
	}
	if (c->field == SPAN_FIELD_ATTRIBUTES && c->type != SPAN_VALUE_MESSAGE) {
		p = put_attribute(p, c, text, number);
	} else if (c->field == SPAN_FIELD_FLAGS) {
		p = put_number(p, PROTO_TAG(SPAN_FIELD_FLAGS, PROTO_FIXED32));
		memcpy(p, &flags, sizeof(flags));
		p += sizeof(flags);
	} else if (span_column_has_numbers(c)) {
		*p++ = (char)PROTO_TAG(c->field, PROTO_VARINT);
		p = put_number(p, number);
	} else {
		p = put_text(p, PROTO_TAG(c->field, PROTO_BYTES), text);
	}
	out->n += (size_t)(p - at);
}

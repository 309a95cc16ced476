/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encoding of attributes: KeyValue { key = 1, value = 2 } with AnyValue { string = 1, bool = 2,
 * int = 3, double = 4 }. All tags have one byte.
 */
#include "sdk/attributes.h"

#include "wire/proto.h"

size_t text_length(const char *text, size_t max)
{
	size_t n = text ? strnlen(text, max + 1) : 0;

	if (n <= max)
		return n;
	n = max;
	while (n && ((unsigned char)text[n] & 0xc0) == 0x80)
		n--;
	return n;
}

void text_repair(char *text, size_t n)
{
	size_t at = 0;

	while (at < n) {
		at += str_utf8_valid(str_of(text + at, n - at));
		if (at < n)
			text[at] = '?';
	}
}

/* One attribute with the sizes of its encoding. */
struct attribute_part {
	const struct varve_attribute *row;
	struct str key, text;
	size_t value_size, size; /* of the AnyValue, of the KeyValue */
};

static size_t any_value_size(const struct varve_attribute *row, struct str text)
{
	switch (row->type) {
	case VARVE_INT:
		return 1 + proto_varint_size((uint64_t)row->value.integer);
	case VARVE_DOUBLE:
		return 9;
	case VARVE_BOOL:
		return 2;
	default:
		return 1 + proto_varint_size(text.n) + text.n;
	}
}

static struct attribute_part measure_attribute(const struct varve_attribute *row)
{
	struct attribute_part p = {.row = row};

	p.key = str_of(row->key, text_length(row->key, ATTRIBUTE_KEY_MAX));
	if (row->type == VARVE_STRING)
		p.text = str_of(row->value.string,
				text_length(row->value.string, ATTRIBUTE_TEXT_MAX));
	p.value_size = any_value_size(row, p.text);
	p.size = 1 + proto_varint_size(p.key.n) + p.key.n + 1 + proto_varint_size(p.value_size) +
		 p.value_size;
	return p;
}

static uint8_t *put_number(uint8_t *at, uint64_t n)
{
	for (; n >= 0x80; n >>= 7)
		*at++ = (uint8_t)(n | 0x80);
	*at++ = (uint8_t)n;
	return at;
}

static uint8_t *put_text(uint8_t *at, uint8_t tag, struct str s)
{
	*at++ = tag;
	at = put_number(at, s.n);
	if (s.n)
		memcpy(at, s.p, s.n);
	text_repair((char *)at, s.n);
	return at + s.n;
}

static uint8_t *put_any_value(uint8_t *at, const struct attribute_part *p)
{
	switch (p->row->type) {
	case VARVE_INT:
		*at++ = 0x18;
		return put_number(at, (uint64_t)p->row->value.integer);
	case VARVE_DOUBLE:
		*at++ = 0x21;
		memcpy(at, &p->row->value.real, sizeof(double));
		return at + sizeof(double);
	case VARVE_BOOL:
		*at++ = 0x10;
		*at++ = p->row->value.boolean != 0;
		return at;
	default:
		return put_text(at, 0x0a, p->text);
	}
}

/* Insert a part into the sorted list, replacing one of the same key. False: there is no room. */
static bool insert_part(struct attribute_part parts[ATTRIBUTES_MAX], uint32_t *count,
			const struct attribute_part *p)
{
	uint32_t at = 0;
	int order = 1;

	while (at < *count && (order = str_cmp(parts[at].key, p->key)) < 0)
		at++;
	if (at < *count && !order) {
		parts[at] = *p;
		return true;
	}
	if (*count == ATTRIBUTES_MAX)
		return false;
	memmove(&parts[at + 1], &parts[at], (*count - at) * sizeof(*parts));
	parts[at] = *p;
	++*count;
	return true;
}

bool attributes_encode(uint8_t out[ATTRIBUTES_BYTES], size_t *n, const struct varve_attribute *rows,
		       size_t count)
{
	struct attribute_part parts[ATTRIBUTES_MAX];
	uint32_t kept = 0;
	bool all = true;
	uint8_t *at = out;

	for (size_t i = 0; i < count; i++) {
		struct attribute_part p;

		if (!rows[i].key || !*rows[i].key)
			continue;
		p = measure_attribute(&rows[i]);
		all = insert_part(parts, &kept, &p) && all;
	}
	for (uint32_t i = 0; i < kept; i++) {
		const struct attribute_part *p = &parts[i];

		if ((size_t)(at - out) + 1 + proto_varint_size(p->size) + p->size >
		    ATTRIBUTES_BYTES) {
			all = false;
			break;
		}
		*at++ = PROTO_TAG(ATTRIBUTES_FIELD, PROTO_BYTES);
		at = put_number(at, p->size);
		at = put_text(at, 0x0a, p->key);
		*at++ = 0x12;
		at = put_number(at, p->value_size);
		at = put_any_value(at, p);
	}
	*n = (size_t)(at - out);
	return all;
}

void attributes_retag(uint8_t *set, size_t n, uint32_t field)
{
	struct proto_reader r = proto_reader_of(str_of((const char *)set, n));

	while (r.at < r.end) {
		set[r.at - set] = (uint8_t)PROTO_TAG(field, PROTO_BYTES);
		if (!proto_next(&r))
			return;
		proto_bytes(&r);
	}
}

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TESTS_OTLP_TEXT_H
#define VARVE_TESTS_OTLP_TEXT_H

#include "base/buf.h"
#include "wire/proto.h"

/*
 * Protobuf messages as short text, for readable tests:
 *
 *	1{ 2:7 3"text" 4[1 2 3] 5<100 101> 6@9 7#0a0b 8%9 }
 *
 * is field 1, a message with: a varint, a string, packed varints, packed fixed64, one fixed64,
 * bytes in hex, one fixed32.
 */
static inline long long otlp_text_number(const char **p)
{
	char *end;
	long long n = strtoll(*p, &end, 0);

	if (end == *p)
		fail_msg("expected a number at: %s", *p);
	*p = end;
	return n;
}

static inline void otlp_text_varint(struct buf *out, uint64_t n)
{
	for (; n >= 0x80; n >>= 7)
		buf_put_char(out, (char)(n | 0x80));
	buf_put_char(out, (char)n);
}

static inline void otlp_text_list(struct buf *out, const char **p, char close)
{
	while (**p == ' ')
		++*p;
	while (**p != close) {
		uint64_t n = (uint64_t)otlp_text_number(p);

		if (close == ']')
			otlp_text_varint(out, n);
		else
			buf_put(out, &n, sizeof(n));
		while (**p == ' ')
			++*p;
	}
	++*p;
}

static inline void otlp_text_fields(struct buf *out, const char **p);

static inline void otlp_text_bytes(struct buf *out, const char **p, char open)
{
	unsigned byte;

	switch (open) {
	case '{':
		otlp_text_fields(out, p);
		if (**p != '}')
			fail_msg("expected } at: %s", *p);
		++*p;
		break;
	case '[':
		otlp_text_list(out, p, ']');
		break;
	case '<':
		otlp_text_list(out, p, '>');
		break;
	case '"':
		for (; **p != '"'; ++*p)
			buf_put_char(out, **p);
		++*p;
		break;
	default: /* '#' */
		for (; sscanf(*p, "%2x", &byte) == 1 && **p != ' '; *p += 2)
			buf_put_char(out, (char)byte);
	}
}

static inline void otlp_text_fields(struct buf *out, const char **p)
{
	for (;;) {
		while (**p == ' ' || **p == '\n' || **p == '\t')
			++*p;
		if (!**p || **p == '}')
			return;

		uint32_t field = (uint32_t)otlp_text_number(p);
		char kind = *(*p)++;

		if (kind == ':') {
			otlp_text_varint(out, PROTO_TAG(field, PROTO_VARINT));
			otlp_text_varint(out, (uint64_t)otlp_text_number(p));
		} else if (kind == '@') {
			uint64_t n = (uint64_t)otlp_text_number(p);

			otlp_text_varint(out, PROTO_TAG(field, PROTO_FIXED64));
			buf_put(out, &n, sizeof(n));
		} else if (kind == '%') {
			uint32_t n = (uint32_t)otlp_text_number(p);

			otlp_text_varint(out, PROTO_TAG(field, PROTO_FIXED32));
			buf_put(out, &n, sizeof(n));
		} else {
			struct buf inner = {0};

			otlp_text_bytes(&inner, p, kind);
			otlp_text_varint(out, PROTO_TAG(field, PROTO_BYTES));
			otlp_text_varint(out, inner.n);
			buf_put_str(out, buf_str(&inner));
			buf_fini(&inner);
		}
	}
}

/* Append the message to `out`. */
static inline void otlp_text(struct buf *out, const char *text)
{
	otlp_text_fields(out, &text);
	if (*text)
		fail_msg("did not understand: %s", text);
}

/* The dictionary with only its zero rows. */
#define OTLP_TEXT_ZERO_DICTIONARY "2{ 1{} 2{} 3{} 4{} 5\"\" 6{} 7{} }"

#endif

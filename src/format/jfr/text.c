/* SPDX-License-Identifier: Apache-2.0 */
/* Decoding of JFR's string encodings to UTF-8. */
#include "format/jfr/text.h"

#include <errno.h>

/* UTF8_MAX: bytes of one UTF-16 unit; a surrogate pair takes 4 for 2 units. */
enum { UTF8_MAX = 3, REPLACEMENT = 0xfffd };

static char *put_utf8(char *at, uint32_t code)
{
	if (code < 0x80) {
		*at++ = (char)code;
	} else if (code < 0x800) {
		*at++ = (char)(0xc0 | code >> 6);
		*at++ = (char)(0x80 | (code & 0x3f));
	} else if (code < 0x10000) {
		*at++ = (char)(0xe0 | code >> 12);
		*at++ = (char)(0x80 | (code >> 6 & 0x3f));
		*at++ = (char)(0x80 | (code & 0x3f));
	} else {
		*at++ = (char)(0xf0 | code >> 18);
		*at++ = (char)(0x80 | (code >> 12 & 0x3f));
		*at++ = (char)(0x80 | (code >> 6 & 0x3f));
		*at++ = (char)(0x80 | (code & 0x3f));
	}
	return at;
}

int jfr_text_repair(struct arena *arena, struct str s, struct str *out)
{
	size_t good = str_utf8_valid(s);

	*out = s;
	if (good == s.n)
		return 0;
	if (s.n > SIZE_MAX / UTF8_MAX)
		return -ENOMEM;

	char *text = arena_alloc(arena, s.n, UTF8_MAX), *at = text;

	if (!text)
		return -ENOMEM;
	for (; s.n; good = str_utf8_valid(s)) {
		memcpy(at, s.p, good);
		at += good;
		s = str_from_at(s, good);
		if (s.n)
			at = put_utf8(at, REPLACEMENT);
		s = str_from_at(s, 1);
	}
	*out = str_of(text, (size_t)(at - text));
	return 0;
}

static int read_latin1(struct jfr_cursor *c, struct arena *arena, struct str *out)
{
	uint32_t n = jfr_int(c);
	const uint8_t *bytes = jfr_bytes(c, n);
	uint32_t ascii = 0;

	if (!bytes)
		return 0;
	while (ascii < n && bytes[ascii] < 0x80)
		ascii++;
	*out = str_of((const char *)bytes, n);
	if (ascii == n)
		return 0;

	char *text = arena_alloc(arena, n, 2), *at = text;

	if (!text)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		at = put_utf8(at, bytes[i]);
	*out = str_of(text, (size_t)(at - text));
	return 0;
}

static uint32_t read_unit(struct jfr_cursor *c)
{
	return (uint16_t)(c->compressed ? jfr_varint(c) : jfr_fixed(c, 2));
}

static int read_chars(struct jfr_cursor *c, struct arena *arena, struct str *out)
{
	const uint8_t *start = c->at;
	uint32_t n = jfr_int(c);

	if (n > jfr_left(c)) { /* each takes at least one byte */
		jfr_fail_at(c, start, "a shorter string");
		return 0;
	}

	char *text = arena_alloc(arena, (size_t)n + 1, UTF8_MAX), *at = text;
	uint32_t high = 0; /* pending high surrogate */

	if (!text)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t unit = read_unit(c);
		bool low = unit >= 0xdc00 && unit < 0xe000;

		if (high && low)
			at = put_utf8(at, 0x10000 + ((high - 0xd800) << 10) + (unit - 0xdc00));
		else if (high)
			at = put_utf8(at, REPLACEMENT);
		if (unit >= 0xd800 && unit < 0xdc00) {
			high = unit;
			continue;
		}
		if (!low || !high)
			at = put_utf8(at, low ? REPLACEMENT : unit);
		high = 0;
	}
	if (high)
		at = put_utf8(at, REPLACEMENT);
	*out = str_of(text, (size_t)(at - text));
	return 0;
}

int jfr_text_read(struct jfr_cursor *c, struct arena *arena, struct str *out)
{
	const uint8_t *start = c->at;

	*out = (struct str){0};
	switch (jfr_byte(c)) {
	case JFR_STRING_NULL:
		return 0;
	case JFR_STRING_EMPTY:
		*out = STR("");
		return 0;
	case JFR_STRING_UTF8: {
		uint32_t n = jfr_int(c);
		const uint8_t *bytes = jfr_bytes(c, n);

		return bytes ? jfr_text_repair(arena, str_of((const char *)bytes, n), out) : 0;
	}
	case JFR_STRING_CHARS:
		return read_chars(c, arena, out);
	case JFR_STRING_LATIN1:
		return read_latin1(c, arena, out);
	default:
		jfr_fail_at(c, start, "a string (its encoding: 0, 1, 3, 4 or 5)");
		return 0;
	}
}

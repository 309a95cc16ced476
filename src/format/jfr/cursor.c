/* SPDX-License-Identifier: Apache-2.0 */
#include "format/jfr/cursor.h"

#include <errno.h>

enum { VARINT_MAX = 9 };

void jfr_fail_at(struct jfr_cursor *c, const uint8_t *at, const char *expected)
{
	if (!c->expected) {
		c->expected = expected;
		c->error_at = at;
	}
	c->at = c->end;
}

int jfr_cursor_error(const struct jfr_cursor *c, const uint8_t *base, struct err *e)
{
	size_t at = (size_t)(c->error_at - base);

	if (c->error_at >= c->end)
		return err_set(e, -EBADMSG, "at byte %zu: expected %s, found the end", at,
			       c->expected);
	return err_set(e, -EBADMSG, "at byte %zu: expected %s, found 0x%02x", at, c->expected,
		       *c->error_at);
}

uint64_t jfr_varint_slow(struct jfr_cursor *c)
{
	const uint8_t *start = c->at;
	uint64_t value = 0;

	for (unsigned i = 0; c->at < c->end; i++) {
		uint8_t byte = *c->at++;

		if (i == VARINT_MAX - 1)
			return value | (uint64_t)byte << 56;
		value |= (uint64_t)(byte & 0x7f) << (7 * i);
		if (byte < 0x80)
			return value;
	}
	jfr_fail_at(c, start, "an integer");
	return 0;
}

void jfr_skip_varints_slow(struct jfr_cursor *c, uint64_t n)
{
	for (; n && !c->expected; n--)
		(void)jfr_varint_slow(c);
}

void jfr_skip_string(struct jfr_cursor *c)
{
	const uint8_t *start = c->at;
	uint8_t encoding = jfr_byte(c);

	switch (encoding) {
	case JFR_STRING_NULL:
	case JFR_STRING_EMPTY:
		return;
	case JFR_STRING_CONSTANT:
		(void)jfr_long(c);
		return;
	case JFR_STRING_UTF8:
	case JFR_STRING_LATIN1:
		(void)jfr_bytes(c, jfr_int(c));
		return;
	case JFR_STRING_CHARS: {
		uint32_t n = jfr_int(c);

		if (c->compressed)
			jfr_skip_varints(c, n);
		else
			(void)jfr_bytes(c, 2 * (uint64_t)n);
		return;
	}
	default:
		jfr_fail_at(c, start, "a string (its encoding, 0 to 5)");
	}
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Slow paths of the cursor, its errors, and the skipping of many integers and of strings. */
#include "format/jfr/cursor.h"

#include <errno.h>

#include "wire/varints.h"

enum { VARINT_MAX = 9 };

void jfr_fail_at(struct jfr_cursor *c, const uint8_t *at, const char *expected)
{
	if (!c->expected) {
		c->expected = expected;
		c->error_at = at;
	}
	c->at = c->end;
}

int jfr_cursor_error(const struct jfr_cursor *c, const uint8_t *start, uint64_t offset,
		     struct err *e)
{
	size_t at = (size_t)(offset + (uint64_t)(c->error_at - start));

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

#ifdef VARINT_HAS_BMI2
/*
 * Skip integers in windows of VARINT_WINDOW bytes that begin with an integer. Stop at a window in
 * which no integer ends or that may hold one of nine bytes (eight continued bytes in a row, after
 * which the ninth is taken whatever its top bit is).
 */
TARGET_BMI2 static uint64_t skip_windows(struct jfr_cursor *c, uint64_t n)
{
	while (n && jfr_left(c) >= VARINT_WINDOW) {
		uint64_t high = varint_high_bits(c->at), ends = ~high, run = high & high >> 1;
		unsigned count = (unsigned)_mm_popcnt_u64(ends);

		run &= run >> 2;
		if (unlikely(run & run >> 4))
			break;
		if (count >= n) {
			c->at += _tzcnt_u64(_pdep_u64(1ull << (n - 1), ends)) + 1;
			return 0;
		}
		c->at += VARINT_WINDOW - _lzcnt_u64(ends);
		n -= count;
	}
	return n;
}
#endif

void jfr_skip_many_varints(struct jfr_cursor *c, uint64_t n)
{
#ifdef VARINT_HAS_BMI2
	if (VARINT_HAS_BMI2)
		n = skip_windows(c, n);
#endif
	jfr_skip_varints(c, n);
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

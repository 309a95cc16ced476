/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_JFR_CURSOR_H
#define VARVE_FORMAT_JFR_CURSOR_H

#include "base/err.h"
#include "base/str.h"

/*
 * A bounded cursor over a part of a recording with a sticky error: after an error the cursor is at
 * its end and every read returns zero, so a reader may check once per event or constant.
 *
 * Integers are LEB128 in JFR's own form (at most nine bytes, of which the ninth carries eight bits)
 * if the chunk is flagged as compressed, else big-endian of their natural size.
 */
struct jfr_cursor {
	const uint8_t *at, *end;
	bool compressed;
	const char *expected; /* set after an error: what was expected at error_at */
	const uint8_t *error_at;
};

static inline struct jfr_cursor jfr_cursor_of(const uint8_t *at, const uint8_t *end,
					      bool compressed)
{
	return (struct jfr_cursor){.at = at, .end = end, .compressed = compressed};
}

static inline size_t jfr_left(const struct jfr_cursor *c)
{
	return (size_t)(c->end - c->at);
}

/* Record the error unless there is one already, and move to the end. */
void jfr_fail_at(struct jfr_cursor *c, const uint8_t *at, const char *expected);

/*
 * Fill `e` with the error, "at byte N: expected ..., found ..."; `start` is the byte at `offset` of
 * the input. Return -EBADMSG.
 */
int jfr_cursor_error(const struct jfr_cursor *c, const uint8_t *start, uint64_t offset,
		     struct err *e);

/* Slow paths of the two functions below, byte by byte: near the end, or for an invalid integer. */
uint64_t jfr_varint_slow(struct jfr_cursor *c);
void jfr_skip_varints_slow(struct jfr_cursor *c, uint64_t n);

/* Skip many integers, such as the frames of a stack, 64 bytes at a time if the processor can. */
void jfr_skip_many_varints(struct jfr_cursor *c, uint64_t n);

#define JFR_CONTINUED 0x8080808080808080u /* top bit of each byte: another byte follows */

static inline uint64_t jfr_varint(struct jfr_cursor *c)
{
	uint64_t word, stop;

	if (likely(c->at < c->end && *c->at < 0x80))
		return *c->at++;
	if (unlikely(jfr_left(c) < sizeof(word)))
		return jfr_varint_slow(c);
	memcpy(&word, c->at, sizeof(word));
	stop = ~word & JFR_CONTINUED;
	if (unlikely(!stop))
		return jfr_varint_slow(c);

	unsigned bits = (unsigned)__builtin_ctzll(stop) + 1; /* of the bytes of this integer */

	c->at += bits / 8;
	word &= UINT64_MAX >> (64 - bits);
	/* drop the top bit of each byte, then join neighbours: 8 x 7, 4 x 14, 2 x 28 bits */
	word &= ~JFR_CONTINUED;
	word = (word & 0x007f007f007f007fu) | (word & 0x7f007f007f007f00u) >> 1;
	word = (word & 0x00003fff00003fffu) | (word & 0x3fff00003fff0000u) >> 2;
	return (word & 0x0fffffffu) | (word & 0x0fffffff00000000u) >> 4;
}

/*
 * Skip n integers, eight bytes at a time. Each word begins at an integer. The integers that end in
 * the word are counted by their last bytes, and the next word begins after the last of them.
 */
static inline void jfr_skip_varints(struct jfr_cursor *c, uint64_t n)
{
	uint64_t word, stop;

	while (n && jfr_left(c) > sizeof(word)) {
		memcpy(&word, c->at, sizeof(word));
		stop = ~word & JFR_CONTINUED;
		if (unlikely(!stop)) { /* an integer of nine bytes, whatever the last one is */
			c->at += 9;
			n--;
			continue;
		}

		/* count the set bits: at most one in each byte, so a product adds them up */
		unsigned ends = (unsigned)((stop >> 7) * 0x0101010101010101u >> 56);

		if (ends > n) {
			for (; n > 1; n--)
				stop &= stop - 1;
			c->at += (unsigned)__builtin_ctzll(stop) / 8 + 1;
			return;
		}
		c->at += (unsigned)(63 - __builtin_clzll(stop)) / 8 + 1;
		n -= ends;
	}
	if (n)
		jfr_skip_varints_slow(c, n);
}

/* Return the next n bytes, or NULL after recording an error; n may be any value of the input. */
static inline const uint8_t *jfr_bytes(struct jfr_cursor *c, uint64_t n)
{
	const uint8_t *at = c->at;

	if (unlikely(n > jfr_left(c))) {
		jfr_fail_at(c, at, "more bytes");
		return NULL;
	}
	c->at += n;
	return at;
}

static inline uint8_t jfr_byte(struct jfr_cursor *c)
{
	const uint8_t *at = jfr_bytes(c, 1);

	return at ? *at : 0;
}

/* Read a big-endian number of `size` bytes, 1 to 8. */
static inline uint64_t jfr_fixed(struct jfr_cursor *c, unsigned size)
{
	const uint8_t *at = jfr_bytes(c, size);
	uint64_t value = 0;

	for (unsigned i = 0; at && i < size; i++)
		value = value << 8 | at[i];
	return value;
}

static inline uint64_t jfr_long(struct jfr_cursor *c)
{
	return c->compressed ? jfr_varint(c) : jfr_fixed(c, 8);
}

static inline uint32_t jfr_int(struct jfr_cursor *c)
{
	return (uint32_t)(c->compressed ? jfr_varint(c) : jfr_fixed(c, 4));
}

/* The first byte of a string: how it is encoded. */
enum jfr_string {
	JFR_STRING_NULL = 0,
	JFR_STRING_EMPTY = 1,
	JFR_STRING_CONSTANT = 2, /* an id in the pool of java.lang.String */
	JFR_STRING_UTF8 = 3,
	JFR_STRING_CHARS = 4, /* UTF-16 code units, each an integer */
	JFR_STRING_LATIN1 = 5,
};

/* Skip a string. */
void jfr_skip_string(struct jfr_cursor *c);

#endif

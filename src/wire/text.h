/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_WIRE_TEXT_H
#define VARVE_WIRE_TEXT_H

#include "base/buf.h"

/*
 * Text encodings of bytes (hex, base64), and LEB128 numbers. Decoders write into the caller's
 * memory and never beyond `cap`.
 */

/* Append the bytes as lower-case hex digits. */
void hex_encode(struct buf *out, struct str bytes);

/* Return the value of a hex digit of either case, or -1 for any other character. */
static inline int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Write 2 * bytes.n lower-case hex digits to `out`, without a NUL. */
void hex_digits(char *out, struct str bytes);

/*
 * Decode hex digits of either case, without a prefix, into out[0 .. cap); *n is the number of
 * bytes. Return 0, -EINVAL for an odd length or invalid digits, or -ENOSPC for more than `cap`
 * bytes.
 */
MUST_USE int hex_decode(struct str text, void *out, size_t cap, size_t *n);

/* Append base64 in the standard alphabet with padding. */
void base64_encode(struct buf *out, struct str bytes);

/* Upper bound of the bytes in n characters of base64. */
#define BASE64_DECODED_MAX(n) ((n) / 4 * 3 + 2)

/*
 * Decode base64 in the standard or the URL alphabet, padded or not; white space is not accepted.
 * Return values as for hex_decode().
 */
MUST_USE int base64_decode(struct str text, void *out, size_t cap, size_t *n);

/* Append an unsigned LEB128 number. */
void leb128_put_u64(struct buf *out, uint64_t value);

#endif

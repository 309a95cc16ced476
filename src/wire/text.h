/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_WIRE_TEXT_H
#define VARVE_WIRE_TEXT_H

#include "base/buf.h"

/*
 * Bytes as text (hex, base64), and LEB128, numbers as bytes. Decoders write into the caller's
 * memory and never past `cap`.
 */

/* Append the bytes as lower-case hex digits. */
void hex_encode(struct buf *out, struct str bytes);

/* Write 2 * bytes.n lower-case hex digits to `out`, without a NUL. */
void hex_digits(char *out, struct str bytes);

/*
 * Hex of either case, without prefix, into out[0 .. cap); *n is how many bytes it gave.
 * 0, -EINVAL for an odd count or what is no digit, -ENOSPC when it is more than `cap`.
 */
MUST_USE int hex_decode(struct str text, void *out, size_t cap, size_t *n);

/* Standard alphabet, padded, appended. */
void base64_encode(struct buf *out, struct str bytes);

/* No text of `n` characters gives more bytes than this. */
#define BASE64_DECODED_MAX(n) ((n) / 4 * 3 + 2)

/*
 * The standard or the URL alphabet, padded or not; white space is not skipped. As hex_decode():
 * 0, -EINVAL, -ENOSPC.
 */
MUST_USE int base64_decode(struct str text, void *out, size_t cap, size_t *n);

/*
 * The number at the beginning of `*rest`, which is moved behind it. 0, -EBADMSG when it is cut,
 * -ERANGE when it does not fit 64 bits (padding with zero groups, or sign groups, to ten bytes is allowed); on error
 * *rest stays. (JFR's numbers end after nine bytes and are not these.)
 */
MUST_USE int leb128_u64(struct str *rest, uint64_t *out);
MUST_USE int leb128_i64(struct str *rest, int64_t *out);

void leb128_put_u64(struct buf *out, uint64_t value);
void leb128_put_i64(struct buf *out, int64_t value);

#endif

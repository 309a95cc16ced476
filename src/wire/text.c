/* SPDX-License-Identifier: Apache-2.0 */
/* Hex, base64 and LEB128. */
#include "wire/text.h"

#include <errno.h>

enum { LEB128_MAX = 10, BAD = 0xff };

void hex_digits(char *out, struct str bytes)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < bytes.n; i++) {
		*out++ = digits[(unsigned char)bytes.p[i] >> 4];
		*out++ = digits[bytes.p[i] & 0xf];
	}
}

void hex_encode(struct buf *out, struct str bytes)
{
	char *at = bytes.n <= SIZE_MAX / 2 ? buf_reserve(out, 2 * bytes.n) : NULL;

	if (!at) {
		out->failed |= bytes.n > SIZE_MAX / 2;
		return;
	}
	hex_digits(at, bytes);
	out->n += 2 * bytes.n;
}

int hex_decode(struct str text, void *out, size_t cap, size_t *n)
{
	unsigned char *at = out;

	if (text.n % 2)
		return -EINVAL;
	if (text.n / 2 > cap)
		return -ENOSPC;
	for (size_t i = 0; i < text.n; i += 2) {
		int high = hex_digit(text.p[i]), low = hex_digit(text.p[i + 1]);

		if (high < 0 || low < 0)
			return -EINVAL;
		*at++ = (unsigned char)(high << 4 | low);
	}
	*n = text.n / 2;
	return 0;
}

void base64_encode(struct buf *out, struct str bytes)
{
	static const char alphabet[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *p = (const unsigned char *)bytes.p;

	for (size_t i = 0; i < bytes.n; i += 3) {
		size_t left = min_size(bytes.n - i, 3);
		uint32_t group = (uint32_t)p[i] << 16 | (left > 1 ? (uint32_t)p[i + 1] << 8 : 0) |
				 (left > 2 ? p[i + 2] : 0);
		char text[4];

		for (size_t k = 0; k < 4; k++)
			text[k] = k <= left ? alphabet[group >> (18 - 6 * k) & 0x3f] : '=';
		buf_put(out, text, sizeof(text));
	}
}

static unsigned base64_value(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (unsigned)(c - 'A');
	if (c >= 'a' && c <= 'z')
		return (unsigned)(c - 'a') + 26;
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0') + 52;
	if (c == '+' || c == '-')
		return 62;
	return c == '/' || c == '_' ? 63 : BAD;
}

int base64_decode(struct str text, void *out, size_t cap, size_t *n)
{
	unsigned char *at = out;
	uint32_t group = 0;
	size_t bytes;

	if (text.n % 4 == 0)
		for (int pad = 0; pad < 2 && text.n && text.p[text.n - 1] == '='; pad++)
			text.n--;
	if (text.n % 4 == 1)
		return -EINVAL;
	bytes = text.n / 4 * 3 + (text.n % 4 ? text.n % 4 - 1 : 0);
	if (bytes > cap)
		return -ENOSPC;
	for (size_t i = 0; i < text.n; i++) {
		unsigned value = base64_value(text.p[i]);

		if (value == BAD)
			return -EINVAL;
		group = group << 6 | value;
		if (i % 4) /* each character after the first completes a byte */
			*at++ = (unsigned char)(group >> (6 - 2 * (i % 4)));
	}
	*n = bytes;
	return 0;
}

void leb128_put_u64(struct buf *out, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		buf_put_char(out, (char)(value | 0x80));
	buf_put_char(out, (char)value);
}

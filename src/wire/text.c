/* SPDX-License-Identifier: Apache-2.0 */
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

static unsigned hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : BAD;
}

int hex_decode(struct str text, void *out, size_t cap, size_t *n)
{
	unsigned char *at = out;

	if (text.n % 2)
		return -EINVAL;
	if (text.n / 2 > cap)
		return -ENOSPC;
	for (size_t i = 0; i < text.n; i += 2) {
		unsigned high = hex_value(text.p[i]), low = hex_value(text.p[i + 1]);

		if (high == BAD || low == BAD)
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

int leb128_u64(struct str *rest, uint64_t *out)
{
	uint64_t value = 0;

	for (size_t i = 0; i < LEB128_MAX; i++) {
		uint8_t byte;

		if (i >= rest->n)
			return -EBADMSG;
		byte = (uint8_t)rest->p[i];
		if (i == LEB128_MAX - 1 && byte > 1)
			return -ERANGE;
		value |= (uint64_t)(byte & 0x7f) << (7 * i);
		if (byte < 0x80) {
			*out = value;
			*rest = str_from_at(*rest, i + 1);
			return 0;
		}
	}
	return -ERANGE;
}

int leb128_i64(struct str *rest, int64_t *out)
{
	uint64_t value = 0;

	for (size_t i = 0; i < LEB128_MAX; i++) {
		uint8_t byte;

		if (i >= rest->n)
			return -EBADMSG;
		byte = (uint8_t)rest->p[i];
		if (i == LEB128_MAX - 1 && byte != 0 && byte != 0x7f) /* one bit, and its sign */
			return -ERANGE;
		value |= (uint64_t)(byte & 0x7f) << (7 * i);
		if (byte < 0x80) {
			if (byte & 0x40 && i < LEB128_MAX - 1)
				value |= UINT64_MAX << (7 * (i + 1));
			*out = (int64_t)value;
			*rest = str_from_at(*rest, i + 1);
			return 0;
		}
	}
	return -ERANGE;
}

void leb128_put_u64(struct buf *out, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		buf_put_char(out, (char)(value | 0x80));
	buf_put_char(out, (char)value);
}

void leb128_put_i64(struct buf *out, int64_t value)
{
	/* done when what is left is only the sign that the last byte's bit 6 tells already */
	while (value < -0x40 || value >= 0x40) {
		buf_put_char(out, (char)((value & 0x7f) | 0x80));
		value >>= 7;
	}
	buf_put_char(out, (char)(value & 0x7f));
}

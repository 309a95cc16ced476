/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes Rust identifiers beyond ASCII: Punycode (RFC 3492) with "_" instead of "-". */
#include <errno.h>

#include "symbol/demangle/punycode.h"

size_t symbol_utf8(uint32_t c, char out[4])
{
	static const unsigned char first[] = {0, 0, 0xc0, 0xe0, 0xf0};
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	for (size_t i = n - 1; i; i--, c >>= 6)
		out[i] = (char)(0x80 | (c & 0x3f));
	out[0] = (char)(first[n] | c);
	return n;
}

static uint64_t adapt_bias(uint64_t delta, uint32_t count, bool first)
{
	uint64_t k = 0;

	delta /= first ? 700 : 2;
	delta += delta / count;
	for (; delta > 455; k += 36)
		delta /= 35;
	return k + 36 * delta / (delta + 38);
}

/* Read one variable-length number. Return false when it is malformed. */
static bool read_delta(struct str *in, uint64_t bias, uint64_t *delta)
{
	uint64_t weight = 1;

	*delta = 0;
	for (uint64_t k = 36; k < 36 * 12; k += 36) {
		uint64_t threshold = k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias;
		char c = in->n ? in->p[0] : 0;
		uint64_t digit;

		if (c >= 'a' && c <= 'z')
			digit = (uint64_t)(c - 'a');
		else if (c >= '0' && c <= '9')
			digit = 26 + (uint64_t)(c - '0');
		else
			return false;
		*in = str_from_at(*in, 1);
		*delta += digit * weight;
		if (*delta > UINT32_MAX)
			return false;
		if (digit < threshold)
			return true;
		weight *= 36 - threshold;
		if (weight > UINT32_MAX)
			return false;
	}
	return false;
}

int symbol_punycode(struct str text, uint32_t points[SYMBOL_PUNYCODE_MAX])
{
	size_t split = str_find_last(text, '_');
	struct str basic = split < text.n ? str_head(text, split) : (struct str){0};
	struct str rest = split < text.n ? str_from_at(text, split + 1) : text;
	uint64_t bias = 72, code = 128, i = 0, delta;
	uint32_t n = 0;

	if (basic.n > SYMBOL_PUNYCODE_MAX || !rest.n)
		return -EINVAL;
	for (; n < basic.n; n++)
		points[n] = (unsigned char)basic.p[n];
	while (rest.n) {
		if (n == SYMBOL_PUNYCODE_MAX || !read_delta(&rest, bias, &delta))
			return -EINVAL;
		i += delta;
		bias = adapt_bias(delta, n + 1, n == basic.n);
		code += i / (n + 1);
		i %= n + 1;
		if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
			return -EINVAL;
		memmove(&points[i + 1], &points[i], (n - i) * sizeof(*points));
		points[i++] = (uint32_t)code;
		n++;
	}
	return (int)n;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Plain comparisons: locales have no influence, and libvarve gets no tables. */
#include "signal/sanitize/text_class.h"

#include <math.h>

bool text_is_word(char c)
{
	return text_is_alnum(c) || c == '_';
}

bool text_is_token(char c)
{
	return text_is_word(c) || c == '-';
}

bool text_is_dotted_token(char c)
{
	return text_is_token(c) || c == '.';
}

bool text_is_base64(char c)
{
	return text_is_token(c) || c == '+' || c == '/' || c == '=';
}

bool text_is_base32(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= '2' && c <= '7');
}

bool text_is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

bool text_at_edge(struct str text, size_t at)
{
	if (!at || !text_is_word(text.p[at - 1]))
		return true;
	if (at >= 2 && text.p[at - 2] == '\\')
		return text.p[at - 1] == 'n' || text.p[at - 1] == 'r' || text.p[at - 1] == 't';
	return at >= 3 && text.p[at - 3] == '%' && text_is_hex(text.p[at - 2]) &&
	       text_is_hex(text.p[at - 1]);
}

double text_entropy(struct str text)
{
	uint32_t counts[256] = {0};
	double bits = 0;

	if (!text.n)
		return 0;
	for (size_t i = 0; i < text.n; i++)
		counts[(uint8_t)text.p[i]]++;
	for (unsigned c = 0; c < 256; c++)
		if (counts[c])
			bits -= counts[c] * log2((double)counts[c] / (double)text.n);
	return bits / (double)text.n;
}

bool text_eq_fold(struct str text, struct str lower)
{
	if (text.n != lower.n)
		return false;
	for (size_t i = 0; i < text.n; i++)
		if (text_fold(text.p[i]) != lower.p[i])
			return false;
	return true;
}

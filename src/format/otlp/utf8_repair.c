/* SPDX-License-Identifier: Apache-2.0 */
/* Repair of text that is not UTF-8. Independent of the decoder, because encoders use it as well. */
#include "format/otlp/utf8_repair.h"

#include <errno.h>

bool otlp_is_ascii(struct str s)
{
	uint64_t many[8], eight;
	size_t i = 0;
	unsigned char any = 0;

	for (; s.n - i >= sizeof(many); i += sizeof(many)) {
		memcpy(many, s.p + i, sizeof(many));
		eight = 0;
		for (size_t k = 0; k < countof(many); k++)
			eight |= many[k];
		if (eight & 0x8080808080808080u)
			return false;
	}
	for (; s.n - i >= sizeof(eight); i += sizeof(eight)) {
		memcpy(&eight, s.p + i, sizeof(eight));
		if (eight & 0x8080808080808080u)
			return false;
	}
	if (s.n >= sizeof(eight)) {
		memcpy(&eight, s.p + s.n - sizeof(eight), sizeof(eight));
		return !(eight & 0x8080808080808080u);
	}
	for (; i < s.n; i++)
		any |= (unsigned char)s.p[i];
	return any < 0x80;
}

int otlp_repair_utf8(struct arena *a, struct str s, struct str *out)
{
	static const char replacement[] = "\xef\xbf\xbd";
	size_t n = 0;
	char *p;

	*out = s;
	if (likely(otlp_is_ascii(s)) || str_utf8_valid(s) == s.n)
		return 0;
	p = s.n <= SIZE_MAX / 3 ? arena_alloc(a, 3 * s.n, 1) : NULL;
	if (!p)
		return -ENOMEM;
	while (s.n) {
		size_t good = str_utf8_valid(s);

		memcpy(p + n, s.p, good);
		n += good;
		s = str_from_at(s, good);
		if (s.n) {
			memcpy(p + n, replacement, 3);
			n += 3;
			s = str_from_at(s, 1);
		}
	}
	*out = str_of(p, n);
	return 0;
}

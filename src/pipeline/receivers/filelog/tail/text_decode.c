/* SPDX-License-Identifier: Apache-2.0 */
/* Converts entries to UTF-8. */
#include "pipeline/receivers/filelog/tail/text_decode.h"

#include <strings.h>

#define REPLACEMENT STR("\xef\xbf\xbd")

bool text_encoding_find(struct str name, enum text_encoding *out)
{
	static const struct {
		struct str name;
		enum text_encoding encoding;
	} table[] = {
		{STR_INIT(""), TEXT_UTF8},
		{STR_INIT("utf-8"), TEXT_UTF8},
		{STR_INIT("utf8"), TEXT_UTF8},
		{STR_INIT("ascii"), TEXT_UTF8},
		{STR_INIT("us-ascii"), TEXT_UTF8},
		{STR_INIT("utf-8-raw"), TEXT_UTF8_RAW},
		{STR_INIT("utf8-raw"), TEXT_UTF8_RAW},
		{STR_INIT("utf-16le"), TEXT_UTF16LE},
		{STR_INIT("utf-16"), TEXT_UTF16LE},
		{STR_INIT("utf16"), TEXT_UTF16LE},
		{STR_INIT("utf16le"), TEXT_UTF16LE},
		{STR_INIT("utf-16be"), TEXT_UTF16BE},
		{STR_INIT("utf16be"), TEXT_UTF16BE},
		{STR_INIT("nop"), TEXT_NOP},
	};

	for (size_t i = 0; i < countof(table); i++) {
		if (table[i].name.n != name.n || strncasecmp(table[i].name.p, name.p, name.n) != 0)
			continue;
		*out = table[i].encoding;
		return true;
	}
	return false;
}

/* Copy with each byte that is not UTF-8 replaced. */
static void replace_bad_bytes(struct str in, struct buf *out)
{
	while (in.n) {
		size_t good = str_utf8_valid(in);

		buf_put_str(out, str_head(in, good));
		if (good < in.n)
			buf_put_str(out, REPLACEMENT);
		in = str_from_at(in, good + 1);
	}
}

static void put_utf8(struct buf *out, uint32_t c)
{
	if (c < 0x80) {
		buf_put_char(out, (char)c);
		return;
	}
	if (c < 0x800) {
		buf_put_char(out, (char)(0xc0 | c >> 6));
	} else if (c < 0x10000) {
		buf_put_char(out, (char)(0xe0 | c >> 12));
		buf_put_char(out, (char)(0x80 | (c >> 6 & 0x3f)));
	} else {
		buf_put_char(out, (char)(0xf0 | c >> 18));
		buf_put_char(out, (char)(0x80 | (c >> 12 & 0x3f)));
		buf_put_char(out, (char)(0x80 | (c >> 6 & 0x3f)));
	}
	buf_put_char(out, (char)(0x80 | (c & 0x3f)));
}

static uint32_t load_utf16(struct str in, size_t at, bool big)
{
	unsigned char a = (unsigned char)in.p[at], b = (unsigned char)in.p[at + 1];

	return big ? (uint32_t)a << 8 | b : (uint32_t)b << 8 | a;
}

static void decode_utf16(struct str in, bool big, struct buf *out)
{
	for (size_t at = 0; at + 1 < in.n; at += 2) {
		uint32_t c = load_utf16(in, at, big);
		uint32_t low = at + 3 < in.n ? load_utf16(in, at + 2, big) : 0;

		if (c >= 0xd800 && c < 0xdc00 && low >= 0xdc00 && low < 0xe000) {
			put_utf8(out, 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00));
			at += 2;
		} else if (c >= 0xd800 && c < 0xe000) {
			buf_put_str(out, REPLACEMENT);
		} else {
			put_utf8(out, c);
		}
	}
	if (in.n % 2)
		buf_put_str(out, REPLACEMENT);
}

struct str text_decode(enum text_encoding encoding, struct str in, struct buf *scratch)
{
	buf_rewind(scratch);
	switch (encoding) {
	case TEXT_UTF8:
		if (likely(str_utf8_valid(in) == in.n))
			return in;
		replace_bad_bytes(in, scratch);
		break;
	case TEXT_UTF16LE:
	case TEXT_UTF16BE:
		decode_utf16(in, encoding == TEXT_UTF16BE, scratch);
		break;
	default:
		return in;
	}
	return buf_str(scratch);
}

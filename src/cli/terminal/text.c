/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text is decoded character by character; each becomes a glyph of 0, 1 or 2 columns. Characters
 * that could affect their surroundings are replaced, so that the sum of the glyphs is the width on
 * screen.
 */
#include "cli/terminal/text.h"

#include <locale.h>
#include <wchar.h>

enum {
	MARKS_MAX = 2,		   /* combining marks per letter; more are removed */
	REPLACEMENT = 0xfffd,	   /* for invalid bytes and unsafe characters */
	CONTROL_PICTURES = 0x2400, /* U+2400 + c shows the control character c */
	LEFT_TO_RIGHT = 0x200e,
};

void text_init(void)
{
	/* Selects the tables of wcwidth(), whatever the environment says. */
	setlocale(LC_CTYPE, "C.UTF-8");
}

/* ---- characters ---- */

/* Decode the character at *at and advance. Each invalid byte is one REPLACEMENT. */
static uint32_t next_char(struct str s, size_t *at)
{
	uint8_t first = (uint8_t)s.p[*at];
	size_t n = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;

	if (n == 1) {
		++*at;
		return first;
	}
	if (*at + n > s.n || str_utf8_valid(str_of(s.p + *at, n)) != n) {
		++*at;
		return REPLACEMENT;
	}

	uint32_t c = first & (0xffu >> (n + 1));

	for (size_t i = 1; i < n; i++)
		c = c << 6 | ((uint8_t)s.p[*at + i] & 0x3f);
	*at += n;
	return c;
}

/* Right-to-left letters. LEFT_TO_RIGHT after the text keeps the following columns in place. */
static bool runs_backwards(uint32_t c)
{
	return (c >= 0x590 && c <= 0x8ff) || (c >= 0xfb1d && c <= 0xfdff) ||
	       (c >= 0xfe70 && c <= 0xfeff) || (c >= 0x10800 && c <= 0x10fff) ||
	       (c >= 0x1e800 && c <= 0x1efff);
}

/* Characters that are invisible or affect how adjacent ones are shown. */
static bool is_invisible(uint32_t c)
{
	return c == 0xad || c == 0x61c || c == 0x180e || (c >= 0x200b && c <= 0x200f) ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff ||
	       (c >= 0xfe00 && c <= 0xfe0f) || (c >= 0xfff9 && c <= 0xfffb) ||
	       (c >= 0x1bca0 && c <= 0x1bca3) || (c >= 0x1d173 && c <= 0x1d17a) ||
	       (c >= 0xe0000 && c <= 0xe0fff) || (c >= 0x115f && c <= 0x1160) || c == 0x3164 ||
	       c == 0xffa0;
}

/* The character to show, and its columns: 0, 1 or 2. */
struct glyph {
	uint32_t c;
	unsigned width;
};

static struct glyph glyph_of(uint32_t c, enum text_charset charset)
{
	int width;

	if (c >= 0x20 && c < 0x7f)
		return (struct glyph){c, 1};
	if (charset == TEXT_ASCII)
		return (struct glyph){'?', 1};
	if (c < 0x20)
		return (struct glyph){CONTROL_PICTURES + c, 1};
	if (c == 0x7f)
		return (struct glyph){CONTROL_PICTURES + 0x21, 1};
	if (c < 0xa0 || is_invisible(c) || (c >= 0xe000 && c <= 0xf8ff))
		return (struct glyph){REPLACEMENT, 1};
	width = wcwidth((wchar_t)c);
	if (width < 0)
		return (struct glyph){REPLACEMENT, 1};
	return (struct glyph){c, (unsigned)width};
}

static void put_character(struct buf *out, uint32_t c)
{
	char bytes[4];
	size_t n = 0;

	if (c < 0x80) {
		bytes[n++] = (char)c;
	} else if (c < 0x800) {
		bytes[n++] = (char)(0xc0 | c >> 6);
		bytes[n++] = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		bytes[n++] = (char)(0xe0 | c >> 12);
		bytes[n++] = (char)(0x80 | (c >> 6 & 0x3f));
		bytes[n++] = (char)(0x80 | (c & 0x3f));
	} else {
		bytes[n++] = (char)(0xf0 | c >> 18);
		bytes[n++] = (char)(0x80 | (c >> 12 & 0x3f));
		bytes[n++] = (char)(0x80 | (c >> 6 & 0x3f));
		bytes[n++] = (char)(0x80 | (c & 0x3f));
	}
	buf_put(out, bytes, n);
}

/* ---- text ---- */

/*
 * Measure `s` up to `columns`, and append it unless `out` is NULL. Set *at to the offset of the
 * first character that does not fit. Return the columns used.
 */
static size_t put_columns(struct buf *out, struct str s, enum text_charset charset, size_t columns,
			  size_t *at)
{
	size_t used = 0, next = 0;
	unsigned marks = MARKS_MAX; /* marks without a letter are removed */
	bool backwards = false;

	for (*at = 0; *at < s.n; *at = next) {
		uint32_t c = next_char(s, &next);
		struct glyph g = glyph_of(c, charset);

		if (!g.width && marks++ >= MARKS_MAX)
			continue;
		if (g.width) {
			marks = 0;
			if (used + g.width > columns)
				break;
		}
		used += g.width;
		backwards |= charset == TEXT_UTF8 && runs_backwards(c);
		if (out)
			put_character(out, g.c);
	}
	if (out && backwards)
		put_character(out, LEFT_TO_RIGHT);
	return used;
}

size_t text_put(struct buf *out, struct str s, enum text_charset charset)
{
	size_t at;

	return put_columns(out, s, charset, SIZE_MAX, &at);
}

size_t text_width(struct str s, enum text_charset charset, size_t most)
{
	size_t at, used = put_columns(NULL, s, charset, most, &at);

	return at < s.n ? most + 1 : used;
}

/* Return the smallest offset from which the rest of `s` fits into `columns`. */
static size_t tail_start(struct str s, enum text_charset charset, size_t columns)
{
	size_t at = s.n, used = 0;

	while (at > 0) {
		size_t before = at - 1, next;

		while (before > 0 && at - before < 4 && ((uint8_t)s.p[before] & 0xc0) == 0x80)
			before--;
		next = before;

		struct glyph g = glyph_of(next_char(s, &next), charset);

		if (next != at) { /* stray continuation bytes count one by one */
			before = at - 1;
			g = glyph_of(REPLACEMENT, charset);
		}
		if (used + g.width > columns)
			break;
		used += g.width;
		at = before;
	}
	return at;
}

size_t text_put_cut(struct buf *out, struct str s, enum text_charset charset, size_t columns,
		    enum text_cut cut)
{
	size_t at, dots = charset == TEXT_UTF8 ? 1 : 2;
	struct str ellipsis = charset == TEXT_UTF8 ? STR("…") : STR("..");

	if (text_width(s, charset, columns) <= columns)
		return put_columns(out, s, charset, columns, &at);
	if (columns < dots)
		return put_columns(out, s, charset, columns, &at);
	if (cut == TEXT_CUT_HEAD) {
		size_t from = tail_start(s, charset, columns - dots);

		buf_put_str(out, ellipsis);
		return dots + put_columns(out, str_from_at(s, from), charset, columns - dots, &at);
	}

	size_t used = put_columns(out, s, charset, columns - dots, &at);

	buf_put_str(out, ellipsis);
	return used + dots;
}

/* ---- names of functions ---- */

/* Return the end of the qualified name: arguments and type parameters are not searched. */
static size_t head_end(struct str name)
{
	for (size_t i = 1; i < name.n; i++)
		if (name.p[i] == '<' || name.p[i] == ' ' || name.p[i] == '[' ||
		    (name.p[i] == '(' && name.p[i - 1] != '.'))
			return i;
	return name.n;
}

/* Return the start of the word that ends at `end`: after the last "." or "::". */
static size_t word_start(struct str name, size_t end)
{
	for (size_t i = end; i-- > 1;)
		if (name.p[i - 1] == '.' || (name.p[i - 1] == ':' && i > 1 && name.p[i - 2] == ':'))
			return i;
	return 0;
}

struct str text_short_name(struct str name, enum text_charset charset, size_t columns)
{
	if (text_width(name, charset, columns) <= columns)
		return name;

	size_t end = head_end(name);
	size_t slash = str_find_last(str_head(name, end), '/');
	struct str shorter = slash + 1 < end ? str_from_at(name, slash + 1) : name;

	end -= name.n - shorter.n;
	if (text_width(shorter, charset, columns) <= columns)
		return shorter;

	size_t last = word_start(shorter, end);
	size_t before = last > 1 ? word_start(shorter, last - 1) : 0;
	struct str two = str_from_at(shorter, before), one = str_from_at(shorter, last);

	if (two.n && text_width(two, charset, columns) <= columns)
		return two;
	return one.n ? one : shorter;
}

struct str text_short_path(struct str path, enum text_charset charset, size_t columns)
{
	size_t slash = str_find_last(path, '/');

	if (slash + 1 >= path.n || text_width(path, charset, columns) <= columns)
		return path;
	return str_from_at(path, slash + 1);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Most strings are ASCII without escapes: they are checked eight bytes at a time and copied. */
#include "wire/json_write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define EACH_BYTE(c) (0x0101010101010101u * (c))

static void put_newline(struct json_writer *w)
{
	char *at;
	size_t n = (size_t)w->depth * w->indent;

	if (!w->indent)
		return;
	buf_put_char(w->out, '\n');
	at = buf_reserve(w->out, n);
	if (!at)
		return;
	memset(at, ' ', n);
	w->out->n += n;
}

/* Append the comma and the newline that are needed before a value or a key. */
static void begin_value(struct json_writer *w)
{
	if (!w->after_key) {
		if (w->needs_comma)
			buf_put_char(w->out, ',');
		if (w->depth)
			put_newline(w);
	}
	w->after_key = false;
	w->needs_comma = true;
}

static void write_open(struct json_writer *w, char c)
{
	begin_value(w);
	buf_put_char(w->out, c);
	w->depth++;
	w->needs_comma = false;
}

static void write_close(struct json_writer *w, char c)
{
	w->depth--;
	if (w->needs_comma) /* an empty container stays on its line */
		put_newline(w);
	buf_put_char(w->out, c);
	w->needs_comma = true;
}

void json_open_object(struct json_writer *w)
{
	write_open(w, '{');
}

void json_close_object(struct json_writer *w)
{
	write_close(w, '}');
}

void json_open_array(struct json_writer *w)
{
	write_open(w, '[');
}

void json_close_array(struct json_writer *w)
{
	write_close(w, ']');
}

static void put_escape(struct buf *out, unsigned char c)
{
	static const char *const names[] = {
		['"'] = "\\\"", ['\\'] = "\\\\", ['\n'] = "\\n", ['\r'] = "\\r",
		['\t'] = "\\t", ['\b'] = "\\b",	 ['\f'] = "\\f",
	};

	if (c < countof(names) && names[c])
		buf_put_str(out, str_from(names[c]));
	else
		buf_printf(out, "\\u%04x", c);
}

/* Return how many bytes from `at` on need no escape. */
static size_t unescaped_length(struct str s, size_t at)
{
	size_t i = at;

	while (i < s.n && s.p[i] != '"' && s.p[i] != '\\' && (unsigned char)s.p[i] >= 0x20)
		i++;
	return i - at;
}

/* Append a part of a string that is valid UTF-8. */
static void put_valid(struct buf *out, struct str s)
{
	for (size_t at = 0; at < s.n; at++) {
		size_t unescaped = unescaped_length(s, at);

		buf_put(out, s.p + at, unescaped);
		at += unescaped;
		if (at < s.n)
			put_escape(out, (unsigned char)s.p[at]);
	}
}

/* Return whether the string is ASCII without characters to escape. */
static bool needs_no_escape(struct str s)
{
	size_t i = 0;

	for (; s.n - i >= 8; i += 8) {
		uint64_t x, quote, slash;

		memcpy(&x, s.p + i, sizeof(x));
		quote = x ^ EACH_BYTE('"');
		slash = x ^ EACH_BYTE('\\');
		if ((x | (quote - EACH_BYTE(1)) | (slash - EACH_BYTE(1)) | (x - EACH_BYTE(0x20))) &
		    EACH_BYTE(0x80u))
			return false;
	}
	for (; i < s.n; i++)
		if ((unsigned char)s.p[i] < 0x20 || (unsigned char)s.p[i] >= 0x80 ||
		    s.p[i] == '"' || s.p[i] == '\\')
			return false;
	return true;
}

static void put_unescaped(struct buf *out, struct str s)
{
	char *at = buf_reserve(out, s.n + 2);

	if (!at)
		return;
	*at++ = '"';
	if (s.n)
		memcpy(at, s.p, s.n);
	at[s.n] = '"';
	out->n += s.n + 2;
}

static void put_quoted(struct buf *out, struct str s)
{
	if (needs_no_escape(s)) {
		put_unescaped(out, s);
		return;
	}
	buf_put_char(out, '"');
	for (;;) {
		size_t valid = str_utf8_valid(s);

		put_valid(out, str_head(s, valid));
		if (valid == s.n)
			break;
		buf_put_str(out, STR("\xef\xbf\xbd"));
		s = str_from_at(s, valid + 1);
	}
	buf_put_char(out, '"');
}

void json_put_key(struct json_writer *w, struct str key)
{
	begin_value(w);
	put_quoted(w->out, key);
	buf_put_str(w->out, w->indent ? STR(": ") : STR(":"));
	w->after_key = true;
}

void json_put_string(struct json_writer *w, struct str s)
{
	begin_value(w);
	put_quoted(w->out, s);
}

void json_put_i64(struct json_writer *w, int64_t value)
{
	begin_value(w);
	buf_put_i64(w->out, value);
}

void json_put_u64(struct json_writer *w, uint64_t value)
{
	begin_value(w);
	buf_put_u64(w->out, value);
}

void json_put_bool(struct json_writer *w, bool value)
{
	json_put_raw(w, value ? STR("true") : STR("false"));
}

void json_put_null(struct json_writer *w)
{
	json_put_raw(w, STR("null"));
}

/*
 * Append a value with at most three decimals without printf(). n / 1000 and the text round to the
 * same double, so comparing it with the value proves that the text is exact. Return false if the
 * value has more decimals.
 */
static bool put_short_decimal(struct buf *out, double value)
{
	uint64_t n, fraction;

	if (!(fabs(value) < 1e12) || (value == 0 && signbit(value)))
		return false;
	n = (uint64_t)llrint(fabs(value) * 1000);
	if ((double)n / 1000 != fabs(value))
		return false;
	if (value < 0)
		buf_put_char(out, '-');
	buf_put_u64(out, n / 1000);
	fraction = n % 1000;
	if (fraction)
		buf_put_char(out, '.');
	for (; fraction; fraction = fraction % 100 * 10)
		buf_put_char(out, (char)('0' + fraction / 100));
	return true;
}

void json_put_double(struct json_writer *w, double value)
{
	char text[32];

	if (isnan(value) || isinf(value)) {
		json_put_string(w, isnan(value) ? STR("NaN")
				   : value < 0	? STR("-Infinity")
						: STR("Infinity"));
		return;
	}
	begin_value(w);
	if (put_short_decimal(w->out, value))
		return;
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	buf_put_str(w->out, str_from(text));
}

void json_put_i64_string(struct json_writer *w, int64_t value)
{
	begin_value(w);
	buf_put_char(w->out, '"');
	buf_put_i64(w->out, value);
	buf_put_char(w->out, '"');
}

void json_put_u64_string(struct json_writer *w, uint64_t value)
{
	begin_value(w);
	buf_put_char(w->out, '"');
	buf_put_u64(w->out, value);
	buf_put_char(w->out, '"');
}

void json_put_raw(struct json_writer *w, struct str json)
{
	begin_value(w);
	buf_put_str(w->out, json);
}

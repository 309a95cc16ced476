/* SPDX-License-Identifier: Apache-2.0 */
/*
 * W3C Trace Context: traceparent and tracestate. A traceparent is
 *
 * 	00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
 *
 * with lower-case digits. Version ff is invalid. A later version than 00 may have more fields after
 * a dash, which are ignored.
 */
#include "sdk/trace/span_w3c.h"

#include <ctype.h>
#include <errno.h>

#include "wire/text.h"

enum { PARENT_LENGTH = 55 };

static bool read_hex(const char *text, uint8_t *out, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char first = text[2 * i], second = first ? text[2 * i + 1] : 0;
		int high = hex_digit(first), low = hex_digit(second);

		if (high < 0 || low < 0 || isupper(first) || isupper(second))
			return false;
		out[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}

static bool all_zero(const uint8_t *p, size_t n)
{
	uint8_t any = 0;

	for (size_t i = 0; i < n; i++)
		any |= p[i];
	return !any;
}

int traceparent_parse(const char *text, struct span_ids *ids, uint8_t *flags)
{
	uint8_t version;
	size_t n = text ? strnlen(text, PARENT_LENGTH + 1) : 0;

	if (n < PARENT_LENGTH || text[2] != '-' || text[35] != '-' || text[52] != '-')
		return -EINVAL;
	if (!read_hex(text, &version, 1) || version == 0xff)
		return -EINVAL;
	if (n > PARENT_LENGTH && (!version || text[PARENT_LENGTH] != '-'))
		return -EINVAL;
	if (!read_hex(text + 3, ids->trace_id, 16) || !read_hex(text + 36, ids->span_id, 8) ||
	    !read_hex(text + 53, flags, 1))
		return -EINVAL;
	if (all_zero(ids->trace_id, 16) || all_zero(ids->span_id, 8))
		return -EINVAL;
	return 0;
}

static char *put_hex(char *at, const uint8_t *p, size_t n)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		*at++ = digits[p[i] >> 4];
		*at++ = digits[p[i] & 15];
	}
	return at;
}

void traceparent_format(char out[VARVE_TRACEPARENT_SIZE], const struct span_ids *ids, uint8_t flags)
{
	char *at = out;

	*at++ = '0';
	*at++ = '0';
	*at++ = '-';
	at = put_hex(at, ids->trace_id, 16);
	*at++ = '-';
	at = put_hex(at, ids->span_id, 8);
	*at++ = '-';
	at = put_hex(at, &flags, 1);
	*at = 0;
}

/*
 * Is it a key of a tracestate: lower-case letters, digits, and after the first also "_-*" and "/";
 * optionally @ and a system id?
 */
static bool is_key(struct str key)
{
	bool tenant = false;

	if (!key.n || key.n > 256)
		return false;
	for (size_t i = 0; i < key.n; i++) {
		char c = key.p[i];
		bool word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');

		if (c == '@' && i && !tenant && key.n - i - 1 >= 1 && key.n - i - 1 <= 14) {
			if (i > 241 || key.p[i + 1] < 'a' || key.p[i + 1] > 'z')
				return false;
			tenant = true;
		} else if (!word && (!i || !memchr("_-*/", c, 4))) {
			return false;
		}
	}
	return true;
}

static bool is_value(struct str value)
{
	if (!value.n || value.n > 256 || value.p[value.n - 1] == ' ')
		return false;
	for (size_t i = 0; i < value.n; i++) {
		unsigned char c = (unsigned char)value.p[i];

		if (c < ' ' || c > '~' || c == ',' || c == '=')
			return false;
	}
	return true;
}

/* Trim spaces and tabs, the white space that may surround a member. */
static struct str trim_blank(struct str s)
{
	while (s.n && (s.p[0] == ' ' || s.p[0] == '\t'))
		s = str_of(s.p + 1, s.n - 1);
	while (s.n && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t'))
		s.n--;
	return s;
}

size_t tracestate_check(const char *text)
{
	enum { MEMBERS_MAX = 32 };
	struct str keys[MEMBERS_MAX], rest, value, key;
	size_t n = text ? strnlen(text, SPAN_STATE_MAX + 1) : 0;
	unsigned count = 0;

	if (!n || n > SPAN_STATE_MAX)
		return 0;
	rest = str_of(text, n);
	while (rest.p) {
		value = trim_blank(str_cut(&rest, ','));
		if (!value.n)
			continue; /* an empty member is allowed */
		key = str_cut(&value, '=');
		if (!value.p || count == MEMBERS_MAX || !is_key(key) || !is_value(value))
			return 0;
		for (unsigned i = 0; i < count; i++)
			if (str_eq(keys[i], key))
				return 0;
		keys[count++] = key;
	}
	return count ? n : 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Parse request targets, query parameters and forms; decode percent escapes. */
#include "net/http/uri.h"

#include "wire/text.h"
#include <errno.h>

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

bool str_eq_ignoring_case(struct str a, struct str b)
{
	if (a.n != b.n)
		return false;
	for (size_t i = 0; i < a.n; i++)
		if (lower(a.p[i]) != lower(b.p[i]))
			return false;
	return true;
}

/* Return the byte of the escape at text[at], or -1. */
static int decode_escape(struct str text, size_t at)
{
	int high, low;

	if (text.n - at < 3)
		return -1;
	high = hex_digit(text.p[at + 1]);
	low = hex_digit(text.p[at + 2]);
	return high < 0 || low < 0 ? -1 : high << 4 | low;
}

int http_unescape(struct arena *a, struct str text, bool form, struct str *out)
{
	char *to;
	size_t n = 0;

	if (str_find(text, '%') == text.n && (!form || str_find(text, '+') == text.n)) {
		*out = text;
		return 0;
	}
	to = arena_alloc(a, text.n, 1);
	if (!to)
		return -ENOMEM;
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];

		if (c == '%') {
			int byte = decode_escape(text, i);

			if (byte < 0)
				return -EINVAL;
			c = (char)byte;
			i += 2;
		} else if (c == '+' && form) {
			c = ' ';
		}
		to[n++] = c;
	}
	*out = str_of(to, n);
	return 0;
}

/* Split http://host:port/path into the host and /path. */
static int strip_authority(struct str *target, struct str *host)
{
	struct str rest;

	if (target->n && target->p[0] == '/')
		return 0;
	if (str_starts(*target, STR("http://")))
		rest = str_from_at(*target, 7);
	else if (str_starts(*target, STR("https://")))
		rest = str_from_at(*target, 8);
	else
		return -EINVAL;
	*host = str_head(rest, str_find(rest, '/'));
	*target = str_from_at(rest, host->n);
	return host->n && target->n ? 0 : -EINVAL;
}

static bool path_is_valid(struct str path)
{
	struct str rest = str_from_at(path, 1);

	for (size_t i = 0; i < path.n; i++) {
		unsigned char c = (unsigned char)path.p[i];

		if (c < 0x20 || c == 0x7f || c == '\\')
			return false;
	}
	while (rest.p) {
		struct str segment = str_cut(&rest, '/');

		if (str_eq(segment, STR(".")) || str_eq(segment, STR("..")))
			return false;
	}
	return true;
}

int uri_parse(struct arena *a, struct str target, struct str *path, struct str *query,
	      struct str *host)
{
	struct str raw;
	int rc = strip_authority(&target, host);

	if (rc)
		return rc;
	raw = str_head(target, str_find(target, '#'));
	*query = str_from_at(raw, str_find(raw, '?') + 1);
	raw = str_head(raw, str_find(raw, '?'));
	for (size_t i = 0; i < raw.n; i++) {
		int byte = raw.p[i] == '%' ? decode_escape(raw, i) : 0;

		if (byte < 0 || byte == '/')
			return -EINVAL;
	}
	rc = http_unescape(a, raw, false, path);
	if (rc)
		return rc;
	return path_is_valid(*path) ? 0 : -EINVAL;
}

bool http_next_param(struct str *rest, struct str *name, struct str *value)
{
	while (rest->n) {
		struct str pair = str_cut(rest, '&');

		if (!pair.n)
			continue;
		*name = str_cut(&pair, '=');
		*value = pair;
		return true;
	}
	return false;
}

int http_form_value(struct arena *a, struct str form, struct str name, unsigned nth,
		    struct str *value)
{
	struct str raw_name, raw_value, plain;
	int rc;

	while (http_next_param(&form, &raw_name, &raw_value)) {
		rc = http_unescape(a, raw_name, true, &plain);
		if (rc)
			return rc;
		if (!str_eq(plain, name) || nth--)
			continue;
		return http_unescape(a, raw_value, true, value);
	}
	return -ENOENT;
}

int http_param(const struct http_exchange *x, struct str name, unsigned nth, struct str *value)
{
	return http_form_value(x->arena, x->query, name, nth, value);
}

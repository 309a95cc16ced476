/* SPDX-License-Identifier: Apache-2.0 */
/* Read header fields: lookup, lists and parameters. Also the reason phrases of status codes. */
#include "net/http/header.h"

#include "net/http/uri.h"

struct str http_header(const struct http_exchange *x, struct str name)
{
	for (size_t i = 0; i < x->header_count; i++)
		if (str_eq(x->headers[i].name, name))
			return str_of(x->headers[i].value.p ? x->headers[i].value.p : "",
				      x->headers[i].value.n);
	return (struct str){0};
}

/* Return whether the parameters have a q of 0 ("q=0", "q=0.0"): the item is not acceptable. */
static bool has_zero_q(struct str parameters)
{
	while (parameters.p) {
		struct str p = str_trim(str_cut(&parameters, ';'));

		if (!str_starts(p, STR("q=0")))
			continue;
		p = str_from_at(p, 3);
		while (p.n && (p.p[0] == '0' || p.p[0] == '.'))
			p = str_from_at(p, 1);
		return !p.n;
	}
	return false;
}

bool http_header_lists(struct str value, struct str word)
{
	while (value.p) {
		struct str item = str_cut(&value, ',');
		struct str name = str_trim(str_cut(&item, ';'));

		if (str_eq_ignoring_case(name, word))
			return !has_zero_q(item);
	}
	return false;
}

struct str http_content_type(const struct http_exchange *x)
{
	struct str value = http_header(x, STR("content-type"));
	struct str type = str_trim(str_cut(&value, ';'));
	char *lower;

	lower = arena_alloc(x->arena, max_size(type.n, 1), 1);
	if (!lower)
		return type;
	for (size_t i = 0; i < type.n; i++)
		lower[i] =
			type.p[i] >= 'A' && type.p[i] <= 'Z' ? (char)(type.p[i] | 0x20) : type.p[i];
	return str_of(lower, type.n);
}

/* Cut *rest after the first `;` outside of quotes; return the text before it. */
static struct str cut_parameter(struct str *rest)
{
	struct str all = *rest;
	bool quoted = false;

	for (size_t i = 0; i < all.n; i++) {
		if (all.p[i] == '\\' && quoted)
			i++;
		else if (all.p[i] == '"')
			quoted = !quoted;
		else if (all.p[i] == ';' && !quoted) {
			*rest = str_of(all.p + i + 1, all.n - i - 1);
			return str_head(all, i);
		}
	}
	*rest = (struct str){0};
	return all;
}

struct str http_header_param(struct str value, struct str name)
{
	cut_parameter(&value);
	while (value.p) {
		struct str pair = cut_parameter(&value);
		struct str key = str_trim(str_cut(&pair, '='));

		if (!pair.p || !str_eq_ignoring_case(key, name))
			continue;
		pair = str_trim(pair);
		if (pair.n >= 2 && pair.p[0] == '"' && pair.p[pair.n - 1] == '"')
			pair = str_of(pair.p + 1, pair.n - 2);
		return pair;
	}
	return (struct str){0};
}

const char *http_status_text(unsigned status)
{
	static const struct {
		unsigned status;
		const char *text;
	} texts[] = {
		{200, "OK"},
		{201, "Created"},
		{202, "Accepted"},
		{204, "No Content"},
		{301, "Moved Permanently"},
		{302, "Found"},
		{303, "See Other"},
		{304, "Not Modified"},
		{307, "Temporary Redirect"},
		{308, "Permanent Redirect"},
		{400, "Bad Request"},
		{401, "Unauthorized"},
		{403, "Forbidden"},
		{404, "Not Found"},
		{405, "Method Not Allowed"},
		{406, "Not Acceptable"},
		{408, "Request Timeout"},
		{409, "Conflict"},
		{411, "Length Required"},
		{412, "Precondition Failed"},
		{413, "Content Too Large"},
		{414, "URI Too Long"},
		{415, "Unsupported Media Type"},
		{417, "Expectation Failed"},
		{422, "Unprocessable Content"},
		{429, "Too Many Requests"},
		{431, "Request Header Fields Too Large"},
		{499, "Client Closed Request"},
		{500, "Internal Server Error"},
		{501, "Not Implemented"},
		{502, "Bad Gateway"},
		{503, "Service Unavailable"},
		{504, "Gateway Timeout"},
		{505, "HTTP Version Not Supported"},
		{507, "Insufficient Storage"},
	};

	for (size_t i = 0; i < countof(texts); i++)
		if (texts[i].status == status)
			return texts[i].text;
	return "Status";
}

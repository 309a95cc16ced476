/* SPDX-License-Identifier: Apache-2.0 */
/* CORS: match origins and make the response headers. */
#include "net/http/cors.h"

#include <stdio.h>

#include "net/http/header.h"
#include "net/http/respond.h"
#include "net/http/uri.h"

enum { ANSWER_HEADERS = 3, PREFLIGHT_HEADERS = 3 };

/* Return whether an origin matches a pattern, which may contain one "*". */
static bool origin_matches(struct str pattern, struct str origin)
{
	size_t star = str_find(pattern, '*');
	struct str head = str_head(pattern, star), tail = str_from_at(pattern, star + 1);

	if (star == pattern.n)
		return str_eq_ignoring_case(pattern, origin);
	return origin.n >= head.n + tail.n &&
	       str_eq_ignoring_case(str_head(origin, head.n), head) &&
	       str_eq_ignoring_case(str_of(origin.p + origin.n - tail.n, tail.n), tail);
}

static bool list_contains(const struct str *list, uint32_t n, struct str word)
{
	for (uint32_t i = 0; i < n; i++)
		if (str_eq(list[i], word))
			return true;
	return false;
}

static bool origin_is_allowed(const struct http_cors *c, struct str origin)
{
	for (uint32_t i = 0; i < c->origin_count; i++)
		if (origin_matches(c->origins[i], origin))
			return true;
	return false;
}

bool cors_admit(struct http_exchange *x)
{
	const struct http_cors *c = x->route ? x->route->cors : NULL;
	struct str origin = http_header(x, STR("origin"));
	struct http_header *h;
	bool every;

	if (!c || !origin.n || !origin_is_allowed(c, origin))
		return false;
	h = arena_alloc(x->arena, ANSWER_HEADERS, sizeof(*h));
	if (!h)
		return false;
	every = list_contains(c->origins, c->origin_count, STR("*"));
	h[0] = (struct http_header){STR("access-control-allow-origin"), every ? STR("*") : origin};
	h[1] = (struct http_header){STR("vary"), STR("origin")};
	h[2] = (struct http_header){STR("access-control-allow-credentials"), STR("true")};
	x->answer_headers = h;
	x->answer_header_count = every ? 2 : ANSWER_HEADERS;
	return true;
}

void cors_preflight(struct http_exchange *x)
{
	const struct http_cors *c = x->route->cors;
	struct http_header headers[PREFLIGHT_HEADERS] = {
		{STR("access-control-allow-methods"), STR("POST")}};
	struct http_response r = {.status = 204, .headers = headers, .header_count = 2};
	struct buf names = {0};
	char age[24];

	buf_put_str(&names, STR("accept, content-type"));
	for (uint32_t i = 0; i < c->header_count; i++)
		if (!str_eq(c->headers[i], STR("*")))
			buf_printf(&names, ", %.*s", STR_ARG(c->headers[i]));
	headers[1] = (struct http_header){STR("access-control-allow-headers"), buf_str(&names)};
	if (list_contains(c->headers, c->header_count, STR("*")))
		headers[1].value = http_header(x, STR("access-control-request-headers"));
	if (c->max_age_s) {
		snprintf(age, sizeof(age), "%llu", (unsigned long long)c->max_age_s);
		headers[r.header_count++] =
			(struct http_header){STR("access-control-max-age"), str_from(age)};
	}
	http_respond(x, &r);
	buf_fini(&names);
}

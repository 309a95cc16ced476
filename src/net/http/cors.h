/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_HTTP_CORS_H
#define VARVE_NET_HTTP_CORS_H

#include "net/http/http.h"

/*
 * Which web pages of other origins may use a route (WHATWG Fetch, CORS protocol): http_route.cors.
 * The admit hook calls cors_admit() for such a route; the route's handler answers OPTIONS with
 * cors_preflight().
 */
struct http_cors {
	/* "https://shop.example", with at most one "*" for any text; or "*": every origin, without
	 * credentials. */
	const struct str *origins;
	uint32_t origin_count;
	/* Allowed request headers besides accept and content-type; "*": all. */
	const struct str *headers;
	uint32_t header_count;
	/* How long a browser may cache the permission; 0: the browser's default. */
	uint64_t max_age_s;
};

/*
 * Return whether the request's Origin may use its route; if so, add the CORS headers to every
 * response. Return false for routes without cors and requests without Origin.
 */
bool cors_admit(struct http_exchange *x);

/* Answer OPTIONS on a route with cors: what a page may send. */
void cors_preflight(struct http_exchange *x);

#endif

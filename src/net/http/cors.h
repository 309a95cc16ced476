/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_HTTP_CORS_H
#define VARVE_NET_HTTP_CORS_H

#include "net/http/http.h"

/*
 * Pages of other origins that may use a route (WHATWG Fetch, CORS protocol): http_route.cors. Whoever admits requests
 * calls cors_admit() for such a route; its handler answers OPTIONS with cors_preflight().
 */
struct http_cors {
	/* "https://shop.example", with one "*" for any text, or "*": every origin, without credentials. */
	const struct str *origins;
	uint32_t origin_count;
	/* More request headers than accept and content-type; "*": all. */
	const struct str *headers;
	uint32_t header_count;
	/* How long a browser may remember the permission; 0: as long as it likes. */
	uint64_t max_age_s;
};

/*
 * May a page of the request's Origin use its route? true: every answer will tell the browser so. Takes routes without
 * cors and requests without Origin (false).
 */
bool cors_admit(struct http_exchange *x);

/* Answer OPTIONS on a route with cors: what a page may send there. */
void cors_preflight(struct http_exchange *x);

#endif

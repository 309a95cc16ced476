/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_HTTP_HEADER_H
#define VARVE_NET_HTTP_HEADER_H

#include "net/http/http.h"

/* Read header fields. Returned slices point into their input, unless a function says otherwise. */

/* Return the first header of that name (lower case), or the empty string with p == NULL. */
struct str http_header(const struct http_exchange *x, struct str name);

/*
 * Return whether a comma-separated header lists a word. Ignores case and `;` parameters, except
 * that an item with q=0 is not listed.
 */
bool http_header_lists(struct str value, struct str word);

/* Return the media type without parameters in lower case, for example "application/json". In the
 * exchange's arena. */
struct str http_content_type(const struct http_exchange *x);

/*
 * Return a parameter of a header value: http_header_param(type, STR("boundary")). Surrounding
 * quotes are removed, escapes inside them are kept. p == NULL: no such parameter.
 */
struct str http_header_param(struct str value, struct str name);

/* Return the reason phrase of a status: "OK", "Not Found", ... */
const char *http_status_text(unsigned status);

#endif

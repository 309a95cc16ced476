/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_HTTP_REDIRECT_H
#define VARVE_NET_HTTP_REDIRECT_H

#include "base/str.h"

/* Redirects, for callers of the HTTP client, which does not follow them itself. */

/* Return whether a status asks to send the request to the address of the header Location. */
bool http_is_redirect(unsigned status);

/* Return scheme and authority of a URL: requests to another origin must not have credentials. */
struct str http_url_origin(struct str url);

/*
 * Store the URL that a Location refers to, seen from the URL `from`, in `out` (`size` bytes).
 * Return false if it cannot be followed: empty, too long, relative to a path, or not HTTP.
 */
bool http_redirect_url(const char *from, struct str location, char *out, size_t size);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Recognizes redirects by their status, and resolves a Location against the URL of the request. */
#include "net/client/http_redirect.h"

#include <stdio.h>

bool http_is_redirect(unsigned status)
{
	return (status >= 301 && status <= 303) || status == 307 || status == 308;
}

struct str http_url_origin(struct str url)
{
	size_t from = str_find_str(url, STR("://")) + 3, end = from;

	while (end < url.n && !memchr("/?#", url.p[end], 3))
		end++;
	return str_head(url, end);
}

bool http_redirect_url(const char *from, struct str location, char *out, size_t size)
{
	struct str origin = http_url_origin(str_from(from));

	if (!location.n || origin.n + location.n >= size ||
	    memchr(location.p, 0, location.n) != NULL)
		return false;
	if (location.p[0] == '/' && (location.n == 1 || location.p[1] != '/'))
		snprintf(out, size, "%.*s%.*s", STR_ARG(origin), STR_ARG(location));
	else if (str_starts(location, STR("http://")) || str_starts(location, STR("https://")))
		snprintf(out, size, "%.*s", STR_ARG(location));
	else
		return false;
	return true;
}

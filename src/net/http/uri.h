/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_HTTP_URI_H
#define VARVE_NET_HTTP_URI_H

#include "net/http/http.h"

/* Request targets and their query parameters; forms, which have the same syntax. */

/*
 * Split a target into the decoded path, the query as sent, and the host if the target is absolute
 * (otherwise *host is unchanged). Return 0, -ENOMEM, or -EINVAL for a target without a leading '/',
 * a bad escape, a control character, a backslash, an encoded '/', or a segment "." or "..".
 */
MUST_USE int uri_parse(struct arena *a, struct str target, struct str *path, struct str *query,
		       struct str *host);

/*
 * Decode the `nth` (from 0) query parameter of that name into the arena; '+' is a space. Return 0,
 * -ENOENT, -EINVAL for a bad escape, or -ENOMEM.
 */
MUST_USE int http_param(const struct http_exchange *x, struct str name, unsigned nth,
			struct str *value);

/* Like http_param(), for the body of application/x-www-form-urlencoded or any such text. */
MUST_USE int http_form_value(struct arena *a, struct str form, struct str name, unsigned nth,
			     struct str *value);

/* Cut the next parameter off *rest, undecoded; see http_unescape(). Return false at the end. */
bool http_next_param(struct str *rest, struct str *name, struct str *value);

/*
 * Percent-decode into the arena; `form`: '+' is a space. *out is `text` itself if nothing is
 * escaped. Return 0, -EINVAL or -ENOMEM.
 */
MUST_USE int http_unescape(struct arena *a, struct str text, bool form, struct str *out);

/* Compare, ignoring the case of ASCII letters. */
bool str_eq_ignoring_case(struct str a, struct str b);

#endif

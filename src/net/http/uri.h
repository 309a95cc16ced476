/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_HTTP_URI_H
#define VARVE_NET_HTTP_URI_H

#include "base/arena.h"

/* Private to src/net: request targets. */

/*
 * Take a target apart: the decoded path, the query as sent, the host where the target is absolute
 * (else *host stays). 0, -EINVAL for what no honest sender writes: no leading '/', a bad escape, control
 * characters, NUL, a backslash, an encoded '/', segments "." and ".."; -ENOMEM.
 */
MUST_USE int uri_parse(struct arena *a, struct str target, struct str *path, struct str *query,
		       struct str *host);

/* ASCII letters of either case are the same. */
bool str_eq_ignoring_case(struct str a, struct str b);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_CALLER_H
#define VARVE_PIPELINE_CALLER_H

#include "base/str.h"

/*
 * Who sends a request, and what it may do: http_exchange.caller, set by admission
 * (api/access/access.h) in the exchange's arena. NULL: there is no authentication.
 */
struct caller {
	struct str name;     /* "token 1f2e3d4c5b6a", "user alice"; for the audit log */
	unsigned scopes;     /* enum token_scope */
	struct str services; /* the only ones that it may write and query; empty: all */
};

#endif

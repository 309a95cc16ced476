/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_SERVE_H
#define VARVE_API_SERVE_H

#include "net/http/http.h"

/* Route handlers: run an endpoint or RPC as a query and respond. `owner` is a struct bound. */
void serve_endpoint(void *owner, struct http_exchange *x);
void serve_rpc(void *owner, struct http_exchange *x);
void serve_unimplemented(void *owner, struct http_exchange *x);

/* The `refuse` hook of endpoints: respond with an error in the endpoint's format. */
void refuse_endpoint(void *owner, struct http_exchange *x, const struct http_refusal *why);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_ACCESS_H
#define VARVE_API_ACCESS_H

#include <pthread.h>

#include "base/arena.h"
#include "base/container/vec.h"
#include "net/http/http.h"
#include "pipeline/limits.h"
#include "wire/origin.h"

/*
 * Who is authorized, and whose data they see: decided when a request's headers are complete, before its
 * body is read.
 *
 * Pages of other origins are refused (403), with tokens and without, because a browser sends the password of Basic
 * or a client certificate along with every request. Exceptions: what the route's CORS settings allow (net/http/cors.h), and
 * following a link to an HTTP_OPEN route. Without tokens and without TLS the Host header must name this server (403):
 * otherwise a page could read everything by having its own name resolve to this address. With tokens such a page has
 * no token to show, and with TLS there is no certificate for its name. A request without Host (HTTP/1.0) is answered:
 * every browser sends one.
 *
 * A token file has one token a line, at least ACCESS_TOKEN_MIN bytes of printable text without spaces; behind
 * it, with a space between, may stand the tenant it is for (else it is for all). Lines that begin with '#' and
 * empty ones do not count. A sender shows a token as `Authorization: Bearer TOKEN`, or as the password of
 * Basic. Only digests of tokens are kept; comparing takes the same time for every wrong token.
 *
 * With tenants on each request names one in X-Scope-OrgID (Pyroscope's and Mimir's rules: up to 150 of
 * A-Z a-z 0-9 ! - _ . * ' ( ), not "." and ".."); a token that is for one tenant stands for it. Routes that are HTTP_OPERATOR
 * need not name one, unless the token is for one: they then show all tenants together. Without tenants a line of the token
 * file must not name one: its sender would see everybody's data.
 *
 * Routes that are HTTP_OPEN need neither.
 *
 * Any thread.
 */
enum {
	ACCESS_TOKEN_MIN = 16,
	ACCESS_TOKEN_MAX = 1024,
	ACCESS_TOKENS_MAX = 10000,
	ACCESS_TENANT_MAX = 150,
	ACCESS_DIGEST = 32,
};

struct access_token {
	uint8_t digest[ACCESS_DIGEST];
	struct str tenant; /* empty: all */
};

struct access {
	const char *token_file; /* NULL: everybody is authorized */
	/* Names of this server; filled by access_allow_host() and access_allow_address() before requests come. */
	struct host_rules hosts;
	VEC(struct str) host_names;
	struct arena arena;
	/* Whose accounts requests get (x->account); NULL: none. Set before requests come. */
	struct limits *limits;
	bool tenants;
	pthread_rwlock_t lock; /* guards what follows */
	struct access_token *tokens;
	size_t token_count;
	char *text; /* of the file: tenants point into it, tokens are wiped */
};

/* `token_file` may be NULL and is borrowed. 0 or -errno with file and line in `e`. Fini in every case. */
MUST_USE int access_init(struct access *a, const char *token_file, bool tenants, struct err *e);
void access_fini(struct access *a);

/* Answer requests to this host, too: a rule of struct host_rules. Before the first request. 0 or -ENOMEM. */
MUST_USE int access_allow_host(struct access *a, struct str name);

/* The same for the host of an address that is listened on, "host:port"; of ":port" every address. */
MUST_USE int access_allow_address(struct access *a, struct str address);

/* Read the token file again; on an error all stays as it was. */
MUST_USE int access_reload(struct access *a, struct err *e);

/* For http_app.admit: sets x->tenant and x->account, or says no (401, 403) and why. */
bool access_admit(struct access *a, struct http_exchange *x, struct http_refusal *why);

/* Is it a name that a tenant may have? */
bool access_tenant_valid(struct str name);

#endif

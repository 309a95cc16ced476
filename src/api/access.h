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
 * Access control: authentication, tenants and browser protection, checked when a request's headers
 * are complete, before its body is read.
 *
 * Requests from web pages of other origins are refused (403), with tokens and without, because a
 * browser sends a Basic password or client certificate with every request. Exceptions: what the
 * route's CORS settings allow (net/http/cors.h), and following a link to an HTTP_OPEN route.
 * Without tokens and without TLS the Host header must name this server (403): otherwise a page
 * could read all data by DNS rebinding. With tokens such a page has no token, and with TLS no valid
 * certificate. A request without Host (HTTP/1.0) is accepted: every browser sends Host.
 *
 * A token file has one token per line, at least ACCESS_TOKEN_MIN bytes of printable text without
 * spaces, optionally followed by a space and the tenant it is valid for (default: all tenants).
 * Empty lines and lines that begin with '#' are ignored. A client sends a token as `Authorization:
 * Bearer TOKEN` or as the password of Basic. Only digests of tokens are stored; comparing takes the
 * same time for every wrong token.
 *
 * With tenants enabled each request names a tenant in X-Scope-OrgID (Pyroscope's and Mimir's rules:
 * up to 150 of A-Z a-z 0-9 ! - _ . * ' ( ), not "." and ".."); the default is the tenant of the
 * token. HTTP_OPERATOR routes may omit it unless the token has a tenant, and then show all tenants
 * together. Without tenants a token must not name one: its owner would see everybody's data.
 *
 * HTTP_OPEN routes need neither token nor tenant.
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
	const char *token_file; /* NULL: no authentication */
	/*
	 * Names of this server; set by access_allow_host() and access_allow_address() before
	 * serving.
	 */
	struct host_rules hosts;
	VEC(struct str) host_names;
	struct arena arena;
	/* The source of x->account, or NULL. Set before serving. */
	struct limits *limits;
	bool tenants;
	pthread_rwlock_t lock; /* guards the following fields */
	struct access_token *tokens;
	size_t token_count;
	char *text; /* of the file: tenants point into it, tokens are wiped */
};

/*
 * Load the token file, which may be NULL; its name is borrowed. Return 0, or -errno with file and
 * line in `e`. Call access_fini() in either case.
 */
MUST_USE int access_init(struct access *a, const char *token_file, bool tenants, struct err *e);
void access_fini(struct access *a);

/* Forget all hosts. Only before serving, or while the server is paused. */
void access_clear_hosts(struct access *a);

/*
 * Accept this host, a rule of struct host_rules. Only before serving, or while the server is
 * paused. Return 0 or -ENOMEM.
 */
MUST_USE int access_allow_host(struct access *a, struct str name);

/* Accept the host of a listening address "host:port"; any address for ":port" and wildcards. */
MUST_USE int access_allow_address(struct access *a, struct str address);

/* Reload the token file. On error the old tokens stay in effect. */
MUST_USE int access_reload(struct access *a, struct err *e);

/*
 * Set x->tenant and x->account and return true, or fill *why (400, 401, 403). For http_app.admit.
 */
bool access_admit(struct access *a, struct http_exchange *x, struct http_refusal *why);

/* Return whether `name` is a valid tenant name. */
bool access_tenant_valid(struct str name);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_ACCESS_ACCESS_H
#define VARVE_API_ACCESS_ACCESS_H

#include <pthread.h>

#include "api/access/audit.h"
#include "api/access/auth_failures.h"
#include "api/access/proxy_users.h"
#include "api/access/token_file.h"
#include "base/arena.h"
#include "base/container/vec.h"
#include "net/http/http.h"
#include "pipeline/admission/limits.h"
#include "pipeline/caller.h"
#include "wire/origin.h"

/*
 * Access control: authentication, scopes, tenants and browser protection, checked when a request's
 * headers are complete, before its body is read.
 *
 * Requests from web pages of other origins are refused (403), with tokens and without, because a
 * browser sends a Basic password or client certificate with every request. Exceptions: what the
 * route's CORS settings allow (net/http/cors.h), and following a link to an HTTP_OPEN route.
 * Without tokens and without TLS the Host header must name this server (403): otherwise a page
 * could read all data by DNS rebinding. With tokens such a page has no token, and with TLS no valid
 * certificate. A request without Host (HTTP/1.0) is accepted: every browser sends Host.
 *
 * A client sends a token as `Authorization: Bearer TOKEN` or as the password of Basic. Tokens are
 * the lines of a file (token_file.h); only their digests are kept, and comparing takes the same
 * time for every wrong token. A token needs the scope of the route: HTTP_READS, HTTP_CONTROLS,
 * HTTP_ADMIN, else read for GET and write for other methods; the scope admin includes the others. A
 * token that is limited to services may use only routes with HTTP_BY_SERVICE and those that write;
 * the handlers apply the services (struct caller, struct account). Wrong tokens are limited by
 * address (auth_failures.h), requests by token (requests_per_second).
 *
 * On connections of configured proxies, users may be named by headers instead (proxy_users.h).
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
enum { ACCESS_TOKENS_MAX = 10000 };

/* A token of the file. */
struct access_token {
	struct token token;
	/* When all requests so far are paid off; monotonic ns, for requests_per_second. */
	_Atomic uint64_t paid_ns;
};

/* All tokens of a file. Digests are apart, so that looking for one reads little memory. */
struct access_tokens {
	struct access_token *at;
	uint8_t (*digests)[TOKEN_DIGEST];
	size_t n;
	char *text; /* of the file: tokens point into it, plain ones are wiped */
};

struct access {
	const char *token_file; /* NULL: no authentication by tokens */
	/*
	 * Names of this server; set by access_allow_host() and access_allow_address() before
	 * serving.
	 */
	struct host_rules hosts;
	VEC(struct str) host_names;
	struct proxy_users proxy; /* set by access_set_proxy() */
	struct arena arena;	  /* of these */
	/* The source of x->account, or NULL. Set before serving. */
	struct limits *limits;
	struct audit *audit; /* borrowed, may be NULL; set before serving */
	bool tenants;
	pthread_rwlock_t lock; /* guards `tokens`, which a reload replaces */
	struct access_tokens tokens;
	struct auth_failures failures;
	/* For the lines of refusals in the audit log. */
	_Atomic uint64_t refusals_paid_ns, refusals_not_logged;
};

/*
 * Load the token file, which may be NULL; its name is borrowed. Return 0, or -errno with file and
 * line in `e`. Call access_fini() in either case.
 */
MUST_USE int access_init(struct access *a, const char *token_file, bool tenants, struct err *e);
void access_fini(struct access *a);

/* Forget all hosts and proxies. Only before serving, or while the server is paused. */
void access_clear_hosts(struct access *a);

/*
 * Accept this host, a rule of struct host_rules. Only before serving, or while the server is
 * paused. Return 0 or -ENOMEM.
 */
MUST_USE int access_allow_host(struct access *a, struct str name);

/* Accept the host of a listening address "host:port"; any address for ":port" and wildcards. */
MUST_USE int access_allow_address(struct access *a, struct str address);

/* Trust the headers of these proxies. Likewise. Return 0 or -errno. */
MUST_USE int access_set_proxy(struct access *a, const struct proxy_settings *s, struct err *e);

/* Return whether requests need a token or a user. */
static inline bool access_is_protected(const struct access *a)
{
	return a->token_file || a->proxy.peer_count;
}

/* Reload the token file. On error the old tokens stay in effect. One thread at a time. */
MUST_USE int access_reload(struct access *a, struct err *e);

/*
 * Set x->tenant, x->account and x->caller and return true, or fill *why (400, 401, 403, 429). For
 * http_app.admit.
 */
bool access_admit(struct access *a, struct http_exchange *x, struct http_refusal *why);

/* Log an action of a request's caller. Return 0 or -errno (audit_write()). */
MUST_USE int access_log(struct audit *audit, const struct http_exchange *x, const char *action,
			struct str object, const char *result, struct str detail, struct err *e);

/* Append the counters of authentication in Prometheus text format. */
void access_metrics(struct access *a, struct buf *out);

#endif

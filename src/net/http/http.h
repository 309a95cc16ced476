/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_HTTP_HTTP_H
#define VARVE_NET_HTTP_HTTP_H

#include <sys/socket.h>

#include "base/arena.h"
#include "base/buf.h"

/*
 * The types of a request and its response, the same over HTTP/1.1 and HTTP/2.
 *
 * The server calls a route's handler on a loop thread when the whole body has been received. The
 * handler must not block: it responds at once, or hands the exchange to another thread, which
 * responds later. The exchange and everything it points to belong to the handler until it calls
 * http_respond() (respond.h), exactly once and from any thread. Afterwards it must not touch them.
 *
 * Checks that need only the headers are made before the body is read: the path (400), the route
 * (404, 405), the admit hook (401, 403, 429, 503), the content coding (415), the length (413) and
 * the available memory (503).
 */
enum http_method {
	METHOD_GET = 1 << 0,
	METHOD_HEAD = 1 << 1, /* every GET route accepts it; the body is not sent */
	METHOD_POST = 1 << 2,
	METHOD_PUT = 1 << 3,
	METHOD_DELETE = 1 << 4,
	METHOD_PATCH = 1 << 5,
	METHOD_OPTIONS = 1 << 6,
	METHOD_OTHER = 1 << 7,
};

enum http_protocol { HTTP_1_0, HTTP_1_1, HTTP_2 };

struct http_header {
	struct str name; /* lower case */
	struct str value;
};

struct http_route;
struct account;
struct caller;

struct http_exchange {
	enum http_method method;
	enum http_protocol protocol;
	/* Percent-decoded. Begins with '/', has no "." or ".." segment and no control character. */
	struct str path;
	struct str query;		   /* as sent, after the '?'; see http_param() */
	struct str host;		   /* Host or :authority; may be empty */
	const struct http_header *headers; /* in the order sent */
	size_t header_count;
	struct str body; /* complete and decompressed; as sent for HTTP_RAW_BODY */
	const struct http_route *route;
	const struct sockaddr_storage *peer;
	bool tls;
	uint64_t started_ns;  /* clock_monotonic_ns() when the headers were complete */
	uint64_t deadline_ns; /* clock_monotonic_ns() to respond by; UINT64_MAX: no deadline */
	/* For the current owner of the exchange; charged to the server's max_memory. */
	struct arena *arena;
	/* The tenant that owns the data, set by admit. Empty: the single tenant. */
	struct str tenant;
	void *user; /* set by admit for the handler */
	/*
	 * The account whose limits apply (pipeline/limits.h), set by admit, in the arena; or NULL.
	 */
	struct account *account;
	const struct caller *caller; /* pipeline/caller.h; set by admit, in the arena; or NULL */
	/* Headers of every response, including refusals; set by admit, in the arena. */
	const struct http_header *answer_headers;
	size_t answer_header_count;
};

/* Why a request is refused. */
struct http_refusal {
	unsigned status;
	unsigned retry_after_s; /* 0: none */
	/* An additional response header, for example www-authenticate; borrowed, may be empty. */
	struct http_header header;
	char text[256]; /* for the client: what to change, and which option */
};

/* Flags of a route. */
enum {
	/* The route matches its path and all paths that begin with it; the longest match wins. */
	HTTP_PREFIX = 1 << 0,
	/* The handler decodes Content-Encoding itself; see http_decode_body(). */
	HTTP_RAW_BODY = 1 << 1,
	/* Only the content types of net/rpc/rpc.h (415); refusals use Connect or gRPC. */
	HTTP_RPC = 1 << 2,
	/* The response contains no stored data: the admit hook requires no credentials. */
	HTTP_OPEN = 1 << 3,
	/* Allowed without a tenant; the request then concerns all tenants. */
	HTTP_OPERATOR = 1 << 4,
	/*
	 * Owner and table outlive changes of the listeners, which do not wait for its responses
	 * (net/change.h).
	 */
	HTTP_PERMANENT = 1 << 5,
	/*
	 * What the token of a request has to permit (api/access/access.h); with the first two, one of
	 * both. Without any of these, GET needs the scope read and any other method write.
	 */
	HTTP_READS = 1 << 6,
	HTTP_CONTROLS = 1 << 7,
	HTTP_ADMIN = 1 << 8,
	/* The route applies the services of the token to what it returns; others refuse such. */
	HTTP_BY_SERVICE = 1 << 9,
	/* Only for its own methods: other methods are refused as if the route did not exist (404). */
	HTTP_FALLBACK = 1 << 10,
};

struct http_route {
	unsigned methods; /* enum http_method, or-ed */
	unsigned flags;
	struct str path; /* exact, unless HTTP_PREFIX */
	void (*handler)(void *owner, struct http_exchange *x);
	void *owner;
	size_t max_body; /* bytes, as sent and decompressed; 0: the server's max_body_bytes */
	/*
	 * Respond to a refused request in the route's own format with http_respond(). NULL: JSON
	 * {"code","message"} for HTTP_RPC, gRPC status for gRPC clients, else plain text. Loop
	 * thread.
	 */
	void (*refuse)(void *owner, struct http_exchange *x, const struct http_refusal *why);
	/* Which web pages of other origins may use the route (net/http/cors.h); NULL: none. */
	const struct http_cors *cors;
};

/* What a listener serves. Immutable; a listener can change to another one (net/change.h). */
struct http_app {
	const struct http_route *routes;
	size_t route_count;
	/*
	 * Authorize a request: return true, or false with *why filled. Called on the loop thread
	 * when the headers are complete; x->body is empty. May be NULL. May set x->user and lower
	 * x->deadline_ns.
	 */
	bool (*admit)(void *owner, struct http_exchange *x, struct http_refusal *why);
	void *owner;
};

/* http_respond() copies headers and trailers and moves `body`. */
struct http_response {
	unsigned status; /* 200..599 */
	/* Compress with gzip, in the calling thread, if the client accepts it and it pays off. */
	bool compress;
	unsigned retry_after_s;
	struct str content_type; /* may be empty */
	const struct http_header *headers;
	size_t header_count;
	const struct http_header *trailers; /* not sent over HTTP/1.0 */
	size_t trailer_count;
	struct buf body;
	struct str static_body; /* instead of `body`: bytes that outlive the server */
};

#endif

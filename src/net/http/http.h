/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_HTTP_HTTP_H
#define VARVE_NET_HTTP_HTTP_H

#include <sys/socket.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

/*
 * One request and its answer, the same over HTTP/1.1 and HTTP/2.
 *
 * The server calls a route's handler on a loop thread when the whole body is there. The handler must
 * not block: it answers at once, or hands the exchange to another thread, which answers later. Until
 * http_respond() the exchange and all it points to belong to the handler; http_respond() gives it
 * back, exactly once, from any thread, and nothing of it may be touched afterwards.
 *
 * What can be decided when the headers are complete is decided then, before a byte of the body is read: the
 * path (400), the route (404, 405), the admit hook (401, 403, 429, 503), the coding (415), the length
 * (413), the room for it (503).
 */
enum http_method {
	METHOD_GET = 1 << 0,
	METHOD_HEAD = 1 << 1, /* every GET route answers it; its body is left out on the wire */
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

struct http_exchange {
	enum http_method method;
	enum http_protocol protocol;
	struct str
		path; /* percent-decoded; begins with '/', has no "." or ".." segment, no control character */
	struct str query;		   /* as sent, behind the '?'; see http_param() */
	struct str host;		   /* Host or :authority; may be empty */
	const struct http_header *headers; /* in the order sent */
	size_t header_count;
	struct str body; /* whole and decompressed; as sent for HTTP_RAW_BODY */
	const struct http_route *route;
	const struct sockaddr_storage *peer;
	bool tls;
	uint64_t started_ns;  /* clock_monotonic_ns() when its headers were complete */
	uint64_t deadline_ns; /* of the same clock: answer before it; UINT64_MAX: whenever */
	struct arena
		*arena; /* for whoever holds the exchange; charged to the server's body budget */
	struct str
		tenant; /* whose data this is about; set by admit. Empty: the one tenant there is */
	void *user;	/* the caller's: what admit found out for the handler */
	/* Whose limits count (pipeline/limits.h), set by admit, in the arena; NULL: nobody's. */
	struct account *account;
	/* Headers of every answer, whoever makes it; set by admit, in the arena. */
	const struct http_header *answer_headers;
	size_t answer_header_count;
};

/* Why a request is not let in. */
struct http_refusal {
	unsigned status;
	unsigned retry_after_s; /* 0: none */
	struct http_header
		header; /* one more for the answer, e.g. www-authenticate; borrowed, may be empty */
	char text[256]; /* for the caller: what to change, and which option */
};

enum {
	HTTP_PREFIX =
		1 << 0, /* the path and all that begins with it; the longest such route is taken */
	HTTP_RAW_BODY = 1 << 1, /* Content-Encoding is the handler's; see http_decode_body() */
	HTTP_RPC =
		1
		<< 2, /* only the content types of net/rpc/rpc.h (415); refusals speak Connect or gRPC */
	HTTP_OPEN =
		1
		<< 3, /* tells nothing of anybody's data: whoever decides who comes in lets all in */
	HTTP_OPERATOR = 1 << 4, /* may be asked without a tenant: then it is about all of them */
};

struct http_route {
	unsigned methods; /* enum http_method, or-ed */
	unsigned flags;
	struct str path; /* exact, unless HTTP_PREFIX */
	void (*handler)(void *owner, struct http_exchange *x);
	void *owner;
	size_t max_body; /* bytes, as sent and decompressed; 0: the server's max_body_bytes */
	/*
	 * Answer a refusal in the route's own format with http_respond(); may be NULL: JSON
	 * {"code","message"} for HTTP_RPC, gRPC status for gRPC senders, else plain text. Loop thread.
	 */
	void (*refuse)(void *owner, struct http_exchange *x, const struct http_refusal *why);
	/* Pages of other origins that may use it (net/http/cors.h); NULL: none. */
	const struct http_cors *cors;
};

/* What a listener serves. Immutable while the server runs. */
struct http_app {
	const struct http_route *routes;
	size_t route_count;
	/*
	 * May this request come in? false with *why filled: no. Called on the loop thread when the
	 * headers are complete; x->body is empty. May be NULL. May set x->user and lower x->deadline_ns.
	 */
	bool (*admit)(void *owner, struct http_exchange *x, struct http_refusal *why);
	void *owner;
};

/* The answer. Headers and trailers are copied; the body is moved: r->body is empty afterwards. */
struct http_response {
	unsigned status; /* 200..599 */
	bool compress; /* gzip if the sender takes it and the body is worth it; in the calling thread */
	unsigned retry_after_s;
	struct str content_type; /* may be empty */
	const struct http_header *headers;
	size_t header_count;
	const struct http_header *trailers; /* not with HTTP/1.0, which has none */
	size_t trailer_count;
	struct buf body;
	struct str static_body; /* instead of `body`: bytes that outlive the server */
};

/* Answer. Any thread, exactly once. Cannot fail: when memory is out the sender gets 503 or a closed stream. */
void http_respond(struct http_exchange *x, struct http_response *r);

/* The same for a line of text (a newline is added). */
void http_respond_text(struct http_exchange *x, unsigned status, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

/* The same for JSON that is ready in `body`, which is moved. Compressed where taken. */
void http_respond_json(struct http_exchange *x, unsigned status, struct buf *body);

/* Answer as a refusal of the server itself: by the route's `refuse`, or as described there. */
void http_refuse(struct http_exchange *x, const struct http_refusal *why);

/* Has the sender left? For long work: stop, and answer anyway. Any thread that holds the exchange. */
bool http_gone(const struct http_exchange *x);

/*
 * Be called, on the loop thread, when the sender leaves before the answer. Never called once
 * http_respond() has begun; http_respond() waits for a call that runs. Set it before handing the
 * exchange to another thread.
 */
void http_on_gone(struct http_exchange *x, void (*gone)(void *arg), void *arg);

/* The first header of that name (lower case), or the empty string with p == NULL. */
struct str http_header(const struct http_exchange *x, struct str name);

/* Does a comma-separated header list this word (case-insensitive; `;` parameters and q=0 are seen)? */
bool http_header_lists(struct str value, struct str word);

/* The media type without parameters, in lower case, e.g. "application/json"; lives in the arena. */
struct str http_content_type(const struct http_exchange *x);

/*
 * A parameter of a header value: http_header_param(type, STR("boundary")). Quotes around it are taken off, escapes
 * inside them stay. p == NULL: there is none.
 */
struct str http_header_param(struct str value, struct str name);

/*
 * The `nth` (from 0) query parameter of that name, decoded ('+' is a space) into the arena.
 * 0, -ENOENT, -EINVAL for a bad escape, -ENOMEM.
 */
MUST_USE int http_param(const struct http_exchange *x, struct str name, unsigned nth,
			struct str *value);

/* As http_param() for the body of application/x-www-form-urlencoded, or any such text. */
MUST_USE int http_form_value(struct arena *a, struct str form, struct str name, unsigned nth,
			     struct str *value);

/* Walk over all parameters: false at the end. Undecoded slices of *rest; see http_unescape(). */
bool http_next_param(struct str *rest, struct str *name, struct str *value);

/* Percent-decode into the arena; `form`: '+' is a space. 0, -EINVAL, -ENOMEM. */
MUST_USE int http_unescape(struct arena *a, struct str text, bool form, struct str *out);

/*
 * For HTTP_RAW_BODY: undo Content-Encoding now, in this thread. x->body is the result. 0, -ENOTSUP for an
 * unknown coding (415), -EBADMSG (400), -EFBIG over the limit (413), -ENOMEM (503).
 */
MUST_USE int http_decode_body(struct http_exchange *x, struct err *e);

/* A body that outlives its exchange. */
struct http_body {
	struct str bytes;
	struct buf raw;
	struct arena arena;
};

/* Move the body's memory out, e.g. when it is answered before it is used. x->body stays readable. */
void http_detach_body(struct http_exchange *x, struct http_body *body);
void http_body_fini(struct http_body *body);

/* "203.0.113.5:4711" or "[::1]:4711". */
enum { NET_ADDRESS_TEXT = 64 };
const char *net_address_format(const struct sockaddr_storage *address, char out[NET_ADDRESS_TEXT]);

/* "OK", "Not Found", ... */
const char *http_status_text(unsigned status);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_REQUEST_H
#define VARVE_API_REQUEST_H

#include "base/buf.h"
#include "net/rpc/rpc.h"
#include "store/store.h"

/*
 * The input and output of a query handler (api_answer), independent of protocol and socket.
 * Handlers run on a thread of the pool and may take long; the store checks the limits for them.
 */
struct api;
struct dashboards;
struct files;
struct kept;

struct request {
	struct store *store;
	struct str tenant;
	struct store_limits limits;
	struct arena *arena; /* lives as long as the request; charged to limits.budget */
	uint64_t now_ns;     /* since 1970 */
	struct str query;    /* parameters of the URL, as sent */
	struct str body;     /* a protobuf message, or the body as sent */
	struct str content_type;
	bool utf8_labels; /* label names beyond [A-Za-z0-9_] may be returned */
	/* The account whose limits apply to uploads; NULL: no limits */
	const struct account *account;
	struct api *api;     /* NULL in unit tests */
	struct files *files; /* opened files, which can be queried like the store; may be NULL */
	struct kept *kept;   /* cached results; NULL: no caching */
	struct dashboards *dashboards; /* of the pages; NULL: none */
	/* The exchange, for sender statistics and path prefixes. NULL in unit tests. */
	const struct http_exchange *sender;
};

struct reply {
	unsigned status; /* 0: 200 */
	struct str content_type;
	struct buf body;	   /* a protobuf message for RPCs */
	struct http_header header; /* an additional header; may be empty */
};

/*
 * Handle a query. Return 0 with the reply filled, or -errno with a line for the client in `e`:
 * -EINVAL (400), -ENOENT (404), -EOPNOTSUPP (unimplemented), -ETIMEDOUT, -ECANCELED, -ENOMEM (the
 * query's budget), -EAGAIN (retry), -EDOM (cannot be evaluated); other errors are internal.
 */
typedef int api_answer(struct request *r, struct reply *out, struct err *e);

/* Return the code for an errno of a handler. If e's text is empty, set it. */
enum rpc_code api_code(int rc, struct err *e);

/*
 * Append a line that describes the data missing from a response (limits.missing, may be NULL), or
 * nothing. The line is sent in the header WARNING_HEADER, in "warnings" of our own JSON responses,
 * and appended to error texts.
 */
#define WARNING_HEADER "varve-warning"
void warning_text(const struct store_missing *missing, struct buf *out);

/* Get a URL parameter, decoded; empty if absent. Return 0, -EINVAL for a bad escape, or -ENOMEM. */
MUST_USE int request_param(struct request *r, const char *name, struct str *value, struct err *e);

/*
 * Replace the body by its content if the sender has encrypted it (docs/encryption.md). Return 0,
 * -EBADMSG with a text for the sender, or -ENOMEM.
 */
MUST_USE int request_unseal(struct request *r, struct err *e);

/* The maximum length of any list in a request. */
enum { REQUEST_LIST_MAX = 4096 };

struct texts {
	VEC(struct str) list;
};
/* Get all parameters of that name, in order; more than REQUEST_LIST_MAX are an error. */
MUST_USE int request_params(struct request *r, const char *name, struct texts *out, struct err *e);

/* Get an unsigned integer; `initial` if absent. -EINVAL names the parameter. */
MUST_USE int request_u64(struct request *r, const char *name, uint64_t initial, uint64_t *out,
			 struct err *e);

/* Get a flag. True: "1", "true", "yes" or an empty value. False: "0", "false", "no" or absent. */
MUST_USE int request_flag(struct request *r, const char *name, bool *out, struct err *e);

#endif

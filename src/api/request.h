/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_REQUEST_H
#define VARVE_API_REQUEST_H

#include "base/buf.h"
#include "net/rpc/rpc.h"
#include "store/store.h"

/*
 * One question, however it came: what a function that answers needs, and no socket. Functions that
 * answer run on a thread of the pool and may take long; they look at the limits through the store.
 */
struct api;
struct files;
struct kept;

struct request {
	struct store *store;
	struct str tenant;
	struct store_limits limits;
	struct arena *arena; /* for as long as the request; charged to limits.budget */
	uint64_t now_ns;     /* since 1970 */
	struct str query;    /* parameters of the URL, as sent */
	struct str body;     /* a message in protobuf, or the body as sent */
	struct str content_type;
	bool utf8_labels; /* names of labels beyond [A-Za-z0-9_] may be told */
	/* Whose limits count for what it uploads; NULL: nobody's */
	const struct account *account;
	struct api *api;     /* NULL in tests of single answers */
	struct files *files; /* that can be asked instead of the store; NULL: none */
	struct kept *kept;   /* results of queries before this one; NULL: none are kept */
	/* How it came: for the list of senders, and paths with parts. NULL in tests of single answers. */
	const struct http_exchange *sender;
};

struct reply {
	unsigned status; /* 0: 200 */
	struct str content_type;
	struct buf body;	   /* a message in protobuf for remote calls */
	struct http_header header; /* one more; may be empty */
};

/*
 * 0 with the reply filled, or -errno with one line for the caller in `e`: -EINVAL (400), -ENOENT (404), -EOPNOTSUPP
 * (unimplemented), -ETIMEDOUT, -ECANCELED, -ENOMEM (the query's budget), -EAGAIN (retry), else internal.
 */
typedef int api_answer(struct request *r, struct reply *out, struct err *e);

/* The code of an errno from such a function; e's text is made good where it says nothing. */
enum rpc_code api_code(int rc, struct err *e);

/*
 * What an answer is without (limits.missing; NULL is nothing), for whoever reads it: nothing, or one line. It goes
 * into the header WARNING_HEADER of every answer, into "warnings" of our own, and behind the text of errors.
 */
#define WARNING_HEADER "varve-warning"
void warning_text(const struct store_missing *missing, struct buf *out);

/* A parameter of the URL, decoded; empty when it is not there. 0, -EINVAL for a bad escape, -ENOMEM. */
MUST_USE int request_param(struct request *r, const char *name, struct str *value, struct err *e);

/* All of that name, in their order; more than so many are refused, wherever a request has a list. */
enum { REQUEST_LIST_MAX = 4096 };

struct texts {
	VEC(struct str) list;
};
MUST_USE int request_params(struct request *r, const char *name, struct texts *out, struct err *e);

/* A whole number; `initial` when it is not there. -EINVAL names the parameter. */
MUST_USE int request_u64(struct request *r, const char *name, uint64_t initial, uint64_t *out,
			 struct err *e);

/* "1", "true", "yes", or there without a value; "0", "false", "no", or not there. */
MUST_USE int request_flag(struct request *r, const char *name, bool *out, struct err *e);

#endif

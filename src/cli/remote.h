/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_REMOTE_H
#define VARVE_CLI_REMOTE_H

#include "cli/command.h"
#include "net/client/http_client.h"
#include "wire/json.h"

/* A client of the server's API under /api/v1/ (docs/openapi.json), and the options of its users. */
struct remote_options {
	const char *url, *token_file, *tenant, *ca_file;
	bool insecure;
	uint64_t timeout;
};

extern const struct option remote_options[];

/* A time range; the server parses the texts. */
struct range_options {
	const char *from, *to;
};

extern const struct option range_options[];

struct remote {
	struct http_client *client;
	const struct remote_options *options; /* borrowed */
	struct buf base;		      /* of all URLs, without a trailing slash */
	struct cli *cli;		      /* borrowed */
	struct buf warning;		      /* the last one that was printed */
	bool quiet;			      /* print no warnings */
	const _Atomic bool *cancelled;	      /* ends requests; NULL: nothing does */
};

/*
 * Use the server of --url, else of $VARVE_URL, else http://127.0.0.1:4040. Return 0, or -errno with
 * a message in `e`. Call remote_close() in either case.
 */
MUST_USE int remote_open(struct remote *r, const struct remote_options *o, struct cli *cli,
			 struct err *e);
void remote_close(struct remote *r);

/* Restricts queries to samples of these spans and traces. */
struct span_options {
	struct option_list span, trace;
	const char *traces; /* TraceQL */
	bool children;
};
extern const struct option span_options[];

/* Append --span, --trace, --traces and --children as parameters. */
void remote_span_params(struct buf *url, const struct span_options *o);

/*
 * Build "/api/v1/top?query=a%20b&n=3": set the path, then add parameters. NULL and "" add nothing.
 */
void remote_path(struct buf *url, const char *path);
void remote_param(struct buf *url, const char *name, const char *value);

/*
 * Send a request (`method` NULL: GET) and append the body of the response. Return 0, or -errno with
 * a message in `e`; a status of 300 or above is an error with the server's message. Warnings of the
 * server about incomplete results are printed.
 */
MUST_USE int remote_request(struct remote *r, const char *method, const struct buf *path,
			    struct str body, struct buf *out, struct err *e);

/* Send a request without a body and parse the JSON response. `doc` lives in the arena. */
MUST_USE int remote_json(struct remote *r, const char *method, const struct buf *path,
			 struct json *doc, struct arena *arena, struct err *e);

/* A query of merged profiles. */
struct remote_profiles {
	struct remote *remote;
	const char *type, *from, *to;
	const struct span_options *spans; /* NULL: all samples, with or without a span */
};

/*
 * Fetch the merged profile of a selector as pprof, as inputs.fetch. `arg`: struct remote_profiles.
 */
MUST_USE int remote_fetch(void *arg, struct buf *out, const char *selector, struct err *e);

/* Build the URL of the merged profile in a format. */
void remote_profile_path(struct buf *url, const struct remote_profiles *p, const char *selector,
			 const char *format);

/* Return a number of a response, or 0 if it is missing. */
uint64_t remote_count(const struct json_value *root, const char *key);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_REMOTE_H
#define VARVE_CLI_REMOTE_H

#include "cli/command.h"
#include "net/client.h"
#include "wire/json.h"

/* The server that a command asks, through its interface under /api/v1/ (docs/openapi.json). */
struct remote_options {
	const char *url, *token_file, *tenant, *ca_file;
	bool insecure;
	uint64_t timeout;
};

extern const struct option remote_options[];

/* From when to when; texts are for the server to read. */
struct range_options {
	const char *from, *to;
};

extern const struct option range_options[];

struct remote {
	struct http_client *client;
	const struct remote_options *options; /* borrowed */
	struct buf base;		      /* of all URLs, without a slash at its end */
	struct cli *cli;		      /* borrowed */
	struct buf warning; /* the last one told: what the server's answers were without */
};

/* --url, else VARVE_URL, else this machine. 0, or -errno with a line in `e`. Close in every case. */
MUST_USE int remote_open(struct remote *r, const struct remote_options *o, struct cli *cli,
			 struct err *e);
void remote_close(struct remote *r);

/* Only samples of these spans and traces. */
struct span_options {
	struct option_list span, trace;
	bool children;
};
extern const struct option span_options[];

/* As parameters. */
void remote_span_params(struct buf *url, const struct span_options *o);

/* "/api/v1/top?query=a%20b&n=3": begin with the path, then parameters; NULL or empty ones are left out. */
void remote_path(struct buf *url, const char *path);
void remote_param(struct buf *url, const char *name, const char *value);

/*
 * Ask, and put the body of a good answer into `out`. An answer that is none (status 300 and up) is an error with what
 * the server said; what a good one is without is noted on stderr. `method` may be NULL. 0 or -errno with a line
 * in `e`.
 */
MUST_USE int remote_ask(struct remote *r, const char *method, const struct buf *path,
			struct str body, struct buf *out, struct err *e);

/* The same, and read it as JSON; doc's memory is the arena's. */
MUST_USE int remote_json(struct remote *r, const char *method, const struct buf *path,
			 struct json *doc, struct arena *arena, struct err *e);

/* Merged profiles of selectors as pprof: what inputs.fetch is for (cli/input.h). `arg` is a struct remote_profiles. */
struct remote_profiles {
	struct remote *remote;
	const char *type, *from, *to;
	const struct span_options *spans; /* NULL: samples of any span, or of none */
};

MUST_USE int remote_fetch(void *arg, struct buf *out, const char *selector, struct err *e);

/* The path of such a profile in that format. */
void remote_profile_path(struct buf *url, const struct remote_profiles *p, const char *selector,
			 const char *format);

/* A number of the server's answer; 0 when it is not there. */
uint64_t remote_count(const struct json_value *root, const char *key);

#endif

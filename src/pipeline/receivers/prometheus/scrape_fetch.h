/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_RECEIVERS_PROMETHEUS_SCRAPE_FETCH_H
#define VARVE_PIPELINE_RECEIVERS_PROMETHEUS_SCRAPE_FETCH_H

#include "net/client/http_client.h"
#include "pipeline/extensions/secret_file.h"
#include "pipeline/receivers/prometheus/scrape_config.h"

/*
 * The HTTP side of a target: a connection that is kept, credentials (files are read again when they
 * change), redirects. One thread at a time.
 */
struct fetch_secret {
	struct str fixed; /* borrowed of the settings */
	struct secret_file file;
	struct buf text;
};

struct scrape_fetch {
	const struct scrape_config *config;
	struct http_client *client;
	struct fetch_secret user, secret; /* secret: password or token */
	struct buf authorization;
	/* May be changed after scrape_fetch_init(). */
	struct str accept;	       /* the header Accept; default: the formats of metrics */
	size_t body_max;	       /* unless the config has a limit; default: 512 MiB */
	const _Atomic bool *cancelled; /* ends a request; default: NULL */
};

/* Return 0, or a negative errno. Call scrape_fetch_fini() in every case. */
MUST_USE int scrape_fetch_init(struct scrape_fetch *f, const struct scrape_config *c,
			       struct err *e);
void scrape_fetch_fini(struct scrape_fetch *f);

/*
 * Get a URL. On success the caller owns *answer (http_client_answer_fini()) and knows its format,
 * unless `format` is NULL. Return 0, or a negative errno with text in `e`: also for statuses other
 * than 200, then with the first line of a response in plain text.
 */
MUST_USE int scrape_fetch(struct scrape_fetch *f, const char *url, uint64_t timeout_ns,
			  struct http_client_answer *answer, enum text_format *format,
			  struct err *e);

/*
 * Send a request as it is, with credentials besides its headers, of which there are at most
 * SCRAPE_POST_HEADERS_MAX. Redirects are not followed. Return as http_client_request(), and call
 * http_client_answer_fini() in every case.
 */
enum { SCRAPE_POST_HEADERS_MAX = 64 };
MUST_USE int scrape_post(struct scrape_fetch *f, const struct http_client_request *request,
			 struct http_client_answer *answer, struct err *e);

#endif

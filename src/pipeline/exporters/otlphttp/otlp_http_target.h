/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_EXPORTERS_OTLPHTTP_OTLP_HTTP_TARGET_H
#define VARVE_PIPELINE_EXPORTERS_OTLPHTTP_OTLP_HTTP_TARGET_H

#include "pipeline/exporters/sender/client_settings.h"
#include "pipeline/exporters/sender/sender.h"

/*
 * A destination of OTLP/HTTP: the URL of each signal and what each request needs. It is the
 * exporter of otlp_http_ops; each consumer thread has a connection of its own. Immutable.
 */
struct otlp_http_options {
	const struct client_settings *client; /* with a checked compression */
	/* URLs used as they are, by signal_index(); empty: the client's endpoint and a path. */
	struct str urls[SIGNALS];
	struct str proxy; /* empty: by the environment */
	bool json;	  /* the encoding of messages; false: protobuf */
	int64_t level;	  /* of the compression; 0: fast */
};

struct otlp_http_target;

/* Return 0, or a negative errno with text in `e`. The settings outlive the target. */
MUST_USE int otlp_http_target_new(struct otlp_http_target **out, const struct component_env *env,
				  const struct otlp_http_options *options, struct err *e);
void otlp_http_target_free(struct otlp_http_target *t); /* takes NULL */

/* Return the endpoint for logs and status pages, without user and password. */
const char *otlp_http_target_text(const struct otlp_http_target *t);

extern const struct sender_ops otlp_http_ops;

/* Return whether a setting is a URL that can be sent to: http or https, with a host. */
bool otlp_http_is_url(struct str url);

#endif

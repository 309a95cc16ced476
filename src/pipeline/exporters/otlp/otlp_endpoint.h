/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_EXPORTERS_OTLP_OTLP_ENDPOINT_H
#define VARVE_PIPELINE_EXPORTERS_OTLP_OTLP_ENDPOINT_H

#include "base/arena.h"
#include "base/err.h"

/*
 * The forms of the endpoint of an OTLP exporter: host:port, dns:///host:port, http://host:port,
 * https://host:port, and URLs with a path, which mean OTLP over HTTP.
 */
enum otlp_scheme {
	OTLP_SCHEME_NONE, /* tls.insecure decides */
	OTLP_SCHEME_HTTP, /* plaintext */
	OTLP_SCHEME_HTTPS,
};

struct otlp_endpoint {
	enum otlp_scheme scheme;
	bool has_path;	    /* OTLP over HTTP */
	struct str address; /* gRPC: "host:port", NUL-terminated */
};

/* Return 0, -ENOMEM, or -EINVAL with text in `e`. */
MUST_USE int otlp_endpoint_parse(struct otlp_endpoint *out, struct str endpoint,
				 struct arena *arena, struct err *e);

#endif

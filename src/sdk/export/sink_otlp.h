/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_EXPORT_SINK_OTLP_H
#define VARVE_SDK_EXPORT_SINK_OTLP_H

#include "sdk/export/sink.h"
#include "seal/key_ring.h"

struct post_client;

struct otlp_sink_options {
	const char *headers;   /* "key=value,..." of each request; NULL: none */
	struct key_ring *keys; /* bodies are encrypted by the first one; NULL: in clear */
	bool no_compression;
	/*
	 * OTEL_EXPORTER_OTLP_TRACES_ENDPOINT and _HEADERS, and those of METRICS, LOGS and PROFILES,
	 * take precedence for their signals. Over HTTP such an endpoint is used as it is.
	 */
	bool environment;
};

/*
 * Make a sink for OTLP over HTTP or gRPC. `endpoint` is a URL. Return 0, -EINVAL or -ENOMEM.
 */
MUST_USE int sink_otlp_http(struct sink **out, const char *endpoint,
			    const struct otlp_sink_options *o, struct err *e);
MUST_USE int sink_otlp_grpc(struct sink **out, const char *endpoint,
			    const struct otlp_sink_options *o, struct err *e);

/* Implement check() of an HTTP sink: GET /ready on a connection of its own. Any thread. */
MUST_USE int sink_check_ready(const struct post_client *client, uint64_t timeout_ms, struct err *e);

#endif

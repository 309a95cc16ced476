/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_EXPORT_SINK_OTLP_H
#define VARVE_SDK_EXPORT_SINK_OTLP_H

#include "sdk/export/sink.h"

struct post_client;

/*
 * Make a sink for OTLP over HTTP or gRPC. `endpoint` is a URL; `headers`, "key=value,...", are sent
 * with each request. Return 0, -EINVAL or -ENOMEM.
 */
MUST_USE int sink_otlp_http(struct sink **out, const char *endpoint, const char *headers,
			    struct err *e);
MUST_USE int sink_otlp_grpc(struct sink **out, const char *endpoint, const char *headers,
			    struct err *e);

/* Implement check() of an HTTP sink: GET /ready on a connection of its own. Any thread. */
MUST_USE int sink_check_ready(const struct post_client *client, uint64_t timeout_ms, struct err *e);

#endif

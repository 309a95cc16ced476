/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_EXPORTERS_OTLPHTTP_OTLP_REPLY_H
#define VARVE_PIPELINE_EXPORTERS_OTLPHTTP_OTLP_REPLY_H

#include "pipeline/exporters/sender/sender.h"

/* What destinations of OTLP respond, over HTTP and over gRPC, as results of an attempt. */

/*
 * Set SEND_OK or SEND_PARTIAL from an ExportTraceServiceResponse or its counterpart of another
 * signal. A damaged message counts as SEND_OK: the data was accepted.
 */
void otlp_reply_read(struct send_result *result, struct str message);

/* The same for a message in JSON. */
void otlp_reply_read_json(struct send_result *result, struct str text);

/*
 * Set SEND_RETRY or SEND_PERMANENT from a response that is not a success. `status` is the HTTP
 * status, `type` the content type of `body`, which is a google.rpc.Status, JSON with a message,
 * or text. `url` is for the reason.
 */
struct otlp_http_failure {
	unsigned status;
	uint64_t retry_after_s;
	bool any_server_error; /* repeat 408 and all of 5xx, but 501, not only OTLP's statuses */
	const char *url;
	struct str type, body;
};
void otlp_http_failure_read(struct send_result *result, const struct otlp_http_failure *failure);

/* Set the class and its reason; control characters, which would break a line, become spaces. */
void otlp_result_set(struct send_result *result, enum send_class class, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_RECEIVERS_OTLP_OTLP_RESPONSE_H
#define VARVE_PIPELINE_RECEIVERS_OTLP_OTLP_RESPONSE_H

#include "net/rpc/rpc.h"
#include "pipeline/component.h"

/* How OTLP/HTTP answers, in the encoding of the request. */
enum otlp_encoding { OTLP_ENCODING_NONE, OTLP_ENCODING_PROTOBUF, OTLP_ENCODING_JSON };

/* By content type, parameters aside; OTLP_ENCODING_NONE for others (415). */
enum otlp_encoding otlp_encoding_of(const struct http_exchange *x);

/*
 * Append the response of the signal's Export call: empty on full success, else partial_success with how many
 * profiles, spans, data points or log records were rejected and why (or a warning, with none rejected).
 */
void otlp_response(struct buf *out, enum otlp_encoding encoding, enum signal_kind signal,
		   uint64_t rejected, struct str reason);

/* Append a google.rpc.Status. */
void otlp_status(struct buf *out, enum otlp_encoding encoding, const struct rpc_error *error);

/* The HTTP status for a code: what the specification lets senders try again stays so. */
unsigned otlp_http_status(enum rpc_code code);

/* Answer a request with a Status, in its encoding; plain text where that is none we know. */
void otlp_http_fail(struct http_exchange *x, unsigned status, const struct rpc_error *error);

/* The `refuse` of OTLP's routes, HTTP and gRPC alike. */
void otlp_refuse(void *owner, struct http_exchange *x, const struct http_refusal *why);

#endif

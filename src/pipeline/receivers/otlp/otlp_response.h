/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_RECEIVERS_OTLP_OTLP_RESPONSE_H
#define VARVE_PIPELINE_RECEIVERS_OTLP_OTLP_RESPONSE_H

#include "net/rpc/rpc.h"
#include "net/rpc/rpc_reply.h"
#include "pipeline/component.h"

/* Responses of OTLP, in the encoding of the request. */
enum otlp_encoding { OTLP_ENCODING_NONE, OTLP_ENCODING_PROTOBUF, OTLP_ENCODING_JSON };

/* Return the encoding by content type; OTLP_ENCODING_NONE for other types (415). */
enum otlp_encoding otlp_encoding_of(const struct http_exchange *x);

/*
 * Append the response of the signal's Export call: empty on full success, else a partial_success
 * with the number of rejected profiles, spans, data points or log records and the reason (or a
 * warning, with none rejected).
 */
void otlp_response(struct buf *out, enum otlp_encoding encoding, enum signal_kind signal,
		   uint64_t rejected, struct str reason);

/* Append a google.rpc.Status. */
void otlp_status(struct buf *out, enum otlp_encoding encoding, const struct rpc_error *error);

/* Return the HTTP status for a code; retryable codes map to retryable statuses. */
unsigned otlp_http_status(enum rpc_code code);

/* Respond with a Status in the request's encoding, or in plain text if that is unknown. */
void otlp_http_fail(struct http_exchange *x, unsigned status, const struct rpc_error *error);

/* The `refuse` hook of OTLP's routes, for HTTP and gRPC. */
void otlp_refuse(void *owner, struct http_exchange *x, const struct http_refusal *why);

#endif

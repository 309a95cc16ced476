/* SPDX-License-Identifier: Apache-2.0 */
/* Responses of OTLP: partial_success, google.rpc.Status and HTTP statuses. */
#include "pipeline/receivers/otlp/otlp_response.h"

#include <errno.h>

#include "net/http/header.h"
#include "net/http/respond.h"
#include "net/rpc/rpc_reply.h"
#include "wire/json_write.h"
#include "wire/proto.h"

enum otlp_encoding otlp_encoding_of(const struct http_exchange *x)
{
	struct str type = http_content_type(x);

	if (str_eq(type, STR("application/x-protobuf")) ||
	    str_eq(type, STR("application/protobuf")))
		return OTLP_ENCODING_PROTOBUF;
	return str_eq(type, STR("application/json")) ? OTLP_ENCODING_JSON : OTLP_ENCODING_NONE;
}

static void response_json(struct buf *out, enum signal_kind signal, uint64_t rejected,
			  struct str reason)
{
	static const struct str keys[] = {STR_INIT("rejectedProfiles"), STR_INIT("rejectedSpans"),
					  STR_INIT("rejectedDataPoints"),
					  STR_INIT("rejectedLogRecords")};
	struct json_writer w = json_writer_to(out, 0);

	json_open_object(&w);
	if (rejected || reason.n) {
		json_put_key(&w, STR("partialSuccess"));
		json_open_object(&w);
		if (rejected) {
			json_put_key(&w, keys[signal_index(signal)]);
			json_put_u64_string(&w, rejected);
		}
		json_put_key(&w, STR("errorMessage"));
		json_put_string(&w, reason);
		json_close_object(&w);
	}
	json_close_object(&w);
}

void otlp_response(struct buf *out, enum otlp_encoding encoding, enum signal_kind signal,
		   uint64_t rejected, struct str reason)
{
	struct proto_writer w;

	if (encoding == OTLP_ENCODING_JSON) {
		response_json(out, signal, rejected, reason);
		return;
	}
	if (!rejected && !reason.n)
		return;
	proto_writer_init(&w, out->budget);
	proto_put_bytes(&w, 2, reason);
	proto_put_uint(&w, 1, rejected);
	proto_put_header(&w, 1, 0);
	buf_put_str(out, proto_writer_str(&w));
	proto_writer_fini(&w);
}

void otlp_status(struct buf *out, enum otlp_encoding encoding, const struct rpc_error *error)
{
	struct json_writer w = json_writer_to(out, 0);

	if (encoding != OTLP_ENCODING_JSON) {
		rpc_status_encode(out, error);
		return;
	}
	json_open_object(&w);
	json_put_key(&w, STR("code"));
	json_put_u64(&w, error->code);
	json_put_key(&w, STR("message"));
	json_put_string(&w, error->message);
	json_close_object(&w);
}

unsigned otlp_http_status(enum rpc_code code)
{
	switch (code) {
	case RPC_OK:
		return 200;
	case RPC_INVALID_ARGUMENT:
		return 400;
	case RPC_UNAUTHENTICATED:
		return 401;
	case RPC_PERMISSION_DENIED:
		return 403;
	case RPC_FAILED_PRECONDITION:
		return 422;
	case RPC_UNIMPLEMENTED:
	case RPC_NOT_FOUND:
		return 404;
	case RPC_RESOURCE_EXHAUSTED:
		return 429;
	case RPC_CANCELLED:
	case RPC_DEADLINE_EXCEEDED:
	case RPC_ABORTED:
	case RPC_OUT_OF_RANGE:
	case RPC_UNAVAILABLE:
	case RPC_DATA_LOSS:
		return 503;
	default:
		return 500;
	}
}

void otlp_http_fail(struct http_exchange *x, unsigned status, const struct rpc_error *error)
{
	enum otlp_encoding encoding = otlp_encoding_of(x);
	struct http_response r = {.status = status,
				  .retry_after_s =
					  (unsigned)((error->retry_after_ms + 999) / 1000)};

	if (encoding == OTLP_ENCODING_NONE) {
		buf_put_str(&r.body, error->message);
		r.content_type = STR("text/plain; charset=utf-8");
	} else {
		otlp_status(&r.body, encoding, error);
		r.content_type = encoding == OTLP_ENCODING_JSON ? STR("application/json")
								: STR("application/x-protobuf");
	}
	http_respond(x, &r);
}

void otlp_refuse(void *owner, struct http_exchange *x, const struct http_refusal *why)
{
	bool json;
	enum rpc_protocol protocol = rpc_protocol_of(x, &json);
	struct rpc_error error = {.code = rpc_code_of_http(why->status),
				  .message = str_from(why->text),
				  .retry_after_ms = (uint64_t)why->retry_after_s * 1000};

	(void)owner;
	if (protocol != RPC_NONE && protocol != RPC_CONNECT)
		rpc_refuse(x, protocol, why);
	else
		otlp_http_fail(x, why->status, &error);
}

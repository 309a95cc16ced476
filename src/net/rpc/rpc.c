/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The request side of remote calls: the protocol, the deadline and the message.
 *
 * In gRPC and gRPC-web, a message has a header of a flag byte (1: compressed) and a big-endian
 * length of four bytes; a unary call has exactly one message. In Connect, the body is the message.
 * https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md, PROTOCOL-WEB.md
 * https://connectrpc.com/docs/protocol
 */
#include "net/rpc/rpc.h"

#include <errno.h>

#include "base/clock.h"
#include "net/http/admission.h"
#include "net/http/header.h"
#include "net/http/respond.h"
#include "net/rpc/rpc_coding.h"
#include "net/rpc/rpc_reply.h"
#include "wire/compress/compress.h"
#include "wire/text.h"

enum { FRAME_HEADER = 5 };

static const struct {
	struct str type;
	enum rpc_protocol protocol;
	bool json;
} content_types[] = {
	{STR_INIT("application/grpc"), RPC_GRPC, false},
	{STR_INIT("application/grpc+proto"), RPC_GRPC, false},
	{STR_INIT("application/grpc-web"), RPC_GRPC_WEB, false},
	{STR_INIT("application/grpc-web+proto"), RPC_GRPC_WEB, false},
	{STR_INIT("application/grpc-web-text"), RPC_GRPC_WEB_TEXT, false},
	{STR_INIT("application/grpc-web-text+proto"), RPC_GRPC_WEB_TEXT, false},
	{STR_INIT("application/proto"), RPC_CONNECT, false},
	{STR_INIT("application/json"), RPC_CONNECT, true},
};

enum rpc_protocol rpc_protocol_of(const struct http_exchange *x, bool *json)
{
	struct str type = http_content_type(x);

	for (size_t i = 0; i < countof(content_types); i++) {
		if (str_eq(type, content_types[i].type)) {
			*json = content_types[i].json;
			return content_types[i].protocol;
		}
	}
	*json = false;
	return RPC_NONE;
}

/* Parse grpc-timeout, for example "100m": at most eight digits and a unit. */
static int parse_grpc_timeout(struct str text, uint64_t *ns)
{
	static const struct {
		char unit;
		uint64_t ns;
	} units[] = {{'H', 3600 * NS_PER_SECOND},
		     {'M', 60 * NS_PER_SECOND},
		     {'S', NS_PER_SECOND},
		     {'m', NS_PER_MS},
		     {'u', 1000},
		     {'n', 1}};
	uint64_t n;

	if (text.n < 2 || text.n > 9 || str_to_u64(str_head(text, text.n - 1), 10, &n))
		return -EINVAL;
	for (size_t i = 0; i < countof(units); i++) {
		if (text.p[text.n - 1] == units[i].unit) {
			return __builtin_mul_overflow(n, units[i].ns, ns) ? -ERANGE : 0;
		}
	}
	return -EINVAL;
}

/* Return the timeout of the call in ns; UINT64_MAX if it is missing or invalid. */
static uint64_t timeout_of(const struct http_exchange *x, enum rpc_protocol protocol)
{
	struct str text = http_header(x, protocol == RPC_CONNECT ? STR("connect-timeout-ms")
								 : STR("grpc-timeout"));
	uint64_t ns;

	if (!text.n)
		return UINT64_MAX;
	if (protocol != RPC_CONNECT)
		return parse_grpc_timeout(text, &ns) ? UINT64_MAX : ns;
	if (text.n > 10 || str_to_u64(text, 10, &ns))
		return UINT64_MAX;
	return ns * NS_PER_MS;
}

static void set_deadline(struct rpc_call *call)
{
	uint64_t timeout = timeout_of(call->x, call->protocol);

	call->deadline_ns = call->x->deadline_ns;
	if (timeout < UINT64_MAX - call->x->started_ns &&
	    call->x->started_ns + timeout < call->deadline_ns)
		call->deadline_ns = call->x->started_ns + timeout;
	call->x->deadline_ns = call->deadline_ns;
}

/* Decode grpc-web-text: base64, possibly a sequence of padded pieces. */
static int decode_web_text(struct http_exchange *x, struct str *body)
{
	char *out = arena_alloc(x->arena, BASE64_DECODED_MAX(body->n) + 1, 1);
	struct str rest = *body;
	size_t n = 0, got;

	if (!out)
		return -ENOMEM;
	while (rest.n) {
		size_t end = str_find(rest, '=');

		while (end < rest.n && rest.p[end] == '=')
			end++;
		if (base64_decode(str_head(rest, end), out + n, BASE64_DECODED_MAX(body->n) - n,
				  &got))
			return -EBADMSG;
		n += got;
		rest = str_from_at(rest, end);
	}
	*body = str_of(out, n);
	return 0;
}

/* Reply with an error and return false, for `return reject_call(...)`. */
static bool reject_call(struct rpc_call *call, enum rpc_code code, const char *text)
{
	rpc_fail_text(call, code, "%s", text);
	return false;
}

/* Decode the frame of the message. Return false if it is bad and has been answered. */
static bool unframe(struct rpc_call *call, struct str body, bool *compressed)
{
	const unsigned char *p = (const unsigned char *)body.p;
	size_t n;

	if (body.n < FRAME_HEADER)
		return reject_call(call, body.n ? RPC_INTERNAL : RPC_UNIMPLEMENTED,
				   body.n ? "message frame is truncated"
					  : "expected one message, found none");
	n = (size_t)p[1] << 24 | (size_t)p[2] << 16 | (size_t)p[3] << 8 | p[4];
	if (p[0] > 1)
		return reject_call(call, RPC_INTERNAL, "unknown flags in message frame");
	if (n > body.n - FRAME_HEADER)
		return reject_call(call, RPC_INTERNAL, "message frame is truncated");
	if (n < body.n - FRAME_HEADER)
		return reject_call(call, RPC_UNIMPLEMENTED, "expected one message, found more");
	*compressed = p[0];
	call->message = str_of(body.p + FRAME_HEADER, n);
	return true;
}

int rpc_decompress(struct rpc_call *call, enum compress_kind kind, struct err *e)
{
	struct decompress_limits limits = {.output = exchange_body_limit(exchange_of(call->x))};

	return decompress_bytes(kind, call->message, call->x->arena, &limits, &call->message, e);
}

static bool decompress_message(struct rpc_call *call)
{
	struct str coding = http_header(call->x, STR("grpc-encoding"));
	enum compress_kind kind = rpc_coding_find(coding);
	struct err e = {0};
	int rc;

	if (kind == COMPRESS_NONE)
		return reject_call(call, RPC_UNIMPLEMENTED,
				   "unsupported grpc-encoding; expected gzip, zstd or snappy");
	rc = rpc_decompress(call, kind, &e);
	if (rc == -EFBIG || rc == -ENOMEM) {
		rpc_fail_text(call, rc == -EFBIG ? RPC_RESOURCE_EXHAUSTED : RPC_UNAVAILABLE,
			      "%s: %s", e.text, rc == -EFBIG ? "max_body_bytes" : "max_memory");
		return false;
	}
	return rc ? reject_call(call, RPC_INTERNAL, e.text) : true;
}

static bool read_call_message(struct rpc_call *call)
{
	struct str body = call->x->body;
	bool compressed;

	if (call->protocol == RPC_CONNECT) {
		call->message = body;
		return true;
	}
	if (call->protocol == RPC_GRPC_WEB_TEXT) {
		int rc = decode_web_text(call->x, &body);

		if (rc)
			return reject_call(call, rc == -ENOMEM ? RPC_UNAVAILABLE : RPC_INTERNAL,
					   rc == -ENOMEM ? "out of memory" : "body is not base64");
	}
	if (!unframe(call, body, &compressed))
		return false;
	return !compressed || decompress_message(call);
}

struct rpc_call *rpc_begin(struct http_exchange *x)
{
	struct rpc_call *call = arena_zalloc(x->arena, 1, sizeof(*call));
	struct http_refusal why = {.status = 415};

	if (!call) {
		why = (struct http_refusal){
			.status = 503, .retry_after_s = 1, .text = "out of memory"};
		http_refuse(x, &why);
		return NULL;
	}
	call->x = x;
	call->protocol = rpc_protocol_of(x, &call->json);
	if (call->protocol == RPC_NONE) {
		memcpy(why.text, "unsupported content type", sizeof("unsupported content type"));
		http_refuse(x, &why);
		return NULL;
	}
	/* HTTP/1.1 has trailers, too; connect-go uses them for gRPC without TLS. */
	if (call->protocol == RPC_GRPC && x->protocol == HTTP_1_0) {
		http_respond_text(x, 505, "gRPC requires HTTP/2, or HTTP/1.1 with trailers");
		return NULL;
	}
	set_deadline(call);
	call->gzip_reply = http_header_lists(http_header(x, call->protocol == RPC_CONNECT
								    ? STR("accept-encoding")
								    : STR("grpc-accept-encoding")),
					     STR("gzip"));
	return read_call_message(call) ? call : NULL;
}

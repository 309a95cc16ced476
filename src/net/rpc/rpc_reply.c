/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replies to remote calls. gRPC: the message's frame, then grpc-status in trailers; without a
 * message they are sent as headers (Trailers-Only). gRPC-web: the trailers are the last frame of
 * the body, with flag 0x80. Connect: the message is the body; an error is JSON with an HTTP status.
 */
#include "net/rpc/rpc_reply.h"

#include <stdarg.h>
#include <stdio.h>

#include "net/http/header.h"
#include "net/http/respond.h"
#include "net/rpc/rpc_coding.h"
#include "wire/compress/compress.h"
#include "wire/json_write.h"
#include "wire/proto.h"
#include "wire/text.h"

enum { FRAME_HEADER = 5, FRAME_COMPRESSED = 1, FRAME_TRAILERS = 0x80 };
enum { COMPRESS_MIN = 1024, COMPRESS_LEVEL = 1 };

static const struct {
	const char *name;
	unsigned http;
} codes[RPC_CODE_COUNT] = {
	[RPC_OK] = {"ok", 200},
	[RPC_CANCELLED] = {"canceled", 499},
	[RPC_UNKNOWN] = {"unknown", 500},
	[RPC_INVALID_ARGUMENT] = {"invalid_argument", 400},
	[RPC_DEADLINE_EXCEEDED] = {"deadline_exceeded", 504},
	[RPC_NOT_FOUND] = {"not_found", 404},
	[RPC_ALREADY_EXISTS] = {"already_exists", 409},
	[RPC_PERMISSION_DENIED] = {"permission_denied", 403},
	[RPC_RESOURCE_EXHAUSTED] = {"resource_exhausted", 429},
	[RPC_FAILED_PRECONDITION] = {"failed_precondition", 412},
	[RPC_ABORTED] = {"aborted", 409},
	[RPC_OUT_OF_RANGE] = {"out_of_range", 400},
	[RPC_UNIMPLEMENTED] = {"unimplemented", 404},
	[RPC_INTERNAL] = {"internal", 500},
	[RPC_UNAVAILABLE] = {"unavailable", 503},
	[RPC_DATA_LOSS] = {"data_loss", 500},
	[RPC_UNAUTHENTICATED] = {"unauthenticated", 401},
};

unsigned rpc_code_http(enum rpc_code code)
{
	return (unsigned)code < RPC_CODE_COUNT ? codes[code].http : 500;
}

const char *rpc_code_name(enum rpc_code code)
{
	return (unsigned)code < RPC_CODE_COUNT ? codes[code].name : "unknown";
}

enum rpc_code rpc_code_of_http(unsigned status)
{
	switch (status) {
	case 400:
	case 431:
		return RPC_INVALID_ARGUMENT;
	case 401:
		return RPC_UNAUTHENTICATED;
	case 403:
		return RPC_PERMISSION_DENIED;
	case 404:
	case 405:
	case 415:
		return RPC_UNIMPLEMENTED;
	case 408:
	case 504:
		return RPC_DEADLINE_EXCEEDED;
	case 413:
	case 429:
		return RPC_RESOURCE_EXHAUSTED;
	case 503:
	case 507:
		return RPC_UNAVAILABLE;
	default:
		return status >= 500 ? RPC_INTERNAL : RPC_UNKNOWN;
	}
}

/*
 * Put google.rpc.RetryInfo { Duration retry_delay = 1 } in an Any, as field 3 of Status. The writer
 * works backwards.
 */
static void put_retry_info(struct proto_writer *w, uint64_t ms)
{
	size_t end = proto_mark(w), value, delay;

	value = proto_mark(w);
	delay = proto_mark(w);
	proto_put_uint(w, 2, ms % 1000 * 1000000); /* nanos */
	proto_put_uint(w, 1, ms / 1000);	   /* seconds */
	proto_put_header(w, 1, delay);
	proto_put_header(w, 2, value);
	proto_put_entry(w, 1, STR("type.googleapis.com/google.rpc.RetryInfo"));
	proto_put_header(w, 3, end);
}

void rpc_status_encode(struct buf *out, const struct rpc_error *error)
{
	struct proto_writer w;

	proto_writer_init(&w, NULL);
	if (error->details.n)
		proto_put_raw(&w, error->details.p, error->details.n);
	if (error->retry_after_ms)
		put_retry_info(&w, error->retry_after_ms);
	if (error->message.n)
		proto_put_entry(&w, 2, error->message);
	proto_put_uint(&w, 1, error->code);
	if (proto_writer_error(&w))
		out->failed = true;
	else
		buf_put_str(out, proto_writer_str(&w));
	proto_writer_fini(&w);
}

/* Encode grpc-message: all but printable ASCII, and '%', as %XX. */
static void put_percent_encoded(struct buf *out, struct str text)
{
	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];

		if (c < 0x20 || c > 0x7e || c == '%')
			buf_printf(out, "%%%02X", c);
		else
			buf_put_char(out, (char)c);
	}
}

/* Make headers or trailers of the status; `memory` owns their text. Return their number. */
static size_t status_headers(const struct rpc_error *error, struct buf memory[3],
			     struct http_header out[3])
{
	struct buf status = {0};
	size_t n = 0;

	buf_put_u64(&memory[0], error->code);
	out[n++] = (struct http_header){STR("grpc-status"), buf_str(&memory[0])};
	if (error->message.n) {
		put_percent_encoded(&memory[1], error->message);
		out[n++] = (struct http_header){STR("grpc-message"), buf_str(&memory[1])};
	}
	if (error->details.n || error->retry_after_ms) {
		rpc_status_encode(&status, error);
		base64_encode(&memory[2], buf_str(&status));
		out[n++] =
			(struct http_header){STR("grpc-status-details-bin"), buf_str(&memory[2])};
		buf_fini(&status);
	}
	return n;
}

static void free_headers(struct buf memory[3])
{
	for (int i = 0; i < 3; i++)
		buf_fini(&memory[i]);
}

static void encode_frame_header(char out[FRAME_HEADER], unsigned flag, size_t n)
{
	out[0] = (char)flag;
	out[1] = (char)(n >> 24);
	out[2] = (char)(n >> 16);
	out[3] = (char)(n >> 8);
	out[4] = (char)n;
}

/*
 * Insert a frame header before the message in `b`; compress the message if `gzip` and it is large
 * enough. Return whether it was compressed.
 */
static bool add_frame_header(struct buf *b, bool gzip)
{
	struct buf packed = {0};
	char *at;

	if (gzip && b->n > COMPRESS_MIN && buf_reserve(&packed, FRAME_HEADER)) {
		packed.n = FRAME_HEADER;
		if (!compress_bytes(&packed, COMPRESS_GZIP, COMPRESS_LEVEL, buf_str(b), NULL)) {
			encode_frame_header(packed.p, FRAME_COMPRESSED, packed.n - FRAME_HEADER);
			buf_fini(b);
			*b = packed;
			return true;
		}
		buf_fini(&packed);
	}
	at = buf_reserve(b, FRAME_HEADER);
	if (!at)
		return false;
	memmove(b->p + FRAME_HEADER, b->p, b->n);
	encode_frame_header(b->p, 0, b->n);
	b->n += FRAME_HEADER;
	return false;
}

static struct str content_type(enum rpc_protocol protocol, bool json)
{
	switch (protocol) {
	case RPC_GRPC:
		return STR("application/grpc");
	case RPC_GRPC_WEB:
		return STR("application/grpc-web+proto");
	case RPC_GRPC_WEB_TEXT:
		return STR("application/grpc-web-text+proto");
	default:
		return json ? STR("application/json") : STR("application/proto");
	}
}

/* Append the trailers of gRPC-web as a frame. */
static void put_trailer_frame(struct buf *body, const struct http_header *trailers, size_t count)
{
	struct buf text = {0};
	char header[FRAME_HEADER];

	for (size_t i = 0; i < count; i++)
		buf_printf(&text, "%.*s: %.*s\r\n", STR_ARG(trailers[i].name),
			   STR_ARG(trailers[i].value));
	encode_frame_header(header, FRAME_TRAILERS, text.n);
	buf_put(body, header, sizeof(header));
	buf_put_str(body, buf_str(&text));
	buf_fini(&text);
}

static void to_base64(struct buf *body)
{
	struct buf text = {0};

	base64_encode(&text, buf_str(body));
	buf_fini(body);
	*body = text;
}

/* Send a gRPC or gRPC-web reply. `body` contains the message's frame, or nothing. */
static void answer_grpc(struct http_exchange *x, enum rpc_protocol protocol, struct buf *body,
			bool compressed, const struct rpc_error *error,
			const struct http_header *extra)
{
	struct buf memory[3] = {{0}};
	struct http_header status[3];
	size_t count = status_headers(error, memory, status);
	const struct http_header coding[3] = {
		{STR("grpc-encoding"), compressed ? STR("gzip") : STR("identity")},
		{STR("grpc-accept-encoding"), STR(RPC_CODINGS)},
		{extra->name, extra->value},
	};
	struct http_response r = {
		.status = 200,
		.content_type = content_type(protocol, false),
		.headers = coding,
		.header_count = extra->name.n ? 3 : 2,
		.body = *body,
	};

	*body = (struct buf){0};
	if (protocol == RPC_GRPC) {
		if (r.body.n) {
			r.trailers = status;
			r.trailer_count = count;
		} else {
			r.headers = status; /* Trailers-Only */
			r.header_count = count;
		}
	} else {
		put_trailer_frame(&r.body, status, count);
		if (protocol == RPC_GRPC_WEB_TEXT)
			to_base64(&r.body);
	}
	http_respond(x, &r);
	free_headers(memory);
}

void rpc_reply(struct rpc_call *call, struct buf *message)
{
	struct http_response r = {
		.status = 200,
		.compress = true,
		.content_type = content_type(call->protocol, call->json),
		.headers = &call->header,
		.header_count = call->header.name.n ? 1 : 0,
	};
	bool compressed;

	if (call->protocol == RPC_CONNECT) {
		r.body = *message;
		*message = (struct buf){0};
		http_respond(call->x, &r);
		return;
	}
	if (message->failed) {
		buf_fini(message);
		rpc_fail_text(call, RPC_UNAVAILABLE, "out of memory");
		return;
	}
	compressed = add_frame_header(message, call->gzip_reply);
	answer_grpc(call->x, call->protocol, message, compressed, &(struct rpc_error){0},
		    &call->header);
}

static void answer_connect_error(struct http_exchange *x, unsigned status,
				 const struct rpc_error *error, const struct http_header *extra)
{
	struct http_response r = {
		.status = status,
		.content_type = STR("application/json"),
		.retry_after_s = (unsigned)((error->retry_after_ms + 999) / 1000),
		.headers = extra,
		.header_count = extra && extra->name.n ? 1 : 0,
	};
	struct json_writer w = json_writer_to(&r.body, 0);

	json_open_object(&w);
	json_put_key(&w, STR("code"));
	json_put_string(&w, str_from(rpc_code_name(error->code)));
	json_put_key(&w, STR("message"));
	json_put_string(&w, error->message);
	json_close_object(&w);
	http_respond(x, &r);
}

void rpc_fail(struct rpc_call *call, const struct rpc_error *error)
{
	static const struct http_header none;

	if (call->protocol == RPC_CONNECT)
		answer_connect_error(call->x, rpc_code_http(error->code), error, NULL);
	else
		answer_grpc(call->x, call->protocol, &(struct buf){0}, false, error, &none);
}

void rpc_fail_text(struct rpc_call *call, enum rpc_code code, const char *fmt, ...)
{
	char text[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	rpc_fail(call, &(struct rpc_error){.code = code, .message = str_from(text)});
}

void rpc_refuse(struct http_exchange *x, enum rpc_protocol protocol, const struct http_refusal *why)
{
	struct rpc_error error = {
		.code = rpc_code_of_http(why->status),
		.message = str_from(why->text[0] ? why->text : http_status_text(why->status)),
		.retry_after_ms = (uint64_t)why->retry_after_s * 1000,
	};

	if (protocol == RPC_NONE || protocol == RPC_CONNECT)
		answer_connect_error(x, why->status, &error, &why->header);
	else
		answer_grpc(x, protocol, &(struct buf){0}, false, &error, &why->header);
}

void rpc_health_check(void *owner, struct http_exchange *x)
{
	struct rpc_call *call = rpc_begin(x);
	struct buf reply = {0};

	(void)owner;
	if (!call)
		return;
	buf_put_str(&reply, call->json ? STR("{\"status\":\"SERVING\"}") : STR("\x08\x01"));
	rpc_reply(call, &reply);
}

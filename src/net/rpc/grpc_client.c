/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gRPC client: encode requests and decode replies, one unary call at a time. grpc_conn.c makes
 * the connection with the first call, and again if it was lost between calls.
 */
#include "net/rpc/grpc_client.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "net/http/uri.h"
#include "net/rpc/grpc_conn.h"
#include "wire/compress/compress.h"
#include "wire/proto.h"
#include "wire/text.h"

enum { FRAME_HEADER = 5, TIMEOUT_MS = 30000, CONNECT_TIMEOUT_MS = 5000 };
#define MAX_REPLY (64 * MIB)

struct grpc_client {
	struct grpc_conn conn;
	char *authorization; /* "Bearer ..." or NULL */
	uint64_t connect_timeout_ms;
};

int grpc_client_new(struct grpc_client **out, const char *address, bool tls,
		    const struct net_client_options *options, struct err *e)
{
	static const struct net_client_options none;
	const struct net_client_options *o = options ? options : &none;
	struct grpc_client *c = calloc(1, sizeof(*c));
	int rc;

	if (!c)
		return err_set(e, -ENOMEM, "out of memory");
	c->connect_timeout_ms = o->connect_timeout_ms ? o->connect_timeout_ms : CONNECT_TIMEOUT_MS;
	rc = grpc_conn_init(&c->conn, address, tls, o, e);
	if (!rc && o->token && asprintf(&c->authorization, "Bearer %s", o->token) < 0) {
		c->authorization = NULL;
		rc = err_set(e, -ENOMEM, "out of memory");
	}
	if (rc) {
		grpc_client_free(c);
		return rc;
	}
	*out = c;
	return 0;
}

void grpc_client_free(struct grpc_client *c)
{
	if (!c)
		return;
	grpc_conn_fini(&c->conn);
	if (c->authorization)
		explicit_bzero(c->authorization, strlen(c->authorization));
	free(c->authorization);
	free(c);
}

/* Encode the frame of the message. */
static int make_request_body(const struct grpc_client_request *request, struct buf *body)
{
	char *header = buf_reserve(body, FRAME_HEADER);
	size_t n;

	if (!header)
		return -ENOMEM;
	body->n = FRAME_HEADER;
	if (request->gzip) {
		int rc = compress_bytes(body, COMPRESS_GZIP, 1, request->message, NULL);

		if (rc)
			return rc;
	} else {
		buf_put_str(body, request->message);
	}
	if (buf_error(body))
		return -ENOMEM;
	n = body->n - FRAME_HEADER;
	body->p[0] = request->gzip;
	body->p[1] = (char)(n >> 24);
	body->p[2] = (char)(n >> 16);
	body->p[3] = (char)(n >> 8);
	body->p[4] = (char)n;
	return 0;
}

/* Map an HTTP status without a grpc-status, as the gRPC specification says. */
static enum rpc_code code_of_http(unsigned status)
{
	switch (status) {
	case 400:
		return RPC_INTERNAL;
	case 401:
		return RPC_UNAUTHENTICATED;
	case 403:
		return RPC_PERMISSION_DENIED;
	case 404:
		return RPC_UNIMPLEMENTED;
	case 429:
	case 502:
	case 503:
	case 504:
		return RPC_UNAVAILABLE;
	default:
		return RPC_UNKNOWN;
	}
}

/* Read a Duration in milliseconds. */
static uint64_t read_delay(struct proto_reader r)
{
	uint64_t ms = 0;

	while (proto_next(&r)) {
		if (r.tag == PROTO_TAG(1, PROTO_VARINT))
			ms += min_size(proto_varint(&r), UINT32_MAX) * 1000;
		else if (r.tag == PROTO_TAG(2, PROTO_VARINT))
			ms += proto_varint(&r) / 1000000;
		else
			proto_skip(&r);
	}
	return ms;
}

/* Return the delay of an Any in ms if it is a RetryInfo, else 0. */
static uint64_t read_any(struct proto_reader r)
{
	struct str type = {0}, value = {0};
	struct proto_reader info;
	uint64_t ms = 0;

	while (proto_next(&r)) {
		if (r.tag == PROTO_TAG(1, PROTO_BYTES))
			type = proto_bytes(&r);
		else if (r.tag == PROTO_TAG(2, PROTO_BYTES))
			value = proto_bytes(&r);
		else
			proto_skip(&r);
	}
	if (!str_ends(type, STR("google.rpc.RetryInfo")))
		return 0;
	info = proto_reader_of(value);
	while (proto_next(&info)) {
		if (info.tag == PROTO_TAG(1, PROTO_BYTES))
			ms = read_delay(proto_message(&info));
		else
			proto_skip(&info);
	}
	return ms;
}

static uint64_t read_retry_after(struct str status)
{
	struct proto_reader r = proto_reader_of(status);
	uint64_t ms = 0;

	while (proto_next(&r)) {
		if (r.tag == PROTO_TAG(3, PROTO_BYTES))
			ms = max_size(ms, read_any(proto_message(&r)));
		else
			proto_skip(&r);
	}
	return ms;
}

/* Decode and decompress the message of the reply. */
static int read_reply_message(const struct grpc_answer *got, struct buf *out, size_t max,
			      struct err *e)
{
	const unsigned char *p = (const unsigned char *)got->body.p;
	struct str message = str_from_at(buf_str(&got->body), FRAME_HEADER), plain;
	struct decompress_limits limits = {.output = max};
	struct arena a;
	size_t n;
	int rc = 0;

	if (got->body.n < FRAME_HEADER)
		return err_set(e, -EPROTO, "expected a message, found none");
	n = (size_t)p[1] << 24 | (size_t)p[2] << 16 | (size_t)p[3] << 8 | p[4];
	if (n != got->body.n - FRAME_HEADER)
		return err_set(e, -EPROTO, "expected one message of %zu bytes, found %zu bytes", n,
			       got->body.n - FRAME_HEADER);
	arena_init(&a, NULL);
	plain = message;
	if (p[0] & 1)
		rc = decompress_bytes(COMPRESS_GZIP, message, &a, &limits, &plain, e);
	if (!rc) {
		buf_put_str(out, plain);
		rc = buf_error(out);
	}
	arena_fini(&a);
	return rc;
}

static void decode_status_message(struct buf *out, struct str text)
{
	struct arena a;
	struct str plain;

	arena_init(&a, NULL);
	buf_put_str(out, http_unescape(&a, text, false, &plain) ? text : plain);
	arena_fini(&a);
}

static void decode_details(struct buf *out, struct str base64)
{
	size_t n, cap = BASE64_DECODED_MAX(base64.n);
	char *at = base64.n ? buf_reserve(out, cap) : NULL;

	if (at && !base64_decode(base64, at, cap, &n))
		out->n += n;
}

static int read_answer_status(const struct grpc_answer *got, struct grpc_client_answer *answer,
			      size_t max, struct err *e)
{
	uint64_t code;

	if (!got->grpc_status.n) {
		if (got->http_status == 200)
			return err_set(e, -EPROTO, "response has no grpc-status");
		answer->code = code_of_http(got->http_status);
		buf_printf(&answer->text, "HTTP status %u", got->http_status);
		return 0;
	}
	if (str_to_u64(buf_str(&got->grpc_status), 10, &code) || code >= RPC_CODE_COUNT)
		code = RPC_UNKNOWN;
	answer->code = (enum rpc_code)code;
	decode_status_message(&answer->text, buf_str(&got->grpc_message));
	decode_details(&answer->details, buf_str(&got->grpc_details));
	answer->retry_after_ms = read_retry_after(buf_str(&answer->details));
	return code == RPC_OK ? read_reply_message(got, &answer->message, max, e) : 0;
}

int grpc_client_call(struct grpc_client *c, const struct grpc_client_request *request,
		     struct grpc_client_answer *answer, struct err *e)
{
	uint64_t timeout_ms = request->timeout_ms ? request->timeout_ms : TIMEOUT_MS;
	size_t max = request->max_reply ? request->max_reply : MAX_REPLY;
	struct grpc_call call = {
		.request = request,
		.authorization = c->authorization,
		.timeout_ms = timeout_ms,
		.deadline_ns = clock_monotonic_ns() + timeout_ms * NS_PER_MS,
		.connect_timeout_ms = min_size(timeout_ms, c->connect_timeout_ms),
		.max_body = max + FRAME_HEADER,
	};
	int rc;

	*answer = (struct grpc_client_answer){0};
	rc = make_request_body(request, &call.body);
	if (rc)
		err_set(e, rc, "out of memory");
	else
		rc = grpc_conn_call(&c->conn, &call, e);
	if (!rc)
		rc = read_answer_status(&call.answer, answer, max, e);
	if (rc)
		err_prefix(e, "%s%.*s", c->conn.address, STR_ARG(request->path));
	grpc_call_fini(&call);
	return rc;
}

void grpc_client_answer_fini(struct grpc_client_answer *answer)
{
	buf_fini(&answer->message);
	buf_fini(&answer->text);
	buf_fini(&answer->details);
}

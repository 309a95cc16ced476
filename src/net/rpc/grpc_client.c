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
#include "net/rpc/rpc_coding.h"
#include "wire/proto.h"
#include "wire/text.h"

enum { FRAME_HEADER = 5, TIMEOUT_MS = 30000, CONNECT_TIMEOUT_MS = 5000 };
#define MAX_REPLY (64 * MIB)
#define KEPT_MAX (4 * MIB)

struct grpc_client {
	struct grpc_conn conn;
	char *authorization; /* "Bearer ..." or NULL */
	uint64_t connect_timeout_ms;
	struct buf scratch, compressed; /* of the request; kept between calls up to KEPT_MAX */
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
	buf_fini(&c->scratch);
	buf_fini(&c->compressed);
	if (c->authorization)
		explicit_bzero(c->authorization, strlen(c->authorization));
	free(c->authorization);
	free(c);
}

/* Compress the message into c->compressed. Return 0 or a negative errno. */
static int compress_message(struct grpc_client *c, const struct grpc_client_request *request)
{
	struct str message = request->message;

	if (request->part_count) {
		buf_clear(&c->scratch);
		for (size_t i = 0; i < request->part_count; i++)
			buf_put_str(&c->scratch, request->parts[i]);
		if (buf_error(&c->scratch))
			return -ENOMEM;
		message = buf_str(&c->scratch);
	}
	buf_clear(&c->compressed);
	return compress_bytes(&c->compressed, request->compression, 1, message, NULL);
}

/* Set the frame of the message: its header, and the pieces that follow it. */
static int make_frame(struct grpc_client *c, struct grpc_call *call)
{
	const struct grpc_client_request *r = call->request;
	unsigned char *header = call->frame_header;
	size_t n = 0;
	int rc = 0;

	call->parts = r->part_count ? r->parts : &call->one_part;
	call->part_count = r->part_count ? r->part_count : 1;
	call->one_part = r->message;
	if (r->compression != COMPRESS_NONE) {
		rc = compress_message(c, r);
		call->one_part = buf_str(&c->compressed);
		call->parts = &call->one_part;
		call->part_count = 1;
	}
	for (size_t i = 0; i < call->part_count; i++)
		n += call->parts[i].n;
	if (n > UINT32_MAX)
		return -EFBIG;
	call->total = sizeof(call->frame_header) + n;
	header[0] = r->compression != COMPRESS_NONE;
	header[1] = (unsigned char)(n >> 24);
	header[2] = (unsigned char)(n >> 16);
	header[3] = (unsigned char)(n >> 8);
	header[4] = (unsigned char)n;
	return rc;
}

static void drop_large_buffers(struct grpc_client *c)
{
	if (c->scratch.cap > KEPT_MAX)
		buf_fini(&c->scratch);
	if (c->compressed.cap > KEPT_MAX)
		buf_fini(&c->compressed);
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

/* Decompress the message of a reply; many servers use the compression of the request. */
static int decompress_reply(const struct grpc_answer *got, struct str message, struct arena *a,
			    size_t max, struct str *plain, struct err *e)
{
	struct decompress_limits limits = {.output = max};
	struct str coding = buf_str(&got->grpc_encoding);
	enum compress_kind kind = rpc_coding_find(coding);

	if (kind != COMPRESS_NONE)
		return decompress_bytes(kind, message, a, &limits, plain, e);
	return err_set(e, -EPROTO, "unsupported grpc-encoding \"%.*s\" of the reply",
		       STR_ARG(str_head(coding, 32)));
}

/* Decode and decompress the message of the reply. */
static int read_reply_message(const struct grpc_answer *got, struct buf *out, size_t max,
			      struct err *e)
{
	const unsigned char *p = (const unsigned char *)got->body.p;
	struct str message = str_from_at(buf_str(&got->body), FRAME_HEADER), plain;
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
		rc = decompress_reply(got, message, &a, max, &plain, e);
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
	answer->accepted = code == RPC_OK;
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
	rc = make_frame(c, &call);
	if (rc)
		err_errno(e, rc, "encoding the message");
	else
		rc = grpc_conn_call(&c->conn, &call, e);
	if (!rc)
		rc = read_answer_status(&call.answer, answer, max, e);
	if (rc)
		err_prefix(e, "%s%.*s", c->conn.address, STR_ARG(request->path));
	grpc_call_fini(&call);
	drop_large_buffers(c);
	return rc;
}

void grpc_client_answer_fini(struct grpc_client_answer *answer)
{
	buf_fini(&answer->message);
	buf_fini(&answer->text);
	buf_fini(&answer->details);
}

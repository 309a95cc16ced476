/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gRPC client's connection: connect, TLS, and one nghttp2 stream at a time. The socket is
 * non-blocking; each wait is a poll() with the deadline of the call.
 */
#include "net/rpc/grpc_conn.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "net/address.h"
#include "net/client/client_tls.h"
#include "net/rpc/rpc_coding.h"
#include "net/tls.h"

enum { HEADERS_MAX = 64, VALUE_MAX = 64 << 10, HTTP2_FRAME_HEADER = 9 };
/* Pieces of a DATA frame; smaller ones than COPY_BELOW bytes are copied. */
enum { FRAME_PIECES = GRPC_OUT_PIECES / 2, COPY_BELOW = 512 };
#define WINDOW (4 * MIB)

static void disconnect(struct grpc_conn *c)
{
	nghttp2_session_del(take_ptr(&c->session));
	tls_shutdown(c->ssl);
	tls_free(take_ptr(&c->ssl));
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
	grpc_out_clear(&c->out);
}

int grpc_conn_init(struct grpc_conn *c, const char *address, bool tls,
		   const struct net_client_options *o, struct err *e)
{
	size_t colon = str_find_last(str_from(address), ':');

	*c = (struct grpc_conn){.fd = -1,
				.address = strdup(address),
				.next_address = o->first_address,
				.one_address = o->one_address};
	/* "[::1]:4317" -> "::1": the name in a certificate */
	if (o->server_name)
		c->host = strdup(o->server_name);
	else
		c->host = address[0] == '[' ? strndup(address + 1, colon > 1 ? colon - 2 : 0)
					    : strndup(address, colon);
	c->authority = strdup(o->authority ? o->authority : address);
	c->user_agent = strdup(o->user_agent ? o->user_agent : "varve");
	if (!c->address || !c->host || !c->authority || !c->user_agent)
		return err_set(e, -ENOMEM, "out of memory");
	return tls ? client_tls_context(&c->tls, o, e) : 0;
}

void grpc_conn_fini(struct grpc_conn *c)
{
	disconnect(c);
	grpc_out_fini(&c->out);
	tls_context_free(c->tls);
	free(c->address);
	free(c->host);
	free(c->authority);
	free(c->user_agent);
}

void grpc_call_fini(struct grpc_call *call)
{
	buf_fini(&call->answer.grpc_status);
	buf_fini(&call->answer.grpc_message);
	buf_fini(&call->answer.grpc_details);
	buf_fini(&call->answer.grpc_encoding);
	buf_fini(&call->answer.body);
}

/* Wait for `events`. Return 0, also when interrupted, or -ETIMEDOUT at the deadline. */
static int wait_for(int fd, short events, uint64_t deadline_ns)
{
	struct pollfd p = {.fd = fd, .events = events};
	uint64_t now = clock_monotonic_ns();
	int n;

	if (now >= deadline_ns)
		return -ETIMEDOUT;
	n = poll(&p, 1, (int)min_size((deadline_ns - now) / NS_PER_MS + 1, 3600000));
	if (n < 0 && errno != EINTR)
		return -errno;
	return 0; /* a timeout is returned by the next call */
}

static int connect_address(const struct addrinfo *a, uint64_t deadline_ns)
{
	int fd = socket(a->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int rc = 0, on = 1;
	socklen_t n = sizeof(rc);

	if (fd < 0)
		return -errno;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if (connect(fd, a->ai_addr, a->ai_addrlen) && errno != EINPROGRESS)
		rc = -errno;
	if (!rc)
		rc = wait_for(fd, POLLOUT, deadline_ns);
	if (!rc && clock_monotonic_ns() >= deadline_ns)
		rc = -ETIMEDOUT;
	if (!rc) {
		getsockopt(fd, SOL_SOCKET, SO_ERROR, &rc, &n);
		rc = -rc;
	}
	if (rc)
		close(fd);
	return rc ? rc : fd;
}

static int connect_tls(struct grpc_conn *c, uint64_t deadline_ns, struct err *e)
{
	bool h2 = false;
	int rc;

	c->ssl = tls_connect(c->tls, c->fd, c->host);
	if (!c->ssl)
		return err_set(e, -ENOMEM, "out of memory");
	while ((rc = tls_handshake(c->ssl, &h2)) == -EAGAIN) {
		rc = wait_for(c->fd, POLLIN, deadline_ns);
		if (rc)
			return err_set(e, rc, "TLS: %s", strerror(-rc));
	}
	if (rc)
		return err_set(e, -EACCES, "TLS: %s", tls_reason(c->ssl));
	return h2 ? 0 : err_set(e, -EPROTO, "TLS: the server does not speak HTTP/2");
}

static bool name_is(const uint8_t *name, size_t n, struct str wanted)
{
	return str_eq(str_of((const char *)name, n), wanted);
}

/* NOLINTNEXTLINE(readability-function-size): nghttp2's parameters */
static int on_answer_header(nghttp2_session *session, const nghttp2_frame *frame,
			    const uint8_t *name, size_t name_n, const uint8_t *value,
			    size_t value_n, uint8_t flags, void *user)
{
	struct grpc_call *call = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
	struct grpc_answer *a = call ? &call->answer : NULL;
	struct str text = str_of((const char *)value, value_n);
	struct buf *to = NULL;
	uint64_t number;

	(void)flags;
	(void)user;
	if (!a)
		return 0;
	if (name_is(name, name_n, STR(":status")) && !str_to_u64(text, 10, &number))
		a->http_status = (unsigned)number;
	else if (name_is(name, name_n, STR("grpc-status")))
		to = &a->grpc_status;
	else if (name_is(name, name_n, STR("grpc-message")))
		to = &a->grpc_message;
	else if (name_is(name, name_n, STR("grpc-status-details-bin")))
		to = &a->grpc_details;
	else if (name_is(name, name_n, STR("grpc-encoding")))
		to = &a->grpc_encoding;
	if (to && value_n <= VALUE_MAX) {
		buf_clear(to);
		buf_put_str(to, text);
	}
	return 0;
}

static int on_answer_data(nghttp2_session *session, uint8_t flags, int32_t stream, const uint8_t *p,
			  size_t n, void *user)
{
	struct grpc_call *call = nghttp2_session_get_stream_user_data(session, stream);

	(void)flags;
	(void)user;
	if (!call || call->fault)
		return 0;
	if (call->answer.body.n + n > call->max_body)
		call->fault = -EFBIG;
	else
		buf_put(&call->answer.body, p, n);
	if (buf_error(&call->answer.body))
		call->fault = -ENOMEM;
	return 0;
}

static int on_call_close(nghttp2_session *session, int32_t stream, uint32_t error, void *user)
{
	struct grpc_call *call = nghttp2_session_get_stream_user_data(session, stream);

	(void)user;
	if (call) {
		call->done = true;
		call->reset = error;
	}
	return 0;
}

/* Return how many of the next `n` bytes of the call's parts are in at most FRAME_PIECES pieces. */
static size_t limit_pieces(const struct grpc_call *call, size_t n)
{
	size_t offset = call->part_offset, bytes = 0;
	unsigned pieces = 0;

	for (size_t i = call->part; i < call->part_count && pieces < FRAME_PIECES; i++) {
		size_t here = call->parts[i].n - offset;

		bytes += here;
		pieces += here > 0;
		offset = 0;
		if (bytes >= n)
			return n;
	}
	return bytes;
}

/* Return how many bytes the next DATA frame has; on_send_data() writes them. */
static ssize_t read_request_body(nghttp2_session *session, int32_t stream, uint8_t *to, size_t n,
				 uint32_t *flags, nghttp2_data_source *source, void *user)
{
	struct grpc_call *call = source->ptr;
	size_t at = min_size(call->sent, sizeof(call->frame_header));
	size_t head = min_size(n, sizeof(call->frame_header) - at);

	(void)session;
	(void)stream;
	(void)to;
	(void)user;
	n = head + limit_pieces(call, min_size(n, call->total - call->sent) - head);
	*flags |= NGHTTP2_DATA_FLAG_NO_COPY;
	if (call->sent + n == call->total)
		*flags |= NGHTTP2_DATA_FLAG_EOF;
	return (ssize_t)n;
}

/* Put the next `n` bytes of the call's parts. Small ones are copied. Return 0 or -ENOMEM. */
static int put_parts(struct grpc_out *out, struct grpc_call *call, size_t n)
{
	while (n && call->part < call->part_count) {
		struct str rest = str_from_at(call->parts[call->part], call->part_offset);
		struct str piece = str_head(rest, n);

		if (piece.n >= COPY_BELOW)
			grpc_out_put(out, piece);
		else if (piece.n && grpc_out_copy(out, piece.p, piece.n))
			return -ENOMEM;
		n -= piece.n;
		call->part_offset += piece.n;
		if (piece.n == rest.n) {
			call->part++;
			call->part_offset = 0;
		}
	}
	return 0;
}

/* Put a DATA frame of `n` bytes, from the call's memory, into the output. */
static int on_send_data(nghttp2_session *session, nghttp2_frame *frame, const uint8_t *header,
			size_t n, nghttp2_data_source *source, void *user)
{
	struct grpc_call *call = source->ptr;
	struct grpc_conn *c = user;
	size_t at = min_size(call->sent, sizeof(call->frame_header));
	size_t head = min_size(n, sizeof(call->frame_header) - at);

	(void)session;
	(void)frame;
	if (!grpc_out_has_room(&c->out, 1 + FRAME_PIECES))
		return NGHTTP2_ERR_WOULDBLOCK;
	if (grpc_out_copy(&c->out, header, HTTP2_FRAME_HEADER) ||
	    grpc_out_copy(&c->out, call->frame_header + at, head) ||
	    put_parts(&c->out, call, n - head)) {
		call->fault = -ENOMEM;
		return NGHTTP2_ERR_CALLBACK_FAILURE;
	}
	call->sent += n;
	return 0;
}

static int new_client_session(struct grpc_conn *c)
{
	nghttp2_settings_entry settings[] = {{NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
					     {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, WINDOW}};
	nghttp2_session_callbacks *callbacks;
	int rc;

	if (nghttp2_session_callbacks_new(&callbacks))
		return -ENOMEM;
	nghttp2_session_callbacks_set_on_header_callback(callbacks, on_answer_header);
	nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_answer_data);
	nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_call_close);
	nghttp2_session_callbacks_set_send_data_callback(callbacks, on_send_data);
	rc = nghttp2_session_client_new(&c->session, callbacks, c);
	nghttp2_session_callbacks_del(callbacks);
	if (rc ||
	    nghttp2_submit_settings(c->session, NGHTTP2_FLAG_NONE, settings, countof(settings)) ||
	    nghttp2_session_set_local_window_size(c->session, NGHTTP2_FLAG_NONE, 0, WINDOW))
		return -ENOMEM;
	return 0;
}

/*
 * Connect to one of the addresses. Unless they are tried in the same order always, each connection
 * begins with the next one, so that several connections use all servers.
 */
static int connect_any(struct grpc_conn *c, const struct addrinfo *found, uint64_t deadline_ns)
{
	unsigned count = 0, first;
	int fd = -EHOSTUNREACH;

	for (const struct addrinfo *a = found; a; a = a->ai_next)
		count++;
	first = c->one_address || !count ? 0 : c->next_address++ % count;
	for (unsigned i = 0; i < count && fd < 0; i++) {
		const struct addrinfo *a = found;

		for (unsigned skip = (first + i) % count; skip; skip--)
			a = a->ai_next;
		fd = connect_address(a, deadline_ns);
	}
	return fd;
}

static int connect_server(struct grpc_conn *c, uint64_t deadline_ns, struct err *e)
{
	char host[ADDRESS_HOST_MAX];
	struct addrinfo *found;
	int rc = address_resolve(c->address, false, &found, host, e);

	if (rc)
		return rc;
	c->fd = rc = connect_any(c, found, deadline_ns);
	freeaddrinfo(found);
	if (c->fd < 0) {
		c->fd = -1;
		return err_set(e, rc, "cannot connect: %s", strerror(-rc));
	}
	rc = c->tls ? connect_tls(c, deadline_ns, e) : 0;
	if (!rc)
		rc = new_client_session(c);
	if (rc)
		disconnect(c);
	return rc ? err_errno(e, rc, "connecting") : 0;
}

/* Move frames that are due to the output. Return 0 when there are no more, or a negative errno. */
static int collect_frames(struct grpc_conn *c)
{
	const uint8_t *p;
	ssize_t n = 1;

	while (n > 0 && grpc_out_has_room(&c->out, 1)) {
		n = nghttp2_session_mem_send(c->session, &p);
		if (n < 0)
			return -EPROTO;
		if (n && grpc_out_copy(&c->out, p, (size_t)n))
			return -ENOMEM;
	}
	return 0;
}

/* Send frames that are due. Return 0, -EAGAIN if the socket is full, or another negative errno. */
static int send_frames(struct grpc_conn *c)
{
	int rc;

	do {
		rc = grpc_out_flush(&c->out, c->fd, c->ssl);
		if (!rc)
			rc = collect_frames(c);
	} while (!rc && c->out.count);
	return rc;
}

/*
 * Read and process available bytes. Return 0, -EAGAIN without any, -ECONNRESET at the end, or
 * another negative errno.
 */
static int receive_frames(struct grpc_conn *c)
{
	char bytes[16384];
	ssize_t n;

	if (c->ssl) {
		n = tls_read(c->ssl, bytes, sizeof(bytes));
	} else {
		n = recv(c->fd, bytes, sizeof(bytes), 0);
		if (n < 0)
			n = -errno;
	}
	if (n <= 0)
		return n ? (int)n : -ECONNRESET;
	return nghttp2_session_mem_recv(c->session, (uint8_t *)bytes, (size_t)n) < 0 ? -EPROTO : 0;
}

static nghttp2_nv request_nv(struct str name, struct str value)
{
	return (nghttp2_nv){(uint8_t *)name.p, (uint8_t *)value.p, name.n, value.n,
			    NGHTTP2_NV_FLAG_NONE};
}

static int submit_call(struct grpc_conn *c, struct grpc_call *call)
{
	const struct grpc_client_request *r = call->request;
	nghttp2_data_provider body = {.source.ptr = call, .read_callback = read_request_body};
	nghttp2_nv headers[HEADERS_MAX];
	size_t n = 0;
	char timeout[24];

	/* At most eight digits are allowed: use milliseconds for up to a day, else seconds. */
	if (call->timeout_ms < 100000000)
		snprintf(timeout, sizeof(timeout), "%um", (unsigned)call->timeout_ms);
	else
		snprintf(timeout, sizeof(timeout), "%uS",
			 (unsigned)min_size(call->timeout_ms / 1000, 99999999));
	headers[n++] = request_nv(STR(":method"), STR("POST"));
	headers[n++] = request_nv(STR(":scheme"), c->ssl ? STR("https") : STR("http"));
	headers[n++] = request_nv(STR(":authority"), str_from(c->authority));
	headers[n++] = request_nv(STR(":path"), r->path);
	headers[n++] = request_nv(STR("te"), STR("trailers"));
	headers[n++] = request_nv(STR("content-type"), STR("application/grpc"));
	headers[n++] = request_nv(STR("grpc-accept-encoding"), STR(RPC_CODINGS));
	headers[n++] = request_nv(STR("grpc-timeout"), str_from(timeout));
	headers[n++] = request_nv(STR("user-agent"), str_from(c->user_agent));
	if (r->compression != COMPRESS_NONE)
		headers[n++] =
			request_nv(STR("grpc-encoding"), str_from(rpc_coding_name(r->compression)));
	if (call->authorization)
		headers[n++] = request_nv(STR("authorization"), str_from(call->authorization));
	for (size_t i = 0; i < r->header_count && n < HEADERS_MAX; i++)
		headers[n++] = request_nv(r->headers[i].name, r->headers[i].value);
	call->stream = nghttp2_submit_request(c->session, NULL, headers, n, &body, call);
	return call->stream < 0 ? -EPROTO : 0;
}

/* Send and receive until the call is complete. */
static int wait_for_answer(struct grpc_conn *c, struct grpc_call *call)
{
	int rc = 0;

	while (!call->done && !call->fault && !rc) {
		bool full;

		rc = send_frames(c);
		full = rc == -EAGAIN;
		if (call->done) /* it was answered early: sending the rest has closed the stream */
			break;
		if (rc && !full)
			break;
		rc = receive_frames(c);
		if (rc == -EAGAIN)
			rc = wait_for(c->fd, (short)(full ? POLLIN | POLLOUT : POLLIN),
				      call->deadline_ns);
		if (!rc && !call->done && !nghttp2_session_want_read(c->session))
			rc = -ECONNRESET; /* the server ended the session with our stream */
	}
	if (call->done || call->fault)
		return call->fault;
	return rc;
}

/* Process what was received between calls. Return whether the connection can be used. */
static bool is_connected(struct grpc_conn *c)
{
	int rc;

	if (c->fd < 0)
		return false;
	do
		rc = receive_frames(c);
	while (!rc);
	return rc == -EAGAIN && nghttp2_session_check_request_allowed(c->session);
}

int grpc_conn_call(struct grpc_conn *c, struct grpc_call *call, struct err *e)
{
	uint64_t connect_by = clock_monotonic_ns() + call->connect_timeout_ms * NS_PER_MS;
	int rc = 0;

	if (!is_connected(c)) {
		disconnect(c);
		rc = connect_server(c, connect_by, e);
	}
	if (rc)
		return rc;
	rc = submit_call(c, call);
	if (!rc)
		rc = wait_for_answer(c, call);
	if (call->done && call->reset && !call->answer.grpc_status.n)
		rc = err_set(e, call->reset == NGHTTP2_REFUSED_STREAM ? -EAGAIN : -ECONNRESET,
			     "the server ended the call: %s", nghttp2_http2_strerror(call->reset));
	/* An open stream and unwritten output refer to the call. */
	if (rc || !call->done || !grpc_out_is_empty(&c->out))
		disconnect(c);
	if (rc == -EFBIG)
		return err_set(e, rc, "response exceeds %zu bytes", call->max_body);
	return rc ? err_errno(e, rc, "waiting for the response") : 0;
}

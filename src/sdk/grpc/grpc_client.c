/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gRPC calls over a connection of our own: sockets, TLS if the URL says so (tls_client.h), HTTP/2
 * (h2.h). The connection is reused by later calls. A server may answer before it has read the whole
 * request: the answer counts, and the connection is closed, since the rest of the request is not
 * sent.
 */
#include "sdk/grpc/grpc_client.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "sdk/export/http_connect.h"
#include "sdk/grpc/h2.h"
#include "sdk/grpc/tls_client.h"

struct grpc_state {
	struct h2 h2;
	/* NULL: no TLS */
	struct tls_client *tls;
	/* decrypted, to be processed */
	struct buf plain;
	/* bytes of the output buffer that were sent */
	size_t sent;
};

void post_grpc_disconnect(struct post_client *c)
{
	struct grpc_state *g = take_ptr(&c->grpc);

	if (!g)
		return;
	h2_fini(&g->h2);
	tls_client_free(g->tls);
	buf_fini(&g->plain);
	free(g);
}

void post_grpc_forget(struct post_client *c)
{
	c->grpc = NULL;
}

/* Return the buffer that is sent to the socket: HTTP/2's output, or TLS's. */
static struct buf *output_buffer(struct grpc_state *g)
{
	return g->tls ? tls_client_out(g->tls) : &g->h2.out;
}

/* Send pending bytes. *full: the socket accepts no more now. Return 0 or -errno. */
static int send_pending(struct post_client *c, struct post_answer *a, bool *full)
{
	struct grpc_state *g = c->grpc;
	struct buf *wire = output_buffer(g);
	int rc = 0;

	*full = false;
	if (g->tls && tls_client_is_ready(g->tls) && g->h2.out.n) {
		rc = tls_client_write(g->tls, buf_str(&g->h2.out));
		buf_clear(&g->h2.out);
	}
	while (!rc && g->sent < wire->n) {
		ssize_t n = send(c->fd, wire->p + g->sent, wire->n - g->sent, MSG_NOSIGNAL);

		if (n > 0) {
			g->sent += (size_t)n;
			a->sent += (uint64_t)n;
		} else if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
			*full = true;
			return 0;
		} else if (errno != EINTR) {
			return -errno;
		}
	}
	g->sent = 0;
	buf_clear(wire);
	return rc;
}

/* Process received bytes. Return 0, -EAGAIN without any, -ECONNRESET at the end, or an error. */
static int receive_available(struct post_client *c, struct err *e)
{
	struct grpc_state *g = c->grpc;
	char bytes[8192];
	ssize_t n = recv(c->fd, bytes, sizeof(bytes), 0);
	struct str got = str_of(bytes, n > 0 ? (size_t)n : 0);
	int rc = 0;

	if (n < 0)
		return errno == EINTR ? 0 : errno == EWOULDBLOCK ? -EAGAIN : -errno;
	if (!n)
		return -ECONNRESET;
	if (g->tls) {
		rc = tls_client_feed(g->tls, got, &g->plain, e);
		got = buf_str(&g->plain);
	}
	if (got.n) { /* before reporting an end of the connection */
		int fed = h2_feed(&g->h2, got);

		rc = fed ? fed : rc;
	}
	buf_clear(&g->plain);
	return rc;
}

/* Connect and complete the TLS handshake. */
static int open_connection(struct post_client *c, const struct post_deadline *d,
			   struct post_answer *a, struct err *e)
{
	struct grpc_state *g;
	int rc = post_connect(c, d);
	bool full = false;

	if (rc)
		return rc;
	g = c->grpc = calloc(1, sizeof(*g));
	if (!g)
		return -ENOMEM;
	h2_init(&g->h2);
	if (!c->url.tls)
		return 0;
	rc = tls_client_new(&g->tls, c->url.host, c->ca_file, e);
	while (!rc && !tls_client_is_ready(g->tls)) {
		rc = send_pending(c, a, &full);
		rc = rc ? rc : receive_available(c, e);
		if (rc == -EAGAIN)
			rc = post_wait(c->fd, (short)(full ? POLLIN | POLLOUT : POLLIN), d);
		else if (rc)
			(void)!send_pending(c, a, &full); /* send the TLS alert */
	}
	return rc;
}

/* Process what arrived while idle. Return whether the connection can be used for another call. */
static bool is_usable(struct post_client *c)
{
	int rc = 0;

	if (c->fd < 0 || !c->grpc)
		return false;
	while (!rc)
		rc = receive_available(c, NULL);
	return rc == -EAGAIN && !c->grpc->h2.last;
}

/* Send as much of the call as the server and the socket accept. */
static int send_call(struct post_client *c, struct post_answer *a, bool *full)
{
	struct h2 *h = &c->grpc->h2;
	int rc;

	do {
		h2_fill(h);
		rc = buf_error(&h->out);
		rc = rc ? rc : send_pending(c, a, full);
	} while (!rc && !*full && h2_may_fill(h));
	return rc;
}

/* Send and receive until the call is done. *any: something was received. */
static int run_grpc_call(struct post_client *c, struct post_answer *a,
			 const struct post_deadline *d, bool *any, struct err *e)
{
	const struct h2_call *call = &c->grpc->h2.call;
	bool full = false;
	int rc = 0;

	while (!rc && !call->done) {
		rc = send_call(c, a, &full);
		/* a server that rejects a call early may close it: read its answer first */
		if (!rc || rc == -EPIPE || rc == -ECONNRESET)
			rc = receive_available(c, e);
		*any |= !rc;
		if (rc == -EAGAIN)
			rc = post_wait(c->fd, (short)(full ? POLLIN | POLLOUT : POLLIN), d);
	}
	return call->done ? 0 : rc;
}

static int try_call(struct post_client *c, const struct post_request *r, struct post_answer *a,
		    const struct post_deadline *d, bool *any, struct err *e)
{
	struct h2_request request = {c, r};
	struct h2_call *call;
	bool keep = false, full;
	int rc = 0;

	if (!c->grpc)
		rc = open_connection(c, d, a, e);
	rc = rc ? rc : h2_begin(&c->grpc->h2, &request, a);
	rc = rc ? rc : run_grpc_call(c, a, d, any, e);
	if (!rc) {
		call = &c->grpc->h2.call;
		if (call->refused)
			rc = -ECONNRESET; /* not processed: as if it had not been sent */
		else if (call->reset && a->grpc_status < 0)
			rc = err_set(e, -ECONNRESET, "the server reset the call (HTTP/2 code %u)",
				     call->reset);
		keep = !rc && call->sent == r->body.n && !c->grpc->h2.last &&
		       !send_pending(c, a, &full) && !full;
		*any &= !call->refused;
		call->answer = NULL; /* owned by the caller */
	}
	if (!keep)
		post_disconnect(c);
	return rc;
}

int post_by_grpc(struct post_client *c, const struct post_request *r, struct post_answer *a,
		 struct err *e)
{
	struct post_deadline d = {clock_monotonic_ns() + r->timeout_ms * NS_PER_MS, r->stop};
	bool reused = is_usable(c), any = false;
	struct err why = {0};
	int rc;

	a->grpc_status = -1;
	if (!reused)
		post_disconnect(c);
	rc = try_call(c, r, a, &d, &any, &why);
	/* the server closed the idle connection at this moment: it did not see the call */
	if (reused && !any && (rc == -EPIPE || rc == -ECONNRESET)) {
		why = (struct err){0};
		a->grpc_status = -1;
		buf_clear(&a->body);
		rc = try_call(c, r, a, &d, &any, &why);
	}
	if (rc)
		return err_set(e, rc, "%s:%s: %s", c->url.host, c->url.port,
			       why.text[0]     ? why.text
			       : rc == -EPROTO ? "not a gRPC answer"
					       : strerror(-rc));
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gRPC's calls over a connection of our own: sockets, TLS if the URL says so (tls_client.h), HTTP/2 (h2.h). The connection is kept between
 * calls. A server may answer before it has read the request: then the answer counts, and the connection ends, since the rest of the request
 * is not sent.
 */
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
	/* NULL: plain */
	struct tls_client *tls;
	/* decrypted, not looked at yet */
	struct buf plain;
	/* of what waits to be sent */
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

/* Bytes that go to the socket next: HTTP/2's own, or what TLS made of them. */
static struct buf *wire_of(struct grpc_state *g)
{
	return g->tls ? tls_client_out(g->tls) : &g->h2.out;
}

/* Send what is due. *full: the socket takes no more now. 0 or -errno. */
static int send_due(struct post_client *c, struct post_answer *a, bool *full)
{
	struct grpc_state *g = c->grpc;
	struct buf *wire = wire_of(g);
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

/* Read what is there. 0, -EAGAIN when there was nothing, -ECONNRESET at the end, or what is wrong. */
static int receive_some(struct post_client *c, struct err *e)
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
	if (got.n) { /* before an end that came with it */
		int fed = h2_feed(&g->h2, got);

		rc = fed ? fed : rc;
	}
	buf_clear(&g->plain);
	return rc;
}

/* Connect, and wait for TLS. */
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
		rc = send_due(c, a, &full);
		rc = rc ? rc : receive_some(c, e);
		if (rc == -EAGAIN)
			rc = post_wait(c->fd, (short)(full ? POLLIN | POLLOUT : POLLIN), d);
		else if (rc)
			(void)!send_due(c, a, &full); /* the server is told why */
	}
	return rc;
}

/* Take what came while nobody looked. False: the connection takes no more calls. */
static bool is_usable(struct post_client *c)
{
	int rc = 0;

	if (c->fd < 0 || !c->grpc)
		return false;
	while (!rc)
		rc = receive_some(c, NULL);
	return rc == -EAGAIN && !c->grpc->h2.last;
}

/* Send as much of the call as the server and the socket take. */
static int send_call(struct post_client *c, struct post_answer *a, bool *full)
{
	struct h2 *h = &c->grpc->h2;
	int rc;

	do {
		h2_fill(h);
		rc = buf_error(&h->out);
		rc = rc ? rc : send_due(c, a, full);
	} while (!rc && !*full && h2_may_fill(h));
	return rc;
}

/* Send and receive until the call is done. *any: something came. */
static int run_call(struct post_client *c, struct post_answer *a, const struct post_deadline *d,
		    bool *any, struct err *e)
{
	const struct h2_call *call = &c->grpc->h2.call;
	bool full = false;
	int rc = 0;

	while (!rc && !call->done) {
		rc = send_call(c, a, &full);
		/* One that refuses a call early closes before it has read all of it: what it said counts. */
		if (!rc || rc == -EPIPE || rc == -ECONNRESET)
			rc = receive_some(c, e);
		*any |= !rc;
		if (rc == -EAGAIN)
			rc = post_wait(c->fd, (short)(full ? POLLIN | POLLOUT : POLLIN), d);
	}
	return call->done ? 0 : rc;
}

static int call_once(struct post_client *c, const struct post_request *r, struct post_answer *a,
		     const struct post_deadline *d, bool *any, struct err *e)
{
	struct h2_request request = {c, r};
	struct h2_call *call;
	bool keep = false, full;
	int rc = 0;

	if (!c->grpc)
		rc = open_connection(c, d, a, e);
	rc = rc ? rc : h2_begin(&c->grpc->h2, &request, a);
	rc = rc ? rc : run_call(c, a, d, any, e);
	if (!rc) {
		call = &c->grpc->h2.call;
		if (call->refused)
			rc = -ECONNRESET; /* not looked at: as if it had not been sent */
		else if (call->reset && a->grpc_status < 0)
			rc = err_set(e, -ECONNRESET, "the server ended the call (HTTP/2 code %u)",
				     call->reset);
		keep = !rc && call->sent == r->body.n && !c->grpc->h2.last &&
		       !send_due(c, a, &full) && !full;
		*any &= !call->refused;
		call->answer = NULL; /* the caller's */
	}
	if (!keep)
		post_disconnect(c);
	return rc;
}

int post_by_grpc(struct post_client *c, const struct post_request *r, struct post_answer *a,
		 struct err *e)
{
	struct post_deadline d = {clock_monotonic_ns() + r->timeout_ms * NS_PER_MS, r->stop};
	bool kept = is_usable(c), any = false;
	struct err why = {0};
	int rc;

	a->grpc_status = -1;
	if (!kept)
		post_disconnect(c);
	rc = call_once(c, r, a, &d, &any, &why);
	/* A connection that was kept and is closed just now: the server had not seen the call. */
	if (kept && !any && (rc == -EPIPE || rc == -ECONNRESET)) {
		why = (struct err){0};
		a->grpc_status = -1;
		buf_clear(&a->body);
		rc = call_once(c, r, a, &d, &any, &why);
	}
	if (rc)
		return err_set(e, rc, "%s:%s: %s", c->url.host, c->url.port,
			       why.text[0]     ? why.text
			       : rc == -EPROTO ? "not an answer of gRPC"
					       : strerror(-rc));
	return 0;
}

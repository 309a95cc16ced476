/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Input and output of a connection. conn_run() writes pending output, passes input to the protocol
 * and reads more, until nothing can be done without waiting. One turn reads about TURN_BYTES at
 * most, so that a fast client does not starve the others of its loop.
 */
#include "net/conn.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/clock.h"
#include "net/address.h"
#include "net/http/http2.h"
#include "net/listener.h"
#include "net/room.h"
#include "net/server_internal.h"
#include "net/tls.h"

#define TURN_BYTES (512 * KIB)
/* Memory of OpenSSL for a connection, measured after a handshake; it frees buffers when idle. */
#define TLS_BYTES (48 * KIB)
#define CHARGE_STEP (1 * KIB) /* smaller changes are not worth an atomic addition */
#define OUT_KEEP (16 * KIB)   /* larger output buffers of idle connections are freed */

static const struct str preface = STR_INIT("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/* Charge the budget for `now` bytes of the connection itself; exchanges are charged separately. */
static void set_charge(struct conn *c, size_t now)
{
	if (now > c->charged)
		budget_charge(c->loop->memory, now - c->charged);
	else
		budget_give(c->loop->memory, c->charged - now);
	c->charged = now;
}

static size_t bytes_without_exchanges(const struct conn *c)
{
	return sizeof(*c) + c->out.cap + c->pending.cap + c->h2_bytes + (c->ssl ? TLS_BYTES : 0);
}

static void update_charge(struct conn *c)
{
	size_t now = bytes_without_exchanges(c);

	if (now >= c->charged + CHARGE_STEP || now + CHARGE_STEP <= c->charged)
		set_charge(c, now);
}

struct conn *conn_new(struct loop *l, int fd, SSL *ssl, const struct http_app *app,
		      const struct sockaddr_storage *peer)
{
	struct conn *c = calloc(1, sizeof(*c));

	if (!c) {
		tls_free(ssl);
		close(fd);
		return NULL;
	}
	c->source = SOURCE_CONN;
	c->mail.kind = MAIL_CONN;
	c->loop = l;
	c->app = app;
	c->fd = fd;
	c->ssl = ssl;
	c->peer = *peer;
	c->protocol = ssl ? CONN_TLS : CONN_SNIFF;
	c->deadline_ns = UINT64_MAX;
	set_charge(c, bytes_without_exchanges(c));
	return c;
}

void conn_start(struct conn *c)
{
	struct loop *l = c->loop;
	enum room room = c->over && !l->drain_seen ? room_make(c) : ROOM_MADE;

	if (room == ROOM_PASSED_ON)
		return;
	c->next = l->conns;
	if (l->conns)
		l->conns->prev = c;
	l->conns = c;
	stat_add(&l->stats.connections_total, 1);
	c->progress_ns = c->moved_ns = l->now_ns;
	c->readable = c->writable = true;
	if (c->listener && !l->paused)
		c->app = c->listener->app;
	if (room == ROOM_NONE)
		room_refuse(l, c->fd, c->ssl != NULL, NET_REFUSED_CONNECTIONS);
	if (l->drain_seen || room == ROOM_NONE ||
	    loop_watch(l, c->fd, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, &c->source))
		conn_close(c);
	else
		conn_run(c);
}

void conn_close(struct conn *c)
{
	struct loop *l = c->loop;

	if (c->closed)
		return;
	c->closed = true;
	room_forget(c);
	while (c->exchanges)
		exchange_abandon(c->exchanges);
	if (c->prev)
		c->prev->next = c->next;
	else
		l->conns = c->next;
	if (c->next)
		c->next->prev = c->prev;
	set_charge(c, 0); /* it is freed at the end of this round */
	c->dead_next = l->dead;
	l->dead = c;
	atomic_fetch_sub_explicit(&l->stats.connections_open, 1, memory_order_relaxed);
}

void conn_free(struct conn *c)
{
	http2_fini(c);
	tls_shutdown(c->ssl);
	tls_free(c->ssl);
	/* close() does not remove the socket from epoll if a child of fork() still has it open. */
	epoll_ctl(c->loop->epoll_fd, EPOLL_CTL_DEL, c->fd, NULL);
	close(c->fd);
	if (c->loop->server) /* a loop of a test or a fuzzer has none */
		peers_remove(&c->loop->server->peers, &c->peer);
	if (c->listener)
		atomic_fetch_sub_explicit(&c->listener->connections, 1, memory_order_release);
	room_leave(c);
	buf_fini(&c->pending);
	buf_fini(&c->out);
	free(c);
}

void conn_peer_left(struct conn *c)
{
	c->left = true;
	if (c->protocol == CONN_HTTP1 && c->h1.x)
		exchange_peer_left(c->h1.x);
}

/* Read up to n bytes. Return their number, 0 at the end, -EAGAIN, or another negative errno. */
static ssize_t receive_bytes(struct conn *c, char *p, size_t n)
{
	ssize_t got;

	if (c->ssl) {
		got = tls_read(c->ssl, p, n);
	} else {
		do
			got = read(c->fd, p, n);
		while (got < 0 && errno == EINTR);
		if (got < 0)
			got = -errno;
	}
	if (got == -EAGAIN)
		c->readable = false;
	if (got > 0) {
		if (!c->answers)
			c->moved_ns = c->loop->now_ns;
		stat_add(&c->loop->stats.bytes_in, (uint64_t)got);
		/*
		 * A short read has emptied the socket, and the next byte triggers an event; but the
		 * event for the end of the input may already have been received.
		 */
		if (!c->ssl && (size_t)got < n && !c->left)
			c->readable = false;
	}
	return got;
}

static ssize_t send_output(struct conn *c)
{
	struct str out = str_from_at(buf_str(&c->out), c->out_at);
	struct iovec parts[2] = {{(void *)out.p, out.n}, {(void *)c->body.p, c->body.n}};
	struct msghdr message = {.msg_iov = out.n ? parts : parts + 1,
				 .msg_iovlen = out.n && c->body.n ? 2 : 1};
	ssize_t sent;

	if (c->ssl)
		return out.n ? tls_write(c->ssl, out.p, out.n)
			     : tls_write(c->ssl, c->body.p, c->body.n);
	do
		sent = sendmsg(c->fd, &message, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent < 0 ? -errno : sent;
}

/* Write pending output. Return false if the connection was closed. */
static bool flush_output(struct conn *c)
{
	while (conn_has_output(c) && c->writable) {
		ssize_t sent = send_output(c);
		size_t head;

		if (sent == -EAGAIN) {
			c->writable = false;
			break;
		}
		if (sent < 0) {
			conn_close(c);
			return false;
		}
		stat_add(&c->loop->stats.bytes_out, (uint64_t)sent);
		c->progress_ns = c->loop->now_ns;
		/* over HTTP/2 it may be a control frame; read_answer() sets moved_ns there */
		if (c->protocol == CONN_HTTP1)
			c->moved_ns = c->loop->now_ns;
		head = min_size((size_t)sent, c->out.n - c->out_at);
		c->out_at += head;
		c->body = str_from_at(c->body, (size_t)sent - head);
	}
	if (c->out_at == c->out.n) {
		c->out_at = 0;
		buf_clear(&c->out);
	}
	return true;
}

static void start_http1(struct conn *c)
{
	c->protocol = CONN_HTTP1;
	http1_init(c);
}

static void start_http2(struct conn *c)
{
	c->protocol = CONN_HTTP2;
	if (http2_init(c))
		conn_close(c);
}

/* Detect the protocol: HTTP/2 begins with the connection preface, anything else is HTTP/1. */
static void sniff_protocol(struct conn *c)
{
	struct str seen = buf_str(&c->pending);

	if (str_starts(preface, str_head(seen, preface.n))) {
		if (seen.n >= preface.n)
			start_http2(c);
	} else {
		start_http1(c);
	}
}

/* Pass bytes to the protocol; keep those that it does not use yet. */
static void feed_protocol(struct conn *c, const char *p, size_t n)
{
	size_t used = 0;

	if (c->protocol == CONN_HTTP1)
		used = http1_input(c, p, n);
	else if (c->protocol == CONN_HTTP2)
		used = http2_input(c, p, n);
	if (!c->closed && used < n) {
		buf_put(&c->pending, p + used, n - used);
		if (buf_error(&c->pending))
			conn_close(c);
	}
}

/* Pass kept bytes to the protocol. Return whether it used some. */
static bool feed_pending(struct conn *c)
{
	size_t used = 0;

	if (!c->pending.n)
		return false;
	if (c->protocol == CONN_HTTP1)
		used = http1_input(c, c->pending.p, c->pending.n);
	else if (c->protocol == CONN_HTTP2)
		used = http2_input(c, c->pending.p, c->pending.n);
	if (c->closed || !used)
		return false;
	c->pending.n -= used;
	memmove(c->pending.p, c->pending.p + used, c->pending.n);
	if (!c->pending.n)
		buf_fini(&c->pending); /* most connections do not need it again */
	return true;
}

static bool wants_input(const struct conn *c)
{
	if (c->loop->paused)
		return false;
	if (c->protocol == CONN_HTTP1)
		return http1_wants_input(c);
	if (c->protocol == CONN_HTTP2)
		return http2_wants_input(c);
	return true;
}

static void end_of_input(struct conn *c, ssize_t got)
{
	c->eof = true;
	c->readable = false;
	if (got < 0 || c->protocol == CONN_SNIFF || c->protocol == CONN_HTTP2)
		conn_close(c);
	else
		http1_eof(c);
}

/* Read once. Return the number of bytes. */
static size_t read_once(struct conn *c)
{
	size_t room = LOOP_SCRATCH;
	char *direct = c->protocol == CONN_HTTP1 ? http1_input_room(c, &room) : NULL;
	ssize_t got;

	if (c->closed || !wants_input(c)) /* http1_input_room() refused the request */
		return 0;
	got = receive_bytes(c, direct ? direct : c->loop->scratch, room);
	if (got <= 0) {
		if (got != -EAGAIN)
			end_of_input(c, got);
		return 0;
	}
	if (direct) {
		http1_room_filled(c, (size_t)got);
	} else if (c->protocol == CONN_SNIFF) {
		buf_put(&c->pending, c->loop->scratch, (size_t)got);
		if (buf_error(&c->pending))
			conn_close(c);
		else
			sniff_protocol(c);
	} else {
		feed_protocol(c, c->loop->scratch, (size_t)got);
	}
	return (size_t)got;
}

/* Tell a client that speaks plaintext HTTP that the port needs TLS. */
static void answer_plain_http(const struct conn *c)
{
	static const struct str answer = STR_INIT(
		"HTTP/1.1 400 Bad Request\r\ncontent-length: 35\r\nconnection: close\r\n\r\n"
		"this port speaks TLS: use https://\n");
	UNUSED ssize_t n = send(c->fd, answer.p, answer.n, MSG_NOSIGNAL);
}

/* Continue the TLS handshake. Return true when it is complete. */
static bool continue_handshake(struct conn *c)
{
	bool h2 = false;
	int rc = tls_handshake(c->ssl, &h2);
	char peer[NET_ADDRESS_TEXT];

	if (rc == -EAGAIN) {
		c->readable = c->writable = false;
		return false;
	}
	if (rc) {
		stat_add(&c->loop->stats.refused[NET_REFUSED_TLS], 1);
		if (rc == -EPROTOTYPE)
			answer_plain_http(c);
		log_debug(c->loop->log, "TLS handshake failed",
			  LOG_STR("peer", str_from(net_address_format(&c->peer, peer))));
		conn_close(c);
		return false;
	}
	c->moved_ns = c->loop->now_ns;
	if (h2)
		start_http2(c);
	else
		c->protocol = CONN_SNIFF;
	return !c->closed;
}

static void run_again_later(struct conn *c)
{
	if (c->on_again)
		return;
	c->on_again = true;
	c->again_next = c->loop->again;
	c->loop->again = c;
}

static uint64_t conn_deadline(const struct conn *c)
{
	const struct net_options *o = &c->loop->options;

	if (conn_has_output(c))
		return c->progress_ns + o->write_timeout_ms * NS_PER_MS;
	if (c->protocol == CONN_TLS)
		return c->progress_ns + o->handshake_timeout_ms * NS_PER_MS;
	if (c->protocol == CONN_HTTP1)
		return http1_deadline(c);
	if (c->protocol == CONN_HTTP2)
		return http2_deadline(c);
	return c->progress_ns +
	       (c->pending.n ? o->header_timeout_ms : o->idle_timeout_ms) * NS_PER_MS;
}

bool conn_is_idle(const struct conn *c)
{
	if (c->exchanges || c->pending.n || c->on_again || conn_has_output(c))
		return false;
	return c->protocol != CONN_HTTP1 || http1_idle(c);
}

bool conn_has_unread_bytes(const struct conn *c)
{
	int unread = 0;

	return !c->exchanges && !ioctl(c->fd, FIONREAD, &unread) && unread > 0;
}

void conn_run(struct conn *c)
{
	size_t read = 0;

	if (c->protocol == CONN_TLS && !continue_handshake(c))
		goto out;
	while (!c->closed) {
		size_t got = 0;

		if (c->protocol == CONN_HTTP2)
			http2_output(c);
		if (c->closed || !flush_output(c))
			break;
		if (c->protocol == CONN_HTTP1 && !conn_has_output(c))
			http1_written(c);
		if (c->protocol == CONN_HTTP2 && !conn_has_output(c) && http2_finished(c))
			conn_close(c);
		if (c->closed || (!c->loop->paused && feed_pending(c)))
			continue;
		if (read >= TURN_BYTES && c->readable && wants_input(c)) {
			run_again_later(c);
			break;
		}
		if (c->readable && wants_input(c))
			got = read_once(c);
		read += got;
		if (!got && !(c->protocol == CONN_HTTP2 && http2_wants_output(c) && c->writable) &&
		    !(conn_has_output(c) && c->writable))
			break;
	}
out:
	if (!c->closed) {
		if (c->out.cap > OUT_KEEP && !c->exchanges && !conn_has_output(c))
			buf_fini(&c->out);
		update_charge(c);
		room_update(c);
		c->deadline_ns = conn_deadline(c);
		loop_check_at(c->loop, c->deadline_ns);
	}
}

void conn_answer(struct conn *c, struct exchange *x)
{
	if (c->protocol == CONN_HTTP1)
		http1_answer(c, x);
	else
		http2_answer(c, x);
	if (!c->closed)
		run_again_later(c); /* all responses of this round are written together */
}

void conn_expired(struct conn *c)
{
	struct loop *l = c->loop;

	if (conn_has_output(c) || c->protocol == CONN_TLS ||
	    (c->protocol == CONN_SNIFF && c->pending.n)) {
		stat_add(&l->stats.refused[NET_REFUSED_SLOW], 1);
		conn_close(c);
	} else if (c->protocol == CONN_HTTP1) {
		http1_expired(c);
	} else if (c->protocol == CONN_HTTP2) {
		http2_expired(c);
	} else {
		conn_close(c);
	}
	if (!c->closed)
		conn_run(c);
}

void conn_drain(struct conn *c)
{
	c->closing = true;
	if (c->protocol == CONN_HTTP2)
		http2_drain(c);
	else if (c->protocol != CONN_HTTP1 || http1_idle(c))
		conn_close(c);
	if (!c->closed)
		conn_run(c);
}

/* Do not count the time of the pause against the client. */
static void extend_deadlines(struct conn *c)
{
	uint64_t waited = c->loop->now_ns - c->loop->paused_ns;

	c->progress_ns = min_size(c->progress_ns + waited, c->loop->now_ns);
	if (c->protocol == CONN_HTTP1 && c->h1.started_ns)
		c->h1.started_ns += waited;
	for (struct exchange *x = c->exchanges; x; x = x->conn_next) {
		x->head_started_ns += waited;
		x->body_started_ns += waited;
	}
}

void conn_resume(struct conn *c)
{
	struct listener *l = c->listener;

	if (c->closed)
		return;
	if (l)
		c->app = l->app;
	extend_deadlines(c);
	for (struct exchange *x = c->exchanges; x; x = x->conn_next)
		if (x->stage == EXCHANGE_BODY)
			exchange_reroute(x);
	conn_run(c);
	if (l && l->removed && !c->closed)
		conn_drain(c);
}

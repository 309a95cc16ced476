/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One listening socket, watched by the first loop, which gives each connection to the loop that has
 * the fewest. (SO_REUSEPORT spreads by hash: with eight senders on two loops six and two are not rare.)
 */
#include "net/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "net/address.h"
#include "net/conn.h"
#include "net/server_inside.h"
#include "net/tls.h"

enum { BACKLOG = 1024, ACCEPT_TURN = 64 };

static int bind_one(const struct addrinfo *a, bool any)
{
	int fd = socket(a->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int on = 1, off = 0, rc;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (any && a->ai_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	if (bind(fd, a->ai_addr, a->ai_addrlen) || listen(fd, BACKLOG)) {
		rc = -errno;
		close(fd);
		return rc;
	}
	return fd;
}

/* On a machine without IPv6 "all" is all of IPv4. */
static int bind_any_ipv4(uint16_t port)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = port};
	struct addrinfo a = {
		.ai_family = AF_INET, .ai_addr = (struct sockaddr *)&in, .ai_addrlen = sizeof(in)};

	return bind_one(&a, true);
}

static int bind_address(const char *address, struct err *e)
{
	char host[ADDRESS_HOST_MAX];
	struct addrinfo *found;
	int fd = -EADDRNOTAVAIL;
	int rc = address_resolve(address, true, &found, host, e);

	if (rc)
		return rc;
	for (struct addrinfo *a = found; a && fd < 0; a = a->ai_next)
		fd = bind_one(a, !host[0]);
	if (fd == -EAFNOSUPPORT && !host[0])
		fd = bind_any_ipv4(((struct sockaddr_in6 *)found->ai_addr)->sin6_port);
	freeaddrinfo(found);
	return fd < 0 ? err_set(e, fd, "cannot listen on %s: %s", address, strerror(-fd)) : fd;
}

static uint16_t bound_port(int fd)
{
	struct sockaddr_storage at;
	socklen_t n = sizeof(at);

	if (getsockname(fd, (struct sockaddr *)&at, &n))
		return 0;
	return ntohs(at.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&at)->sin6_port
					      : ((struct sockaddr_in *)&at)->sin_port);
}

static int copy_text(const char **to, const char *from)
{
	*to = from ? strdup(from) : NULL;
	return from && !*to ? -ENOMEM : 0;
}

int listener_open(struct listener *l, struct net_server *server, const struct net_listener *from,
		  struct err *e)
{
	int rc = 0;

	*l = (struct listener){
		.source = SOURCE_LISTENER, .fd = -1, .server = server, .app = from->app};
	pthread_mutex_init(&l->tls_mu, NULL);
	if (from->tls) {
		rc = copy_text(&l->tls_files.certificate, from->tls->certificate);
		if (!rc)
			rc = copy_text(&l->tls_files.key, from->tls->key);
		if (!rc)
			rc = copy_text(&l->tls_files.client_ca, from->tls->client_ca);
		if (!rc)
			rc = tls_server_context(&l->tls, &l->tls_files, e);
		if (rc)
			return rc;
	}
	l->fd = bind_address(from->address, e);
	if (l->fd < 0)
		return l->fd;
	l->port = bound_port(l->fd);
	return 0;
}

void listener_stop(struct listener *l)
{
	if (l->fd < 0)
		return;
	if (l->server->loop_count)
		epoll_ctl(l->server->loops[0].epoll_fd, EPOLL_CTL_DEL, l->fd, NULL);
	close(l->fd);
	l->fd = -1;
}

void listener_fini(struct listener *l)
{
	if (!l->server)
		return;
	listener_stop(l);
	tls_context_free(l->tls);
	pthread_mutex_destroy(&l->tls_mu);
	free((char *)l->tls_files.certificate);
	free((char *)l->tls_files.key);
	free((char *)l->tls_files.client_ca);
}

void listener_replace_tls(struct listener *l, SSL_CTX *context)
{
	SSL_CTX *old;

	pthread_mutex_lock(&l->tls_mu);
	old = l->tls;
	l->tls = context;
	pthread_mutex_unlock(&l->tls_mu);
	tls_context_free(old);
}

static SSL *new_ssl(struct listener *l, int fd)
{
	SSL *ssl;

	pthread_mutex_lock(&l->tls_mu);
	ssl = tls_accept(l->tls, fd);
	pthread_mutex_unlock(&l->tls_mu);
	return ssl;
}

static struct loop *least_busy(struct net_server *s, uint64_t *total)
{
	struct loop *best = &s->loops[0];
	uint64_t least = UINT64_MAX;

	*total = 0;
	for (size_t i = 0; i < s->loop_count; i++) {
		uint64_t n = atomic_load_explicit(&s->loops[i].stats.connections_open,
						  memory_order_relaxed);

		*total += n;
		if (n < least) {
			least = n;
			best = &s->loops[i];
		}
	}
	return best;
}

/* Refuse a connection over the limit of that name. */
static void turn_away(struct listener *l, int fd, enum net_refused reason, const char *limit,
		      uint64_t max)
{
	bool address = reason == NET_REFUSED_ADDRESS;
	char text[128], answer[384];
	int n = snprintf(text, sizeof(text), "too many connections%s: %s (%llu)\n",
			 address ? " from this address" : "", limit, (unsigned long long)max);

	n = snprintf(answer, sizeof(answer),
		     "HTTP/1.1 %s\r\nretry-after: 1\r\ncontent-length: %d\r\n"
		     "connection: close\r\n\r\n%s",
		     address ? "429 Too Many Requests" : "503 Service Unavailable", n, text);
	stat_add(&l->server->loops[0].stats.refused[reason], 1);
	log_warn(l->server->loops[0].log, "connection refused", LOG_STR("option", str_from(limit)),
		 LOG_U64("limit", max));
	if (!l->tls) {
		UNUSED ssize_t sent = write(fd, answer, (size_t)n);
	}
	close(fd);
}

static void give_to_loop(struct listener *l, int fd, const struct sockaddr_storage *peer)
{
	struct net_server *s = l->server;
	uint64_t total;
	struct loop *loop = least_busy(s, &total);
	struct conn *c;
	SSL *ssl = NULL;
	int on = 1;

	if (total >= s->options.max_connections) {
		turn_away(l, fd, NET_REFUSED_CONNECTIONS, "max_connections",
			  s->options.max_connections);
		return;
	}
	if (!peers_add(&s->peers, peer)) {
		turn_away(l, fd, NET_REFUSED_ADDRESS,
			  "max_connections_per_address, service.limits.connections_per_address",
			  s->options.max_connections_per_address);
		return;
	}
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if (l->tls) {
		ssl = new_ssl(l, fd);
		if (!ssl) {
			peers_remove(&s->peers, peer);
			close(fd);
			return;
		}
	}
	c = conn_new(loop, fd, ssl, l->app, peer);
	if (!c) {
		peers_remove(&s->peers, peer);
		return;
	}
	atomic_fetch_add_explicit(&loop->stats.connections_open, 1, memory_order_relaxed);
	loop_mail(loop, &c->mail);
}

/* Out of descriptors: give up the spare one to take the connection and end it, else it would wait forever. */
static bool shed_one(struct listener *l)
{
	struct net_server *s = l->server;
	int fd;

	if (s->spare_fd < 0)
		return false;
	close(s->spare_fd);
	fd = accept4(l->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd >= 0)
		close(fd);
	s->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	stat_add(&s->loops[0].stats.refused[NET_REFUSED_CONNECTIONS], 1);
	log_warn(s->loops[0].log, "connection refused: no file descriptors are left (ulimit -n)");
	return fd >= 0;
}

void listener_accept(struct listener *l)
{
	for (int i = 0; i < ACCEPT_TURN && l->fd >= 0; i++) {
		struct sockaddr_storage peer = {0};
		socklen_t n = sizeof(peer);
		int fd = accept4(l->fd, (struct sockaddr *)&peer, &n, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd >= 0)
			give_to_loop(l, fd, &peer);
		else if (errno == EMFILE || errno == ENFILE ? !shed_one(l) : errno != ECONNABORTED)
			return;
	}
}

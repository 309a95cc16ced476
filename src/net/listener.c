/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A listening socket. The first loop accepts connections and assigns each to the loop with the
 * fewest. (SO_REUSEPORT distributes by hash: it often assigns six of eight clients to one of two
 * loops.)
 *
 * The server keeps a spare file descriptor. When there are no others, it is closed to accept a
 * connection, which is then refused or replaces an idle one.
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
#include "net/room.h"
#include "net/server_internal.h"
#include "net/shed.h"
#include "net/tls.h"

enum { BACKLOG = 1024, ACCEPT_TURN = 64 };

static int bind_socket(const struct addrinfo *a, bool any)
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

/* Listen on all interfaces of a machine without IPv6. */
static int bind_any_ipv4(uint16_t port)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = port};
	struct addrinfo a = {
		.ai_family = AF_INET, .ai_addr = (struct sockaddr *)&in, .ai_addrlen = sizeof(in)};

	return bind_socket(&a, true);
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
		fd = bind_socket(a, !host[0]);
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

static int copy_string(const char **to, const char *from)
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
		rc = copy_string(&l->tls_files.certificate, from->tls->certificate);
		if (!rc)
			rc = copy_string(&l->tls_files.key, from->tls->key);
		if (!rc)
			rc = copy_string(&l->tls_files.client_ca, from->tls->client_ca);
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

static bool has_tls(const struct listener *l)
{
	return l->tls_files.certificate != NULL;
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

/* Start a connection on a loop. `over`: it is beyond max_connections. */
static void start_connection(struct listener *l, int fd, const struct sockaddr_storage *peer,
			     struct loop *loop, bool over)
{
	struct net_server *s = l->server;
	struct conn *c = NULL;
	SSL *ssl = NULL;
	int on = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if (has_tls(l))
		ssl = new_ssl(l, fd);
	if (has_tls(l) && !ssl)
		close(fd);
	else
		c = conn_new(loop, fd, ssl, l->app, peer);
	if (!c) {
		peers_remove(&s->peers, peer);
		return;
	}
	c->over = over;
	atomic_fetch_add_explicit(&s->over, over, memory_order_relaxed);
	atomic_fetch_add_explicit(&loop->stats.connections_open, 1, memory_order_relaxed);
	loop_mail(loop, &c->mail);
}

/* Assign a connection to a loop, or refuse it. `full`: an idle connection must be closed for it. */
static void give_to_loop(struct listener *l, int fd, const struct sockaddr_storage *peer, bool full)
{
	struct net_server *s = l->server;
	uint64_t total;
	struct loop *loop = least_busy(s, &total);

	if (!peers_add(&s->peers, peer)) {
		room_refuse(&s->loops[0], fd, has_tls(l), NET_REFUSED_ADDRESS);
		close(fd);
		return;
	}
	full |= total >= s->options.max_connections;
	if (full)
		loop = room_find(s);
	if (loop) {
		start_connection(l, fd, peer, loop, full);
		return;
	}
	peers_remove(&s->peers, peer);
	room_refuse(&s->loops[0], fd, has_tls(l), NET_REFUSED_CONNECTIONS);
	close(fd);
}

/*
 * Accept with the spare descriptor when there are no others. Return -1 if another thread has used
 * the spare one; an idle connection is closed, and the new one waits until a descriptor is free.
 */
static int accept_with_spare(struct listener *l, struct sockaddr_storage *peer)
{
	struct net_server *s = l->server;
	socklen_t n = sizeof(*peer);

	if (s->spare_fd < 0) {
		room_close_idle(&s->loops[0]);
		return -1;
	}
	log_warn(s->loops[0].log, "out of file descriptors (ulimit -n)");
	close(s->spare_fd);
	s->spare_fd = -1;
	return accept4(l->fd, (struct sockaddr *)peer, &n, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

/* Accept a connection. Return false if none is waiting, or it must wait until others are closed. */
static bool accept_one(struct listener *l)
{
	struct net_server *s = l->server;
	struct sockaddr_storage peer = {0};
	socklen_t n = sizeof(peer);
	bool full;
	int fd;

	if (atomic_load_explicit(&s->over, memory_order_relaxed) >= ROOM_OVER_MAX ||
	    loop_memory_is_full(&s->loops[0]))
		return false;
	fd = accept4(l->fd, (struct sockaddr *)&peer, &n, SOCK_CLOEXEC | SOCK_NONBLOCK);
	full = fd < 0 && (errno == EMFILE || errno == ENFILE);
	if (fd < 0 && !full)
		return errno == ECONNABORTED;
	if (full)
		fd = accept_with_spare(l, &peer);
	if (fd >= 0)
		give_to_loop(l, fd, &peer, full);
	if (s->spare_fd < 0)
		s->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	return fd >= 0;
}

void listener_accept(struct listener *l)
{
	for (int i = 0; i < ACCEPT_TURN && l->fd >= 0 && accept_one(l); i++)
		;
}

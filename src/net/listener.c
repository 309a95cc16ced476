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

void tls_files_fini(struct net_tls_files *files)
{
	free((char *)files->certificate);
	free((char *)files->key);
	free((char *)files->client_ca);
	*files = (struct net_tls_files){0};
}

int tls_files_copy(struct net_tls_files *to, const struct net_tls_files *from)
{
	struct net_tls_files copy = {0};
	int rc = from ? copy_string(&copy.certificate, from->certificate) : 0;

	if (!rc && from)
		rc = copy_string(&copy.key, from->key);
	if (!rc && from)
		rc = copy_string(&copy.client_ca, from->client_ca);
	if (rc)
		tls_files_fini(&copy);
	else
		*to = copy;
	return rc;
}

static int open_listener(struct listener *l, const struct net_listener *from, struct err *e)
{
	int rc = tls_files_copy(&l->tls_files, from->tls);

	l->address = strdup(from->address);
	if (!l->address)
		rc = -ENOMEM;
	if (!rc && from->tls)
		rc = tls_server_context(&l->tls, &l->tls_files, e);
	if (rc)
		return rc;
	l->fd = bind_address(from->address, e);
	if (l->fd < 0)
		return l->fd;
	l->port = bound_port(l->fd);
	return 0;
}

int listener_new(struct listener **out, struct net_server *server, const struct net_listener *from,
		 struct err *e)
{
	struct listener *l = calloc(1, sizeof(*l));
	int rc;

	if (!l)
		return -ENOMEM;
	l->source = SOURCE_LISTENER;
	l->fd = -1;
	l->server = server;
	l->app = from->app;
	pthread_mutex_init(&l->tls_mu, NULL);
	rc = open_listener(l, from, e);
	if (rc)
		listener_free(l);
	else
		*out = l;
	return rc;
}

static bool same_address(const struct sockaddr_storage *a, const struct sockaddr *b)
{
	const struct sockaddr_in *a4 = (const void *)a, *b4 = (const void *)b;
	const struct sockaddr_in6 *a6 = (const void *)a, *b6 = (const void *)b;

	if (a->ss_family != b->sa_family)
		return false;
	if (a->ss_family == AF_INET)
		return a4->sin_port == b4->sin_port && a4->sin_addr.s_addr == b4->sin_addr.s_addr;
	return a->ss_family == AF_INET6 && a6->sin6_port == b6->sin6_port &&
	       !memcmp(&a6->sin6_addr, &b6->sin6_addr, sizeof(a6->sin6_addr));
}

bool listener_is_at(const struct listener *l, const char *address)
{
	struct sockaddr_storage at = {0};
	socklen_t n = sizeof(at);
	char host[ADDRESS_HOST_MAX];
	struct addrinfo *found;
	bool same = false;

	if (!strcmp(l->address, address))
		return true;
	if (getsockname(l->fd, (struct sockaddr *)&at, &n) ||
	    address_resolve(address, true, &found, host, NULL))
		return false;
	for (struct addrinfo *a = found; a && !same; a = a->ai_next)
		same = same_address(&at, a->ai_addr);
	freeaddrinfo(found);
	return same;
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

void listener_free(struct listener *l)
{
	if (!l)
		return;
	listener_stop(l);
	tls_context_free(l->tls);
	pthread_mutex_destroy(&l->tls_mu);
	tls_files_fini(&l->tls_files);
	free(l->address);
	free(l);
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

static bool has_tls(struct listener *l)
{
	bool tls;

	pthread_mutex_lock(&l->tls_mu);
	tls = l->tls != NULL;
	pthread_mutex_unlock(&l->tls_mu);
	return tls;
}

/* Begin TLS if the listener has it; *out is NULL otherwise. Return false when out of memory. */
static bool begin_tls(struct listener *l, int fd, SSL **out)
{
	bool ok;

	pthread_mutex_lock(&l->tls_mu);
	*out = l->tls ? tls_accept(l->tls, fd) : NULL;
	ok = *out || !l->tls;
	pthread_mutex_unlock(&l->tls_mu);
	return ok;
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
	SSL *ssl;
	int on = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if (begin_tls(l, fd, &ssl))
		c = conn_new(loop, fd, ssl, NULL, peer);
	else
		close(fd);
	if (!c) {
		peers_remove(&s->peers, peer);
		return;
	}
	c->listener = l; /* conn_start() sets the app */
	atomic_fetch_add_explicit(&l->connections, 1, memory_order_relaxed);
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

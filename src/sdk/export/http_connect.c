/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waiting with a deadline, name lookups and connecting, for all clients with sockets of their own.
 */
#include "sdk/export/http_connect.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "sdk/grpc/grpc_client.h"
#include "sdk/hook/guest.h"

enum { SLICE_MS = 100 }; /* upper bound of one poll(), to notice d->stop */

int post_wait(int fd, short events, const struct post_deadline *d)
{
	for (;;) {
		struct pollfd p = {.fd = fd, .events = events};
		uint64_t now = clock_monotonic_ns();
		uint64_t left_ms;
		int n;

		if (d->stop && atomic_load(d->stop))
			return -ECANCELED;
		if (now >= d->at_ns)
			return -ETIMEDOUT;
		left_ms = (d->at_ns - now) / NS_PER_MS + 1;
		n = poll(&p, 1, left_ms < SLICE_MS ? (int)left_ms : SLICE_MS);
		if (n > 0)
			return 0;
		if (n < 0 && errno != EINTR)
			return -errno;
	}
}

/* -- name lookups ------------------------------------------------------------------------------ */

/*
 * The lookup of a name. libc's resolver has neither a timeout nor cancellation, so it runs on a
 * detached thread, which is left alone when it takes too long. The next attempt of the same client
 * continues to wait for the same lookup, so that a client has at most one.
 */
struct post_lookup {
	_Atomic unsigned users; /* the client and the thread; the last one frees it */
	int done;		/* an eventfd, for poll() */
	int rc;			/* of getaddrinfo(), once done */
	struct addrinfo *found;
	char host[POST_HOST_MAX], port[8];
};

static const struct addrinfo lookup_hints = {.ai_socktype = SOCK_STREAM,
					     .ai_flags = AI_NUMERICSERV};

void post_lookup_unref(struct post_lookup *l)
{
	if (!l || atomic_fetch_sub(&l->users, 1) > 1)
		return;
	if (l->found)
		freeaddrinfo(l->found);
	if (l->done >= 0)
		close(l->done);
	free(l);
}

static void *run_lookup(void *arg)
{
	struct post_lookup *l = arg;
	uint64_t one = 1;

	guest_own_begin();
	l->rc = getaddrinfo(l->host, l->port, &lookup_hints, &l->found);
	(void)!write(l->done, &one, sizeof(one));
	guest_own_end();
	post_lookup_unref(l);
	return NULL;
}

/* Start the lookup's detached thread, with all signals blocked. */
static int start_lookup(struct post_lookup *l)
{
	pthread_attr_t detached;
	sigset_t all, before;
	pthread_t thread;
	int rc;

	if (pthread_attr_init(&detached))
		return -ENOMEM;
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&thread, &detached, run_lookup, l);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&detached);
	return -rc;
}

static int lookup_new(struct post_lookup **out, const struct post_url *url)
{
	struct post_lookup *l = calloc(1, sizeof(*l));

	if (!l)
		return -ENOMEM;
	l->users = 2;
	l->done = eventfd(0, EFD_CLOEXEC);
	memcpy(l->host, url->host, sizeof(l->host));
	memcpy(l->port, url->port, sizeof(l->port));
	if (l->done < 0 || start_lookup(l)) {
		l->users = 1;
		post_lookup_unref(l);
		return -ENOMEM;
	}
	*out = l;
	return 0;
}

/* Resolve the host. Return 0, -EHOSTUNREACH, -ETIMEDOUT, -ECANCELED or -ENOMEM. */
static int resolve_host(struct post_client *c, const struct post_deadline *d, struct addrinfo **out)
{
	struct addrinfo address = lookup_hints;
	int rc = 0;

	address.ai_flags |= AI_NUMERICHOST; /* a literal address needs no lookup */
	if (!getaddrinfo(c->url.host, c->url.port, &address, out))
		return 0;
	if (!c->lookup)
		rc = lookup_new(&c->lookup, &c->url);
	if (rc || !c->lookup)
		return rc;
	rc = post_wait(c->lookup->done, POLLIN, d);
	if (rc)
		return rc;
	rc = c->lookup->rc ? -EHOSTUNREACH : 0;
	*out = take_ptr(&c->lookup->found);
	post_lookup_unref(take_ptr(&c->lookup));
	return rc;
}

/* -- the connection ---------------------------------------------------------------------------- */

void post_disconnect(struct post_client *c)
{
	post_grpc_disconnect(c);
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
	buf_clear(&c->in);
}

static int connect_to_address(const struct addrinfo *ai, const struct post_deadline *d, int *out)
{
	int one = 1, rc = 0, fd;
	socklen_t size = sizeof(rc);

	fd = socket(ai->ai_family, ai->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, ai->ai_protocol);
	if (fd < 0)
		return -errno;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (connect(fd, ai->ai_addr, ai->ai_addrlen)) {
		rc = errno == EINPROGRESS ? post_wait(fd, POLLOUT, d) : -errno;
		if (!rc) {
			getsockopt(fd, SOL_SOCKET, SO_ERROR, &rc, &size);
			rc = -rc;
		}
	}
	if (rc)
		close(fd);
	else
		*out = fd;
	return rc;
}

int post_connect(struct post_client *c, const struct post_deadline *d)
{
	struct addrinfo *all = NULL;
	int rc = resolve_host(c, d, &all);

	if (rc)
		return rc;
	rc = -EHOSTUNREACH;
	for (const struct addrinfo *ai = all; ai && rc && rc != -ETIMEDOUT && rc != -ECANCELED;
	     ai = ai->ai_next)
		rc = connect_to_address(ai, d, &c->fd);
	freeaddrinfo(all);
	return rc;
}

bool post_is_stale(int fd)
{
	char c;
	ssize_t n = recv(fd, &c, 1, MSG_PEEK);

	return !(n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK));
}

void post_lookup_forked(struct post_client *c)
{
	if (c->lookup)
		close(c->lookup->done);
	c->lookup = NULL; /* its thread is in the parent */
}

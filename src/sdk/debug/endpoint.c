/* SPDX-License-Identifier: Apache-2.0 */
/* The HTTP server of /debug/pprof: an accepting thread, and one thread per connection. */
#include "sdk/debug/endpoint.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/thread.h"
#include "sdk/hook/guest.h"
#include "wire/origin.h"

#define LOOPBACK "127.0.0.1"

enum {
	LOOPBACK_SIZE = sizeof(LOOPBACK),
	CONNECTIONS_MAX = 8,
	HEAD_MAX = 16 * 1024,
	BODY_MAX = 1024 * 1024,
	READ_MS = 5000, /* for a whole request */
	HOSTS_MAX = 16,
	HOSTS_TEXT = 1024,
};

struct endpoint_connection {
	struct thread thread;
	struct endpoint *endpoint;
	int fd;
	_Atomic bool used, done;
};

struct endpoint {
	int listener, wake;
	unsigned port;
	endpoint_handler *handler;
	void *arg;
	/* accepted values of Host; the strings are in `host_text` */
	struct host_rules hosts;
	struct str host_names[HOSTS_MAX];
	char host_text[HOSTS_TEXT];
	struct thread thread;
	struct endpoint_connection connections[CONNECTIONS_MAX];
};

bool endpoint_parameter(struct str query, struct str name, struct str *value)
{
	while (query.n) {
		struct str pair = str_cut(&query, '&'), key = str_cut(&pair, '=');

		if (str_eq(key, name)) {
			*value = pair;
			return true;
		}
	}
	return false;
}

/* -- reading a request ------------------------------------------------------------------------- */

/* Append received bytes to `b`. Return 0, -EPIPE at the end, -ETIMEDOUT, -errno. */
static int read_more(int fd, struct buf *b, uint64_t deadline_ns)
{
	struct pollfd ready = {.fd = fd, .events = POLLIN};
	uint64_t now = clock_monotonic_ns();
	char *at = buf_reserve(b, 4096);
	ssize_t n;

	if (!at)
		return -ENOMEM;
	if (now >= deadline_ns || poll(&ready, 1, (int)((deadline_ns - now) / NS_PER_MS) + 1) <= 0)
		return -ETIMEDOUT;
	n = recv(fd, at, 4096, 0);
	if (n <= 0)
		return n ? -errno : -EPIPE;
	b->n += (size_t)n;
	return 0;
}

/* Find the next header of that name in *head and advance. Return false when there is none. */
static bool next_header(struct str *head, struct str name, struct str *value)
{
	struct str line, found;

	while (str_next_line(head, &line)) {
		found = str_cut(&line, ':');
		if (found.n == name.n && !strncasecmp(found.p, name.p, name.n)) {
			*value = str_trim(line);
			return true;
		}
	}
	return false;
}

static struct str find_header(struct str head, struct str name)
{
	struct str value = {0};

	return next_header(&head, name, &value) ? value : (struct str){0};
}

struct str endpoint_header(const struct endpoint_request *request, struct str name)
{
	return find_header(request->head, name);
}

/* Return whether the peer of a connection is on this machine. */
static bool peer_is_loopback(int fd)
{
	struct sockaddr_storage peer = {0};
	socklen_t size = sizeof(peer);
	const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)&peer;

	if (getpeername(fd, (struct sockaddr *)&peer, &size))
		return false;
	if (peer.ss_family == AF_INET)
		return ((const uint8_t *)&((const struct sockaddr_in *)&peer)->sin_addr)[0] == 127;
	if (peer.ss_family == AF_INET6)
		return IN6_IS_ADDR_LOOPBACK(&six->sin6_addr) ||
		       (IN6_IS_ADDR_V4MAPPED(&six->sin6_addr) && six->sin6_addr.s6_addr[12] == 127);
	return peer.ss_family == AF_UNIX;
}

static size_t body_length(struct str head)
{
	struct str value;
	uint64_t length = 0;

	while (next_header(&head, STR("content-length"), &value))
		if (str_to_u64(value, 10, &length))
			return BODY_MAX + 1;
	return length > BODY_MAX ? BODY_MAX + 1 : (size_t)length;
}

/* Read a request. Return 0, the status of an error answer, or -errno when no answer is possible. */
static int read_request(int fd, struct buf *b, struct endpoint_request *r)
{
	uint64_t deadline = clock_monotonic_ns() + READ_MS * NS_PER_MS;
	struct str head, line;
	size_t end, length;
	int rc;

	while ((end = str_find_str(buf_str(b), STR("\r\n\r\n"))) == b->n) {
		if (b->n > HEAD_MAX)
			return 431;
		rc = read_more(fd, b, deadline);
		if (rc)
			return rc == -ETIMEDOUT ? 408 : rc;
	}
	length = body_length(str_head(buf_str(b), end));
	if (length > BODY_MAX)
		return 413;
	while (b->n - end - 4 < length) {
		rc = read_more(fd, b, deadline);
		if (rc)
			return rc == -ETIMEDOUT ? 408 : rc;
	}
	head = str_head(buf_str(b), end);
	str_next_line(&head, &line);
	r->method = str_cut(&line, ' ');
	r->query = str_cut(&line, ' ');
	r->path = str_cut(&r->query, '?');
	r->head = head;
	r->body = str_of(b->p + end + 4, length);
	return str_starts(line, STR("HTTP/1.")) && r->path.n && r->path.p[0] == '/' ? 0 : 400;
}

/* -- origin checks ----------------------------------------------------------------------------- */

static bool is_index(struct str path)
{
	return str_eq(path, STR("/debug/pprof")) || str_eq(path, STR("/debug/pprof/"));
}

/* Return the reason to refuse a request, or NULL. */
static const char *refusal_reason(const struct endpoint *x, const struct endpoint_request *r)
{
	struct origin_request from = {
		.host = find_header(r->head, STR("host")),
		.origin = find_header(r->head, STR("origin")),
		.fetch_site = find_header(r->head, STR("sec-fetch-site")),
		.fetch_mode = find_header(r->head, STR("sec-fetch-mode")),
		.fetch_dest = find_header(r->head, STR("sec-fetch-dest")),
	};
	struct str rest = r->head, host;

	while (next_header(&rest, STR("host"), &host))
		if (host.n && !host_allowed(&x->hosts, host))
			return "Host is not an allowed name of this process; add it to "
			       "endpoints.allowed_hosts (VARVE_LISTEN_HOSTS)";
	if (!origin_is_foreign(&x->hosts, &from))
		return NULL;
	if (str_eq(r->method, STR("GET")) && is_index(r->path) && origin_is_navigation(&from))
		return NULL;
	return "requests from pages of other origins are refused";
}

/* -- answering --------------------------------------------------------------------------------- */

static const char *reason_phrase(unsigned status)
{
	switch (status) {
	case 200:
		return "OK";
	case 400:
		return "Bad Request";
	case 401:
		return "Unauthorized";
	case 403:
		return "Forbidden";
	case 404:
		return "Not Found";
	case 405:
		return "Method Not Allowed";
	case 408:
		return "Request Timeout";
	case 413:
		return "Content Too Large";
	case 429:
		return "Too Many Requests";
	case 431:
		return "Request Header Fields Too Large";
	case 503:
		return "Service Unavailable";
	default:
		return "Internal Server Error";
	}
}

static void send_to_client(int fd, struct str bytes)
{
	while (bytes.n) {
		struct pollfd ready = {.fd = fd, .events = POLLOUT};
		ssize_t n = send(fd, bytes.p, bytes.n, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno == EAGAIN && poll(&ready, 1, READ_MS) > 0)
			continue;
		if (n <= 0)
			return; /* the client is gone */
		bytes = str_from_at(bytes, (size_t)n);
	}
}

static void send_answer(int fd, const struct endpoint_answer *a)
{
	struct buf head = {0};

	buf_printf(&head, "HTTP/1.1 %u %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n",
		   a->status, reason_phrase(a->status), a->content_type, a->body.n);
	buf_printf(&head, "X-Content-Type-Options: nosniff\r\nConnection: close\r\n");
	if (a->status != 200)
		buf_printf(&head, "X-Go-Pprof: 1\r\n"); /* makes pprof show the text */
	if (a->file_name)
		buf_printf(&head, "Content-Disposition: attachment; filename=\"%s%s\"\r\n",
			   a->file_name, a->delta ? "-delta" : "");
	buf_printf(&head, "\r\n");
	send_to_client(fd, buf_str(&head));
	send_to_client(fd, buf_str(&a->body));
	buf_fini(&head);
}

static void answer_connection(struct endpoint *x, int fd)
{
	struct endpoint_answer a = {.status = 200, .content_type = "text/plain; charset=utf-8"};
	struct endpoint_request r = {0};
	struct buf in = {0};
	int status = read_request(fd, &in, &r);
	const char *refusal = status ? NULL : refusal_reason(x, &r);

	if (refusal) {
		a.status = 403;
		buf_printf(&a.body, "%s\n", refusal);
	} else if (!status) {
		r.from_loopback = peer_is_loopback(fd);
		x->handler(x->arg, &r, &a);
	}
	if (status > 0) {
		a.status = (unsigned)status;
		buf_printf(&a.body, "%s\n", reason_phrase(a.status));
	}
	if (status >= 0) {
		if (buf_error(&a.body))
			a.status = 500;
		send_answer(fd, &a);
		shutdown(fd, SHUT_WR);
	}
	buf_fini(&a.body);
	buf_fini(&in);
}

static void run_connection(void *arg)
{
	struct endpoint_connection *c = arg;

	guest_own_begin();
	answer_connection(c->endpoint, c->fd);
	close(c->fd);
	guest_own_end();
	atomic_store(&c->done, true);
}

/* -- listening --------------------------------------------------------------------------------- */

static struct endpoint_connection *find_free_connection(struct endpoint *x)
{
	for (unsigned i = 0; i < CONNECTIONS_MAX; i++) {
		struct endpoint_connection *c = &x->connections[i];

		if (atomic_load(&c->used) && atomic_load(&c->done)) {
			thread_join(&c->thread);
			atomic_store(&c->used, false);
		}
		if (!atomic_load(&c->used))
			return c;
	}
	return NULL;
}

static void start_connection(struct endpoint *x, int fd)
{
	struct endpoint_connection *c = find_free_connection(x);

	if (!c) {
		send_to_client(fd, STR("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n"
				       "Connection: close\r\nRetry-After: 1\r\n\r\n"));
		close(fd);
		return;
	}
	*c = (struct endpoint_connection){.endpoint = x, .fd = fd, .used = true};
	if (guest_own_start(&c->thread, "varve-pprof", run_connection, c, NULL)) {
		close(fd);
		atomic_store(&c->used, false);
	}
}

static void run_listener(void *arg)
{
	struct endpoint *x = arg;
	struct pollfd fds[] = {{.fd = x->listener, .events = POLLIN},
			       {.fd = x->wake, .events = POLLIN}};

	guest_own_begin();
	for (;;) {
		int n = poll(fds, countof(fds), -1), fd;

		if (n < 0 && errno == EINTR)
			continue; /* revents is not valid */
		if (n < 0 || fds[1].revents)
			break;
		/* does not block: the client may have gone already */
		fd = accept4(x->listener, NULL, NULL, SOCK_CLOEXEC);
		if (fd >= 0)
			start_connection(x, fd);
	}
	guest_own_end();
}

static int split_address(const char *address, char host[256], const char **port)
{
	const char *colon = strrchr(address, ':');
	size_t n = colon ? (size_t)(colon - address) : 0;

	if (!colon || n >= 256)
		return -EINVAL;
	if (n >= 2 && address[0] == '[' && address[n - 1] == ']') {
		address++;
		n -= 2;
	}
	memcpy(host, address, n);
	host[n] = 0;
	if (!n)
		snprintf(host, LOOPBACK_SIZE, LOOPBACK);
	*port = colon + 1;
	return 0;
}

static int open_listener(struct endpoint *x, const char *address, struct err *e)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST}, *found;
	struct sockaddr_storage bound;
	socklen_t size = sizeof(bound);
	char host[256];
	const char *port;
	int one = 1, rc = 0;

	if (split_address(address, host, &port))
		return err_set(e, -EINVAL, "listen: expected host:port, found \"%s\"", address);
	if (!strcmp(host, "localhost"))
		snprintf(host, LOOPBACK_SIZE, LOOPBACK);
	if (getaddrinfo(host, port, &hints, &found))
		return err_set(e, -EINVAL, "listen: \"%s\" is not an address of this machine",
			       address);
	x->listener = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (x->listener < 0 ||
	    setsockopt(x->listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) ||
	    bind(x->listener, found->ai_addr, found->ai_addrlen) || listen(x->listener, 16) ||
	    getsockname(x->listener, (struct sockaddr *)&bound, &size))
		rc = err_set(e, -errno, "listen: %s: %s", address, strerror(errno));
	else
		x->port = ntohs(((struct sockaddr_in *)&bound)->sin_port);
	freeaddrinfo(found);
	return rc;
}

static int add_allowed_host(struct endpoint *x, struct str name, struct err *e)
{
	if (!host_rule_valid(name))
		return err_set(e, -EINVAL,
			       "allowed_hosts: expected a host without scheme and port, "
			       "*.example.com or *, found \"%.*s\"",
			       STR_ARG(str_head(name, 64)));
	if (x->hosts.count == HOSTS_MAX)
		return err_set(e, -EINVAL, "allowed_hosts: more than %d names", HOSTS_MAX);
	x->host_names[x->hosts.count++] = name;
	return 0;
}

/* Set the allowed hosts: that of the address and the given ones. */
static int read_allowed_hosts(struct endpoint *x, const char *address, const char *hosts,
			      struct err *e)
{
	struct str own = str_from(address), rest;
	int rc = 0;

	own = str_head(own, str_find_last(own, ':'));
	if ((size_t)snprintf(x->host_text, sizeof(x->host_text), "%.*s,%s", STR_ARG(own),
			     hosts ? hosts : "") >= sizeof(x->host_text))
		return err_set(e, -EINVAL, "allowed_hosts: more than %d bytes", HOSTS_TEXT);
	x->hosts.names = x->host_names;
	rest = str_from(x->host_text);
	own = str_cut(&rest, ',');
	if (host_equal(own, STR("0.0.0.0")) || str_eq(own, STR("[::]")))
		x->hosts.any_address = true;
	else if (own.n)
		rc = add_allowed_host(x, own, e);
	while (rest.n && !rc) {
		struct str name = str_trim(str_cut(&rest, ','));

		rc = name.n ? add_allowed_host(x, name, e) : 0;
	}
	return rc;
}

int endpoint_start(struct endpoint **out, const char *address, const char *hosts,
		   endpoint_handler *handler, void *arg, struct err *e)
{
	struct endpoint *x = calloc(1, sizeof(*x));
	int rc;

	if (!x)
		return err_errno(e, -ENOMEM, "listen");
	*x = (struct endpoint){.listener = -1, .handler = handler, .arg = arg};
	x->wake = eventfd(0, EFD_CLOEXEC);
	rc = x->wake < 0 ? err_errno(e, -errno, "listen") : open_listener(x, address, e);
	rc = rc ? rc : read_allowed_hosts(x, address, hosts, e);
	rc = rc ? rc : guest_own_start(&x->thread, "varve-listen", run_listener, x, e);
	if (rc) {
		endpoint_stop(x);
		return rc;
	}
	*out = x;
	return 0;
}

static void close_fds(struct endpoint *x)
{
	if (x->listener >= 0)
		close(x->listener);
	if (x->wake >= 0)
		close(x->wake);
}

void endpoint_stop(struct endpoint *x)
{
	uint64_t one = 1;

	if (!x)
		return;
	if (x->wake >= 0)
		(void)!write(x->wake, &one, sizeof(one));
	thread_join(&x->thread);
	for (unsigned i = 0; i < CONNECTIONS_MAX; i++)
		thread_join(&x->connections[i].thread);
	close_fds(x);
	free(x);
}

void endpoint_forked(struct endpoint *x)
{
	if (!x)
		return;
	close_fds(x);
	for (unsigned i = 0; i < CONNECTIONS_MAX; i++)
		if (atomic_load(&x->connections[i].used) && !atomic_load(&x->connections[i].done))
			close(x->connections[i].fd);
	free(x);
}

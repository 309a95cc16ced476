/* SPDX-License-Identifier: Apache-2.0 */
/* The HTTP server and client of the shop, and the start of libvarve. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include <varve/varve.h>

#include "shop.h"

void shop_profile(const char *service, const char *version)
{
	struct varve_options o = {
		.service_name = service,
		.service_version = version,
		.profiles = VARVE_CPU | VARVE_HEAP | VARVE_MUTEX | VARVE_BLOCK | VARVE_WALL,
	};

	if (varve_start(&o))
		fprintf(stderr, "%s: not profiled: %s\n", service, varve_last_error());
}

/* Read a whole request or response: its head, and the bytes that Content-Length declares. */
static bool read_message(int fd, char *text, size_t size)
{
	size_t n = 0;

	for (;;) {
		char *end, *length;
		ssize_t got = recv(fd, text + n, size - 1 - n, 0);

		if (got <= 0)
			return false;
		n += (size_t)got;
		text[n] = 0;
		end = strstr(text, "\r\n\r\n");
		if (!end)
			continue;
		length = strcasestr(text, "content-length:");
		if ((size_t)(end + 4 - text) + (length ? strtoul(length + 15, NULL, 10) : 0) <= n)
			return true;
	}
}

static void copy_header(const char *text, const char *name, char *out, size_t size)
{
	const char *at = strcasestr(text, name);

	out[0] = 0;
	if (at) {
		at += strlen(name);
		at += strspn(at, " ");
		snprintf(out, size, "%.*s", (int)strcspn(at, "\r\n"), at);
	}
}

static void copy_body(const char *text, char *out, size_t size)
{
	const char *at = strstr(text, "\r\n\r\n");

	snprintf(out, size, "%s", at ? at + 4 : "");
}

static bool send_all(int fd, const char *text, size_t n)
{
	while (n) {
		ssize_t sent = send(fd, text, n, MSG_NOSIGNAL);

		if (sent <= 0)
			return false;
		text += sent;
		n -= (size_t)sent;
	}
	return true;
}

struct server {
	int listener;
	shop_handler *handler;
};

static void answer(const struct server *s, int fd)
{
	static __thread char text[8192], head[512];
	static __thread struct shop_request request;
	static __thread struct shop_answer out;

	if (!read_message(fd, text, sizeof(text)) ||
	    sscanf(text, "%7s %255s", request.method, request.path) != 2)
		return;
	copy_header(text, "\ntraceparent:", request.traceparent, sizeof(request.traceparent));
	copy_body(text, request.body, sizeof(request.body));
	out.status = 200;
	out.body[0] = out.traceparent[0] = 0;
	s->handler(&request, &out);
	snprintf(head, sizeof(head),
		 "HTTP/1.1 %d %s\r\nContent-Length: %zu\r\nConnection: close\r\ntraceparent: "
		 "%s\r\n\r\n",
		 out.status, out.status == 200 ? "OK" : "Error", strlen(out.body), out.traceparent);
	if (send_all(fd, head, strlen(head)))
		send_all(fd, out.body, strlen(out.body));
}

static void *work(void *arg)
{
	struct server *s = arg;

	for (;;) {
		int fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC);

		if (fd < 0 && errno != EINTR && errno != ECONNABORTED)
			return NULL;
		if (fd < 0)
			continue;
		answer(s, fd);
		close(fd);
	}
}

int shop_serve(const char *name, int port, int workers, shop_handler *handler)
{
	static struct server s;
	struct sockaddr_in at = {.sin_family = AF_INET,
				 .sin_port = htons((uint16_t)port),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	pthread_t threads[16];
	sigset_t ends;
	int one = 1, number;

	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	pthread_sigmask(SIG_BLOCK, &ends, NULL);
	s.handler = handler;
	s.listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	setsockopt(s.listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(s.listener, (struct sockaddr *)&at, sizeof(at)) || listen(s.listener, 64)) {
		fprintf(stderr, "%s: 127.0.0.1:%d: %s\n", name, port, strerror(errno));
		return 1;
	}
	for (int i = 0; i < workers && i < 16; i++)
		pthread_create(&threads[i], NULL, work, &s);
	sigwait(&ends, &number);
	shutdown(s.listener, SHUT_RDWR); /* makes accept() in the workers fail */
	for (int i = 0; i < workers && i < 16; i++)
		pthread_join(threads[i], NULL);
	close(s.listener);
	varve_stop();
	return 0;
}

int shop_call(int port, const char *method, const char *path, const char *traceparent,
	      const char *body, struct shop_answer *out)
{
	struct sockaddr_in to = {.sin_family = AF_INET,
				 .sin_port = htons((uint16_t)port),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	char text[40000];
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), n, status = -1;

	n = snprintf(
		text, sizeof(text),
		"%s %s HTTP/1.1\r\nHost: shop\r\nContent-Length: %zu\r\ntraceparent: %s\r\n\r\n%s",
		method, path, strlen(body), traceparent, body);
	if (!connect(fd, (struct sockaddr *)&to, sizeof(to)) && send_all(fd, text, (size_t)n) &&
	    read_message(fd, text, sizeof(text)) && sscanf(text, "HTTP/1.1 %d", &status) == 1) {
		out->status = status;
		copy_header(text, "\ntraceparent:", out->traceparent, sizeof(out->traceparent));
		copy_body(text, out->body, sizeof(out->body));
	}
	close(fd);
	return status;
}

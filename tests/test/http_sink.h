/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TEST_HTTP_SINK_H
#define VARVE_TEST_HTTP_SINK_H

/*
 * A small HTTP server for tests of exporters: it records requests and sends scripted responses. It
 * uses one thread for each connection.
 */

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "test/test.h"

struct http_sink_request {
	char head[4096];
	struct buf body;
};

struct http_sink {
	int listener;
	char url[64];
	pthread_t thread, served_by[64]; /* one thread for each connection */
	_Atomic bool stop;
	pthread_mutex_t mu; /* guards all fields below */
	/* One response for each request; the last one repeats. NULL: close; "": send nothing. */
	const char *answers[16];
	unsigned answer_count;
	struct http_sink_request requests[64];
	/* Requests whose head contains this text get no response; NULL: none. */
	const char *silent_for;
	unsigned count, connections;
};

struct http_sink_connection {
	struct http_sink *sink;
	int fd;
};

#define HTTP_SINK_OK "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

static bool http_sink_wait(struct http_sink *s, int fd)
{
	while (!atomic_load(&s->stop)) {
		struct pollfd p = {.fd = fd, .events = POLLIN};

		if (poll(&p, 1, 20) > 0)
			return true;
	}
	return false;
}

/* Read head and body of a request. Return false if the peer is gone. */
static bool http_sink_read(struct http_sink *s, int fd, struct http_sink_request *r)
{
	size_t n = 0, length = 0;
	char *end = NULL, *at;

	while (!end) {
		ssize_t got = http_sink_wait(s, fd) ? recv(fd, r->head + n, 1, 0) : 0;

		if (got <= 0 || n + 2 > sizeof(r->head))
			return false;
		r->head[++n] = 0;
		end = strstr(r->head, "\r\n\r\n");
	}
	at = strcasestr(r->head, "content-length:");
	if (at)
		length = strtoul(at + 15, NULL, 10);
	while (r->body.n < length) {
		char chunk[4096];
		ssize_t got =
			http_sink_wait(s, fd)
				? recv(fd, chunk, min_size(sizeof(chunk), length - r->body.n), 0)
				: 0;

		if (got <= 0)
			return false;
		buf_put(&r->body, chunk, (size_t)got);
	}
	return true;
}

/* Record the request and send the response. Return false after the last one. */
static bool http_sink_answer(struct http_sink *s, int fd, const struct http_sink_request *r)
{
	const char *answer;

	pthread_mutex_lock(&s->mu);
	if (s->count == countof(s->requests)) {
		pthread_mutex_unlock(&s->mu);
		return false;
	}
	answer = s->answers[s->count < s->answer_count ? s->count : s->answer_count - 1];
	if (s->silent_for && strstr(r->head, s->silent_for))
		answer = "";
	s->requests[s->count++] = *r;
	pthread_mutex_unlock(&s->mu);
	if (!answer)
		return false;
	if (*answer)
		return send(fd, answer, strlen(answer), MSG_NOSIGNAL) > 0;
	while (!atomic_load(&s->stop)) /* no response */
		nanosleep(&(struct timespec){0, 10000000}, NULL);
	return false;
}

static void *http_sink_serve(void *arg)
{
	struct http_sink_connection c = *(struct http_sink_connection *)arg;

	free(arg);
	for (;;) {
		struct http_sink_request r = {0};

		if (!http_sink_read(c.sink, c.fd, &r)) {
			buf_fini(&r.body);
			break;
		}
		if (!http_sink_answer(c.sink, c.fd, &r))
			break;
	}
	close(c.fd);
	return NULL;
}

static void *http_sink_run(void *arg)
{
	struct http_sink *s = arg;

	while (http_sink_wait(s, s->listener)) {
		struct http_sink_connection *c = malloc(sizeof(*c));

		assert_true(c && s->connections < countof(s->served_by));
		*c = (struct http_sink_connection){s, accept(s->listener, NULL, NULL)};
		pthread_mutex_lock(&s->mu);
		assert_ok(
			pthread_create(&s->served_by[s->connections++], NULL, http_sink_serve, c));
		pthread_mutex_unlock(&s->mu);
	}
	return NULL;
}

/* Reserve an address; connections are refused until http_sink_listen(). */
static inline void http_sink_bind(struct http_sink *s)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t size = sizeof(address);

	memset(s, 0, sizeof(*s));
	s->answers[0] = HTTP_SINK_OK;
	s->answer_count = 1;
	pthread_mutex_init(&s->mu, NULL);
	s->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_ok(bind(s->listener, (struct sockaddr *)&address, size));
	assert_ok(getsockname(s->listener, (struct sockaddr *)&address, &size));
	snprintf(s->url, sizeof(s->url), "http://127.0.0.1:%u", ntohs(address.sin_port));
}

static inline void http_sink_listen(struct http_sink *s)
{
	assert_ok(listen(s->listener, 16));
	assert_ok(pthread_create(&s->thread, NULL, http_sink_run, s));
}

static inline void http_sink_start(struct http_sink *s)
{
	http_sink_bind(s);
	http_sink_listen(s);
}

static void http_sink_stop(struct http_sink *s)
{
	atomic_store(&s->stop, true);
	pthread_join(s->thread, NULL);
	for (unsigned i = 0; i < s->connections; i++)
		pthread_join(s->served_by[i], NULL);
	close(s->listener);
	for (unsigned i = 0; i < s->count; i++)
		buf_fini(&s->requests[i].body);
	pthread_mutex_destroy(&s->mu);
}

static inline unsigned http_sink_count(struct http_sink *s)
{
	unsigned n;

	pthread_mutex_lock(&s->mu);
	n = s->count;
	pthread_mutex_unlock(&s->mu);
	return n;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TEST_NET_H
#define VARVE_TEST_NET_H

/* A server on a free port of loopback, and a client that writes and reads raw bytes. */

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "net/server.h"
#include "test/test.h"

enum {
	TEST_WAIT_MS = 20000
}; /* long enough for a loaded machine; expires only when a test fails */

struct test_server {
	struct net_server *server;
	uint16_t port;
};

static inline struct test_server test_server_start(const struct http_app *app,
						   const struct net_options *options)
{
	struct net_listener listener = {.address = "127.0.0.1:0", .app = app};
	struct test_server t = {0};
	struct err e = {0};

	assert_ok_err(net_server_start(&t.server, &listener, 1, options, NULL, &e), &e);
	t.port = net_server_port(t.server, 0);
	assert_true(t.port > 0);
	return t;
}

static inline int test_connect(uint16_t port)
{
	struct sockaddr_in to = {.sin_family = AF_INET,
				 .sin_port = htons(port),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_ok(connect(fd, (struct sockaddr *)&to, sizeof(to)));
	return fd;
}

/* Send all bytes. Return false if the peer has closed the connection. */
static inline bool test_send(int fd, struct str bytes)
{
	while (bytes.n) {
		ssize_t n = send(fd, bytes.p, bytes.n, MSG_NOSIGNAL);

		if (n < 0)
			return false;
		bytes = str_from_at(bytes, (size_t)n);
	}
	return true;
}

/* Read once into `b`. Return the number of bytes, 0 at the end or after TEST_WAIT_MS. */
static inline size_t test_read_some(int fd, struct buf *b)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	char *at = buf_reserve(b, 65536);
	ssize_t n;

	if (poll(&p, 1, TEST_WAIT_MS) <= 0)
		return 0;
	n = recv(fd, at, 65536, 0);
	if (n <= 0)
		return 0;
	b->n += (size_t)n;
	return (size_t)n;
}

struct test_answer {
	struct buf bytes; /* head, body, and the bytes received after them */
	unsigned status;
	struct str head; /* status line and headers */
	struct str body;
	size_t end; /* end of this response in bytes */
};

static inline struct str test_answer_header(const struct test_answer *a, const char *name)
{
	struct str rest = a->head, line;
	struct str wanted = str_from(name);

	while (str_next_line(&rest, &line)) {
		struct str key = str_cut(&line, ':');

		if (str_eq(key, wanted))
			return str_trim(line);
	}
	return (struct str){0};
}

/* Parse the response at bytes[from]. Return false if it is incomplete. */
static inline bool test_answer_parse(struct test_answer *a, size_t from, bool head_only)
{
	struct str all = str_from_at(buf_str(&a->bytes), from);
	size_t head = str_find_str(all, STR("\r\n\r\n"));
	uint64_t status, length = 0;

	if (head == all.n)
		return false;
	a->head = str_head(all, head);
	assert_true(str_starts(a->head, STR("HTTP/1.1 ")));
	assert_ok(str_to_u64(str_of(a->head.p + 9, 3), 10, &status));
	a->status = (unsigned)status;
	if (!head_only && test_answer_header(a, "content-length").n)
		assert_ok(str_to_u64(test_answer_header(a, "content-length"), 10, &length));
	if (all.n < head + 4 + length)
		return false;
	a->body = str_of(all.p + head + 4, length);
	a->end = from + head + 4 + length;
	return true;
}

/* Read the next response of a connection; `a` keeps the bytes after it for the next call. */
static inline void test_next_answer(int fd, struct test_answer *a)
{
	size_t from = a->end;

	while (!test_answer_parse(a, from, false))
		if (!test_read_some(fd, &a->bytes))
			fail_msg("no response: %.*s",
				 STR_ARG(str_from_at(buf_str(&a->bytes), from)));
}

static inline void test_answer_fini(struct test_answer *a)
{
	buf_fini(&a->bytes);
}

/* Send a request on a new connection. Return the status of the response. */
static inline unsigned test_status(uint16_t port, struct str request)
{
	struct test_answer a = {0};
	int fd = test_connect(port);
	unsigned status;

	test_send(fd, request);
	test_next_answer(fd, &a);
	status = a.status;
	test_answer_fini(&a);
	close(fd);
	return status;
}

/* Return whether the peer closes the connection without sending more. */
static inline bool test_is_closed(int fd)
{
	struct buf b = {0};
	bool closed = test_read_some(fd, &b) == 0 && !b.n;

	buf_fini(&b);
	return closed;
}

#endif

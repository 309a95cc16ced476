/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: attack [options] KIND ADDRESS PORT
 *	streams		HTTP/2 requests for -u PATH with a window of 0, so that no response can be
 *			sent
 *	headers		endless HTTP/1.1 headers of -b bytes
 *	bodies		consecutive POST requests to -u PATH with -b bytes of zeros compressed by
 *			zstd
 *	pipeline	pipelined HTTP/1.1 requests for -u PATH; responses are not read
 *	idle		idle connections
 *	-c N		connections (100)
 *	-n N		requests on each connection (250)
 *	-b N		bytes (60000)
 *	-u PATH		path (/)
 *	-s N		seconds (3); a closed connection is opened again, at most 20 times
 *	-a		send no Accept-Encoding (default: gzip)
 *	-t		use TLS
 *	-p PID		the server
 *
 * Attack a server on loopback that has to survive it. Print one line of JSON: the peak resident
 * memory of the server ("peak_kib", with -p), connections opened and lost, bytes sent.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <openssl/ssl.h>

#include "base/clock.h"
#include "wire/compress/compress.h"

enum kind { STREAMS, HEADERS, BODIES, PIPELINE, IDLE, KINDS };
static const char *const kind_names[KINDS] = {"streams", "headers", "bodies", "pipeline", "idle"};

enum { TIMES_MAX = 20, TURN = 16384 };

struct attacker {
	int fd;
	SSL *ssl;
	size_t sent;
	unsigned times;
};

struct attack {
	enum kind kind;
	struct sockaddr_in to;
	unsigned connections, requests, seconds;
	size_t bytes;
	const char *path;
	bool any_coding, tls;
	int pid;
	SSL_CTX *context;
	struct buf request; /* the bytes that each connection sends */
	struct attacker *attackers;
	uint64_t made, lost, sent, peak;
};

static void die(const char *what)
{
	perror(what);
	exit(2);
}

/* ---- requests ---- */

static void put_frame(struct buf *out, unsigned type, unsigned flags, uint32_t stream,
		      struct str payload)
{
	unsigned char head[9] = {(unsigned char)(payload.n >> 16),
				 (unsigned char)(payload.n >> 8),
				 (unsigned char)payload.n,
				 (unsigned char)type,
				 (unsigned char)flags,
				 (unsigned char)(stream >> 24),
				 (unsigned char)(stream >> 16),
				 (unsigned char)(stream >> 8),
				 (unsigned char)stream};

	buf_put(out, head, sizeof(head));
	buf_put_str(out, payload);
}

/* Append an HPACK literal that is never indexed. */
static void put_literal(struct buf *b, const char *name, const char *value)
{
	buf_printf(b, "\x10%c%s%c%s", (int)strlen(name), name, (int)strlen(value), value);
}

static void make_streams(struct attack *a, struct buf *out)
{
	struct buf block = {0};

	put_literal(&block, ":method", "GET");
	put_literal(&block, ":scheme", "http");
	put_literal(&block, ":path", a->path);
	put_literal(&block, ":authority", "localhost");
	if (!a->any_coding)
		put_literal(&block, "accept-encoding", "gzip");
	buf_put_str(out, STR("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"));
	put_frame(out, 4, 0, 0, STR("\0\4\0\0\0\0")); /* SETTINGS: INITIAL_WINDOW_SIZE 0 */
	for (unsigned i = 0; i < a->requests; i++)
		put_frame(out, 1, 5, 2 * i + 1, buf_str(&block));
	buf_fini(&block);
}

static void make_headers(const struct attack *a, struct buf *out)
{
	buf_put_str(out, STR("GET / HTTP/1.1\r\nHost: localhost\r\nX: "));
	while (out->n < a->bytes)
		buf_put_str(out, STR("xxxxxxxxxxxxxxxx"));
}

static void make_bodies(const struct attack *a, struct buf *out)
{
	struct buf packed = {0};
	char *zeros = calloc(1, a->bytes);

	if (!zeros || compress_bytes(&packed, COMPRESS_ZSTD, 1, str_of(zeros, a->bytes), NULL))
		die("compress");
	for (unsigned i = 0; i < a->requests; i++) {
		buf_printf(out,
			   "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
			   "application/x-protobuf\r\nContent-Encoding: zstd\r\nContent-Length: "
			   "%zu\r\n\r\n",
			   a->path, packed.n);
		buf_put_str(out, buf_str(&packed));
	}
	buf_fini(&packed);
	free(zeros);
}

static void make_pipeline(const struct attack *a, struct buf *out)
{
	for (unsigned i = 0; i < a->requests; i++)
		buf_printf(out, "GET %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n", a->path,
			   a->any_coding ? "" : "Accept-Encoding: gzip\r\n");
}

static void make_request(struct attack *a)
{
	switch (a->kind) {
	case STREAMS:
		make_streams(a, &a->request);
		break;
	case HEADERS:
		make_headers(a, &a->request);
		break;
	case BODIES:
		make_bodies(a, &a->request);
		break;
	case PIPELINE:
		make_pipeline(a, &a->request);
		break;
	default:
		break;
	}
}

/* ---- connections ---- */

static void drop_connection(struct attack *a, struct attacker *c)
{
	SSL_free(c->ssl);
	close(c->fd);
	c->fd = -1;
	c->ssl = NULL;
	a->lost++;
}

static void open_connection(struct attack *a, struct attacker *c)
{
	int small = 4096;

	if (c->times == TIMES_MAX)
		return;
	c->times++;
	c->sent = 0;
	c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (c->fd < 0)
		die("socket");
	setsockopt(c->fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	if (connect(c->fd, (struct sockaddr *)&a->to, sizeof(a->to)) && errno != EINPROGRESS) {
		drop_connection(a, c);
		return;
	}
	a->made++;
	if (!a->tls)
		return;
	c->ssl = SSL_new(a->context);
	if (!c->ssl || SSL_set_fd(c->ssl, c->fd) != 1)
		die("SSL_new");
	if (a->kind == STREAMS)
		SSL_set_alpn_protos(c->ssl, (const unsigned char *)"\x02h2", 3);
	SSL_set_connect_state(c->ssl);
}

/* Return the number of bytes written, 0 if it would block, -1 if the connection is gone. */
static ssize_t write_some(const struct attacker *c, struct str bytes)
{
	ssize_t n;

	if (!c->ssl) {
		n = send(c->fd, bytes.p, bytes.n, MSG_NOSIGNAL);
		return n >= 0 ? n : errno == EAGAIN || errno == ENOTCONN ? 0 : -1;
	}
	n = bytes.n ? SSL_write(c->ssl, bytes.p, (int)bytes.n) : SSL_do_handshake(c->ssl);
	if (n > 0)
		return bytes.n ? n : 0;
	switch (SSL_get_error(c->ssl, (int)n)) {
	case SSL_ERROR_WANT_READ:
	case SSL_ERROR_WANT_WRITE:
		return 0;
	default:
		return -1;
	}
}

/* Return whether the server has closed the connection, without reading from it. */
static bool is_gone(const struct attacker *c)
{
	struct pollfd p = {.fd = c->fd, .events = POLLRDHUP};

	return poll(&p, 1, 0) > 0 && p.revents & (POLLHUP | POLLERR | POLLRDHUP);
}

static void advance(struct attack *a, struct attacker *c)
{
	struct str rest;
	ssize_t n;

	if (c->fd < 0) {
		open_connection(a, c);
		return;
	}
	rest = str_from_at(buf_str(&a->request), c->sent);
	n = rest.n || c->ssl ? write_some(c, str_head(rest, TURN)) : 0;
	if (n < 0 || is_gone(c)) {
		drop_connection(a, c);
		return;
	}
	c->sent += (size_t)n;
	a->sent += (uint64_t)n;
}

/* ---- the server ---- */

static void sample_memory(struct attack *a)
{
	char path[64], text[256];
	unsigned long long pages = 0;
	int fd;
	ssize_t n;

	if (!a->pid)
		return;
	snprintf(path, sizeof(path), "/proc/%d/statm", a->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	/* NOLINTNEXTLINE(cert-err34-c): the kernel writes a valid number */
	if (sscanf(text, "%*u %llu", &pages) == 1)
		a->peak = max_size(a->peak, pages * (size_t)sysconf(_SC_PAGESIZE) / KIB);
}

static void run(struct attack *a)
{
	uint64_t until = clock_monotonic_ns() + a->seconds * NS_PER_SECOND;

	for (unsigned i = 0; i < a->connections; i++)
		a->attackers[i].fd = -1;
	while (clock_monotonic_ns() < until) {
		for (unsigned i = 0; i < a->connections; i++) {
			advance(a, &a->attackers[i]);
			if (i % 64 == 0)
				sample_memory(a);
		}
		poll(NULL, 0, 1);
	}
}

static void parse(struct attack *a, int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "c:n:b:u:s:p:at")) != -1) {
		unsigned long n = optarg ? strtoul(optarg, NULL, 10) : 0;

		if (option == 'c')
			a->connections = (unsigned)n;
		else if (option == 'n')
			a->requests = (unsigned)n;
		else if (option == 'b')
			a->bytes = n;
		else if (option == 'u')
			a->path = optarg;
		else if (option == 's')
			a->seconds = (unsigned)n;
		else if (option == 'p')
			a->pid = (int)n;
		else if (option == 'a')
			a->any_coding = true;
		else if (option == 't')
			a->tls = true;
		else
			exit(2);
	}
	if (argc - optind != 3) {
		fprintf(stderr, "usage: attack [options] KIND ADDRESS PORT\n");
		exit(2);
	}
	while (a->kind < KINDS && strcmp(kind_names[a->kind], argv[optind]) != 0)
		a->kind++;
	a->to = (struct sockaddr_in){.sin_family = AF_INET,
				     .sin_port =
					     htons((uint16_t)strtoul(argv[optind + 2], NULL, 10))};
	if (a->kind == KINDS || inet_pton(AF_INET, argv[optind + 1], &a->to.sin_addr) != 1 ||
	    ntohl(a->to.sin_addr.s_addr) >> 24 != 127) {
		fprintf(stderr, "attack: expected a kind and an address of loopback\n");
		exit(2);
	}
}

int main(int argc, char **argv)
{
	struct attack a = {
		.connections = 100, .requests = 250, .bytes = 60000, .path = "/", .seconds = 3};

	signal(SIGPIPE, SIG_IGN); /* OpenSSL writes without MSG_NOSIGNAL */
	parse(&a, argc, argv);
	a.attackers = calloc(a.connections, sizeof(*a.attackers));
	a.context = SSL_CTX_new(TLS_client_method());
	if (!a.attackers || !a.context)
		die("memory");
	SSL_CTX_set_mode(a.context,
			 SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
	make_request(&a);
	run(&a);
	printf("{\"kind\":\"%s\",\"peak_kib\":%llu,\"made\":%llu,\"lost\":%llu,\"sent\":%llu}\n",
	       kind_names[a.kind], (unsigned long long)a.peak, (unsigned long long)a.made,
	       (unsigned long long)a.lost, (unsigned long long)a.sent);
	for (unsigned i = 0; i < a.connections; i++)
		if (a.attackers[i].fd >= 0)
			drop_connection(&a, &a.attackers[i]);
	free(a.attackers);
	buf_fini(&a.request);
	SSL_CTX_free(a.context);
	return 0;
}

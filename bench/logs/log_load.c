/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sends OTLP logs over HTTP: log_load PORT LINES CONNECTIONS. Requests of 1,000 records of one of ten
 * services; a record has 76 bytes of text on average and 187 on the wire: a random request id of 16
 * hex digits, random numbers, two attributes, times of nanoseconds. Every millionth record, from the
 * 500,000th on, has the word "kraken". The times end at the start of the program. Prints the number
 * of acknowledged records and the seconds as JSON.
 */
#include <arpa/inet.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "wire/proto.h"

enum { BATCH = 1000, SERVICES = 10, REQUEST_MAX = 1 << 20 };

struct log_load {
	unsigned port;
	uint64_t lines, begin;
	_Atomic uint64_t next, sent, failed;
};

static uint64_t random_of(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state * 0x2545f4914f6cdd1d;
}

static void put_text_attribute(struct proto_writer *w, uint32_t field, const char *key,
			       const char *value)
{
	size_t end = proto_mark(w), inner;

	inner = proto_mark(w);
	proto_put_entry(w, 1, str_from(value));
	proto_put_header(w, 2, inner);
	proto_put_bytes(w, 1, str_from(key));
	proto_put_header(w, field, end);
}

static size_t make_text(char *text, size_t room, uint64_t line, uint64_t *seed)
{
	static const char *const words[] = {"checkout", "payment", "basket", "search", "login"};
	unsigned long long id = random_of(seed), number = random_of(seed) % 1000000;
	unsigned ms = (unsigned)(random_of(seed) % 900), kind = (unsigned)(random_of(seed) % 8);

	if (line % 1000000 == 500000)
		return (size_t)snprintf(text, room,
					"kraken released from request %016llx by user %llu", id,
					number);
	if (kind == 0)
		return (size_t)snprintf(
			text, room,
			"error: %s of user %llu failed after %u ms: timeout, request "
			"%016llx",
			words[number % 5], number, ms, id);
	if (kind == 1)
		return (size_t)snprintf(
			text, room,
			"cache miss for key user:%llu, loading it from the database, "
			"request %016llx",
			number, id);
	return (size_t)snprintf(text, room, "GET /api/%s/%llu 200 in %u ms, request_id=%016llx ok",
				words[number % 5], number, ms, id);
}

static void put_record(struct proto_writer *w, uint64_t time, uint64_t line, uint64_t *seed)
{
	char text[256], number[32];
	size_t end = proto_mark(w), n = make_text(text, sizeof(text), line, seed), body;
	bool error = !strncmp(text, "error", 5);

	proto_put_fixed64(w, 11, time);
	snprintf(number, sizeof(number), "%08llu",
		 (unsigned long long)(random_of(seed) % 100000000));
	put_text_attribute(w, 6, "order.id", number);
	put_text_attribute(w, 6, "http.request.method", "GET");
	body = proto_mark(w);
	proto_put_entry(w, 1, str_of(text, n));
	proto_put_header(w, 5, body);
	proto_put_bytes(w, 3, error ? STR("ERROR") : STR("INFO"));
	proto_put_uint(w, 2, error ? 17 : 9);
	proto_put_fixed64(w, 1, time);
	proto_put_header(w, 2, end);
}

static size_t make_request(struct proto_writer *w, const struct log_load *l, uint64_t first,
			   char *header, size_t room)
{
	uint64_t seed = (first + 1) * 0x9e3779b97f4a7c15;
	char service[32];
	size_t end, inner;

	proto_writer_clear(w);
	end = inner = proto_mark(w);
	for (uint64_t i = first + BATCH; i > first; i--)
		put_record(w, l->begin + i * 1000 + random_of(&seed) % 1000, i - 1, &seed);
	proto_put_header(w, 2, inner);
	inner = proto_mark(w);
	snprintf(service, sizeof(service), "service-%u", (unsigned)(first / BATCH % SERVICES));
	put_text_attribute(w, 1, "service.name", service);
	put_text_attribute(w, 1, "host.name", "bench");
	proto_put_header(w, 1, inner);
	proto_put_header(w, 1, end);
	return (size_t)snprintf(header, room,
				"POST /v1/logs HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
				"application/x-protobuf\r\nContent-Length: %zu\r\n\r\n",
				proto_writer_str(w).n);
}

static int connect_to(unsigned port)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof(to))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static bool send_all(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t done = write(fd, p, n);

		if (done <= 0)
			return false;
		p += done;
		n -= (size_t)done;
	}
	return true;
}

/* Read a response, which is short. Return its status. */
static int read_response(int fd)
{
	char text[4096];
	size_t n = 0;

	while (n < sizeof(text) - 1) {
		ssize_t got = read(fd, text + n, sizeof(text) - 1 - n);
		const char *body, *length;

		if (got <= 0)
			return 0;
		n += (size_t)got;
		text[n] = 0;
		body = strstr(text, "\r\n\r\n");
		length = strcasestr(text, "content-length:");
		if (body && length &&
		    n >= (size_t)(body + 4 - text) + strtoul(length + 15, NULL, 10))
			return atoi(text + 9);
	}
	return 0;
}

static void *run_connection(void *arg)
{
	struct log_load *l = arg;
	struct proto_writer w;
	char header[256];
	int fd = connect_to(l->port);

	proto_writer_init(&w, NULL);
	for (;;) {
		uint64_t first = atomic_fetch_add(&l->next, BATCH);
		size_t n;
		int status = 503;

		if (first >= l->lines || fd < 0)
			break;
		n = make_request(&w, l, first, header, sizeof(header));
		while (status == 503 || status == 429) {
			struct str body = proto_writer_str(&w);

			if (!send_all(fd, header, n) || !send_all(fd, body.p, body.n))
				break;
			status = read_response(fd);
			if (status == 503 || status == 429)
				usleep(20000);
		}
		atomic_fetch_add(status == 200 ? &l->sent : &l->failed, BATCH);
		if (status != 200)
			break;
	}
	if (fd >= 0)
		close(fd);
	proto_writer_fini(&w);
	return NULL;
}

int main(int argc, char **argv)
{
	struct log_load l = {0};
	pthread_t threads[64];
	unsigned n;
	uint64_t begin;

	if (argc != 4) {
		fprintf(stderr, "usage: log_load PORT LINES CONNECTIONS\n");
		return 2;
	}
	l.port = (unsigned)atoi(argv[1]);
	l.lines = strtoull(argv[2], NULL, 10);
	n = (unsigned)atoi(argv[3]);
	n = n < 1 ? 1 : n > countof(threads) ? countof(threads) : n;
	l.begin = clock_realtime_ns() - l.lines * 1000 - NS_PER_SECOND;
	begin = clock_monotonic_ns();
	for (unsigned i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, run_connection, &l);
	for (unsigned i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	printf("{\"lines\": %llu, \"failed\": %llu, \"seconds\": %.3f}\n",
	       (unsigned long long)l.sent, (unsigned long long)l.failed,
	       (double)(clock_monotonic_ns() - begin) / 1e9);
	return l.failed != 0;
}

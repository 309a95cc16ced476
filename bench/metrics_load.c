/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sends metrics to a server at full speed, for bench/metrics.sh:
 *
 *	metrics_load PORT PID remote-write|otlp counter|noisy|unique SERIES STEPS CONNECTIONS
 *
 * SERIES series with seven labels have one sample every 15 s, STEPS of them up to the present, in
 * requests of 2,000 samples; all of one time are sent before the next. `counter` series grow by the
 * same number with each step. Of `noisy` series every second one is a counter whose increments are
 * normally distributed (their standard deviation is a tenth of the mean, 10 to 490) and which is
 * reset once in 2,000 samples; the others are gauges around 50 with a standard deviation of 3 and
 * one decimal; one sample of 50 is missing. `unique`: like counter, but each series has an instance
 * of its own. The output is JSON: samples, seconds, CPU time of the process PID until the last
 * answer, p50 and p99 of the time of a request in ms.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "wire/compress/compress.h"
#include "wire/proto.h"

enum { PART = 2000, STEP_MS = 15000, REQUEST_MAX = 1 << 20, THREADS_MAX = 64 };

enum form { REMOTE_WRITE, OTLP };
enum kind { COUNTER, NOISY, UNIQUE };

struct generator {
	enum form form;
	enum kind kind;
	unsigned port, series, steps;
	int64_t start; /* ms */
	double *values;
	pthread_mutex_t mu; /* guards what follows */
	unsigned step, part;
	uint64_t samples;
	uint64_t random;
	uint32_t *times_us;
	unsigned times_n;
	bool failed;
};

static uint64_t next_random(struct generator *g)
{
	g->random ^= g->random << 13;
	g->random ^= g->random >> 7;
	g->random ^= g->random << 17;
	return g->random;
}

static double uniform(struct generator *g)
{
	return (double)(next_random(g) >> 11) / 9007199254740992.0;
}

static double normal(struct generator *g)
{
	return sqrt(-2 * log(1 - uniform(g))) * cos(6.283185307179586 * uniform(g));
}

/* Advance a series. Return false if its sample is missing. */
static bool advance(struct generator *g, unsigned i, double *value)
{
	double rate = 1 + i * 7919 % 49;

	if (g->kind == NOISY) {
		if (uniform(g) < 0.02)
			return false;
		if (uniform(g) < 0.0005)
			g->values[i] = 0;
		g->values[i] = i % 2 ? g->values[i] + fmax(0, round(10 * rate + rate * normal(g)))
				     : round(500 + 30 * normal(g)) / 10;
	} else {
		g->values[i] += rate;
	}
	*value = g->values[i];
	return true;
}

static void put_label(struct proto_writer *w, uint32_t field, const char *name, const char *value)
{
	size_t end = proto_mark(w), inner;

	if (field == 1) { /* Label */
		proto_put_entry(w, 2, str_from(value));
	} else { /* KeyValue with an AnyValue */
		inner = proto_mark(w);
		proto_put_entry(w, 1, str_from(value));
		proto_put_header(w, 2, inner);
	}
	proto_put_entry(w, 1, str_from(name));
	proto_put_header(w, field, end);
}

/* Labels in reverse order: the writer goes back to front. */
static void put_labels(const struct generator *g, struct proto_writer *w, uint32_t field,
		       unsigned i, bool name)
{
	char text[64];

	snprintf(text, sizeof(text), "v1.2.%u", i % 5);
	put_label(w, field, "version", text);
	snprintf(text, sizeof(text), "eu-west-%u", i % 3);
	put_label(w, field, "region", text);
	snprintf(text, sizeof(text), "checkout-%08x", i * 2654435761u);
	put_label(w, field, "pod", text);
	snprintf(text, sizeof(text), "job-%u", i % 10);
	put_label(w, field, "job", text);
	snprintf(text, sizeof(text), "host-%u.example.com:9100", g->kind == UNIQUE ? i : i / 20);
	put_label(w, field, "instance", text);
	put_label(w, field, "env", "production");
	snprintf(text, sizeof(text), "metric_%u_total", i % 2);
	if (name)
		put_label(w, field, "__name__", text);
}

static void put_fixed64(struct proto_writer *w, uint32_t field, const void *value)
{
	proto_put_raw(w, value, 8);
	proto_put_varint(w, PROTO_TAG(field, PROTO_FIXED64));
}

static void put_point(const struct generator *g, struct proto_writer *w, unsigned i, int64_t time,
		      double value)
{
	uint64_t ns = (uint64_t)time * NS_PER_MS;
	size_t end = proto_mark(w), inner;

	if (g->form == OTLP) {
		put_labels(g, w, 7, i, false);
		put_fixed64(w, 4, &value);
		put_fixed64(w, 3, &ns);
		proto_put_header(w, 1, end);
		return;
	}
	inner = proto_mark(w);
	proto_put_int(w, 2, time);
	put_fixed64(w, 1, &value);
	proto_put_header(w, 2, inner);
	put_labels(g, w, 1, i, true);
	proto_put_header(w, 1, end);
}

/* Wrap the points of one metric: Sum, Metric. */
static void end_metric(struct proto_writer *w, size_t end, unsigned number)
{
	char text[64];
	size_t data = end;

	proto_put_uint(w, 3, 1);
	proto_put_uint(w, 2, 2);
	proto_put_header(w, 7, data);
	snprintf(text, sizeof(text), "metric_%u", number);
	proto_put_entry(w, 1, str_from(text));
	proto_put_header(w, 2, end);
}

/* Make the next request. Return the number of its samples, 0 at the end. */
static unsigned make_request(struct generator *g, struct proto_writer *w, struct buf *body)
{
	unsigned first = g->part * PART, last = first + PART < g->series ? first + PART : g->series;
	int64_t time = g->start + (int64_t)g->step * STEP_MS;
	unsigned n = 0;
	double value;

	if (g->step == g->steps)
		return 0;
	proto_writer_clear(w);
	for (unsigned m = 0; m < (g->form == OTLP ? 2u : 1u); m++) {
		size_t end = proto_mark(w);

		for (unsigned i = first; i < last; i++) {
			if (g->form == OTLP && i % 2 != m)
				continue;
			if (!advance(g, i, &value))
				continue;
			put_point(g, w, i, time, value);
			n++;
		}
		if (g->form == OTLP)
			end_metric(w, end, m);
	}
	if (g->form == OTLP) {
		proto_put_header(w, 2, 0);
		proto_put_header(w, 1, 0);
	}
	buf_clear(body);
	if (g->form == REMOTE_WRITE) {
		if (compress_bytes(body, COMPRESS_SNAPPY, 0, proto_writer_str(w), NULL))
			abort();
	} else {
		buf_put_str(body, proto_writer_str(w));
	}
	if (++g->part * PART >= g->series) {
		g->part = 0;
		g->step++;
	}
	g->samples += n;
	return n;
}

static bool send_all(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t sent = write(fd, p, n);

		if (sent <= 0)
			return false;
		p += sent;
		n -= (size_t)sent;
	}
	return true;
}

/* Read an answer, whose body is short. Return its status. */
static unsigned read_answer(int fd)
{
	char text[4096];
	size_t n = 0, body;
	char *end, *length;

	for (;;) {
		ssize_t got = read(fd, text + n, sizeof(text) - 1 - n);

		if (got <= 0)
			return 0;
		n += (size_t)got;
		text[n] = 0;
		end = strstr(text, "\r\n\r\n");
		if (!end)
			continue;
		length = strcasestr(text, "content-length:");
		body = length && length < end ? strtoul(length + 15, NULL, 10) : 0;
		if (n >= (size_t)(end + 4 - text) + body)
			return (unsigned)atoi(text + 9);
	}
}

static void *run(void *arg)
{
	struct generator *g = arg;
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)g->port)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	struct proto_writer w;
	struct buf body = {0}, head = {0};
	bool ok = true;

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	ok = fd >= 0 && !connect(fd, (struct sockaddr *)&to, sizeof(to));
	proto_writer_init(&w, NULL);
	while (ok) {
		uint64_t before;
		unsigned n, status;

		pthread_mutex_lock(&g->mu);
		n = make_request(g, &w, &body);
		pthread_mutex_unlock(&g->mu);
		if (!n)
			break;
		buf_clear(&head);
		buf_printf(&head,
			   "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
			   "application/x-protobuf\r\n%sContent-Length: %zu\r\n\r\n",
			   g->form == OTLP ? "/v1/metrics" : "/api/v1/write",
			   g->form == OTLP ? "" : "Content-Encoding: snappy\r\n", body.n);
		before = clock_monotonic_ns();
		ok = send_all(fd, head.p, head.n) && send_all(fd, body.p, body.n);
		status = ok ? read_answer(fd) : 0;
		ok = status == 200 || status == 204;
		if (!ok)
			fprintf(stderr, "status %u\n", status);
		pthread_mutex_lock(&g->mu);
		g->times_us[g->times_n++] = (uint32_t)((clock_monotonic_ns() - before) / 1000);
		g->failed |= !ok;
		pthread_mutex_unlock(&g->mu);
	}
	g->failed |= !ok;
	proto_writer_fini(&w);
	buf_fini(&body);
	buf_fini(&head);
	close(fd);
	return NULL;
}

static double cpu_seconds(const char *pid)
{
	unsigned long user = 0, system = 0;
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%s/stat", pid);
	f = fopen(path, "r");
	if (f && fscanf(f, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
			&user, &system) != 2)
		user = 0;
	if (f)
		fclose(f);
	return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

static int compare_times(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Send by `n` connections and print the result. Return whether something failed. */
static int measure(struct generator *g, const char *pid, unsigned n)
{
	pthread_t threads[THREADS_MAX];
	double cpu = cpu_seconds(pid);
	uint64_t began = clock_monotonic_ns();
	size_t middle, late;

	pthread_mutex_init(&g->mu, NULL);
	for (unsigned i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, run, g))
			return 1;
	for (unsigned i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	qsort(g->times_us, g->times_n, sizeof(*g->times_us), compare_times);
	middle = g->times_n / 2;
	late = (size_t)g->times_n * 99 / 100;
	printf("{\"samples\":%llu,\"seconds\":%.3f,\"cpu\":%.2f,\"before\":%.2f,\"p50\":%.2f,"
	       "\"p99\":%.2f}\n",
	       (unsigned long long)g->samples, (double)(clock_monotonic_ns() - began) / 1e9,
	       cpu_seconds(pid) - cpu, cpu, g->times_us[middle] / 1e3, g->times_us[late] / 1e3);
	return g->failed;
}

int main(int argc, char **argv)
{
	struct generator g = {.random = 88172645463325252u};
	int result = 1;
	unsigned n;

	if (argc != 8) {
		fprintf(stderr, "usage: metrics_load PORT PID remote-write|otlp "
				"counter|noisy|unique SERIES STEPS CONNECTIONS\n");
		return 2;
	}
	g.port = (unsigned)atoi(argv[1]);
	g.form = strcmp(argv[3], "otlp") ? REMOTE_WRITE : OTLP;
	g.kind = !strcmp(argv[4], "noisy") ? NOISY : !strcmp(argv[4], "unique") ? UNIQUE : COUNTER;
	g.series = (unsigned)atoi(argv[5]);
	g.steps = (unsigned)atoi(argv[6]);
	n = (unsigned)atoi(argv[7]);
	n = n < 1 ? 1 : n > THREADS_MAX ? THREADS_MAX : n;
	g.start = (int64_t)(clock_realtime_ns() / NS_PER_MS) - (int64_t)g.steps * STEP_MS;
	g.values = calloc(g.series, sizeof(*g.values));
	g.times_us = calloc((size_t)g.steps * (g.series / PART + 1) + 1, sizeof(*g.times_us));
	if (g.values && g.times_us)
		result = measure(&g, argv[2], n);
	free(g.values);
	free(g.times_us);
	return result;
}

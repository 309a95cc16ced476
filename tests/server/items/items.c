/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: items send [options] ADDRESS:PORT
 *	-k traces|metrics|logs|profiles	signal (traces)
 *	-w grpc|http	protocol (grpc)
 *	-c N		connections (8)
 *	-i N		items of a request: spans, data points, log records, samples (1,000)
 *	-r N		items per second; 0: as fast as they are acknowledged (0)
 *	-s N		seconds (10)
 *	-n N		at most N requests
 *	-z		gzip (gRPC)
 *	-b N		base of the times (default: the time of the start)
 *	-f N		number of the first request (0)
 *	-u FILE		append the number of each acknowledged request to FILE
 *	-R		send a refused request again, and connect again, until the end. Without it a
 *			refused request is counted, and the program ends when the server is gone
 *	-p PID		the server: print its CPU time and memory
 *
 * Sends requests of recognizable items (requests.h) and prints one line of JSON: acknowledged
 * requests and items, refusals, rate, latencies from the time at which a request was due.
 *
 * usage: items count [-k SIGNAL] -b BASE [-i N] [-u FILE] OUTPUT...
 *	Reads what the exporter `file` has written (format: proto), compares it with the numbers of
 *	acknowledged requests in FILE, and prints how many items were lost and arrived more than
 *	once. Exit status 1 if acknowledged items are missing.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "items/count.h"
#include "items/requests.h"
#include "net/client/http_client.h"
#include "net/rpc/grpc_client.h"

enum { SENDERS_MAX = 256, SENDER_LATENCIES = 1 << 18 };

struct send_options {
	enum signal_kind signal;
	bool http, gzip, again;
	unsigned connections, items, seconds;
	uint64_t rate, most, base, first;
	const char *acknowledged, *address;
	int pid;
};

struct sending {
	struct send_options o;
	uint64_t start, end;
	int acknowledged_fd;
	_Atomic uint64_t next, acknowledged, refused, failed;
	_Atomic bool gone;
};

struct sender_thread {
	struct sending *s;
	pthread_t thread;
	struct grpc_client *grpc;
	struct http_client *http;
	struct item_request request;
	float *latencies;
	uint32_t latency_count;
	char reason[ERR_TEXT_MAX];
};

static void die_of(const char *what)
{
	fprintf(stderr, "items: %s\n", what);
	exit(2);
}

static const char *const grpc_paths[SIGNALS] = {
	"/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export",
	"/opentelemetry.proto.collector.trace.v1.TraceService/Export",
	"/opentelemetry.proto.collector.metrics.v1.MetricsService/Export",
	"/opentelemetry.proto.collector.logs.v1.LogsService/Export",
};
static const char *const http_paths[SIGNALS] = {"/v1development/profiles", "/v1/traces",
						"/v1/metrics", "/v1/logs"};

/* ---- one request ---- */

enum outcome { ACKNOWLEDGED, REFUSED, GONE };

static enum outcome send_by_grpc(struct sender_thread *t)
{
	const struct send_options *o = &t->s->o;
	struct grpc_client_request request = {
		.path = str_from(grpc_paths[signal_index(o->signal)]),
		.message = buf_str(&t->request.bytes),
		.compression = o->gzip ? COMPRESS_GZIP : COMPRESS_NONE,
		.timeout_ms = 60000,
	};
	struct grpc_client_answer answer = {0};
	struct err e = {0};
	int rc = grpc_client_call(t->grpc, &request, &answer, &e);
	enum outcome outcome = rc ? GONE : answer.code == RPC_OK ? ACKNOWLEDGED : REFUSED;

	if (outcome != ACKNOWLEDGED)
		snprintf(t->reason, sizeof(t->reason), "%.*s",
			 rc ? (int)strlen(e.text) : (int)answer.text.n,
			 rc		 ? e.text
			 : answer.text.p ? answer.text.p
					 : "");
	grpc_client_answer_fini(&answer);
	return outcome;
}

static enum outcome send_by_http(struct sender_thread *t)
{
	const struct send_options *o = &t->s->o;
	struct http_header type = {STR("content-type"), STR("application/x-protobuf")};
	char url[300];
	struct http_client_request request = {
		.url = url,
		.headers = &type,
		.header_count = 1,
		.body = buf_str(&t->request.bytes),
		.timeout_ms = 60000,
	};
	struct http_client_answer answer = {0};
	struct err e = {0};
	enum outcome outcome;
	int rc;

	snprintf(url, sizeof(url), "http://%s%s", o->address, http_paths[signal_index(o->signal)]);
	rc = http_client_request(t->http, &request, &answer, &e);
	outcome = rc ? GONE : answer.status == 200 ? ACKNOWLEDGED : REFUSED;
	if (outcome != ACKNOWLEDGED)
		snprintf(t->reason, sizeof(t->reason), "%u %.400s", answer.status, e.text);
	http_client_answer_fini(&answer);
	return outcome;
}

static void note_acknowledged(struct sending *s, uint64_t number)
{
	char line[32];
	int n = snprintf(line, sizeof(line), "%" PRIu64 "\n", number);

	atomic_fetch_add(&s->acknowledged, 1);
	if (s->acknowledged_fd >= 0 && write(s->acknowledged_fd, line, (size_t)n) != n)
		die_of("cannot write the file of acknowledged requests");
}

/* Send a request until it is acknowledged, or once without -R. Return false at the end. */
static bool send_number(struct sender_thread *t, uint64_t number)
{
	struct sending *s = t->s;

	item_request_number(&t->request, s->o.base, number);
	for (;;) {
		enum outcome outcome = s->o.http ? send_by_http(t) : send_by_grpc(t);

		if (outcome == ACKNOWLEDGED) {
			note_acknowledged(s, number);
			return true;
		}
		atomic_fetch_add(outcome == REFUSED ? &s->refused : &s->failed, 1);
		if (!s->o.again) {
			if (outcome == GONE)
				s->gone = true;
			return outcome == REFUSED;
		}
		if (clock_monotonic_ns() >= s->end)
			return false;
		usleep(outcome == REFUSED ? 100000 : 50000);
	}
}

static void sleep_until(uint64_t time)
{
	uint64_t now = clock_monotonic_ns();

	if (now < time)
		usleep((useconds_t)((time - now) / 1000));
}

static void *run_sender(void *arg)
{
	struct sender_thread *t = arg;
	struct sending *s = t->s;
	uint64_t interval = s->o.rate ? s->o.items * NS_PER_SECOND / s->o.rate : 0;

	while (!s->gone) {
		uint64_t number = atomic_fetch_add(&s->next, 1), due;

		if (s->o.most && number >= s->o.most)
			break;
		due = interval ? s->start + number * interval : clock_monotonic_ns();
		if (due >= s->end)
			break;
		sleep_until(due);
		if (!send_number(t, s->o.first + number))
			break;
		if (t->latency_count < SENDER_LATENCIES)
			t->latencies[t->latency_count++] =
				(float)(clock_monotonic_ns() - due) / 1e6f;
		if (clock_monotonic_ns() >= s->end)
			break;
	}
	return NULL;
}

/* ---- the run ---- */

static void start_sender(struct sender_thread *t, struct sending *s)
{
	struct net_client_options options = {0};
	struct err e = {0};

	t->s = s;
	t->latencies = calloc(SENDER_LATENCIES, sizeof(*t->latencies));
	item_request_make(&t->request, s->o.signal, s->o.items);
	if (!t->latencies ||
	    (s->o.http ? http_client_new(&t->http, &options, &e)
		       : grpc_client_new(&t->grpc, s->o.address, false, &options, &e)))
		die_of(e.text);
	if (pthread_create(&t->thread, NULL, run_sender, t))
		die_of("cannot start a thread");
}

static int compare_floats(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

/* CPU time in nanoseconds of a process: user and system, from /proc/PID/stat. */
static uint64_t process_cpu_ns(int pid)
{
	char path[64], text[1024], *at;
	unsigned long user = 0, system = 0;
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "r");
	if (!f)
		return 0;
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = 0;
	at = strrchr(text, ')');
	if (at)
		sscanf(at + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
		       &system);
	return (user + system) * NS_PER_SECOND / (uint64_t)sysconf(_SC_CLK_TCK);
}

static uint64_t process_memory_kb(int pid, const char *field)
{
	char path[64], line[256];
	unsigned long kb = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, field, strlen(field)))
			sscanf(line + strlen(field) + 1, "%lu", &kb);
	if (f)
		fclose(f);
	return kb;
}

static void print_run(const struct sending *s, struct sender_thread *threads, uint64_t cpu)
{
	double seconds = (double)(clock_monotonic_ns() - s->start) / 1e9;
	uint64_t acknowledged = s->acknowledged, items = acknowledged * s->o.items;
	const char *reason = "";
	uint32_t n = 0;
	float *all;

	for (unsigned i = 0; i < s->o.connections; i++) {
		n += threads[i].latency_count;
		if (threads[i].reason[0])
			reason = threads[i].reason;
	}
	all = calloc(n + 1, sizeof(*all));
	if (!all)
		die_of("out of memory");
	n = 0;
	for (unsigned i = 0; i < s->o.connections; i++) {
		memcpy(all + n, threads[i].latencies, threads[i].latency_count * sizeof(*all));
		n += threads[i].latency_count;
	}
	qsort(all, n, sizeof(*all), compare_floats);
	printf("{\"base\": %" PRIu64 ", \"requests\": %" PRIu64 ", \"items\": %" PRIu64
	       ", \"refused\": %" PRIu64 ", \"failed\": %" PRIu64
	       ", \"seconds\": %.2f, \"items_per_s\": %.0f, \"p50_ms\": %.2f, \"p99_ms\": %.2f",
	       s->o.base, acknowledged, items, s->refused, s->failed, seconds,
	       (double)items / seconds, (double)all[n / 2], (double)all[n - n / 100 - !!n]);
	if (s->o.pid) {
		double used = (double)(process_cpu_ns(s->o.pid) - cpu) / 1e9;

		printf(", \"cpu_s\": %.2f, \"items_per_cpu_s\": %.0f, \"rss_kb\": %" PRIu64
		       ", \"peak_kb\": %" PRIu64,
		       used, used > 0 ? (double)items / used : 0,
		       process_memory_kb(s->o.pid, "VmRSS:"),
		       process_memory_kb(s->o.pid, "VmHWM:"));
	}
	printf(", \"reason\": \"");
	for (; *reason; reason++)
		putchar(*reason == '"' || *reason == '\\' || *reason < ' ' ? ' ' : *reason);
	printf("\"}\n");
	free(all);
}

static int run_senders(const struct send_options *o)
{
	static struct sender_thread threads[SENDERS_MAX];
	struct sending s = {.o = *o, .acknowledged_fd = -1};
	uint64_t cpu = o->pid ? process_cpu_ns(o->pid) : 0;

	if (o->acknowledged)
		s.acknowledged_fd =
			open(o->acknowledged, O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC, 0644);
	if (o->acknowledged && s.acknowledged_fd < 0)
		die_of(o->acknowledged);
	s.start = clock_monotonic_ns();
	s.end = s.start + o->seconds * NS_PER_SECOND;
	for (unsigned i = 0; i < o->connections; i++)
		start_sender(&threads[i], &s);
	for (unsigned i = 0; i < o->connections; i++)
		pthread_join(threads[i].thread, NULL);
	print_run(&s, threads, cpu);
	for (unsigned i = 0; i < o->connections; i++) {
		grpc_client_free(threads[i].grpc);
		http_client_free(threads[i].http);
		item_request_fini(&threads[i].request);
		free(threads[i].latencies);
	}
	if (s.acknowledged_fd >= 0)
		close(s.acknowledged_fd);
	return s.gone ? 3 : 0;
}

/* ---- options ---- */

static enum signal_kind signal_named(const char *name)
{
	for (unsigned i = 0; i < SIGNALS; i++)
		if (!strcmp(signal_names[i], name))
			return (enum signal_kind)(1u << i);
	die_of("-k: expected traces, metrics, logs or profiles");
	return SIGNAL_TRACES;
}

int main(int argc, char **argv)
{
	struct send_options o = {.signal = SIGNAL_TRACES,
				 .connections = 8,
				 .items = 1000,
				 .seconds = 10,
				 .base = clock_realtime_ns()};
	bool sends = argc > 1 && !strcmp(argv[1], "send");
	int option;

	if (!sends && (argc < 2 || strcmp(argv[1], "count") != 0))
		die_of("expected send or count");
	argc--;
	argv++;
	while ((option = getopt(argc, argv, "k:w:c:i:r:s:n:zb:f:u:Rp:")) != -1) {
		uint64_t number = optarg ? strtoull(optarg, NULL, 10) : 0;

		switch (option) {
		case 'k':
			o.signal = signal_named(optarg);
			break;
		case 'w':
			o.http = !strcmp(optarg, "http");
			break;
		case 'c':
			o.connections = (unsigned)number;
			break;
		case 'i':
			o.items = (unsigned)number;
			break;
		case 'r':
			o.rate = number;
			break;
		case 's':
			o.seconds = (unsigned)number;
			break;
		case 'n':
			o.most = number;
			break;
		case 'z':
			o.gzip = true;
			break;
		case 'b':
			o.base = number;
			break;
		case 'f':
			o.first = number;
			break;
		case 'u':
			o.acknowledged = optarg;
			break;
		case 'R':
			o.again = true;
			break;
		case 'p':
			o.pid = (int)number;
			break;
		default:
			return 2;
		}
	}
	if (!sends)
		return items_count(o.signal, o.base, o.items, o.acknowledged, argv + optind,
				   argc - optind);
	if (optind + 1 != argc || !o.connections || o.connections > SENDERS_MAX)
		die_of("expected ADDRESS:PORT, and 1 to 256 connections");
	o.address = argv[optind];
	return run_senders(&o);
}

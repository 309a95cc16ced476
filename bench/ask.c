/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: ask [-r N] [-s N] COUNT URL...
 *	-r N	queries per second. The latency counts from the time a query was due, so that a
 *		server that stalls cannot hide it. Without -r each query waits for the last response
 *	-s N	stop after N seconds; with COUNT 0 send as many queries as fit
 *
 * Query client of the benchmarks. Queries the URLs in turn, COUNT times in total, on one connection
 * as a page would. Prints as JSON the numbers of answered and refused (429, 503) queries, the
 * elapsed time of responses (first, median, 99th percentile, maximum; ms) and the bytes of the last
 * response. Any other status ends the run. Exits with 1 if a query was not answered.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "net/client/http_client.h"

enum { COUNT_MAX = 1 << 20 };

struct run {
	char **urls;
	unsigned url_count, count, rate, seconds;
	/* latency of each response */
	double *ms;
	unsigned answered, refused;
	size_t bytes;
};

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void sleep_ns(uint64_t ns)
{
	struct timespec t = {.tv_sec = (time_t)(ns / NS_PER_SECOND),
			     .tv_nsec = (long)(ns % NS_PER_SECOND)};

	nanosleep(&t, NULL);
}

/* Query a URL; its latency counts from `due`. */
static int ask(struct run *r, struct http_client *client, const char *url, uint64_t due,
	       struct err *e)
{
	struct http_client_request request = {
		.url = url, .timeout_ms = 60000, .max_response = 1024 * MIB};
	struct http_client_answer answer = {0};
	int rc = http_client_request(client, &request, &answer, e);

	if (rc)
		return rc;
	if (answer.status == 200) {
		r->ms[r->answered++] = (double)(clock_monotonic_ns() - due) / 1e6;
		r->bytes = answer.body.n;
	} else {
		rc = err_set(e, -EPROTO, "%u: %.*s", answer.status,
			     STR_ARG(str_head(buf_str(&answer.body), 200)));
		if (answer.status == 429 || answer.status == 503) {
			r->refused++;
			rc = 0;
		}
	}
	http_client_answer_fini(&answer);
	return rc;
}

static int ask_all(struct run *r, struct err *e)
{
	struct http_client *client = NULL;
	uint64_t start = clock_monotonic_ns(),
		 end = r->seconds ? start + r->seconds * NS_PER_SECOND : UINT64_MAX;
	int rc = http_client_new(&client, NULL, e);

	for (unsigned i = 0; i < r->count && !rc; i++) {
		uint64_t now = clock_monotonic_ns(),
			 due = r->rate ? start + i * NS_PER_SECOND / r->rate : now;

		if (due >= end || now >= end)
			break;
		if (due > now)
			sleep_ns(due - now);
		rc = ask(r, client, r->urls[i % r->url_count], due, e);
		/*
		 * Pause for a tenth of the response time. If client and server have real-time
		 * priority (chrt -r), Linux throttles them for 50 ms when they use more than 95 %
		 * of a second.
		 */
		if (!r->rate)
			sleep_ns((clock_monotonic_ns() - due) / 10);
	}
	http_client_free(client);
	return rc;
}

static bool parse_options(struct run *r, int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "r:s:")) != -1) {
		unsigned number = optarg ? (unsigned)strtoul(optarg, NULL, 10) : 0;

		if (option == 'r')
			r->rate = number;
		else if (option == 's')
			r->seconds = number;
		else
			return false;
	}
	if (argc - optind < 2)
		return false;
	r->count = (unsigned)strtoul(argv[optind], NULL, 10);
	if (!r->count && r->seconds)
		r->count = COUNT_MAX;
	r->urls = argv + optind + 1;
	r->url_count = (unsigned)(argc - optind - 1);
	return r->count && r->count <= COUNT_MAX;
}

int main(int argc, char **argv)
{
	struct run r = {0};
	struct err e = {0};
	double first;
	int rc;

	if (!parse_options(&r, argc, argv)) {
		fprintf(stderr, "usage: ask [-r N] [-s N] COUNT URL...\n");
		return 2;
	}
	r.ms = calloc(r.count, sizeof(*r.ms));
	rc = r.ms ? ask_all(&r, &e) : -ENOMEM;
	if (rc || r.refused)
		fprintf(stderr, "ask: %s\n", e.text);
	printf("{\"answered\": %u, \"refused\": %u", r.answered, r.refused);
	if (r.ms && r.answered) {
		first = r.ms[0];
		qsort(r.ms, r.answered, sizeof(*r.ms), compare);
		printf(", \"first\": %.2f, \"p50\": %.2f, \"p99\": %.2f, \"max\": %.2f, \"bytes\": "
		       "%zu",
		       first, r.ms[r.answered / 2], r.ms[(r.answered * 99 + 99) / 100 - 1],
		       r.ms[r.answered - 1], r.bytes);
	}
	printf("}\n");
	free(r.ms);
	return rc || r.refused || !r.answered ? EXIT_FAILURE : EXIT_SUCCESS;
}

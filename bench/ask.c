/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: ask COUNT URL: the same question COUNT times on one connection, as a page would ask it. Prints as JSON how long
 * answers took by the clock on the wall: the first, the middle one, the 99th of a hundred, and the bytes of one.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "net/client.h"

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * A breath of a tenth of the time that the answer took. Where both sides go before the rest (chrt -r), Linux stops for 50 ms
 * whoever takes more than 95 % of a second, and that would be measured.
 */
static void pause_after(double ms)
{
	struct timespec t = {.tv_nsec = (long)(ms * 1e5) % 1000000000};

	nanosleep(&t, NULL);
}

int main(int argc, char **argv)
{
	struct http_client_request request = {
		.url = argc > 2 ? argv[2] : "", .timeout_ms = 60000, .max_response = 1024 * MIB};
	unsigned n = argc > 2 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
	double *ms = calloc(n + 1, sizeof(*ms)), first;
	struct http_client *client = NULL;
	struct err e = {0};
	size_t bytes = 0;
	int rc = n && ms ? http_client_new(&client, NULL, &e) : -EINVAL;

	for (unsigned i = 0; i < n && !rc; i++) {
		struct http_client_answer answer = {0};
		uint64_t start = clock_monotonic_ns();

		rc = http_client_request(client, &request, &answer, &e);
		ms[i] = (double)(clock_monotonic_ns() - start) / 1e6;
		if (!rc && answer.status != 200)
			rc = err_set(&e, -EPROTO, "%u: %.*s", answer.status,
				     STR_ARG(str_head(buf_str(&answer.body), 200)));
		bytes = answer.body.n;
		http_client_answer_fini(&answer);
		pause_after(ms[i]);
	}
	if (!rc) {
		first = ms[0];
		qsort(ms, n, sizeof(*ms), compare);
		printf("{\"first\": %.2f, \"p50\": %.2f, \"p99\": %.2f, \"bytes\": %zu}\n", first,
		       ms[n / 2], ms[(n * 99 + 99) / 100 - 1], bytes);
	} else {
		fprintf(stderr, "ask: %s\n", e.text);
	}
	http_client_free(client);
	free(ms);
	return rc ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shop-load PORT SECONDS [CUSTOMERS]: customers who all order at the same time, every 150 ms. At
 * the end it prints the number of orders, how long they took, and the trace and span ids of the
 * slowest.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "shop.h"

enum { EVERY_MS = 150, CUSTOMERS_MAX = 16 };

static int port;
static double deadline;

static struct {
	pthread_mutex_t mu;
	unsigned orders, failed;
	double sum, slowest;
	char traceparent[64]; /* of the slowest order */
} seen = {.mu = PTHREAD_MUTEX_INITIALIZER};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void sleep_until_next(void)
{
	double t = now(),
	       rest = EVERY_MS / 1e3 - (t - (double)(long)(t / (EVERY_MS / 1e3)) * EVERY_MS / 1e3);
	struct timespec pause = {0, (long)(rest * 1e9)};

	nanosleep(&pause, NULL);
}

static void note(double took, int status, const char *traceparent)
{
	pthread_mutex_lock(&seen.mu);
	seen.orders++;
	seen.failed += status != 200;
	seen.sum += took;
	if (status == 200 && took > seen.slowest) {
		seen.slowest = took;
		snprintf(seen.traceparent, sizeof(seen.traceparent), "%s", traceparent);
	}
	pthread_mutex_unlock(&seen.mu);
}

static void *order(void *arg)
{
	struct shop_answer *answer = malloc(sizeof(*answer));
	unsigned number = (unsigned)(size_t)arg * 1000000;
	char path[64];

	while (answer && now() < deadline) {
		double start;
		int status;

		sleep_until_next();
		snprintf(path, sizeof(path), "/order/%u", number++);
		answer->traceparent[0] = 0;
		start = now();
		status = shop_call(port, "GET", path, "", "", answer);
		note(now() - start, status, answer->traceparent);
	}
	free(answer);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t customers[CUSTOMERS_MAX];
	int count = argc > 3 ? atoi(argv[3]) : 4;

	if (argc < 3 || count < 1 || count > CUSTOMERS_MAX) {
		fprintf(stderr, "usage: shop-load PORT SECONDS [CUSTOMERS up to 16]\n");
		return 2;
	}
	port = atoi(argv[1]);
	deadline = now() + atof(argv[2]);
	for (size_t i = 0; i < (size_t)count; i++)
		pthread_create(&customers[i], NULL, order, (void *)i);
	for (int i = 0; i < count; i++)
		pthread_join(customers[i], NULL);
	printf("orders=%u failed=%u mean_ms=%.1f slowest_ms=%.1f", seen.orders, seen.failed,
	       seen.orders ? seen.sum / seen.orders * 1e3 : 0, seen.slowest * 1e3);
	if (strlen(seen.traceparent) == 55)
		printf(" trace=%.32s span=%.16s", seen.traceparent + 3, seen.traceparent + 36);
	printf("\n");
	return seen.orders == seen.failed;
}

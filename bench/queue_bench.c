/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Throughput of a queue on disk, each request synced before it is acknowledged: requests of 1,000
 * spans (315 KB), from 1 and 64 threads that wait for each acknowledgement, while another thread
 * takes and removes them. The files are in $TMPDIR, or in the current directory.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench.h"
#include "items/requests.h"
#include "pipeline/journal/disk_queue.h"

enum { SPANS = 1000, PUTTERS_MAX = 64 };

struct bench_queue {
	struct disk_queue *q;
	struct item_request request;
	_Atomic int left; /* requests to be put */
	_Atomic bool end;
	uint64_t taken;
};

struct bench_put {
	struct delivery delivery;
	pthread_mutex_t mu;
	pthread_cond_t changed;
	bool done;
	int rc;
};

static void bench_put_done(struct delivery *d, const struct delivery_result *result)
{
	struct bench_put *p = d->owner;

	pthread_mutex_lock(&p->mu);
	p->rc = result->rc;
	p->done = true;
	pthread_cond_signal(&p->changed);
	pthread_mutex_unlock(&p->mu);
}

static void *put_requests(void *arg)
{
	struct bench_queue *b = arg;
	struct bench_put p = {.mu = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
	struct payload *payload =
		payload_copy(SIGNAL_TRACES, SPANS, buf_str(&b->request.bytes), NULL);

	while (atomic_fetch_sub(&b->left, 1) > 0) {
		p.done = false;
		p.delivery = (struct delivery){.signal = SIGNAL_TRACES,
					       .payload = payload,
					       .done = bench_put_done,
					       .owner = &p};
		disk_queue_put(b->q, &p.delivery);
		pthread_mutex_lock(&p.mu);
		while (!p.done)
			pthread_cond_wait(&p.changed, &p.mu);
		pthread_mutex_unlock(&p.mu);
		if (p.rc) {
			fprintf(stderr, "queue_bench: a request failed: %d\n", p.rc);
			exit(2);
		}
	}
	payload_release(payload);
	return NULL;
}

static void *take_requests(void *arg)
{
	struct bench_queue *b = arg;
	struct disk_record *r;

	while (!disk_queue_take(b->q, &r, NS_PER_SECOND, &b->end)) {
		b->taken += r->payload->items;
		disk_queue_remove(b->q, r);
	}
	return NULL;
}

static void report_run(unsigned putters, int requests, double seconds, double cpu)
{
	char name[64], method[160];

	snprintf(name, sizeof(name), "queue-put-%u", putters);
	snprintf(method, sizeof(method), "%d requests of %d spans, synced, %u senders, wall clock",
		 requests, SPANS, putters);
	bench_report(&(struct bench_result){.name = name,
					    .value = requests * (double)SPANS / seconds,
					    .unit = "spans/s",
					    .better = BENCH_MORE,
					    .method = method});
	snprintf(name, sizeof(name), "queue-put-%u-cpu", putters);
	bench_report(&(struct bench_result){
		.name = name,
		.value = cpu / requests * 1e6,
		.unit = "us",
		.better = BENCH_LESS,
		.method = "CPU time of one request: put, synced, taken, removed"});
}

static void run_putters(struct bench_queue *b, unsigned putters, int requests)
{
	pthread_t threads[PUTTERS_MAX], taker;
	double cpu = bench_cpu_seconds();
	uint64_t start = clock_monotonic_ns(), end;

	atomic_store(&b->left, requests);
	atomic_store(&b->end, false);
	pthread_create(&taker, NULL, take_requests, b);
	for (unsigned i = 0; i < putters; i++)
		pthread_create(&threads[i], NULL, put_requests, b);
	for (unsigned i = 0; i < putters; i++)
		pthread_join(threads[i], NULL);
	end = clock_monotonic_ns();
	pthread_join(taker, NULL); /* a second after the last request */
	report_run(putters, requests, (double)(end - start) / 1e9, bench_cpu_seconds() - cpu);
}

int main(void)
{
	const char *base = getenv("TMPDIR");
	struct bench_queue b = {0};
	struct disk_queue_list list;
	struct disk_queue_options options = {.name = "bench"};
	struct err e = {0};
	char directory[256], command[300];

	snprintf(directory, sizeof(directory), "%s/queue_bench.%d", base ? base : ".", getpid());
	options.directory = directory;
	disk_queue_list_init(&list);
	if (disk_queue_open(&b.q, &list, &options, &e)) {
		fprintf(stderr, "queue_bench: %s\n", e.text);
		return 2;
	}
	item_request_make(&b.request, SIGNAL_TRACES, SPANS);
	run_putters(&b, 1, 500);
	run_putters(&b, PUTTERS_MAX, 8000);
	disk_queue_close(b.q);
	disk_queue_list_fini(&list);
	item_request_fini(&b.request);
	snprintf(command, sizeof(command), "rm -r %s", directory);
	return system(command) || b.taken != (uint64_t)8500 * SPANS;
}

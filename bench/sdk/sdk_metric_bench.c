/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cost of recording metrics and logs: by bound series and by attributes, on one thread and on four.
 * Nanoseconds per call and thread, best of several rounds.
 */
#include <pthread.h>
#include <stdio.h>

#include "base/clock.h"
#include "sdk/logs/log_records.h"
#include "sdk/trace/span.h"
#include "varve/varve.h"

enum { CALLS = 200000, ROUNDS = 20, THREADS = 4 };

static struct varve_instrument *counter;
static struct varve_series *added, *real, *gauge, *histogram, *exponential;
static struct varve_attribute attributes[2];

static void add_one(void)
{
	varve_add(added, 1);
}

static void add_half(void)
{
	varve_add_double(real, 0.5);
}

static void set_gauge(void)
{
	varve_set(gauge, 3);
}

static void record_fixed(void)
{
	varve_record(histogram, 42);
}

static void record_exponential(void)
{
	varve_record(exponential, 42);
}

static void add_by_attributes(void)
{
	varve_add_with(counter, 1, attributes, 2);
}

static void call_many(void (*call)(void))
{
	for (int i = 0; i < CALLS; i++)
		call();
}

static void *call_on_thread(void *call)
{
	call_many(((struct { void (*fn)(void); } *)call)->fn);
	return NULL;
}

static double nanoseconds(void (*call)(void), int threads)
{
	struct {
		void (*fn)(void);
	} arg = {call};
	pthread_t id[THREADS];
	double best = 1e18;

	for (int round = 0; round < ROUNDS; round++) {
		/* CPU time: more threads than CPUs do not count as slower */
		uint64_t began = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);

		for (int i = 1; i < threads; i++)
			if (pthread_create(&id[i], NULL, call_on_thread, &arg))
				return -1;
		call_many(call);
		for (int i = 1; i < threads; i++)
			pthread_join(id[i], NULL);
		double ns =
			(double)(clock_read_ns(CLOCK_PROCESS_CPUTIME_ID) - began) / CALLS / threads;

		best = ns < best ? ns : best;
	}
	return best;
}

static void measure(const char *name, void (*call)(void))
{
	printf("%-36s %7.1f ns  %7.1f ns on %d threads\n", name, nanoseconds(call, 1),
	       nanoseconds(call, THREADS), THREADS);
}

static void make_instruments(void)
{
	struct varve_instrument_options o = {.kind = VARVE_COUNTER, .name = "real", .real = 1};

	counter = varve_counter("requests", "{request}", NULL);
	attributes[0] = varve_str("http.route", "/cart/{id}");
	attributes[1] = varve_int("http.response.status_code", 200);
	added = varve_bind(counter, NULL, 0);
	real = varve_bind(varve_instrument_new(&o), NULL, 0);
	gauge = varve_bind(varve_gauge("length", NULL, NULL), NULL, 0);
	histogram = varve_bind(varve_histogram("time", "ms", NULL), NULL, 0);
	o = (struct varve_instrument_options){.kind = VARVE_EXPONENTIAL_HISTOGRAM,
					      .name = "latency"};
	exponential = varve_bind(varve_instrument_new(&o), NULL, 0);
}

static void measure_logs(void)
{
	enum { RECORDS = 4000 }; /* fit into the buffer */
	struct buf out = {0};
	double best = 1e18;

	if (logs_start(VARVE_TRACE, NULL))
		return;
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t began = clock_monotonic_ns();

		for (int i = 0; i < RECORDS; i++)
			(void)!varve_log(VARVE_INFO, "order 4711 was accepted");
		double ns = (double)(clock_monotonic_ns() - began) / RECORDS;

		best = ns < best ? ns : best;
		buf_clear(&out);
		if (logs_take(&out, NULL, 0))
			break;
	}
	printf("%-36s %7.1f ns\n", "log record", best);
	buf_fini(&out);
}

int main(void)
{
	struct tracer_options o = {.sampler = VARVE_SAMPLER_ALWAYS_ON, .ratio = 1, .export = true};
	struct varve_span *span;

	make_instruments();
	measure("counter: add", add_one);
	measure("counter of doubles: add", add_half);
	measure("gauge: set", set_gauge);
	measure("histogram: record", record_fixed);
	measure("exponential histogram: record", record_exponential);
	measure("counter: add, by two attributes", add_by_attributes);
	if (tracer_start(&o, NULL))
		return 2;
	measure_logs();
	span = varve_span_start("request", NULL);
	measure("counter: add, in a sampled span", add_one);
	varve_span_end(span);
	tracer_stop();
	logs_stop();
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cost of spans: start and end, attributes, attaching a context. Nanoseconds, best of several
 * rounds.
 */
#include <stdio.h>

#include "base/clock.h"
#include "sdk/trace/span.h"
#include "sdk/trace/span_encode.h"
#include "sdk/trace/span_thread.h"

enum { CALLS = 4000, ROUNDS = 100 }; /* CALLS spans are encoded together */

static struct varve_context there;

static void empty_span(void)
{
	varve_span_end(varve_span_start("request", NULL));
}

static void span_with_attributes(void)
{
	struct varve_span *s = varve_span_start("request", NULL);

	varve_span_set_str(s, "order.id", "4711");
	varve_span_set_int(s, "items", 3);
	varve_span_set_ok(s);
	varve_span_end(s);
}

static void span_of_traceparent(void)
{
	varve_span_end(varve_span_start("request",
					"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"));
}

static void attach_and_detach(void)
{
	struct varve_context previous;

	varve_context_attach(&there, &previous);
	varve_context_detach(&previous);
}

static void look_at_ids(void)
{
	uint8_t trace_id[16], span_id[8];

	span_current_ids(trace_id, span_id);
	__asm__ volatile("" : : "r"(trace_id), "r"(span_id) : "memory");
}

static void measure(const char *name, void (*call)(void))
{
	double best = 1e18;
	struct buf out = {0};
	uint64_t spans, lost;

	for (int round = 0; round < ROUNDS; round++) {
		uint64_t began = clock_monotonic_ns();

		for (int i = 0; i < CALLS; i++)
			call();
		double ns = (double)(clock_monotonic_ns() - began) / CALLS;

		if (ns < best)
			best = ns;
		buf_clear(&out);
		if (tracer_take(&out, NULL, 0, &spans, &lost) || lost) {
			fprintf(stderr, "spans were lost\n");
			break;
		}
	}
	printf("%-28s %7.1f ns\n", name, best);
	buf_fini(&out);
}

int main(void)
{
	struct tracer_options o = {.ratio = 1, .export = true, .max_bytes = 16 << 20};
	struct err e = {0};

	if (tracer_start(&o, &e)) {
		fprintf(stderr, "%s\n", e.text);
		return 2;
	}
	if (varve_context_parse(&there, "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
				NULL))
		return 2;
	measure("span: start, end", empty_span);
	measure("span: with two attributes", span_with_attributes);
	measure("span: from a traceparent", span_of_traceparent);
	measure("context: attach, detach", attach_and_detach);
	measure("hook: ids of this thread", look_at_ids);
	tracer_stop();
	return 0;
}

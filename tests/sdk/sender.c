/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Burn CPU and record metrics of each kind inside a span, export as the environment configures, and
 * print the counters of the delivery.
 */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "varve/varve.h"

enum { ROUNDS = 20 }; /* of exports: spans and metrics */

static volatile uint64_t sink;

__attribute__((noinline)) static void burn(void)
{
	struct timespec now;

	do {
		for (int i = 0; i < 1000; i++)
			sink = sink * 31 + (uint64_t)i;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	} while (now.tv_sec == 0 && now.tv_nsec < 400000000);
}

/* Record one value of each kind. */
static void record(void)
{
	const struct varve_instrument_options o = {.kind = VARVE_EXPONENTIAL_HISTOGRAM,
						   .name = "sent.size",
						   .unit = "By",
						   .description = "Sizes"};
	const struct varve_attribute kind[] = {varve_str("kind", "test")};

	varve_add_with(varve_counter("sent.items", "{item}", "Items"), 3, kind, 1);
	varve_record_with(varve_histogram("sent.time", "s", "Times"), 7, kind, 1);
	varve_record_with(varve_instrument_new(&o), 512, kind, 1);
	varve_set_with(varve_gauge("sent.level", "1", "Level"), 0.5, kind, 1);
}

int main(void)
{
	struct varve_options o = {
		.profiles = VARVE_CPU, .cpu_hz = 200, .export_interval_ms = 60000};
	struct varve_delivery d;
	struct varve_context c;
	struct varve_span *span;
	int rc = varve_start(&o);

	if (rc) {
		printf("%s\n", varve_last_error());
		return 1;
	}
	span = varve_span_start("work", NULL);
	varve_context_of(span, &c);
	record();
	burn();
	varve_span_end(span);
	rc = varve_flush(10000);
	for (int i = 0; !rc && i < ROUNDS; i++) {
		varve_span_end(varve_span_start("more", NULL));
		rc = varve_flush(10000);
	}
	varve_delivery(&d);
	printf("check %d %s\n", varve_check_endpoint(), varve_last_error());
	varve_stop();
	printf("flush %d\nsent %" PRIu64 "\nconfirmed %" PRIu64 "\nfailed %" PRIu64
	       "\npending %" PRIu64 "\nspan ",
	       rc, d.sent, d.confirmed, d.failed, d.pending);
	for (int i = 0; i < 8; i++)
		printf("%02x", c.span_id[i]);
	printf("\n");
	return !d.confirmed;
}

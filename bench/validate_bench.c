/* SPDX-License-Identifier: Apache-2.0 */
/* The check of received OTLP, which every request of a collector passes. */
#include "bench.h"

#include "items/requests.h"
#include "signal/otlp/validate.h"

enum { ITEMS = 1000, REQUESTS = 1000, ROUNDS = 9 };

struct input {
	enum signal_kind signal;
	struct item_request request;
};

static void validate_requests(void *context)
{
	struct input *in = context;
	uint32_t items;

	for (int i = 0; i < REQUESTS; i++) {
		bench_keep((uint64_t)(uintptr_t)in);
		if (otlp_validate(in->signal, buf_str(&in->request.bytes), &items, NULL))
			items = 0;
		bench_keep(items);
	}
}

static void report_validation(enum signal_kind signal, const char *name)
{
	struct input in = {.signal = signal};

	item_request_make(&in.request, signal, ITEMS);
	bench_report(&(struct bench_result){
		.name = name,
		.value = bench_best(ROUNDS, validate_requests, &in) / REQUESTS * 1e6,
		.unit = "us",
		.better = BENCH_LESS,
		.method = "a request of 1,000 items of usual size; CPU time, best of 9",
	});
	item_request_fini(&in.request);
}

int main(void)
{
	report_validation(SIGNAL_TRACES, "validate-traces");
	report_validation(SIGNAL_METRICS, "validate-metrics");
	report_validation(SIGNAL_LOGS, "validate-logs");
	return 0;
}

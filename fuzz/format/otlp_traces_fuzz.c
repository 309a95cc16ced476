/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arbitrary bytes as OTLP traces, protobuf or JSON: the batch is valid, its encoding decodes to the
 * same spans, and all memory is freed.
 */
#include "fuzz.h"

#include "format/otlp/traces.h"
#include "signal/otlp/validate.h"

static void encode_traces_again(const struct span_batch *b, struct budget *budget)
{
	struct span_batch again;
	struct buf out, json;
	uint32_t items;

	buf_init(&out, budget);
	buf_init(&json, budget);
	span_batch_init(&again, budget);
	if (!otlp_traces_encode(&out, b) && !otlp_traces_decode(&again, buf_str(&out), NULL)) {
		FUZZ_CHECK(otlp_validate(SIGNAL_TRACES, buf_str(&out), &items, NULL) == 0);
		FUZZ_CHECK(again.spans.n == b->spans.n && !again.rejected);
	}
	(void)!otlp_traces_encode_json(&json, b);
	span_batch_fini(&again);
	buf_fini(&out);
	buf_fini(&json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct budget budget = {.limit = FUZZ_BUDGET};
	struct str in = str_of((const char *)data, size);
	bool json = size && data[0] == '{';
	struct span_batch b;
	struct err e = {0};
	int rc;

	span_batch_init(&b, &budget);
	rc = json ? otlp_traces_decode_json(&b, in, &e) : otlp_traces_decode(&b, in, &e);
	FUZZ_CHECK(!rc || (e.text[0] && !b.spans.n && !b.rejected));
	FUZZ_CHECK(span_batch_check(&b, NULL) == 0);
	if (!rc)
		encode_traces_again(&b, &budget);
	span_batch_fini(&b);
	FUZZ_CHECK(budget.used == 0);
	return 0;
}

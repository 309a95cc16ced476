/* SPDX-License-Identifier: Apache-2.0 */
/* Arbitrary bytes as OTLP traces, protobuf or JSON: the batch is valid, and all memory is freed. */
#include "fuzz.h"

#include "format/otlp/traces.h"

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
	span_batch_fini(&b);
	FUZZ_CHECK(budget.used == 0);
	return 0;
}

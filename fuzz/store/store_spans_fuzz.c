/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arbitrary bytes as a block of spans: decoded rows are encoded again, and the output must decode
 * to the same rows.
 */
#include "fuzz.h"
#include "store/sqlite/spans/span_block.h"

static void encode_again(const struct span_rows *r, struct arena *a)
{
	struct buf block = {0}, filter = {0};
	struct span_extent extent;
	struct span_rows again;
	struct err e = {0};

	if (r->spans.n && r->spans.n <= SPANS_IN_BLOCK &&
	    !span_block_encode(&block, &filter, r, 0, r->spans.n, &extent)) {
		FUZZ_CHECK(extent.spans <= r->spans.n && extent.first <= extent.last);
		FUZZ_CHECK(span_block_decode(&again, buf_str(&block), NULL, a, &e) == 0);
		FUZZ_CHECK(again.spans.n == extent.spans);
	}
	buf_fini(&block);
	buf_fini(&filter);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct budget budget = {.limit = FUZZ_BUDGET};
	struct span_rows r;
	struct err e = {0};
	struct arena a;
	int rc;

	arena_init(&a, &budget);
	rc = span_block_decode(&r, str_of((const char *)data, size), NULL, &a, &e);
	FUZZ_CHECK(!rc || e.text[0]);
	for (uint32_t i = 0; !rc && i < r.spans.n; i++)
		FUZZ_CHECK(r.spans.at[i].name < r.strings.n &&
			   r.spans.at[i].service < r.strings.n &&
			   r.spans.at[i].tenant < r.strings.n);
	if (!rc)
		encode_again(&r, &a);
	arena_fini(&a);
	FUZZ_CHECK(budget.used == 0);
	return 0;
}

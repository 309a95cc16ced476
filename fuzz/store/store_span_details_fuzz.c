/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arbitrary bytes as the details of a block of three spans. The first byte selects the form: packed,
 * or columns, whose index has the length in the next two bytes. What can be read is encoded again
 * as columns, and must come back.
 */
#include "fuzz.h"
#include "store/sqlite/spans/span_columns.h"
#include "store/sqlite/spans/span_packed.h"

enum { SPANS = 3 };

static int make_rows(struct span_rows *r, struct arena *a)
{
	struct kept_span s = {.trace_id = {1}};
	int rc = vec_push(a, &r->strings, STR(""));

	for (uint8_t i = 0; !rc && i < SPANS; i++) {
		s.span_id[0] = (uint8_t)(i + 1);
		rc = vec_push(a, &r->spans, s);
	}
	r->block_spans = SPANS;
	return rc;
}

static void encode_details_again(const struct span_rows *r, struct arena *a)
{
	struct buf index = {0}, columns = {0};
	struct span_rows again = {0};
	struct span_order order;

	if (!span_order_init(&order, r->spans.at, r->spans.n) &&
	    !span_columns_put(&index, &columns, r, &order) && !make_rows(&again, a)) {
		int rc =
			span_columns_get(&again, buf_str(&index), buf_str(&columns), NULL, a, NULL);

		FUZZ_CHECK(!rc || rc == -ENOMEM);
		for (uint32_t i = 0; !rc && i < SPANS; i++)
			FUZZ_CHECK(str_eq(again.spans.at[i].details, r->spans.at[i].details));
	}
	span_order_fini(&order);
	buf_fini(&index);
	buf_fini(&columns);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct budget budget = {.limit = FUZZ_BUDGET};
	struct str in = str_of((const char *)data, size);
	struct span_rows r = {0};
	struct err e = {0};
	struct arena a;
	int rc;

	if (size < 3)
		return 0;
	arena_init(&a, &budget);
	rc = make_rows(&r, &a);
	if (!rc && data[0] % 2) {
		size_t n = data[1] | (size_t)data[2] << 8;

		in = str_from_at(in, 3);
		n = n < in.n ? n : in.n;
		rc = span_columns_get(&r, str_head(in, n), str_from_at(in, n), NULL, &a, &e);
	} else if (!rc) {
		rc = span_packed_get(&r, str_from_at(in, 1), &a, &e);
	}
	FUZZ_CHECK(!rc || rc == -ENOMEM || e.text[0]);
	if (!rc)
		encode_details_again(&r, &a);
	arena_fini(&a);
	FUZZ_CHECK(budget.used == 0);
	return 0;
}

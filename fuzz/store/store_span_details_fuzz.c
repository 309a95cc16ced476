/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arbitrary bytes as the details of a block of three spans. The first byte selects the form: packed,
 * or columns, whose index has the length in the next two bytes. What can be read is encoded again
 * as columns, and must come back. Columns are searched, too.
 */
#include "fuzz.h"
#include "store/sqlite/spans/span_columns.h"
#include "store/sqlite/spans/span_leaves.h"
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
		int rc = span_columns_get(&again, buf_str(&index), buf_str(&columns), NULL, NULL, a,
					  NULL);

		FUZZ_CHECK(!rc || rc == -ENOMEM);
		for (uint32_t i = 0; !rc && i < SPANS; i++)
			FUZZ_CHECK(str_eq(again.spans.at[i].details, r->spans.at[i].details));
	}
	span_order_fini(&order);
	buf_fini(&index);
	buf_fini(&columns);
}

/* Search the groups by leaves of columns and resources, and restore a part of what is left. */
static void search_columns(struct str index, struct str pieces, struct arena *a)
{
	static const struct trace_field key = {.scope = TRACE_SCOPE_SPAN, .key = STR_INIT("k")};
	struct trace_alternative alternatives[2] = {{.n = 2}, {.n = 1}};
	struct trace_want want = {.n = 2, .at = alternatives};
	struct span_rows rows = {.block_spans = SPANS};
	struct span_group_reader g;
	struct span_leaves leaves;
	struct span_need need;
	struct span_index in;

	alternatives[0].leaves[0] = (struct trace_leaf){
		.op = TRACE_LEAF_GT, .field = key, .value = {.type = TRACE_INT, .number = 3}};
	alternatives[0].leaves[1] = (struct trace_leaf){
		.op = TRACE_LEAF_EXISTS, .field = {.scope = TRACE_SCOPE_RESOURCE, .key = key.key}};
	alternatives[1].leaves[0] =
		(struct trace_leaf){.op = TRACE_LEAF_LE,
				    .field = key,
				    .value = {.type = TRACE_STRING, .text = key.key}};
	if (span_leaves_init(&leaves, &want, a) || span_need_of(&need, &key, 1, a) ||
	    span_index_get(&in, &rows, index, a, NULL))
		return;
	span_group_init(&g, &in, pieces, NULL, a->budget);
	for (uint32_t i = 0; i < in.group_count && !span_group_error(&g, NULL); i++) {
		uint32_t masks[SPANS], ends[SPANS];
		bool wanted[SPANS];
		struct buf out;

		for (uint32_t k = 0; k < in.groups[i].rows; k++)
			masks[k] = span_leaves_group(&leaves, &in.groups[i]);
		buf_init(&out, a->budget);
		span_group_open(&g, &in.groups[i]);
		span_leaves_columns(&leaves, &g, rows.strings.at, masks);
		for (uint32_t k = 0; k < in.groups[i].rows; k++)
			wanted[k] = masks[k];
		span_group_restore(&g, &need, wanted, &out, ends);
		buf_fini(&out);
	}
	span_group_fini(&g);
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
		search_columns(str_head(in, n), str_from_at(in, n), &a);
		rc = span_columns_get(&r, str_head(in, n), str_from_at(in, n), NULL, NULL, &a, &e);
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

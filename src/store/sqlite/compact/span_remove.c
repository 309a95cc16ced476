/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Delete the spans of a tenant in a day: blocks with such spans are rewritten without them, in one
 * transaction.
 */
#include "store/sqlite/compact/span_remove.h"

#include "store/sqlite/compact/replace.h"
#include "store/sqlite/read/spans/query_spans.h"

/* Append the spans of other tenants to `left`. */
static int split_spans(const struct span_rows *rows, struct str tenant, struct span_rows *left,
		       struct arena *a)
{
	int rc = 0;

	for (uint32_t i = 0, end; !rc && i < rows->spans.n; i = end) {
		uint32_t of = rows->spans.at[i].tenant;

		for (end = i + 1; end < rows->spans.n && rows->spans.at[end].tenant == of;)
			end++;
		if (!str_eq(rows->strings.at[of], tenant))
			rc = span_rows_append(left, a, rows, i, end - i);
	}
	return rc;
}

static int remove_from_block(struct reader *r, const struct span_entry *entry, struct str tenant,
			     struct replacement *change, struct err *e)
{
	struct span_rows rows, left = {0};
	struct new_spans b = {.entry = {.hour = entry->hour, .generation = entry->generation}};
	struct arena arena;
	int rc;

	arena_init(&arena, NULL);
	rc = spans_read(r, entry, NULL, &arena, &rows, e);
	if (!rc)
		rc = spans_read_details(r, entry, NULL, &arena, &rows, e);
	if (!rc)
		rc = split_spans(&rows, tenant, &left, &arena);
	if (!rc && left.spans.n != rows.spans.n)
		rc = vec_push(&change->arena, &change->spans.drop, entry->id);
	if (!rc && left.spans.n && left.spans.n != rows.spans.n) {
		rc = spans_pack(&b, &left, 0, left.spans.n, entry->generation != 0);
		if (!rc)
			rc = vec_push(&change->arena, &change->spans.add, b);
		if (rc)
			new_spans_fini(&b);
	}
	arena_fini(&arena);
	return rc;
}

int spans_remove(struct partition *p, struct str tenant, struct err *e)
{
	struct reader r = {0};
	struct replacement change;
	int rc = reader_begin(&r, p, e);

	replacement_init(&change, p);
	for (uint32_t i = 0; !rc && i < r.directory->spans->n; i++)
		rc = remove_from_block(&r, &r.directory->spans->at[i], tenant, &change, e);
	reader_end(&r);
	if (!rc && change.spans.drop.n)
		rc = replacement_apply(&change);
	if (rc && e && !e->code)
		*e = change.error;
	replacement_fini(&change);
	return rc ? err_errno(e, rc, "delete spans") : 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Deleting the spans of a tenant in a day: blocks that have some of them are written anew without them, all in one transaction. */
#include "store/sqlite/compact/span_merge.h"
#include "store/sqlite/read/span_read.h"

/* The spans of the block that stay. */
static int split(const struct span_rows *rows, struct str tenant, struct span_rows *left,
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

static int remove_from(struct reader *r, const struct span_entry *entry, struct str tenant,
		       struct swap *swap, struct err *e)
{
	struct span_rows rows, left = {0};
	struct new_spans b = {.entry = {.hour = entry->hour, .generation = entry->generation}};
	struct arena arena;
	int rc;

	arena_init(&arena, NULL);
	rc = spans_read(r, entry, &arena, &rows, e);
	if (!rc)
		rc = split(&rows, tenant, &left, &arena);
	if (!rc && left.spans.n != rows.spans.n)
		rc = vec_push(&swap->arena, &swap->spans.drop, entry->id);
	if (!rc && left.spans.n && left.spans.n != rows.spans.n) {
		rc = spans_pack(&b, &left, 0, left.spans.n, entry->generation != 0);
		if (!rc)
			rc = vec_push(&swap->arena, &swap->spans.add, b);
		if (rc)
			new_spans_fini(&b);
	}
	arena_fini(&arena);
	return rc;
}

int spans_remove(struct partition *p, struct str tenant, struct err *e)
{
	struct reader r = {0};
	struct swap swap;
	int rc = reader_begin(&r, p, e);

	swap_init(&swap, p);
	for (uint32_t i = 0; !rc && i < r.directory->spans->n; i++)
		rc = remove_from(&r, &r.directory->spans->at[i], tenant, &swap, e);
	reader_end(&r);
	if (!rc && swap.spans.drop.n)
		rc = swap_apply(&swap);
	if (rc && e && !e->code)
		*e = swap.error;
	swap_fini(&swap);
	return rc ? err_errno(e, rc, "delete spans") : 0;
}

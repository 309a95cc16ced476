/* SPDX-License-Identifier: Apache-2.0 */
/* Decoding the structure of spans into columns. */
#include "store/sqlite/spans/span_table.h"

#include "store/sqlite/block/columns.h"

enum { PARENT_NONE, PARENT_ELSEWHERE, PARENT_HERE };

static int table_error(int rc, struct err *e)
{
	return rc ? err_errno(e, rc, "read spans")
		  : err_set(e, -EUCLEAN, "a block of spans is damaged");
}

int span_table_open(struct span_table *t, struct str bytes, struct arena *a, struct err *e)
{
	struct column_cursor c = column_cursor(bytes);
	uint64_t begin = 0, spans = 0;
	int rc = 0;

	*t = (struct span_table){.string_count = column_count(&c)};
	t->strings = arena_alloc(a, t->string_count + (size_t)1, sizeof(*t->strings));
	if (!t->strings)
		return table_error(-ENOMEM, e);
	for (uint32_t i = 0; !c.bad && i < t->string_count; i++)
		t->strings[i] = column_str(&c);
	t->trace_count = column_count(&c);
	t->tenants = column_new_u32(&c, a, t->trace_count, &rc);
	t->counts = column_new_u32(&c, a, t->trace_count, &rc);
	t->begins = column_new_u64(&c, a, t->trace_count, &rc);
	t->trace_ids = column_bytes(&c, (size_t)t->trace_count * TRACE_ID_SIZE);
	t->n = column_count(&c);
	t->firsts =
		rc || c.bad ? NULL : arena_alloc(a, t->trace_count + (size_t)1, sizeof(*t->firsts));
	if (rc || c.bad || !t->firsts)
		return table_error(rc || c.bad ? rc : -ENOMEM, e);
	for (uint32_t i = 0; i < t->trace_count; i++) {
		t->begins[i] = begin += t->begins[i];
		t->firsts[i] = (uint32_t)spans;
		spans += t->counts[i];
		c.bad |= t->tenants[i] >= t->string_count;
	}
	if (c.bad || spans != t->n)
		return table_error(0, e);
	t->rest = str_of((const char *)c.p, column_left(&c));
	return 0;
}

/* Check the spans of a trace, and number the ids of parents that are elsewhere. */
static bool check_trace(struct span_table *t, uint32_t trace, uint32_t *lost)
{
	uint64_t begin = t->begins[trace];
	uint32_t count = t->counts[trace], first = t->firsts[trace], strings = t->string_count;
	bool bad = false;

	for (uint32_t i = first; i < first + count; i++) {
		uint32_t parent = t->parents[i];

		t->starts[i] += begin;
		bad |= t->names[i] >= strings || t->services[i] >= strings ||
		       span_table_kind(t, i) >= SPAN_KINDS ||
		       span_table_status(t, i) >= SPAN_STATUSES ||
		       (parent >= PARENT_HERE && parent - PARENT_HERE >= count);
		t->lost[i] = *lost;
		*lost += parent == PARENT_ELSEWHERE;
	}
	return !bad;
}

int span_table_spans(struct span_table *t, struct arena *a, struct err *e)
{
	struct column_cursor c = column_cursor(t->rest);
	uint32_t lost = 0;
	int rc = 0;

	t->starts = column_new_u64(&c, a, t->n, &rc);
	t->durations = column_new_u64(&c, a, t->n, &rc);
	t->names = column_new_u32(&c, a, t->n, &rc);
	t->services = column_new_u32(&c, a, t->n, &rc);
	t->parents = column_new_u32(&c, a, t->n, &rc);
	t->flags = column_bytes(&c, t->n);
	t->span_ids = column_bytes(&c, (size_t)t->n * SPAN_ID_SIZE);
	t->lost = rc || c.bad ? NULL : arena_alloc(a, t->n + (size_t)1, sizeof(*t->lost));
	if (rc || c.bad || !t->lost)
		return table_error(rc || c.bad ? rc : -ENOMEM, e);
	for (uint32_t k = 0; !c.bad && k < t->trace_count; k++)
		c.bad = !check_trace(t, k, &lost);
	t->lost_ids = column_bytes(&c, (size_t)lost * SPAN_ID_SIZE);
	return c.bad || column_left(&c) ? table_error(0, e) : 0;
}

uint32_t span_table_trace(const struct span_table *t, uint32_t row)
{
	uint32_t low = 0, high = t->trace_count;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (t->firsts[middle] <= row)
			low = middle;
		else
			high = middle;
	}
	return low;
}

void span_table_get(const struct span_table *t, uint32_t trace, uint32_t row, struct kept_span *out)
{
	uint32_t parent = t->parents[row];
	const uint8_t *id = NULL;

	*out = (struct kept_span){.start = t->starts[row],
				  .duration = t->durations[row],
				  .tenant = t->tenants[trace],
				  .service = t->services[row],
				  .name = t->names[row],
				  .kind = span_table_kind(t, row),
				  .status = span_table_status(t, row)};
	memcpy(out->trace_id, t->trace_ids + (size_t)trace * TRACE_ID_SIZE, TRACE_ID_SIZE);
	memcpy(out->span_id, t->span_ids + (size_t)row * SPAN_ID_SIZE, SPAN_ID_SIZE);
	if (parent == PARENT_ELSEWHERE)
		id = t->lost_ids + (size_t)t->lost[row] * SPAN_ID_SIZE;
	else if (parent >= PARENT_HERE)
		id = t->span_ids + (size_t)(t->firsts[trace] + parent - PARENT_HERE) * SPAN_ID_SIZE;
	if (id)
		memcpy(out->parent_id, id, SPAN_ID_SIZE);
}

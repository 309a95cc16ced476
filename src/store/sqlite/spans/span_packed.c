/* SPDX-License-Identifier: Apache-2.0 */
/* The details of the spans of a commit: lengths and bytes, with resources and scopes once. */
#include "store/sqlite/spans/span_packed.h"

#include "store/sqlite/block/columns.h"
#include "store/sqlite/spans/span_origins.h"

static void put_lengths(struct buf *out, const struct span_order *o, uint32_t *u32)
{
	uint32_t n = 0;

	for (uint32_t t = 0; t < o->traces_n; t++)
		for (uint32_t i = 0; i < o->traces[t].n; i++)
			u32[n++] = (uint32_t)o->spans[o->traces[t].first + i].details.n;
	column_put_u32(out, u32, n);
	for (uint32_t t = 0; t < o->traces_n; t++)
		for (uint32_t i = 0; i < o->traces[t].n; i++)
			buf_put_str(out, o->spans[o->traces[t].first + i].details);
}

int span_packed_put(struct buf *out, const struct span_rows *r, struct span_order *order)
{
	uint32_t *u32 = arena_alloc(&order->arena, 3 * (size_t)order->n + 1, sizeof(*u32));
	struct span_origins origins;
	uint32_t *resources = u32, *scopes = u32 + order->n, n = 0;
	int rc = u32 ? span_origins_init(&origins, r, &order->arena) : -ENOMEM;

	if (rc)
		return rc;
	for (uint32_t t = 0; t < order->traces_n; t++)
		for (uint32_t i = 0; i < order->traces[t].n; i++, n++) {
			const struct kept_span *s = &order->spans[order->traces[t].first + i];

			resources[n] = span_origins_add(&origins, s->resource);
			scopes[n] = span_origins_add(&origins, s->scope);
		}
	span_origins_put(out, &origins);
	column_put_u32(out, resources, n);
	column_put_u32(out, scopes, n);
	put_lengths(out, order, u32 + 2 * (size_t)order->n);
	return buf_error(out);
}

int span_packed_get(struct span_rows *rows, struct str bytes, struct arena *a, struct err *e)
{
	struct column_cursor c = column_cursor(bytes);
	uint32_t n = rows->block_spans, origins, first = rows->strings.n, next = 0;
	uint32_t *resources, *scopes, *lengths;
	int rc = span_origins_get(&c, rows, a, &origins);

	resources = column_new_u32(&c, a, n, &rc);
	scopes = column_new_u32(&c, a, n, &rc);
	lengths = column_new_u32(&c, a, n, &rc);
	for (uint32_t i = 0; !rc && !c.bad && i < n; i++) {
		struct kept_span *s = &rows->spans.at[next];
		const uint8_t *p = column_bytes(&c, lengths[i]);

		if (resources[i] > origins || scopes[i] > origins || lengths[i] > SPAN_DETAILS_MAX)
			c.bad = true;
		if (!p || (rows->picked && (next == rows->spans.n || rows->picked[next] != i)))
			continue;
		next++;
		s->resource = resources[i] ? first + resources[i] : 0;
		s->scope = scopes[i] ? first + scopes[i] : 0;
		s->details = str_of((const char *)p, lengths[i]);
		rows->bytes += s->details.n;
	}
	if (rc)
		return err_errno(e, rc, "read spans");
	return c.bad || column_left(&c) ? err_set(e, -EUCLEAN, "details of spans are damaged") : 0;
}

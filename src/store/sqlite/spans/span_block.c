/* SPDX-License-Identifier: Apache-2.0 */
/* Encoding and decoding blocks of spans: their structure. */
#include "store/sqlite/spans/span_block.h"

#include "store/sqlite/block/columns.h"
#include "store/sqlite/read/filter.h"
#include "store/sqlite/spans/span_table.h"

enum { PARENT_NONE, PARENT_ELSEWHERE, PARENT_HERE };
enum { KIND_BITS = 4 };

/*
 * A search looks for all traces of its answer in each block of a day, and a false positive costs
 * the decompression of a block: with 24 bits and six hashes one lookup of 8,000 is one.
 */
enum { TRACE_FILTER_BITS = 24 };

/* ---- writing ---- */

struct span_encoder {
	struct span_order *order;
	struct buf *out;
	uint32_t *u32; /* buffer for a column */
	uint64_t *u64;
	uint32_t *text; /* by index of rows.strings: index in the block + 1 */
	struct buf parents;
};

/* Write the used strings in the order of their first use, and set their indexes in e->text. */
static int put_used_strings(struct span_encoder *e, const struct span_rows *r)
{
	struct buf texts = {0};
	uint32_t n = 0;
	int rc;

	e->text = arena_zalloc(&e->order->arena, r->strings.n + 1, sizeof(*e->text));
	if (!e->text)
		return -ENOMEM;
	for (uint32_t t = 0; t < e->order->traces_n; t++) {
		const struct trace_group *g = &e->order->traces[t];

		for (uint32_t i = g->first; i < g->first + g->n; i++) {
			const struct kept_span *s = &e->order->spans[i];
			uint32_t used[] = {s->tenant, s->service, s->name};

			for (unsigned k = 0; k < countof(used); k++) {
				if (e->text[used[k]])
					continue;
				e->text[used[k]] = ++n;
				column_put_str(&texts, r->strings.at[used[k]]);
			}
		}
	}
	column_put_varint(e->out, n);
	buf_put_str(e->out, buf_str(&texts));
	rc = buf_error(&texts);
	buf_fini(&texts);
	return rc;
}

static void put_traces(struct span_encoder *e)
{
	const struct span_order *o = e->order;
	uint64_t last = 0;

	column_put_varint(e->out, o->traces_n);
	for (uint32_t t = 0; t < o->traces_n; t++)
		e->u32[t] = e->text[o->spans[o->traces[t].first].tenant] - 1;
	column_put_u32(e->out, e->u32, o->traces_n);
	for (uint32_t t = 0; t < o->traces_n; t++)
		e->u32[t] = o->traces[t].n;
	column_put_u32(e->out, e->u32, o->traces_n);
	for (uint32_t t = 0; t < o->traces_n; t++) {
		e->u64[t] = o->traces[t].begin - last;
		last = o->traces[t].begin;
	}
	column_put_u64(e->out, e->u64, o->traces_n);
	for (uint32_t t = 0; t < o->traces_n; t++)
		buf_put(e->out, o->spans[o->traces[t].first].trace_id, TRACE_ID_SIZE);
}

static uint64_t id_bits(const uint8_t id[SPAN_ID_SIZE])
{
	uint64_t bits;

	memcpy(&bits, id, sizeof(bits));
	return bits;
}

/* Find the span with that id among the 256 before and after span i; often it is close before. */
static uint32_t find_near(const struct span_encoder *e, const struct trace_group *g, uint32_t i,
			  uint64_t id)
{
	enum { LOOK = 256 };
	const struct kept_span *at = e->order->spans + g->first;
	uint32_t from = i > LOOK ? i - LOOK : 0, to = i + LOOK < g->n ? i + LOOK : g->n;

	for (uint32_t k = i; k-- > from;)
		if (id_bits(at[k].span_id) == id)
			return PARENT_HERE + k;
	for (uint32_t k = i; k < to; k++)
		if (id_bits(at[k].span_id) == id)
			return PARENT_HERE + k;
	return PARENT_ELSEWHERE;
}

/* Return the parent of span i. Siblings are often adjacent; `before` is the result for i - 1. */
static uint32_t parent_of(struct span_encoder *e, const struct trace_group *g, uint32_t i,
			  uint32_t before)
{
	const struct kept_span *s = &e->order->spans[g->first + i];
	uint64_t id = id_bits(s->parent_id);
	uint32_t parent = before;

	if (!id)
		return PARENT_NONE;
	if (!i || id_bits(s[-1].parent_id) != id)
		parent = find_near(e, g, i, id);
	if (parent == PARENT_ELSEWHERE)
		buf_put(&e->parents, s->parent_id, sizeof(s->parent_id));
	return parent;
}

/* Fill a column: evaluate the expression for each span, with `span`, `group` and `number` set. */
#define EACH_SPAN(e, column, ...)                                                                  \
	do {                                                                                       \
		uint32_t at_ = 0;                                                                  \
		for (uint32_t t_ = 0; t_ < (e)->order->traces_n; t_++) {                           \
			const struct trace_group *group UNUSED = &(e)->order->traces[t_];          \
			for (uint32_t i_ = 0; i_ < group->n; i_++) {                               \
				const struct kept_span *span UNUSED =                              \
					&(e)->order->spans[group->first + i_];                     \
				uint32_t number UNUSED = i_;                                       \
				(column)[at_++] = (__VA_ARGS__);                                   \
			}                                                                          \
		}                                                                                  \
	} while (0)

static void put_spans(struct span_encoder *e)
{
	uint32_t n = e->order->n;
	uint32_t parent = PARENT_NONE;
	uint8_t *bytes = (uint8_t *)e->u32;

	column_put_varint(e->out, n);
	EACH_SPAN(e, e->u64, span->start - group->begin);
	column_put_u64(e->out, e->u64, n);
	EACH_SPAN(e, e->u64, span->duration);
	column_put_u64(e->out, e->u64, n);
	EACH_SPAN(e, e->u32, e->text[span->name] - 1);
	column_put_u32(e->out, e->u32, n);
	EACH_SPAN(e, e->u32, e->text[span->service] - 1);
	column_put_u32(e->out, e->u32, n);
	EACH_SPAN(e, e->u32, parent = parent_of(e, group, number, parent));
	column_put_u32(e->out, e->u32, n);
	EACH_SPAN(e, bytes, (uint8_t)(span->kind | span->status << KIND_BITS));
	buf_put(e->out, bytes, n);
	for (uint32_t t = 0; t < e->order->traces_n; t++)
		for (uint32_t i = 0; i < e->order->traces[t].n; i++)
			buf_put(e->out, e->order->spans[e->order->traces[t].first + i].span_id,
				SPAN_ID_SIZE);
	buf_put_str(e->out, buf_str(&e->parents));
}

int span_filter_put(struct buf *out, struct span_order *order, bool ids)
{
	size_t keys = (ids ? order->n : 0) + (size_t)order->traces_n;
	struct filter f;

	if (filter_init_bits(&f, keys, ids ? FILTER_BITS : TRACE_FILTER_BITS, &order->arena))
		return -ENOMEM;
	for (uint32_t t = 0; t < order->traces_n; t++) {
		const struct trace_group *g = &order->traces[t];

		filter_add(&f, order->spans[g->first].trace_id, TRACE_ID_SIZE);
		for (uint32_t i = g->first; ids && i < g->first + g->n; i++)
			filter_add(&f, order->spans[i].span_id, SPAN_ID_SIZE);
	}
	buf_put(out, f.bits, f.bytes);
	return buf_error(out);
}

static void set_extent(const struct span_order *o, struct span_extent *x)
{
	*x = (struct span_extent){.first = UINT64_MAX, .spans = o->n};
	for (uint32_t t = 0; t < o->traces_n; t++) {
		const struct trace_group *g = &o->traces[t];
		uint64_t last = o->spans[g->first + g->n - 1].start;

		x->first = g->begin < x->first ? g->begin : x->first;
		x->last = last > x->last ? last : x->last;
	}
}

int span_block_put(struct buf *out, const struct span_rows *r, struct span_order *order,
		   struct span_extent *extent)
{
	struct span_encoder e = {.out = out, .order = order};
	uint32_t n = order->n;
	int rc;

	e.u32 = arena_alloc(&order->arena, n + 1, sizeof(*e.u32));
	e.u64 = arena_alloc(&order->arena, n + 1, sizeof(*e.u64));
	rc = e.u32 && e.u64 ? put_used_strings(&e, r) : -ENOMEM;
	if (!rc) {
		put_traces(&e);
		put_spans(&e);
		set_extent(order, extent);
		rc = buf_error(&e.parents);
	}
	if (!rc)
		rc = buf_error(out);
	buf_fini(&e.parents);
	return rc;
}

int span_block_encode(struct buf *out, struct buf *filter, const struct span_rows *r,
		      uint32_t first, uint32_t n, struct span_extent *extent)
{
	struct span_order order;
	int rc = span_order_init(&order, r->spans.at + first, n);

	if (!rc)
		rc = span_block_put(out, r, &order, extent);
	if (!rc && filter)
		rc = span_filter_put(filter, &order, true);
	span_order_fini(&order);
	return rc;
}

/* ---- reading ---- */

/* Append the spans of the table's trace, and note their places in the block. */
static int take_trace(struct span_rows *out, const struct span_table *t, uint32_t trace,
		      struct arena *a)
{
	uint32_t first = t->firsts[trace];
	int rc = vec_reserve(a, &out->spans, t->counts[trace]);

	for (uint32_t i = first; !rc && i < first + t->counts[trace]; i++) {
		if (out->picked)
			out->picked[out->spans.n] = i;
		span_table_get(t, trace, i, &out->spans.at[out->spans.n++]);
	}
	return rc;
}

/* Mark the traces that are picked. Return whether there are any. */
static bool pick_traces(const struct span_table *t, const struct span_pick *pick, bool *picked)
{
	bool any = false;

	for (uint32_t k = 0; k < t->trace_count; k++) {
		picked[k] =
			!pick || pick->wants(pick->ctx, t->trace_ids + (size_t)k * TRACE_ID_SIZE);
		any |= picked[k];
	}
	return any;
}

static int take_strings(struct span_rows *out, const struct span_table *t, struct arena *a)
{
	int rc = vec_reserve(a, &out->strings, t->string_count);

	for (uint32_t i = 0; !rc && i < t->string_count; i++)
		out->strings.at[out->strings.n++] = t->strings[i];
	return rc;
}

/* Prepare the rows, and set picked[k] of the traces that are picked, *any to whether there are. */
static int begin_rows(struct span_rows *out, const struct span_table *t,
		      const struct span_pick *pick, struct arena *a, bool **picked, bool *any)
{
	*out = (struct span_rows){.block_spans = t->n};
	*picked = arena_alloc(a, t->trace_count + (size_t)1, sizeof(**picked));
	if (pick)
		out->picked = arena_alloc(a, t->n + (size_t)1, sizeof(uint32_t));
	if (!*picked || (pick && !out->picked))
		return -ENOMEM;
	*any = pick_traces(t, pick, *picked);
	return 0;
}

static int take_rows(struct span_rows *out, const struct span_table *t, const bool *picked,
		     struct arena *a)
{
	int rc = take_strings(out, t, a);

	if (!rc && !out->picked)
		rc = vec_reserve(a, &out->spans, t->n);
	for (uint32_t k = 0; !rc && k < t->trace_count; k++)
		if (picked[k])
			rc = take_trace(out, t, k, a);
	return rc;
}

int span_block_rows(struct span_rows *out, const struct span_table *t, const struct span_pick *pick,
		    struct arena *a)
{
	bool *picked, any;
	int rc = begin_rows(out, t, pick, a, &picked, &any);

	return rc || (pick && !any) ? rc : take_rows(out, t, picked, a);
}

int span_block_decode(struct span_rows *out, struct str bytes, const struct span_pick *pick,
		      struct arena *a, struct err *e)
{
	struct span_table t;
	bool *picked, any;
	int rc = span_table_open(&t, bytes, a, e);

	*out = (struct span_rows){0};
	if (rc)
		return rc;
	rc = begin_rows(out, &t, pick, a, &picked, &any);
	if (rc)
		return err_errno(e, rc, "read spans");
	if (pick && !any)
		return 0; /* the spans are not read */
	rc = span_table_spans(&t, a, e);
	if (rc)
		return rc;
	rc = take_rows(out, &t, picked, a);
	return rc ? err_errno(e, rc, "read spans") : 0;
}

int span_block_tenants(struct str bytes, struct str tenant, struct arena *a, enum span_tenants *out,
		       struct err *e)
{
	struct span_table t;
	bool own = false, others = false;
	int rc = span_table_open(&t, bytes, a, e);

	for (uint32_t i = 0; !rc && i < t.trace_count; i++) {
		bool same;

		if (i && t.tenants[i] == t.tenants[i - 1])
			continue;
		same = str_eq(t.strings[t.tenants[i]], tenant);
		own |= same;
		others |= !same;
	}
	*out = own && others ? SPANS_OF_SEVERAL : own ? SPANS_OF_TENANT : SPANS_OF_OTHERS;
	return rc;
}

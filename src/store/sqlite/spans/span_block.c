/* SPDX-License-Identifier: Apache-2.0 */
/* Encoding and decoding blocks of spans: their structure. */
#include "store/sqlite/spans/span_block.h"

#include "store/sqlite/block/columns.h"
#include "store/sqlite/read/filter.h"

enum { PARENT_NONE, PARENT_ELSEWHERE, PARENT_HERE };
enum { KIND_BITS = 4 };

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
	struct filter f;

	if (filter_init(&f, (ids ? order->n : 0) + order->traces_n, &order->arena))
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

struct span_decoder {
	struct column_cursor c;
	struct arena *arena;
	struct span_rows *out;
	uint32_t traces_n, n;
	uint32_t *tenants, *counts;
	uint64_t *begins;
	const uint8_t *trace_ids, *span_ids, *flags;
	const struct span_pick *pick; /* NULL: all traces */
	uint64_t *starts, *durations;
	uint32_t *names, *services, *parents;
	int rc;
};

static void get_span_strings(struct span_decoder *d)
{
	uint32_t n = column_count(&d->c);

	d->rc = d->c.bad ? 0 : vec_reserve(d->arena, &d->out->strings, n);
	for (uint32_t i = 0; !d->rc && !d->c.bad && i < n; i++)
		d->out->strings.at[d->out->strings.n++] = column_str(&d->c);
}

static void get_columns(struct span_decoder *d)
{
	struct column_cursor *c = &d->c;

	d->traces_n = column_count(c);
	d->tenants = column_new_u32(c, d->arena, d->traces_n, &d->rc);
	d->counts = column_new_u32(c, d->arena, d->traces_n, &d->rc);
	d->begins = column_new_u64(c, d->arena, d->traces_n, &d->rc);
	d->trace_ids = column_bytes(c, (size_t)d->traces_n * TRACE_ID_SIZE);
	d->n = column_count(c);
	d->starts = column_new_u64(c, d->arena, d->n, &d->rc);
	d->durations = column_new_u64(c, d->arena, d->n, &d->rc);
	d->names = column_new_u32(c, d->arena, d->n, &d->rc);
	d->services = column_new_u32(c, d->arena, d->n, &d->rc);
	d->parents = column_new_u32(c, d->arena, d->n, &d->rc);
	d->flags = column_bytes(c, d->n);
	d->span_ids = column_bytes(c, (size_t)d->n * SPAN_ID_SIZE);
}

static void get_parent(struct span_decoder *d, struct kept_span *s, uint32_t first, uint32_t count,
		       uint32_t parent)
{
	const uint8_t *id = NULL;

	if (parent == PARENT_NONE)
		return;
	if (parent == PARENT_ELSEWHERE)
		id = column_bytes(&d->c, SPAN_ID_SIZE);
	else if (parent - PARENT_HERE < count)
		id = d->span_ids + (size_t)(first + parent - PARENT_HERE) * SPAN_ID_SIZE;
	if (id)
		memcpy(s->parent_id, id, SPAN_ID_SIZE);
	else
		d->c.bad = true;
}

static void get_trace(struct span_decoder *d, uint32_t t, uint32_t first, uint64_t begin)
{
	uint32_t strings = d->out->strings.n;

	for (uint32_t i = first; i < first + d->counts[t]; i++) {
		struct kept_span *s = &d->out->spans.at[d->out->spans.n++];

		*s = (struct kept_span){.start = begin + d->starts[i],
					.duration = d->durations[i],
					.tenant = d->tenants[t],
					.service = d->services[i],
					.name = d->names[i],
					.kind = d->flags[i] & ((1 << KIND_BITS) - 1),
					.status = d->flags[i] >> KIND_BITS};
		memcpy(s->trace_id, d->trace_ids + (size_t)t * TRACE_ID_SIZE, TRACE_ID_SIZE);
		memcpy(s->span_id, d->span_ids + (size_t)i * SPAN_ID_SIZE, SPAN_ID_SIZE);
		get_parent(d, s, first, d->counts[t], d->parents[i]);
		d->c.bad |= s->tenant >= strings || s->service >= strings || s->name >= strings ||
			    s->kind >= SPAN_KINDS || s->status >= SPAN_STATUSES;
	}
}

static bool picks(const struct span_decoder *d, uint32_t t)
{
	return !d->pick || d->pick->wants(d->pick->ctx, d->trace_ids + (size_t)t * TRACE_ID_SIZE);
}

/* Skip a trace: the ids of its parents that are elsewhere. */
static void skip_trace(struct span_decoder *d, uint32_t t, uint32_t first)
{
	size_t elsewhere = 0;

	for (uint32_t i = first; i < first + d->counts[t]; i++)
		elsewhere += d->parents[i] == PARENT_ELSEWHERE;
	(void)!column_bytes(&d->c, elsewhere * SPAN_ID_SIZE);
}

/* Reserve room for the spans of trace t, and note their places in the block. */
static int pick_trace(struct span_decoder *d, uint32_t t, uint32_t first)
{
	struct span_rows *out = d->out;
	int rc = vec_reserve(d->arena, &out->spans, d->counts[t]);

	if (rc || !d->pick)
		return rc;
	for (uint32_t i = 0; i < d->counts[t]; i++)
		out->picked[out->spans.n + i] = first + i;
	return 0;
}

static void get_spans(struct span_decoder *d)
{
	uint64_t begin = 0;
	uint32_t first = 0;

	d->out->block_spans = d->n;
	if (!d->pick)
		d->rc = vec_reserve(d->arena, &d->out->spans, d->n);
	else
		d->out->picked = arena_alloc(d->arena, (size_t)d->n + 1, sizeof(uint32_t));
	if (d->pick && !d->out->picked)
		d->rc = -ENOMEM;
	for (uint32_t t = 0; !d->rc && !d->c.bad && t < d->traces_n; t++) {
		begin += d->begins[t];
		if (d->counts[t] > d->n - first) {
			d->c.bad = true;
		} else if (!picks(d, t)) {
			skip_trace(d, t, first);
		} else {
			d->rc = pick_trace(d, t, first);
			if (!d->rc)
				get_trace(d, t, first, begin);
		}
		first += d->counts[t];
	}
	d->c.bad |= first != d->n || column_left(&d->c);
}

int span_block_decode(struct span_rows *out, struct str bytes, const struct span_pick *pick,
		      struct arena *a, struct err *e)
{
	struct span_decoder d = {.c = column_cursor(bytes), .arena = a, .out = out, .pick = pick};

	*out = (struct span_rows){0};
	get_span_strings(&d);
	if (!d.rc && !d.c.bad)
		get_columns(&d);
	if (!d.rc && !d.c.bad)
		get_spans(&d);
	if (d.rc)
		return err_errno(e, d.rc, "read spans");
	return d.c.bad ? err_set(e, -EUCLEAN, "a block of spans is damaged") : 0;
}

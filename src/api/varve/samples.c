/* SPDX-License-Identifier: Apache-2.0 */
/* Answers for which every sample is looked at: what spans cost, and when it happened. */
#include "api/varve/varve.h"

#include <stdlib.h>

#include "base/clock.h"
#include "query/span_tree.h"
#include "query/spans.h"
#include "query/time/sample_times.h"

enum { SPANS_DEFAULT = 100, ROWS_DEFAULT = 50, TRACES_MAX = 10000 };

#define SET_NONE UINT32_MAX /* no sample: no labels */

/* ---- spans ---- */

static int add_spans(const struct selection *s, const struct store_select *sel, void *ctx,
		     struct err *e)
{
	return spans_add(ctx, s->store, sel, e);
}

int view_spans(struct spans *spans, struct view_ask *a, struct request *r, struct err *e)
{
	int rc = spans_init(spans, &a->s.filter, &a->s.times, r->limits.budget);

	if (!rc && a->s.type.id.n) /* else there is nothing */
		rc = selection_each(&a->s, add_spans, spans, e);
	if (!rc)
		spans_sort(spans);
	return rc;
}

/* What is known of the spans that are shown. */
struct spans_answer {
	struct spans spans;
	struct span_tree tree;
	uint32_t shown;
	uint8_t *chosen; /* by row: it is one of those that are shown; NULL: the first are */
};

/* The traces of the rows that are shown, or those that were asked for. */
static int list_traces(const struct spans_answer *x, const struct selection *s,
		       struct store_span_select *sel, struct arena *arena)
{
	uint32_t n = x->shown < TRACES_MAX ? x->shown : TRACES_MAX;
	uint8_t(*traces)[16] = arena_alloc(arena, n + 1, sizeof(*traces));

	if (s->trace_n) {
		sel->traces = s->traces;
		sel->trace_count = s->trace_n;
		return 0;
	}
	if (!traces)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) /* one that is named twice is looked for once */
		memcpy(traces[i], x->spans.rows.at[i].link.trace_id, sizeof(*traces));
	sel->traces = (const uint8_t(*)[16])traces;
	sel->trace_count = n;
	return 0;
}

/* Of a trace that was asked for also the spans in which no sample was taken. */
static int add_kept(struct spans_answer *x, const uint8_t *has_row)
{
	struct spans *spans = &x->spans;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < x->tree.nodes.n; i++)
		if (x->tree.nodes.at[i].kept && !has_row[i])
			rc = vec_push(&spans->arena, &spans->rows,
				      (struct span_row){.link = x->tree.nodes.at[i].link,
							.set = SET_NONE});
	return rc;
}

static int find_structure(struct spans_answer *x, const struct selection *s, struct request *r,
			  struct err *e)
{
	struct store_span_select sel = {.tenant = s->select.tenant, .limits = s->select.limits};
	uint8_t *has_row;
	int rc = list_traces(x, s, &sel, r->arena);

	span_tree_range(s->select.from, s->select.to, &sel);
	if (!rc)
		rc = span_tree_load(&x->tree, s->store, &sel, e);
	if (!rc)
		rc = span_tree_finish(&x->tree);
	has_row = rc ? NULL : arena_zalloc(r->arena, x->tree.nodes.n + 1, 1);
	if (!has_row)
		return rc ? rc : -ENOMEM;
	for (uint32_t i = 0; x->tree.nodes.n && i < x->spans.rows.n; i++) {
		uint32_t node = span_tree_find(&x->tree, &x->spans.rows.at[i].link);

		if (node == SPAN_NONE)
			continue;
		x->tree.nodes.at[node].total = x->spans.rows.at[i].total;
		has_row[node] = true;
	}
	span_tree_add_up(&x->tree);
	return s->trace_n && !s->select.span_count ? add_kept(x, has_row) : 0;
}

/* A row by what its span cost with all that it called, and by its place in the tree. */
struct ranked {
	int64_t total;
	uint32_t place, row;
};

static int dearer_first(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return x->place < y->place ? -1 : x->place > y->place;
}

/*
 * Which spans of a trace are shown when there are more than `limit`: those that cost most with all that they called. Whoever
 * called one of them cost as much at least, and comes first: what is shown hangs together.
 */
static int choose_rows(struct spans_answer *x, uint64_t limit, struct arena *arena)
{
	uint32_t n = x->spans.rows.n, nodes = x->tree.nodes.n;
	struct ranked *ranked = arena_alloc(arena, n + 1, sizeof(*ranked));
	uint32_t *place = arena_alloc(arena, nodes + 1, sizeof(*place));

	if (!limit || limit >= n || !nodes)
		return 0;
	x->chosen = arena_zalloc(arena, n, 1);
	if (!ranked || !place || !x->chosen)
		return -ENOMEM;
	for (uint32_t i = 0; i < nodes; i++)
		place[x->tree.order[i]] = i;
	for (uint32_t i = 0; i < n; i++) {
		const struct span_row *row = &x->spans.rows.at[i];
		uint32_t node = span_tree_find(&x->tree, &row->link);

		ranked[i] = node == SPAN_NONE
				    ? (struct ranked){row->total, SPAN_NONE, i}
				    : (struct ranked){x->tree.nodes.at[node].total, place[node], i};
	}
	qsort(ranked, n, sizeof(*ranked), dearer_first);
	for (uint64_t i = 0; i < limit; i++)
		x->chosen[ranked[i].row] = true;
	return 0;
}

static void put_structure(struct json_writer *w, const struct span_node *n)
{
	if (span_id_is_set(n->parent_id, sizeof(n->parent_id)))
		put_hex(w, "parent", n->parent_id, sizeof(n->parent_id));
	else
		put_text(w, "parent", STR(""));
	put_text(w, "name", n->name);
	put_text(w, "kind", str_from(span_kind_names[n->kind]));
	put_text(w, "status", str_from(span_status_names[n->status]));
	put_ms(w, "start", n->start);
	put_u64(w, "duration", n->end - n->start);
}

static void put_row(struct json_writer *w, const struct spans_answer *x, const struct span_row *row)
{
	uint32_t at = span_tree_find(&x->tree, &row->link);
	const struct span_node *n = at == SPAN_NONE ? NULL : &x->tree.nodes.at[at];
	struct label_set labels =
		row->set == SET_NONE ? (struct label_set){0} : x->spans.sets.at[row->set];
	struct str service = label_set_get(labels, STR("service_name"));

	json_open_object(w);
	put_hex(w, "trace", row->link.trace_id, sizeof(row->link.trace_id));
	put_hex(w, "span", row->link.span_id, sizeof(row->link.span_id));
	put_i64(w, "total", row->total);
	put_i64(w, "with_children", n ? n->total : row->total);
	put_u64(w, "samples", row->samples);
	put_ms(w, "first", row->first);
	put_ms(w, "last", row->last);
	put_text(w, "service", service.n || !n ? service : n->service);
	json_put_key(w, STR("labels"));
	put_labels(w, labels);
	if (n && n->kept)
		put_structure(w, n);
	json_close_object(w);
}

static void put_answer(struct json_writer *w, const struct spans_answer *x, uint64_t limit)
{
	const struct spans *spans = &x->spans;

	put_i64(w, "total", spans->total);
	put_i64(w, "linked", spans->linked);
	put_u64(w, "span_count", spans->rows.n);
	json_put_key(w, STR("spans"));
	json_open_array(w);
	for (uint32_t i = 0; i < spans->rows.n; i++)
		if (x->chosen ? x->chosen[i] : !limit || i < limit)
			put_row(w, x, &spans->rows.at[i]);
	json_close_array(w);
}

int varve_spans(struct request *r, struct reply *out, struct err *e)
{
	struct spans_answer x = {0};
	struct json_writer w;
	struct view_ask a;
	uint64_t limit;
	int rc = view_ask_read_any(&a, &view_names_single, r, e);

	if (!rc)
		rc = request_u64(r, "n", SPANS_DEFAULT, &limit, e);
	if (!rc)
		rc = selection_check_samples(&a.s, e);
	if (!rc)
		rc = view_spans(&x.spans, &a, r, e);
	if (!rc)
		rc = span_tree_init(&x.tree, r->limits.budget);
	if (!rc) {
		x.shown = limit && limit < x.spans.rows.n ? (uint32_t)limit : x.spans.rows.n;
		rc = find_structure(&x, &a.s, r, e);
	}
	if (!rc && a.s.trace_n)
		rc = choose_rows(&x, limit, r->arena);
	if (!rc) {
		w = view_open(out, &a);
		put_answer(&w, &x, limit);
		rc = view_close(&w);
	}
	span_tree_fini(&x.tree);
	spans_fini(&x.spans);
	view_ask_fini(&a);
	return rc;
}

/* ---- moments ---- */

static int add_moments(const struct selection *s, const struct store_select *sel, void *ctx,
		       struct err *e)
{
	return moments_add(ctx, s->store, sel, e);
}

static int find_moments(struct moments *m, struct view_ask *a, struct request *r, struct err *e)
{
	uint64_t rows;
	int rc = request_u64(r, "rows", ROWS_DEFAULT, &rows, e);

	if (!rc && (!rows || rows > MOMENTS_ROWS))
		rc = err_set(e, -EINVAL, "rows: expected 1 to %d", MOMENTS_ROWS);
	if (!rc)
		rc = selection_check_samples(&a->s, e);
	if (!rc)
		rc = moments_init(m, (uint32_t)rows, &a->s.filter, &a->s.times, r->limits.budget);
	return rc ? rc : selection_each(&a->s, add_moments, m, e);
}

static void put_moments(struct json_writer *w, const struct moments *m)
{
	put_ms(w, "start", m->first * m->step);
	put_ms(w, "step", m->step);
	put_u64(w, "columns", m->columns);
	put_u64(w, "rows", m->rows);
	put_i64(w, "timed", m->timed);
	put_i64(w, "total", m->total);
	json_put_key(w, STR("values"));
	json_open_array(w);
	for (size_t i = 0; i < (size_t)m->columns * m->rows; i++)
		json_put_i64(w, m->values[i]);
	json_close_array(w);
}

int varve_moments(struct request *r, struct reply *out, struct err *e)
{
	struct moments moments = {0};
	struct json_writer w;
	struct view_ask a;
	int rc = view_ask_read(&a, &view_names_single, r, e);

	if (!rc)
		rc = find_moments(&moments, &a, r, e);
	if (!rc) {
		w = view_open(out, &a);
		put_moments(&w, &moments);
		rc = view_close(&w);
	}
	moments_fini(&moments);
	view_ask_fini(&a);
	return rc;
}

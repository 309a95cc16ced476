/* SPDX-License-Identifier: Apache-2.0 */
/* Queries that visit every sample: values by span, and values by time. */
#include "api/varve/samples.h"

#include <stdlib.h>

#include "api/varve/json_fields.h"
#include "api/varve/varve.h"
#include "base/clock.h"
#include "query/span_tree.h"
#include "query/spans.h"
#include "query/time/sample_times.h"

enum { SPANS_DEFAULT = 100, ROWS_DEFAULT = 50, TRACES_MAX = 10000 };

#define SET_NONE UINT32_MAX /* a span without samples has no labels */

/* ---- spans ---- */

static int add_spans(const struct selection *s, const struct store_select *sel, void *ctx,
		     struct err *e)
{
	return spans_add(ctx, s->store, sel, e);
}

int view_spans(struct spans *spans, struct view_query *q, struct request *r, struct err *e)
{
	int rc = spans_init(spans, &q->s.filter, &q->s.times, r->limits.budget);

	if (!rc && q->s.type.id.n) /* without a type there is no data */
		rc = selection_each(&q->s, add_spans, spans, e);
	if (!rc)
		spans_sort(spans);
	return rc;
}

/* The spans of a query with their structure. */
struct spans_result {
	struct spans spans;
	struct span_tree tree;
	uint32_t shown;
	uint8_t *chosen; /* by row: whether it is shown; NULL: the first `shown` rows are */
};

/* Select the traces of the query, or those of the shown rows. */
static int select_traces(const struct spans_result *x, const struct selection *s,
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
	for (uint32_t i = 0; i < n; i++) /* duplicates are harmless */
		memcpy(traces[i], x->spans.rows.at[i].link.trace_id, sizeof(*traces));
	sel->traces = (const uint8_t(*)[16])traces;
	sel->trace_count = n;
	return 0;
}

/* Add the stored spans of the queried trace that have no samples. */
static int add_unsampled_spans(struct spans_result *x, const uint8_t *has_row)
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

/* Load the stored structure of the spans, and add up values over it. */
static int load_structure(struct spans_result *x, const struct selection *s, struct request *r,
			  struct err *e)
{
	struct store_span_select sel = {.tenant = s->select.tenant, .limits = s->select.limits};
	uint8_t *has_row;
	int rc = select_traces(x, s, &sel, r->arena);

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
	return s->trace_n && !s->select.span_count ? add_unsampled_spans(x, has_row) : 0;
}

/* A row with the sort keys: total including descendants, and position in the tree. */
struct ranked_row {
	int64_t total;
	uint32_t place, row;
};

static int larger_first(const void *a, const void *b)
{
	const struct ranked_row *x = a, *y = b;

	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return x->place < y->place ? -1 : x->place > y->place;
}

/*
 * Choose at most `limit` spans of a trace: those with the largest total including descendants. A
 * parent's total is at least as large and it precedes its children in the tree, so the chosen spans
 * are connected.
 */
static int choose_rows(struct spans_result *x, uint64_t limit, struct arena *arena)
{
	uint32_t n = x->spans.rows.n, nodes = x->tree.nodes.n;
	struct ranked_row *ranked = arena_alloc(arena, n + 1, sizeof(*ranked));
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

		ranked[i] = node == SPAN_NONE ? (struct ranked_row){row->total, SPAN_NONE, i}
					      : (struct ranked_row){x->tree.nodes.at[node].total,
								    place[node], i};
	}
	qsort(ranked, n, sizeof(*ranked), larger_first);
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

static void put_span_row(struct json_writer *w, const struct spans_result *x,
			 const struct span_row *row)
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

static void put_spans_response(struct json_writer *w, const struct spans_result *x, uint64_t limit)
{
	const struct spans *spans = &x->spans;

	put_i64(w, "total", spans->total);
	put_i64(w, "linked", spans->linked);
	put_u64(w, "span_count", spans->rows.n);
	json_put_key(w, STR("spans"));
	json_open_array(w);
	for (uint32_t i = 0; i < spans->rows.n; i++)
		if (x->chosen ? x->chosen[i] : !limit || i < limit)
			put_span_row(w, x, &spans->rows.at[i]);
	json_close_array(w);
}

int varve_spans(struct request *r, struct reply *out, struct err *e)
{
	struct spans_result x = {0};
	struct json_writer w;
	struct view_query q;
	uint64_t limit;
	int rc = view_query_read_any(&q, &view_names_single, r, e);

	if (!rc)
		rc = request_u64(r, "n", SPANS_DEFAULT, &limit, e);
	if (!rc)
		rc = selection_check_samples(&q.s, e);
	if (!rc)
		rc = view_spans(&x.spans, &q, r, e);
	if (!rc)
		rc = span_tree_init(&x.tree, r->limits.budget);
	if (!rc) {
		x.shown = limit && limit < x.spans.rows.n ? (uint32_t)limit : x.spans.rows.n;
		rc = load_structure(&x, &q.s, r, e);
	}
	if (!rc && q.s.trace_n)
		rc = choose_rows(&x, limit, r->arena);
	if (!rc) {
		w = view_open(out, &q);
		put_spans_response(&w, &x, limit);
		rc = view_close(&w);
	}
	span_tree_fini(&x.tree);
	spans_fini(&x.spans);
	view_query_fini(&q);
	return rc;
}

/* ---- sample times ---- */

static int add_sample_times(const struct selection *s, const struct store_select *sel, void *ctx,
			    struct err *e)
{
	return sample_times_add(ctx, s->store, sel, e);
}

static int collect_sample_times(struct sample_times *m, struct view_query *q, struct request *r,
				struct err *e)
{
	uint64_t rows;
	int rc = request_u64(r, "rows", ROWS_DEFAULT, &rows, e);

	if (!rc && (!rows || rows > SAMPLE_TIMES_ROWS))
		rc = err_set(e, -EINVAL, "rows: expected 1 to %d", SAMPLE_TIMES_ROWS);
	if (!rc)
		rc = selection_check_samples(&q->s, e);
	if (!rc)
		rc = sample_times_init(m, (uint32_t)rows, &q->s.filter, &q->s.times,
				       r->limits.budget);
	return rc ? rc : selection_each(&q->s, add_sample_times, m, e);
}

static void put_sample_times(struct json_writer *w, const struct sample_times *m)
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
	struct sample_times times = {0};
	struct json_writer w;
	struct view_query q;
	int rc = view_query_read(&q, &view_names_single, r, e);

	if (!rc)
		rc = collect_sample_times(&times, &q, r, e);
	if (!rc) {
		w = view_open(out, &q);
		put_sample_times(&w, &times);
		rc = view_close(&w);
	}
	sample_times_fini(&times);
	view_query_fini(&q);
	return rc;
}

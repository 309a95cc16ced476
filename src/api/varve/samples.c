/* SPDX-License-Identifier: Apache-2.0 */
/* Answers for which every sample is looked at: what spans cost, and when it happened. */
#include "api/varve/varve.h"
#include "base/clock.h"
#include "query/moments.h"
#include "query/spans.h"

enum { SPANS_DEFAULT = 100, ROWS_DEFAULT = 50 };

/* ---- spans ---- */

static int add_spans(const struct selection *s, const struct store_select *sel, void *ctx,
		     struct err *e)
{
	return spans_add(ctx, s->store, sel, e);
}

int view_spans(struct spans *spans, struct view_ask *a, struct request *r, struct err *e)
{
	int rc = spans_init(spans, &a->s.filter, &a->s.times, r->limits.budget);

	if (!rc)
		rc = selection_each(&a->s, add_spans, spans, e);
	if (!rc)
		spans_sort(spans);
	return rc;
}

static void put_rows(struct json_writer *w, const struct spans *spans, uint64_t limit)
{
	json_put_key(w, STR("spans"));
	json_open_array(w);
	for (uint32_t i = 0; i < spans->rows.n && (!limit || i < limit); i++) {
		const struct span_row *row = &spans->rows.at[i];
		struct label_set labels = spans->sets.at[row->set];

		json_open_object(w);
		put_hex(w, "trace", row->link.trace_id, sizeof(row->link.trace_id));
		put_hex(w, "span", row->link.span_id, sizeof(row->link.span_id));
		put_i64(w, "total", row->total);
		put_u64(w, "samples", row->samples);
		put_ms(w, "first", row->first);
		put_ms(w, "last", row->last);
		put_text(w, "service", label_set_get(labels, STR("service_name")));
		json_put_key(w, STR("labels"));
		put_labels(w, labels);
		json_close_object(w);
	}
	json_close_array(w);
}

int varve_spans(struct request *r, struct reply *out, struct err *e)
{
	struct spans spans = {0};
	struct json_writer w;
	struct view_ask a;
	uint64_t limit;
	int rc = view_ask_read(&a, &view_names_single, r, e);

	if (!rc)
		rc = request_u64(r, "n", SPANS_DEFAULT, &limit, e);
	if (!rc)
		rc = selection_check_samples(&a.s, e);
	if (!rc)
		rc = view_spans(&spans, &a, r, e);
	if (!rc) {
		w = view_open(out, &a);
		put_i64(&w, "total", spans.total);
		put_i64(&w, "linked", spans.linked);
		put_u64(&w, "span_count", spans.rows.n);
		put_rows(&w, &spans, limit);
		rc = view_close(&w);
	}
	spans_fini(&spans);
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

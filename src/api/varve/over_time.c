/* SPDX-License-Identifier: Apache-2.0 */
/* Values over time: charts and heatmaps. */
#include "api/varve/over_time.h"

#include "api/varve/json_fields.h"
#include "api/varve/varve.h"
#include "api/varve/view_query.h"
#include "base/clock.h"
#include "base/time_text.h"
#include "net/http/uri.h"
#include "query/time/chart.h"
#include "query/time/heatmap.h"

enum { POINTS_MAX = 50000 };

/* Read the step; the default is derived from `points`, else from the range. */
static int read_step(struct request *r, const struct store_select *sel, uint64_t *step,
		     struct err *e)
{
	struct str text;
	uint64_t points = 0;
	int rc = request_u64(r, "points", 0, &points, e);

	if (!rc)
		rc = request_param(r, "step", &text, e);
	if (rc)
		return rc;
	*step = points ? chart_step_for(sel->from, sel->to, points)
		       : chart_step(sel->from, sel->to);
	if (text.n)
		rc = duration_parse(text, step, e);
	if (rc) {
		err_prefix(e, "step");
		return rc;
	}
	*step = *step / NS_PER_MS * NS_PER_MS;
	if (!*step || (sel->to - sel->from) / *step > POINTS_MAX)
		return err_set(e, -EINVAL, "step: more than %d points from %llu ms to %llu ms",
			       POINTS_MAX, (unsigned long long)(sel->from / NS_PER_MS),
			       (unsigned long long)(sel->to / NS_PER_MS));
	return 0;
}

static int read_aggregation(struct request *r, enum chart_aggregation *out, struct err *e)
{
	struct str text;
	int rc = request_param(r, "aggregation", &text, e);

	*out = str_eq(text, STR("avg")) ? CHART_AVERAGE : CHART_SUM;
	if (!rc && text.n && *out == CHART_SUM && !str_eq(text, STR("sum")))
		rc = err_set(e, -EINVAL, "aggregation: expected sum or avg, found \"%.*s\"",
			     STR_ARG(str_head(text, 40)));
	return rc;
}

/*
 * Append points as [time in ms, value]; their sum is the total of the flame graph of the same
 * range.
 */
static void put_chart_row(struct json_writer *w, const struct chart_row *row)
{
	json_open_object(w);
	json_put_key(w, STR("labels"));
	put_labels(w, row->labels);
	json_put_key(w, STR("total"));
	json_put_double(w, row->total);
	json_put_key(w, STR("points"));
	json_open_array(w);
	for (uint32_t k = 0; k < row->points.n; k++) {
		json_open_array(w);
		json_put_u64(w, row->points.at[k].time / NS_PER_MS);
		json_put_double(w, row->points.at[k].value);
		json_close_array(w);
	}
	json_close_array(w);
	json_close_object(w);
}

static void put_chart_rows(struct json_writer *w, const struct chart *c, bool rest)
{
	put_u64(w, "row_count", c->row_count);
	json_put_key(w, STR("rows"));
	json_open_array(w);
	for (uint32_t i = 0; i < c->rows.n; i++)
		put_chart_row(w, &c->rows.at[i]);
	json_close_array(w);
	if (rest && c->row_count > c->rows.n) {
		json_put_key(w, STR("rest"));
		put_chart_row(w, &c->rest);
	}
}

int varve_series(struct request *r, struct reply *out, struct err *e)
{
	struct chart_options o = {0};
	struct chart chart = {0};
	struct json_writer w;
	struct texts by = {0};
	struct view_query q;
	uint64_t limit = 0;
	int rc = view_query_read(&q, &view_names_single, r, e);

	if (!rc)
		rc = view_query_check_untimed(&q, e);
	if (!rc)
		rc = read_step(r, &q.s.select, &o.step, e);
	if (!rc)
		rc = read_aggregation(r, &o.aggregation, e);
	if (!rc)
		rc = request_params(r, "by", &by, e);
	if (!rc)
		rc = request_u64(r, "limit", 0, &limit, e);
	if (!rc)
		rc = request_flag(r, "spread", &o.spread, e);
	if (!rc)
		rc = request_flag(r, "rest", &o.rest, e);
	if (!rc) {
		/* align to the step, so that a chart keeps its shape when the range moves */
		uint64_t from = o.spread ? q.s.select.from / o.step * o.step : q.s.select.from;

		o.start = from / NS_PER_MS * NS_PER_MS + o.step;
		o.by = by.list.at;
		o.by_n = by.list.n;
		o.limit = limit > UINT32_MAX ? UINT32_MAX : (uint32_t)limit;
		o.filter = &q.s.filter;
		rc = chart_of_store(&chart, q.s.store, &q.s.select, &o, e);
	}
	if (!rc) {
		w = view_open(out, &q);
		put_ms(&w, "step", o.step);
		put_ms(&w, "start", o.start);
		put_chart_rows(&w, &chart, o.rest);
		rc = view_close(&w);
	}
	chart_fini(&chart);
	view_query_fini(&q);
	return rc;
}

/* ---- values of a label with their totals ---- */

static bool contains_ignoring_case(struct str text, struct str part)
{
	for (size_t i = 0; i + part.n <= text.n; i++)
		if (str_eq_ignoring_case(str_of(text.p + i, part.n), part))
			return true;
	return false;
}

/*
 * Append the values that contain `search`, at most `limit` (0: all); total and count are of all.
 * The rows are sorted by total.
 */
static void put_label_totals(struct json_writer *w, struct chart *c, struct str name,
			     struct str search, uint64_t limit)
{
	double total = 0;
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->rows.n; i++) {
		total += c->rows.at[i].total;
		if (contains_ignoring_case(label_set_get(c->rows.at[i].labels, name), search))
			c->rows.at[n++] = c->rows.at[i];
	}
	put_text(w, "name", name);
	json_put_key(w, STR("total"));
	json_put_double(w, total);
	put_u64(w, "count", n);
	if (limit && limit < n)
		n = (uint32_t)limit;
	json_put_key(w, STR("values"));
	json_open_array(w);
	for (uint32_t i = 0; i < n; i++)
		json_put_string(w, label_set_get(c->rows.at[i].labels, name));
	json_close_array(w);
	json_put_key(w, STR("totals"));
	json_open_array(w);
	for (uint32_t i = 0; i < n; i++)
		json_put_double(w, c->rows.at[i].total);
	json_close_array(w);
}

/* A chart with one point has the total of a flame graph, also for gauges. */
int varve_label_totals(struct request *r, struct str name, struct reply *out, struct err *e)
{
	struct chart_options o = {.by = &name, .by_n = 1};
	struct chart chart = {0};
	struct json_writer w;
	struct view_query q;
	struct str search = {0};
	uint64_t limit = 0;
	int rc = view_query_read(&q, &view_names_single, r, e);

	if (!rc)
		rc = view_query_check_untimed(&q, e);
	if (!rc)
		rc = request_param(r, "search", &search, e);
	if (!rc)
		rc = request_u64(r, "limit", 0, &limit, e);
	if (!rc) {
		o.start = q.s.select.to;
		o.step = q.s.select.to - q.s.select.from + NS_PER_MS;
		o.filter = &q.s.filter;
		rc = chart_of_store(&chart, q.s.store, &q.s.select, &o, e);
	}
	if (!rc) {
		w = view_open(out, &q);
		put_label_totals(&w, &chart, name, search, limit);
		rc = view_close(&w);
	}
	chart_fini(&chart);
	view_query_fini(&q);
	return rc;
}

static void put_heatmap_slots(struct json_writer *w, const struct heatmap_row *row)
{
	json_put_key(w, STR("slots"));
	json_open_array(w);
	for (uint32_t i = 0; i < row->slots.n; i++) {
		json_open_object(w);
		put_ms(w, "time", row->slots.at[i].time);
		json_put_key(w, STR("counts"));
		json_open_array(w);
		for (unsigned k = 0; k < HEATMAP_ROWS; k++)
			json_put_u64(w, row->slots.at[i].counts[k]);
		json_close_array(w);
		json_close_object(w);
	}
	json_close_array(w);
}

static void put_heatmap_rows(struct json_writer *w, const struct heatmap *h)
{
	json_put_key(w, STR("least"));
	json_open_array(w);
	for (unsigned i = 0; i < HEATMAP_ROWS; i++)
		json_put_i64(w, h->least[i]);
	json_close_array(w);
	json_put_key(w, STR("rows"));
	json_open_array(w);
	for (uint32_t i = 0; i < h->rows.n; i++) {
		json_open_object(w);
		json_put_key(w, STR("labels"));
		put_labels(w, h->rows.at[i].labels);
		put_u64(w, "count", h->rows.at[i].count);
		put_heatmap_slots(w, &h->rows.at[i]);
		json_close_object(w);
	}
	json_close_array(w);
}

int varve_heatmap(struct request *r, struct reply *out, struct err *e)
{
	struct heatmap_options o = {0};
	struct heatmap heatmap = {0};
	struct json_writer w;
	struct texts by = {0};
	struct view_query q;
	int rc = view_query_read(&q, &view_names_single, r, e);

	if (!rc)
		rc = view_query_check_untimed(&q, e);
	if (!rc)
		rc = read_step(r, &q.s.select, &o.step, e);
	if (!rc)
		rc = request_params(r, "by", &by, e);
	if (!rc)
		rc = request_flag(r, "spans", &o.spans, e);
	if (!rc) {
		o.start = q.s.select.from / NS_PER_MS * NS_PER_MS + o.step;
		o.end = q.s.select.to;
		o.by = by.list.at;
		o.by_n = by.list.n;
		o.filter = &q.s.filter;
		rc = heatmap_of_store(&heatmap, q.s.store, &q.s.select, &o, e);
	}
	if (!rc) {
		w = view_open(out, &q);
		put_ms(&w, "step", o.step);
		put_heatmap_rows(&w, &heatmap);
		rc = view_close(&w);
	}
	heatmap_fini(&heatmap);
	view_query_fini(&q);
	return rc;
}

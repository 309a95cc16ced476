/* SPDX-License-Identifier: Apache-2.0 */
/* Calls for values over time: SelectSeries and SelectHeatmap. */
#include <math.h>

#include "api/pyroscope/querier.h"
#include "api/pyroscope/responses.h"
#include "base/clock.h"
#include "query/time/chart.h"
#include "query/time/heatmap.h"
#include "wire/text.h"

static const param_layout select_series_layout = {
	[1] = PARAM_TYPE,     [2] = PARAM_SELECTOR,   [3] = PARAM_START,       [4] = PARAM_END,
	[5] = PARAM_GROUP_BY, [6] = PARAM_STEP,	      [7] = PARAM_AGGREGATION, [8] = PARAM_STACKS,
	[9] = PARAM_LIMIT,    [10] = PARAM_EXEMPLARS,
};
static const param_layout heatmap_layout = {
	[1] = PARAM_TYPE,	[2] = PARAM_SELECTOR,  [3] = PARAM_START,
	[4] = PARAM_END,	[5] = PARAM_STEP,      [6] = PARAM_GROUP_BY,
	[7] = PARAM_QUERY_TYPE, [8] = PARAM_EXEMPLARS, [9] = PARAM_LIMIT,
};

static int get_step(const struct query_params *params, uint64_t *ns, struct err *e)
{
	if (!(params->step >= 0.001) || params->step > 1e9)
		return err_set(e, -EINVAL, "step must be >= 1ms");
	*ns = (uint64_t)(params->step * 1e3) * NS_PER_MS;
	return 0;
}

static uint32_t series_limit(const struct query_params *params)
{
	return params->limit <= 0	    ? 0
	       : params->limit > UINT32_MAX ? UINT32_MAX
					    : (uint32_t)params->limit;
}

/*
 * Align the range to the points, which are at start, start + step, ... up to end. The first point
 * covers the step before start; data after the last point is not selected.
 */
static void align_to_points(struct selection *s, const struct query_params *params, uint64_t step,
			    uint64_t *start)
{
	uint64_t last;

	*start = (uint64_t)(params->start > 0 ? params->start : 0) * NS_PER_MS;
	last = s->select.to - NS_PER_MS;
	if (s->select.to != UINT64_MAX && last >= *start)
		s->select.to = *start + (last - *start) / step * step + NS_PER_MS;
	s->select.from = *start >= step ? *start - step + NS_PER_MS : 0;
}

static bool has_name(const struct texts *names, struct str name)
{
	for (uint32_t i = 0; i < names->list.n; i++)
		if (str_eq(names->list.at[i], name))
			return true;
	return false;
}

/* Write the labels of an exemplar's series that the row does not have. */
static void put_other_labels(struct proto_writer *w, uint32_t field, struct label_set all,
			     const struct texts *by)
{
	for (uint32_t i = all.n; i-- > 0;)
		if (!has_name(by, all.at[i].name))
			response_put_labels(w, field, (struct label_set){&all.at[i], 1});
}

static void put_exemplar(struct proto_writer *w, const struct chart *c,
			 const struct chart_exemplar *x, const struct texts *by)
{
	char id[PROFILE_ID_TEXT];
	size_t end = proto_mark(w);

	put_other_labels(w, 5, c->series.at[x->series], by);
	proto_put_int(w, 4, x->value);
	proto_put_bytes(
		w, 2,
		str_from(profile_id_format(x->profile_id, x->time, c->series.at[x->series], id)));
	proto_put_uint(w, 1, x->time / NS_PER_MS);
	proto_put_header(w, 4, end);
}

static void put_series_chart(struct proto_writer *w, const struct chart *c, const struct texts *by)
{
	for (uint32_t i = c->rows.n; i-- > 0;) {
		const struct chart_row *row = &c->rows.at[i];
		size_t end = proto_mark(w);

		for (uint32_t k = row->points.n; k-- > 0;) {
			const struct chart_point *p = &row->points.at[k];
			size_t point = proto_mark(w);

			if (p->has_exemplar)
				put_exemplar(w, c, &p->exemplar, by);
			proto_put_uint(w, 2, p->time / NS_PER_MS);
			response_put_double(w, 1, p->value);
			proto_put_header(w, 2, point);
		}
		response_put_labels(w, 1, row->labels);
		proto_put_header(w, 1, end);
	}
}

int querier_select_series(struct request *r, struct reply *out, struct err *e)
{
	struct chart_options o = {0};
	struct chart chart = {0};
	struct proto_writer w;
	struct selection s;
	struct query_params params;
	int rc = query_params_read(&params, r->body, select_series_layout, r, e);
	int rc2 = query_params_select(&s, &params, r, e);

	rc = rc ? rc : rc2;
	if (!rc)
		rc = get_step(&params, &o.step, e);
	if (!rc && params.exemplars == EXEMPLARS_SPAN)
		rc = err_set(e, -EOPNOTSUPP, "span exemplars are not supported: use SelectHeatmap");
	if (!rc) {
		align_to_points(&s, &params, o.step, &o.start);
		o.by = params.group_by.list.at;
		o.by_n = params.group_by.list.n;
		o.aggregation = params.aggregation == 1 ? CHART_AVERAGE : CHART_SUM;
		o.limit = series_limit(&params);
		o.exemplars = params.exemplars == EXEMPLARS_INDIVIDUAL;
		o.filter = &s.filter;
		rc = chart_of_store(&chart, r->store, &s.select, &o, e);
	}
	proto_writer_init(&w, r->limits.budget);
	if (!rc)
		put_series_chart(&w, &chart, &params.group_by);
	chart_fini(&chart);
	selection_fini(&s);
	rc2 = response_finish(out, &w);
	return rc ? rc : rc2;
}

/* ---- heatmaps ---- */

static void put_hex_field(struct proto_writer *w, uint32_t field, const uint8_t *id, size_t n)
{
	char text[64];

	hex_digits(text, str_of((const char *)id, n));
	proto_put_bytes(w, field, str_of(text, 2 * n));
}

/* Write the trace id of an exemplar; many spans have none. */
static void put_trace(struct proto_writer *w, const struct link *link)
{
	static const uint8_t none[sizeof(link->trace_id)];

	if (memcmp(link->trace_id, none, sizeof(none)) != 0)
		put_hex_field(w, 6, link->trace_id, sizeof(link->trace_id));
}

static void put_heatmap_slot(struct proto_writer *w, const struct heatmap *h,
			     const struct heatmap_slot *slot, const struct query_params *params)
{
	size_t end = proto_mark(w), list;

	for (unsigned i = HEATMAP_ROWS; i-- > 0 && params->exemplars > 1;) {
		const struct heatmap_exemplar *x = &slot->exemplars[i];
		size_t at = proto_mark(w);
		char id[PROFILE_ID_TEXT];

		if (!slot->counts[i])
			continue;
		if (params->query_type == QUERY_TYPE_SPAN)
			put_trace(w, &x->link);
		put_other_labels(w, 5, h->series.at[x->series], &params->group_by);
		proto_put_int(w, 4, x->value);
		if (params->query_type == QUERY_TYPE_SPAN)
			put_hex_field(w, 3, x->link.span_id, sizeof(x->link.span_id));
		else
			proto_put_bytes(w, 2,
					str_from(profile_id_format(x->profile_id, x->time,
								   h->series.at[x->series], id)));
		proto_put_uint(w, 1, x->time / NS_PER_MS);
		proto_put_header(w, 4, at);
	}
	list = proto_mark(w);
	for (unsigned i = HEATMAP_ROWS; i-- > 0;)
		proto_put_varint(w, slot->counts[i]);
	proto_put_header(w, 3, list);
	list = proto_mark(w);
	for (unsigned i = HEATMAP_ROWS; i-- > 0;) {
		double least = (double)h->least[i];

		proto_put_raw(w, &least, sizeof(least));
	}
	proto_put_header(w, 2, list);
	proto_put_uint(w, 1, slot->time / NS_PER_MS);
	proto_put_header(w, 2, end);
}

static void put_heatmap_series(struct proto_writer *w, const struct heatmap *h,
			       const struct query_params *params)
{
	for (uint32_t i = h->rows.n; i-- > 0;) {
		size_t end = proto_mark(w);

		for (uint32_t k = h->rows.at[i].slots.n; k-- > 0;)
			put_heatmap_slot(w, h, &h->rows.at[i].slots.at[k], params);
		response_put_labels(w, 1, h->rows.at[i].labels);
		proto_put_header(w, 1, end);
	}
}

int querier_select_heatmap(struct request *r, struct reply *out, struct err *e)
{
	struct heatmap_options o = {0};
	struct heatmap heatmap = {0};
	struct proto_writer w;
	struct selection s;
	struct query_params params;
	int rc = query_params_read(&params, r->body, heatmap_layout, r, e);
	int rc2 = query_params_select(&s, &params, r, e);

	rc = rc ? rc : rc2;
	if (!rc)
		rc = get_step(&params, &o.step, e);
	if (!rc) {
		o.end = s.select.to - NS_PER_MS;
		align_to_points(&s, &params, o.step, &o.start);
		s.select.to = o.end + NS_PER_MS;
		o.by = params.group_by.list.at;
		o.by_n = params.group_by.list.n;
		o.limit = series_limit(&params);
		o.spans = params.query_type == QUERY_TYPE_SPAN;
		rc = heatmap_of_store(&heatmap, r->store, &s.select, &o, e);
	}
	proto_writer_init(&w, r->limits.budget);
	if (!rc)
		put_heatmap_series(&w, &heatmap, &params);
	heatmap_fini(&heatmap);
	selection_fini(&s);
	rc2 = response_finish(out, &w);
	return rc ? rc : rc2;
}

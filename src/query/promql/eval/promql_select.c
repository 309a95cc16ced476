/* SPDX-License-Identifier: Apache-2.0 */
/* Instant selectors: the newest sample of each series at each step, if it is not too old. */
#include <math.h>

#include "query/promql/eval/promql_eval.h"
#include "query/promql/functions/promql_window.h"

int promql_open(struct promql_eval *ev, const struct promql_node *selector, int64_t from,
		int64_t to, int64_t range_ms, const char *function, struct promql_cursor **cursor)
{
	const struct promql_node *sum = selector->selector.sum;
	struct promql_select select = {
		.matchers = selector->selector.matchers.at,
		.matcher_count = selector->selector.matchers.n,
		.from_ms = from,
		.to_ms = to,
		.function = function ? str_from(function) : (struct str){0},
		.last_ms = promql_shifted(&selector->selector.shift,
					  promql_time_at(&ev->grid, ev->grid.n - 1)),
		.step_ms = ev->grid.n > 1 ? ev->grid.step : 0,
		.range_ms = range_ms,
		.smoothed = selector->selector.smoothed,
	};

	if (sum) {
		select.summed = true;
		select.grouping_by = !sum->aggregate.without;
		select.grouping = sum->aggregate.labels.at;
		select.grouping_count = sum->aggregate.labels.n;
	}
	return ev->q->source->select(ev->q->source, &select, cursor, ev->q->e);
}

/* The columns of one selector, reused for each series. */
struct selection {
	struct promql_eval *ev;
	const struct promql_node *node;
	struct arena arena;
	double *floats;
	const struct native_histogram **histograms;
	bool has_histograms; /* some are set */
	enum { TAKE_VALUE, TAKE_TIME, TAKE_START, TAKE_INFO } take;
};

/* Put the newest sample of a step into the columns: float `f` or histogram `h`, or none (-1). */
static int put_step(struct selection *s, const struct promql_samples *in, uint32_t step, int64_t f,
		    int64_t h)
{
	struct promql_query *q = s->ev->q;

	if (f >= 0 && h >= 0) {
		if (in->histogram_times[h] > in->times[f])
			f = -1;
		else
			h = -1;
	}
	if (f < 0 && h < 0)
		return 0;
	if (f >= 0 ? promql_is_stale(in->values[f]) : native_is_stale(&in->histograms[h]))
		return 0;
	q->samples++;
	if (s->take == TAKE_INFO && h >= 0)
		return promql_error(q, -EDOM, "this should be an info metric, with float samples");
	if (s->take == TAKE_TIME || s->take == TAKE_INFO) {
		s->floats[step] = (double)(f >= 0 ? in->times[f] : in->histogram_times[h]) / 1000;
	} else if (s->take == TAKE_START) {
		const int64_t *starts = f >= 0 ? in->starts : in->histogram_starts;

		s->floats[step] = starts ? (double)starts[f >= 0 ? f : h] / 1000 : 0;
	} else if (f >= 0) {
		s->floats[step] = promql_is_absent(in->values[f]) ? NAN : in->values[f];
	} else {
		if (!s->histograms)
			s->histograms = promql_histograms_new(&s->arena, s->ev->grid.n);
		if (!s->histograms)
			return promql_no_space(q);
		s->has_histograms = true;
		/* Steps of the same sample share the copy. */
		s->histograms[step] =
			step && s->histograms[step - 1] &&
					promql_shifted(&s->node->selector.shift,
						       promql_time_at(&s->ev->grid, step - 1)) >=
						in->histogram_times[h]
				? s->histograms[step - 1]
				: promql_keep_histogram(q, &in->histograms[h]);
		if (!s->histograms[step])
			return promql_no_space(q);
	}
	return 0;
}

/* Fill the columns of a series. */
static int fill(struct selection *s, const struct promql_samples *in)
{
	const struct promql_grid *grid = &s->ev->grid;
	int64_t lookback = s->ev->q->options.lookback_ms, f = -1, h = -1;
	int rc = 0;

	promql_column_clear(s->floats, grid->n);
	if (s->has_histograms)
		memset(s->histograms, 0, grid->n * sizeof(const struct native_histogram *));
	s->has_histograms = false;
	for (uint32_t i = 0; i < grid->n && !rc; i++) {
		int64_t at = promql_shifted(&s->node->selector.shift, promql_time_at(grid, i));

		while (f + 1 < (int64_t)in->count && in->times[f + 1] <= at)
			f++;
		while (h + 1 < (int64_t)in->histogram_count && in->histogram_times[h + 1] <= at)
			h++;
		rc = put_step(s, in, i, f >= 0 && in->times[f] > at - lookback ? f : -1,
			      h >= 0 && in->histogram_times[h] > at - lookback ? h : -1);
	}
	return rc;
}

static int emit_series(struct selection *s, const struct promql_samples *in,
		       struct promql_sink *sink)
{
	struct promql_query *q = s->ev->q;
	struct promql_series out = {.floats = s->floats};
	int rc = fill(s, in);

	if (rc)
		return rc;
	out.histograms = s->has_histograms ? s->histograms : NULL;
	if (promql_series_is_empty(&out, s->ev->grid.n))
		return 0;
	out.labels = promql_labels_intern(&q->labels, in->labels, in->label_count, true);
	if (!out.labels)
		return promql_no_space(q);
	if ((s->take == TAKE_TIME || s->take == TAKE_START) && promql_drop_name(q, &out))
		return -ENOMEM;
	return promql_emit(sink, &out);
}

static int select_series(struct selection *s, struct promql_sink *sink)
{
	struct promql_eval *ev = s->ev;
	const struct promql_shift *shift = &s->node->selector.shift;
	int64_t lookback = ev->q->options.lookback_ms;
	int64_t first = promql_shifted(shift, ev->grid.start);
	int64_t last = promql_shifted(shift, promql_time_at(&ev->grid, ev->grid.n - 1));
	struct promql_cursor *cursor = NULL;
	struct promql_sample_set set;
	struct promql_samples in;
	int rc;

	arena_init(&s->arena, ev->q->options.budget);
	promql_sample_set_init(&set, ev->q);
	s->floats = promql_column_new(&s->arena, ev->grid.n);
	rc = s->floats ? promql_open(ev, s->node, first - lookback + 1, last, 0, NULL, &cursor)
		       : promql_no_space(ev->q);
	while (!rc) {
		rc = ev->q->source->next(cursor, &in, ev->q->e);
		if (rc <= 0)
			break;
		rc = promql_check_time(ev->q);
		if (!rc && s->node->selector.stats_only)
			rc = promql_sample_set_reduce(&set, &in);
		if (!rc)
			rc = emit_series(s, &in, sink);
	}
	ev->q->source->close(cursor);
	promql_sample_set_fini(&set);
	arena_fini(&s->arena);
	return rc;
}

int promql_eval_selector(struct promql_eval *ev, struct promql_node *node, struct promql_sink *sink)
{
	struct selection s = {.ev = ev, .node = node};

	return node->selector.smoothed ? promql_eval_smoothed(ev, node, sink)
				       : select_series(&s, sink);
}

int promql_eval_sample_times(struct promql_eval *ev, struct promql_node *selector, bool starts,
			     struct promql_sink *sink)
{
	struct selection s = {.ev = ev, .node = selector, .take = starts ? TAKE_START : TAKE_TIME};
	struct promql_matrix merged;
	int rc;

	if (starts && !ev->q->options.use_start_times)
		return 0;
	if (!promql_names_differ(ev->q, selector))
		return select_series(&s, sink);
	promql_matrix_init(&merged, ev->q, ev->grid.n, true);
	rc = select_series(&s, &merged.sink);
	if (!rc)
		rc = promql_matrix_emit(&merged, sink);
	promql_matrix_fini(&merged);
	return rc;
}

int promql_eval_info_times(struct promql_eval *ev, struct promql_node *selector,
			   struct promql_sink *sink)
{
	struct selection s = {.ev = ev, .node = selector, .take = TAKE_INFO};

	return select_series(&s, sink);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls with a range vector: for each series of the selector or subquery, a window slides over its
 * samples, and the function is called at each step.
 */
#include <math.h>

#include "query/promql/functions/promql_window.h"

/* A call, while its series stream through. */
struct range_call {
	struct promql_sink sink; /* for the series of a subquery */
	struct promql_eval *ev;
	struct promql_node *node;
	const struct promql_shift *shift;
	struct promql_sink *next;
	struct promql_sample_set set;
	struct promql_window window;
	promql_window_function *function;
	struct promql_grid inner; /* of the subquery */
	int64_t range_ms, extend_left, extend_right;
	double *args[2];
	struct arena arena;
	double *floats, *scratch;
	uint32_t scratch_cap;
	const struct native_histogram **histograms;
	bool keeps_name, finds_resets, has_histograms;
	bool is_rate; /* rate(), increase() or delta(), not smoothed */
};

static promql_window_function *function_of(enum promql_function_id id)
{
	switch (id) {
	case PROMQL_FN_RATE:
	case PROMQL_FN_INCREASE:
	case PROMQL_FN_DELTA:
		return promql_rate_window;
	case PROMQL_FN_IRATE:
	case PROMQL_FN_IDELTA:
		return promql_instant_rate_window;
	case PROMQL_FN_RESETS:
		return promql_resets_window;
	case PROMQL_FN_CHANGES:
		return promql_changes_window;
	case PROMQL_FN_SUM_OVER_TIME:
	case PROMQL_FN_AVG_OVER_TIME:
		return promql_sum_window;
	case PROMQL_FN_DERIV:
	case PROMQL_FN_PREDICT_LINEAR:
	case PROMQL_FN_DOUBLE_EXPONENTIAL_SMOOTHING:
		return promql_trend_window;
	default:
		return promql_over_time_window;
	}
}

/* Move the window to a step. */
static void slide(struct range_call *c, uint32_t step)
{
	struct promql_window *w = &c->window;
	const struct promql_sample_set *s = &c->set;
	int64_t from, to;

	w->time = promql_time_at(&c->ev->grid, step);
	w->end = promql_shifted(c->shift, w->time);
	w->start = w->end - c->range_ms;
	from = w->start - c->extend_left;
	to = w->end + c->extend_right;
	while (w->from < s->n && s->t[w->from] <= from)
		w->from++;
	while (w->to < s->n && s->t[w->to] <= to)
		w->to++;
	while (w->hfrom < s->hn && s->ht[w->hfrom] <= from)
		w->hfrom++;
	while (w->hto < s->hn && s->ht[w->hto] <= to)
		w->hto++;
	while (w->reset_from < s->reset_count && s->resets[w->reset_from] <= w->from)
		w->reset_from++;
	for (unsigned i = 0; i < 2; i++)
		if (c->args[i])
			w->args[i] = c->args[i][step];
}

static int put_point(struct range_call *c, uint32_t step, const struct promql_point *point)
{
	if (!point->found)
		return 0;
	if (!point->histogram) {
		c->floats[step] = promql_is_absent(point->value) ? NAN : point->value;
		return 0;
	}
	if (!c->histograms)
		c->histograms = promql_histograms_new(&c->arena, c->ev->grid.n);
	if (!c->histograms)
		return promql_no_space(c->ev->q);
	c->histograms[step] = point->histogram;
	c->has_histograms = true;
	return 0;
}

static int note_not_counter(struct range_call *c, const struct promql_labels *labels)
{
	struct promql_query *q = c->ev->q;
	struct str name = promql_labels_name(labels), type;
	enum promql_function_id id = c->node->call.function->id;

	if ((id != PROMQL_FN_RATE && id != PROMQL_FN_INCREASE) || !name.n)
		return 0;
	if (q->options.type_and_unit_labels) {
		type = promql_labels_get(labels, STR("__type__"));
		if (str_eq(type, STR("counter")) || str_eq(type, STR("histogram")))
			return 0;
		return promql_annotate(q->annotations, PROMQL_INFO, c->window.arg_at,
				       "metric might not be a counter, __type__ label is not set "
				       "to \"counter\" or \"histogram\", got \"%.*s\": \"%.*s\"",
				       STR_ARG(type), STR_ARG(name));
	}
	if (str_ends(name, STR("_total")) || str_ends(name, STR("_sum")) ||
	    str_ends(name, STR("_count")) || str_ends(name, STR("_bucket")))
		return 0;
	return promql_annotate(q->annotations, PROMQL_INFO, c->window.arg_at,
			       "metric might not be a counter, name does not end in "
			       "_total/_sum/_count/_bucket: \"%.*s\"",
			       STR_ARG(name));
}

/* Make room for the floats of a window. */
static int reserve_scratch(struct range_call *c, uint32_t n)
{
	if (n <= c->scratch_cap)
		return 0;
	n = n < 256 ? 256 : n + n / 2;
	c->scratch = arena_alloc(&c->arena, n, sizeof(*c->scratch));
	if (!c->scratch)
		return promql_no_space(c->ev->q);
	c->scratch_cap = n;
	c->window.scratch = c->scratch;
	return 0;
}

/* The function for the samples in the set. */
static promql_window_function *function_for(const struct range_call *c)
{
	return c->set.exact && c->is_rate ? promql_exact_rate_window : c->function;
}

/* Call the function at all steps, for the samples in the set. */
static int run(struct range_call *c, const struct promql_labels *labels, bool drops_name)
{
	struct promql_query *q = c->ev->q;
	struct promql_window *w = &c->window;
	struct promql_series out = {.labels = labels, .floats = c->floats};
	promql_window_function *function = function_for(c);
	bool any_float = false, any = false;
	int rc = promql_check_time(q);

	w->labels = labels;
	w->from = w->to = w->hfrom = w->hto = w->reset_from = 0;
	c->set.reset_count = 0;
	if (!rc && c->finds_resets)
		rc = promql_sample_set_find_resets(&c->set);
	if (!rc)
		rc = promql_keep_samples(q, (int64_t)c->set.n + c->set.hn);
	promql_column_clear(c->floats, c->ev->grid.n);
	if (c->has_histograms)
		memset(c->histograms, 0, c->ev->grid.n * sizeof(const struct native_histogram *));
	c->has_histograms = false;
	for (uint32_t i = 0; i < c->ev->grid.n && !rc; i++) {
		struct promql_point point = {0};

		slide(c, i);
		if (w->from == w->to && w->hfrom == w->hto)
			continue;
		q->samples += w->to - w->from + w->hto - w->hfrom;
		rc = reserve_scratch(c, w->to - w->from);
		if (!rc)
			rc = function(w, &point);
		if (!rc)
			rc = put_point(c, i, &point);
		any |= point.found;
		any_float |= point.found && !point.histogram;
	}
	q->kept -= (uint64_t)c->set.n + c->set.hn;
	if (!rc && any_float && !c->set.exact && note_not_counter(c, labels))
		rc = promql_no_space(q);
	if (rc || !any)
		return rc;
	out.histograms = c->has_histograms ? c->histograms : NULL;
	out.drops_name = drops_name;
	if (!c->keeps_name && promql_drop_name(q, &out))
		return -ENOMEM;
	return promql_emit(c->next, &out);
}

static int run_selector(struct range_call *c, struct promql_node *range)
{
	struct promql_eval *ev = c->ev;
	struct promql_node *selector = range->range.selector;
	int64_t first = promql_shifted(c->shift, ev->grid.start);
	int64_t last = promql_shifted(c->shift, promql_time_at(&ev->grid, ev->grid.n - 1));
	const struct promql_labels *labels;
	struct promql_cursor *cursor = NULL;
	struct promql_samples in;
	int rc = promql_open(ev, selector, first - c->range_ms - c->extend_left + 1,
			     last + c->extend_right, c->range_ms, c->node->call.function->name.p,
			     &cursor);

	while (!rc) {
		rc = ev->q->source->next(cursor, &in, ev->q->e);
		if (rc <= 0)
			break;
		rc = 0;
		if (!in.count && !in.histogram_count)
			continue;
		labels = promql_labels_intern(&ev->q->labels, in.labels, in.label_count, true);
		if (!labels)
			rc = promql_no_space(ev->q);
		if (!rc && selector->selector.stats_only)
			rc = promql_sample_set_reduce(&c->set, &in);
		if (!rc)
			rc = promql_sample_set_load(&c->set, &in);
		if (!rc)
			rc = run(c, labels, false);
	}
	ev->q->source->close(cursor);
	return rc;
}

static int subquery_emit(struct promql_sink *sink, struct promql_series *series)
{
	struct range_call *c = (struct range_call *)sink;
	int rc = promql_sample_set_load_series(&c->set, series, &c->inner);

	return rc ? rc : run(c, series->labels, series->drops_name);
}

int promql_subquery_grid(struct promql_eval *ev, const struct promql_node *node,
			 struct promql_grid *grid)
{
	int64_t range = node->subquery.range_ns / 1000000, step = node->subquery.step_ns / 1000000;
	const struct promql_shift *shift = &node->subquery.shift;
	int64_t from = promql_shifted(shift, ev->grid.start) - range;
	int64_t to = promql_shifted(shift, promql_time_at(&ev->grid, ev->grid.n - 1));
	int64_t n;

	if (!step)
		step = ev->q->options.subquery_step_ms;
	if (step <= 0)
		return promql_error(ev->q, -EDOM, "subquery step must be at least 1ms");
	*grid = (struct promql_grid){.start = step * (from / step), .step = step};
	if (grid->start <= from)
		grid->start += step;
	n = to < grid->start ? 0 : (to - grid->start) / step + 1;
	if (n > PROMQL_STEPS_MAX)
		return promql_error(ev->q, -EDOM, "subquery has %lld steps: limit is %d",
				    (long long)n, PROMQL_STEPS_MAX);
	grid->n = (uint32_t)n;
	grid->end = grid->start + (n ? n - 1 : 0) * step;
	return 0;
}

static int run_subquery(struct range_call *c, struct promql_node *node)
{
	struct promql_eval inner = {.q = c->ev->q};
	int rc = promql_subquery_grid(c->ev, node, &inner.grid);

	if (rc)
		return rc;
	c->inner = inner.grid;
	return promql_eval_node(&inner, node->subquery.expr, &c->sink);
}

static int check_modifiers(struct range_call *c, const struct promql_node *selector)
{
	enum promql_function_id id = c->node->call.function->id;
	bool rate = id == PROMQL_FN_RATE || id == PROMQL_FN_INCREASE || id == PROMQL_FN_DELTA;
	int64_t lookback = c->ev->q->options.lookback_ms;

	c->window.anchored = selector->selector.anchored;
	c->window.smoothed = selector->selector.smoothed;
	if (c->window.anchored && !rate && id != PROMQL_FN_RESETS && id != PROMQL_FN_CHANGES)
		return promql_error(c->ev->q, -EDOM,
				    "anchored modifier can only be used with: changes, delta, "
				    "increase, rate, resets - not with %.*s",
				    STR_ARG(c->node->call.function->name));
	if (c->window.smoothed && !rate)
		return promql_error(c->ev->q, -EDOM,
				    "smoothed modifier can only be used with: delta, increase, "
				    "rate - not with %.*s",
				    STR_ARG(c->node->call.function->name));
	if (c->window.anchored || c->window.smoothed)
		c->extend_left = lookback;
	if (c->window.smoothed)
		c->extend_right = lookback;
	if ((c->window.anchored || c->window.smoothed) && rate)
		c->function = promql_extended_rate_window;
	c->is_rate = rate && !c->window.smoothed;
	return 0;
}

/* Evaluate the scalar arguments. */
static int eval_args(struct range_call *c)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < c->node->call.args.n; i++) {
		struct promql_node *arg = c->node->call.args.at[i];
		int rc;

		if (promql_type_of(arg) != PROMQL_SCALAR || n == countof(c->args))
			continue;
		c->args[n] = arena_alloc(&c->arena, c->ev->grid.n, sizeof(double));
		rc = c->args[n] ? promql_eval_scalar(c->ev, arg, c->args[n])
				: promql_no_space(c->ev->q);
		if (rc)
			return rc;
		n++;
	}
	return 0;
}

/* Evaluate into the sink that belongs to the function. */
static int dispatch(struct range_call *c, struct promql_node *range, struct promql_sink *sink)
{
	struct promql_eval *ev = c->ev;
	struct promql_absence absence;
	bool absent = c->node->call.function->id == PROMQL_FN_ABSENT_OVER_TIME;
	bool merges = !absent && !c->keeps_name && promql_names_differ(ev->q, range);
	struct promql_matrix merged;
	int rc = 0;

	c->next = sink;
	promql_matrix_init(&merged, ev->q, ev->grid.n, true);
	if (absent) {
		if (promql_absence_init(&absence, &c->arena, ev->grid.n))
			rc = promql_no_space(ev->q);
		c->next = &absence.sink;
	} else if (merges) {
		c->next = &merged.sink;
	}
	if (!rc)
		rc = range->kind == PROMQL_SUBQUERY ? run_subquery(c, range)
						    : run_selector(c, range);
	c->next = NULL;
	if (!rc && absent)
		rc = promql_absence_emit(&absence, ev->q, range, sink);
	else if (!rc && merges)
		rc = promql_matrix_emit(&merged, sink);
	promql_matrix_fini(&merged);
	return rc;
}

int promql_eval_range_call(struct promql_eval *ev, struct promql_node *call,
			   struct promql_node *range, struct promql_sink *sink)
{
	enum promql_function_id id = call->call.function->id;
	struct range_call c = {
		.sink.emit = subquery_emit,
		.ev = ev,
		.node = call,
		.function = function_of(id),
		.keeps_name = id == PROMQL_FN_FIRST_OVER_TIME || id == PROMQL_FN_LAST_OVER_TIME,
		.finds_resets = id == PROMQL_FN_RATE || id == PROMQL_FN_INCREASE,
		.window = {.q = ev->q, .id = id, .call_at = call->start},
	};
	int rc = 0;

	while (range->kind == PROMQL_INVARIANT)
		range = promql_unwrap(range->inner);
	c.window.s = &c.set;
	c.window.at = range->start;
	c.window.arg_at = call->call.args.at[0]->start;
	c.window.range_ns =
		range->kind == PROMQL_RANGE ? range->range.range_ns : range->subquery.range_ns;
	c.range_ms = c.window.range_ns / 1000000;
	c.shift = range->kind == PROMQL_RANGE ? &range->range.selector->selector.shift
					      : &range->subquery.shift;
	if (range->kind == PROMQL_RANGE)
		rc = check_modifiers(&c, range->range.selector);
	if (rc)
		return rc;
	arena_init(&c.arena, ev->q->options.budget);
	promql_sample_set_init(&c.set, ev->q);
	c.floats = promql_column_new(&c.arena, ev->grid.n);
	rc = c.floats ? eval_args(&c) : promql_no_space(ev->q);
	if (!rc)
		rc = dispatch(&c, range, sink);
	promql_sample_set_fini(&c.set);
	arena_fini(&c.arena);
	return rc;
}

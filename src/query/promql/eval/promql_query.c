/* SPDX-License-Identifier: Apache-2.0 */
/* The evaluation of a whole query, and its result. */
#include <stdlib.h>

#include "query/promql/eval/promql_eval.h"
#include "query/promql/functions/promql_window.h"

void promql_result_fini(struct promql_result *r)
{
	arena_fini(&r->arena);
	*r = (struct promql_result){0};
}

/* Keeps the series of the result: names that are to be dropped are dropped now. */
struct result_sink {
	struct promql_sink sink;
	struct promql_query *q;
	struct promql_matrix *m;
};

static int result_emit(struct promql_sink *sink, struct promql_series *s)
{
	struct result_sink *r = (struct result_sink *)sink;

	if (s->drops_name && r->q->options.delayed_name_removal) {
		s->labels = promql_labels_drop_name(&r->q->labels, s->labels);
		if (!s->labels)
			return promql_no_space(r->q);
	}
	return promql_emit(&r->m->sink, s);
}

static int compare_series(const void *a, const void *b)
{
	const struct promql_series *x = a, *y = b;

	return promql_labels_compare(x->labels, y->labels);
}

static int compare_raw(const void *a, const void *b)
{
	const struct promql_raw_series *x = a, *y = b;

	return promql_labels_compare(x->labels, y->labels);
}

/* Move the series of a matrix into the result. */
static int take_series(struct promql_result *r, struct promql_matrix *m)
{
	for (uint32_t i = 0; i < m->list.n; i++) {
		struct promql_series s = m->list.at[i];
		double *floats = arena_alloc(&r->arena, r->steps, sizeof(double));
		const struct native_histogram **histograms = NULL;

		if (s.histograms)
			histograms = promql_histograms_new(&r->arena, r->steps);
		if (!floats || (s.histograms && !histograms))
			return promql_no_space(m->q);
		memcpy(floats, s.floats, r->steps * sizeof(double));
		if (histograms)
			memcpy(histograms, s.histograms, r->steps * sizeof(*histograms));
		s.floats = floats;
		s.histograms = histograms;
		if (vec_push(&r->arena, &r->series, s))
			return promql_no_space(m->q);
	}
	return 0;
}

static int evaluate_vector(struct promql_eval *ev, struct promql_node *root,
			   struct promql_result *r)
{
	struct promql_matrix m;
	struct result_sink sink = {.sink.emit = result_emit, .q = ev->q, .m = &m};
	int rc;

	promql_matrix_init(&m, ev->q, ev->grid.n, true);
	rc = promql_eval_node(ev, root, &sink.sink);
	if (!rc)
		rc = take_series(r, &m);
	promql_matrix_fini(&m);
	if (!rc && r->times.step_ms && r->series.n > 1)
		qsort(r->series.at, r->series.n, sizeof(*r->series.at), compare_series);
	return rc;
}

static int evaluate_scalar(struct promql_eval *ev, struct promql_node *root,
			   struct promql_result *r)
{
	struct promql_series s = {.labels = ev->q->labels.empty,
				  .floats = promql_column_new(&r->arena, ev->grid.n)};
	int rc = s.floats ? promql_eval_scalar(ev, root, s.floats) : promql_no_space(ev->q);

	if (rc)
		return rc;
	if (!r->times.step_ms)
		r->scalar = s.floats[0];
	else if (vec_push(&r->arena, &r->series, s))
		return promql_no_space(ev->q);
	return 0;
}

/* Keep the samples of one series of a range selector. */
static int keep_raw(struct promql_query *q, struct promql_result *r,
		    const struct promql_labels *labels, const struct promql_sample_set *s)
{
	struct promql_raw_series raw = {.labels = labels, .count = s->n, .histogram_count = s->hn};

	if (!s->n && !s->hn)
		return 0;
	raw.times = arena_alloc(&r->arena, s->n, sizeof(*raw.times));
	raw.values = arena_alloc(&r->arena, s->n, sizeof(*raw.values));
	raw.histogram_times = arena_alloc(&r->arena, s->hn, sizeof(*raw.histogram_times));
	raw.histograms = promql_histograms_new(&r->arena, s->hn);
	if (!raw.times || !raw.values || !raw.histogram_times || !raw.histograms)
		return promql_no_space(q);
	if (s->n) {
		memcpy(raw.times, s->t, s->n * sizeof(*raw.times));
		memcpy(raw.values, s->v, s->n * sizeof(*raw.values));
	}
	for (uint32_t i = 0; i < s->hn; i++) {
		raw.histogram_times[i] = s->ht[i];
		raw.histograms[i] = promql_keep_histogram(q, s->h[i]);
		if (!raw.histograms[i])
			return promql_no_space(q);
	}
	q->samples += s->n + s->hn;
	if (vec_push(&r->arena, &r->raw, raw))
		return promql_no_space(q);
	return promql_keep_samples(q, (int64_t)s->n + s->hn);
}

/* Replace the samples by those of an extended range: with values at both edges. */
static int extend(struct promql_query *q, struct promql_sample_set *s, bool smoothed, int64_t start,
		  int64_t end)
{
	uint32_t n = s->n, first = 0, last, out = 0;
	int64_t *t = arena_alloc(&s->arena, n + 2, sizeof(*t));
	double *v = arena_alloc(&s->arena, n + 2, sizeof(*v)), left, right;

	if (!t || !v)
		return promql_no_space(q);
	s->n = 0;
	if (s->hn)
		return promql_error(q, -EDOM, "%s modifier is not supported with histograms",
				    smoothed ? "smoothed" : "anchored");
	if (!n)
		return 0;
	last = n - 1;
	while (first < last && s->t[first] <= start)
		first++;
	first = first ? first - 1 : 0;
	for (uint32_t i = 0; smoothed && i <= last; i++)
		if (i == last || s->t[i] >= end) {
			last = i;
			break;
		}
	if (s->t[last] <= start)
		return 0;
	left = s->v[first];
	right = s->v[last];
	if (smoothed && s->t[first] < start)
		left += (s->v[first + 1] - left) * (double)(start - s->t[first]) /
			(double)(s->t[first + 1] - s->t[first]);
	if (smoothed && last && s->t[last] > end)
		right = s->v[last - 1] + (right - s->v[last - 1]) * (double)(end - s->t[last - 1]) /
						 (double)(s->t[last] - s->t[last - 1]);
	t[out] = start;
	v[out++] = left;
	for (uint32_t i = first; i <= last; i++)
		if (s->t[i] > start && s->t[i] < end) {
			t[out] = s->t[i];
			v[out++] = s->v[i];
		}
	t[out] = end;
	v[out++] = right;
	s->t = t;
	s->v = v;
	s->n = out;
	return 0;
}

/* An instant query of a range selector: its samples. */
static int evaluate_range(struct promql_eval *ev, struct promql_node *node, struct promql_result *r)
{
	struct promql_query *q = ev->q;
	struct promql_node *selector = node->range.selector;
	bool anchored = selector->selector.anchored, smoothed = selector->selector.smoothed;
	int64_t end = promql_shifted(&selector->selector.shift, ev->grid.start);
	int64_t start = end - node->range.range_ns / 1000000, lookback = q->options.lookback_ms;
	struct promql_cursor *cursor = NULL;
	struct promql_sample_set set;
	struct promql_samples in;
	int rc = promql_open(ev, selector, start + 1 - (anchored || smoothed ? lookback : 0),
			     end + (smoothed ? lookback : 0), end - start, NULL, &cursor);

	promql_sample_set_init(&set, q);
	while (!rc) {
		const struct promql_labels *labels;

		rc = q->source->next(cursor, &in, q->e);
		if (rc <= 0)
			break;
		labels = promql_labels_intern(&q->labels, in.labels, in.label_count, true);
		rc = labels ? promql_sample_set_load(&set, &in) : promql_no_space(q);
		if (!rc && (anchored || smoothed))
			rc = extend(q, &set, smoothed, start, end);
		if (!rc)
			rc = keep_raw(q, r, labels, &set);
	}
	q->source->close(cursor);
	promql_sample_set_fini(&set);
	return rc;
}

/* Keeps the series of a subquery. */
struct raw_sink {
	struct promql_sink sink;
	struct promql_query *q;
	struct promql_result *r;
	struct promql_grid grid;
	struct promql_sample_set set;
};

static int raw_emit(struct promql_sink *sink, struct promql_series *s)
{
	struct raw_sink *raw = (struct raw_sink *)sink;
	const struct promql_labels *labels = s->labels;
	int rc = promql_sample_set_load_series(&raw->set, s, &raw->grid);

	if (!rc && s->drops_name && raw->q->options.delayed_name_removal)
		labels = promql_labels_drop_name(&raw->q->labels, labels);
	if (!labels)
		return promql_no_space(raw->q);
	return rc ? rc : keep_raw(raw->q, raw->r, labels, &raw->set);
}

static int evaluate_subquery(struct promql_eval *ev, struct promql_node *node,
			     struct promql_result *r)
{
	struct raw_sink sink = {.sink.emit = raw_emit, .q = ev->q, .r = r};
	struct promql_eval inner = {.q = ev->q};
	int rc = promql_subquery_grid(ev, node, &inner.grid);

	if (rc)
		return rc;
	sink.grid = inner.grid;
	promql_sample_set_init(&sink.set, ev->q);
	rc = promql_eval_node(&inner, node->subquery.expr, &sink.sink);
	promql_sample_set_fini(&sink.set);
	for (uint32_t i = 1; i < r->raw.n && !rc; i++)
		for (uint32_t k = 0; k < i && !rc; k++)
			if (r->raw.at[i].labels == r->raw.at[k].labels)
				rc = promql_error(ev->q, -EDOM,
						  "vector cannot contain metrics with the same "
						  "labelset");
	return rc;
}

static int evaluate_matrix(struct promql_eval *ev, struct promql_node *node,
			   struct promql_result *r)
{
	int rc;

	while (node->kind == PROMQL_PAREN || node->kind == PROMQL_INVARIANT)
		node = node->inner;
	r->is_raw = true;
	rc = node->kind == PROMQL_RANGE ? evaluate_range(ev, node, r)
					: evaluate_subquery(ev, node, r);
	if (!rc && r->raw.n > 1)
		qsort(r->raw.at, r->raw.n, sizeof(*r->raw.at), compare_raw);
	return rc;
}

static int dispatch(struct promql_eval *ev, struct promql_node *root, struct promql_result *r)
{
	bool instant = !r->times.step_ms;

	r->type = promql_type_of(root);
	if (!instant && (r->type == PROMQL_STRING || r->type == PROMQL_MATRIX))
		return promql_error(ev->q, -EINVAL,
				    "invalid parameter \"query\": invalid expression type \"%s\" "
				    "for range query, must be Scalar or instant Vector",
				    promql_type_name(r->type));
	switch (r->type) {
	case PROMQL_STRING:
		return arena_copy_str(&r->arena, promql_text_arg(root), &r->string)
			       ? promql_no_space(ev->q)
			       : 0;
	case PROMQL_SCALAR:
		r->type = instant ? PROMQL_SCALAR : PROMQL_MATRIX;
		return evaluate_scalar(ev, root, r);
	case PROMQL_MATRIX:
		return evaluate_matrix(ev, root, r);
	default:
		r->type = instant ? PROMQL_VECTOR : PROMQL_MATRIX;
		return evaluate_vector(ev, root, r);
	}
}

static int make_grid(struct promql_query *q, struct promql_result *r, struct promql_grid *grid)
{
	int64_t n = 1;

	*grid = (struct promql_grid){.start = q->times.start_ms, .step = 1};
	if (q->times.step_ms < 0 || (!q->times.step_ms && q->times.end_ms != q->times.start_ms))
		return promql_error(q, -EINVAL, "step must be positive");
	if (q->times.step_ms) {
		grid->step = q->times.step_ms;
		n = q->times.end_ms < q->times.start_ms
			    ? 0
			    : (q->times.end_ms - q->times.start_ms) / grid->step + 1;
	}
	if (n > PROMQL_STEPS_MAX)
		return promql_error(q, -EINVAL, "query has %lld steps: limit is %d", (long long)n,
				    PROMQL_STEPS_MAX);
	grid->n = r->steps = (uint32_t)n;
	grid->end = grid->start + (n ? n - 1 : 0) * grid->step;
	return 0;
}

static void set_defaults(struct promql_options *o)
{
	if (!o->lookback_ms)
		o->lookback_ms = PROMQL_DEFAULT_LOOKBACK_MS;
	if (!o->subquery_step_ms)
		o->subquery_step_ms = PROMQL_DEFAULT_STEP_MS;
	if (!o->max_samples)
		o->max_samples = PROMQL_DEFAULT_SAMPLES;
}

int promql_evaluate(struct promql_result *out, struct promql_expr *expr,
		    const struct promql_times *times, struct promql_source *source,
		    const struct promql_options *options, struct err *e)
{
	struct promql_result r = {.times = *times};
	struct promql_query q = {
		.source = source, .options = *options, .times = *times, .text = expr->text, .e = e};
	struct promql_eval ev = {.q = &q};
	int rc;

	set_defaults(&q.options);
	*out = r;
	arena_init(&out->arena, options->budget);
	q.arena = &out->arena;
	q.annotations = &out->annotations;
	out->annotations.arena = &out->arena;
	for (unsigned i = 0; i < countof(q.works); i++)
		native_work_init(&q.works[i], q.arena);
	rc = promql_label_table_init(&q.labels, q.arena) ? promql_no_space(&q) : 0;
	if (!rc)
		rc = make_grid(&q, out, &ev.grid);
	if (!rc)
		rc = promql_prepare(&q, expr);
	if (!rc && ev.grid.n)
		rc = dispatch(&ev, expr->root, out);
	else if (!rc)
		out->type = PROMQL_MATRIX;
	out->stats = (struct promql_stats){q.samples, q.peak};
	promql_label_table_fini(&q.labels);
	buf_fini(&q.scratch);
	if (rc)
		promql_result_fini(out);
	return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * topk(), bottomk(), limitk() and limit_ratio(). For the first two each group keeps a heap of its
 * best samples for each step; limitk() keeps the first ones.
 */
#include <math.h>
#include <stdlib.h>

#include "query/promql/eval/promql_eval.h"
#include "signal/metric/number_text.h"

struct ranked {
	double value;
	const struct native_histogram *histogram;
	const struct promql_labels *labels;
	uint32_t order; /* of arrival */
	bool drops_name;
};

typedef VEC(struct ranked) ranked_list;

struct ranked_group {
	ranked_list *steps;
};

struct ranking {
	struct promql_sink sink;
	struct promql_eval *ev;
	struct promql_node *node;
	enum promql_aggregator op;
	struct arena arena;
	struct map by_labels;
	VEC(struct ranked_group) groups;
	struct promql_sink *next; /* of limit_ratio(), which passes series on */
	double *params;
	uint32_t arrivals;
	uint64_t kept; /* samples in heaps */
};

/* Return whether `a` is to be dropped before `b`: NaN first, then by value. */
static bool is_worse(enum promql_aggregator op, double a, double b)
{
	if (isnan(a))
		return !isnan(b);
	return op == PROMQL_AGG_TOPK ? a < b : a > b;
}

static void sift_down(struct ranking *r, ranked_list *heap, uint32_t at)
{
	for (;;) {
		uint32_t worst = at, child = 2 * at + 1;

		for (uint32_t i = child; i < child + 2 && i < heap->n; i++)
			if (is_worse(r->op, heap->at[i].value, heap->at[worst].value))
				worst = i;
		if (worst == at)
			return;
		struct ranked swap = heap->at[at];

		heap->at[at] = heap->at[worst];
		heap->at[worst] = swap;
		at = worst;
	}
}

static void sift_up(struct ranking *r, ranked_list *heap, uint32_t at)
{
	while (at && is_worse(r->op, heap->at[at].value, heap->at[(at - 1) / 2].value)) {
		struct ranked swap = heap->at[at];

		heap->at[at] = heap->at[(at - 1) / 2];
		heap->at[(at - 1) / 2] = swap;
		at = (at - 1) / 2;
	}
}

/* Offer a sample to the heap of the best k. */
static int offer(struct ranking *r, ranked_list *heap, const struct ranked *sample, uint32_t k)
{
	if (heap->n < k) {
		if (vec_push(&r->arena, heap, *sample))
			return promql_no_space(r->ev->q);
		sift_up(r, heap, heap->n - 1);
		r->kept++;
		return promql_keep_samples(r->ev->q, 1);
	}
	if (is_worse(r->op, heap->at[0].value, sample->value)) {
		heap->at[0] = *sample;
		sift_down(r, heap, 0);
	}
	return 0;
}

static struct ranked_group *find_group(struct ranking *r, const struct promql_labels *l)
{
	const promql_names *names = &r->node->aggregate.labels;
	struct promql_label_table *t = &r->ev->q->labels;
	const struct promql_labels *key;
	struct ranked_group g;
	uint64_t *at;
	bool added;

	if (r->node->aggregate.without)
		key = promql_labels_without(t, l, names->at, names->n);
	else
		key = names->n ? promql_labels_select(t, l, names->at, names->n, true) : t->empty;
	at = key ? map_at(&r->by_labels, key->id, &added) : NULL;
	if (!at)
		return NULL;
	if (!added)
		return &r->groups.at[*at];
	*at = r->groups.n;
	g.steps = arena_zalloc(&r->arena, r->ev->grid.n, sizeof(*g.steps));
	if (!g.steps || vec_push(&r->arena, &r->groups, g))
		return NULL;
	return &r->groups.at[r->groups.n - 1];
}

static uint32_t limit_of(double param)
{
	return param < 1 ? 0 : param > UINT32_MAX ? UINT32_MAX : (uint32_t)param;
}

static int rank_emit(struct promql_sink *sink, struct promql_series *s)
{
	struct ranking *r = (struct ranking *)sink;
	struct ranked_group *g = find_group(r, s->labels);
	struct ranked sample = {
		.labels = s->labels, .drops_name = s->drops_name, .order = r->arrivals++};
	int rc = promql_check_time(r->ev->q);

	if (!g)
		return promql_no_space(r->ev->q);
	for (uint32_t i = 0; i < r->ev->grid.n && !rc; i++) {
		uint32_t k = limit_of(r->params[i]);

		if (!k || !promql_is_present(s, i))
			continue;
		sample.value = s->floats[i];
		sample.histogram = promql_histogram_at(s, i);
		if (r->op == PROMQL_AGG_LIMITK) {
			if (g->steps[i].n < k && vec_push(&r->arena, &g->steps[i], sample))
				rc = promql_no_space(r->ev->q);
		} else if (sample.histogram) {
			if (promql_annotate(r->ev->q->annotations, PROMQL_INFO, r->node->start,
					    "ignored histogram in %.*s aggregation",
					    STR_ARG(promql_aggregator_text(r->op))))
				rc = promql_no_space(r->ev->q);
		} else {
			rc = offer(r, &g->steps[i], &sample, k);
		}
	}
	return rc;
}

static int ratio_emit(struct promql_sink *sink, struct promql_series *s)
{
	struct ranking *r = (struct ranking *)sink;
	double offset = (double)s->labels->hash / (double)UINT64_MAX;
	bool any = false;

	for (uint32_t i = 0; i < r->ev->grid.n; i++) {
		double ratio = fmax(-1, fmin(1, r->params[i]));
		bool taken = ratio != 0 &&
			     (ratio > 0 ? offset < ratio || ratio == 1 : offset >= 1 + ratio);

		if (taken && promql_is_present(s, i)) {
			any = true;
			continue;
		}
		s->floats[i] = promql_absent();
		if (s->histograms)
			s->histograms[i] = NULL;
	}
	return any ? promql_emit(r->next, s) : 0;
}

static int compare_ranked(const void *a, const void *b, void *arg)
{
	const struct ranked *x = a, *y = b;
	enum promql_aggregator op = *(enum promql_aggregator *)arg;

	if (op != PROMQL_AGG_LIMITK) {
		if (is_worse(op, x->value, y->value))
			return 1;
		if (is_worse(op, y->value, x->value))
			return -1;
	}
	return (x->order > y->order) - (x->order < y->order);
}

/* Put the samples of a step into the columns of their series. */
static int place(struct ranking *r, struct promql_matrix *out, const struct ranked *sample,
		 uint32_t step)
{
	uint32_t n = r->ev->grid.n;
	struct promql_series *s;
	uint64_t *at;
	bool added;

	at = map_at(&out->by_labels, sample->labels->id, &added);
	if (!at)
		return promql_no_space(r->ev->q);
	if (added) {
		struct promql_series made = {.labels = sample->labels,
					     .drops_name = sample->drops_name,
					     .floats = promql_column_new(&out->arena, n)};

		*at = out->list.n;
		if (!made.floats || vec_push(&out->arena, &out->list, made))
			return promql_no_space(r->ev->q);
	}
	s = &out->list.at[*at];
	s->floats[step] = sample->value;
	if (!sample->histogram)
		return 0;
	s->floats[step] = promql_absent();
	if (!s->histograms)
		s->histograms = promql_histograms_new(&out->arena, n);
	if (!s->histograms)
		return promql_no_space(r->ev->q);
	s->histograms[step] = sample->histogram;
	return 0;
}

static int finish(struct ranking *r, struct promql_sink *sink)
{
	struct promql_matrix out;
	int rc;

	promql_matrix_init(&out, r->ev->q, r->ev->grid.n, true);
	rc = map_init(&out.by_labels, &out.arena, 16) ? promql_no_space(r->ev->q) : 0;
	for (uint32_t i = 0; i < r->groups.n && !rc; i++)
		for (uint32_t k = 0; k < r->ev->grid.n && !rc; k++) {
			ranked_list *list = &r->groups.at[i].steps[k];

			if (list->n > 1)
				qsort_r(list->at, list->n, sizeof(*list->at), compare_ranked,
					&r->op);
			for (uint32_t m = 0; m < list->n && !rc; m++)
				rc = place(r, &out, &list->at[m], k);
		}
	if (!rc)
		rc = promql_matrix_emit(&out, sink);
	promql_matrix_fini(&out);
	return rc;
}

static void range_of(const double *values, uint32_t n, double *low, double *high, bool *nan)
{
	*low = INFINITY;
	*high = -INFINITY;
	*nan = false;
	for (uint32_t i = 0; i < n; i++) {
		*nan |= isnan(values[i]);
		*low = values[i] < *low ? values[i] : *low;
		*high = values[i] > *high ? values[i] : *high;
	}
}

static int warn_ratio(struct ranking *r, double value, const char *to)
{
	struct promql_query *q = r->ev->q;
	struct buf b = {0};
	int rc;

	number_text(&b, value, NUMBER_SHORT);
	rc = promql_annotate(q->annotations, PROMQL_WARNING, r->node->aggregate.param->start,
			     "ratio value should be between -1 and 1, got %.*s, capping to %s",
			     STR_ARG(buf_str(&b)), to);
	buf_fini(&b);
	return rc ? promql_no_space(q) : 0;
}

/* Check the parameters. Return 1, 0 if the result is empty, or -errno. */
static int check_params(struct ranking *r)
{
	struct promql_query *q = r->ev->q;
	double low, high;
	bool nan;
	int rc = 0;

	range_of(r->params, r->ev->grid.n, &low, &high, &nan);
	if (r->op == PROMQL_AGG_LIMIT_RATIO) {
		if (!nan && low == 0 && high == 0)
			return 0;
		if (nan)
			return promql_error(q, -EDOM, "Ratio value is NaN");
		if (high > 1)
			rc = warn_ratio(r, high, "1");
		if (!rc && low < -1)
			rc = warn_ratio(r, low, "-1");
		return rc ? rc : 1;
	}
	if (high < 1 && !nan)
		return 0;
	if (nan)
		return promql_error(q, -EDOM, "Parameter value is NaN");
	if (low <= -0x1p63)
		return promql_error(q, -EDOM, "Scalar value %g underflows int64", low);
	if (high >= 0x1p63)
		return promql_error(q, -EDOM, "Scalar value %g overflows int64", high);
	return 1;
}

int promql_eval_ranked(struct promql_eval *ev, struct promql_node *node, struct promql_sink *sink)
{
	struct ranking ranking = {.ev = ev, .node = node, .op = node->aggregate.op, .next = sink};
	struct ranking *r = &ranking;
	int rc;

	arena_init(&r->arena, ev->q->options.budget);
	r->sink.emit = r->op == PROMQL_AGG_LIMIT_RATIO ? ratio_emit : rank_emit;
	r->params = arena_alloc(&r->arena, ev->grid.n, sizeof(double));
	rc = !r->params || map_init(&r->by_labels, &r->arena, 16)
		     ? promql_no_space(ev->q)
		     : promql_eval_scalar(ev, node->aggregate.param, r->params);
	if (!rc) {
		rc = check_params(r);
		if (rc > 0)
			rc = promql_eval_node(ev, node->aggregate.expr, &r->sink);
		if (!rc && r->op != PROMQL_AGG_LIMIT_RATIO)
			rc = finish(r, sink);
	}
	ev->q->kept -= r->kept;
	arena_fini(&r->arena);
	return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Aggregations: each series is added to the columns of its group when it arrives, so that only the
 * groups are in memory. quantile() keeps the series.
 */
#include <math.h>

#include "query/promql/eval/promql_eval.h"
#include "query/promql/functions/promql_window.h"
#include "signal/metric/kahan.h"
#include "signal/metric/number_text.h"

enum {
	SEEN = 1,
	HAS_FLOAT = 2,
	HAS_HISTOGRAM = 4,
	INCOMPATIBLE = 8,
	INCREMENTAL = 16, /* the mean of floats */
	RESET_SEEN = 32,
	NOT_RESET_SEEN = 64,
	HISTOGRAM_INCREMENTAL = 128,
};

/* One group: a column for each number that its aggregation needs. */
struct group {
	const struct promql_labels *labels;
	bool drops_name;
	uint8_t *flags;
	double *value, *second, *count;	  /* second: compensation or mean */
	struct native_work **sums;	  /* of histograms; NULL until there is one */
	VEC(struct promql_series) series; /* of quantile() */
};

struct aggregation {
	struct promql_sink sink;
	struct promql_eval *ev;
	struct promql_node *node;
	enum promql_aggregator op;
	struct arena arena;
	struct map by_labels;
	VEC(struct group) groups;
	uint32_t at;   /* position of the aggregated expression */
	uint64_t kept; /* samples of quantile() */
};

static const struct promql_labels *group_labels(struct aggregation *a,
						const struct promql_labels *l)
{
	const promql_names *names = &a->node->aggregate.labels;
	struct promql_label_table *t = &a->ev->q->labels;

	if (a->node->aggregate.without)
		return promql_labels_without(t, l, names->at, names->n);
	return names->n ? promql_labels_select(t, l, names->at, names->n, true) : t->empty;
}

static struct group *find_group(struct aggregation *a, const struct promql_labels *labels)
{
	const struct promql_labels *key = group_labels(a, labels);
	uint32_t n = a->ev->grid.n;
	struct group g = {.labels = key};
	uint64_t *at;
	bool added;

	at = key ? map_at(&a->by_labels, key->id, &added) : NULL;
	if (!at)
		return NULL;
	if (!added)
		return &a->groups.at[*at];
	*at = a->groups.n;
	g.flags = arena_zalloc(&a->arena, n, 1);
	g.value = arena_zalloc(&a->arena, n, sizeof(double));
	if (a->op == PROMQL_AGG_SUM || a->op == PROMQL_AGG_AVG || a->op == PROMQL_AGG_STDDEV ||
	    a->op == PROMQL_AGG_STDVAR)
		g.second = arena_zalloc(&a->arena, n, sizeof(double));
	if (a->op == PROMQL_AGG_AVG || a->op == PROMQL_AGG_STDDEV || a->op == PROMQL_AGG_STDVAR)
		g.count = arena_zalloc(&a->arena, n, sizeof(double));
	if (!g.flags || !g.value || vec_push(&a->arena, &a->groups, g))
		return NULL;
	return &a->groups.at[a->groups.n - 1];
}

static int note_ignored(struct aggregation *a)
{
	return promql_annotate(a->ev->q->annotations, PROMQL_INFO, a->at,
			       "ignored histogram in %.*s aggregation",
			       STR_ARG(promql_aggregator_text(a->op)));
}

/* The mean, compensated; incremental once the sum would be infinite. */
static void add_to_mean(struct group *g, uint32_t i, double v)
{
	double count = g->count[i], sum, c, q;

	if (!(g->flags[i] & INCREMENTAL)) {
		sum = g->value[i];
		c = g->second[i];
		kahan_add(v, &sum, &c);
		if (!isinf(sum)) {
			g->value[i] = sum;
			g->second[i] = c;
			return;
		}
		g->flags[i] |= INCREMENTAL;
		g->value[i] /= count - 1;
		g->second[i] /= count - 1;
	}
	q = (count - 1) / count;
	g->value[i] *= q;
	g->second[i] *= q;
	kahan_add(v / count, &g->value[i], &g->second[i]);
}

static void add_first(struct aggregation *a, struct group *g, uint32_t i, double v)
{
	switch (a->op) {
	case PROMQL_AGG_COUNT:
	case PROMQL_AGG_GROUP:
		g->value[i] = 1;
		break;
	case PROMQL_AGG_STDDEV:
	case PROMQL_AGG_STDVAR:
		g->value[i] = isfinite(v) ? 0 : NAN;
		g->second[i] = v;
		g->count[i] = 1;
		break;
	case PROMQL_AGG_AVG:
		g->value[i] = v;
		g->count[i] = 1;
		break;
	default:
		g->value[i] = v;
	}
}

static void add_float(struct aggregation *a, struct group *g, uint32_t i, double v)
{
	double delta;

	if (!(g->flags[i] & SEEN)) {
		g->flags[i] |= SEEN | HAS_FLOAT;
		add_first(a, g, i, v);
		return;
	}
	if (g->flags[i] & INCOMPATIBLE)
		return;
	g->flags[i] |= HAS_FLOAT;
	switch (a->op) {
	case PROMQL_AGG_SUM:
		kahan_add(v, &g->value[i], &g->second[i]);
		break;
	case PROMQL_AGG_AVG:
		g->count[i]++;
		add_to_mean(g, i, v);
		break;
	case PROMQL_AGG_COUNT:
		g->value[i]++;
		break;
	case PROMQL_AGG_MAX:
		if (g->value[i] < v || isnan(g->value[i]))
			g->value[i] = v;
		break;
	case PROMQL_AGG_MIN:
		if (g->value[i] > v || isnan(g->value[i]))
			g->value[i] = v;
		break;
	case PROMQL_AGG_STDDEV:
	case PROMQL_AGG_STDVAR:
		g->count[i]++;
		delta = v - g->second[i];
		g->second[i] += delta / g->count[i];
		g->value[i] += delta * (v - g->second[i]);
		break;
	default:
		break;
	}
}

/* One more histogram of an incremental mean. */
static int add_mean_part(struct aggregation *a, struct native_work *mean,
			 const struct native_histogram *h, double count, struct native_notes *notes)
{
	struct promql_query *q = a->ev->q;
	struct native_histogram *part;

	native_work_multiply(mean, (count - 1) / count);
	if (native_work_set(&q->works[2], h))
		return -ENOMEM;
	native_work_divide(&q->works[2], count);
	part = native_work_finish(&q->works[2], q->arena);
	return part ? native_work_add_exactly(mean, part, notes) : -ENOMEM;
}

static int sum_histograms(struct aggregation *a, struct group *g, uint32_t i,
			  const struct native_histogram *h, struct native_notes *notes)
{
	struct native_work *sum = g->sums[i], *before = &a->ev->q->works[1];
	bool mean = a->op == PROMQL_AGG_AVG;
	double count = mean ? g->count[i] : 0;
	int rc;

	if (g->flags[i] & HISTOGRAM_INCREMENTAL)
		return add_mean_part(a, sum, h, count, notes);
	if (mean && native_work_copy(before, sum))
		return -ENOMEM;
	rc = native_work_add_exactly(sum, h, notes);
	if (rc || !mean || !native_work_overflows(sum))
		return rc;
	g->flags[i] |= HISTOGRAM_INCREMENTAL;
	if (native_work_copy(sum, before))
		return -ENOMEM;
	native_work_divide(sum, count - 1);
	return add_mean_part(a, sum, h, count, notes);
}

/* Return whether histograms count for the aggregation. */
static bool takes_histograms(enum promql_aggregator op)
{
	return op == PROMQL_AGG_SUM || op == PROMQL_AGG_AVG || op == PROMQL_AGG_COUNT ||
	       op == PROMQL_AGG_GROUP;
}

static int begin_histogram(struct aggregation *a, struct group *g, uint32_t i,
			   const struct native_histogram *h)
{
	if (!g->sums)
		g->sums = arena_zalloc(&a->arena, a->ev->grid.n, sizeof(struct native_work *));
	if (!g->sums)
		return -ENOMEM;
	g->sums[i] = arena_zalloc(&a->arena, 1, sizeof(struct native_work));
	if (!g->sums[i])
		return -ENOMEM;
	native_work_init(g->sums[i], &a->arena);
	return native_work_set(g->sums[i], h);
}

static int add_histogram(struct aggregation *a, struct group *g, uint32_t i,
			 const struct native_histogram *h, const struct promql_labels *labels)
{
	struct promql_query *q = a->ev->q;
	struct native_notes notes = {0};
	bool first = !(g->flags[i] & SEEN);
	int rc = 0;

	if (!takes_histograms(a->op))
		return note_ignored(a);
	if (a->op == PROMQL_AGG_COUNT || a->op == PROMQL_AGG_GROUP) {
		add_float(a, g, i, 0);
		return 0;
	}
	if (g->flags[i] & INCOMPATIBLE)
		return 0;
	g->flags[i] |= SEEN | HAS_HISTOGRAM;
	g->flags[i] |= h->reset == NATIVE_RESET	      ? RESET_SEEN
		       : h->reset == NATIVE_NOT_RESET ? NOT_RESET_SEEN
						      : 0;
	if (a->op == PROMQL_AGG_AVG)
		g->count[i]++;
	if (first)
		return begin_histogram(a, g, i, h);
	if (!g->sums || !g->sums[i])
		return 0; /* a mix with floats, which has no result */
	rc = sum_histograms(a, g, i, h, &notes);
	if (rc == -EPROTOTYPE) {
		g->flags[i] |= INCOMPATIBLE;
		return promql_annotate(q->annotations, PROMQL_WARNING, a->at,
				       "vector contains a mix of histograms with exponential and "
				       "custom buckets schemas for metric name \"%.*s\"",
				       STR_ARG(promql_labels_name(labels)));
	}
	if (!rc && notes.bounds_reconciled)
		rc = promql_note_bounds(q, a->at, "aggregation");
	return rc;
}

static int keep_for_quantile(struct aggregation *a, struct group *g, const struct promql_series *s)
{
	struct promql_series copy = *s;
	uint32_t n = a->ev->grid.n;

	copy.floats = arena_alloc(&a->arena, n, sizeof(double));
	if (!copy.floats || vec_push(&a->arena, &g->series, copy))
		return promql_no_space(a->ev->q);
	memcpy(copy.floats, s->floats, n * sizeof(double));
	for (uint32_t i = 0; i < n; i++) {
		if (promql_histogram_at(s, i)) {
			if (note_ignored(a))
				return promql_no_space(a->ev->q);
			copy.floats[i] = promql_absent();
		}
		if (!promql_is_absent(copy.floats[i]))
			g->flags[i] |= SEEN;
	}
	a->kept += n;
	return promql_keep_samples(a->ev->q, n);
}

static int aggregate_emit(struct promql_sink *sink, struct promql_series *s)
{
	struct aggregation *a = (struct aggregation *)sink;
	struct group *g = find_group(a, s->labels);
	int rc = promql_check_time(a->ev->q);

	if (!g)
		return promql_no_space(a->ev->q);
	g->drops_name |= s->drops_name;
	if (a->op == PROMQL_AGG_QUANTILE)
		return rc ? rc : keep_for_quantile(a, g, s);
	for (uint32_t i = 0; i < a->ev->grid.n && !rc; i++) {
		const struct native_histogram *h = promql_histogram_at(s, i);

		if (h)
			rc = add_histogram(a, g, i, h, s->labels);
		else if (!promql_is_absent(s->floats[i]))
			add_float(a, g, i, s->floats[i]);
	}
	return rc == -ENOMEM ? promql_no_space(a->ev->q) : rc;
}

/* The result of one step: a float, or a histogram in *h. The value is absent if there is none. */
static int finish_step(struct aggregation *a, struct group *g, uint32_t i,
		       const struct native_histogram **h)
{
	struct promql_query *q = a->ev->q;
	struct native_work *sum = g->sums ? g->sums[i] : NULL;
	uint8_t flags = g->flags[i];
	double *value = &g->value[i];

	if (h && (flags & HAS_HISTOGRAM)) {
		*value = promql_absent();
		if (flags & HAS_FLOAT)
			return promql_annotate(q->annotations, PROMQL_WARNING, a->at,
					       "encountered a mix of histograms and floats for "
					       "aggregation");
		if (flags & INCOMPATIBLE)
			return 0;
		if (a->op == PROMQL_AGG_AVG && !(flags & HISTOGRAM_INCREMENTAL))
			native_work_divide(sum, g->count[i]);
		native_work_settle(sum);
		native_work_compact(sum);
		*h = native_work_finish(sum, q->arena);
		if (!*h)
			return -ENOMEM;
		return (flags & RESET_SEEN) && (flags & NOT_RESET_SEEN)
			       ? promql_warn_conflict(q, a->at, "aggregation")
			       : 0;
	}
	if (a->op == PROMQL_AGG_SUM || (a->op == PROMQL_AGG_AVG && (flags & INCREMENTAL)))
		*value += g->second[i];
	else if (a->op == PROMQL_AGG_AVG)
		*value = *value / g->count[i] + g->second[i] / g->count[i];
	else if (a->op == PROMQL_AGG_STDVAR)
		*value /= g->count[i];
	else if (a->op == PROMQL_AGG_STDDEV)
		*value = sqrt(*value / g->count[i]);
	return 0;
}

static void finish_quantile(struct group *g, uint32_t i, double q, double *scratch)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < g->series.n; k++)
		if (!promql_is_absent(g->series.at[k].floats[i]))
			scratch[n++] = g->series.at[k].floats[i];
	g->value[i] = promql_quantile(q, scratch, n);
}

static int finish_group(struct aggregation *a, struct group *g, const double *quantiles,
			double *scratch, struct promql_sink *sink)
{
	uint32_t n = a->ev->grid.n;
	struct promql_series out = {
		.labels = g->labels, .floats = g->value, .drops_name = g->drops_name};
	int rc = 0;

	if (g->sums)
		out.histograms = promql_histograms_new(&a->arena, n);
	if (g->sums && !out.histograms)
		return promql_no_space(a->ev->q);
	for (uint32_t i = 0; i < n && !rc; i++) {
		if (!(g->flags[i] & SEEN))
			g->value[i] = promql_absent();
		else if (quantiles)
			finish_quantile(g, i, quantiles[i], scratch);
		else
			rc = finish_step(a, g, i, out.histograms ? &out.histograms[i] : NULL);
	}
	if (rc)
		return rc == -ENOMEM ? promql_no_space(a->ev->q) : rc;
	return promql_series_is_empty(&out, n) ? 0 : promql_emit(sink, &out);
}

/* Evaluate the parameter of quantile(), with warnings. */
static int eval_quantiles(struct aggregation *a, double **out)
{
	uint32_t n = a->ev->grid.n;
	double *q = arena_alloc(&a->arena, n, sizeof(double)), low = INFINITY, high = -INFINITY;
	struct promql_annotations *notes = a->ev->q->annotations;
	uint32_t at = a->node->aggregate.param->start;
	bool nan = false;
	int rc = q ? promql_eval_scalar(a->ev, a->node->aggregate.param, q)
		   : promql_no_space(a->ev->q);

	for (uint32_t i = 0; !rc && i < n; i++) {
		nan |= isnan(q[i]);
		low = q[i] < low ? q[i] : low;
		high = q[i] > high ? q[i] : high;
	}
	if (!rc && ((nan && promql_annotate_quantile(notes, at, NAN)) ||
		    (high > 1 && promql_annotate_quantile(notes, at, high)) ||
		    (low < 0 && promql_annotate_quantile(notes, at, low))))
		rc = promql_no_space(a->ev->q);
	*out = q;
	return rc;
}

int promql_eval_aggregate(struct promql_eval *ev, struct promql_node *node,
			  struct promql_sink *sink)
{
	struct aggregation a = {.sink.emit = aggregate_emit,
				.ev = ev,
				.node = node,
				.op = node->aggregate.op,
				.at = node->aggregate.expr->start};
	double *quantiles = NULL, *scratch = NULL;
	uint32_t most = 0;
	int rc;

	arena_init(&a.arena, ev->q->options.budget);
	rc = map_init(&a.by_labels, &a.arena, 16) ? promql_no_space(ev->q) : 0;
	if (!rc && a.op == PROMQL_AGG_QUANTILE)
		rc = eval_quantiles(&a, &quantiles);
	if (!rc)
		rc = promql_eval_node(ev, node->aggregate.expr, &a.sink);
	for (uint32_t i = 0; i < a.groups.n; i++)
		most = a.groups.at[i].series.n > most ? a.groups.at[i].series.n : most;
	if (!rc && quantiles) {
		scratch = arena_alloc(&a.arena, most, sizeof(double));
		rc = scratch ? 0 : promql_no_space(ev->q);
	}
	for (uint32_t i = 0; i < a.groups.n && !rc; i++)
		rc = finish_group(&a, &a.groups.at[i], quantiles, scratch, sink);
	ev->q->kept -= a.kept;
	arena_fini(&a.arena);
	return rc;
}

/* count_values(): a group for each text of a value. */
struct value_counter {
	struct aggregation a;
	struct str label;
	struct buf text;
};

static const struct promql_labels *counted_labels(struct value_counter *c,
						  const struct promql_labels *l)
{
	struct promql_query *q = c->a.ev->q;
	const promql_names *names = &c->a.node->aggregate.labels;
	struct str text;

	if (buf_error(&c->text) || arena_copy_str(q->arena, buf_str(&c->text), &text))
		return NULL;
	l = promql_labels_set(&q->labels, l, c->label, text);
	if (!l)
		return NULL;
	if (c->a.node->aggregate.without)
		return promql_labels_without(&q->labels, l, names->at, names->n);
	l = promql_labels_select(&q->labels, l, names->at, names->n, true);
	return l ? promql_labels_set(&q->labels, l, c->label, text) : NULL;
}

static int count_emit(struct promql_sink *sink, struct promql_series *s)
{
	struct value_counter *c = (struct value_counter *)sink;
	struct group *g = NULL;
	double before = promql_absent();

	for (uint32_t i = 0; i < c->a.ev->grid.n; i++) {
		const struct native_histogram *h = promql_histogram_at(s, i);

		if (!promql_is_present(s, i))
			continue;
		if (h || !g || !promql_same_bits(before, s->floats[i])) {
			const struct promql_labels *key;

			buf_rewind(&c->text);
			if (h)
				native_put_text(&c->text, h);
			else
				number_text(&c->text, s->floats[i], NUMBER_PLAIN);
			key = counted_labels(c, s->labels);
			g = key ? find_group(&c->a, key) : NULL;
			if (!g)
				return promql_no_space(c->a.ev->q);
			before = h ? promql_absent() : s->floats[i];
		}
		g->flags[i] |= SEEN;
		g->value[i]++;
	}
	return promql_check_time(c->a.ev->q);
}

int promql_eval_count_values(struct promql_eval *ev, struct promql_node *node,
			     struct promql_sink *sink)
{
	struct value_counter c = {
		.a = {.sink.emit = count_emit, .ev = ev, .node = node, .op = PROMQL_AGG_COUNT}};
	struct promql_node by = *node;
	promql_names names = {0};
	int rc = 0;

	c.label = promql_text_arg(node->aggregate.param);
	if (!c.label.n || str_utf8_valid(c.label) != c.label.n)
		return promql_error(ev->q, -EDOM, "invalid label name \"%.*s\"",
				    STR_ARG(str_head(c.label, 100)));
	arena_init(&c.a.arena, ev->q->options.budget);
	/* find_group() gets labels that are selected already. */
	for (uint32_t i = 0; i < node->aggregate.labels.n && !rc; i++)
		rc = vec_push(&c.a.arena, &names, node->aggregate.labels.at[i]);
	if (!rc && !node->aggregate.without)
		rc = vec_push(&c.a.arena, &names, c.label);
	by.aggregate.labels = names;
	c.a.node = &by;
	if (rc || map_init(&c.a.by_labels, &c.a.arena, 16))
		rc = promql_no_space(ev->q);
	if (!rc)
		rc = promql_eval_node(ev, node->aggregate.expr, &c.a.sink);
	for (uint32_t i = 0; i < c.a.groups.n && !rc; i++)
		rc = finish_group(&c.a, &c.a.groups.at[i], NULL, NULL, sink);
	buf_fini(&c.text);
	arena_fini(&c.a.arena);
	return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * histogram_quantile(), histogram_quantiles() and histogram_fraction(), of native histograms and of
 * classic ones, whose buckets are series with a label `le`.
 */
#include <math.h>
#include <stdlib.h>

#include "query/promql/functions/promql_vector_call.h"
#include "query/promql/functions/promql_window.h"
#include "query/promql/syntax/promql_literal.h"
#include "signal/metric/native_estimate.h"
#include "signal/metric/number_text.h"

enum { QUANTILES_MAX = 10 };

struct bucket {
	double bound, count;
};

/* The series of one histogram: those of its classic buckets, and a native one. */
struct bucket_group {
	const struct promql_labels *labels; /* without le */
	bool drops_name;
	VEC(uint32_t) buckets, natives; /* indices into the matrix */
	VEC(double) bounds;
};

struct buckets {
	struct promql_eval *ev;
	struct promql_node *call;
	struct promql_matrix in, out;
	struct arena arena;
	struct map by_labels;
	VEC(struct bucket_group) groups;
	struct bucket *scratch;
	double *args[QUANTILES_MAX]; /* quantiles, or the bounds of a fraction */
	unsigned arg_count;
	struct str label; /* of histogram_quantiles() */
	uint32_t at;	  /* position of the vector argument */
	bool fraction;
};

static int compare_bounds(const void *a, const void *b)
{
	const struct bucket *x = a, *y = b;

	return (x->bound > y->bound) - (x->bound < y->bound);
}

/* Add up buckets with equal bounds. Return the number of those that remain. */
static uint32_t coalesce(struct bucket *b, uint32_t n)
{
	uint32_t out = 0;

	for (uint32_t i = 1; i < n; i++) {
		if (b[i].bound == b[out].bound)
			b[out].count += b[i].count;
		else
			b[++out] = b[i];
	}
	return n ? out + 1 : 0;
}

static bool nearly_equal(double a, double b)
{
	double sum = fabs(a) + fabs(b), diff = fabs(a - b);

	if (a == 0 || b == 0 || sum < 0x1p-1022)
		return diff < 1e-12 * 0x1p-1022;
	return diff / fmin(sum, 1.7976931348623157e308) < 1e-12;
}

/* Raise counts that decrease. Return whether that was more than rounding. */
static bool make_monotonic(struct bucket *b, uint32_t n, struct promql_monotonic *m)
{
	double before = b[0].count;
	bool forced = false;

	m->min_bucket = INFINITY;
	m->max_bucket = -INFINITY;
	m->max_diff = 0;
	for (uint32_t i = 1; i < n; i++) {
		double count = b[i].count;

		if (count == before)
			continue;
		if (nearly_equal(before, count)) {
			b[i].count = before;
		} else if (count < before) {
			b[i].count = before;
			forced = true;
			m->min_bucket = fmin(m->min_bucket, b[i].bound);
			m->max_bucket = fmax(m->max_bucket, b[i].bound);
			m->max_diff = fmax(m->max_diff, before - count);
		} else {
			before = count;
		}
	}
	return forced;
}

static double classic_quantile(struct bucket *b, uint32_t n, double q, bool *forced,
			       struct promql_monotonic *m)
{
	double rank, start = 0, count;
	uint32_t at = 0;

	*forced = false;
	if (isnan(q))
		return NAN;
	if (q < 0 || q > 1)
		return q < 0 ? -INFINITY : INFINITY;
	qsort(b, n, sizeof(*b), compare_bounds);
	if (b[n - 1].bound != INFINITY)
		return NAN;
	n = coalesce(b, n);
	*forced = make_monotonic(b, n, m);
	if (n < 2 || b[n - 1].count == 0)
		return NAN;
	rank = q * b[n - 1].count;
	while (at < n - 1 && !(b[at].count >= rank))
		at++;
	if (at == n - 1)
		return b[n - 2].bound;
	if (!at && b[0].bound <= 0)
		return b[0].bound;
	count = b[at].count;
	if (at) {
		start = b[at - 1].bound;
		count -= b[at - 1].count;
		rank -= b[at - 1].count;
	}
	return start + (b[at].bound - start) * (rank / count);
}

/* The count of observations up to a bound, as far as it is known in bucket i. */
static bool rank_at(const struct bucket *b, uint32_t i, double lower, double rank, double bound,
		    double *out)
{
	if (lower >= bound) {
		*out = rank;
	} else if (b[i].bound > bound) {
		*out = lower == -INFINITY ? b[i].count
					  : rank + (b[i].count - rank) * (bound - lower) /
							    (b[i].bound - lower);
	} else {
		return false;
	}
	return true;
}

static double classic_fraction(struct bucket *b, uint32_t n, double from, double to)
{
	double lower, rank = 0, low = 0, high = 0, count;
	bool low_set = false, high_set = false;

	qsort(b, n, sizeof(*b), compare_bounds);
	if (b[n - 1].bound != INFINITY)
		return NAN;
	n = coalesce(b, n);
	count = b[n - 1].count;
	if (count == 0 || isnan(from) || isnan(to))
		return NAN;
	if (from >= to)
		return 0;
	lower = b[0].bound <= 0 ? -INFINITY : 0;
	for (uint32_t i = 0; i < n && !(low_set && high_set); i++) {
		if (i)
			lower = b[i - 1].bound;
		low_set = low_set || rank_at(b, i, lower, rank, from, &low);
		high_set = high_set || rank_at(b, i, lower, rank, to, &high);
		rank = b[i].count;
	}
	if (!low_set || low > count)
		low = count;
	if (!high_set || high > count)
		high = count;
	return (high - low) / count;
}

static struct bucket_group *find_group(struct buckets *b, const struct promql_labels *labels)
{
	struct bucket_group g = {.labels = labels};
	uint64_t *at;
	bool added;

	at = labels ? map_at(&b->by_labels, labels->id, &added) : NULL;
	if (!at)
		return NULL;
	if (added) {
		*at = b->groups.n;
		if (vec_push(&b->arena, &b->groups, g))
			return NULL;
	}
	return &b->groups.at[*at];
}

static struct str shown_name(const struct buckets *b, const struct promql_labels *l)
{
	return b->ev->q->options.delayed_name_removal ? promql_labels_name(l) : (struct str){0};
}

static int warn_bad_bucket(struct buckets *b, const struct promql_labels *l, struct str le)
{
	struct str name = shown_name(b, l);

	return promql_annotate(b->ev->q->annotations, PROMQL_WARNING, b->at,
			       "bucket label \"le\" is missing or has a malformed value of "
			       "\"%.*s\"%s%.*s%s",
			       STR_ARG(str_head(le, 100)), name.n ? " for metric name \"" : "",
			       STR_ARG(name), name.n ? "\"" : "");
}

static bool has_floats(const struct promql_series *s, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!promql_is_absent(s->floats[i]))
			return true;
	return false;
}

/* Put a series into its groups: of floats without le, of histograms as it is. */
static int sort_in(struct buckets *b, uint32_t index)
{
	static const struct str le_name[] = {STR_INIT("le")};
	struct promql_series *s = &b->in.list.at[index];
	struct str le = promql_labels_get(s->labels, le_name[0]);
	struct bucket_group *g;
	double bound;

	if (s->histograms) {
		g = find_group(b, s->labels);
		if (!g || vec_push(&b->arena, &g->natives, index))
			return promql_no_space(b->ev->q);
		g->drops_name = s->drops_name;
	}
	if (!has_floats(s, b->ev->grid.n))
		return 0;
	if (!le.n || promql_parse_number(le, &bound))
		return warn_bad_bucket(b, s->labels, le) ? promql_no_space(b->ev->q) : 0;
	g = find_group(b, promql_labels_select(&b->ev->q->labels, s->labels, le_name, 1, false));
	if (!g || vec_push(&b->arena, &g->buckets, index) || vec_push(&b->arena, &g->bounds, bound))
		return promql_no_space(b->ev->q);
	return 0;
}

/* Return the native histogram of a group at a step, or NULL. */
static const struct native_histogram *native_at(const struct buckets *b,
						const struct bucket_group *g, uint32_t step)
{
	for (uint32_t i = 0; i < g->natives.n; i++) {
		const struct native_histogram *h =
			promql_histogram_at(&b->in.list.at[g->natives.at[i]], step);

		if (h)
			return h;
	}
	return NULL;
}

static uint32_t classic_at(const struct buckets *b, const struct bucket_group *g, uint32_t step)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < g->buckets.n; i++) {
		const struct promql_series *s = &b->in.list.at[g->buckets.at[i]];

		if (!promql_is_absent(s->floats[step]) && !promql_histogram_at(s, step))
			b->scratch[n++] = (struct bucket){g->bounds.at[i], s->floats[step]};
	}
	return n;
}

static int annotate_nan(struct buckets *b, const struct bucket_group *g, enum native_nan_note note)
{
	static const char *const texts[] = {
		[NATIVE_NAN_RESULT] =
			"input to histogram_quantile has NaN observations, result is NaN",
		[NATIVE_NAN_SKEW] =
			"input to histogram_quantile has NaN observations, result is skewed higher",
		[NATIVE_NAN_EXCLUDED] = "input to histogram_fraction has NaN observations, which "
					"are excluded from all fractions",
	};
	struct str name = shown_name(b, g->labels);

	if (note == NATIVE_NAN_NONE)
		return 0;
	return promql_annotate(b->ev->q->annotations, PROMQL_INFO, b->at, "%s%s%.*s%s", texts[note],
			       name.n ? " for metric name \"" : "", STR_ARG(name),
			       name.n ? "\"" : "");
}

/* Calculate one step of a group. The value is absent if there is none. */
static int calculate(struct buckets *b, const struct bucket_group *g, unsigned arg, uint32_t step,
		     double *value)
{
	const struct native_histogram *h = native_at(b, g, step);
	uint32_t n = classic_at(b, g, step);
	struct str name = shown_name(b, g->labels);
	enum native_nan_note note = NATIVE_NAN_NONE;
	struct promql_monotonic m;
	bool forced = false;

	*value = promql_absent();
	if (h && n)
		return promql_annotate(b->ev->q->annotations, PROMQL_WARNING, b->at,
				       "vector contains a mix of classic and native histograms"
				       "%s%.*s%s",
				       name.n ? " for metric name \"" : "", STR_ARG(name),
				       name.n ? "\"" : "");
	if (h) {
		*value = b->fraction ? native_fraction(h, b->args[0][step], b->args[1][step], &note)
				     : native_quantile(h, b->args[arg][step], &note);
		return annotate_nan(b, g, note);
	}
	if (!n)
		return 0;
	if (b->fraction)
		*value = classic_fraction(b->scratch, n, b->args[0][step], b->args[1][step]);
	else
		*value = classic_quantile(b->scratch, n, b->args[arg][step], &forced, &m);
	if (!forced)
		return 0;
	m.from_ms = m.to_ms = promql_time_at(&b->ev->grid, step);
	return promql_annotate_monotonic(b->ev->q->annotations, b->at, name, &m);
}

/* Return the labels of a result; NULL if memory is exhausted. */
static const struct promql_labels *labels_of(struct buckets *b, const struct promql_labels *l,
					     double q)
{
	struct promql_query *query = b->ev->q;
	struct buf text = {0};
	struct str value;

	if (!b->label.n)
		return l;
	number_text(&text, q, NUMBER_OPEN_METRICS);
	if (buf_error(&text) || arena_copy_str(query->arena, buf_str(&text), &value))
		l = NULL;
	else
		l = promql_labels_set(&query->labels, l, b->label, value);
	buf_fini(&text);
	return l;
}

/* Emit the runs of steps with the same quantile, which may change from step to step. */
static int emit_group(struct buckets *b, const struct bucket_group *g, unsigned arg, double *column)
{
	uint32_t n = b->ev->grid.n;

	for (uint32_t from = 0, to; from < n; from = to) {
		struct promql_series out = {.floats = column, .drops_name = g->drops_name};
		int rc = 0;

		promql_column_clear(column, n);
		for (to = from; to < n && !rc; to++) {
			if (b->label.n && !promql_same_bits(b->args[arg][to], b->args[arg][from]))
				break;
			rc = calculate(b, g, arg, to, &column[to]);
		}
		if (rc)
			return promql_no_space(b->ev->q);
		if (promql_series_is_empty(&out, n))
			continue;
		out.labels = g->labels;
		rc = promql_drop_name(b->ev->q, &out);
		if (!rc)
			out.labels = labels_of(b, out.labels, b->args[arg][from]);
		if (!rc && !out.labels)
			rc = promql_no_space(b->ev->q);
		if (!rc)
			rc = promql_emit(&b->out.sink, &out);
		if (rc)
			return rc;
	}
	return 0;
}

static int check_quantiles(struct buckets *b, uint32_t first)
{
	for (unsigned i = 0; i < b->arg_count; i++)
		for (uint32_t k = 0; k < b->ev->grid.n; k++)
			if (!(b->args[i][k] >= 0 && b->args[i][k] <= 1) &&
			    promql_annotate_quantile(b->ev->q->annotations,
						     b->call->call.args.at[first + i]->start,
						     b->args[i][k]))
				return promql_no_space(b->ev->q);
	return 0;
}

static int run(struct buckets *b, uint32_t vector, uint32_t first, unsigned outputs)
{
	struct promql_eval *ev = b->ev;
	double *column = promql_column_new(&b->arena, ev->grid.n);
	int rc = column && !map_init(&b->by_labels, &b->arena, 16) ? 0 : promql_no_space(ev->q);

	b->at = b->call->call.args.at[vector]->start;
	for (unsigned i = 0; i < b->arg_count && !rc; i++)
		b->args[i] = promql_scalar_arg(ev, b->call, first + i, &b->arena, &rc);
	if (!rc && !b->fraction)
		rc = check_quantiles(b, first);
	if (!rc)
		rc = promql_matrix_eval(&b->in, ev, b->call->call.args.at[vector]);
	for (uint32_t i = 0; i < b->in.list.n && !rc; i++)
		rc = sort_in(b, i);
	b->scratch = arena_alloc(&b->arena, b->in.list.n, sizeof(*b->scratch));
	if (!rc && !b->scratch)
		rc = promql_no_space(ev->q);
	for (unsigned i = 0; i < outputs && !rc; i++)
		for (uint32_t k = 0; k < b->groups.n && !rc; k++)
			rc = emit_group(b, &b->groups.at[k], i, column);
	return rc;
}

int promql_eval_buckets(struct promql_eval *ev, struct promql_node *call, struct promql_sink *sink)
{
	enum promql_function_id id = call->call.function->id;
	struct buckets b = {.ev = ev, .call = call, .fraction = id == PROMQL_FN_HISTOGRAM_FRACTION};
	int rc;

	arena_init(&b.arena, ev->q->options.budget);
	promql_matrix_init(&b.in, ev->q, ev->grid.n, false);
	promql_matrix_init(&b.out, ev->q, ev->grid.n, true);
	if (id == PROMQL_FN_HISTOGRAM_QUANTILES) {
		b.label = promql_text_arg(call->call.args.at[1]);
		b.arg_count = call->call.args.n - 2;
		rc = run(&b, 0, 2, b.arg_count);
	} else {
		b.arg_count = b.fraction ? 2 : 1;
		rc = run(&b, b.arg_count, 0, 1);
	}
	if (!rc)
		rc = promql_matrix_emit(&b.out, sink);
	promql_matrix_fini(&b.out);
	promql_matrix_fini(&b.in);
	arena_fini(&b.arena);
	return rc;
}

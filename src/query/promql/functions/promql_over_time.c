/* SPDX-License-Identifier: Apache-2.0 */
/* The functions *_over_time, but for sums, which promql_sum_over_time.c has. */
#include <math.h>
#include <stdlib.h>

#include "query/promql/functions/promql_window.h"
#include "signal/metric/kahan.h"

static int compare_values(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	/* NaN sorts first. */
	if (isnan(x) || isnan(y))
		return isnan(y) - isnan(x);
	return (x > y) - (x < y);
}

double promql_quantile(double q, double *values, uint32_t n)
{
	double rank, lower, weight;
	uint32_t at, next;

	if (!n || isnan(q))
		return NAN;
	if (q < 0)
		return -INFINITY;
	if (q > 1)
		return INFINITY;
	qsort(values, n, sizeof(*values), compare_values);
	rank = q * (double)(n - 1);
	lower = fmax(0, floor(rank));
	at = (uint32_t)lower;
	next = at + 1 < n ? at + 1 : n - 1;
	weight = rank - floor(rank);
	return values[at] * (1 - weight) + values[next] * weight;
}

static double extreme(const struct promql_window *w)
{
	const struct promql_sample_set *s = w->s;
	bool max = w->id == PROMQL_FN_MAX_OVER_TIME || w->id == PROMQL_FN_TS_OF_MAX_OVER_TIME;
	bool time =
		w->id == PROMQL_FN_TS_OF_MAX_OVER_TIME || w->id == PROMQL_FN_TS_OF_MIN_OVER_TIME;
	double best = s->v[w->from];
	uint32_t at = w->from;

	for (uint32_t i = w->from; i < w->to; i++) {
		double v = s->v[i];
		bool better = max ? v > best : v < best;

		if (better || isnan(best) || (time && v == best)) {
			best = v;
			at = i;
		}
	}
	return time ? (double)s->t[at] / 1000 : best;
}

static double variance(const struct promql_window *w)
{
	double count = 0, mean = 0, mean_c = 0, aux = 0, aux_c = 0;

	for (uint32_t i = w->from; i < w->to; i++) {
		double v = w->s->v[i], delta = v - (mean + mean_c);

		count++;
		kahan_add(delta / count, &mean, &mean_c);
		kahan_add(delta * (v - (mean + mean_c)), &aux, &aux_c);
	}
	return (aux + aux_c) / count;
}

static double quantile_of_window(struct promql_window *w, double q)
{
	uint32_t n = w->to - w->from;

	memcpy(w->scratch, w->s->v + w->from, n * sizeof(*w->scratch));
	return promql_quantile(q, w->scratch, n);
}

static double median_deviation(struct promql_window *w)
{
	uint32_t n = w->to - w->from;
	double median;

	for (uint32_t i = w->from; i < w->to; i++)
		if (isnan(w->s->v[i]))
			return NAN;
	median = quantile_of_window(w, 0.5);
	for (uint32_t i = 0; i < n; i++)
		w->scratch[i] = fabs(w->scratch[i] - median);
	return promql_quantile(0.5, w->scratch, n);
}

/* The first or last sample of any type. */
static int first_or_last(struct promql_window *w, bool last, bool time, struct promql_point *out)
{
	const struct promql_sample_set *s = w->s;
	bool has_f = w->from < w->to, has_h = w->hfrom < w->hto;
	uint32_t f = last ? w->to - 1 : w->from, h = last ? w->hto - 1 : w->hfrom;
	bool is_float = has_f && (!has_h || (last ? s->t[f] > s->ht[h] : s->t[f] < s->ht[h]));

	out->found = true;
	if (time) {
		out->value = (double)(is_float ? s->t[f] : s->ht[h]) / 1000;
		return 0;
	}
	if (is_float) {
		out->value = s->v[f];
		return 0;
	}
	out->histogram = promql_keep_histogram(w->q, s->h[h]);
	return out->histogram ? 0 : promql_no_space(w->q);
}

/* The functions of floats only. */
static int of_floats(struct promql_window *w, struct promql_point *out)
{
	double q = w->args[0];

	if (w->from == w->to)
		return 0;
	if (w->id == PROMQL_FN_QUANTILE_OVER_TIME && !(q >= 0 && q <= 1)) {
		struct promql_annotations *a = w->q->annotations;

		if (promql_annotate_quantile(a, w->arg_at, q))
			return promql_no_space(w->q);
	}
	if (w->hfrom < w->hto && promql_note_ignored(w))
		return promql_no_space(w->q);
	out->found = true;
	switch (w->id) {
	case PROMQL_FN_STDVAR_OVER_TIME:
		out->value = variance(w);
		break;
	case PROMQL_FN_STDDEV_OVER_TIME:
		out->value = sqrt(variance(w));
		break;
	case PROMQL_FN_QUANTILE_OVER_TIME:
		out->value = quantile_of_window(w, q);
		break;
	case PROMQL_FN_MAD_OVER_TIME:
		out->value = median_deviation(w);
		break;
	default:
		out->value = extreme(w);
	}
	return 0;
}

int promql_over_time_window(struct promql_window *w, struct promql_point *out)
{
	switch (w->id) {
	case PROMQL_FN_COUNT_OVER_TIME:
		out->value = (double)(w->to - w->from + w->hto - w->hfrom);
		break;
	case PROMQL_FN_PRESENT_OVER_TIME:
	case PROMQL_FN_ABSENT_OVER_TIME:
		out->value = 1;
		break;
	case PROMQL_FN_FIRST_OVER_TIME:
		return first_or_last(w, false, false, out);
	case PROMQL_FN_LAST_OVER_TIME:
		return first_or_last(w, true, false, out);
	case PROMQL_FN_TS_OF_FIRST_OVER_TIME:
		return first_or_last(w, false, true, out);
	case PROMQL_FN_TS_OF_LAST_OVER_TIME:
		return first_or_last(w, true, true, out);
	default:
		return of_floats(w, out);
	}
	out->found = true;
	return 0;
}

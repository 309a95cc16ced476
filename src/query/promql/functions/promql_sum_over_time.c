/* SPDX-License-Identifier: Apache-2.0 */
/* sum_over_time() and avg_over_time(), and trends: deriv() and the like. */
#include <math.h>

#include "query/promql/functions/promql_window.h"
#include "signal/metric/kahan.h"

static double float_sum(const struct promql_window *w)
{
	double sum = 0, c = 0;

	for (uint32_t i = w->from; i < w->to; i++)
		kahan_add(w->s->v[i], &sum, &c);
	return isinf(sum) ? sum : sum + c;
}

/* The mean: of the sum, or incremental where the sum would be infinite. */
static double float_mean(const struct promql_window *w)
{
	double sum = w->s->v[w->from], mean = 0, c = 0, count = 1;
	bool incremental = false;

	for (uint32_t i = w->from + 1; i < w->to; i++) {
		double v = w->s->v[i], q;

		count = (double)(i - w->from + 1);
		if (!incremental) {
			double new_sum = sum, new_c = c;

			kahan_add(v, &new_sum, &new_c);
			if (!isinf(new_sum)) {
				sum = new_sum;
				c = new_c;
				continue;
			}
			incremental = true;
			mean = sum / (count - 1);
			c /= count - 1;
		}
		q = (count - 1) / count;
		mean *= q;
		c *= q;
		kahan_add(v / count, &mean, &c);
	}
	return incremental ? mean + c : sum / count + c / count;
}

/* One more histogram of a mean, once the sum has become infinite. */
static int add_to_mean(struct promql_window *w, struct native_work *mean,
		       const struct native_histogram *h, double count, struct native_notes *notes)
{
	struct native_work *part = &w->q->works[2];
	struct native_histogram *divided;

	native_work_multiply(mean, (count - 1) / count);
	if (native_work_set(part, h))
		return -ENOMEM;
	native_work_divide(part, count);
	divided = native_work_finish(part, w->q->arena);
	return divided ? native_work_add_exactly(mean, divided, notes) : -ENOMEM;
}

/* Add up the histograms, or their mean, in works[0]. */
static int add_histograms(struct promql_window *w, bool mean, struct native_notes *notes)
{
	struct native_work *sum = &w->q->works[0], *before = &w->q->works[1];
	bool incremental = false;
	double count = 1;
	int rc = native_work_set(sum, w->s->h[w->hfrom]);

	for (uint32_t i = w->hfrom + 1; i < w->hto && !rc; i++) {
		count = (double)(i - w->hfrom + 1);
		if (incremental) {
			rc = add_to_mean(w, sum, w->s->h[i], count, notes);
			continue;
		}
		if (mean && native_work_copy(before, sum))
			return -ENOMEM;
		rc = native_work_add_exactly(sum, w->s->h[i], notes);
		if (rc || !mean || !native_work_overflows(sum))
			continue;
		incremental = true;
		if (native_work_copy(sum, before))
			return -ENOMEM;
		native_work_divide(sum, count - 1);
		rc = add_to_mean(w, sum, w->s->h[i], count, notes);
	}
	if (rc)
		return rc;
	if (mean && !incremental)
		native_work_divide(sum, count);
	native_work_settle(sum);
	return 0;
}

static int histogram_sum(struct promql_window *w, bool mean, struct promql_point *out)
{
	struct native_notes notes = {0};
	bool reset = false, not_reset = false;
	int rc = add_histograms(w, mean, &notes);

	if (rc == -EPROTOTYPE)
		return promql_warn_layouts(w, w->arg_at);
	if (rc)
		return promql_no_space(w->q);
	for (uint32_t i = w->hfrom; i < w->hto; i++) {
		reset |= w->s->h[i]->reset == NATIVE_RESET;
		not_reset |= w->s->h[i]->reset == NATIVE_NOT_RESET;
	}
	if ((reset && not_reset && promql_warn_conflict(w->q, w->arg_at, "aggregation")) ||
	    (notes.bounds_reconciled && promql_note_bounds(w->q, w->arg_at, "aggregation")))
		return promql_no_space(w->q);
	out->histogram = native_work_finish(&w->q->works[0], w->q->arena);
	out->found = true;
	return out->histogram ? 0 : promql_no_space(w->q);
}

int promql_sum_window(struct promql_window *w, struct promql_point *out)
{
	bool mean = w->id == PROMQL_FN_AVG_OVER_TIME;

	if (w->from < w->to && w->hfrom < w->hto)
		return promql_warn_mix(w, w->arg_at);
	if (w->from == w->to)
		return histogram_sum(w, mean, out);
	out->value = mean ? float_mean(w) : float_sum(w);
	out->found = true;
	return 0;
}

/* Fit a line by least squares; x is relative to `origin`, in seconds. */
static void fit_line(const struct promql_window *w, int64_t origin, double *slope,
		     double *intercept)
{
	const struct promql_sample_set *s = w->s;
	double n = 0, x = 0, xc = 0, y = 0, yc = 0, xy = 0, xyc = 0, xx = 0, xxc = 0;
	double first = s->v[w->from], cov, var;
	bool constant = true;

	for (uint32_t i = w->from; i < w->to; i++) {
		double at = (double)(s->t[i] - origin) / 1e3;

		constant &= i == w->from || s->v[i] == first;
		n++;
		kahan_add(at, &x, &xc);
		kahan_add(s->v[i], &y, &yc);
		kahan_add(at * s->v[i], &xy, &xyc);
		kahan_add(at * at, &xx, &xxc);
	}
	if (constant) {
		*slope = isinf(first) ? NAN : 0;
		*intercept = isinf(first) ? NAN : first;
		return;
	}
	x += xc;
	y += yc;
	xy += xyc;
	xx += xxc;
	cov = xy - x * y / n;
	var = xx - x * x / n;
	*slope = cov / var;
	*intercept = y / n - *slope * x / n;
}

/* Smooth with a trend (Holt-Winters without seasons). */
static int smooth(struct promql_window *w, double *out)
{
	const double *v = w->s->v + w->from;
	uint32_t n = w->to - w->from;
	double sf = w->args[0], tf = w->args[1], before = 0, level, trend;

	level = v[0];
	trend = v[1] - v[0];
	for (uint32_t i = 1; i < n; i++) {
		double x = sf * v[i], y;

		if (i > 1) {
			double a = tf * (level - before), b = (1 - tf) * trend;

			trend = a + b;
		}
		y = (1 - sf) * (level + trend);
		before = level;
		level = x + y;
	}
	*out = level;
	return 0;
}

int promql_trend_window(struct promql_window *w, struct promql_point *out)
{
	double slope, intercept;

	if (w->id == PROMQL_FN_DOUBLE_EXPONENTIAL_SMOOTHING) {
		if (w->args[0] <= 0 || w->args[0] >= 1)
			return promql_error(w->q, -EDOM,
					    "invalid smoothing factor. Expected: 0 < sf < 1, got: "
					    "%f",
					    w->args[0]);
		if (w->args[1] <= 0 || w->args[1] >= 1)
			return promql_error(w->q, -EDOM,
					    "invalid trend factor. Expected: 0 < tf < 1, got: %f",
					    w->args[1]);
	}
	if (w->from < w->to && w->hfrom < w->hto && promql_note_ignored(w))
		return promql_no_space(w->q);
	if (w->to - w->from < 2)
		return 0;
	out->found = true;
	if (w->id == PROMQL_FN_DOUBLE_EXPONENTIAL_SMOOTHING)
		return smooth(w, &out->value);
	fit_line(w, w->id == PROMQL_FN_DERIV ? w->s->t[w->from] : w->time, &slope, &intercept);
	out->value = w->id == PROMQL_FN_DERIV ? slope : slope * w->args[0] + intercept;
	return 0;
}

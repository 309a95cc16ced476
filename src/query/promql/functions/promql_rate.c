/* SPDX-License-Identifier: Apache-2.0 */
/* rate(), increase(), delta(), irate(), idelta(), resets() and changes(). */
#include <math.h>

#include "query/promql/functions/promql_window.h"

int promql_warn_mix(struct promql_window *w, uint32_t at)
{
	return promql_annotate(w->q->annotations, PROMQL_WARNING, at,
			       "encountered a mix of histograms and floats for metric name "
			       "\"%.*s\"",
			       STR_ARG(promql_labels_name(w->labels)));
}

int promql_warn_layouts(struct promql_window *w, uint32_t at)
{
	return promql_annotate(w->q->annotations, PROMQL_WARNING, at,
			       "vector contains a mix of histograms with exponential and custom "
			       "buckets schemas for metric name \"%.*s\"",
			       STR_ARG(promql_labels_name(w->labels)));
}

int promql_warn_not_counter(struct promql_window *w, uint32_t at)
{
	return promql_annotate(w->q->annotations, PROMQL_WARNING, at,
			       "this native histogram metric is not a counter: \"%.*s\"",
			       STR_ARG(promql_labels_name(w->labels)));
}

int promql_warn_not_gauge(struct promql_window *w, uint32_t at)
{
	return promql_annotate(w->q->annotations, PROMQL_WARNING, at,
			       "this native histogram metric is not a gauge: \"%.*s\"",
			       STR_ARG(promql_labels_name(w->labels)));
}

int promql_note_ignored(struct promql_window *w)
{
	return promql_annotate(w->q->annotations, PROMQL_INFO, w->arg_at,
			       "ignored histograms in a range containing both floats and "
			       "histograms for metric name \"%.*s\"",
			       STR_ARG(promql_labels_name(w->labels)));
}

int promql_note_bounds(struct promql_query *q, uint32_t at, const char *operation)
{
	return promql_annotate(q->annotations, PROMQL_INFO, at,
			       "mismatched custom buckets were reconciled during %s", operation);
}

int promql_warn_conflict(struct promql_query *q, uint32_t at, const char *operation)
{
	return promql_annotate(q->annotations, PROMQL_WARNING, at,
			       "conflicting counter resets during histogram %s", operation);
}

/* What the samples of a window cover, for the extrapolation to its edges. */
struct coverage {
	double to_start, to_end, interval, average;
	bool counter;
};

/* Limit the extrapolation to the start so that a counter does not become negative. */
static void limit_to_zero(struct coverage *c, double first, double increase)
{
	double to_zero = c->to_start;

	if (increase > 0 && first >= 0)
		to_zero = c->interval * (first / increase);
	if (to_zero < c->to_start)
		c->to_start = to_zero;
}

static double factor_of(struct promql_window *w, struct coverage *c)
{
	double factor = 1;

	if (c->to_end >= c->average * 1.1)
		c->to_end = c->average / 2;
	if (c->interval != 0)
		factor = (c->interval + c->to_start + c->to_end) / c->interval;
	if (w->id == PROMQL_FN_RATE)
		factor /= (double)w->range_ns / 1e9;
	return factor;
}

/* Return the start time of the first sample if the counter began inside the window, else 0. */
static int64_t start_inside(const struct promql_window *w, const int64_t *starts, uint32_t from,
			    int64_t first)
{
	if (!starts || w->id == PROMQL_FN_DELTA || starts[from] <= w->start ||
	    starts[from] >= first)
		return 0;
	return starts[from];
}

static struct coverage cover(const struct promql_window *w, int64_t first, int64_t last, uint32_t n)
{
	struct coverage c = {
		.to_start = (double)(first - w->start) / 1000,
		.to_end = (double)(w->end - last) / 1000,
		.interval = (double)(last - first) / 1000,
		.counter = w->id != PROMQL_FN_DELTA,
	};

	if (n > 1)
		c.average = c.interval / (double)(n - 1);
	return c;
}

static int warn_overlaps(struct promql_window *w)
{
	const struct promql_sample_set *s = w->s;

	for (uint32_t i = w->from + 1; s->st && i < w->to; i++)
		if (s->st[i] && s->st[i] < s->t[i - 1] && s->st[i] != s->st[i - 1])
			return promql_annotate_overlap(w->q->annotations, w->arg_at,
						       promql_labels_name(w->labels));
	return 0;
}

static int float_rate(struct promql_window *w, struct promql_point *out)
{
	const struct promql_sample_set *s = w->s;
	uint32_t first = w->from, last = w->to - 1;
	struct coverage c = cover(w, s->t[first], s->t[last], w->to - w->from);
	double value = s->v[last] - s->v[first];
	int64_t start;

	if (c.counter) {
		for (uint32_t i = w->reset_from; i < s->reset_count && s->resets[i] <= last; i++)
			value += s->v[s->resets[i] - 1];
		if (s->st && warn_overlaps(w))
			return -ENOMEM;
	}
	start = start_inside(w, s->st, first, s->t[first]);
	if (start) {
		c.to_start = 0;
		c.interval = (double)(s->t[last] - start) / 1000;
		value += s->v[first];
	} else if (first == last) {
		return 0;
	} else {
		if (c.to_start >= c.average * 1.1)
			c.to_start = c.average / 2;
		if (c.counter)
			limit_to_zero(&c, s->v[first], value);
	}
	out->value = value * factor_of(w, &c);
	out->found = true;
	return 0;
}

static int histogram_rate(struct promql_window *w, struct promql_point *out)
{
	const struct promql_sample_set *s = w->s;
	uint32_t first = w->hfrom, last = w->hto - 1;
	struct coverage c = cover(w, s->ht[first], s->ht[last], w->hto - w->hfrom);
	struct native_work *work = &w->q->works[0];
	struct native_histogram *result = NULL;
	struct native_notes notes = {0};
	int64_t start = start_inside(w, s->hst, first, s->ht[first]);
	int rc = 0;

	if (first < last) {
		rc = promql_histogram_rate(w, c.counter, &result);
		if (rc || !result)
			return rc;
		if (native_work_set(work, result))
			return promql_no_space(w->q);
	}
	if (start) {
		c.to_start = 0;
		c.interval = (double)(s->ht[last] - start) / 1000;
		rc = result ? native_work_add(work, s->h[first], &notes)
			    : native_work_set(work, s->h[first]);
		if (rc == -EPROTOTYPE)
			return promql_warn_layouts(w, w->arg_at);
		if (rc)
			return promql_no_space(w->q);
		if (notes.bounds_reconciled && promql_note_bounds(w->q, w->arg_at, "addition"))
			return -ENOMEM;
	} else if (first == last) {
		return 0;
	} else {
		if (c.to_start >= c.average * 1.1)
			c.to_start = c.average / 2;
		if (c.counter && result && result->count > 0)
			limit_to_zero(&c, s->h[first]->count, result->count);
	}
	native_work_multiply(work, factor_of(w, &c));
	out->histogram = native_work_finish(work, w->q->arena);
	out->found = true;
	return out->histogram ? 0 : promql_no_space(w->q);
}

int promql_rate_window(struct promql_window *w, struct promql_point *out)
{
	if (w->from < w->to && w->hfrom < w->hto)
		return promql_warn_mix(w, w->arg_at);
	return w->from < w->to ? float_rate(w, out) : histogram_rate(w, out);
}

int promql_exact_rate_window(struct promql_window *w, struct promql_point *out)
{
	const struct promql_sample_set *s = w->s;
	uint32_t first = w->from; /* the first sample in the window */

	while (first < w->to && s->t[first] <= w->start) /* anchored windows have earlier ones */
		first++;
	if (first == w->to)
		return 0;
	out->value = s->v[w->to - 1] - (first ? s->v[first - 1] : 0);
	if (w->id == PROMQL_FN_RATE)
		out->value /= (double)w->range_ns / 1e9;
	out->found = true;
	return 0;
}

/* One of the last two samples. */
struct late_sample {
	int64_t time, start;
	double value;
	const struct native_histogram *h;
};

/* Get the last two samples of a window in order of time. Return false if there are fewer. */
static bool last_two(const struct promql_window *w, struct late_sample *two)
{
	const struct promql_sample_set *s = w->s;
	uint32_t f = w->to, h = w->hto;

	for (int i = 1; i >= 0; i--) {
		bool has_f = f > w->from, has_h = h > w->hfrom;

		if (!has_f && !has_h)
			return false;
		if (has_f && (!has_h || s->t[f - 1] > s->ht[h - 1])) {
			f--;
			two[i] = (struct late_sample){s->t[f], s->st ? s->st[f] : 0, s->v[f], NULL};
		} else {
			h--;
			two[i] = (struct late_sample){s->ht[h], s->hst ? s->hst[h] : 0, 0, s->h[h]};
		}
	}
	return true;
}

static int instant_histogram(struct promql_window *w, const struct late_sample *two, bool rate,
			     double seconds, struct promql_point *out)
{
	struct native_work *work = &w->q->works[0];
	const struct native_histogram *a = two[0].h, *b = two[1].h;
	bool gauges = a->reset == NATIVE_GAUGE && b->reset == NATIVE_GAUGE;
	bool any_gauge = a->reset == NATIVE_GAUGE || b->reset == NATIVE_GAUGE;
	struct native_notes notes = {0};
	int rc = 0;

	if ((rate && any_gauge && promql_warn_not_counter(w, w->arg_at)) ||
	    (!rate && !gauges && promql_warn_not_gauge(w, w->arg_at)) || native_work_set(work, b))
		return promql_no_space(w->q);
	if (!rate ||
	    (!promql_start_is_reset(two[0].start, two[0].time, two[1].start, two[1].time) &&
	     !native_detect_reset(b, a)))
		rc = native_work_subtract(work, a, &notes);
	if (rc == -EPROTOTYPE)
		return promql_warn_layouts(w, w->arg_at);
	if (rc || (notes.bounds_reconciled && promql_note_bounds(w->q, w->arg_at, "subtraction")))
		return promql_no_space(w->q);
	work->reset = NATIVE_GAUGE;
	native_work_compact(work);
	if (rate)
		native_work_divide(work, seconds);
	out->histogram = native_work_finish(work, w->q->arena);
	out->found = true;
	return out->histogram ? 0 : promql_no_space(w->q);
}

int promql_instant_rate_window(struct promql_window *w, struct promql_point *out)
{
	bool rate = w->id == PROMQL_FN_IRATE;
	struct late_sample two[2];
	double seconds;

	if (!last_two(w, two) || two[0].time == two[1].time)
		return 0;
	seconds = (double)(two[1].time - two[0].time) / 1000;
	if (!two[0].h != !two[1].h)
		return promql_warn_mix(w, w->arg_at);
	if (two[0].h && two[1].h)
		return instant_histogram(w, two, rate, seconds, out);
	out->found = true;
	out->value = two[1].value;
	if (!rate || !(two[1].value < two[0].value ||
		       promql_start_is_reset(two[0].start, two[0].time, two[1].start, two[1].time)))
		out->value -= two[0].value;
	if (rate)
		out->value /= seconds;
	return 0;
}

/* Walks through floats and histograms in order of time. */
struct merged_walk {
	const struct promql_window *w;
	uint32_t f, h;
	struct late_sample at;
};

/*
 * Begin a walk: anchored windows begin at the last sample at or before the range. Return false if
 * the range has no sample.
 */
static bool walk_begin(struct merged_walk *walk, const struct promql_window *w)
{
	const struct promql_sample_set *s = w->s;
	uint32_t f = w->from, h = w->hfrom;

	*walk = (struct merged_walk){.w = w, .f = f, .h = h};
	if (!w->anchored)
		return true;
	while (f < w->to && s->t[f] <= w->start)
		f++;
	while (h < w->hto && s->ht[h] <= w->start)
		h++;
	if (f >= w->to && h >= w->hto)
		return false;
	walk->f = f;
	walk->h = h;
	if (f > w->from && (h == w->hfrom || s->t[f - 1] >= s->ht[h - 1]))
		walk->f--;
	else if (h > w->hfrom)
		walk->h--;
	return true;
}

static bool walk_next(struct merged_walk *walk)
{
	const struct promql_window *w = walk->w;
	const struct promql_sample_set *s = w->s;
	bool has_f = walk->f < w->to, has_h = walk->h < w->hto;

	if (has_f && (!has_h || s->t[walk->f] < s->ht[walk->h])) {
		uint32_t i = walk->f++;

		walk->at = (struct late_sample){s->t[i], s->st ? s->st[i] : 0, s->v[i], NULL};
	} else if (has_h) {
		uint32_t i = walk->h++;

		walk->at = (struct late_sample){s->ht[i], s->hst ? s->hst[i] : 0, 0, s->h[i]};
	}
	return has_f || has_h;
}

static bool is_reset(const struct late_sample *a, const struct late_sample *b)
{
	if (!a->h != !b->h)
		return true;
	if (promql_start_is_reset(a->start, a->time, b->start, b->time))
		return true;
	return b->h ? native_detect_reset(b->h, a->h) : b->value < a->value;
}

static bool is_change(const struct late_sample *a, const struct late_sample *b)
{
	if (!a->h != !b->h)
		return true;
	if (b->h)
		return !native_equal(b->h, a->h);
	return b->value != a->value && !(isnan(a->value) && isnan(b->value));
}

static int count_pairs(struct promql_window *w, struct promql_point *out,
		       bool (*counts)(const struct late_sample *a, const struct late_sample *b))
{
	struct merged_walk walk;
	struct late_sample before;
	unsigned count = 0;

	if (!walk_begin(&walk, w) || !walk_next(&walk))
		return 0;
	for (before = walk.at; walk_next(&walk); before = walk.at)
		count += counts(&before, &walk.at);
	out->value = count;
	out->found = true;
	return 0;
}

int promql_resets_window(struct promql_window *w, struct promql_point *out)
{
	return count_pairs(w, out, is_reset);
}

int promql_changes_window(struct promql_window *w, struct promql_point *out)
{
	return count_pairs(w, out, is_change);
}

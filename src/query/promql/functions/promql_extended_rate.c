/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranges with `anchored` and `smoothed`: the values at the edges of the range are those of the
 * samples before, or interpolated; nothing is extrapolated.
 */
#include "query/promql/functions/promql_window.h"

/* The samples that an extended range uses. */
struct extent {
	uint32_t first, last;
	bool found;
};

/* Find the samples: the last one at or before the range, and the first one at or after its end. */
static struct extent find_extent(const int64_t *t, uint32_t from, uint32_t to, int64_t start,
				 int64_t end, bool smoothed)
{
	struct extent x = {.first = from, .last = to - 1};
	uint32_t i = from;

	while (i < x.last && t[i] <= start)
		i++;
	x.first = i > from ? i - 1 : from;
	if (smoothed) {
		i = from;
		while (i < x.last && t[i] < end)
			i++;
		x.last = i;
	}
	x.found = t[x.last] > start && !(smoothed && t[x.first] > end);
	return x;
}

/* Interpolate between two samples; a counter that was reset between them began at 0. */
static double interpolate(const struct promql_sample_set *s, uint32_t i, int64_t time, bool counter)
{
	double a = s->v[i], b = s->v[i + 1];

	if (counter && b < a)
		a = 0;
	return a + (b - a) * (double)(time - s->t[i]) / (double)(s->t[i + 1] - s->t[i]);
}

static int float_rate(struct promql_window *w, struct promql_point *out)
{
	const struct promql_sample_set *s = w->s;
	struct extent x = find_extent(s->t, w->from, w->to, w->start, w->end, w->smoothed);
	bool counter = w->id != PROMQL_FN_DELTA;
	double left, right, before, lost = 0;
	uint32_t i, end;

	if (!x.found)
		return 0;
	left = w->smoothed && s->t[x.first] < w->start ? interpolate(s, x.first, w->start, counter)
						       : s->v[x.first];
	right = w->smoothed && x.last > w->from && s->t[x.last] > w->end
			? interpolate(s, x.last - 1, w->end, counter)
			: s->v[x.last];
	out->value = right - left;
	i = x.first + (s->t[x.first] <= w->start);
	end = x.last + (s->t[x.last] < w->end);
	before = left;
	for (; counter && i < end; i++) {
		if (s->v[i] < before)
			lost += before;
		before = s->v[i];
	}
	if (counter && right < before)
		lost += before;
	if (counter)
		out->value += lost;
	if (w->id == PROMQL_FN_RATE)
		out->value /= (double)w->range_ns / 1e9;
	out->found = true;
	return 0;
}

/*
 * Interpolate between two histograms into `work`. Return 1, 0 after a warning of incompatible
 * layouts, or -errno.
 */
static int interpolate_histograms(struct promql_window *w, uint32_t i, int64_t time, bool counter,
				  struct native_work *work)
{
	const struct promql_sample_set *s = w->s;
	const struct native_histogram *a = s->h[i], *b = s->h[i + 1];
	double fraction = (double)(time - s->ht[i]) / (double)(s->ht[i + 1] - s->ht[i]);
	struct native_notes minus = {0}, plus = {0};
	int rc = native_work_set(work, time == s->ht[i] ? a : b);

	if (rc)
		return promql_no_space(w->q);
	if (time == s->ht[i] || time == s->ht[i + 1])
		return 1;
	if (counter && native_detect_reset(b, a)) {
		native_work_multiply(work, fraction);
		return 1;
	}
	rc = native_work_subtract(work, a, &minus);
	if (!rc) {
		native_work_multiply(work, fraction);
		rc = native_work_add(work, a, &plus);
	}
	if (rc == -EPROTOTYPE)
		return promql_warn_layouts(w, w->arg_at);
	if (rc || (minus.bounds_reconciled && promql_note_bounds(w->q, w->arg_at, "subtraction")) ||
	    (plus.bounds_reconciled && promql_note_bounds(w->q, w->arg_at, "addition")))
		return promql_no_space(w->q);
	return 1;
}

/* Make the histogram at an edge of the range. Return as interpolate_histograms(). */
static int edge(struct promql_window *w, uint32_t at, bool between, int64_t time, bool counter,
		struct native_histogram **out)
{
	struct native_work *work = &w->q->works[1];
	int rc = 1;

	if (between)
		rc = interpolate_histograms(w, at, time, counter, work);
	else if (native_work_set(work, w->s->h[at]))
		rc = promql_no_space(w->q);
	if (rc <= 0)
		return rc;
	*out = native_work_finish(work, w->q->arena);
	return *out ? 1 : promql_no_space(w->q);
}

static int check_range(struct promql_window *w, struct extent x, bool counter)
{
	const struct promql_sample_set *s = w->s;

	for (uint32_t i = x.first; i <= x.last; i++) {
		if (native_is_custom(s->h[i]) != native_is_custom(s->h[x.first]))
			return promql_warn_layouts(w, w->arg_at);
		if (counter && s->h[i]->reset == NATIVE_GAUGE &&
		    promql_warn_not_counter(w, w->arg_at))
			return -ENOMEM;
	}
	return 1;
}

/* Add a histogram, with annotations. Return 1, 0 after a warning, or -errno. */
static int combine(struct promql_window *w, struct native_work *work,
		   const struct native_histogram *h, bool add)
{
	struct native_notes notes = {0};
	int rc = add ? native_work_add(work, h, &notes) : native_work_subtract(work, h, &notes);

	if (rc == -EPROTOTYPE)
		return promql_warn_layouts(w, w->arg_at);
	if (rc || (notes.bounds_reconciled &&
		   promql_note_bounds(w->q, w->arg_at, add ? "addition" : "subtraction")))
		return promql_no_space(w->q);
	return 1;
}

/* Add what was lost by resets inside the range. */
static int add_lost(struct promql_window *w, struct extent x, const struct native_histogram *left,
		    const struct native_histogram *right, struct native_work *work)
{
	const struct promql_sample_set *s = w->s;
	struct native_work *lost = &w->q->works[2];
	const struct native_histogram *before = left, *sum;
	uint32_t i = x.first + 1;
	bool any = false;
	int rc;

	if (w->smoothed && s->ht[x.first] < w->start &&
	    native_detect_reset(s->h[x.first + 1], s->h[x.first])) {
		before = s->h[x.first + 1];
		i++;
	}
	if (i > x.last)
		return 1;
	for (; i <= x.last; i++) {
		const struct native_histogram *h = i == x.last ? right : s->h[i];

		if (native_detect_reset(h, before)) {
			rc = any			     ? combine(w, lost, before, true)
			     : native_work_set(lost, before) ? -ENOMEM
							     : 1;
			if (rc <= 0)
				return rc;
			any = true;
		}
		before = h;
	}
	if (!any)
		return 1;
	sum = native_work_finish(lost, w->q->arena);
	return sum ? combine(w, work, sum, true) : promql_no_space(w->q);
}

static int histogram_rate(struct promql_window *w, struct promql_point *out)
{
	const struct promql_sample_set *s = w->s;
	struct extent x = find_extent(s->ht, w->hfrom, w->hto, w->start, w->end, w->smoothed);
	struct native_work *work = &w->q->works[0];
	struct native_histogram *left, *right;
	bool counter = w->id != PROMQL_FN_DELTA;
	int rc;

	if (!x.found)
		return 0;
	rc = check_range(w, x, counter);
	if (rc > 0)
		rc = edge(w, x.first, w->smoothed && s->ht[x.first] < w->start, w->start, counter,
			  &left);
	if (rc > 0) {
		bool between = w->smoothed && x.last > w->hfrom && s->ht[x.last] > w->end;

		rc = edge(w, between ? x.last - 1 : x.last, between, w->end, counter, &right);
	}
	if (rc <= 0)
		return rc;
	if (!counter && (left->reset != NATIVE_GAUGE || right->reset != NATIVE_GAUGE) &&
	    promql_warn_not_gauge(w, w->arg_at))
		return -ENOMEM;
	rc = native_work_set(work, right) ? -ENOMEM : combine(w, work, left, false);
	if (rc > 0 && counter)
		rc = add_lost(w, x, left, right, work);
	if (rc <= 0)
		return rc;
	if (w->id == PROMQL_FN_RATE)
		native_work_divide(work, (double)w->range_ns / 1e9);
	work->reset = NATIVE_GAUGE;
	native_work_compact(work);
	out->histogram = native_work_finish(work, w->q->arena);
	out->found = true;
	return out->histogram ? 0 : promql_no_space(w->q);
}

int promql_extended_rate_window(struct promql_window *w, struct promql_point *out)
{
	if (w->from < w->to && w->hfrom < w->hto)
		return promql_warn_mix(w, w->arg_at);
	return w->from < w->to ? float_rate(w, out) : histogram_rate(w, out);
}

/* Smoothed instant selectors. */

static int smooth_histogram(struct promql_window *w, struct promql_point *out)
{
	const struct promql_sample_set *s = w->s;
	struct native_work *work = &w->q->works[0];
	uint32_t i = w->hfrom;
	bool counter;
	int rc = 1;

	while (i < w->hto && s->ht[i] < w->end)
		i++;
	if (i < w->hto && s->ht[i] == w->end) {
		rc = native_work_set(work, s->h[i]) ? -ENOMEM : 1;
	} else if (i == w->hfrom) {
		return 0;
	} else if (i < w->hto) {
		if (native_is_custom(s->h[i - 1]) != native_is_custom(s->h[i]))
			return promql_warn_layouts(w, w->arg_at);
		counter = s->h[i - 1]->reset != NATIVE_GAUGE || s->h[i]->reset != NATIVE_GAUGE;
		rc = interpolate_histograms(w, i - 1, w->end, counter, work);
	} else {
		rc = native_work_set(work, s->h[i - 1]) ? -ENOMEM : 1;
		work->reset = NATIVE_UNKNOWN;
	}
	if (rc <= 0)
		return rc;
	out->histogram = native_work_finish(work, w->q->arena);
	out->found = true;
	return out->histogram ? 0 : promql_no_space(w->q);
}

static int smooth(struct promql_window *w, struct promql_point *out)
{
	const struct promql_sample_set *s = w->s;
	uint32_t i = w->from;

	if (w->hfrom < w->hto)
		return w->from < w->to ? promql_warn_mix(w, w->arg_at) : smooth_histogram(w, out);
	while (i < w->to && s->t[i] < w->end)
		i++;
	if (i < w->to && s->t[i] == w->end)
		out->value = s->v[i];
	else if (i == w->from)
		return 0;
	else if (i < w->to)
		out->value = interpolate(s, i - 1, w->end, false);
	else
		out->value = s->v[i - 1];
	out->found = true;
	return 0;
}

/* Fill the columns of one series. */
static int smooth_series(struct promql_eval *ev, struct promql_window *w,
			 const struct promql_shift *shift, struct promql_series *out,
			 const struct native_histogram **histograms)
{
	const struct promql_sample_set *s = w->s;
	int64_t lookback = ev->q->options.lookback_ms;

	w->from = w->to = w->hfrom = w->hto = 0;
	out->histograms = s->hn ? histograms : NULL;
	for (uint32_t i = 0; i < ev->grid.n; i++) {
		struct promql_point point = {0};
		int rc;

		w->end = promql_shifted(shift, promql_time_at(&ev->grid, i));
		while (w->from < s->n && s->t[w->from] <= w->end - lookback)
			w->from++;
		while (w->to < s->n && s->t[w->to] <= w->end + lookback)
			w->to++;
		while (w->hfrom < s->hn && s->ht[w->hfrom] <= w->end - lookback)
			w->hfrom++;
		while (w->hto < s->hn && s->ht[w->hto] <= w->end + lookback)
			w->hto++;
		rc = w->from < w->to || w->hfrom < w->hto ? smooth(w, &point) : 0;
		if (rc)
			return rc;
		out->floats[i] = point.found && !point.histogram ? point.value : promql_absent();
		if (out->histograms)
			out->histograms[i] = point.histogram;
	}
	return 0;
}

int promql_eval_smoothed(struct promql_eval *ev, struct promql_node *node, struct promql_sink *sink)
{
	const struct promql_shift *shift = &node->selector.shift;
	int64_t lookback = ev->q->options.lookback_ms;
	int64_t first = promql_shifted(shift, ev->grid.start) - lookback + 1;
	int64_t last = promql_shifted(shift, promql_time_at(&ev->grid, ev->grid.n - 1)) + lookback;
	struct promql_sample_set set;
	struct promql_window w = {.q = ev->q, .s = &set, .arg_at = node->start};
	const struct native_histogram **histograms;
	struct promql_cursor *cursor = NULL;
	struct promql_series out = {0};
	struct promql_samples in;
	struct arena arena;
	double *floats;
	int rc;

	arena_init(&arena, ev->q->options.budget);
	promql_sample_set_init(&set, ev->q);
	floats = promql_column_new(&arena, ev->grid.n);
	histograms = promql_histograms_new(&arena, ev->grid.n);
	rc = floats && histograms ? promql_open(ev, node, first, last, 0, NULL, &cursor)
				  : promql_no_space(ev->q);
	while (!rc) {
		rc = ev->q->source->next(cursor, &in, ev->q->e);
		if (rc <= 0)
			break;
		out = (struct promql_series){.floats = floats};
		out.labels = w.labels =
			promql_labels_intern(&ev->q->labels, in.labels, in.label_count, true);
		rc = out.labels ? promql_sample_set_load(&set, &in) : promql_no_space(ev->q);
		if (!rc)
			rc = smooth_series(ev, &w, shift, &out, histograms);
		if (!rc && !promql_series_is_empty(&out, ev->grid.n))
			rc = promql_emit(sink, &out);
	}
	ev->q->source->close(cursor);
	promql_sample_set_fini(&set);
	arena_fini(&arena);
	return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_PROMQL_FUNCTIONS_PROMQL_WINDOW_H
#define VARVE_QUERY_PROMQL_FUNCTIONS_PROMQL_WINDOW_H

#include "query/promql/eval/promql_eval.h"

/*
 * Functions of range vectors: they get the samples of one series, and a window that slides over
 * them from step to step.
 */

/* The samples of one series, without stale markers. The arrays are reused for the next series. */
struct promql_sample_set {
	struct promql_query *q;
	struct arena arena;
	uint32_t n, hn;
	const int64_t *t, *ht;
	const double *v;
	const int64_t *st, *hst; /* start times; NULL if they are not used */
	const struct native_histogram **h;
	/* Arrays of our own, for what is not taken over from the source. */
	int64_t *own_t, *own_ht, *own_st, *own_hst;
	double *own_v;
	const struct native_histogram **own_h;
	struct native_histogram *reduced;
	uint32_t cap, hcap, reduced_cap;
	/* Indices of the floats that are resets of a counter; of rate() and the like. */
	uint32_t *resets;
	uint32_t reset_count, reset_cap;
	bool exact; /* as in struct promql_samples */
};

void promql_sample_set_init(struct promql_sample_set *s, struct promql_query *q);
void promql_sample_set_fini(struct promql_sample_set *s);

/* Take the samples over. The source's arrays must stay valid as long as the set is used. */
MUST_USE int promql_sample_set_load(struct promql_sample_set *s, const struct promql_samples *in);

/* Take the samples of a column over a grid. */
MUST_USE int promql_sample_set_load_series(struct promql_sample_set *s,
					   const struct promql_series *in,
					   const struct promql_grid *grid);

/* Replace the histograms of `in` by their counts and sums, with hints of resets. */
MUST_USE int promql_sample_set_reduce(struct promql_sample_set *s, struct promql_samples *in);

/* Find the resets. */
MUST_USE int promql_sample_set_find_resets(struct promql_sample_set *s);

/* Return whether start times tell a reset between two samples. */
static inline bool promql_start_is_reset(int64_t before_start, int64_t before, int64_t start,
					 int64_t time)
{
	if (!start || start >= time || start < before)
		return false;
	if (start > before)
		return true;
	return before_start <= before && before_start && before_start != before;
}

/* A window over the samples, and what a function needs besides. */
struct promql_window {
	struct promql_query *q;
	const struct promql_sample_set *s;
	const struct promql_labels *labels;
	uint32_t from, to;   /* floats */
	uint32_t hfrom, hto; /* histograms */
	uint32_t reset_from; /* of s->resets: the first one after `from` */
	int64_t start, end;  /* the range is (start, end] */
	int64_t time;	     /* of the step */
	int64_t range_ns;
	bool anchored, smoothed;
	double args[2]; /* the arguments besides the range vector */
	uint32_t at;	/* position of the range argument in the query */
	uint32_t call_at, arg_at;
	double *scratch; /* room for the floats of the window; of quantiles */
	enum promql_function_id id;
};

/* Set `out` to the result; out->found is false if there is none. */
typedef int promql_window_function(struct promql_window *w, struct promql_point *out);

promql_window_function promql_rate_window, promql_extended_rate_window, promql_exact_rate_window,
	promql_instant_rate_window, promql_resets_window, promql_changes_window,
	promql_over_time_window, promql_sum_window, promql_trend_window;

/* The rate of histograms; *out is NULL if there is no result. */
MUST_USE int promql_histogram_rate(struct promql_window *w, bool counter,
				   struct native_histogram **out);

/* Smoothed instant selectors: interpolated between the samples around each step. */
MUST_USE int promql_eval_smoothed(struct promql_eval *ev, struct promql_node *node,
				  struct promql_sink *sink);

/* Warnings that several functions have. */
MUST_USE int promql_warn_mix(struct promql_window *w, uint32_t at);
MUST_USE int promql_warn_layouts(struct promql_window *w, uint32_t at);
MUST_USE int promql_warn_not_counter(struct promql_window *w, uint32_t at);
MUST_USE int promql_warn_not_gauge(struct promql_window *w, uint32_t at);
MUST_USE int promql_note_ignored(struct promql_window *w);
MUST_USE int promql_note_bounds(struct promql_query *q, uint32_t at, const char *operation);
MUST_USE int promql_warn_conflict(struct promql_query *q, uint32_t at, const char *operation);

/* A sink that leaves a column with 1 at the steps without any sample. */
struct promql_absence {
	struct promql_sink sink;
	double *column;
	uint32_t steps;
};

/* Initialize; the column is in the arena. Return 0 or -ENOMEM. */
MUST_USE int promql_absence_init(struct promql_absence *a, struct arena *arena, uint32_t steps);

/* Emit the column with the labels of the argument, unless it is empty. */
MUST_USE int promql_absence_emit(struct promql_absence *a, struct promql_query *q,
				 const struct promql_node *arg, struct promql_sink *sink);

/* Return the quantile of n values, which are sorted by it. */
double promql_quantile(double q, double *values, uint32_t n);

#endif

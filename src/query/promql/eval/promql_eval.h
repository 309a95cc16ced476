/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_PROMQL_EVAL_PROMQL_EVAL_H
#define VARVE_QUERY_PROMQL_EVAL_PROMQL_EVAL_H

#include <errno.h>

#include "base/container/map.h"
#include "query/promql/promql.h"
#include "query/promql/syntax/promql_functions.h"
#include "signal/metric/native_work.h"

/*
 * The parts of an evaluation. Nodes are evaluated over a grid of steps and push their series, one
 * by one, into a sink. Functions return 0 or -errno; promql_error() sets the reason.
 */

struct promql_query {
	struct arena *arena; /* until the end of the result */
	struct promql_label_table labels;
	struct promql_annotations *annotations;
	struct promql_source *source;
	struct promql_options options;
	struct promql_times times; /* of the whole query */
	struct str text;
	struct native_work works[3]; /* scratch */
	struct buf scratch;
	uint64_t kept, peak, samples;
	unsigned until_check; /* calls until the next check of the deadline */
	struct err *e;
};

struct promql_grid {
	int64_t start, end, step;
	uint32_t n;
};

struct promql_eval {
	struct promql_query *q;
	struct promql_grid grid;
};

/*
 * Receives series. emit() may change the columns of the series. They are valid only during the
 * call; labels and histograms until the end of the query.
 */
struct promql_sink {
	int (*emit)(struct promql_sink *sink, struct promql_series *series);
};

static inline int promql_emit(struct promql_sink *sink, struct promql_series *series)
{
	return sink->emit(sink, series);
}

/* Set the error text. Return `code`. */
int promql_error(struct promql_query *q, int code, const char *fmt, ...) PRINTF_LIKE(3, 4);
int promql_no_space(struct promql_query *q);

/* The static analyzer does not follow these functions: show it the return values. */
#ifdef __clang_analyzer__
#define promql_error(q, code, ...) ((void)(promql_error)((q), (code), __VA_ARGS__), (code))
#define promql_no_space(q) ((void)(promql_no_space)(q), -ENOMEM)
#endif

/* Check the deadline and whether the query was canceled, now and then. */
MUST_USE int promql_check_time(struct promql_query *q);

/* Count samples that are kept in memory; release them by a negative number. */
MUST_USE int promql_keep_samples(struct promql_query *q, int64_t n);

static inline int64_t promql_time_at(const struct promql_grid *grid, uint32_t step)
{
	return grid->start + (int64_t)step * grid->step;
}

/* Evaluate a node of the type vector. */
MUST_USE int promql_eval_node(struct promql_eval *ev, struct promql_node *node,
			      struct promql_sink *sink);

/* Evaluate a node of the type scalar into `out`, which has a number for each step. */
MUST_USE int promql_eval_scalar(struct promql_eval *ev, struct promql_node *node, double *out);

/* Return the text of an argument of the type string. */
struct str promql_text_arg(struct promql_node *node);

/* The time that a selector reads at a step: @ and offset applied. */
int64_t promql_shifted(const struct promql_shift *shift, int64_t time);

/* Columns. */

static inline double promql_absent(void)
{
	uint64_t bits = PROMQL_ABSENT_BITS;
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* Return whether the float marks the end of a series. */
static inline bool promql_is_stale(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits == NATIVE_STALE_BITS;
}

/* Return an array of n absent values in the arena; NULL if memory is exhausted. */
double *promql_column_new(struct arena *a, uint32_t n);
void promql_column_clear(double *column, uint32_t n);

static inline const struct native_histogram *promql_histogram_at(const struct promql_series *s,
								 uint32_t step)
{
	return s->histograms ? s->histograms[step] : NULL;
}

static inline bool promql_is_present(const struct promql_series *s, uint32_t step)
{
	return !promql_is_absent(s->floats[step]) || promql_histogram_at(s, step);
}

/* Return whether the series has any sample. */
bool promql_series_is_empty(const struct promql_series *s, uint32_t n);

/* Remove the name, at once or at the end, as the options say. */
MUST_USE int promql_drop_name(struct promql_query *q, struct promql_series *s);

/* Keep a copy of the histogram until the end of the query. NULL: out of memory. */
const struct native_histogram *promql_keep_histogram(struct promql_query *q,
						     const struct native_histogram *h);

/*
 * Several series, with an arena of their own for the columns. As a sink it keeps what is emitted.
 */
struct promql_matrix {
	struct promql_sink sink;
	struct promql_query *q;
	struct arena arena;
	uint32_t steps;
	bool merges; /* series with equal labels become one; an error at steps that both have */
	uint64_t kept;
	VEC(struct promql_series) list;
	struct map by_labels;
	bool has_map;
};

/* Initialize an empty matrix. promql_matrix_fini() frees it. */
void promql_matrix_init(struct promql_matrix *m, struct promql_query *q, uint32_t steps,
			bool merges);
void promql_matrix_fini(struct promql_matrix *m);

/* Evaluate a node into the matrix. */
MUST_USE int promql_matrix_eval(struct promql_matrix *m, struct promql_eval *ev,
				struct promql_node *node);

/* Emit all series. */
MUST_USE int promql_matrix_emit(struct promql_matrix *m, struct promql_sink *sink);

/* Return an array of pointers to histograms, all NULL, in the matrix's arena. */
const struct native_histogram **promql_histograms_new(struct arena *a, uint32_t n);

/*
 * Return whether dropping the names of the series that the node results in may make two of them
 * equal.
 */
bool promql_names_differ(const struct promql_query *q, const struct promql_node *node);

/* Resolve durations, fold functions of the query's times, and mark what is invariant. */
MUST_USE int promql_prepare(struct promql_query *q, struct promql_expr *expr);

/* The kinds of nodes, each in its own file. */
MUST_USE int promql_eval_selector(struct promql_eval *ev, struct promql_node *node,
				  struct promql_sink *sink);
/* timestamp() and start_timestamp() of a selector. */
MUST_USE int promql_eval_sample_times(struct promql_eval *ev, struct promql_node *selector,
				      bool starts, struct promql_sink *sink);
/* The times of the newest samples, with all labels; histograms are an error. */
MUST_USE int promql_eval_info_times(struct promql_eval *ev, struct promql_node *selector,
				    struct promql_sink *sink);
MUST_USE int promql_eval_range_call(struct promql_eval *ev, struct promql_node *call,
				    struct promql_node *range, struct promql_sink *sink);
MUST_USE int promql_eval_aggregate(struct promql_eval *ev, struct promql_node *node,
				   struct promql_sink *sink);
MUST_USE int promql_eval_ranked(struct promql_eval *ev, struct promql_node *node,
				struct promql_sink *sink);
MUST_USE int promql_eval_count_values(struct promql_eval *ev, struct promql_node *node,
				      struct promql_sink *sink);
MUST_USE int promql_eval_match(struct promql_eval *ev, struct promql_node *node,
			       struct promql_sink *sink);
MUST_USE int promql_eval_set(struct promql_eval *ev, struct promql_node *node,
			     struct promql_sink *sink);
MUST_USE int promql_eval_with_scalar(struct promql_eval *ev, struct promql_node *node,
				     struct promql_sink *sink);
MUST_USE int promql_eval_vector_call(struct promql_eval *ev, struct promql_node *node,
				     struct promql_sink *sink);

/* Find the grid of a subquery: multiples of its step. */
MUST_USE int promql_subquery_grid(struct promql_eval *ev, const struct promql_node *node,
				  struct promql_grid *grid);

/* Open a cursor of the selector over the times. */
MUST_USE int promql_open(struct promql_eval *ev, const struct promql_node *selector, int64_t from,
			 int64_t to, int64_t range_ms, const char *function,
			 struct promql_cursor **cursor);

/* Binary operators on one pair of samples (promql_elements.c). */
struct promql_point {
	double value;
	const struct native_histogram *histogram;
	bool found; /* there is a result */
};

/*
 * Calculate an operator. out->found is false if the pair has no result (types that do not fit); for
 * comparisons *keep is set to whether the comparison is true, and the result is the left sample.
 */
MUST_USE int promql_operate(struct promql_query *q, const struct promql_node *node,
			    struct promql_point left, struct promql_point right,
			    struct promql_point *out, bool *keep);

/* Calculate an operator of floats. */
double promql_calculate(enum promql_op op, double a, double b);

/* Return the grouping of an aggregation or join as a set of labels. NULL: out of memory. */
const struct promql_labels *promql_join_key(struct promql_query *q, const struct promql_matching *m,
					    const struct promql_labels *l);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_QUERY_PROMQL_PROMQL_H
#define VARVE_QUERY_PROMQL_PROMQL_H

#include "query/promql/eval/promql_annotations.h"
#include "query/promql/eval/promql_labels.h"
#include "query/promql/promql_source.h"
#include "query/promql/syntax/promql_parser.h"

/*
 * Evaluate PromQL as Prometheus 3 does.
 *
 * A query is evaluated for all its steps at once, in columns: the value of a series is an array
 * with a number for each step. Series flow one by one from the source through the functions, and
 * only operations that need several series at once keep them.
 */

enum {
	PROMQL_DEFAULT_LOOKBACK_MS = 5 * 60 * 1000,
	PROMQL_DEFAULT_STEP_MS = 60 * 1000,
	PROMQL_DEFAULT_SAMPLES = 50000000,
	/* Steps of a query or subquery; Prometheus' API allows 11,000 for queries. */
	PROMQL_STEPS_MAX = 10000000,
};

struct promql_options {
	int64_t lookback_ms;	   /* 0: PROMQL_DEFAULT_LOOKBACK_MS */
	int64_t subquery_step_ms;  /* of subqueries without a step; 0: PROMQL_DEFAULT_STEP_MS */
	uint64_t max_samples;	   /* in memory at once; 0: PROMQL_DEFAULT_SAMPLES */
	bool delayed_name_removal; /* Prometheus' flag promql-delayed-name-removal */
	bool use_start_times;	   /* Prometheus' flag use-start-timestamps */
	bool type_and_unit_labels; /* Prometheus' flag type-and-unit-labels */
	uint64_t deadline_ns;	   /* of clock_monotonic_ns(); 0: none */
	uint64_t timeout_ns;	   /* only for the text of the error */
	/* Called now and then; true ends the query with -ECANCELED. May be NULL. */
	bool (*is_canceled)(void *arg);
	void *cancel_arg;
	struct budget *budget; /* of all memory; may be NULL */
};

struct promql_times {
	int64_t start_ms, end_ms;
	int64_t step_ms; /* 0: an instant query at start_ms */
};

/* A value that is not there: at that step the series has no float sample. */
#define PROMQL_ABSENT_BITS UINT64_C(0x7ffdeadbeef0ab5e)

static inline bool promql_is_absent(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits == PROMQL_ABSENT_BITS;
}

/* Return whether two values are the same bit by bit, as NaN and the absent value can be. */
static inline bool promql_same_bits(double a, double b)
{
	uint64_t x, y;

	memcpy(&x, &a, sizeof(x));
	memcpy(&y, &b, sizeof(y));
	return x == y;
}

/*
 * The samples of a series of a result, by step. A step has a histogram, a float, or neither;
 * `histograms` is NULL if the series has none.
 */
struct promql_series {
	const struct promql_labels *labels;
	double *floats;
	const struct native_histogram **histograms;
	bool drops_name; /* the name is removed at the end */
};

/* The range vector that an instant query of a range selector results in: samples with times. */
struct promql_raw_series {
	const struct promql_labels *labels;
	uint32_t count, histogram_count;
	int64_t *times, *histogram_times;
	double *values;
	const struct native_histogram **histograms;
};

struct promql_stats {
	uint64_t samples; /* read by selectors and windows, at all steps */
	uint64_t peak;	  /* kept at once */
};

struct promql_result {
	struct arena arena;
	enum promql_type type; /* of a range query: PROMQL_MATRIX */
	bool is_raw;	       /* PROMQL_MATRIX in `raw`, not in `series` */
	struct promql_times times;
	uint32_t steps;
	double scalar;
	struct str string;
	VEC(struct promql_series) series;
	VEC(struct promql_raw_series) raw;
	struct promql_annotations annotations;
	struct promql_stats stats;
};

/* Return the time of a step. */
static inline int64_t promql_step_time(const struct promql_result *r, uint32_t step)
{
	return r->times.start_ms + (int64_t)step * r->times.step_ms;
}

/*
 * Evaluate an expression, which is changed by it: evaluate it only once. On success the caller
 * frees *out (promql_result_fini(), which accepts the zero value). Series of a range query are
 * sorted by labels; those of an instant query are in the order of evaluation.
 *
 * Errors: -EINVAL (bad parameters), -EDOM (the query cannot be evaluated), -EMSGSIZE (too many
 * samples), -ETIMEDOUT, -ECANCELED, -ENOMEM, or what the source returned.
 */
MUST_USE int promql_evaluate(struct promql_result *out, struct promql_expr *expr,
			     const struct promql_times *times, struct promql_source *source,
			     const struct promql_options *options, struct err *e);
void promql_result_fini(struct promql_result *r);

#endif

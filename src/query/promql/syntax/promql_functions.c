/* SPDX-License-Identifier: Apache-2.0 */
#include "query/promql/syntax/promql_functions.h"

#define VECTOR PROMQL_VECTOR
#define SCALAR PROMQL_SCALAR
#define MATRIX PROMQL_MATRIX
#define STRING PROMQL_STRING

/* A row: id, name, result, arguments, variadic, experimental. */
#define ROW(id, name, result, count, args, variadic, experimental)                                 \
	{                                                                                          \
		PROMQL_FN_##id, STR_INIT(name), result, count, args, variadic, experimental        \
	}
#define ARGS(...)                                                                                  \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}

/* Sorted by name. */
static const struct promql_function functions[] = {
	ROW(ABS, "abs", VECTOR, 1, ARGS(VECTOR), 0, false),
	ROW(ABSENT, "absent", VECTOR, 1, ARGS(VECTOR), 0, false),
	ROW(ABSENT_OVER_TIME, "absent_over_time", VECTOR, 1, ARGS(MATRIX), 0, false),
	ROW(ACOS, "acos", VECTOR, 1, ARGS(VECTOR), 0, false),
	ROW(ACOSH, "acosh", VECTOR, 1, ARGS(VECTOR), 0, false),
	ROW(ASIN, "asin", VECTOR, 1, ARGS(VECTOR), 0, false),
	ROW(ASINH, "asinh", VECTOR, 1, ARGS(VECTOR), 0, false),
	ROW(ATAN, "atan", VECTOR, 1, ARGS(VECTOR), 0, false),
	ROW(ATANH, "atanh", VECTOR, 1, ARGS(VECTOR), 0, false),
	ROW(AVG_OVER_TIME, "avg_over_time", VECTOR, 1, ARGS(MATRIX), 0, false),
	ROW(CEIL, "ceil", VECTOR, 1, ARGS(VECTOR), 0, false),
	ROW(CHANGES, "changes", VECTOR, 1, ARGS(MATRIX), 0, false),
	ROW(CLAMP, "clamp", VECTOR, 3, ARGS(VECTOR, SCALAR, SCALAR), 0, false),
	ROW(CLAMP_MAX, "clamp_max", VECTOR, 2, ARGS(VECTOR, SCALAR), 0, false),
	ROW(CLAMP_MIN, "clamp_min", VECTOR, 2, ARGS(VECTOR, SCALAR), 0, false),
	ROW(COS, "cos", VECTOR, 1, ARGS(VECTOR), 0, false),
	ROW(COSH, "cosh", VECTOR, 1, ARGS(VECTOR), 0, false),
	ROW(COUNT_OVER_TIME, "count_over_time", VECTOR, 1, ARGS(MATRIX), 0, false),
	ROW(DAY_OF_MONTH, "day_of_month", VECTOR, 1, ARGS(VECTOR), 1, false),
	ROW(DAY_OF_WEEK, "day_of_week", VECTOR, 1, ARGS(VECTOR), 1, false),
	ROW(DAY_OF_YEAR, "day_of_year", VECTOR, 1, ARGS(VECTOR), 1, false),
	ROW(DAYS_IN_MONTH, "days_in_month", VECTOR, 1, ARGS(VECTOR), 1, false),
	ROW(DEG, "deg", VECTOR, 1, ARGS(VECTOR), 0, false),
	ROW(DELTA, "delta", VECTOR, 1, ARGS(MATRIX), 0, false),
	ROW(DERIV, "deriv", VECTOR, 1, ARGS(MATRIX), 0, false),
	ROW(DOUBLE_EXPONENTIAL_SMOOTHING, "double_exponential_smoothing", VECTOR, 3,
	    ARGS(MATRIX, SCALAR, SCALAR), 0, true),
	ROW(END, "end", SCALAR, 0, ARGS(PROMQL_NONE), 0, true),
	ROW(EXP, "exp", VECTOR, 1, ARGS(VECTOR), 0, false),
	ROW(FIRST_OVER_TIME, "first_over_time", VECTOR, 1, ARGS(MATRIX), 0, false),
	ROW(FLOOR, "floor", VECTOR, 1, ARGS(VECTOR), 0, false),
	ROW(HISTOGRAM_AVG, "histogram_avg", VECTOR, 1, ARGS(VECTOR), 0, false),
	ROW(HISTOGRAM_COUNT, "histogram_count", VECTOR, 1, ARGS(VECTOR), 0, false),
	ROW(HISTOGRAM_FRACTION, "histogram_fraction", VECTOR, 3, ARGS(SCALAR, SCALAR, VECTOR), 0,
	    false),
	ROW(HISTOGRAM_QUANTILE, "histogram_quantile", VECTOR, 2, ARGS(SCALAR, VECTOR), 0, false),
	ROW(HISTOGRAM_QUANTILES, "histogram_quantiles", VECTOR, 4,
	    ARGS(VECTOR, STRING, SCALAR, SCALAR), 9, true),
	ROW(HISTOGRAM_STDDEV, "histogram_stddev", VECTOR, 1, ARGS(VECTOR), 0, false),
	ROW(HISTOGRAM_STDVAR, "histogram_stdvar", VECTOR, 1, ARGS(VECTOR), 0, false),
	ROW(HISTOGRAM_SUM, "histogram_sum", VECTOR, 1, ARGS(VECTOR), 0, false),
	ROW(HOUR, "hour", VECTOR, 1, ARGS(VECTOR), 1, false),
	ROW(IDELTA, "idelta", VECTOR, 1, ARGS(MATRIX), 0, false),
	ROW(INCREASE, "increase", VECTOR, 1, ARGS(MATRIX), 0, false),
	ROW(INFO, "info", VECTOR, 2, ARGS(VECTOR, VECTOR), 1, true),
	ROW(IRATE, "irate", VECTOR, 1, ARGS(MATRIX), 0, false),
	ROW(LABEL_JOIN, "label_join", VECTOR, 4, ARGS(VECTOR, STRING, STRING, STRING),
	    PROMQL_ANY_NUMBER, false),
	ROW(LABEL_REPLACE, "label_replace", VECTOR, 5, ARGS(VECTOR, STRING, STRING, STRING, STRING),
	    0, false),
	ROW(LAST_OVER_TIME, "last_over_time", VECTOR, 1, ARGS(MATRIX), 0, false),
	ROW(LN, "ln", VECTOR, 1, ARGS(VECTOR), 0, false),
	ROW(LOG10, "log10", VECTOR, 1, ARGS(VECTOR), 0, false),
	ROW(LOG2, "log2", VECTOR, 1, ARGS(VECTOR), 0, false),
	ROW(MAD_OVER_TIME, "mad_over_time", VECTOR, 1, ARGS(MATRIX), 0, true),
	ROW(MAX_OF, "max_of", SCALAR, 2, ARGS(SCALAR, SCALAR), 0, true),
	ROW(MAX_OVER_TIME, "max_over_time", VECTOR, 1, ARGS(MATRIX), 0, false),
	ROW(MIN_OF, "min_of", SCALAR, 2, ARGS(SCALAR, SCALAR), 0, true),
	ROW(MIN_OVER_TIME, "min_over_time", VECTOR, 1, ARGS(MATRIX), 0, false),
	ROW(MINUTE, "minute", VECTOR, 1, ARGS(VECTOR), 1, false),
	ROW(MONTH, "month", VECTOR, 1, ARGS(VECTOR), 1, false),
	ROW(PI, "pi", SCALAR, 0, ARGS(PROMQL_NONE), 0, false),
	ROW(PREDICT_LINEAR, "predict_linear", VECTOR, 2, ARGS(MATRIX, SCALAR), 0, false),
	ROW(PRESENT_OVER_TIME, "present_over_time", VECTOR, 1, ARGS(MATRIX), 0, false),
	ROW(QUANTILE_OVER_TIME, "quantile_over_time", VECTOR, 2, ARGS(SCALAR, MATRIX), 0, false),
	ROW(RAD, "rad", VECTOR, 1, ARGS(VECTOR), 0, false),
	ROW(RANGE, "range", SCALAR, 0, ARGS(PROMQL_NONE), 0, true),
	ROW(RATE, "rate", VECTOR, 1, ARGS(MATRIX), 0, false),
	ROW(RESETS, "resets", VECTOR, 1, ARGS(MATRIX), 0, false),
	ROW(ROUND, "round", VECTOR, 2, ARGS(VECTOR, SCALAR), 1, false),
	ROW(SCALAR, "scalar", SCALAR, 1, ARGS(VECTOR), 0, false),
	ROW(SGN, "sgn", VECTOR, 1, ARGS(VECTOR), 0, false),
	ROW(SIN, "sin", VECTOR, 1, ARGS(VECTOR), 0, false),
	ROW(SINH, "sinh", VECTOR, 1, ARGS(VECTOR), 0, false),
	ROW(SORT, "sort", VECTOR, 1, ARGS(VECTOR), 0, false),
	ROW(SORT_BY_LABEL, "sort_by_label", VECTOR, 2, ARGS(VECTOR, STRING), PROMQL_ANY_NUMBER,
	    true),
	ROW(SORT_BY_LABEL_DESC, "sort_by_label_desc", VECTOR, 2, ARGS(VECTOR, STRING),
	    PROMQL_ANY_NUMBER, true),
	ROW(SORT_DESC, "sort_desc", VECTOR, 1, ARGS(VECTOR), 0, false),
	ROW(SQRT, "sqrt", VECTOR, 1, ARGS(VECTOR), 0, false),
	ROW(START, "start", SCALAR, 0, ARGS(PROMQL_NONE), 0, true),
	ROW(START_TIMESTAMP, "start_timestamp", VECTOR, 1, ARGS(VECTOR), 0, true),
	ROW(STDDEV_OVER_TIME, "stddev_over_time", VECTOR, 1, ARGS(MATRIX), 0, false),
	ROW(STDVAR_OVER_TIME, "stdvar_over_time", VECTOR, 1, ARGS(MATRIX), 0, false),
	ROW(STEP, "step", SCALAR, 0, ARGS(PROMQL_NONE), 0, true),
	ROW(SUM_OVER_TIME, "sum_over_time", VECTOR, 1, ARGS(MATRIX), 0, false),
	ROW(TAN, "tan", VECTOR, 1, ARGS(VECTOR), 0, false),
	ROW(TANH, "tanh", VECTOR, 1, ARGS(VECTOR), 0, false),
	ROW(TIME, "time", SCALAR, 0, ARGS(PROMQL_NONE), 0, false),
	ROW(TIMESTAMP, "timestamp", VECTOR, 1, ARGS(VECTOR), 0, false),
	ROW(TS_OF_FIRST_OVER_TIME, "ts_of_first_over_time", VECTOR, 1, ARGS(MATRIX), 0, true),
	ROW(TS_OF_LAST_OVER_TIME, "ts_of_last_over_time", VECTOR, 1, ARGS(MATRIX), 0, true),
	ROW(TS_OF_MAX_OVER_TIME, "ts_of_max_over_time", VECTOR, 1, ARGS(MATRIX), 0, true),
	ROW(TS_OF_MIN_OVER_TIME, "ts_of_min_over_time", VECTOR, 1, ARGS(MATRIX), 0, true),
	ROW(VECTOR, "vector", VECTOR, 1, ARGS(SCALAR), 0, false),
	ROW(YEAR, "year", VECTOR, 1, ARGS(VECTOR), 1, false),
};

const struct promql_function *promql_function_find(struct str name)
{
	size_t from = 0, to = countof(functions);

	while (from < to) {
		size_t at = (from + to) / 2;
		int order = str_cmp(name, functions[at].name);

		if (!order)
			return &functions[at];
		if (order < 0)
			to = at;
		else
			from = at + 1;
	}
	return NULL;
}

bool promql_function_varies(enum promql_function_id id)
{
	switch (id) {
	case PROMQL_FN_DAYS_IN_MONTH:
	case PROMQL_FN_DAY_OF_MONTH:
	case PROMQL_FN_DAY_OF_WEEK:
	case PROMQL_FN_DAY_OF_YEAR:
	case PROMQL_FN_END:
	case PROMQL_FN_HOUR:
	case PROMQL_FN_MINUTE:
	case PROMQL_FN_MONTH:
	case PROMQL_FN_PREDICT_LINEAR:
	case PROMQL_FN_RANGE:
	case PROMQL_FN_START:
	case PROMQL_FN_STEP:
	case PROMQL_FN_TIME:
	case PROMQL_FN_TIMESTAMP:
	case PROMQL_FN_YEAR:
		return true;
	default:
		return false;
	}
}

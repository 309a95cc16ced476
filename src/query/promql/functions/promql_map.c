/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that map each sample of a vector: mathematics, limits, dates, parts of histograms. */
#include <math.h>
#include <time.h>

#include "query/promql/functions/promql_vector_call.h"
#include "query/promql/functions/promql_window.h"
#include "signal/metric/native_estimate.h"

struct mapping {
	struct promql_sink sink, *next;
	struct promql_eval *ev;
	enum promql_function_id id;
	double (*function)(double); /* of the table, or NULL */
	double *args[2];
};

static double degrees(double v)
{
	return v * 180 / M_PI;
}

static double radians(double v)
{
	return v * M_PI / 180;
}

static double sign(double v)
{
	return v < 0 ? -1 : v > 0 ? 1 : v;
}

static double (*function_of(enum promql_function_id id))(double)
{
	static double (*const functions[])(double) = {
		[PROMQL_FN_ABS] = fabs,	   [PROMQL_FN_CEIL] = ceil,   [PROMQL_FN_FLOOR] = floor,
		[PROMQL_FN_EXP] = exp,	   [PROMQL_FN_SQRT] = sqrt,   [PROMQL_FN_LN] = log,
		[PROMQL_FN_LOG2] = log2,   [PROMQL_FN_LOG10] = log10, [PROMQL_FN_SIN] = sin,
		[PROMQL_FN_COS] = cos,	   [PROMQL_FN_TAN] = tan,     [PROMQL_FN_ASIN] = asin,
		[PROMQL_FN_ACOS] = acos,   [PROMQL_FN_ATAN] = atan,   [PROMQL_FN_SINH] = sinh,
		[PROMQL_FN_COSH] = cosh,   [PROMQL_FN_TANH] = tanh,   [PROMQL_FN_ASINH] = asinh,
		[PROMQL_FN_ACOSH] = acosh, [PROMQL_FN_ATANH] = atanh, [PROMQL_FN_DEG] = degrees,
		[PROMQL_FN_RAD] = radians, [PROMQL_FN_SGN] = sign,
	};

	return id < countof(functions) ? functions[id] : NULL;
}

/* As Go's: NaN if one is NaN, but for an infinity that decides. */
static double lesser(double a, double b)
{
	if (a == -INFINITY || b == -INFINITY)
		return -INFINITY;
	return isnan(a) || isnan(b) ? NAN : fmin(a, b);
}

static double greater(double a, double b)
{
	if (a == INFINITY || b == INFINITY)
		return INFINITY;
	return isnan(a) || isnan(b) ? NAN : fmax(a, b);
}

static double time_part(enum promql_function_id id, double seconds)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	struct tm tm;
	time_t t;
	long year;

	if (!(fabs(seconds) < 1e15))
		seconds = 0; /* beyond what a calendar has */
	t = (time_t)seconds;
	if (!gmtime_r(&t, &tm))
		return NAN;
	year = tm.tm_year + 1900L;
	switch (id) {
	case PROMQL_FN_MINUTE:
		return tm.tm_min;
	case PROMQL_FN_HOUR:
		return tm.tm_hour;
	case PROMQL_FN_DAY_OF_WEEK:
		return tm.tm_wday;
	case PROMQL_FN_DAY_OF_MONTH:
		return tm.tm_mday;
	case PROMQL_FN_DAY_OF_YEAR:
		return tm.tm_yday + 1;
	case PROMQL_FN_MONTH:
		return tm.tm_mon + 1;
	case PROMQL_FN_YEAR:
		return (double)year;
	default:
		if (tm.tm_mon == 1 && year % 4 == 0 && (year % 100 != 0 || year % 400 == 0))
			return 29;
		return days[tm.tm_mon];
	}
}

/* Map a float. Return false if it has no result. */
static bool map_float(const struct mapping *m, uint32_t step, double *v)
{
	double a = m->args[0] ? m->args[0][step] : 1, b = m->args[1] ? m->args[1][step] : 0;

	if (m->function) {
		*v = m->function(*v);
		return true;
	}
	switch (m->id) {
	case PROMQL_FN_CLAMP:
		*v = greater(a, lesser(b, *v));
		return !(b < a);
	case PROMQL_FN_CLAMP_MIN:
		*v = greater(a, *v);
		return true;
	case PROMQL_FN_CLAMP_MAX:
		*v = lesser(a, *v);
		return true;
	case PROMQL_FN_ROUND:
		a = 1 / a;
		*v = floor(*v * a + 0.5) / a;
		return true;
	case PROMQL_FN_TIMESTAMP:
		*v = (double)promql_time_at(&m->ev->grid, step) / 1000;
		return true;
	case PROMQL_FN_HISTOGRAM_COUNT:
	case PROMQL_FN_HISTOGRAM_SUM:
	case PROMQL_FN_HISTOGRAM_AVG:
	case PROMQL_FN_HISTOGRAM_STDDEV:
	case PROMQL_FN_HISTOGRAM_STDVAR:
		return false;
	default:
		*v = time_part(m->id, *v);
		return true;
	}
}

/* Map a histogram to a float. Return false if it has no result. */
static bool map_histogram(const struct mapping *m, uint32_t step, const struct native_histogram *h,
			  double *v)
{
	switch (m->id) {
	case PROMQL_FN_HISTOGRAM_COUNT:
		*v = h->count;
		return true;
	case PROMQL_FN_HISTOGRAM_SUM:
		*v = h->sum;
		return true;
	case PROMQL_FN_HISTOGRAM_AVG:
		*v = h->sum / h->count;
		return true;
	case PROMQL_FN_HISTOGRAM_STDVAR:
		*v = native_variance(h);
		return true;
	case PROMQL_FN_HISTOGRAM_STDDEV:
		*v = sqrt(native_variance(h));
		return true;
	case PROMQL_FN_TIMESTAMP:
		*v = (double)promql_time_at(&m->ev->grid, step) / 1000;
		return true;
	default:
		return false;
	}
}

static int map_emit(struct promql_sink *sink, struct promql_series *s)
{
	struct mapping *m = (struct mapping *)sink;
	int rc = promql_check_time(m->ev->q);

	for (uint32_t i = 0; i < m->ev->grid.n; i++) {
		const struct native_histogram *h = promql_histogram_at(s, i);
		double *v = &s->floats[i];

		if (h ? !map_histogram(m, i, h, v) : !promql_is_absent(*v) && !map_float(m, i, v))
			*v = promql_absent();
	}
	s->histograms = NULL;
	if (rc || promql_series_is_empty(s, m->ev->grid.n))
		return rc;
	rc = promql_drop_name(m->ev->q, s);
	return rc ? rc : promql_emit(m->next, s);
}

double *promql_scalar_arg(struct promql_eval *ev, struct promql_node *call, uint32_t i,
			  struct arena *arena, int *rc)
{
	double *column = arena_alloc(arena, ev->grid.n, sizeof(*column));

	*rc = column ? promql_eval_scalar(ev, call->call.args.at[i], column)
		     : promql_no_space(ev->q);
	return *rc ? NULL : column;
}

int promql_eval_map(struct promql_eval *ev, struct promql_node *call, struct promql_sink *sink)
{
	struct mapping m = {
		.sink.emit = map_emit, .next = sink, .ev = ev, .id = call->call.function->id};
	struct promql_node *arg = call->call.args.at[0];
	bool merges = promql_names_differ(ev->q, arg);
	struct promql_matrix merged;
	struct arena scratch;
	int rc = 0;

	m.function = function_of(m.id);
	arena_init(&scratch, ev->q->options.budget);
	promql_matrix_init(&merged, ev->q, ev->grid.n, true);
	if (merges)
		m.next = &merged.sink;
	for (uint32_t i = 1; i < call->call.args.n && i <= countof(m.args) && !rc; i++)
		m.args[i - 1] = promql_scalar_arg(ev, call, i, &scratch, &rc);
	if (!rc)
		rc = promql_eval_node(ev, arg, &m.sink);
	if (!rc && merges)
		rc = promql_matrix_emit(&merged, sink);
	promql_matrix_fini(&merged);
	arena_fini(&scratch);
	return rc;
}

/* Emit one series without labels. */
static int emit_plain(struct promql_eval *ev, double *column, struct promql_sink *sink)
{
	struct promql_series s = {.labels = ev->q->labels.empty, .floats = column};

	return promql_emit(sink, &s);
}

/* hour() and the like without an argument: of the evaluation time. Also vector(). */
int promql_eval_time_part(struct promql_eval *ev, struct promql_node *call,
			  struct promql_sink *sink)
{
	enum promql_function_id id = call->call.function->id;
	struct arena scratch;
	double *column;
	int rc = 0;

	if (id != PROMQL_FN_VECTOR && call->call.args.n)
		return promql_eval_map(ev, call, sink);
	arena_init(&scratch, ev->q->options.budget);
	if (id == PROMQL_FN_VECTOR) {
		column = promql_scalar_arg(ev, call, 0, &scratch, &rc);
	} else {
		column = arena_alloc(&scratch, ev->grid.n, sizeof(*column));
		rc = column ? 0 : promql_no_space(ev->q);
		for (uint32_t i = 0; !rc && i < ev->grid.n; i++) {
			int64_t seconds = promql_time_at(&ev->grid, i) / 1000;

			column[i] = time_part(id, (double)seconds);
		}
	}
	if (!rc)
		rc = emit_plain(ev, column, sink);
	arena_fini(&scratch);
	return rc;
}

static int absence_collect(struct promql_sink *sink, struct promql_series *s)
{
	struct promql_absence *a = (struct promql_absence *)sink;

	for (uint32_t i = 0; i < a->steps; i++)
		if (promql_is_present(s, i))
			a->column[i] = promql_absent();
	return 0;
}

int promql_absence_init(struct promql_absence *a, struct arena *arena, uint32_t steps)
{
	*a = (struct promql_absence){.sink.emit = absence_collect, .steps = steps};
	a->column = arena_alloc(arena, steps, sizeof(*a->column));
	for (uint32_t i = 0; a->column && i < steps; i++)
		a->column[i] = 1;
	return a->column ? 0 : -ENOMEM;
}

/* The labels that matchers fix. NULL: out of memory. */
static const struct promql_labels *absence_labels(struct promql_query *q,
						  const struct promql_node *arg)
{
	const struct promql_labels *l = q->labels.empty;
	const promql_matchers *list;

	if (arg->kind == PROMQL_RANGE)
		arg = arg->range.selector;
	while (arg->kind == PROMQL_INVARIANT)
		arg = arg->inner;
	if (arg->kind != PROMQL_SELECTOR)
		return l;
	list = &arg->selector.matchers;
	for (uint32_t i = 0; i < list->n && l; i++) {
		const struct promql_matcher *m = &list->at[i];
		bool again = false;

		if (str_eq(m->name, STR("__name__")))
			continue;
		for (uint32_t k = 0; k < i; k++)
			again |= list->at[k].type == PROMQL_MATCH_EQ &&
				 str_eq(list->at[k].name, m->name);
		l = promql_labels_set(&q->labels, l, m->name,
				      m->type == PROMQL_MATCH_EQ && !again ? m->value
									   : (struct str){0});
	}
	return l;
}

int promql_absence_emit(struct promql_absence *a, struct promql_query *q,
			const struct promql_node *arg, struct promql_sink *sink)
{
	struct promql_series out = {.floats = a->column};

	if (promql_series_is_empty(&out, a->steps))
		return 0;
	out.labels = absence_labels(q, arg);
	return out.labels ? promql_emit(sink, &out) : promql_no_space(q);
}

int promql_eval_absent(struct promql_eval *ev, struct promql_node *call, struct promql_sink *sink)
{
	struct promql_node *arg = call->call.args.at[0];
	struct promql_absence a;
	struct arena scratch;
	int rc;

	arena_init(&scratch, ev->q->options.budget);
	rc = promql_absence_init(&a, &scratch, ev->grid.n) ? promql_no_space(ev->q)
							   : promql_eval_node(ev, arg, &a.sink);
	if (!rc)
		rc = promql_absence_emit(&a, ev->q, arg, sink);
	arena_fini(&scratch);
	return rc;
}

int promql_eval_vector_call(struct promql_eval *ev, struct promql_node *node,
			    struct promql_sink *sink)
{
	switch (node->call.function->id) {
	case PROMQL_FN_ABSENT:
		return promql_eval_absent(ev, node, sink);
	case PROMQL_FN_VECTOR:
	case PROMQL_FN_DAYS_IN_MONTH:
	case PROMQL_FN_DAY_OF_MONTH:
	case PROMQL_FN_DAY_OF_WEEK:
	case PROMQL_FN_DAY_OF_YEAR:
	case PROMQL_FN_HOUR:
	case PROMQL_FN_MINUTE:
	case PROMQL_FN_MONTH:
	case PROMQL_FN_YEAR:
		return promql_eval_time_part(ev, node, sink);
	case PROMQL_FN_SORT:
	case PROMQL_FN_SORT_DESC:
	case PROMQL_FN_SORT_BY_LABEL:
	case PROMQL_FN_SORT_BY_LABEL_DESC:
		return promql_eval_sort(ev, node, sink);
	case PROMQL_FN_LABEL_REPLACE:
		return promql_eval_label_replace(ev, node, sink);
	case PROMQL_FN_LABEL_JOIN:
		return promql_eval_label_join(ev, node, sink);
	case PROMQL_FN_INFO:
		return promql_eval_info(ev, node, sink);
	case PROMQL_FN_HISTOGRAM_QUANTILE:
	case PROMQL_FN_HISTOGRAM_QUANTILES:
	case PROMQL_FN_HISTOGRAM_FRACTION:
		return promql_eval_buckets(ev, node, sink);
	case PROMQL_FN_START_TIMESTAMP:
		return 0; /* only selectors have start times */
	default:
		return promql_eval_map(ev, node, sink);
	}
}

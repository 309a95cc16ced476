/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs queries of metrics: the functions of a query count the spans of each trace
 * (traceql_counts.c); at the end their series are joined by arithmetic, and cut by topk() and
 * comparisons.
 */
#include "query/traceql/traceql_metrics.h"

#include <math.h>
#include <stdlib.h>

#include "query/traceql/traceql_counts.h"

struct traceql_metrics_run {
	const struct traceql *query;
	struct traceql_range range;
	struct arena arena;
	struct traceql_run run;
	VEC(struct traceql_counts) counts; /* of the functions, in the order of the query */
	uint32_t next;			   /* of counts, while series are made */
	uint64_t inspected;
};

/* ---- the range ---- */

static const uint64_t second = 1000000000;

uint64_t traceql_default_step(uint64_t start, uint64_t end)
{
	static const uint64_t units[] = {3600, 300, 60, 15, 5, 1};
	uint64_t step = end > start ? (end - start) / 240 : 0;
	uint64_t short_unit = 50000000; /* of ranges under a minute */

	if (end - start < 60 * second)
		return step > short_unit ? step / short_unit * short_unit : short_unit;
	for (size_t i = 0; i < countof(units); i++)
		if (step > units[i] * second)
			return step / (units[i] * second) * units[i] * second;
	return second;
}

int traceql_range_set(struct traceql_range *out, uint64_t start, uint64_t end, uint64_t step,
		      struct err *e)
{
	uint64_t last;

	if (!step || end < start)
		return err_set(e, -EINVAL,
			       "the step must be positive, and the end after the start");
	last = (end / step + (end % step != 0)) * step;
	start = start / step * step;
	if ((last - start) / step >= TRACEQL_INTERVALS_MAX)
		return err_set(e, -EINVAL,
			       "the range has more than %d intervals: use a larger step",
			       TRACEQL_INTERVALS_MAX);
	*out = (struct traceql_range){
		.first = start, .step = step, .n = (uint32_t)((last - start) / step) + 1};
	return 0;
}

/* ---- counting ---- */

static int add_counts(struct traceql_metrics_run *r, const struct traceql_metrics *m,
		      uint32_t exemplars)
{
	struct traceql_counts c;
	int rc;

	if (m->is_constant)
		return 0;
	if (!m->pipeline) {
		rc = add_counts(r, m->left, exemplars);
		return rc ? rc : add_counts(r, m->right, exemplars);
	}
	rc = traceql_counts_init(&c, m, &r->range, exemplars, &r->arena);
	return rc ? rc : vec_push(&r->arena, &r->counts, c);
}

int traceql_metrics_new(struct traceql_metrics_run **out, const struct traceql *query,
			const struct traceql_range *range, uint32_t exemplars,
			struct budget *budget)
{
	struct traceql_metrics_run *r = calloc(1, sizeof(*r));
	int rc;

	if (!r)
		return -ENOMEM;
	r->query = query;
	r->range = *range;
	arena_init(&r->arena, budget);
	traceql_run_init(&r->run, query, budget);
	rc = add_counts(r, query->metrics, exemplars);
	if (rc)
		traceql_metrics_free(r);
	else
		*out = r;
	return rc;
}

void traceql_metrics_free(struct traceql_metrics_run *r)
{
	if (!r)
		return;
	traceql_run_fini(&r->run);
	arena_fini(&r->arena);
	free(r);
}

uint64_t traceql_metrics_inspected(const struct traceql_metrics_run *r)
{
	return r->inspected;
}

int traceql_metrics_add(struct traceql_metrics_run *r, const struct trace_view *view, struct err *e)
{
	int rc = traceql_run_begin(&r->run, view);

	r->inspected += view->span_count;
	for (uint32_t i = 0; !rc && i < r->counts.n; i++) {
		struct traceql_counts *c = &r->counts.at[i];
		struct traceql_sets sets = {0};

		rc = traceql_run_pipeline(&r->run, c->of->pipeline, &sets, e);
		for (uint32_t s = 0; !rc && s < sets.list.n; s++)
			for (uint32_t k = 0; !rc && k < sets.list.at[s].n; k++)
				rc = traceql_counts_add(c, &r->run, sets.list.at[s].rows[k], e);
	}
	return rc;
}

/* ---- order ---- */

static int compare_labels(const struct traceql_series *a, const struct traceql_series *b)
{
	for (uint32_t i = 0; i < a->label_count && i < b->label_count; i++) {
		const struct traceql_value *x = &a->labels[i].value, *y = &b->labels[i].value;
		int order = str_cmp(a->labels[i].name, b->labels[i].name);

		if (!order && x->type != y->type)
			order = x->type < y->type ? -1 : 1;
		if (!order && traceql_compare(TRACEQL_LT, x, y))
			order = -1;
		if (!order && traceql_compare(TRACEQL_GT, x, y))
			order = 1;
		if (order)
			return order;
	}
	return (a->label_count > b->label_count) - (a->label_count < b->label_count);
}

static int series_order(const void *a, const void *b)
{
	return compare_labels(a, b);
}

static void sort_series(struct traceql_series_list *s)
{
	if (s->list.n)
		qsort(s->list.at, s->list.n, sizeof(*s->list.at), series_order);
}

/* ---- what follows a function ---- */

static bool passes(enum traceql_op op, double a, double b)
{
	switch (op) {
	case TRACEQL_EQ:
		return a == b;
	case TRACEQL_NE:
		return a != b;
	case TRACEQL_GT:
		return a > b;
	case TRACEQL_GE:
		return a >= b;
	case TRACEQL_LT:
		return a < b;
	default:
		return a <= b;
	}
}

struct ranked {
	uint32_t series; /* they are sorted by labels: of a tie topk() takes the first */
	double value;
};

static int rank_high(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->value != y->value)
		return x->value > y->value ? -1 : 1;
	return (x->series > y->series) - (x->series < y->series);
}

static int rank_low(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return (x->series < y->series) - (x->series > y->series); /* bottomk(): the last */
}

/* topk(), bottomk(): in each interval the points that are not among the k are removed. */
static int keep_ranked(struct traceql_metrics_run *r, const struct traceql_second *s,
		       struct traceql_series_list *l)
{
	struct ranked *rows = arena_alloc(&r->arena, l->list.n + 1u, sizeof(*rows));

	if (!rows)
		return -ENOMEM;
	sort_series(l);
	for (uint32_t i = 0; i < r->range.n; i++) {
		uint32_t n = 0;

		for (uint32_t k = 0; k < l->list.n; k++)
			if (!isnan(l->list.at[k].values[i]))
				rows[n++] = (struct ranked){k, l->list.at[k].values[i]};
		qsort(rows, n, sizeof(*rows), s->kind == TRACEQL_TOPK ? rank_high : rank_low);
		for (uint32_t k = (uint32_t)s->number; k < n; k++)
			l->list.at[rows[k].series].values[i] = NAN;
	}
	return 0;
}

static void drop_empty(const struct traceql_metrics_run *r, struct traceql_series_list *l)
{
	uint32_t kept = 0;

	for (uint32_t k = 0; k < l->list.n; k++) {
		bool any = false;

		for (uint32_t i = 0; i < r->range.n; i++)
			any |= !isnan(l->list.at[k].values[i]);
		if (any)
			l->list.at[kept++] = l->list.at[k];
	}
	l->list.n = kept;
}

static int apply_seconds(struct traceql_metrics_run *r, const struct traceql_metrics *m,
			 struct traceql_series_list *l)
{
	int rc = 0;

	for (uint32_t s = 0; !rc && s < m->second_count; s++) {
		const struct traceql_second *second_stage = &m->seconds[s];

		if (second_stage->kind != TRACEQL_THRESHOLD)
			rc = keep_ranked(r, second_stage, l);
		else
			for (uint32_t k = 0; k < l->list.n; k++)
				for (uint32_t i = 0; i < r->range.n; i++) {
					double *v = &l->list.at[k].values[i];

					if (!passes(second_stage->op, *v, second_stage->number))
						*v = NAN;
				}
		drop_empty(r, l);
	}
	return rc;
}

/* ---- arithmetic ---- */

static double math_of(enum traceql_op op, double a, double b)
{
	switch (op) {
	case TRACEQL_ADD:
		return a + b;
	case TRACEQL_SUB:
		return a - b;
	case TRACEQL_MUL:
		return a * b;
	default:
		return b == 0 ? (double)NAN : a / b;
	}
}

/* The labels without __name__. */
static uint32_t plain_labels(const struct traceql_series *s, const struct traceql_label **out)
{
	bool named = s->label_count && str_eq(s->labels[0].name, STR("__name__"));

	*out = s->labels + named;
	return s->label_count - named;
}

/* Return whether two series are partners: equal labels, or one side has none. */
static bool are_partners(const struct traceql_series *a, const struct traceql_series *b)
{
	const struct traceql_label *x, *y;
	uint32_t n = plain_labels(a, &x), m = plain_labels(b, &y);

	if (!n || !m)
		return true;
	for (uint32_t i = 0; i < n && n == m; i++)
		if (!str_eq(x[i].name, y[i].name) || !traceql_same(&x[i].value, &y[i].value))
			return false;
	return n == m;
}

static struct str math_name(struct traceql_metrics_run *r, const struct traceql_metrics *m);

/* "(left op right)", with the names of functions and constants. */
static struct str math_name(struct traceql_metrics_run *r, const struct traceql_metrics *m)
{
	static const char signs[] = {'+', '-', '*', '/'};
	struct str out = m->function, left, right;
	int rc;

	if (m->is_constant) {
		rc = arena_printf(&r->arena, &out, "%g", m->constant);
		return rc ? STR("") : out;
	}
	if (m->pipeline)
		return out;
	left = math_name(r, m->left);
	right = math_name(r, m->right);
	rc = arena_printf(&r->arena, &out, "(%.*s %c %.*s)", STR_ARG(left),
			  signs[m->op - TRACEQL_ADD], STR_ARG(right));
	return rc ? STR("") : out;
}

static int join_pair(struct traceql_metrics_run *r, const struct traceql_metrics *m,
		     const struct traceql_series *a, const struct traceql_series *b,
		     struct traceql_series_list *out)
{
	/* a constant has no labels, and metrics without by() have only their name */
	struct traceql_series s = a->label_count ? *a : *b;
	const struct traceql_label *labels;

	if (!plain_labels(a, &labels) && plain_labels(b, &labels))
		s = *b;

	s.exemplars = NULL;
	s.exemplar_count = 0;
	s.values = arena_alloc(&r->arena, r->range.n, sizeof(*s.values));
	if (!s.values)
		return -ENOMEM;
	for (uint32_t i = 0; i < r->range.n; i++)
		s.values[i] = math_of(m->op, a->values[i], b->values[i]);
	if (s.label_count && str_eq(s.labels[0].name, STR("__name__")))
		s.labels[0].value = (struct traceql_value){.type = TRACEQL_TYPE_STRING,
							   .text = math_name(r, m)};
	return vec_push(&r->arena, &out->list, s);
}

static int make_series(struct traceql_metrics_run *r, const struct traceql_metrics *m,
		       struct traceql_series_list *out, struct err *e);

/* A constant is a series without labels. */
static int constant_series(struct traceql_metrics_run *r, double v, struct traceql_series_list *out)
{
	struct traceql_series s = {.values = arena_alloc(&r->arena, r->range.n, sizeof(double))};

	if (!s.values)
		return -ENOMEM;
	for (uint32_t i = 0; i < r->range.n; i++)
		s.values[i] = v;
	return vec_push(&r->arena, &out->list, s);
}

static int join_series(struct traceql_metrics_run *r, const struct traceql_metrics *m,
		       struct traceql_series_list *out, struct err *e)
{
	struct traceql_series_list left = {0}, right = {0};
	int rc = make_series(r, m->left, &left, e);

	if (!rc)
		rc = make_series(r, m->right, &right, e);
	for (uint32_t i = 0; !rc && i < left.list.n; i++)
		for (uint32_t k = 0; !rc && k < right.list.n; k++) {
			if (!are_partners(&left.list.at[i], &right.list.at[k]))
				continue;
			if (out->list.n >= TRACEQL_SERIES_MAX)
				return err_set(e, -E2BIG, "the query has more than %d series",
					       TRACEQL_SERIES_MAX);
			rc = join_pair(r, m, &left.list.at[i], &right.list.at[k], out);
		}
	drop_empty(r, out);
	return rc;
}

static int make_series(struct traceql_metrics_run *r, const struct traceql_metrics *m,
		       struct traceql_series_list *out, struct err *e)
{
	int rc;

	if (m->is_constant)
		return constant_series(r, m->constant, out);
	if (m->pipeline) {
		rc = traceql_counts_series(&r->counts.at[r->next++], out);
		sort_series(out);
	} else {
		rc = join_series(r, m, out, e);
	}
	return rc ? rc : apply_seconds(r, m, out);
}

int traceql_metrics_finish(struct traceql_metrics_run *r, struct traceql_series_list *out,
			   struct err *e)
{
	int rc;

	*out = (struct traceql_series_list){0};
	r->next = 0;
	rc = make_series(r, r->query->metrics, out, e);
	sort_series(out);
	return rc;
}

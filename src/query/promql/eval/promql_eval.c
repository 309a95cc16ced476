/* SPDX-License-Identifier: Apache-2.0 */
/* Dispatch by the kind of node, scalars, signs, and invariant parts. */
#include "query/promql/eval/promql_eval.h"

#include <math.h>

int64_t promql_shifted(const struct promql_shift *shift, int64_t time)
{
	return (shift->at_kind ? shift->at_ms : time) - shift->offset_ns / 1000000;
}

struct str promql_text_arg(struct promql_node *node)
{
	node = promql_unwrap(node);
	return node->kind == PROMQL_TEXT ? node->text : (struct str){0};
}

double promql_calculate(enum promql_op op, double a, double b)
{
	switch (op) {
	case PROMQL_OP_ADD:
		return a + b;
	case PROMQL_OP_SUB:
		return a - b;
	case PROMQL_OP_MUL:
		return a * b;
	case PROMQL_OP_DIV:
		return a / b;
	case PROMQL_OP_MOD:
		return fmod(a, b);
	case PROMQL_OP_POW:
		return pow(a, b);
	case PROMQL_OP_ATAN2:
		return atan2(a, b);
	case PROMQL_OP_EQ:
		return a == b;
	case PROMQL_OP_NE:
		return a != b;
	case PROMQL_OP_LT:
		return a < b;
	case PROMQL_OP_LE:
		return a <= b;
	case PROMQL_OP_GT:
		return a > b;
	case PROMQL_OP_GE:
		return a >= b;
	default:
		return NAN;
	}
}

static bool has_name(const struct promql_node *selector)
{
	for (uint32_t i = 0; i < selector->selector.matchers.n; i++) {
		const struct promql_matcher *m = &selector->selector.matchers.at[i];

		if (m->type == PROMQL_MATCH_EQ && str_eq(m->name, STR("__name__")))
			return true;
	}
	return false;
}

bool promql_names_differ(const struct promql_query *q, const struct promql_node *node)
{
	if (q->options.delayed_name_removal)
		return false;
	switch (node->kind) {
	case PROMQL_SELECTOR:
		return !has_name(node);
	case PROMQL_RANGE:
		return promql_names_differ(q, node->range.selector);
	case PROMQL_SUBQUERY:
		return promql_names_differ(q, node->subquery.expr);
	case PROMQL_PAREN:
	case PROMQL_INVARIANT:
		return promql_names_differ(q, node->inner);
	case PROMQL_UNARY:
		return promql_names_differ(q, node->unary.expr);
	default:
		return true;
	}
}

/* The greater or smaller one; NaN if one is NaN. */
static double extreme(bool greater, double a, double b)
{
	if (isnan(a) || isnan(b))
		return isinf(a) && (a > 0) == greater	? a
		       : isinf(b) && (b > 0) == greater ? b
							: NAN;
	return greater ? fmax(a, b) : fmin(a, b);
}

/* Finds the only float of each step. */
struct scalar_sink {
	struct promql_sink sink;
	double *out;
	uint8_t *seen;
	uint32_t steps;
};

static int scalar_emit(struct promql_sink *sink, struct promql_series *s)
{
	struct scalar_sink *self = (struct scalar_sink *)sink;

	for (uint32_t i = 0; i < self->steps; i++) {
		if (promql_is_absent(s->floats[i]) || promql_histogram_at(s, i))
			continue;
		self->out[i] = self->seen[i] ? NAN : s->floats[i];
		self->seen[i] = 1;
	}
	return 0;
}

static int scalar_of_vector(struct promql_eval *ev, struct promql_node *arg, double *out)
{
	struct scalar_sink sink = {.sink.emit = scalar_emit, .out = out, .steps = ev->grid.n};
	struct arena scratch;
	int rc;

	arena_init(&scratch, ev->q->options.budget);
	sink.seen = arena_zalloc(&scratch, ev->grid.n, 1);
	for (uint32_t i = 0; i < ev->grid.n; i++)
		out[i] = NAN;
	rc = sink.seen ? promql_eval_node(ev, arg, &sink.sink) : promql_no_space(ev->q);
	arena_fini(&scratch);
	return rc;
}

/* Evaluate two scalars and combine them. */
static int scalar_pair(struct promql_eval *ev, struct promql_node *a, struct promql_node *b,
		       const struct promql_node *node, double *out)
{
	struct arena scratch;
	double *right;
	int rc;

	arena_init(&scratch, ev->q->options.budget);
	right = arena_alloc(&scratch, ev->grid.n, sizeof(*right));
	rc = right ? promql_eval_scalar(ev, a, out) : promql_no_space(ev->q);
	if (!rc)
		rc = promql_eval_scalar(ev, b, right);
	for (uint32_t i = 0; !rc && i < ev->grid.n; i++) {
		if (node->kind == PROMQL_BINARY)
			out[i] = promql_calculate(node->binary.op, out[i], right[i]);
		else
			out[i] = extreme(node->call.function->id == PROMQL_FN_MAX_OF, out[i],
					 right[i]);
	}
	arena_fini(&scratch);
	return rc;
}

static int scalar_call(struct promql_eval *ev, struct promql_node *node, double *out)
{
	struct promql_node *const *args = node->call.args.at;

	switch (node->call.function->id) {
	case PROMQL_FN_TIME:
		for (uint32_t i = 0; i < ev->grid.n; i++)
			out[i] = (double)promql_time_at(&ev->grid, i) / 1000;
		return 0;
	case PROMQL_FN_PI:
		for (uint32_t i = 0; i < ev->grid.n; i++)
			out[i] = M_PI;
		return 0;
	case PROMQL_FN_MAX_OF:
	case PROMQL_FN_MIN_OF:
		return scalar_pair(ev, args[0], args[1], node, out);
	default:
		return scalar_of_vector(ev, args[0], out);
	}
}

int promql_eval_scalar(struct promql_eval *ev, struct promql_node *node, double *out)
{
	struct promql_eval once = *ev;
	int rc = promql_check_time(ev->q);

	if (rc)
		return rc;
	switch (node->kind) {
	case PROMQL_NUMBER:
		for (uint32_t i = 0; i < ev->grid.n; i++)
			out[i] = node->number.value;
		return 0;
	case PROMQL_CALL:
		return scalar_call(ev, node, out);
	case PROMQL_BINARY:
		return scalar_pair(ev, node->binary.left, node->binary.right, node, out);
	case PROMQL_UNARY:
		rc = promql_eval_scalar(ev, node->unary.expr, out);
		for (uint32_t i = 0; !rc && node->unary.op == PROMQL_OP_SUB && i < ev->grid.n; i++)
			out[i] = -out[i];
		return rc;
	case PROMQL_PAREN:
		return promql_eval_scalar(ev, node->inner, out);
	case PROMQL_INVARIANT:
		once.grid.n = 1;
		rc = promql_eval_scalar(&once, node->inner, out);
		for (uint32_t i = 1; !rc && i < ev->grid.n; i++)
			out[i] = out[0];
		return rc;
	default:
		return promql_error(ev->q, -EDOM, "expression is not a scalar");
	}
}

/* Changes the sign. */
struct negate_sink {
	struct promql_sink sink, *next;
	struct promql_query *q;
	uint32_t steps;
};

static int negate_emit(struct promql_sink *sink, struct promql_series *s)
{
	struct negate_sink *self = (struct negate_sink *)sink;
	struct native_work *w = &self->q->works[0];

	for (uint32_t i = 0; i < self->steps; i++)
		if (!promql_is_absent(s->floats[i]))
			s->floats[i] = -s->floats[i];
	for (uint32_t i = 0; s->histograms && i < self->steps; i++) {
		if (!s->histograms[i])
			continue;
		if (native_work_set(w, s->histograms[i]))
			return promql_no_space(self->q);
		native_work_multiply(w, -1);
		s->histograms[i] = native_work_finish(w, self->q->arena);
		if (!s->histograms[i])
			return promql_no_space(self->q);
	}
	return promql_drop_name(self->q, s) ? -ENOMEM : promql_emit(self->next, s);
}

static int eval_unary(struct promql_eval *ev, struct promql_node *node, struct promql_sink *sink)
{
	struct negate_sink negate = {
		.sink.emit = negate_emit, .next = sink, .q = ev->q, .steps = ev->grid.n};
	struct promql_matrix merged;
	int rc;

	if (node->unary.op == PROMQL_OP_ADD)
		return promql_eval_node(ev, node->unary.expr, sink);
	if (!promql_names_differ(ev->q, node->unary.expr))
		return promql_eval_node(ev, node->unary.expr, &negate.sink);
	promql_matrix_init(&merged, ev->q, ev->grid.n, true);
	negate.next = &merged.sink;
	rc = promql_eval_node(ev, node->unary.expr, &negate.sink);
	if (!rc)
		rc = promql_matrix_emit(&merged, sink);
	promql_matrix_fini(&merged);
	return rc;
}

/* Copies the sample of the first step to all steps. */
struct repeat_sink {
	struct promql_sink sink, *next;
	struct promql_query *q;
	struct arena arena;
	double *floats;
	const struct native_histogram **histograms;
	uint32_t steps;
};

static int repeat_emit(struct promql_sink *sink, struct promql_series *s)
{
	struct repeat_sink *self = (struct repeat_sink *)sink;
	const struct native_histogram *h = promql_histogram_at(s, 0);
	struct promql_series out = *s;

	if (!promql_is_present(s, 0))
		return 0;
	if (!self->floats)
		self->floats = arena_alloc(&self->arena, self->steps, sizeof(*self->floats));
	if (h && !self->histograms)
		self->histograms = promql_histograms_new(&self->arena, self->steps);
	if (!self->floats || (h && !self->histograms))
		return promql_no_space(self->q);
	out.floats = self->floats;
	out.histograms = h ? self->histograms : NULL;
	for (uint32_t i = 0; i < self->steps; i++) {
		out.floats[i] = s->floats[0];
		if (h)
			out.histograms[i] = h;
	}
	return promql_emit(self->next, &out);
}

static int eval_invariant(struct promql_eval *ev, struct promql_node *node,
			  struct promql_sink *sink)
{
	struct repeat_sink repeat = {
		.sink.emit = repeat_emit, .next = sink, .q = ev->q, .steps = ev->grid.n};
	struct promql_eval once = *ev;
	int rc;

	if (ev->grid.n == 1)
		return promql_eval_node(ev, node->inner, sink);
	once.grid.n = 1;
	arena_init(&repeat.arena, ev->q->options.budget);
	rc = promql_eval_node(&once, node->inner, &repeat.sink);
	arena_fini(&repeat.arena);
	return rc;
}

/* Return the argument that is a range vector, or NULL. */
static struct promql_node *range_arg(const struct promql_node *node)
{
	for (uint32_t i = 0; i < node->call.args.n; i++) {
		struct promql_node *arg = promql_unwrap(node->call.args.at[i]);

		if (promql_type_of(arg) == PROMQL_MATRIX)
			return arg;
	}
	return NULL;
}

static int eval_call(struct promql_eval *ev, struct promql_node *node, struct promql_sink *sink)
{
	struct promql_node *range = range_arg(node);
	enum promql_function_id id = node->call.function->id;

	if (range)
		return promql_eval_range_call(ev, node, range, sink);
	if (id == PROMQL_FN_TIMESTAMP || id == PROMQL_FN_START_TIMESTAMP) {
		struct promql_node *arg = promql_unwrap(node->call.args.at[0]);

		if (arg->kind == PROMQL_SELECTOR)
			return promql_eval_sample_times(ev, arg, id == PROMQL_FN_START_TIMESTAMP,
							sink);
	}
	return promql_eval_vector_call(ev, node, sink);
}

static int eval_aggregate(struct promql_eval *ev, struct promql_node *node,
			  struct promql_sink *sink)
{
	switch (node->aggregate.op) {
	case PROMQL_AGG_TOPK:
	case PROMQL_AGG_BOTTOMK:
	case PROMQL_AGG_LIMITK:
	case PROMQL_AGG_LIMIT_RATIO:
		return promql_eval_ranked(ev, node, sink);
	case PROMQL_AGG_COUNT_VALUES:
		return promql_eval_count_values(ev, node, sink);
	default:
		return promql_eval_aggregate(ev, node, sink);
	}
}

int promql_eval_node(struct promql_eval *ev, struct promql_node *node, struct promql_sink *sink)
{
	int rc = promql_check_time(ev->q);

	if (rc || !ev->grid.n)
		return rc;
	switch (node->kind) {
	case PROMQL_SELECTOR:
		return promql_eval_selector(ev, node, sink);
	case PROMQL_CALL:
		return eval_call(ev, node, sink);
	case PROMQL_AGGREGATE:
		return eval_aggregate(ev, node, sink);
	case PROMQL_BINARY:
		if (!node->binary.is_matched)
			return promql_eval_with_scalar(ev, node, sink);
		return promql_op_is_set(node->binary.op) ? promql_eval_set(ev, node, sink)
							 : promql_eval_match(ev, node, sink);
	case PROMQL_UNARY:
		return eval_unary(ev, node, sink);
	case PROMQL_PAREN:
		return promql_eval_node(ev, node->inner, sink);
	case PROMQL_INVARIANT:
		return eval_invariant(ev, node, sink);
	default:
		return promql_error(ev->q, -EDOM, "expression is not an instant vector");
	}
}

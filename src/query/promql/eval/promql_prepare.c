/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known before the evaluation: durations, the times of the query, which parts are the same
 * at all steps, and which selectors need only the counts and sums of histograms.
 */
#include <math.h>

#include "query/promql/eval/promql_eval.h"

/* The seconds of a duration expression. */
static int evaluate(struct promql_query *q, const struct promql_node *node, double *out)
{
	double left = 0, right = 0;
	int rc = 0;

	if (node->kind == PROMQL_NUMBER) {
		*out = node->number.value;
		return 0;
	}
	if (node->duration.left)
		rc = evaluate(q, node->duration.left, &left);
	if (!rc && node->duration.right)
		rc = evaluate(q, node->duration.right, &right);
	if (rc)
		return rc;
	if ((node->duration.op == PROMQL_OP_DIV || node->duration.op == PROMQL_OP_MOD) &&
	    right == 0)
		return promql_error(q, -EDOM, "%u:%u: %s by zero", node->start, node->end,
				    node->duration.op == PROMQL_OP_DIV ? "division" : "modulo");
	switch (node->duration.op) {
	case PROMQL_OP_STEP:
		*out = (double)q->times.step_ms / 1000;
		break;
	case PROMQL_OP_RANGE:
		*out = (double)(q->times.end_ms - q->times.start_ms) / 1000;
		break;
	case PROMQL_OP_MIN_OF:
		*out = isnan(left) || isnan(right) ? NAN : fmin(left, right);
		break;
	case PROMQL_OP_MAX_OF:
		*out = isnan(left) || isnan(right) ? NAN : fmax(left, right);
		break;
	case PROMQL_OP_ADD:
		*out = node->duration.left ? left + right : right;
		break;
	case PROMQL_OP_SUB:
		*out = node->duration.left ? left - right : -right;
		break;
	default:
		*out = promql_calculate(node->duration.op, left, right);
	}
	return 0;
}

/* Evaluate a duration expression to nanoseconds of whole milliseconds. */
static int resolve(struct promql_query *q, const struct promql_node *expr, bool negative,
		   int64_t *ns)
{
	double seconds = 0;
	int rc;

	if (!expr)
		return 0;
	rc = evaluate(q, expr, &seconds);
	if (rc)
		return rc;
	if (!isfinite(seconds))
		return promql_error(q, -EDOM, "%u:%u: duration is NaN or infinite", expr->start,
				    expr->end);
	if (seconds <= 0 && !negative)
		return promql_error(q, -EDOM, "%u:%u: duration must be greater than 0", expr->start,
				    expr->end);
	if (fabs(seconds) > 9223372036.0)
		return promql_error(q, -EDOM, "%u:%u: duration is out of range", expr->start,
				    expr->end);
	*ns = (int64_t)(seconds * 1000) * 1000000;
	return 0;
}

static int resolve_shift(struct promql_query *q, struct promql_shift *shift)
{
	if (shift->at_kind == PROMQL_AT_START)
		shift->at_ms = q->times.start_ms;
	else if (shift->at_kind == PROMQL_AT_END)
		shift->at_ms = q->times.end_ms;
	return resolve(q, shift->offset_expr, true, &shift->offset_ns);
}

static void fold_call(struct promql_query *q, struct promql_node *node)
{
	double value;

	switch (node->call.function->id) {
	case PROMQL_FN_START:
		value = (double)q->times.start_ms / 1000;
		break;
	case PROMQL_FN_END:
		value = (double)q->times.end_ms / 1000;
		break;
	case PROMQL_FN_RANGE:
		value = (double)(q->times.end_ms - q->times.start_ms) / 1000;
		break;
	case PROMQL_FN_STEP:
		value = q->times.start_ms == q->times.end_ms ? 0 : (double)q->times.step_ms / 1000;
		break;
	default:
		return;
	}
	node->kind = PROMQL_NUMBER;
	node->number.value = value;
	node->number.is_duration = false;
}

/* What is above a node. */
struct above {
	bool stats, no_stats;
	/* A sum of the node, or of what a function makes of its series that is linear in them. */
	const struct promql_node *sum;
};

/* Return whether the result for a sum of series is the sum of the results, if they have the same
 * times. */
static bool is_linear(enum promql_function_id id)
{
	return id == PROMQL_FN_RATE || id == PROMQL_FN_INCREASE || id == PROMQL_FN_DELTA ||
	       id == PROMQL_FN_SUM_OVER_TIME || id == PROMQL_FN_AVG_OVER_TIME ||
	       id == PROMQL_FN_LAST_OVER_TIME;
}

static struct above above_call(struct above above, enum promql_function_id id)
{
	above.sum = is_linear(id) ? above.sum : NULL;
	switch (id) {
	case PROMQL_FN_HISTOGRAM_COUNT:
	case PROMQL_FN_HISTOGRAM_SUM:
	case PROMQL_FN_HISTOGRAM_AVG:
		above.stats = true;
		return above;
	case PROMQL_FN_HISTOGRAM_QUANTILE:
	case PROMQL_FN_HISTOGRAM_QUANTILES:
	case PROMQL_FN_HISTOGRAM_FRACTION:
		above.no_stats = true;
		return above;
	default:
		return above;
	}
}

static int prepare(struct promql_query *q, struct promql_node *node, struct above above)
{
	int rc = 0;

	switch (node->kind) {
	case PROMQL_SELECTOR:
		node->selector.stats_only = above.stats && !above.no_stats;
		node->selector.sum = above.sum;
		return resolve_shift(q, &node->selector.shift);
	case PROMQL_RANGE:
		rc = resolve(q, node->range.range_expr, false, &node->range.range_ns);
		return rc ? rc : prepare(q, node->range.selector, above);
	case PROMQL_SUBQUERY:
		rc = resolve_shift(q, &node->subquery.shift);
		if (!rc)
			rc = resolve(q, node->subquery.step_expr, false, &node->subquery.step_ns);
		if (!rc)
			rc = resolve(q, node->subquery.range_expr, false, &node->subquery.range_ns);
		above.no_stats = true;
		above.sum = NULL;
		return rc ? rc : prepare(q, node->subquery.expr, above);
	case PROMQL_CALL:
		above = above_call(above, node->call.function->id);
		for (uint32_t i = 0; i < node->call.args.n && !rc; i++)
			rc = prepare(q, node->call.args.at[i], above);
		fold_call(q, node);
		return rc;
	case PROMQL_AGGREGATE:
		above.sum = NULL;
		if (node->aggregate.param)
			rc = prepare(q, node->aggregate.param, above);
		above.sum = node->aggregate.op == PROMQL_AGG_SUM ? node : NULL;
		return rc ? rc : prepare(q, node->aggregate.expr, above);
	case PROMQL_BINARY:
		above.sum = NULL;
		if (node->binary.op == PROMQL_OP_TRIM_UPPER ||
		    node->binary.op == PROMQL_OP_TRIM_LOWER)
			above.no_stats = true;
		rc = prepare(q, node->binary.left, above);
		return rc ? rc : prepare(q, node->binary.right, above);
	case PROMQL_UNARY:
		return prepare(q, node->unary.expr, above);
	case PROMQL_PAREN:
	case PROMQL_INVARIANT:
		return prepare(q, node->inner, above);
	default:
		return 0;
	}
}

/* Whether a node is the same at all steps, and whether that is worth evaluating it once. */
struct invariance {
	bool holds, wraps;
};

static struct invariance find_invariants(struct promql_query *q, struct promql_node **at, int *rc);

/* Put the node into one that is evaluated once. */
static void wrap(struct promql_query *q, struct promql_node **node, int *rc)
{
	struct promql_node *outer = arena_zalloc(q->arena, 1, sizeof(*outer));

	if (!outer) {
		*rc = promql_no_space(q);
		return;
	}
	outer->kind = PROMQL_INVARIANT;
	outer->start = (*node)->start;
	outer->end = (*node)->end;
	outer->inner = *node;
	*node = outer;
}

static struct invariance of_call(struct promql_query *q, struct promql_node *call, int *rc)
{
	const struct promql_function *f = call->call.function;
	bool holds = !promql_function_varies(f->id), of_selector = f->id == PROMQL_FN_TIMESTAMP;
	bool wraps[32] = {0};

	for (uint32_t i = 0; i < call->call.args.n && !*rc; i++) {
		struct promql_node **arg = &call->call.args.at[i];
		struct invariance found;

		*arg = promql_unwrap(*arg);
		found = find_invariants(q, arg, rc);
		holds &= found.holds;
		of_selector &= found.holds && (*arg)->kind == PROMQL_SELECTOR;
		if (i < countof(wraps))
			wraps[i] = found.wraps;
	}
	if (holds || of_selector)
		return (struct invariance){true, true};
	for (uint32_t i = 0; i < call->call.args.n && i < countof(wraps) && !*rc; i++)
		if (wraps[i])
			wrap(q, &call->call.args.at[i], rc);
	return (struct invariance){false, false};
}

static struct invariance find_invariants(struct promql_query *q, struct promql_node **at, int *rc)
{
	struct promql_node *node = *at;
	struct invariance left, right;

	switch (node->kind) {
	case PROMQL_SELECTOR:
		left.holds = left.wraps = node->selector.shift.at_kind != PROMQL_AT_NONE;
		return left;
	case PROMQL_AGGREGATE:
		node->aggregate.expr = promql_unwrap(node->aggregate.expr);
		node->aggregate.param = promql_unwrap(node->aggregate.param);
		left = find_invariants(q, &node->aggregate.expr, rc);
		if (!node->aggregate.param || !left.holds)
			return left;
		/* A parameter that changes makes the whole change. */
		right = find_invariants(q, &node->aggregate.param, rc);
		if (right.holds)
			return left;
		if (left.wraps)
			wrap(q, &node->aggregate.expr, rc);
		return (struct invariance){false, false};
	case PROMQL_BINARY:
		left = find_invariants(q, &node->binary.left, rc);
		right = find_invariants(q, &node->binary.right, rc);
		if (left.holds && right.holds)
			return (struct invariance){true, true};
		if (left.wraps)
			wrap(q, &node->binary.left, rc);
		if (right.wraps)
			wrap(q, &node->binary.right, rc);
		return (struct invariance){false, false};
	case PROMQL_CALL:
		return of_call(q, node, rc);
	case PROMQL_RANGE:
		left = find_invariants(q, &node->range.selector, rc);
		return (struct invariance){left.holds, false};
	case PROMQL_SUBQUERY:
		left = find_invariants(q, &node->subquery.expr, rc);
		if (left.holds && left.wraps)
			wrap(q, &node->subquery.expr, rc);
		return (struct invariance){node->subquery.shift.at_kind != PROMQL_AT_NONE, false};
	case PROMQL_PAREN:
	case PROMQL_INVARIANT:
		return find_invariants(q, &node->inner, rc);
	case PROMQL_UNARY:
		return find_invariants(q, &node->unary.expr, rc);
	default:
		return (struct invariance){true, false};
	}
}

int promql_prepare(struct promql_query *q, struct promql_expr *expr)
{
	int rc = prepare(q, expr->root, (struct above){0});
	struct invariance found;

	if (rc)
		return rc;
	found = find_invariants(q, &expr->root, &rc);
	if (!rc && found.wraps)
		wrap(q, &expr->root, &rc);
	return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluates the nodes of a parsed line by recursion; the parser bounds its depth. */
#include "pipeline/ottl/ottl_expression.h"

#include <errno.h>
#include <math.h>

#include "pipeline/ottl/ottl_call.h"

/* ---- lists and maps ---- */

/* Evaluate an element; it is copied, because a list or map has one owner. */
/* NOLINTNEXTLINE(misc-no-recursion): the depth of the tree is limited */
static int eval_element(struct ottl_eval *ev, const struct ottl_node *n, struct ottl_value *out)
{
	struct ottl_value v;
	int rc = ottl_eval_node(ev, n, &v);

	if (!rc)
		rc = ottl_value_copy(&ev->scratch, &v, false, out);
	return rc == -E2BIG ? ottl_fail(ev, "the value is nested too deep") : rc;
}

/* NOLINTNEXTLINE(misc-no-recursion): the depth of the tree is limited */
static int eval_list(struct ottl_eval *ev, const struct ottl_node *n, struct ottl_value *out)
{
	struct ottl_list *list = ottl_list_new(&ev->scratch);
	int rc = list ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < n->items.n && !rc; i++) {
		struct ottl_value v;

		rc = eval_element(ev, n->items.at[i], &v);
		if (!rc)
			rc = ottl_list_add(&ev->scratch, list, v);
	}
	*out = (struct ottl_value){.kind = OTTL_LIST, .list = list};
	return rc;
}

/* NOLINTNEXTLINE(misc-no-recursion): the depth of the tree is limited */
static int eval_map(struct ottl_eval *ev, const struct ottl_node *n, struct ottl_value *out)
{
	struct ottl_map *map = ottl_map_new(&ev->scratch);
	int rc = map ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < n->items.n && !rc; i++) {
		struct ottl_value v;

		rc = eval_element(ev, n->items.at[i], &v);
		if (!rc)
			rc = ottl_map_set(&ev->scratch, map, n->names.at[i], v);
	}
	*out = (struct ottl_value){.kind = OTTL_MAP, .map = map};
	return rc;
}

/* ---- math ---- */

static bool is_number(const struct ottl_value *v)
{
	return v->kind == OTTL_INT || v->kind == OTTL_DOUBLE;
}

static double as_double(const struct ottl_value *v)
{
	return v->kind == OTTL_DOUBLE ? v->d : (double)v->i;
}

/* Integers wrap around, as in Go. */
static int64_t int_math(char sign, int64_t a, int64_t b)
{
	switch (sign) {
	case '+':
		return (int64_t)((uint64_t)a + (uint64_t)b);
	case '-':
		return (int64_t)((uint64_t)a - (uint64_t)b);
	case '*':
		return (int64_t)((uint64_t)a * (uint64_t)b);
	default:
		return b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
	}
}

static double double_math(char sign, double a, double b)
{
	return sign == '+' ? a + b : sign == '-' ? a - b : sign == '*' ? a * b : a / b;
}

/* Return the kind of the result of adding or subtracting times and durations, or nil. */
static enum ottl_kind time_math(char sign, enum ottl_kind a, enum ottl_kind b)
{
	if (sign != '+' && sign != '-')
		return OTTL_NIL;
	if (a == OTTL_TIME && b == OTTL_TIME)
		return sign == '-' ? OTTL_DURATION : OTTL_NIL;
	if (a == OTTL_DURATION && b == OTTL_TIME)
		return sign == '+' ? OTTL_TIME : OTTL_NIL;
	return b == OTTL_DURATION && (a == OTTL_TIME || a == OTTL_DURATION) ? a : OTTL_NIL;
}

static int compute(struct ottl_eval *ev, char sign, const struct ottl_value *a,
		   const struct ottl_value *b, struct ottl_value *out)
{
	enum ottl_kind kind = time_math(sign, a->kind, b->kind);

	if (kind != OTTL_NIL) {
		*out = (struct ottl_value){.kind = kind, .i = int_math(sign, a->i, b->i)};
		return 0;
	}
	if (!is_number(a) || !is_number(b))
		return ottl_fail(ev, "cannot compute %s %c %s", ottl_kind_names[a->kind], sign,
				 ottl_kind_names[b->kind]);
	if (sign == '/' && as_double(b) == 0)
		return ottl_fail(ev, "attempted to divide by 0");
	if (a->kind == OTTL_INT && b->kind == OTTL_INT)
		*out = OTTL_VALUE_INT(int_math(sign, a->i, b->i));
	else
		*out = OTTL_VALUE_DOUBLE(double_math(sign, as_double(a), as_double(b)));
	return 0;
}

/* NOLINTNEXTLINE(misc-no-recursion): the depth of the tree is limited */
static int eval_math(struct ottl_eval *ev, const struct ottl_node *n, struct ottl_value *out)
{
	struct ottl_value a, b;
	int rc = ottl_eval_node(ev, n->items.at[0], &a);

	if (!rc)
		rc = ottl_eval_node(ev, n->items.at[1], &b);
	return rc ? rc : compute(ev, n->sign, &a, &b, out);
}

/* NOLINTNEXTLINE(misc-no-recursion): the depth of the tree is limited */
static int eval_negate(struct ottl_eval *ev, const struct ottl_node *n, struct ottl_value *out)
{
	int rc = ottl_eval_node(ev, n->items.at[0], out);

	if (rc)
		return rc;
	if (out->kind == OTTL_DOUBLE)
		out->d = -out->d;
	else if (out->kind == OTTL_INT || out->kind == OTTL_DURATION)
		out->i = (int64_t)(0 - (uint64_t)out->i);
	else
		return ottl_fail(ev, "cannot negate %s", ottl_kind_names[out->kind]);
	return 0;
}

/* NOLINTNEXTLINE(misc-no-recursion): the depth of the tree is limited */
int ottl_eval_node(struct ottl_eval *ev, const struct ottl_node *n, struct ottl_value *out)
{
	switch (n->kind) {
	case NODE_LITERAL:
		*out = n->literal;
		return 0;
	case NODE_PATH:
		return ottl_path_get(ev, n, out);
	case NODE_CALL:
		return ottl_call(ev, n, out);
	case NODE_LIST:
		return eval_list(ev, n, out);
	case NODE_MAP:
		return eval_map(ev, n, out);
	case NODE_MATH:
		return eval_math(ev, n, out);
	case NODE_NEGATE:
		return eval_negate(ev, n, out);
	default:
		return ottl_fail(ev, "not a value");
	}
}

/* ---- comparison ---- */

static bool holds(enum ottl_compare compare, int order)
{
	switch (compare) {
	case OTTL_EQ:
		return order == 0;
	case OTTL_NE:
		return order != 0;
	case OTTL_LT:
		return order < 0;
	case OTTL_GT:
		return order > 0;
	case OTTL_LE:
		return order <= 0;
	case OTTL_GE:
		return order >= 0;
	}
	return false;
}

static bool numbers_hold(enum ottl_compare compare, const struct ottl_value *a,
			 const struct ottl_value *b)
{
	double x = as_double(a), y = as_double(b);

	if (a->kind == OTTL_INT && b->kind == OTTL_INT)
		return holds(compare, (a->i > b->i) - (a->i < b->i));
	if (isnan(x) || isnan(y))
		return compare == OTTL_NE;
	return holds(compare, (x > y) - (x < y));
}

static bool is_nothing(const struct ottl_value *v)
{
	return v->kind == OTTL_NIL || (v->kind == OTTL_BYTES && !v->s.n);
}

/* Values of different kinds are never equal and have no order. */
static bool compare_values(struct arena *arena, enum ottl_compare compare, struct ottl_value *a,
			   struct ottl_value *b)
{
	if (is_number(a) && is_number(b))
		return numbers_hold(compare, a, b);
	if (is_nothing(a) && is_nothing(b))
		return compare == OTTL_EQ || compare == OTTL_LE || compare == OTTL_GE;
	if (a->kind != b->kind)
		return compare == OTTL_NE;
	switch (a->kind) {
	case OTTL_STRING:
	case OTTL_BYTES:
		if (compare <= OTTL_NE)
			return str_eq(a->s, b->s) == (compare == OTTL_EQ);
		return holds(compare, str_cmp(a->s, b->s));
	case OTTL_BOOL:
	case OTTL_TIME:
	case OTTL_DURATION:
		return holds(compare, (a->i > b->i) - (a->i < b->i));
	default:
		return compare <= OTTL_NE && ottl_value_equal(arena, a, b) == (compare == OTTL_EQ);
	}
}

/* NOLINTNEXTLINE(misc-no-recursion): the depth of the tree is limited */
static int eval_compare(struct ottl_eval *ev, const struct ottl_node *n)
{
	struct ottl_value a, b;
	int rc = ottl_eval_node(ev, n->items.at[0], &a);

	if (!rc)
		rc = ottl_eval_node(ev, n->items.at[1], &b);
	if (!rc)
		rc = ottl_value_open(&ev->scratch, &a);
	if (!rc)
		rc = ottl_value_open(&ev->scratch, &b);
	return rc ? rc : compare_values(&ev->scratch, n->compare, &a, &b);
}

/* ---- conditions ---- */

/* NOLINTNEXTLINE(misc-no-recursion): the depth of the tree is limited */
static int eval_joined(struct ottl_eval *ev, const struct ottl_node *n)
{
	int end = n->kind == NODE_OR, rc = !end;

	for (uint32_t i = 0; i < n->items.n && rc != end && rc >= 0; i++)
		rc = ottl_eval_condition(ev, n->items.at[i]);
	return rc;
}

/* NOLINTNEXTLINE(misc-no-recursion): the depth of the tree is limited */
static int eval_truth(struct ottl_eval *ev, const struct ottl_node *n)
{
	struct ottl_value v;
	int rc = ottl_eval_node(ev, n, &v);

	if (rc)
		return rc;
	if (v.kind != OTTL_BOOL)
		return ottl_fail(ev, "a condition needs a bool but %.*s returned %s",
				 STR_ARG(n->name), ottl_kind_names[v.kind]);
	return v.i != 0;
}

/* NOLINTNEXTLINE(misc-no-recursion): the depth of the tree is limited */
int ottl_eval_condition(struct ottl_eval *ev, const struct ottl_node *n)
{
	int rc;

	switch (n->kind) {
	case NODE_COMPARE:
		return eval_compare(ev, n);
	case NODE_AND:
	case NODE_OR:
		return eval_joined(ev, n);
	case NODE_NOT:
		rc = ottl_eval_condition(ev, n->items.at[0]);
		return rc < 0 ? rc : !rc;
	default:
		return eval_truth(ev, n);
	}
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Values of fields and expressions: comparison, arithmetic and their text. */
#include "query/traceql/traceql_value.h"

#include <inttypes.h>
#include <math.h>

#include "base/container/hash.h"
#include "signal/span_batch.h"

struct traceql_value traceql_value_of(const struct trace_value *v)
{
	struct traceql_value out = {0};

	switch (v->type) {
	case TRACE_STRING:
	case TRACE_JSON:
		out.type = v->type == TRACE_STRING ? TRACEQL_TYPE_STRING : TRACEQL_TYPE_JSON;
		out.text = v->text;
		break;
	case TRACE_INT:
		out.type = TRACEQL_TYPE_INT;
		out.number = v->number;
		break;
	case TRACE_DOUBLE:
		out.type = TRACEQL_TYPE_DOUBLE;
		out.real = v->real;
		break;
	case TRACE_BOOL:
		out.type = TRACEQL_TYPE_BOOL;
		out.truth = v->truth;
		break;
	case TRACE_ARRAY:
		out.type = TRACEQL_TYPE_ARRAY;
		out.n = v->n;
		out.elements = v->elements;
		break;
	case TRACE_NIL:
		break;
	}
	return out;
}

bool traceql_number(const struct traceql_value *v, double *out)
{
	if (v->type == TRACEQL_TYPE_DOUBLE)
		*out = v->real;
	else if (v->type == TRACEQL_TYPE_INT || v->type == TRACEQL_TYPE_DURATION)
		*out = (double)v->number;
	else
		return false;
	return true;
}

/* ---- comparison ---- */

static bool compare_order(enum traceql_op op, int order)
{
	switch (op) {
	case TRACEQL_EQ:
		return order == 0;
	case TRACEQL_NE:
		return order != 0;
	case TRACEQL_GT:
		return order > 0;
	case TRACEQL_GE:
		return order >= 0;
	case TRACEQL_LT:
		return order < 0;
	case TRACEQL_LE:
		return order <= 0;
	default:
		return false;
	}
}

static bool compare_doubles(enum traceql_op op, double a, double b)
{
	if (isnan(a) || isnan(b))
		return op == TRACEQL_NE;
	return compare_order(op, (a > b) - (a < b));
}

static enum traceql_op flipped(enum traceql_op op)
{
	switch (op) {
	case TRACEQL_GT:
		return TRACEQL_LT;
	case TRACEQL_GE:
		return TRACEQL_LE;
	case TRACEQL_LT:
		return TRACEQL_GT;
	case TRACEQL_LE:
		return TRACEQL_GE;
	default:
		return op;
	}
}

static bool compare_array(enum traceql_op op, const struct traceql_value *array,
			  const struct traceql_value *b)
{
	bool none = op == TRACEQL_NE;

	if (b->type == TRACEQL_TYPE_ARRAY)
		return false;
	for (uint32_t i = 0; i < array->n; i++) {
		struct traceql_value v = traceql_value_of(&array->elements[i]);

		if (traceql_compare(none ? TRACEQL_EQ : op, &v, b))
			return !none;
	}
	return none;
}

bool traceql_compare(enum traceql_op op, const struct traceql_value *a,
		     const struct traceql_value *b)
{
	double x, y;

	if (a->type == TRACEQL_TYPE_NIL || b->type == TRACEQL_TYPE_NIL)
		return false;
	if (a->type == TRACEQL_TYPE_ARRAY)
		return compare_array(op, a, b);
	if (b->type == TRACEQL_TYPE_ARRAY)
		return compare_array(flipped(op), b, a);
	if (a->type != TRACEQL_TYPE_DOUBLE && b->type != TRACEQL_TYPE_DOUBLE &&
	    traceql_number(a, &x) && traceql_number(b, &y))
		return compare_order(op, (a->number > b->number) - (a->number < b->number));
	if (traceql_number(a, &x) && traceql_number(b, &y))
		return compare_doubles(op, x, y);
	if (a->type != b->type)
		return false;
	switch (a->type) {
	case TRACEQL_TYPE_STRING:
		return compare_order(op, str_cmp(a->text, b->text));
	case TRACEQL_TYPE_BOOL:
		return compare_order(op, a->truth - b->truth);
	case TRACEQL_TYPE_STATUS:
	case TRACEQL_TYPE_KIND:
		return compare_order(op, (a->number > b->number) - (a->number < b->number));
	default:
		return false;
	}
}

bool traceql_same(const struct traceql_value *a, const struct traceql_value *b)
{
	if (a->type != b->type)
		return false;
	switch (a->type) {
	case TRACEQL_TYPE_STRING:
	case TRACEQL_TYPE_JSON:
		return str_eq(a->text, b->text);
	case TRACEQL_TYPE_DOUBLE:
		return a->real == b->real || (isnan(a->real) && isnan(b->real));
	case TRACEQL_TYPE_BOOL:
		return a->truth == b->truth;
	case TRACEQL_TYPE_ARRAY:
		if (a->n != b->n)
			return false;
		for (uint32_t i = 0; i < a->n; i++) {
			struct traceql_value x = traceql_value_of(&a->elements[i]);
			struct traceql_value y = traceql_value_of(&b->elements[i]);

			if (!traceql_same(&x, &y))
				return false;
		}
		return true;
	case TRACEQL_TYPE_NIL:
		return true;
	default:
		return a->number == b->number;
	}
}

uint64_t traceql_hash(const struct traceql_value *v)
{
	uint64_t h = v->type;
	double real;

	switch (v->type) {
	case TRACEQL_TYPE_STRING:
	case TRACEQL_TYPE_JSON:
		return hash_bytes(v->text.p, v->text.n) ^ h;
	case TRACEQL_TYPE_DOUBLE:
		real = isnan(v->real) ? (double)NAN : v->real + 0.0; /* -0 is 0 */
		return hash_bytes(&real, sizeof(real)) ^ h;
	case TRACEQL_TYPE_BOOL:
		return h << 8 | v->truth;
	case TRACEQL_TYPE_ARRAY:
		for (uint32_t i = 0; i < v->n; i++) {
			struct traceql_value x = traceql_value_of(&v->elements[i]);

			h = h * 0x9e3779b97f4a7c15 + traceql_hash(&x);
		}
		return h;
	case TRACEQL_TYPE_NIL:
		return h;
	default:
		return hash_bytes(&v->number, sizeof(v->number)) ^ h;
	}
}

/* ---- arithmetic ---- */

/* Return a to the power of b; 0 for negative powers, as a division that truncates. */
static int64_t int_power(int64_t a, int64_t b)
{
	uint64_t result = 1, base = (uint64_t)a;

	if (b < 0)
		return a == 1 ? 1 : a == -1 ? (b & 1 ? -1 : 1) : 0;
	for (; b; b >>= 1, base *= base)
		if (b & 1)
			result *= base;
	return (int64_t)result;
}

static bool int_arithmetic(enum traceql_op op, int64_t a, int64_t b, int64_t *out)
{
	switch (op) {
	case TRACEQL_ADD:
		*out = (int64_t)((uint64_t)a + (uint64_t)b);
		return true;
	case TRACEQL_SUB:
		*out = (int64_t)((uint64_t)a - (uint64_t)b);
		return true;
	case TRACEQL_MUL:
		*out = (int64_t)((uint64_t)a * (uint64_t)b);
		return true;
	case TRACEQL_POW:
		*out = int_power(a, b);
		return true;
	default:
		break;
	}
	if (!b)
		return false;
	if (b == -1) /* INT64_MIN / -1 overflows */
		*out = op == TRACEQL_DIV ? (int64_t)(0 - (uint64_t)a) : 0;
	else
		*out = op == TRACEQL_DIV ? a / b : a % b;
	return true;
}

bool traceql_arithmetic(enum traceql_op op, const struct traceql_value *a,
			const struct traceql_value *b, struct traceql_value *out)
{
	double x, y;

	*out = (struct traceql_value){0};
	if (a->type == TRACEQL_TYPE_INT && b->type == TRACEQL_TYPE_INT) {
		out->type = TRACEQL_TYPE_INT;
		return int_arithmetic(op, a->number, b->number, &out->number);
	}
	if (!traceql_number(a, &x) || !traceql_number(b, &y))
		return true;
	out->type = TRACEQL_TYPE_DOUBLE;
	switch (op) {
	case TRACEQL_ADD:
		out->real = x + y;
		break;
	case TRACEQL_SUB:
		out->real = x - y;
		break;
	case TRACEQL_MUL:
		out->real = x * y;
		break;
	case TRACEQL_DIV:
		out->real = x / y;
		break;
	case TRACEQL_MOD:
		out->real = fmod(x, y);
		break;
	default:
		out->real = pow(x, y);
	}
	return true;
}

bool traceql_constant(const struct traceql_expr *x, struct traceql_value *out)
{
	static const struct traceql_value minus_one = {.type = TRACEQL_TYPE_INT, .number = -1};
	struct traceql_value a, b;

	switch (x->kind) {
	case TRACEQL_EXPR_LITERAL:
		*out = x->literal;
		return true;
	case TRACEQL_EXPR_MINUS:
		if (!traceql_constant(x->left, &a))
			return false;
		if (a.type == TRACEQL_TYPE_DURATION) {
			*out = a;
			out->number = -a.number;
			return true;
		}
		return traceql_arithmetic(TRACEQL_MUL, &a, &minus_one, out);
	default:
		return x->left && x->right && traceql_constant(x->left, &a) &&
		       traceql_constant(x->right, &b) && traceql_arithmetic(x->op, &a, &b, out);
	}
}

/* ---- text ---- */

/* Append `value` / `unit` with the digits after the point that are needed. */
static void put_fraction(struct buf *out, uint64_t value, uint64_t unit)
{
	buf_put_u64(out, value / unit);
	value %= unit;
	if (!value)
		return;
	buf_put_char(out, '.');
	for (; value; value %= unit) {
		value *= 10;
		buf_put_char(out, (char)('0' + value / unit));
	}
}

void traceql_duration_text(struct buf *out, int64_t ns)
{
	uint64_t v = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;

	if (ns < 0)
		buf_put_char(out, '-');
	if (!v) {
		buf_put_str(out, STR("0s"));
	} else if (v < 1000) {
		buf_printf(out, "%" PRIu64 "ns", v);
	} else if (v < 1000000) {
		put_fraction(out, v, 1000);
		buf_put_str(out, STR("µs"));
	} else if (v < 1000000000) {
		put_fraction(out, v, 1000000);
		buf_put_str(out, STR("ms"));
	} else {
		uint64_t minutes = v / 60000000000;

		if (minutes >= 60)
			buf_printf(out, "%" PRIu64 "h", minutes / 60);
		if (minutes)
			buf_printf(out, "%" PRIu64 "m", minutes % 60);
		put_fraction(out, v % 60000000000, 1000000000);
		buf_put_char(out, 's');
	}
}

void traceql_value_text(struct buf *out, const struct traceql_value *v)
{
	switch (v->type) {
	case TRACEQL_TYPE_STRING:
	case TRACEQL_TYPE_JSON:
		buf_put_str(out, v->text);
		break;
	case TRACEQL_TYPE_INT:
		buf_put_i64(out, v->number);
		break;
	case TRACEQL_TYPE_DOUBLE:
		buf_printf(out, "%.17g", v->real);
		break;
	case TRACEQL_TYPE_BOOL:
		buf_put_str(out, v->truth ? STR("true") : STR("false"));
		break;
	case TRACEQL_TYPE_DURATION:
		traceql_duration_text(out, v->number);
		break;
	case TRACEQL_TYPE_STATUS:
		buf_put_str(out, str_from(span_status_names[v->number]));
		break;
	case TRACEQL_TYPE_KIND:
		buf_put_str(out,
			    v->number ? str_from(span_kind_names[v->number]) : STR("unspecified"));
		break;
	case TRACEQL_TYPE_ARRAY:
		buf_put_char(out, '[');
		for (uint32_t i = 0; i < v->n; i++) {
			struct traceql_value x = traceql_value_of(&v->elements[i]);

			if (i)
				buf_put_str(out, STR(", "));
			traceql_value_text(out, &x);
		}
		buf_put_char(out, ']');
		break;
	default:
		buf_put_str(out, STR("nil"));
	}
}

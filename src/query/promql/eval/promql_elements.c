/* SPDX-License-Identifier: Apache-2.0 */
/* Binary operators on pairs of samples, and on vectors with scalars. */
#include "query/promql/eval/promql_eval.h"
#include "query/promql/functions/promql_window.h"
#include "signal/metric/native_estimate.h"

static int note_types(struct promql_query *q, const struct promql_node *node, bool left, bool right)
{
	struct str op = promql_op_text(node->binary.op);

	if (promql_annotate(q->annotations, PROMQL_INFO, node->start,
			    "incompatible sample types encountered for binary operator \"%.*s\": "
			    "%s %.*s %s",
			    STR_ARG(op), left ? "histogram" : "float", STR_ARG(op),
			    right ? "histogram" : "float"))
		return promql_no_space(q);
	return 0;
}

/* Make the result of what is in the scratch histogram. */
static int finish(struct promql_query *q, bool compact, struct promql_point *out)
{
	struct native_work *w = &q->works[0];

	if (compact)
		native_work_compact(w);
	out->histogram = native_work_finish(w, q->arena);
	out->found = true;
	return out->histogram ? 0 : promql_no_space(q);
}

/* Add or subtract two histograms. */
static int combine(struct promql_query *q, const struct promql_node *node,
		   const struct native_histogram *a, const struct native_histogram *b,
		   struct promql_point *out)
{
	bool add = node->binary.op == PROMQL_OP_ADD;
	const char *name = add ? "addition" : "subtraction";
	struct native_work *w = &q->works[0];
	struct native_notes notes = {0};
	int rc;

	if (native_work_set(w, a))
		return promql_no_space(q);
	rc = add ? native_work_add(w, b, &notes) : native_work_subtract(w, b, &notes);
	if (rc == -EPROTOTYPE) {
		struct str op = promql_op_text(node->binary.op);

		rc = promql_annotate(q->annotations, PROMQL_WARNING, node->start,
				     "incompatible bucket layout encountered for binary operator "
				     "%.*s",
				     STR_ARG(op));
		return rc ? promql_no_space(q) : 0;
	}
	if (rc)
		return promql_no_space(q);
	/* Prometheus drops a pair whose hints conflict. */
	if (notes.reset_conflict)
		return promql_warn_conflict(q, node->start, name) ? promql_no_space(q) : 0;
	if (notes.bounds_reconciled && promql_note_bounds(q, node->start, name))
		return promql_no_space(q);
	if (!add)
		w->reset = NATIVE_GAUGE;
	return finish(q, true, out);
}

static int scale(struct promql_query *q, const struct native_histogram *h, double by, bool divide,
		 struct promql_point *out)
{
	struct native_work *w = &q->works[0];

	if (native_work_set(w, h))
		return promql_no_space(q);
	if (divide)
		native_work_divide(w, by);
	else
		native_work_multiply(w, by);
	return finish(q, true, out);
}

static int with_histograms(struct promql_query *q, const struct promql_node *node,
			   struct promql_point a, struct promql_point b, struct promql_point *out,
			   bool *keep)
{
	enum promql_op op = node->binary.op;

	if (a.histogram && b.histogram) {
		if (op == PROMQL_OP_ADD || op == PROMQL_OP_SUB)
			return combine(q, node, a.histogram, b.histogram, out);
		if (op == PROMQL_OP_EQ || op == PROMQL_OP_NE) {
			*out = a;
			out->found = true;
			*keep = native_equal(a.histogram, b.histogram) == (op == PROMQL_OP_EQ);
			return 0;
		}
	} else if (a.histogram) {
		if (op == PROMQL_OP_MUL || op == PROMQL_OP_DIV)
			return scale(q, a.histogram, b.value, op == PROMQL_OP_DIV, out);
		if (op == PROMQL_OP_TRIM_UPPER || op == PROMQL_OP_TRIM_LOWER) {
			if (native_work_trim(&q->works[0], a.histogram, b.value,
					     op == PROMQL_OP_TRIM_UPPER))
				return promql_no_space(q);
			return finish(q, false, out);
		}
	} else if (op == PROMQL_OP_MUL) {
		return scale(q, b.histogram, a.value, false, out);
	}
	return note_types(q, node, a.histogram, b.histogram);
}

int promql_operate(struct promql_query *q, const struct promql_node *node, struct promql_point left,
		   struct promql_point right, struct promql_point *out, bool *keep)
{
	enum promql_op op = node->binary.op;

	*out = (struct promql_point){0};
	*keep = true;
	if (left.histogram || right.histogram)
		return with_histograms(q, node, left, right, out, keep);
	if (op == PROMQL_OP_TRIM_UPPER || op == PROMQL_OP_TRIM_LOWER)
		return note_types(q, node, false, false);
	out->found = true;
	out->value = promql_calculate(op, left.value, right.value);
	if (promql_op_compares(op)) {
		*keep = out->value != 0;
		out->value = left.value;
	}
	return 0;
}

/* A vector with a scalar. */
struct scalar_operation {
	struct promql_sink sink, *next;
	struct promql_eval *ev;
	struct promql_node *node;
	double *scalar;
	bool scalar_left;
};

static int put_result(struct scalar_operation *o, struct promql_series *s, uint32_t i)
{
	struct promql_point vector = {s->floats[i], promql_histogram_at(s, i), true};
	struct promql_point scalar = {o->scalar[i], NULL, true}, out;
	bool keep;
	int rc = promql_operate(o->ev->q, o->node, o->scalar_left ? scalar : vector,
				o->scalar_left ? vector : scalar, &out, &keep);

	if (rc)
		return rc;
	if (promql_op_compares(o->node->binary.op) && out.found) {
		out.value = vector.value;
		out.histogram = vector.histogram;
	}
	if (o->node->binary.returns_bool && out.found) {
		out.value = keep;
		out.histogram = NULL;
		keep = true;
	}
	keep &= out.found;
	s->floats[i] = keep && !out.histogram ? out.value : promql_absent();
	if (s->histograms)
		s->histograms[i] = keep ? out.histogram : NULL;
	return 0;
}

/* The fast path: floats only, no comparison. */
static void calculate_column(struct scalar_operation *o, double *column)
{
	enum promql_op op = o->node->binary.op;

	for (uint32_t i = 0; i < o->ev->grid.n; i++)
		if (!promql_is_absent(column[i]))
			column[i] = o->scalar_left ? promql_calculate(op, o->scalar[i], column[i])
						   : promql_calculate(op, column[i], o->scalar[i]);
}

static int scalar_emit(struct promql_sink *sink, struct promql_series *s)
{
	struct scalar_operation *o = (struct scalar_operation *)sink;
	enum promql_op op = o->node->binary.op;
	bool arithmetic = op <= PROMQL_OP_ATAN2;
	int rc = promql_check_time(o->ev->q);

	if (arithmetic && !s->histograms) {
		calculate_column(o, s->floats);
	} else {
		for (uint32_t i = 0; i < o->ev->grid.n && !rc; i++)
			if (promql_is_present(s, i))
				rc = put_result(o, s, i);
	}
	if (!rc && (arithmetic || o->node->binary.returns_bool))
		rc = promql_drop_name(o->ev->q, s);
	if (rc || promql_series_is_empty(s, o->ev->grid.n))
		return rc;
	return promql_emit(o->next, s);
}

int promql_eval_with_scalar(struct promql_eval *ev, struct promql_node *node,
			    struct promql_sink *sink)
{
	struct scalar_operation o = {
		.sink.emit = scalar_emit, .next = sink, .ev = ev, .node = node};
	struct promql_node *vector = node->binary.left, *scalar = node->binary.right;
	bool drops = node->binary.op <= PROMQL_OP_ATAN2 || node->binary.returns_bool, merges;
	struct promql_matrix merged;
	struct arena scratch;
	int rc;

	o.scalar_left = promql_type_of(vector) == PROMQL_SCALAR;
	if (o.scalar_left) {
		vector = node->binary.right;
		scalar = node->binary.left;
	}
	merges = drops && promql_names_differ(ev->q, vector);
	arena_init(&scratch, ev->q->options.budget);
	promql_matrix_init(&merged, ev->q, ev->grid.n, true);
	o.scalar = arena_alloc(&scratch, ev->grid.n, sizeof(double));
	if (merges)
		o.next = &merged.sink;
	rc = o.scalar ? promql_eval_scalar(ev, scalar, o.scalar) : promql_no_space(ev->q);
	if (!rc)
		rc = promql_eval_node(ev, vector, &o.sink);
	if (!rc && merges)
		rc = promql_matrix_emit(&merged, sink);
	promql_matrix_fini(&merged);
	arena_fini(&scratch);
	return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reduces a query to conditions on single spans that a store can test by its filters. A filter
 * becomes alternatives (or) of leaves (and). Whatever cannot be a leaf counts as true, so that no
 * trace is missed: negations, arithmetic, regular expressions, fields of the trace. The filters
 * themselves are listed, too, for spans that the leaves do not exclude.
 */
#include "query/traceql/traceql_want.h"

#include "query/traceql/traceql_value.h"
#include "wire/text.h"

/*
 * Alternatives and filters while they are made. The zero value has none: nothing is of interest.
 */
struct wants {
	bool all;
	VEC(struct trace_alternative) list;
	bool any_span;
	VEC(const struct traceql_expr *) filters;
};

static void set_all(struct wants *w)
{
	w->all = true;
	w->list.n = 0;
}

/* a or b, into `a` */
static int join_either(struct arena *arena, struct wants *a, const struct wants *b)
{
	int rc = 0;

	a->any_span |= b->any_span;
	for (uint32_t i = 0; !rc && i < b->filters.n; i++)
		rc = vec_push(arena, &a->filters, b->filters.at[i]);
	if (a->all || b->all || a->list.n + b->list.n > TRACE_ALTERNATIVES_MAX)
		set_all(a);
	for (uint32_t i = 0; !rc && !a->all && i < b->list.n; i++)
		rc = vec_push(arena, &a->list, b->list.at[i]);
	return rc;
}

/* How well the alternatives select: an equality is better than a range, few better than many. */
static unsigned selectivity(const struct wants *w)
{
	unsigned best = 0;

	if (w->all)
		return 0;
	if (!w->list.n)
		return UINT32_MAX;
	for (uint32_t i = 0; i < w->list.n; i++) {
		unsigned score = 1;

		for (uint32_t k = 0; k < w->list.at[i].n; k++) {
			const struct trace_leaf *leaf = &w->list.at[i].leaves[k];

			score += leaf->op == TRACE_LEAF_EQ ? 100 : 10;
		}
		best = !i || score < best ? score : best;
	}
	return best;
}

/* a and b, of two spans of a trace: the one that selects better will do. */
static void join_trace(struct wants *a, const struct wants *b)
{
	unsigned x = selectivity(a), y = selectivity(b);

	if (y > x || (y == x && a->any_span && !b->any_span))
		*a = *b;
}

/* a and b, of the same span: each alternative of one with each of the other. */
static int join_span(struct arena *arena, struct wants *a, const struct wants *b)
{
	struct wants out = {0};
	int rc = 0;

	if (a->all || b->all || (size_t)a->list.n * b->list.n > TRACE_ALTERNATIVES_MAX) {
		join_trace(a, b);
		return 0;
	}
	for (uint32_t i = 0; !rc && i < a->list.n; i++)
		for (uint32_t k = 0; !rc && k < b->list.n; k++) {
			struct trace_alternative x = a->list.at[i];
			const struct trace_alternative *y = &b->list.at[k];

			for (uint32_t j = 0; j < y->n && x.n < TRACE_LEAVES_MAX; j++)
				x.leaves[x.n++] = y->leaves[j];
			rc = vec_push(arena, &out.list, x);
		}
	*a = out;
	return rc;
}

/* ---- leaves ---- */

static bool leaf_op(enum traceql_op op, bool flip, enum trace_leaf_op *out)
{
	switch (op) {
	case TRACEQL_EQ:
		*out = TRACE_LEAF_EQ;
		return true;
	case TRACEQL_GT:
		*out = flip ? TRACE_LEAF_LT : TRACE_LEAF_GT;
		return true;
	case TRACEQL_GE:
		*out = flip ? TRACE_LEAF_LE : TRACE_LEAF_GE;
		return true;
	case TRACEQL_LT:
		*out = flip ? TRACE_LEAF_GT : TRACE_LEAF_LT;
		return true;
	case TRACEQL_LE:
		*out = flip ? TRACE_LEAF_GE : TRACE_LEAF_LE;
		return true;
	default:
		return false;
	}
}

static bool leaf_value(const struct traceql_value *v, struct trace_value *out)
{
	*out = (struct trace_value){0};
	switch (v->type) {
	case TRACEQL_TYPE_STRING:
		out->type = TRACE_STRING;
		out->text = v->text;
		return true;
	case TRACEQL_TYPE_DOUBLE:
		out->type = TRACE_DOUBLE;
		out->real = v->real;
		return true;
	case TRACEQL_TYPE_BOOL:
		out->type = TRACE_BOOL;
		out->truth = v->truth;
		return true;
	case TRACEQL_TYPE_INT:
	case TRACEQL_TYPE_DURATION:
	case TRACEQL_TYPE_STATUS:
	case TRACEQL_TYPE_KIND:
		out->type = TRACE_INT;
		out->number = v->number;
		return true;
	default:
		return false;
	}
}

/* The bytes of an id in hex; leading zeros may be missing. Return false if it is none. */
static bool leaf_id(struct arena *a, struct str hex, size_t size, struct trace_value *out, int *rc)
{
	char text[32];
	uint8_t *id;
	size_t n;

	if (hex.n > 2 * size)
		return false;
	memset(text, '0', sizeof(text));
	if (hex.n)
		memcpy(text + 2 * size - hex.n, hex.p, hex.n);
	id = arena_alloc(a, size, 1);
	if (!id) {
		*rc = -ENOMEM;
		return false;
	}
	if (hex_decode(str_of(text, 2 * size), id, size, &n))
		return false;
	*out = (struct trace_value){.type = TRACE_STRING};
	out->text = str_of((const char *)id, size);
	return true;
}

/* Set the leaf for a built-in field. Return false if there is none for it. */
static bool builtin_leaf(struct arena *a, const struct traceql_expr *x,
			 const struct traceql_value *v, struct trace_leaf *leaf, int *rc)
{
	switch (x->builtin) {
	case TRACEQL_DURATION_OF_SPAN:
		leaf->of = TRACE_LEAF_DURATION;
		return true;
	case TRACEQL_STATUS:
		leaf->of = TRACE_LEAF_STATUS;
		return true;
	case TRACEQL_KIND:
		leaf->of = TRACE_LEAF_KIND;
		return true;
	case TRACEQL_TRACE_ID:
		leaf->of = TRACE_LEAF_TRACE_ID;
		return leaf->op == TRACE_LEAF_EQ && leaf_id(a, v->text, 16, &leaf->value, rc);
	case TRACEQL_SPAN_ID:
		leaf->of = TRACE_LEAF_SPAN_ID;
		return leaf->op == TRACE_LEAF_EQ && leaf_id(a, v->text, 8, &leaf->value, rc);
	default:
		return false;
	}
}

/* The leaves of a field: one, or of an attribute without scope one for each scope. */
static int field_leaves(const struct traceql *q, const struct traceql_expr *x,
			const struct trace_leaf *like, struct wants *out)
{
	uint32_t n = x->kind == TRACEQL_EXPR_UNSCOPED ? TRACEQL_UNSCOPED_FIELDS : 1;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < n; i++) {
		struct trace_alternative one = {.n = 1};

		one.leaves[0] = *like;
		one.leaves[0].of = TRACE_LEAF_FIELD;
		one.leaves[0].field = q->fields.at[x->field + i];
		rc = vec_push(q->arena, &out->list, one);
	}
	return rc;
}

/* x op value */
static int compare_leaf(const struct traceql *q, const struct traceql_expr *x,
			const struct traceql_expr *literal, enum traceql_op op, bool flip,
			struct wants *out)
{
	struct trace_alternative one = {.n = 1};
	struct trace_leaf leaf = {0};
	int rc = 0;

	if (literal->type == TRACEQL_TYPE_NIL) {
		leaf.op = TRACE_LEAF_EXISTS;
		if (op != TRACEQL_NE || x->kind == TRACEQL_EXPR_BUILTIN) {
			set_all(out);
			return 0;
		}
		return field_leaves(q, x, &leaf, out);
	}
	if (!leaf_op(op, flip, &leaf.op) || !leaf_value(&literal->literal, &leaf.value)) {
		set_all(out);
		return 0;
	}
	if (x->kind != TRACEQL_EXPR_BUILTIN)
		return field_leaves(q, x, &leaf, out);
	if (!builtin_leaf(q->arena, x, &literal->literal, &leaf, &rc)) {
		set_all(out);
		return rc;
	}
	one.leaves[0] = leaf;
	return vec_push(q->arena, &out->list, one);
}

static bool is_field(const struct traceql_expr *x)
{
	return x->kind == TRACEQL_EXPR_FIELD || x->kind == TRACEQL_EXPR_UNSCOPED ||
	       x->kind == TRACEQL_EXPR_BUILTIN;
}

static int want_expr(const struct traceql *q, const struct traceql_expr *x, struct wants *out)
{
	struct wants other = {0};
	int rc;

	if (x->kind == TRACEQL_EXPR_BINARY && (x->op == TRACEQL_AND || x->op == TRACEQL_OR)) {
		rc = want_expr(q, x->left, out);
		if (!rc)
			rc = want_expr(q, x->right, &other);
		if (rc)
			return rc;
		return x->op == TRACEQL_AND ? join_span(q->arena, out, &other)
					    : join_either(q->arena, out, &other);
	}
	if (x->kind == TRACEQL_EXPR_BINARY && is_field(x->left) &&
	    x->right->kind == TRACEQL_EXPR_LITERAL)
		return compare_leaf(q, x->left, x->right, x->op, false, out);
	if (x->kind == TRACEQL_EXPR_BINARY && is_field(x->right) &&
	    x->left->kind == TRACEQL_EXPR_LITERAL)
		return compare_leaf(q, x->right, x->left, x->op, true, out);
	set_all(out);
	return 0;
}

/* ---- filters ---- */

/* Return whether an expression needs nothing but a span. NULL: yes. */
static bool is_of_span(const struct traceql_expr *x)
{
	if (!x)
		return true;
	if (x->kind != TRACEQL_EXPR_BUILTIN)
		return is_of_span(x->left) && is_of_span(x->right);
	switch (x->builtin) {
	case TRACEQL_DURATION_OF_SPAN:
	case TRACEQL_STATUS:
	case TRACEQL_KIND:
	case TRACEQL_SPAN_ID:
	case TRACEQL_PARENT_ID:
	case TRACEQL_TRACE_ID:
		return true;
	default:
		return false;
	}
}

static int want_filter(const struct traceql *q, const struct traceql_expr *filter,
		       struct wants *out)
{
	int rc;

	if (!filter) {
		set_all(out);
		out->any_span = true;
		return 0;
	}
	rc = want_expr(q, filter, out);
	if (rc)
		return rc;
	out->any_span = !is_of_span(filter);
	return out->any_span ? 0 : vec_push(q->arena, &out->filters, filter);
}

/* ---- spansets ---- */

static int want_pipeline(const struct traceql *q, const struct traceql_pipeline *p,
			 struct wants *out);

static int want_spansets(const struct traceql *q, const struct traceql_spanset *s,
			 struct wants *out)
{
	struct wants other = {0};
	int rc;

	if (s->kind == TRACEQL_SPANSET_PIPELINE)
		return want_pipeline(q, s->pipeline, out);
	if (s->kind == TRACEQL_SPANSET_FILTER)
		return want_filter(q, s->filter, out);
	rc = want_spansets(q, s->left, out);
	if (!rc)
		rc = want_spansets(q, s->right, &other);
	if (rc)
		return rc;
	if (s->op == TRACEQL_OR)
		return join_either(q->arena, out, &other);
	if (s->negated) /* only spans of the right side are needed */
		*out = other;
	else
		join_trace(out, &other);
	return 0;
}

/* All stages have to be passed: the one that selects best will do. */
static int want_pipeline(const struct traceql *q, const struct traceql_pipeline *p,
			 struct wants *out)
{
	int rc = 0;

	set_all(out);
	out->any_span = true;
	for (uint32_t i = 0; !rc && i < p->stages.n; i++) {
		struct wants stage = {0};

		if (p->stages.at[i].kind != TRACEQL_STAGE_SPANSETS)
			continue;
		rc = want_spansets(q, p->stages.at[i].spansets, &stage);
		join_trace(out, &stage);
	}
	return rc;
}

static int want_metrics(const struct traceql *q, const struct traceql_metrics *m, struct wants *out)
{
	struct wants other = {0};
	int rc;

	if (m->is_constant)
		return 0;
	if (m->pipeline)
		return want_pipeline(q, m->pipeline, out);
	rc = want_metrics(q, m->left, out);
	if (!rc)
		rc = want_metrics(q, m->right, &other);
	return rc ? rc : join_either(q->arena, out, &other);
}

/* ---- metrics of single spans ---- */

/* Return whether a spanset filters span by span. */
static bool filters_spans(const struct traceql_spanset *s)
{
	if (s->kind == TRACEQL_SPANSET_FILTER)
		return is_of_span(s->filter);
	return s->kind == TRACEQL_SPANSET_OP && s->op == TRACEQL_OR && filters_spans(s->left) &&
	       filters_spans(s->right);
}

static bool counts_spans(const struct traceql_metrics *m)
{
	bool yes = m->kind != TRACEQL_COMPARE && is_of_span(m->of);

	if (m->is_constant)
		return true;
	if (!m->pipeline)
		return counts_spans(m->left) && counts_spans(m->right);
	for (uint32_t i = 0; yes && i < m->by_count; i++)
		yes = is_of_span(m->by[i]);
	for (uint32_t i = 0; yes && i < m->pipeline->stages.n; i++) {
		const struct traceql_stage *s = &m->pipeline->stages.at[i];

		yes = s->kind == TRACEQL_STAGE_SELECT ||
		      (s->kind == TRACEQL_STAGE_SPANSETS && filters_spans(s->spansets));
	}
	return yes;
}

static bool has_compare(const struct traceql_metrics *m)
{
	if (m->is_constant || m->pipeline)
		return m->pipeline && m->kind == TRACEQL_COMPARE;
	return has_compare(m->left) || has_compare(m->right);
}

/* ---- the plan ---- */

static int add_fields(const struct traceql *q, const struct traceql_expr *x,
		      struct traceql_plan *out)
{
	uint32_t n = x && x->kind == TRACEQL_EXPR_FIELD	     ? 1
		     : x && x->kind == TRACEQL_EXPR_UNSCOPED ? TRACEQL_UNSCOPED_FIELDS
							     : 0;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < n; i++)
		rc = vec_push(q->arena, &out->fields, q->fields.at[x->field + i]);
	if (!rc && x && x->left)
		rc = add_fields(q, x->left, out);
	if (!rc && x && x->right)
		rc = add_fields(q, x->right, out);
	return rc;
}

int traceql_plan(const struct traceql *q, struct traceql_plan *out)
{
	struct wants w = {0};
	int rc = q->metrics ? want_metrics(q, q->metrics, &w) : want_pipeline(q, q->pipeline, &w);

	memset(out, 0, sizeof(*out));
	out->want = (struct trace_want){.all = w.all, .n = w.list.n, .at = w.list.at};
	out->any_span = w.any_span;
	out->spans = q->metrics && counts_spans(q->metrics);
	out->all_fields = q->metrics && has_compare(q->metrics);
	for (uint32_t i = 0; !rc && i < w.filters.n; i++) {
		rc = vec_push(q->arena, &out->filters, w.filters.at[i]);
		if (!rc && !out->spans)
			rc = add_fields(q, w.filters.at[i], out);
	}
	for (uint32_t i = 0; !rc && out->spans && i < q->fields.n; i++)
		rc = vec_push(q->arena, &out->fields, q->fields.at[i]);
	return rc;
}

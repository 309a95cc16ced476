/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evaluates expressions for one span. A span may have many events and links: a condition holds if
 * it holds for some event and some link; a filter that is a plain conjunction holds if all its
 * conditions hold for the same event and link.
 */
#include "query/traceql/traceql_eval.h"

#include "wire/text.h"

enum { NO_ITEM = -1 };

/* The span, and the event and link that are looked at. */
struct tq_at {
	struct traceql_run *run;
	uint32_t row;
	int64_t event, link; /* indexes of items, or NO_ITEM */
	bool fixed;	     /* event and link are chosen: conditions do not iterate */
	struct err *e;
};

void traceql_run_init(struct traceql_run *r, const struct traceql *q, struct budget *budget)
{
	*r = (struct traceql_run){.query = q};
	arena_init(&r->arena, budget);
}

void traceql_run_fini(struct traceql_run *r)
{
	arena_fini(&r->arena);
}

int traceql_run_begin(struct traceql_run *r, const struct trace_view *view)
{
	arena_reset(&r->arena);
	r->view = view;
	return traceql_tree_make(&r->tree, view, &r->arena);
}

/* ---- operands ---- */

/* The value of a field: of an item, if its scope has items. */
static struct traceql_value field_value(const struct tq_at *at, uint32_t field)
{
	const struct trace_view *v = at->run->view;
	const struct trace_field *f = &at->run->query->fields.at[field];
	bool event = f->scope == TRACE_SCOPE_EVENT ||
		     (f->scope == TRACE_SCOPE_INTRINSIC &&
		      (f->intrinsic == TRACE_EVENT_NAME || f->intrinsic == TRACE_EVENT_TIME));
	bool link = f->scope == TRACE_SCOPE_LINK ||
		    (f->scope == TRACE_SCOPE_INTRINSIC &&
		     (f->intrinsic == TRACE_LINK_TRACE_ID || f->intrinsic == TRACE_LINK_SPAN_ID));
	const struct trace_value *values = event  ? v->events.values
					   : link ? v->links.values
						  : v->values;
	int64_t row = event ? at->event : link ? at->link : (int64_t)at->row;
	struct traceql_value out = {0};

	if (row < 0 || !values)
		return out;
	out = traceql_value_of(&values[(size_t)row * v->field_count + field]);
	if (f->scope == TRACE_SCOPE_INTRINSIC && f->intrinsic == TRACE_EVENT_TIME &&
	    out.type == TRACEQL_TYPE_INT)
		out.type = TRACEQL_TYPE_DURATION;
	return out;
}

static struct traceql_value unscoped_value(const struct tq_at *at, uint32_t field)
{
	struct traceql_value v = {0};

	for (uint32_t i = 0; i < TRACEQL_UNSCOPED_FIELDS && v.type == TRACEQL_TYPE_NIL; i++)
		v = field_value(at, field + i);
	return v;
}

static int hex_text(struct tq_at *at, const uint8_t *id, size_t n, struct traceql_value *out)
{
	char *text = arena_alloc(&at->run->arena, 2 * n, 1);

	if (!text)
		return -ENOMEM;
	hex_digits(text, str_of((const char *)id, n));
	*out = (struct traceql_value){.type = TRACEQL_TYPE_STRING, .text = str_of(text, 2 * n)};
	return 0;
}

static bool id_is_zero(const uint8_t *id, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (id[i])
			return false;
	return true;
}

/* A field of the root span; without a root it is an empty string. */
static struct traceql_value root_value(const struct tq_at *at, uint32_t field)
{
	struct traceql_value out = {.type = TRACEQL_TYPE_STRING};
	struct tq_at root = *at;

	root.row = at->run->tree.root;
	if (root.row != UINT32_MAX)
		out = field_value(&root, field);
	if (out.type != TRACEQL_TYPE_STRING)
		out = (struct traceql_value){.type = TRACEQL_TYPE_STRING};
	return out;
}

static int builtin_value(struct tq_at *at, enum traceql_builtin b, struct traceql_value *out)
{
	const struct traceql_run *r = at->run;
	const struct trace_span *s = &r->view->spans[at->row];
	struct traceql_value v = {.type = TRACEQL_TYPE_INT};

	switch (b) {
	case TRACEQL_DURATION_OF_SPAN:
		v.type = TRACEQL_TYPE_DURATION;
		v.number = (int64_t)s->duration;
		break;
	case TRACEQL_STATUS:
		v.type = TRACEQL_TYPE_STATUS;
		v.number = s->status;
		break;
	case TRACEQL_KIND:
		v.type = TRACEQL_TYPE_KIND;
		v.number = s->kind;
		break;
	case TRACEQL_SPAN_ID:
		return hex_text(at, s->id, sizeof(s->id), out);
	case TRACEQL_PARENT_ID:
		if (!id_is_zero(s->parent_id, sizeof(s->parent_id)))
			return hex_text(at, s->parent_id, sizeof(s->parent_id), out);
		v.type = TRACEQL_TYPE_STRING;
		v.text = STR("");
		break;
	case TRACEQL_CHILD_COUNT:
		v.number = r->tree.child_count[at->row];
		break;
	case TRACEQL_TRACE_ID:
		return hex_text(at, trace_view_id(r->view, at->row), sizeof(r->view->id), out);
	case TRACEQL_TRACE_DURATION:
		v.type = TRACEQL_TYPE_DURATION;
		v.number = (int64_t)(r->tree.end - r->tree.start);
		break;
	case TRACEQL_ROOT_NAME:
		v = root_value(at, r->query->root_name);
		break;
	case TRACEQL_ROOT_SERVICE:
		v = root_value(at, r->query->root_service);
		break;
	case TRACEQL_NESTED_LEFT:
		v.number = r->tree.left[at->row];
		break;
	case TRACEQL_NESTED_RIGHT:
		v.number = r->tree.right[at->row];
		break;
	case TRACEQL_NESTED_PARENT:
		v.number = traceql_tree_parent(&r->tree, at->row);
		break;
	}
	*out = v;
	return 0;
}

/* ---- operators ---- */

static int eval_at(struct tq_at *at, const struct traceql_expr *x, struct traceql_value *out);

/* Match the value, or some element of an array. */
static int match_value(struct tq_at *at, struct regex *regex, const struct traceql_value *v)
{
	int rc = 0;

	if (v->type == TRACEQL_TYPE_STRING)
		return regex_match(regex, v->text, at->e);
	if (v->type != TRACEQL_TYPE_ARRAY)
		return 0;
	for (uint32_t i = 0; !rc && i < v->n; i++)
		if (v->elements[i].type == TRACE_STRING)
			rc = regex_match(regex, v->elements[i].text, at->e);
	return rc;
}

static int eval_regex(struct tq_at *at, const struct traceql_expr *x, bool *yes)
{
	struct traceql_value v;
	bool text;
	int rc = eval_at(at, x->left, &v);

	if (rc)
		return rc;
	text = v.type == TRACEQL_TYPE_STRING || v.type == TRACEQL_TYPE_ARRAY;
	rc = match_value(at, x->regex, &v);
	if (rc < 0)
		return rc;
	*yes = x->op == TRACEQL_MATCH ? rc : text && !rc;
	return 0;
}

static int eval_compare(struct tq_at *at, const struct traceql_expr *x, bool *yes)
{
	struct traceql_value a, b;
	int rc;

	if (x->op == TRACEQL_MATCH || x->op == TRACEQL_NOT_MATCH)
		return eval_regex(at, x, yes);
	rc = eval_at(at, x->left, &a);
	if (!rc)
		rc = eval_at(at, x->right, &b);
	if (rc)
		return rc;
	if (x->left->type == TRACEQL_TYPE_NIL && x->right->type == TRACEQL_TYPE_NIL)
		*yes = false;
	else if (x->left->type == TRACEQL_TYPE_NIL || x->right->type == TRACEQL_TYPE_NIL)
		*yes = (x->left->type == TRACEQL_TYPE_NIL ? b : a).type == TRACEQL_TYPE_NIL
			       ? x->op == TRACEQL_EQ
			       : x->op == TRACEQL_NE;
	else
		*yes = traceql_compare(x->op, &a, &b);
	return 0;
}

/* Return the items of a span: [*first, *end), or one turn without an item if there are none. */
static void items_of(const struct trace_items *items, bool wanted, uint32_t row, int64_t *first,
		     int64_t *end)
{
	*first = NO_ITEM;
	*end = NO_ITEM + 1;
	if (!wanted || !items->first || items->first[row] == items->first[row + 1])
		return;
	*first = items->first[row];
	*end = items->first[row + 1];
}

/* Evaluate a condition for each event and link of the span until it holds. */
static int eval_some(struct tq_at *at, const struct traceql_expr *x,
		     int (*eval)(struct tq_at *at, const struct traceql_expr *x, bool *yes),
		     bool *yes)
{
	struct tq_at inner = *at;
	int64_t event, events, link, links;
	int rc = 0;

	*yes = false;
	items_of(&at->run->view->events, x->on_event, at->row, &event, &events);
	inner.fixed = true;
	for (inner.event = event; !rc && !*yes && inner.event < events; inner.event++) {
		items_of(&at->run->view->links, x->on_link, at->row, &link, &links);
		for (inner.link = link; !rc && !*yes && inner.link < links; inner.link++)
			rc = eval(&inner, x, yes);
	}
	return rc;
}

static bool is_nil_test(const struct traceql_expr *x)
{
	return x->left->type == TRACEQL_TYPE_NIL || x->right->type == TRACEQL_TYPE_NIL;
}

static int eval_condition(struct tq_at *at, const struct traceql_expr *x, bool *yes)
{
	struct traceql_expr exists;
	int rc;

	if (!x->on_event && !x->on_link)
		return eval_compare(at, x, yes);
	/* = nil: no event and no link has the attribute */
	if (x->op == TRACEQL_EQ && is_nil_test(x)) {
		exists = *x;
		exists.op = TRACEQL_NE;
		rc = eval_some(at, &exists, eval_compare, yes);
		*yes = !*yes;
		return rc;
	}
	return at->fixed ? eval_compare(at, x, yes) : eval_some(at, x, eval_compare, yes);
}

/* Evaluate an operand of && and ||, or a filter. */
static int eval_truth(struct tq_at *at, const struct traceql_expr *x, bool *yes)
{
	struct traceql_value v;
	int rc;

	if (x->kind == TRACEQL_EXPR_BINARY && (x->op == TRACEQL_AND || x->op == TRACEQL_OR)) {
		rc = eval_truth(at, x->left, yes);
		if (!rc && *yes == (x->op == TRACEQL_AND))
			rc = eval_truth(at, x->right, yes);
		return rc;
	}
	if (x->kind == TRACEQL_EXPR_BINARY && x->op <= TRACEQL_LE)
		return eval_condition(at, x, yes);
	if (x->kind == TRACEQL_EXPR_NOT) {
		rc = eval_truth(at, x->left, yes);
		*yes = !*yes;
		return rc;
	}
	rc = eval_at(at, x, &v);
	*yes = v.type == TRACEQL_TYPE_BOOL && v.truth;
	return rc;
}

static int eval_arithmetic(struct tq_at *at, const struct traceql_expr *x,
			   struct traceql_value *out)
{
	static const struct traceql_value minus_one = {.type = TRACEQL_TYPE_INT, .number = -1};
	struct traceql_value a, b = minus_one;
	enum traceql_op op = x->kind == TRACEQL_EXPR_MINUS ? TRACEQL_MUL : x->op;
	int rc = eval_at(at, x->left, &a);

	if (!rc && x->kind != TRACEQL_EXPR_MINUS)
		rc = eval_at(at, x->right, &b);
	if (rc)
		return rc;
	if (!traceql_arithmetic(op, &a, &b, out))
		return err_set(at->e, -EINVAL, "division by zero in the query");
	return 0;
}

static int eval_at(struct tq_at *at, const struct traceql_expr *x, struct traceql_value *out)
{
	bool yes = false;
	int rc;

	*out = (struct traceql_value){0};
	switch (x->kind) {
	case TRACEQL_EXPR_LITERAL:
		*out = x->literal;
		return 0;
	case TRACEQL_EXPR_FIELD:
		*out = field_value(at, x->field);
		return 0;
	case TRACEQL_EXPR_UNSCOPED:
		*out = unscoped_value(at, x->field);
		return 0;
	case TRACEQL_EXPR_BUILTIN:
		return builtin_value(at, x->builtin, out);
	case TRACEQL_EXPR_BINARY:
		if (x->op > TRACEQL_LE)
			return eval_arithmetic(at, x, out);
		break;
	case TRACEQL_EXPR_MINUS:
		return eval_arithmetic(at, x, out);
	case TRACEQL_EXPR_NOT:
		break;
	}
	rc = eval_truth(at, x, &yes);
	out->type = TRACEQL_TYPE_BOOL;
	out->truth = yes;
	return rc;
}

/* ---- whole expressions ---- */

/* The first event or link that has a value counts. */
static int eval_first(struct tq_at *at, const struct traceql_expr *x, struct traceql_value *out)
{
	int64_t event, events, link, links;
	int rc = 0;

	*out = (struct traceql_value){0};
	items_of(&at->run->view->events, x->on_event, at->row, &event, &events);
	for (at->event = event; !rc && !out->type && at->event < events; at->event++) {
		items_of(&at->run->view->links, x->on_link, at->row, &link, &links);
		for (at->link = link; !rc && !out->type && at->link < links; at->link++)
			rc = eval_at(at, x, out);
	}
	return rc;
}

int traceql_eval(struct traceql_run *r, const struct traceql_expr *x, uint32_t row,
		 struct traceql_value *out, struct err *e)
{
	struct tq_at at = {.run = r, .row = row, .event = NO_ITEM, .link = NO_ITEM, .e = e};

	if ((x->on_event || x->on_link) && x->type != TRACEQL_TYPE_BOOL)
		return eval_first(&at, x, out);
	return eval_at(&at, x, out);
}

/* Return whether the filter is conditions that are joined by && alone. */
static bool is_conjunction(const struct traceql_expr *x)
{
	if (x->kind == TRACEQL_EXPR_BINARY && x->op == TRACEQL_AND)
		return is_conjunction(x->left) && is_conjunction(x->right);
	return x->kind != TRACEQL_EXPR_NOT &&
	       !(x->kind == TRACEQL_EXPR_BINARY && x->op == TRACEQL_OR);
}

int traceql_passes(struct traceql_run *r, const struct traceql_expr *filter, uint32_t row,
		   bool *yes, struct err *e)
{
	struct tq_at at = {.run = r, .row = row, .event = NO_ITEM, .link = NO_ITEM, .e = e};

	*yes = true;
	if (!filter)
		return 0;
	if ((filter->on_event || filter->on_link) && is_conjunction(filter))
		return eval_some(&at, filter, eval_truth, yes);
	return eval_truth(&at, filter, yes);
}

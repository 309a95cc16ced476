/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evaluates expressions by walking their tree. Values that do not suit an operator are errors, as in
 * expr; nil is no match for the operators on strings.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "pipeline/receivers/filelog/expr/expr_lexer.h"
#include "pipeline/receivers/filelog/expr/expr_tree.h"
#include "signal/otlp/value_text.h"

struct expr_run {
	const struct expr *x;
	struct log_entry *entry;
	struct arena *arena;
	struct err *e;
};

static int eval_node(const struct expr_run *r, const struct expr_node *node, struct log_node *out);

/* Report values that an operator does not take. */
static int value_error(const struct expr_run *r, const struct expr_node *node,
		       const struct log_node *a, const struct log_node *b)
{
	struct expr_lexer place = {.source = r->x->source, .e = r->e};

	return expr_fail_at(&place, node->at, "the operator does not take %s%s%s",
			    log_node_kind_name(a), b ? " and " : "",
			    b ? log_node_kind_name(b) : "");
}

/* ---- fields ---- */

static int eval_root(const struct expr_run *r, const struct expr_node *node, struct log_node *out)
{
	switch (node->root) {
	case EXPR_BODY:
		*out = r->entry->body;
		break;
	case EXPR_ATTRIBUTES:
		*out = r->entry->attributes;
		break;
	case EXPR_RESOURCE:
		*out = r->entry->resource;
		break;
	case EXPR_SEVERITY_TEXT:
		*out = LOG_NODE_STR(r->entry->severity_text);
		break;
	case EXPR_SEVERITY:
		*out = LOG_NODE_INT(r->entry->severity);
		break;
	}
	return 0;
}

static int eval_member(const struct expr_run *r, const struct expr_node *node, struct log_node *out)
{
	struct log_node of, key;
	const struct log_node *found = NULL;
	int rc = eval_node(r, node->args[0], &of);

	rc = rc ? rc : eval_node(r, node->args[1], &key);
	if (rc)
		return rc;
	if (of.kind == VALUE_MAP && key.kind == VALUE_STRING)
		found = log_node_get(&of, key.s);
	else if (of.kind == VALUE_LIST && key.kind == VALUE_INT)
		found = key.i >= 0 && key.i < of.n	       ? &of.items[key.i]
			: key.i < 0 && key.i >= -(int64_t)of.n ? &of.items[of.n + key.i]
							       : NULL;
	else if (!(of.kind == VALUE_EMPTY && node->optional))
		return value_error(r, node, &of, &key);
	*out = found ? *found : (struct log_node){0};
	return 0;
}

static int eval_list(const struct expr_run *r, const struct expr_node *node, struct log_node *out)
{
	struct log_node item, list = {.kind = VALUE_LIST};
	int rc = 0;

	for (uint32_t i = 0; i < node->n && !rc; i++) {
		rc = eval_node(r, node->args[i], &item);
		if (!rc && log_node_append(&list, r->arena, &item))
			rc = err_errno(r->e, -ENOMEM, "expression");
	}
	*out = list;
	return rc;
}

/* ---- operators ---- */

static int eval_bool(const struct expr_run *r, const struct expr_node *node, bool *out)
{
	struct log_node value;
	int rc = eval_node(r, node, &value);

	if (rc)
		return rc;
	if (value.kind != VALUE_BOOL)
		return value_error(r, node, &value, NULL);
	*out = value.i != 0;
	return 0;
}

/* and, or: the right operand is evaluated only if it decides. */
static int eval_logic(const struct expr_run *r, const struct expr_node *node, struct log_node *out)
{
	bool yes = false, decides = node->kind == EXPR_OR;
	int rc = eval_bool(r, node->args[0], &yes);

	if (!rc && yes != decides)
		rc = eval_bool(r, node->args[1], &yes);
	*out = LOG_NODE_BOOL(yes);
	return rc;
}

static bool is_number(const struct log_node *v)
{
	return v->kind == VALUE_INT || v->kind == VALUE_DOUBLE;
}

static double as_double(const struct log_node *v)
{
	return v->kind == VALUE_INT ? (double)v->i : v->d;
}

static bool holds(enum expr_kind kind, int order)
{
	return kind == EXPR_LT	 ? order < 0
	       : kind == EXPR_LE ? order <= 0
	       : kind == EXPR_GT ? order > 0
				 : order >= 0;
}

static int eval_order(const struct expr_run *r, const struct expr_node *node,
		      const struct log_node *a, const struct log_node *b, bool *out)
{
	if (a->kind == VALUE_STRING && b->kind == VALUE_STRING) {
		*out = holds(node->kind, str_cmp(a->s, b->s));
	} else if (a->kind == VALUE_INT && b->kind == VALUE_INT) {
		*out = holds(node->kind, (a->i > b->i) - (a->i < b->i));
	} else if (is_number(a) && is_number(b)) {
		double x = as_double(a), y = as_double(b);

		*out = x == x && y == y && holds(node->kind, (x > y) - (x < y));
	} else {
		return value_error(r, node, a, b);
	}
	return 0;
}

static int eval_in(const struct expr_run *r, const struct expr_node *node, const struct log_node *a,
		   const struct log_node *b, bool *out)
{
	*out = false;
	if (b->kind == VALUE_EMPTY)
		return 0;
	if (b->kind == VALUE_MAP && a->kind == VALUE_STRING)
		*out = log_node_get(b, a->s) != NULL;
	else if (b->kind != VALUE_LIST)
		return value_error(r, node, a, b);
	else
		for (uint32_t i = 0; i < b->n && !*out; i++)
			*out = log_node_eq(a, &b->items[i]);
	return 0;
}

/* Operators on two strings; nil on either side is false. */
static int eval_text(const struct expr_run *r, const struct expr_node *node,
		     const struct log_node *a, const struct log_node *b, bool *out)
{
	*out = false;
	if (a->kind == VALUE_EMPTY || b->kind == VALUE_EMPTY)
		return 0;
	if (a->kind != VALUE_STRING || b->kind != VALUE_STRING)
		return value_error(r, node, a, b);
	if (node->kind == EXPR_STARTS_WITH)
		*out = str_starts(a->s, b->s);
	else if (node->kind == EXPR_ENDS_WITH)
		*out = str_ends(a->s, b->s);
	else
		*out = !b->s.n || str_find_str(a->s, b->s) < a->s.n;
	return 0;
}

static int eval_matches(const struct expr_run *r, const struct expr_node *node,
			struct log_node *out)
{
	struct log_node a;
	int rc = eval_node(r, node->args[0], &a);

	if (rc)
		return rc;
	*out = LOG_NODE_BOOL(false);
	if (a.kind == VALUE_EMPTY)
		return 0;
	if (a.kind != VALUE_STRING)
		return value_error(r, node, &a, NULL);
	rc = regex_match(node->regex, a.s, r->e);
	if (rc < 0)
		return rc;
	out->i = rc;
	return 0;
}

static int join_texts(const struct expr_run *r, struct str a, struct str b, struct log_node *out)
{
	char *text = arena_alloc(r->arena, a.n + b.n + 1, 1);

	if (!text)
		return err_errno(r->e, -ENOMEM, "expression");
	memcpy(text, a.p ? a.p : "", a.n);
	memcpy(text + a.n, b.p ? b.p : "", b.n);
	*out = LOG_NODE_STR(str_of(text, a.n + b.n));
	return 0;
}

static int eval_sum(const struct expr_run *r, const struct expr_node *node,
		    const struct log_node *a, const struct log_node *b, struct log_node *out)
{
	bool add = node->kind == EXPR_ADD;
	int64_t sum;

	if (add && a->kind == VALUE_STRING && b->kind == VALUE_STRING)
		return join_texts(r, a->s, b->s, out);
	if (!is_number(a) || !is_number(b))
		return value_error(r, node, a, b);
	if (a->kind == VALUE_INT && b->kind == VALUE_INT &&
	    !(add ? __builtin_add_overflow(a->i, b->i, &sum)
		  : __builtin_sub_overflow(a->i, b->i, &sum))) {
		*out = LOG_NODE_INT(sum);
		return 0;
	}
	*out = (struct log_node){.kind = VALUE_DOUBLE,
				 .d = add ? as_double(a) + as_double(b)
					  : as_double(a) - as_double(b)};
	return 0;
}

static int eval_binary(const struct expr_run *r, const struct expr_node *node, struct log_node *out)
{
	struct log_node a, b;
	bool yes = false;
	int rc = eval_node(r, node->args[0], &a);

	rc = rc ? rc : eval_node(r, node->args[1], &b);
	if (rc)
		return rc;
	switch (node->kind) {
	case EXPR_ADD:
	case EXPR_SUBTRACT:
		return eval_sum(r, node, &a, &b, out);
	case EXPR_EQ:
	case EXPR_NE:
		yes = log_node_eq(&a, &b) == (node->kind == EXPR_EQ);
		break;
	case EXPR_IN:
		rc = eval_in(r, node, &a, &b, &yes);
		break;
	case EXPR_CONTAINS:
	case EXPR_STARTS_WITH:
	case EXPR_ENDS_WITH:
		rc = eval_text(r, node, &a, &b, &yes);
		break;
	default:
		rc = eval_order(r, node, &a, &b, &yes);
	}
	*out = LOG_NODE_BOOL(yes);
	return rc;
}

/* ---- functions ---- */

static int change_case(const struct expr_run *r, struct str s, bool upper, struct log_node *out)
{
	char *text = arena_alloc(r->arena, s.n + 1, 1);

	if (!text)
		return err_errno(r->e, -ENOMEM, "expression");
	for (size_t i = 0; i < s.n; i++)
		text[i] = (char)(upper ? toupper((unsigned char)s.p[i])
				       : tolower((unsigned char)s.p[i]));
	*out = LOG_NODE_STR(str_of(text, s.n));
	return 0;
}

static int text_of_number(const struct expr_run *r, const struct log_node *a, struct log_node *out)
{
	struct value v = {.kind = a->kind};
	struct buf text = {0};
	struct str copy = {0};
	int rc;

	if (a->kind == VALUE_MAP || a->kind == VALUE_LIST)
		return -EINVAL;
	if (a->kind == VALUE_DOUBLE)
		v.d = a->d;
	else if (a->kind == VALUE_STRING || a->kind == VALUE_BYTES)
		v.s = a->s;
	else
		v.i = a->i;
	rc = otlp_value_text(&text, &v);
	rc = rc ? rc : buf_error(&text);
	rc = rc ? rc : arena_copy_str(r->arena, buf_str(&text), &copy);
	buf_fini(&text);
	*out = LOG_NODE_STR(copy);
	return rc == -ENOMEM ? err_errno(r->e, rc, "expression") : rc;
}

static int length_of(const struct log_node *a, struct log_node *out)
{
	if (a->kind == VALUE_STRING) {
		int64_t n = 0;

		for (size_t i = 0; i < a->s.n; i++)
			n += ((unsigned char)a->s.p[i] & 0xc0) != 0x80;
		*out = LOG_NODE_INT(n);
		return 0;
	}
	*out = LOG_NODE_INT(a->n);
	return a->kind == VALUE_MAP || a->kind == VALUE_LIST ? 0 : -EINVAL;
}

static int variable_of(const struct expr_run *r, struct str name, struct log_node *out)
{
	struct str copy;
	const char *value;

	if (arena_copy_str(r->arena, name, &copy))
		return err_errno(r->e, -ENOMEM, "expression");
	value = getenv(
		copy.p); /* NOLINT(concurrency-mt-unsafe): the program never sets variables */
	*out = LOG_NODE_STR(value ? str_from(value) : STR(""));
	return 0;
}

static int eval_call(const struct expr_run *r, const struct expr_node *node, struct log_node *out)
{
	struct log_node a;
	int rc = eval_node(r, node->args[0], &a);
	bool text = a.kind == VALUE_STRING;

	if (rc)
		return rc;
	if (node->function == EXPR_LEN)
		rc = length_of(&a, out);
	else if (node->function == EXPR_TO_STRING)
		rc = text_of_number(r, &a, out);
	else if (!text)
		rc = -EINVAL;
	else if (node->function == EXPR_TRIM)
		*out = LOG_NODE_STR(str_trim(a.s));
	else if (node->function == EXPR_ENV)
		rc = variable_of(r, a.s, out);
	else
		rc = change_case(r, a.s, node->function == EXPR_UPPER, out);
	return rc == -EINVAL ? value_error(r, node, &a, NULL) : rc;
}

static int eval_negate(const struct expr_run *r, const struct expr_node *node, struct log_node *out)
{
	const struct log_node zero = LOG_NODE_INT(0);
	struct log_node a;
	int rc = eval_node(r, node->args[0], &a);

	if (!rc && a.kind == VALUE_DOUBLE) {
		*out = (struct log_node){.kind = VALUE_DOUBLE, .d = -a.d};
		return 0;
	}
	return rc ? rc : eval_sum(r, node, &zero, &a, out);
}

/* The depth of the tree is limited by the parser. */
static int eval_node(const struct expr_run *r, const struct expr_node *node, struct log_node *out)
{
	bool yes = false;
	int rc;

	*out = (struct log_node){0};
	switch (node->kind) {
	case EXPR_LITERAL:
		*out = node->literal;
		return 0;
	case EXPR_LIST:
		return eval_list(r, node, out);
	case EXPR_ROOT:
		return eval_root(r, node, out);
	case EXPR_MEMBER:
		return eval_member(r, node, out);
	case EXPR_NOT:
		rc = eval_bool(r, node->args[0], &yes);
		*out = LOG_NODE_BOOL(!yes);
		return rc;
	case EXPR_NEGATE:
		return eval_negate(r, node, out);
	case EXPR_AND:
	case EXPR_OR:
		return eval_logic(r, node, out);
	case EXPR_MATCHES:
		return eval_matches(r, node, out);
	case EXPR_CALL:
		return eval_call(r, node, out);
	default:
		return eval_binary(r, node, out);
	}
}

int expr_eval(struct expr *x, struct log_entry *entry, struct arena *arena, struct log_node *out,
	      struct err *e)
{
	struct expr_run r = {.x = x, .entry = entry, .arena = arena, .e = e};

	return eval_node(&r, x->top, out);
}

int expr_test(struct expr *x, struct log_entry *entry, struct arena *arena, bool *out,
	      struct err *e)
{
	struct expr_run r = {.x = x, .entry = entry, .arena = arena, .e = e};

	return eval_bool(&r, x->top, out);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions as text, on one line or with line breaks, as Prometheus formats them. */
#include <math.h>
#include <stdlib.h>

#include "query/promql/syntax/promql_functions.h"
#include "query/promql/syntax/promql_lexer.h"
#include "query/promql/syntax/promql_literal.h"
#include "query/promql/syntax/promql_parser.h"
#include "signal/metric/number_text.h"

enum { LINE_MAX_CHARS = 100 };

static void put_names(struct buf *b, const promql_names *names)
{
	buf_put_char(b, '(');
	for (uint32_t i = 0; i < names->n; i++) {
		if (i)
			buf_put_str(b, STR(", "));
		if (promql_is_plain_label(names->at[i]))
			buf_put_str(b, names->at[i]);
		else
			promql_put_quoted(b, names->at[i], 0);
	}
	buf_put_char(b, ')');
}

static void put_duration(struct buf *b, int64_t ns, const struct promql_node *expr)
{
	if (expr)
		promql_print(b, expr);
	else
		promql_put_duration(b, ns);
}

static void put_at(struct buf *b, const struct promql_shift *shift)
{
	if (shift->at_kind == PROMQL_AT_TIME)
		buf_printf(b, " @ %.3f", (double)shift->at_ms / 1000);
	else if (shift->at_kind)
		buf_put_str(b, shift->at_kind == PROMQL_AT_START ? STR(" @ start()")
								 : STR(" @ end()"));
}

static void put_offset(struct buf *b, const struct promql_shift *shift)
{
	if (!shift->offset_ns && !shift->offset_expr)
		return;
	buf_put_str(b, STR(" offset "));
	put_duration(b, shift->offset_ns, shift->offset_expr);
}

static void put_matcher(struct buf *b, const struct promql_matcher *m)
{
	static const char *const ops[] = {"=", "!=", "=~", "!~"};

	if (promql_is_plain_label(m->name))
		buf_put_str(b, m->name);
	else
		promql_put_quoted(b, m->name, 0);
	buf_put_str(b, str_from(ops[m->type]));
	promql_put_quoted(b, m->value, 0);
}

static bool is_name(const struct promql_node *node, const struct promql_matcher *m)
{
	return m->type == PROMQL_MATCH_EQ && str_eq(m->name, STR("__name__")) && m->value.n &&
	       str_eq(m->value, node->selector.name);
}

static int compare_texts(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

/* Append the matchers, sorted by their texts. */
static void put_matchers(struct buf *b, const struct promql_node *node)
{
	const promql_matchers *list = &node->selector.matchers;
	struct str *texts = calloc(list->n + 1, sizeof(*texts));
	size_t *ends = calloc(list->n + 1, sizeof(*ends));
	struct buf scratch = {0};
	uint32_t n = 0;

	for (uint32_t i = 0; texts && ends && i < list->n; i++) {
		if (is_name(node, &list->at[i]))
			continue;
		put_matcher(&scratch, &list->at[i]);
		ends[n++] = scratch.n;
	}
	if (!texts || !ends || buf_error(&scratch))
		b->failed = true;
	for (uint32_t i = 0; !b->failed && i < n; i++) {
		size_t from = i ? ends[i - 1] : 0;

		texts[i] = str_of(scratch.p + from, ends[i] - from);
	}
	if (!b->failed && n) {
		qsort(texts, n, sizeof(*texts), compare_texts);
		for (uint32_t i = 0; i < n; i++) {
			buf_put_char(b, i ? ',' : '{');
			buf_put_str(b, texts[i]);
		}
		buf_put_char(b, '}');
	}
	free(texts);
	free(ends);
	buf_fini(&scratch);
}

static void put_extended(struct buf *b, const struct promql_node *selector)
{
	if (selector->selector.anchored)
		buf_put_str(b, STR(" anchored"));
	else if (selector->selector.smoothed)
		buf_put_str(b, STR(" smoothed"));
}

static void put_selector(struct buf *b, const struct promql_node *node)
{
	buf_put_str(b, node->selector.name);
	put_matchers(b, node);
}

static void put_matching(struct buf *b, const struct promql_node *node)
{
	const struct promql_matching *m = &node->binary.matching;
	bool groups = m->card == PROMQL_MANY_TO_ONE || m->card == PROMQL_ONE_TO_MANY;

	if (node->binary.returns_bool)
		buf_put_str(b, STR(" bool"));
	if (!node->binary.is_matched)
		return;
	if (m->labels.n || m->on || groups) {
		buf_put_str(b, m->on ? STR(" on ") : STR(" ignoring "));
		put_names(b, &m->labels);
	}
	if (groups) {
		buf_put_str(b, m->card == PROMQL_MANY_TO_ONE ? STR(" group_left ")
							     : STR(" group_right "));
		put_names(b, &m->include);
	}
	if (m->fill_left && m->fill_right && m->fill_left_value == m->fill_right_value) {
		buf_put_str(b, STR(" fill ("));
		number_text(b, m->fill_left_value, NUMBER_SHORT);
		buf_put_char(b, ')');
		return;
	}
	if (m->fill_left) {
		buf_put_str(b, STR(" fill_left ("));
		number_text(b, m->fill_left_value, NUMBER_SHORT);
		buf_put_char(b, ')');
	}
	if (m->fill_right) {
		buf_put_str(b, STR(" fill_right ("));
		number_text(b, m->fill_right_value, NUMBER_SHORT);
		buf_put_char(b, ')');
	}
}

static void put_number(struct buf *b, const struct promql_node *node)
{
	double value = node->number.value;

	if (!node->number.is_duration) {
		number_text(b, value, NUMBER_PLAIN);
		return;
	}
	promql_put_duration(b, (int64_t)round(value * 1e9));
}

static void put_duration_node(struct buf *b, const struct promql_node *node)
{
	struct str op = promql_op_text(node->duration.op);

	if (node->duration.in_parens)
		buf_put_char(b, '(');
	if (node->duration.op >= PROMQL_OP_STEP) {
		buf_put_str(b, op);
		buf_put_char(b, '(');
		if (node->duration.left) {
			promql_print(b, node->duration.left);
			buf_put_str(b, STR(", "));
			promql_print(b, node->duration.right);
		}
		buf_put_char(b, ')');
	} else if (!node->duration.left) {
		if (node->duration.op == PROMQL_OP_SUB)
			buf_put_char(b, '-');
		promql_print(b, node->duration.right);
	} else {
		promql_print(b, node->duration.left);
		buf_printf(b, " %.*s ", STR_ARG(op));
		promql_print(b, node->duration.right);
	}
	if (node->duration.in_parens)
		buf_put_char(b, ')');
}

/* Append the name and grouping of an aggregation. */
static void put_aggregator(struct buf *b, const struct promql_node *node)
{
	buf_put_str(b, promql_aggregator_text(node->aggregate.op));
	if (!node->aggregate.without && !node->aggregate.labels.n)
		return;
	buf_put_str(b, node->aggregate.without ? STR(" without ") : STR(" by "));
	put_names(b, &node->aggregate.labels);
	buf_put_char(b, ' ');
}

static void put_subquery_suffix(struct buf *b, const struct promql_node *node)
{
	buf_put_char(b, '[');
	put_duration(b, node->subquery.range_ns, node->subquery.range_expr);
	buf_put_char(b, ':');
	if (node->subquery.step_ns || node->subquery.step_expr)
		put_duration(b, node->subquery.step_ns, node->subquery.step_expr);
	buf_put_char(b, ']');
	put_at(b, &node->subquery.shift);
	put_offset(b, &node->subquery.shift);
}

void promql_print(struct buf *b, const struct promql_node *node)
{
	switch (node->kind) {
	case PROMQL_NUMBER:
		put_number(b, node);
		break;
	case PROMQL_TEXT:
		promql_put_quoted(b, node->text, 0);
		break;
	case PROMQL_SELECTOR:
		put_selector(b, node);
		put_at(b, &node->selector.shift);
		put_extended(b, node);
		put_offset(b, &node->selector.shift);
		break;
	case PROMQL_RANGE:
		put_selector(b, node->range.selector);
		buf_put_char(b, '[');
		put_duration(b, node->range.range_ns, node->range.range_expr);
		buf_put_char(b, ']');
		put_extended(b, node->range.selector);
		put_at(b, &node->range.selector->selector.shift);
		put_offset(b, &node->range.selector->selector.shift);
		break;
	case PROMQL_SUBQUERY:
		promql_print(b, node->subquery.expr);
		put_subquery_suffix(b, node);
		break;
	case PROMQL_CALL:
		buf_put_str(b, node->call.function->name);
		buf_put_char(b, '(');
		for (uint32_t i = 0; i < node->call.args.n; i++) {
			if (i)
				buf_put_str(b, STR(", "));
			promql_print(b, node->call.args.at[i]);
		}
		buf_put_char(b, ')');
		break;
	case PROMQL_AGGREGATE:
		put_aggregator(b, node);
		buf_put_char(b, '(');
		if (node->aggregate.param) {
			promql_print(b, node->aggregate.param);
			buf_put_str(b, STR(", "));
		}
		promql_print(b, node->aggregate.expr);
		buf_put_char(b, ')');
		break;
	case PROMQL_BINARY:
		promql_print(b, node->binary.left);
		buf_printf(b, " %.*s", STR_ARG(promql_op_text(node->binary.op)));
		put_matching(b, node);
		buf_put_char(b, ' ');
		promql_print(b, node->binary.right);
		break;
	case PROMQL_UNARY:
		buf_put_str(b, promql_op_text(node->unary.op));
		promql_print(b, node->unary.expr);
		break;
	case PROMQL_PAREN:
		buf_put_char(b, '(');
		promql_print(b, node->inner);
		buf_put_char(b, ')');
		break;
	case PROMQL_INVARIANT:
		promql_print(b, node->inner);
		break;
	case PROMQL_DURATION:
		put_duration_node(b, node);
		break;
	}
}

static void put_indent(struct buf *b, unsigned level)
{
	for (unsigned i = 0; i < level; i++)
		buf_put_str(b, STR("  "));
}

/* Return whether the node is too long for one line. */
static bool is_long(struct buf *b, const struct promql_node *node)
{
	size_t before = b->n;
	bool is;

	promql_print(b, node);
	is = !b->failed && b->n - before > LINE_MAX_CHARS;
	if (!b->failed)
		b->n = before;
	return is;
}

static void pretty(struct buf *b, const struct promql_node *node, unsigned level);

/* Append children in lines of their own, and a closing parenthesis. */
static void put_block(struct buf *b, struct promql_node *const *nodes, uint32_t n, unsigned level)
{
	buf_put_str(b, STR("(\n"));
	for (uint32_t i = 0; i < n; i++) {
		if (i)
			buf_put_str(b, STR(",\n"));
		pretty(b, nodes[i], level + 1);
	}
	buf_put_char(b, '\n');
	put_indent(b, level);
	buf_put_char(b, ')');
}

static void pretty(struct buf *b, const struct promql_node *node, unsigned level)
{
	struct promql_node *parts[2];
	uint32_t n = 0;
	size_t from, skip = 0;

	if (node->kind == PROMQL_UNARY) {
		put_indent(b, level);
		buf_put_str(b, promql_op_text(node->unary.op));
		from = b->n;
		pretty(b, node->unary.expr, level);
		while (!b->failed && from + skip < b->n && b->p[from + skip] == ' ')
			skip++;
		if (!b->failed && skip) {
			memmove(b->p + from, b->p + from + skip, b->n - from - skip);
			b->n -= skip;
		}
		return;
	}
	if (node->kind == PROMQL_SUBQUERY && is_long(b, node)) {
		pretty(b, node->subquery.expr, level);
		put_subquery_suffix(b, node);
		return;
	}
	if (node->kind == PROMQL_BINARY && is_long(b, node)) {
		pretty(b, node->binary.left, level + 1);
		buf_put_char(b, '\n');
		put_indent(b, level);
		buf_put_str(b, promql_op_text(node->binary.op));
		put_matching(b, node);
		buf_put_char(b, '\n');
		pretty(b, node->binary.right, level + 1);
		return;
	}
	put_indent(b, level);
	if ((node->kind != PROMQL_CALL && node->kind != PROMQL_AGGREGATE &&
	     node->kind != PROMQL_PAREN) ||
	    !is_long(b, node)) {
		promql_print(b, node);
		return;
	}
	if (node->kind == PROMQL_CALL) {
		buf_put_str(b, node->call.function->name);
		put_block(b, node->call.args.at, node->call.args.n, level);
		return;
	}
	if (node->kind == PROMQL_PAREN) {
		parts[n++] = node->inner;
	} else {
		put_aggregator(b, node);
		if (node->aggregate.param)
			parts[n++] = node->aggregate.param;
		parts[n++] = node->aggregate.expr;
	}
	put_block(b, parts, n, level);
}

void promql_print_pretty(struct buf *b, const struct promql_node *node)
{
	pretty(b, node, 0);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Infers the context of each line, then binds paths and functions. Errors name the column and the
 * nearest known name.
 */
#include "pipeline/ottl/ottl_resolve.h"

#include <errno.h>

#include "pipeline/ottl/ottl_call.h"

/* ---- inference ---- */

/* The order in which contexts win, the lowest level first. */
static unsigned rank_of(enum ottl_context c)
{
	static const uint8_t ranks[OTTL_CONTEXTS + 1] = {
		[OTTL_LOG] = 0,	       [OTTL_DATA_POINT] = 1, [OTTL_METRIC] = 2,
		[OTTL_SPAN_EVENT] = 3, [OTTL_SPAN] = 4,	      [OTTL_PROFILE] = 5,
		[OTTL_SCOPE] = 6,      [OTTL_RESOURCE] = 7,   [OTTL_CONTEXTS] = 8,
	};

	return ranks[c];
}

static enum ottl_context lower_of(enum ottl_context a, enum ottl_context b)
{
	return rank_of(a) <= rank_of(b) ? a : b;
}

/* Return the context that a function needs if it does not exist in the other one. */
static enum ottl_context needed_by(const struct ottl_node *call, enum ottl_context so_far)
{
	const struct ottl_function *f = ottl_function_find(call->name);

	if (!f || !f->contexts || (so_far < OTTL_CONTEXTS && f->contexts & OTTL_IN(so_far)))
		return so_far;
	for (unsigned c = 0; c < OTTL_CONTEXTS; c++)
		if (f->contexts & OTTL_IN(c))
			return lower_of(so_far, (enum ottl_context)c);
	return so_far;
}

/* NOLINTNEXTLINE(misc-no-recursion): the depth of the tree is limited */
static enum ottl_context infer_node(const struct ottl_node *n, enum ottl_context so_far)
{
	if (n->kind == NODE_PATH)
		so_far = lower_of(so_far, ottl_path_context(n->name));
	for (uint32_t i = 0; i < n->items.n; i++)
		so_far = infer_node(n->items.at[i], so_far);
	for (uint32_t i = 0; i < n->keys.n; i++)
		so_far = infer_node(n->keys.at[i], so_far);
	return n->kind == NODE_CALL ? needed_by(n, so_far) : so_far;
}

enum ottl_context ottl_infer(const struct ottl_line *line, enum ottl_context so_far)
{
	if (line->condition)
		so_far = infer_node(line->condition, so_far);
	return line->editor ? infer_node(line->editor, so_far) : so_far;
}

/* ---- arguments ---- */

static int resolve_node(struct ottl_resolver *r, struct ottl_node *n);

static unsigned param_count(const struct ottl_function *f, bool required)
{
	unsigned n = 0;

	while (n < OTTL_PARAMS_MAX && f->params[n].name && !(required && f->params[n].optional))
		n++;
	return n;
}

static int find_param(struct ottl_resolver *r, const struct ottl_node *call, struct str name,
		      unsigned *out)
{
	const struct ottl_function *f = call->function;
	unsigned count = param_count(f, false);
	const char *meant;

	for (*out = 0; *out < count; (*out)++)
		if (str_eq(str_from(f->params[*out].name), name))
			return 0;
	meant = count ? config_suggest(name, &f->params[0].name, count, sizeof(f->params[0]))
		      : NULL;
	return ottl_fail_at(r->source, call->at, r->e, "no such parameter: %.*s%s%s%s",
			    STR_ARG(name), meant ? "; did you mean \"" : "", meant ? meant : "",
			    meant ? "\"?" : "");
}

/* Put the arguments into the order of the parameters. */
static int arrange_arguments(struct ottl_resolver *r, struct ottl_node *call)
{
	const struct ottl_function *f = call->function;
	unsigned count = param_count(f, false), required = param_count(f, true);
	struct ottl_node **args = arena_zalloc(r->arena, OTTL_PARAMS_MAX, sizeof(*args));
	int rc = args ? 0 : -ENOMEM;

	if (!rc && call->items.n > count)
		return ottl_fail_at(r->source, call->at, r->e,
				    "%s: incorrect number of arguments. Expected: %u Received: %u",
				    f->name, count, call->items.n);
	for (uint32_t i = 0; i < call->items.n && !rc; i++) {
		unsigned at = i;

		if (call->names.at[i].n)
			rc = find_param(r, call, call->names.at[i], &at);
		if (!rc && args[at])
			return ottl_fail_at(r->source, call->at, r->e,
					    "%s: argument \"%s\" is given twice", f->name,
					    f->params[at].name);
		if (!rc)
			args[at] = call->items.at[i];
	}
	for (unsigned i = 0; i < required && !rc; i++)
		if (!args[i])
			return ottl_fail_at(
				r->source, call->at, r->e,
				"%s: incorrect number of arguments. Expected: %u Received: %u: "
				"\"%s\" is missing",
				f->name, required, call->items.n, f->params[i].name);
	call->items.at = args;
	call->items.n = rc ? 0 : count;
	return rc;
}

static int bad_argument(struct ottl_resolver *r, const struct ottl_node *call, unsigned i,
			const char *why)
{
	return ottl_fail_at(r->source, call->items.at[i]->at, r->e,
			    "%s: invalid argument at position %u: %s", call->function->name, i,
			    why);
}

static bool is_choice(const char *choices, struct str text)
{
	struct str rest = str_from(choices);

	while (rest.n)
		if (str_eq(str_cut(&rest, '|'), text))
			return true;
	return false;
}

/* Compile a literal regular expression, to find its mistakes at start. */
static int check_pattern(struct ottl_resolver *r, const struct ottl_node *call, unsigned i)
{
	struct regex *regex = NULL;
	struct err e = {0};
	int rc = regex_new(&regex, call->items.at[i]->literal.s, 0, &e);

	regex_free(regex);
	return rc ? bad_argument(r, call, i, e.text) : 0;
}

static int resolve_function_argument(struct ottl_resolver *r, struct ottl_node *call, unsigned i)
{
	struct ottl_node *n = call->items.at[i];

	if (n->kind != NODE_NAME)
		return bad_argument(r, call, i, "must be the name of a converter");
	n->function = ottl_function_find(n->name);
	if (!n->function || !n->function->params[0].name ||
	    (n->function->params[1].name && !n->function->params[1].optional))
		return bad_argument(r, call, i, "must be the name of a converter of one argument");
	n->site = (*r->sites)++;
	return 0;
}

/* NOLINTNEXTLINE(misc-no-recursion): the depth of the tree is limited */
static int resolve_argument(struct ottl_resolver *r, struct ottl_node *call, unsigned i)
{
	const struct ottl_param *p = &call->function->params[i];
	struct ottl_node *n = call->items.at[i];
	bool literal = n->kind == NODE_LITERAL, text = literal && n->literal.kind == OTTL_STRING;
	int rc;

	if (p->kind == PARAM_FUNCTION)
		return resolve_function_argument(r, call, i);
	rc = resolve_node(r, n);
	if (rc)
		return rc;
	if ((p->kind == PARAM_TARGET || p->kind == PARAM_TARGET_MAP) && n->kind != NODE_PATH)
		return bad_argument(r, call, i, "must be a path");
	if (p->kind == PARAM_TARGET && !ottl_path_writable(&n->path))
		return bad_argument(r, call, i, "the path is read-only");
	if (p->kind == PARAM_CHOICE && (!text || !is_choice(p->choices, n->literal.s)))
		return bad_argument(r, call, i, p->choices);
	if ((p->kind == PARAM_STRING || p->kind == PARAM_PATTERN) && literal && !text)
		return bad_argument(r, call, i, "must be a string");
	return p->kind == PARAM_PATTERN && text ? check_pattern(r, call, i) : 0;
}

/* ---- nodes ---- */

static bool is_editor_name(struct str name)
{
	return name.n && name.p[0] >= 'a' && name.p[0] <= 'z';
}

static int unknown_function(struct ottl_resolver *r, const struct ottl_node *call)
{
	const char *meant = ottl_function_suggest(call->name);

	return ottl_fail_at(r->source, call->at, r->e, "undefined function \"%.*s\"%s%s%s",
			    STR_ARG(call->name), meant ? "; did you mean \"" : "",
			    meant ? meant : "", meant ? "\"?" : "; see docs/collector/ottl.md");
}

/* NOLINTNEXTLINE(misc-no-recursion): the depth of the tree is limited */
static int resolve_call(struct ottl_resolver *r, struct ottl_node *call)
{
	const struct ottl_function *f = ottl_function_find(call->name);
	int rc;

	if (!f || (f->filter_only && !r->options->filter_functions))
		return unknown_function(r, call);
	if (f->contexts && !(f->contexts & OTTL_IN(r->context)))
		return ottl_fail_at(r->source, call->at, r->e,
				    "function \"%s\" does not exist in context %s", f->name,
				    ottl_context_names[r->context]);
	call->function = f;
	call->site = (*r->sites)++;
	rc = arrange_arguments(r, call);
	for (unsigned i = 0; i < call->items.n && !rc; i++)
		if (call->items.at[i])
			rc = resolve_argument(r, call, i);
	return rc;
}

static int resolve_name(struct ottl_resolver *r, struct ottl_node *n)
{
	const char *meant;
	int64_t number;

	if (ottl_enum_value(n->name, &number)) {
		n->kind = NODE_LITERAL;
		n->literal = OTTL_VALUE_INT(number);
		return 0;
	}
	meant = ottl_enum_suggest(n->name);
	return ottl_fail_at(r->source, n->at, r->e, "unknown enum \"%.*s\"%s%s%s", STR_ARG(n->name),
			    meant ? "; did you mean \"" : "", meant ? meant : "",
			    meant ? "\"?" : "");
}

/* NOLINTNEXTLINE(misc-no-recursion): the depth of the tree is limited */
static int resolve_nodes(struct ottl_resolver *r, struct ottl_node **nodes, uint32_t count)
{
	int rc = 0;

	for (uint32_t i = 0; i < count && !rc; i++)
		rc = resolve_node(r, nodes[i]);
	return rc;
}

/* NOLINTNEXTLINE(misc-no-recursion): the depth of the tree is limited */
static int resolve_node(struct ottl_resolver *r, struct ottl_node *n)
{
	int rc = 0;

	if (n->kind == NODE_PATH)
		rc = ottl_find_path(r->options->signal, r->context, r->prefixed, r->source, n,
				    &n->path, r->e);
	else if (n->kind == NODE_NAME)
		rc = resolve_name(r, n);
	else if (n->kind == NODE_CALL)
		rc = resolve_call(r, n);
	else
		rc = resolve_nodes(r, n->items.at, n->items.n);
	return rc ? rc : resolve_nodes(r, n->keys.at, n->keys.n);
}

int ottl_resolve(struct ottl_resolver *r, struct ottl_line *line)
{
	int rc = 0;

	r->source = line->text;
	if (line->editor && !is_editor_name(line->editor->name))
		rc = unknown_function(r, line->editor);
	if (!rc && line->editor)
		rc = resolve_call(r, line->editor);
	return rc || !line->condition ? rc : resolve_node(r, line->condition);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses templates. The grammar is that of Go's text/template/parse: text with actions, whose
 * keywords open and close lists of nodes. Variables and functions are checked here.
 */
#include "rules/template/template_parser.h"

enum list_end { LIST_EOF, LIST_END, LIST_ELSE };

/* How a list ended. For LIST_ELSE the lexer is after the keyword. */
struct list_result {
	enum list_end end;
	uint32_t at;
};

static int parse_list(struct template_parser *p, struct template_list *list, bool top,
		      struct list_result *result);

static struct template_node *new_node(struct template_parser *p, enum template_node_kind kind,
				      uint32_t at)
{
	struct template_node *n = arena_zalloc(p->arena, 1, sizeof(*n));

	if (n) {
		n->kind = kind;
		n->at = at;
	}
	return n;
}

static int append(struct template_list *list, struct template_node *n)
{
	if (!n)
		return -ENOMEM;
	*list->end = n;
	list->end = &n->next;
	return 0;
}

static int expect_end(struct template_parser *p, const char *context)
{
	struct template_token t = template_next_token(&p->lexer);

	return t.kind == TOKEN_END ? 0 : template_unexpected(p, t, context);
}

static const char *keyword_of(enum template_node_kind kind)
{
	return kind == NODE_IF ? "if" : kind == NODE_RANGE ? "range" : "with";
}

static int parse_control(struct template_parser *p, enum template_node_kind kind, uint32_t at,
			 struct template_list *list);

/* After {{else: "}}" and a list, or the control of {{else if}} and {{else with}}. */
static int parse_else(struct template_parser *p, struct template_node *n, uint32_t at)
{
	struct template_token t = template_next_token(&p->lexer);
	struct list_result result;
	bool chained =
		t.kind == TOKEN_NAME && ((n->kind == NODE_IF && str_eq(t.text, STR("if"))) ||
					 (n->kind == NODE_WITH && str_eq(t.text, STR("with"))));
	int rc;

	if (chained)
		return parse_control(p, n->kind, t.at, &n->otherwise);
	if (t.kind != TOKEN_END)
		return template_unexpected(p, t, "{{else}}");
	rc = parse_list(p, &n->otherwise, false, &result);
	if (!rc && result.end == LIST_ELSE)
		return FAIL(p, result.at, "expected end; found {{else}}");
	if (!rc && result.end == LIST_EOF)
		return FAIL(p, at, "{{else}} has no {{end}}");
	return rc;
}

/* The rest of {{if}}, {{range}} or {{with}}. With {{else if}} one {{end}} closes both. */
static int parse_control(struct template_parser *p, enum template_node_kind kind, uint32_t at,
			 struct template_list *list)
{
	struct template_node *n = new_node(p, kind, at);
	uint32_t scope = p->variables.n;
	struct list_result result = {0};
	int rc = n ? template_enter(p, at) : -ENOMEM;

	if (rc)
		return rc;
	n->list.end = &n->list.first;
	n->otherwise.end = &n->otherwise.first;
	rc = template_parse_pipe(p, keyword_of(kind), TOKEN_END, &n->pipe);
	p->loops += kind == NODE_RANGE;
	if (!rc)
		rc = parse_list(p, &n->list, false, &result);
	p->loops -= kind == NODE_RANGE;
	if (!rc && result.end == LIST_EOF)
		rc = FAIL(p, at, "{{%s}} has no {{end}}", keyword_of(kind));
	if (!rc && result.end == LIST_ELSE)
		rc = parse_else(p, n, result.at);
	p->variables.n = scope;
	p->depth--;
	return rc ? rc : append(list, n);
}

static int parse_template_name(struct template_parser *p, const char *context, struct str *out)
{
	struct template_token t = template_next_token(&p->lexer);
	struct template_value name;
	int rc;

	if (t.kind != TOKEN_STRING)
		return template_unexpected(p, t, context);
	rc = template_parse_string(p, t, &name);
	*out = name.s;
	return rc;
}

/* {{template "name"}} or {{template "name" pipeline}} */
static int parse_template(struct template_parser *p, uint32_t at, struct template_list *list)
{
	struct template_node *n = new_node(p, NODE_TEMPLATE, at);
	int rc = n ? parse_template_name(p, "template clause", &n->text) : -ENOMEM;
	uint32_t scope = p->variables.n;

	if (!rc && template_peek(p).kind == TOKEN_END)
		rc = expect_end(p, "template clause");
	else if (!rc)
		rc = template_parse_pipe(p, "template clause", TOKEN_END, &n->pipe);
	p->variables.n = scope;
	return rc ? rc : append(list, n);
}

/* Return whether a list has nothing but white space. */
static bool is_empty(const struct template_list *list)
{
	for (const struct template_node *n = list->first; n; n = n->next)
		if (n->kind != NODE_TEXT || str_trim(n->text).n)
			return false;
	return true;
}

/* Add a definition. An empty one replaces no other, and any one replaces an empty one. */
static int add_definition(struct template_parser *p, uint32_t at, struct str name,
			  struct template_list list)
{
	for (uint32_t i = 0; i < p->tree->definitions.n; i++) {
		struct template_definition *d = &p->tree->definitions.at[i];

		if (!str_eq(d->name, name))
			continue;
		if (is_empty(&d->list))
			d->list = list;
		else if (!is_empty(&list))
			return FAIL(p, at, "multiple definition of template \"%.*s\"",
				    STR_ARG(str_head(name, 80)));
		return 0;
	}
	return vec_push(p->arena, &p->tree->definitions, (struct template_definition){name, list});
}

/* The list of {{define}} and {{block}}, in which only $ is defined. */
static int parse_definition(struct template_parser *p, uint32_t at, struct str name,
			    const char *keyword)
{
	struct list_result result;
	struct template_list list = {0};
	uint32_t count = p->variables.n, loops = p->loops;
	struct str *outer = p->variables.at;
	int rc;

	list.end = &list.first;
	p->variables.at = NULL;
	p->variables.n = p->variables.cap = p->loops = 0;
	rc = vec_push(p->arena, &p->variables, STR("$"));
	if (!rc)
		rc = template_enter(p, at);
	if (!rc)
		rc = parse_list(p, &list, false, &result);
	if (!rc && result.end != LIST_END)
		rc = FAIL(p, at, "{{%s}} has no {{end}}", keyword);
	p->depth--;
	p->variables.at = outer;
	p->variables.n = p->variables.cap = count;
	p->loops = loops;
	return rc ? rc : add_definition(p, at, name, list);
}

static int parse_define(struct template_parser *p, uint32_t at, bool top)
{
	struct str name;
	int rc;

	if (!top)
		return FAIL(p, at, "{{define}} is only possible at the top level");
	rc = parse_template_name(p, "define clause", &name);
	if (!rc)
		rc = expect_end(p, "define clause");
	return rc ? rc : parse_definition(p, at, name, "define");
}

/* {{block "name" pipeline}} defines a template and executes it. */
static int parse_block(struct template_parser *p, uint32_t at, struct template_list *list)
{
	struct template_node *n = new_node(p, NODE_TEMPLATE, at);
	int rc = n ? parse_template_name(p, "block clause", &n->text) : -ENOMEM;
	uint32_t scope = p->variables.n;

	if (!rc)
		rc = template_parse_pipe(p, "block clause", TOKEN_END, &n->pipe);
	p->variables.n = scope;
	if (!rc)
		rc = parse_definition(p, at, n->text, "block");
	return rc ? rc : append(list, n);
}

/* {{break}} and {{continue}} */
static int parse_jump(struct template_parser *p, enum template_node_kind kind, uint32_t at,
		      struct template_list *list)
{
	const char *name = kind == NODE_BREAK ? "{{break}}" : "{{continue}}";
	int rc = expect_end(p, name);

	if (!rc && !p->loops)
		rc = FAIL(p, at, "%s outside {{range}}", name);
	return rc ? rc : append(list, new_node(p, kind, at));
}

/* An action after its "{{". Set *result if it ends the list. */
static int parse_action(struct template_parser *p, uint32_t at, struct template_list *list,
			bool top, bool *ends, struct list_result *result)
{
	struct template_lexer ahead = p->lexer;
	struct template_token t = template_next_token(&ahead);
	struct str word = t.kind == TOKEN_NAME ? t.text : (struct str){0};
	struct template_node *n;
	int rc;

	*ends = false;
	if (str_eq(word, STR("end")) || str_eq(word, STR("else"))) {
		p->lexer = ahead;
		*ends = true;
		*result = (struct list_result){word.n == 3 ? LIST_END : LIST_ELSE, at};
		return word.n == 3 ? expect_end(p, "{{end}}") : 0;
	}
	n = NULL;
	p->lexer = ahead;
	if (str_eq(word, STR("if")))
		return parse_control(p, NODE_IF, at, list);
	if (str_eq(word, STR("range")))
		return parse_control(p, NODE_RANGE, at, list);
	if (str_eq(word, STR("with")))
		return parse_control(p, NODE_WITH, at, list);
	if (str_eq(word, STR("template")))
		return parse_template(p, at, list);
	if (str_eq(word, STR("define")))
		return parse_define(p, at, top);
	if (str_eq(word, STR("block")))
		return parse_block(p, at, list);
	if (str_eq(word, STR("break")))
		return parse_jump(p, NODE_BREAK, at, list);
	if (str_eq(word, STR("continue")))
		return parse_jump(p, NODE_CONTINUE, at, list);
	p->lexer.at = at;
	n = new_node(p, NODE_ACTION, at);
	rc = n ? template_parse_pipe(p, "command", TOKEN_END, &n->pipe) : -ENOMEM;
	return rc ? rc : append(list, n);
}

/* Skip a comment, if there is one after "{{". Return 1 if there is. */
static int skip_comment(struct template_parser *p)
{
	struct str text = p->tree->text, rest = str_from_at(text, p->lexer.at);
	size_t end;

	if (!str_starts(rest, STR("/*")))
		return 0;
	end = p->lexer.at + str_find_str(rest, STR("*/"));
	if (end == text.n)
		return FAIL(p, p->lexer.at, "unclosed comment");
	end += 2;
	if (template_at_trimmed_end(text, end))
		end += 4;
	else if (str_starts(str_from_at(text, end), STR("}}")))
		end += 2;
	else
		return FAIL(p, p->lexer.at, "comment ends before closing delimiter");
	p->lexer.at = (uint32_t)end;
	return 1;
}

/* Append the text up to the next action, without what trim markers remove. */
static int parse_text(struct template_parser *p, struct template_list *list, bool *more)
{
	struct str text = p->tree->text, rest = str_from_at(text, p->lexer.at);
	size_t n = str_find_str(rest, STR("{{"));
	struct str before = str_head(rest, n);
	uint32_t at = p->lexer.at;
	bool trims_left = at >= 3 && str_eq(str_head(str_from_at(text, at - 3), 3), STR("-}}")) &&
			  at >= 4 && template_is_space(text.p[at - 4]);
	struct template_node *node;

	*more = n < rest.n;
	p->lexer.at += (uint32_t)n + (*more ? 2 : 0);
	while (trims_left && before.n && template_is_space(before.p[0]))
		before = str_from_at(before, 1);
	if (*more && n + 3 < rest.n && rest.p[n + 2] == '-' && template_is_space(rest.p[n + 3])) {
		while (before.n && template_is_space(before.p[before.n - 1]))
			before.n--;
		p->lexer.at += 2;
	}
	if (!before.n)
		return 0;
	node = new_node(p, NODE_TEXT, at);
	if (node)
		node->text = before;
	return append(list, node);
}

/* Text and actions up to {{end}}, {{else}} or the end of the text. */
static int parse_list(struct template_parser *p, struct template_list *list, bool top,
		      struct list_result *result)
{
	bool more, ends = false;
	int rc;

	*result = (struct list_result){LIST_EOF, p->lexer.at};
	do {
		rc = parse_text(p, list, &more);
		if (rc || !more)
			return rc;
		rc = skip_comment(p);
		if (!rc)
			rc = parse_action(p, p->lexer.at, list, top, &ends, result);
		else if (rc > 0)
			rc = 0;
	} while (!rc && !ends);
	return rc;
}

int template_parse(struct arena *a, struct str text, struct template_tree *out, struct err *e)
{
	static const struct str predefined[] = {STR_INIT("$"), STR_INIT("$labels"),
						STR_INIT("$externalLabels"),
						STR_INIT("$externalURL"), STR_INIT("$value")};
	struct template_parser p = {.arena = a, .lexer = {.text = text}, .tree = out, .e = e};
	struct list_result result;
	int rc = 0;

	*out = (struct template_tree){.text = text};
	out->list.end = &out->list.first;
	if (text.n > RULE_TEMPLATE_TEXT_MAX)
		return err_set(e, -EINVAL, "the template has more than %d bytes",
			       RULE_TEMPLATE_TEXT_MAX);
	for (size_t i = 0; i < countof(predefined) && !rc; i++)
		rc = vec_push(a, &p.variables, predefined[i]);
	if (!rc)
		rc = parse_list(&p, &out->list, true, &result);
	if (!rc && result.end != LIST_EOF)
		rc = FAIL(&p, result.at, "unexpected {{%s}}",
			  result.end == LIST_END ? "end" : "else");
	if (rc == -ENOMEM)
		err_set(e, rc, "out of memory");
	return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses templates. The grammar is that of Go's text/template/parse: text with actions, whose
 * keywords open and close lists of nodes. Variables and functions are checked here.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "rules/template/template_functions.h"
#include "rules/template/template_lexer.h"

struct template_parser {
	struct arena *arena;
	struct template_lexer lexer;
	struct template_tree *tree;
	VEC(struct str) variables; /* in scope */
	uint32_t depth, loops;
	struct err *e;
};

enum list_end { LIST_EOF, LIST_END, LIST_ELSE };

/* How a list ended. For LIST_ELSE the lexer is after the keyword. */
struct list_result {
	enum list_end end;
	uint32_t at;
};

static int parse_list(struct template_parser *p, struct template_list *list, bool top,
		      struct list_result *result);
static int parse_pipe(struct template_parser *p, const char *context, enum template_token_kind end,
		      struct template_pipe **out);

int template_fail(struct str text, uint32_t at, struct err *e, const char *fmt, ...)
{
	unsigned line = 1, column = 1;
	char why[ERR_TEXT_MAX];
	va_list args;

	for (size_t i = 0; i < at && i < text.n; i++) {
		column = text.p[i] == '\n' ? 1 : column + 1;
		line += text.p[i] == '\n';
	}
	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	return err_set(e, -EINVAL, "line %u, column %u: %s", line, column, why);
}

#define FAIL(p, at, ...) template_fail((p)->tree->text, (at), (p)->e, __VA_ARGS__)

static int enter(struct template_parser *p, uint32_t at)
{
	if (++p->depth > RULE_TEMPLATE_DEPTH_MAX)
		return FAIL(p, at, "nested deeper than %d levels", RULE_TEMPLATE_DEPTH_MAX);
	return 0;
}

static int unexpected(struct template_parser *p, struct template_token t, const char *context)
{
	if (t.kind == TOKEN_ERROR)
		return FAIL(p, t.at, "%s", t.why);
	if (t.kind == TOKEN_END)
		return FAIL(p, t.at, "unexpected end of the action in %s", context);
	return FAIL(p, t.at, "unexpected \"%.*s\" in %s", STR_ARG(str_head(t.text, 40)), context);
}

static struct template_token peek(const struct template_parser *p)
{
	struct template_lexer ahead = p->lexer;

	return template_next_token(&ahead);
}

/* ---- operands ---- */

static int parse_character(struct template_parser *p, struct template_token t,
			   struct template_value *out)
{
	struct str s;
	int64_t rune;
	int rc = template_unquote(p->arena, t.text, &s);

	if (rc == -ENOMEM)
		return rc;
	if (rc || !s.n || str_utf8_valid(s) != s.n)
		return FAIL(p, t.at, "malformed character constant: %.*s",
			    STR_ARG(str_head(t.text, 40)));
	rune = (unsigned char)s.p[0];
	if (rune >= 0x80) {
		size_t more = rune >= 0xf0 ? 3 : rune >= 0xe0 ? 2 : 1;

		rune &= 0x3f >> more;
		for (size_t i = 1; i <= more; i++)
			rune = rune << 6 | ((unsigned char)s.p[i] & 0x3f);
	}
	*out = template_int(rune);
	return 0;
}

/* An integer with a prefix of its base: 0x, 0o, 0b, or 0 for octal. */
static int parse_integer(const char *text, int64_t *out)
{
	const char *digits = text + (*text == '-' || *text == '+');
	char kind = (char)(digits[0] == '0' ? digits[1] | 0x20 : 0), *end;
	int base = kind == 'x' ? 16 : kind == 'o' ? 8 : kind == 'b' ? 2 : 10;
	unsigned long long n;

	if (base != 10)
		digits += 2;
	else if (digits[0] == '0')
		base = 8;
	errno = 0;
	n = strtoull(digits, &end, base);
	if (*end || end == digits || *digits == '-' || *digits == '+')
		return -EINVAL;
	if (errno || n > (unsigned long long)INT64_MAX + (*text == '-'))
		return -ERANGE;
	*out = *text == '-' ? (int64_t)(0 - n) : (int64_t)n;
	return 0;
}

static int parse_number(struct template_parser *p, struct template_token t,
			struct template_value *out)
{
	struct str digits = t.text;
	char text[128];
	size_t n = 0;
	int rc = -EINVAL;
	bool hex;

	for (size_t i = 0; i < digits.n && n + 1 < sizeof(text); i++)
		if (digits.p[i] != '_')
			text[n++] = digits.p[i];
	text[n] = 0;
	hex = strchr(text, 'x') || strchr(text, 'X');
	if (digits.n < sizeof(text) && !strpbrk(text, hex ? ".pP" : ".eE")) {
		*out = template_int(0);
		rc = parse_integer(text, &out->i);
	} else if (digits.n < sizeof(text) && strspn(text, "+-.0123456789abcdefABCDEFxXpP") == n) {
		char *end;

		*out = template_float(strtod(text, &end));
		rc = *end ? -EINVAL : 0;
	}
	if (rc == -ERANGE)
		return FAIL(p, t.at, "integer overflow: \"%s\"", text);
	return rc ? FAIL(p, t.at, "bad number syntax: \"%.*s\"", STR_ARG(str_head(t.text, 40))) : 0;
}

static int parse_string(struct template_parser *p, struct template_token t,
			struct template_value *out)
{
	struct str s;
	int rc = template_unquote(p->arena, t.text, &s);

	if (rc == -EINVAL)
		return FAIL(p, t.at, "invalid escape in %.*s", STR_ARG(str_head(t.text, 80)));
	*out = template_string(s);
	return rc;
}

static int parse_name(struct template_parser *p, struct template_token t,
		      struct template_operand *out)
{
	if (str_eq(t.text, STR("true")) || str_eq(t.text, STR("false"))) {
		out->constant = template_bool(t.text.n == 4);
		return 0;
	}
	if (str_eq(t.text, STR("nil"))) {
		out->kind = OPERAND_NIL;
		return 0;
	}
	out->kind = OPERAND_FUNCTION;
	out->function = template_function_find(t.text);
	if (!out->function)
		return FAIL(p, t.at, "function \"%.*s\" not defined",
			    STR_ARG(str_head(t.text, 80)));
	return 0;
}

static int parse_variable(struct template_parser *p, struct template_token t,
			  struct template_operand *out)
{
	out->kind = OPERAND_VARIABLE;
	out->variable = t.text;
	for (uint32_t i = p->variables.n; i-- > 0;)
		if (str_eq(p->variables.at[i], t.text))
			return 0;
	return FAIL(p, t.at, "undefined variable \"%.*s\"", STR_ARG(str_head(t.text, 80)));
}

static int push_field(struct template_parser *p, struct template_operand *o,
		      struct template_token t)
{
	return vec_push(p->arena, &o->fields,
			(struct template_field){.name = str_from_at(t.text, 1), .at = t.at});
}

/* The term that begins with `t`, which has been read. */
static int parse_term(struct template_parser *p, struct template_token t,
		      struct template_operand *o)
{
	int rc;

	switch (t.kind) {
	case TOKEN_NAME:
		return parse_name(p, t, o);
	case TOKEN_DOT:
		o->kind = OPERAND_DOT;
		return 0;
	case TOKEN_FIELD:
		o->kind = OPERAND_DOT;
		return push_field(p, o, t);
	case TOKEN_VARIABLE:
		return parse_variable(p, t, o);
	case TOKEN_NUMBER:
		return parse_number(p, t, &o->constant);
	case TOKEN_CHARACTER:
		return parse_character(p, t, &o->constant);
	case TOKEN_STRING:
		return parse_string(p, t, &o->constant);
	case TOKEN_OPEN:
		o->kind = OPERAND_PIPE;
		rc = enter(p, t.at);
		if (!rc)
			rc = parse_pipe(p, "parenthesized pipeline", TOKEN_CLOSE, &o->pipe);
		p->depth--;
		return rc;
	default:
		return unexpected(p, t, "operand");
	}
}

static int parse_operand(struct template_parser *p, struct template_token t,
			 struct template_operand *o)
{
	struct template_lexer ahead;
	int rc;

	*o = (struct template_operand){.at = t.at};
	rc = parse_term(p, t, o);
	for (ahead = p->lexer; !rc; ahead = p->lexer) {
		struct template_token next = template_next(&ahead);

		if (next.kind != TOKEN_FIELD)
			break;
		if (o->kind == OPERAND_CONSTANT || o->kind == OPERAND_NIL ||
		    (o->kind == OPERAND_DOT && !o->fields.n))
			return FAIL(p, next.at, "unexpected \"%.*s\" after a value without fields",
				    STR_ARG(str_head(next.text, 40)));
		p->lexer = ahead;
		rc = push_field(p, o, next);
	}
	o->end = p->lexer.at;
	return rc;
}

/* ---- pipelines ---- */

/* Operands up to a pipe or the end of the pipeline, which is not read. */
static int parse_command(struct template_parser *p, struct template_command *c)
{
	struct template_token t = template_next_token(&p->lexer);
	int rc = 0;

	*c = (struct template_command){.at = t.at};
	for (;;) {
		struct template_lexer ahead;
		struct template_operand o;

		rc = parse_operand(p, t, &o);
		if (!rc)
			rc = vec_push(p->arena, &c->operands, o);
		if (rc)
			return rc;
		ahead = p->lexer;
		t = template_next(&ahead);
		if (t.kind == TOKEN_SPACE)
			t = template_next_token(&ahead);
		else if (t.kind != TOKEN_PIPE && t.kind != TOKEN_CLOSE && t.kind != TOKEN_END)
			return unexpected(p, t, "operand");
		if (t.kind == TOKEN_PIPE || t.kind == TOKEN_CLOSE || t.kind == TOKEN_END)
			return 0;
		p->lexer = ahead;
	}
}

static int declare(struct template_parser *p, struct template_pipe *pipe, struct template_token t)
{
	if (pipe->variable_count == countof(pipe->variables))
		return FAIL(p, t.at, "too many declarations");
	pipe->variables[pipe->variable_count++] = t.text;
	return 0;
}

/* "$x :=", "$x =", "$i, $e :=" or nothing. */
static int parse_declarations(struct template_parser *p, const char *context,
			      struct template_pipe *pipe)
{
	struct template_lexer ahead = p->lexer;
	struct template_token t = template_next_token(&ahead), next;
	int rc = 0;

	if (t.kind != TOKEN_VARIABLE)
		return 0;
	next = template_next_token(&ahead);
	if (next.kind != TOKEN_COMMA && next.kind != TOKEN_DECLARE && next.kind != TOKEN_ASSIGN)
		return 0;
	rc = declare(p, pipe, t);
	if (!rc && next.kind == TOKEN_COMMA) {
		if (strcmp(context, "range") != 0)
			return FAIL(p, next.at, "too many declarations in %s", context);
		t = template_next_token(&ahead);
		next = template_next_token(&ahead);
		if (t.kind != TOKEN_VARIABLE ||
		    (next.kind != TOKEN_DECLARE && next.kind != TOKEN_ASSIGN))
			return FAIL(p, t.at, "range can only initialize variables");
		rc = declare(p, pipe, t);
	}
	pipe->assigns = next.kind == TOKEN_ASSIGN;
	for (uint32_t i = 0; i < pipe->variable_count && !rc && pipe->assigns; i++)
		rc = parse_variable(p,
				    (struct template_token){.text = pipe->variables[i], .at = t.at},
				    &(struct template_operand){0});
	p->lexer = ahead;
	return rc;
}

static bool executable(const struct template_operand *o)
{
	return o->kind != OPERAND_CONSTANT && o->kind != OPERAND_NIL &&
	       (o->kind != OPERAND_DOT || o->fields.n);
}

/* A pipeline and the token `end`. Its variables are in scope afterwards. */
static int parse_pipe(struct template_parser *p, const char *context, enum template_token_kind end,
		      struct template_pipe **out)
{
	struct template_pipe *pipe = arena_zalloc(p->arena, 1, sizeof(*pipe));
	struct template_token t;
	int rc;

	if (!pipe)
		return -ENOMEM;
	pipe->at = peek(p).at;
	rc = parse_declarations(p, context, pipe);
	if (!rc && peek(p).kind == end)
		return FAIL(p, pipe->at, "missing value for %s", context);
	do {
		struct template_command c;

		rc = rc ? rc : parse_command(p, &c);
		if (!rc && pipe->commands.n && !executable(&c.operands.at[0]))
			return FAIL(p, c.at, "non executable command in pipeline stage %u",
				    pipe->commands.n + 1);
		rc = rc ? rc : vec_push(p->arena, &pipe->commands, c);
		if (rc)
			return rc;
		t = template_next_token(&p->lexer);
	} while (t.kind == TOKEN_PIPE);
	if (t.kind != end)
		return unexpected(p, t, context);
	for (uint32_t i = 0; i < pipe->variable_count && !rc && !pipe->assigns; i++)
		rc = vec_push(p->arena, &p->variables, pipe->variables[i]);
	*out = pipe;
	return rc;
}

/* ---- nodes ---- */

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

	return t.kind == TOKEN_END ? 0 : unexpected(p, t, context);
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
		return unexpected(p, t, "{{else}}");
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
	int rc = n ? enter(p, at) : -ENOMEM;

	if (rc)
		return rc;
	n->list.end = &n->list.first;
	n->otherwise.end = &n->otherwise.first;
	rc = parse_pipe(p, keyword_of(kind), TOKEN_END, &n->pipe);
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
		return unexpected(p, t, context);
	rc = parse_string(p, t, &name);
	*out = name.s;
	return rc;
}

/* {{template "name"}} or {{template "name" pipeline}} */
static int parse_template(struct template_parser *p, uint32_t at, struct template_list *list)
{
	struct template_node *n = new_node(p, NODE_TEMPLATE, at);
	int rc = n ? parse_template_name(p, "template clause", &n->text) : -ENOMEM;
	uint32_t scope = p->variables.n;

	if (!rc && peek(p).kind == TOKEN_END)
		rc = expect_end(p, "template clause");
	else if (!rc)
		rc = parse_pipe(p, "template clause", TOKEN_END, &n->pipe);
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
		rc = enter(p, at);
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
		rc = parse_pipe(p, "block clause", TOKEN_END, &n->pipe);
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
	rc = n ? parse_pipe(p, "command", TOKEN_END, &n->pipe) : -ENOMEM;
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

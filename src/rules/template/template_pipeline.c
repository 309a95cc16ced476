/* SPDX-License-Identifier: Apache-2.0 */
/* Parses pipelines: commands of operands, and the variables that they set. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "rules/template/template_functions.h"
#include "rules/template/template_parser.h"

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

int template_enter(struct template_parser *p, uint32_t at)
{
	if (++p->depth > RULE_TEMPLATE_DEPTH_MAX)
		return FAIL(p, at, "nested deeper than %d levels", RULE_TEMPLATE_DEPTH_MAX);
	return 0;
}

int template_unexpected(struct template_parser *p, struct template_token t, const char *context)
{
	if (t.kind == TOKEN_ERROR)
		return FAIL(p, t.at, "%s", t.why);
	if (t.kind == TOKEN_END)
		return FAIL(p, t.at, "unexpected end of the action in %s", context);
	return FAIL(p, t.at, "unexpected \"%.*s\" in %s", STR_ARG(str_head(t.text, 40)), context);
}

struct template_token template_peek(const struct template_parser *p)
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

int template_parse_string(struct template_parser *p, struct template_token t,
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
		return template_parse_string(p, t, &o->constant);
	case TOKEN_OPEN:
		o->kind = OPERAND_PIPE;
		rc = template_enter(p, t.at);
		if (!rc)
			rc = template_parse_pipe(p, "parenthesized pipeline", TOKEN_CLOSE,
						 &o->pipe);
		p->depth--;
		return rc;
	default:
		return template_unexpected(p, t, "operand");
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
			return template_unexpected(p, t, "operand");
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

int template_parse_pipe(struct template_parser *p, const char *context,
			enum template_token_kind end, struct template_pipe **out)
{
	struct template_pipe *pipe = arena_zalloc(p->arena, 1, sizeof(*pipe));
	struct template_token t;
	int rc;

	if (!pipe)
		return -ENOMEM;
	pipe->at = template_peek(p).at;
	rc = parse_declarations(p, context, pipe);
	if (!rc && template_peek(p).kind == end)
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
		return template_unexpected(p, t, context);
	for (uint32_t i = 0; i < pipe->variable_count && !rc && !pipe->assigns; i++)
		rc = vec_push(p->arena, &p->variables, pipe->variables[i]);
	*out = pipe;
	return rc;
}

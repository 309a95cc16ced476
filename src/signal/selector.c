/* SPDX-License-Identifier: Apache-2.0 */
/* Series selectors: matching, and a recursive-descent parser. */
#include "signal/selector.h"

#include "base/buf.h"

struct str label_set_get(struct label_set set, struct str name)
{
	uint32_t low = 0, high = set.n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		int order = str_cmp(set.at[middle].name, name);

		if (order == 0)
			return set.at[middle].value;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return (struct str){0};
}

void selector_init(struct selector *s)
{
	*s = (struct selector){0};
	arena_init(&s->arena, NULL);
}

void selector_fini(struct selector *s)
{
	for (uint32_t i = 0; i < s->matchers.n; i++)
		regex_free(s->matchers.at[i].regex);
	arena_fini(&s->arena);
	*s = (struct selector){0};
}

/* Compile a regular expression anchored at both ends, as in Prometheus. */
static int compile_matcher(struct matcher *m, struct arena *arena, struct err *e)
{
	struct str anchored;
	int rc = arena_printf(arena, &anchored, "^(?:%.*s)\\z", STR_ARG(m->value));

	return rc ? rc : regex_new(&m->regex, anchored, 0, e);
}

int selector_add(struct selector *s, enum matcher_op op, struct str name, struct str value,
		 struct err *e)
{
	struct matcher m = {.op = op};
	int rc;

	if (s->matchers.n >= SELECTOR_MATCHERS_MAX)
		return err_set(e, -EINVAL, "selector: more than %d matchers",
			       SELECTOR_MATCHERS_MAX);
	if (str_eq(name, STR("service.name")))
		name = STR("service_name");
	rc = vec_reserve(&s->arena, &s->matchers, 1);
	if (!rc)
		rc = arena_copy_str(&s->arena, name, &m.name);
	if (!rc)
		rc = arena_copy_str(&s->arena, value, &m.value);
	if (!rc && (op == MATCH_REGEX || op == MATCH_NOT_REGEX))
		rc = compile_matcher(&m, &s->arena, e);
	if (!rc)
		s->matchers.at[s->matchers.n++] = m;
	else if (rc == -ENOMEM)
		err_set(e, rc, "selector: out of memory");
	return rc;
}

struct str selector_equal(const struct selector *s, struct str name)
{
	for (uint32_t i = 0; i < s->matchers.n; i++) {
		const struct matcher *m = &s->matchers.at[i];

		if (m->op == MATCH_EQUAL && str_eq(m->name, name))
			return m->value;
	}
	return (struct str){0};
}

static int matcher_holds(const struct matcher *m, struct label_set labels, struct err *e)
{
	struct str value = label_set_get(labels, m->name);
	int rc;

	switch (m->op) {
	case MATCH_EQUAL:
		return str_eq(value, m->value);
	case MATCH_NOT_EQUAL:
		return !str_eq(value, m->value);
	case MATCH_REGEX:
		return regex_match(m->regex, value, e);
	case MATCH_NOT_REGEX:
		rc = regex_match(m->regex, value, e);
		return rc < 0 ? rc : !rc;
	}
	return -EINVAL;
}

int selector_match(const struct selector *s, struct label_set labels, struct err *e)
{
	for (uint32_t i = 0; i < s->matchers.n; i++) {
		int rc = matcher_holds(&s->matchers.at[i], labels, e);

		if (rc <= 0)
			return rc;
	}
	return 1;
}

/* ---- parser ---- */

struct selector_parser {
	struct str text;
	size_t at;
	struct err *e;
	struct buf scratch; /* holds a quoted value */
};

static int expected_error(struct selector_parser *p, const char *what)
{
	struct str rest = str_from_at(p->text, p->at);

	if (!rest.n)
		return err_set(p->e, -EINVAL,
			       "selector: at character %zu: expected %s, found the end", p->at + 1,
			       what);
	return err_set(p->e, -EINVAL, "selector: at character %zu: expected %s, found '%.*s'",
		       p->at + 1, what, STR_ARG(str_head(rest, 20)));
}

static char peek(const struct selector_parser *p)
{
	return p->at < p->text.n ? p->text.p[p->at] : '\0';
}

static void skip_space(struct selector_parser *p)
{
	while (p->at < p->text.n && strchr(" \t\r\n", p->text.p[p->at]))
		p->at++;
}

static bool accept_token(struct selector_parser *p, const char *token)
{
	struct str t = str_from(token);

	skip_space(p);
	if (!str_starts(str_from_at(p->text, p->at), t))
		return false;
	p->at += t.n;
	return true;
}

/* Parse a label name; it may contain dots and dashes, as OpenTelemetry's do. */
static struct str parse_name(struct selector_parser *p)
{
	size_t from;

	skip_space(p);
	from = p->at;
	while (p->at < p->text.n && !strchr("={}!~,\"'` \t\r\n", p->text.p[p->at]))
		p->at++;
	return str_of(p->text.p + from, p->at - from);
}

/* Return the character that a backslash and `c` stand for, or -1. */
static int unescape(char c)
{
	switch (c) {
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case 'r':
		return '\r';
	case '\\':
	case '"':
	case '\'':
		return c;
	default:
		return -1;
	}
}

/* Parse a string in "", '' (with escapes) or `` (without); valid until the next call. */
static int parse_quoted(struct selector_parser *p, struct str *out)
{
	char quote;

	skip_space(p);
	quote = peek(p);
	if (quote != '"' && quote != '\'' && quote != '`')
		return expected_error(p, "a value in quotes");
	p->at++;
	buf_clear(&p->scratch);
	for (; p->at < p->text.n && p->text.p[p->at] != quote; p->at++) {
		char c = p->text.p[p->at];

		if (c == '\\' && quote != '`') {
			int meant = p->at + 1 < p->text.n ? unescape(p->text.p[p->at + 1]) : -1;

			if (meant < 0)
				return expected_error(p,
						      "a known escape (\\n \\t \\r \\\\ \\\" \\')");
			c = (char)meant;
			p->at++;
		}
		buf_put_char(&p->scratch, c);
	}
	if (p->at >= p->text.n)
		return expected_error(p, "the closing quote");
	p->at++;
	*out = buf_str(&p->scratch);
	return buf_error(&p->scratch);
}

/* Parse a value in quotes, or without if its characters are unambiguous: env=prod. */
static int parse_value(struct selector_parser *p, struct str *out)
{
	skip_space(p);
	if (strchr("\"'`", peek(p)) && peek(p))
		return parse_quoted(p, out);
	*out = parse_name(p);
	return out->n ? 0
		      : expected_error(p, "a value, in quotes if it has spaces or any of ={}!~,");
}

static int parse_op(struct selector_parser *p, enum matcher_op *op)
{
	static const struct {
		const char *text;
		enum matcher_op op;
	} ops[] = {
		{"=~", MATCH_REGEX},
		{"!~", MATCH_NOT_REGEX},
		{"!=", MATCH_NOT_EQUAL},
		{"=", MATCH_EQUAL},
	};

	for (size_t i = 0; i < countof(ops); i++) {
		if (accept_token(p, ops[i].text)) {
			*op = ops[i].op;
			return 0;
		}
	}
	return expected_error(p, "one of = != =~ !~");
}

static int parse_matcher(struct selector_parser *p, struct selector *s)
{
	enum matcher_op op = MATCH_EQUAL;
	struct str name, value;
	int rc;

	skip_space(p);
	if (peek(p) == '"') {
		rc = parse_quoted(p, &value);
		if (!rc)
			rc = arena_copy_str(&s->arena, value, &name);
		if (rc)
			return rc;
	} else {
		name = parse_name(p);
	}
	if (!name.n)
		return expected_error(p, "a label name");
	rc = parse_op(p, &op);
	if (!rc)
		rc = parse_value(p, &value);
	return rc ? rc : selector_add(s, op, name, value, p->e);
}

static int parse_braces(struct selector_parser *p, struct selector *s)
{
	while (!accept_token(p, "}")) {
		int rc = parse_matcher(p, s);

		if (rc)
			return rc;
		if (accept_token(p, ","))
			continue;
		skip_space(p);
		if (peek(p) != '}')
			return expected_error(p, "',' or '}'");
	}
	return 0;
}

/* Add the word before the braces: a profile type if it has four or five colons, else a service. */
static int add_head(struct selector *s, struct str head, struct err *e)
{
	unsigned colons = 0;

	for (size_t i = 0; i < head.n; i++)
		colons += head.p[i] == ':';
	return selector_add(s, MATCH_EQUAL,
			    colons == 4 || colons == 5 ? STR("__profile_type__")
						       : STR("service_name"),
			    head, e);
}

static int parse_selector(struct selector_parser *p, struct selector *s)
{
	struct str head = parse_name(p);
	int rc = head.n ? add_head(s, head, p->e) : 0;

	if (!rc && accept_token(p, "{"))
		rc = parse_braces(p, s);
	else if (!rc && peek(p))
		rc = expected_error(p, "'{'");
	if (rc)
		return rc;
	skip_space(p);
	return p->at < p->text.n ? expected_error(p, "the end") : 0;
}

int selector_parse(struct selector *s, struct str text, struct err *e)
{
	struct selector_parser p = {.text = text, .e = e};
	int rc;

	if (text.n > SELECTOR_TEXT_MAX)
		return err_set(e, -EINVAL, "selector: longer than %d bytes", SELECTOR_TEXT_MAX);
	rc = parse_selector(&p, s);
	if (rc == -ENOMEM)
		err_set(e, rc, "selector: out of memory");
	buf_fini(&p.scratch);
	return rc;
}

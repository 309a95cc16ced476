/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses expressions over the fields of a span. Operators by precedence, low to high: && and || (the
 * same level), comparisons, + and -, !, * / %, and ^ (right-associative). Unary minus binds as
 * binary minus does, so -a * b is -(a * b). Types are checked where they are known; attributes have
 * any type.
 */
#include "query/traceql/syntax/traceql_parser.h"
#include "signal/span_batch.h"

enum {
	LEVEL_LOGIC = 1,
	LEVEL_COMPARE,
	LEVEL_SUM,
	LEVEL_NOT,
	LEVEL_PRODUCT,
	LEVEL_POWER,
};

static const struct {
	const char *text;
	unsigned level;
	enum traceql_op op;
} operators[] = {
	{"&&", LEVEL_LOGIC, TRACEQL_AND},     {"||", LEVEL_LOGIC, TRACEQL_OR},
	{"=", LEVEL_COMPARE, TRACEQL_EQ},     {"!=", LEVEL_COMPARE, TRACEQL_NE},
	{"=~", LEVEL_COMPARE, TRACEQL_MATCH}, {"!~", LEVEL_COMPARE, TRACEQL_NOT_MATCH},
	{">", LEVEL_COMPARE, TRACEQL_GT},     {">=", LEVEL_COMPARE, TRACEQL_GE},
	{"<", LEVEL_COMPARE, TRACEQL_LT},     {"<=", LEVEL_COMPARE, TRACEQL_LE},
	{"+", LEVEL_SUM, TRACEQL_ADD},	      {"-", LEVEL_SUM, TRACEQL_SUB},
	{"*", LEVEL_PRODUCT, TRACEQL_MUL},    {"/", LEVEL_PRODUCT, TRACEQL_DIV},
	{"%", LEVEL_PRODUCT, TRACEQL_MOD},    {"^", LEVEL_POWER, TRACEQL_POW},
};

/* Fields that every view has. */
static const struct {
	struct str name, other; /* as answers show it; another spelling */
	enum traceql_builtin builtin;
	enum traceql_type type;
} builtins[] = {
	{STR_INIT("duration"), STR_INIT("span:duration"), TRACEQL_DURATION_OF_SPAN,
	 TRACEQL_TYPE_DURATION},
	{STR_INIT("status"), STR_INIT("span:status"), TRACEQL_STATUS, TRACEQL_TYPE_STATUS},
	{STR_INIT("kind"), STR_INIT("span:kind"), TRACEQL_KIND, TRACEQL_TYPE_KIND},
	{STR_INIT("span:id"), STR_INIT("span:id"), TRACEQL_SPAN_ID, TRACEQL_TYPE_STRING},
	{STR_INIT("span:parentID"), STR_INIT("span:parentID"), TRACEQL_PARENT_ID,
	 TRACEQL_TYPE_STRING},
	{STR_INIT("span:childCount"), STR_INIT("span:childCount"), TRACEQL_CHILD_COUNT,
	 TRACEQL_TYPE_INT},
	{STR_INIT("trace:id"), STR_INIT("trace:id"), TRACEQL_TRACE_ID, TRACEQL_TYPE_STRING},
	{STR_INIT("traceDuration"), STR_INIT("trace:duration"), TRACEQL_TRACE_DURATION,
	 TRACEQL_TYPE_DURATION},
	{STR_INIT("rootName"), STR_INIT("trace:rootName"), TRACEQL_ROOT_NAME, TRACEQL_TYPE_STRING},
	{STR_INIT("rootServiceName"), STR_INIT("trace:rootService"), TRACEQL_ROOT_SERVICE,
	 TRACEQL_TYPE_STRING},
	{STR_INIT("nestedSetLeft"), STR_INIT("nestedSetLeft"), TRACEQL_NESTED_LEFT,
	 TRACEQL_TYPE_INT},
	{STR_INIT("nestedSetRight"), STR_INIT("nestedSetRight"), TRACEQL_NESTED_RIGHT,
	 TRACEQL_TYPE_INT},
	{STR_INIT("nestedSetParent"), STR_INIT("nestedSetParent"), TRACEQL_NESTED_PARENT,
	 TRACEQL_TYPE_INT},
};

/* Intrinsics that are fields of views. */
static const struct {
	struct str name, other;
	enum trace_intrinsic intrinsic;
	enum traceql_type type;
	bool on_event, on_link;
} intrinsics[] = {
	{STR_INIT("name"), STR_INIT("span:name"), TRACE_SPAN_NAME, TRACEQL_TYPE_STRING, false,
	 false},
	{STR_INIT("statusMessage"), STR_INIT("span:statusMessage"), TRACE_STATUS_MESSAGE,
	 TRACEQL_TYPE_STRING, false, false},
	{STR_INIT("event:name"), STR_INIT("event:name"), TRACE_EVENT_NAME, TRACEQL_TYPE_STRING,
	 true, false},
	{STR_INIT("event:timeSinceStart"), STR_INIT("event:timeSinceStart"), TRACE_EVENT_TIME,
	 TRACEQL_TYPE_DURATION, true, false},
	{STR_INIT("link:traceID"), STR_INIT("link:traceID"), TRACE_LINK_TRACE_ID,
	 TRACEQL_TYPE_STRING, false, true},
	{STR_INIT("link:spanID"), STR_INIT("link:spanID"), TRACE_LINK_SPAN_ID, TRACEQL_TYPE_STRING,
	 false, true},
	{STR_INIT("instrumentation:name"), STR_INIT("instrumentation:name"),
	 TRACE_INSTRUMENTATION_NAME, TRACEQL_TYPE_STRING, false, false},
	{STR_INIT("instrumentation:version"), STR_INIT("instrumentation:version"),
	 TRACE_INSTRUMENTATION_VERSION, TRACEQL_TYPE_STRING, false, false},
};

/* Words that are values. */
static const struct {
	const char *text;
	struct traceql_value value;
} keywords[] = {
	{"true", {.type = TRACEQL_TYPE_BOOL, .truth = true}},
	{"false", {.type = TRACEQL_TYPE_BOOL, .truth = false}},
	{"nil", {.type = TRACEQL_TYPE_NIL}},
	{"minInt", {.type = TRACEQL_TYPE_INT, .number = INT64_MIN}},
	{"maxInt", {.type = TRACEQL_TYPE_INT, .number = INT64_MAX}},
	{"unset", {.type = TRACEQL_TYPE_STATUS, .number = SPAN_STATUS_UNSET}},
	{"ok", {.type = TRACEQL_TYPE_STATUS, .number = SPAN_STATUS_OK}},
	{"error", {.type = TRACEQL_TYPE_STATUS, .number = SPAN_STATUS_ERROR}},
	{"unspecified", {.type = TRACEQL_TYPE_KIND, .number = SPAN_KIND_UNSPECIFIED}},
	{"internal", {.type = TRACEQL_TYPE_KIND, .number = SPAN_KIND_INTERNAL}},
	{"server", {.type = TRACEQL_TYPE_KIND, .number = SPAN_KIND_SERVER}},
	{"client", {.type = TRACEQL_TYPE_KIND, .number = SPAN_KIND_CLIENT}},
	{"producer", {.type = TRACEQL_TYPE_KIND, .number = SPAN_KIND_PRODUCER}},
	{"consumer", {.type = TRACEQL_TYPE_KIND, .number = SPAN_KIND_CONSUMER}},
};

static const char *const type_names[] = {
	[TRACEQL_TYPE_NIL] = "nil",	  [TRACEQL_TYPE_STRING] = "string",
	[TRACEQL_TYPE_INT] = "int",	  [TRACEQL_TYPE_DOUBLE] = "float",
	[TRACEQL_TYPE_BOOL] = "bool",	  [TRACEQL_TYPE_DURATION] = "duration",
	[TRACEQL_TYPE_STATUS] = "status", [TRACEQL_TYPE_KIND] = "kind",
	[TRACEQL_TYPE_ARRAY] = "array",	  [TRACEQL_TYPE_JSON] = "json",
	[TRACEQL_TYPE_ANY] = "attribute",
};

static struct traceql_expr *new_expr(struct traceql_parser *p, enum traceql_expr_kind kind)
{
	struct traceql_expr *x = arena_zalloc(p->query->arena, 1, sizeof(*x));

	if (x) {
		x->kind = kind;
		x->at = tq_peek(p, 0)->at;
	}
	return x;
}

/* ---- operands ---- */

static int parse_literal(struct traceql_parser *p, struct traceql_expr **out)
{
	const struct traceql_token *t = tq_peek(p, 0);
	struct traceql_expr *x = new_expr(p, TRACEQL_EXPR_LITERAL);

	if (!x)
		return -ENOMEM;
	switch (t->kind) {
	case TRACEQL_STRING:
		x->literal = (struct traceql_value){.type = TRACEQL_TYPE_STRING, .text = t->text};
		break;
	case TRACEQL_INT:
		x->literal = (struct traceql_value){.type = TRACEQL_TYPE_INT, .number = t->number};
		break;
	case TRACEQL_FLOAT:
		x->literal = (struct traceql_value){.type = TRACEQL_TYPE_DOUBLE, .real = t->real};
		break;
	case TRACEQL_DURATION:
		x->literal =
			(struct traceql_value){.type = TRACEQL_TYPE_DURATION, .number = t->number};
		break;
	default:
		return tq_unexpected(p);
	}
	x->type = x->literal.type;
	tq_advance(p);
	*out = x;
	return 0;
}

static int parse_keyword(struct traceql_parser *p, struct traceql_expr **out)
{
	for (size_t i = 0; i < countof(keywords); i++) {
		if (!tq_is(p, TRACEQL_WORD, keywords[i].text))
			continue;
		*out = new_expr(p, TRACEQL_EXPR_LITERAL);
		if (!*out)
			return -ENOMEM;
		(*out)->literal = keywords[i].value;
		(*out)->type = keywords[i].value.type;
		tq_advance(p);
		return 0;
	}
	return -ENOENT;
}

static int parse_builtin(struct traceql_parser *p, struct traceql_expr **out)
{
	struct str name = tq_peek(p, 0)->text;

	for (size_t i = 0; i < countof(builtins); i++) {
		if (!str_eq(name, builtins[i].name) && !str_eq(name, builtins[i].other))
			continue;
		*out = new_expr(p, TRACEQL_EXPR_BUILTIN);
		if (!*out)
			return -ENOMEM;
		(*out)->builtin = builtins[i].builtin;
		(*out)->type = builtins[i].type;
		(*out)->name = (*out)->key = builtins[i].name;
		tq_advance(p);
		return 0;
	}
	return -ENOENT;
}

static int parse_intrinsic(struct traceql_parser *p, struct traceql_expr **out)
{
	struct str name = tq_peek(p, 0)->text;

	for (size_t i = 0; i < countof(intrinsics); i++) {
		struct trace_field f = {.scope = TRACE_SCOPE_INTRINSIC,
					.intrinsic = intrinsics[i].intrinsic};
		struct traceql_expr *x;

		if (!str_eq(name, intrinsics[i].name) && !str_eq(name, intrinsics[i].other))
			continue;
		x = new_expr(p, TRACEQL_EXPR_FIELD);
		if (!x)
			return -ENOMEM;
		x->type = intrinsics[i].type;
		x->on_event = intrinsics[i].on_event;
		x->on_link = intrinsics[i].on_link;
		x->name = x->key = intrinsics[i].name;
		tq_advance(p);
		*out = x;
		return tq_add_field(p, &f, &x->field);
	}
	return -ENOENT;
}

/* The field of a scope; the service name is a field of its own, which stores have at hand. */
static struct trace_field field_of(enum trace_scope scope, struct str key)
{
	struct trace_field f = {.scope = scope, .key = key};

	if (scope == TRACE_SCOPE_RESOURCE && str_eq(key, STR("service.name")))
		f = (struct trace_field){.scope = TRACE_SCOPE_INTRINSIC,
					 .intrinsic = TRACE_SERVICE_NAME};
	return f;
}

/* .x: fields of all scopes, in the order in which they are looked up. */
static int parse_unscoped(struct traceql_parser *p, struct traceql_expr *x)
{
	static const enum trace_scope order[TRACEQL_UNSCOPED_FIELDS] = {
		TRACE_SCOPE_SPAN, TRACE_SCOPE_RESOURCE, TRACE_SCOPE_EVENT, TRACE_SCOPE_LINK,
		TRACE_SCOPE_INSTRUMENTATION};
	struct traceql *q = p->query;
	int rc = 0;

	x->kind = TRACEQL_EXPR_UNSCOPED;
	x->on_event = x->on_link = true;
	if (q->fields.n + TRACEQL_UNSCOPED_FIELDS > TRACEQL_FIELDS_MAX)
		return tq_error(p, x->at, "the query has more than %d attributes",
				TRACEQL_FIELDS_MAX);
	x->field = q->fields.n; /* consecutive, even if single ones exist already */
	for (size_t i = 0; !rc && i < countof(order); i++)
		rc = vec_push(q->arena, &q->fields, field_of(order[i], x->key));
	return rc;
}

static int parse_attribute(struct traceql_parser *p, struct traceql_expr **out)
{
	static const enum trace_scope scopes[] = {
		[TRACEQL_SPAN] = TRACE_SCOPE_SPAN,
		[TRACEQL_RESOURCE] = TRACE_SCOPE_RESOURCE,
		[TRACEQL_EVENT] = TRACE_SCOPE_EVENT,
		[TRACEQL_LINK] = TRACE_SCOPE_LINK,
		[TRACEQL_INSTRUMENTATION] = TRACE_SCOPE_INSTRUMENTATION,
	};
	static const char *const prefixes[] = {
		[TRACEQL_ANY_SCOPE] = ".",	  [TRACEQL_SPAN] = "span.",
		[TRACEQL_RESOURCE] = "resource.", [TRACEQL_EVENT] = "event.",
		[TRACEQL_LINK] = "link.",	  [TRACEQL_INSTRUMENTATION] = "instrumentation.",
	};
	const struct traceql_token *t = tq_peek(p, 0);
	struct traceql_expr *x = new_expr(p, TRACEQL_EXPR_FIELD);
	struct trace_field f;
	int rc;

	if (!x)
		return -ENOMEM;
	if (t->scope == TRACEQL_PARENT)
		return tq_error(p, t->at, "parent attributes are not yet supported");
	x->type = TRACEQL_TYPE_ANY;
	x->key = t->text;
	rc = arena_printf(p->query->arena, &x->name, "%s%.*s", prefixes[t->scope],
			  STR_ARG(t->text));
	tq_advance(p);
	*out = x;
	if (rc || t->scope == TRACEQL_ANY_SCOPE)
		return rc ? rc : parse_unscoped(p, x);
	x->on_event = t->scope == TRACEQL_EVENT;
	x->on_link = t->scope == TRACEQL_LINK;
	f = field_of(scopes[t->scope], x->key);
	return tq_add_field(p, &f, &x->field);
}

int tq_parse_field(struct traceql_parser *p, struct traceql_expr **out)
{
	const struct traceql_token *t = tq_peek(p, 0);
	int rc;

	if (t->kind == TRACEQL_ATTRIBUTE)
		return parse_attribute(p, out);
	if (t->kind != TRACEQL_WORD)
		return tq_unexpected(p);
	rc = parse_builtin(p, out);
	if (rc == -ENOENT)
		rc = parse_intrinsic(p, out);
	if (rc != -ENOENT)
		return rc;
	if (str_eq(t->text, STR("parent")))
		return tq_error(p, t->at, "parent is not yet supported");
	return tq_error(p, t->at, "unknown identifier: %.*s", STR_ARG(str_head(t->text, 100)));
}

/* ---- types ---- */

bool tq_is_numeric(enum traceql_type t)
{
	return t == TRACEQL_TYPE_INT || t == TRACEQL_TYPE_DOUBLE || t == TRACEQL_TYPE_DURATION;
}

static bool is_comparison(enum traceql_op op)
{
	return op >= TRACEQL_EQ && op <= TRACEQL_LE;
}

/* Return whether values of both types can be operands of one operator. */
static bool types_meet(enum traceql_type a, enum traceql_type b)
{
	return a == b || a == TRACEQL_TYPE_ANY || b == TRACEQL_TYPE_ANY || a == TRACEQL_TYPE_NIL ||
	       b == TRACEQL_TYPE_NIL || (tq_is_numeric(a) && tq_is_numeric(b));
}

/* Return whether values of a type can be operands of the operator. */
static bool type_has(enum traceql_type t, enum traceql_op op)
{
	bool equality = op == TRACEQL_EQ || op == TRACEQL_NE;

	switch (t) {
	case TRACEQL_TYPE_ANY:
		return true;
	case TRACEQL_TYPE_BOOL:
		return op == TRACEQL_AND || op == TRACEQL_OR || equality;
	case TRACEQL_TYPE_INT:
	case TRACEQL_TYPE_DOUBLE:
	case TRACEQL_TYPE_DURATION:
		return op >= TRACEQL_EQ && op <= TRACEQL_POW && op != TRACEQL_MATCH &&
		       op != TRACEQL_NOT_MATCH;
	case TRACEQL_TYPE_STRING:
		return is_comparison(op);
	default:
		return equality;
	}
}

bool tq_refers_to_span(const struct traceql_expr *x)
{
	if (!x || x->kind == TRACEQL_EXPR_LITERAL)
		return false;
	if (x->kind == TRACEQL_EXPR_BINARY)
		return tq_refers_to_span(x->left) || tq_refers_to_span(x->right);
	if (x->kind == TRACEQL_EXPR_NOT || x->kind == TRACEQL_EXPR_MINUS)
		return tq_refers_to_span(x->left);
	return true;
}

/* Comparisons with nil: only attributes can be absent. */
static int check_nil(struct traceql_parser *p, const struct traceql_expr *x)
{
	const struct traceql_expr *other = x->left->type == TRACEQL_TYPE_NIL ? x->right : x->left;

	if (x->left->type != TRACEQL_TYPE_NIL && x->right->type != TRACEQL_TYPE_NIL)
		return 0;
	if (other->kind == TRACEQL_EXPR_BUILTIN || other->kind == TRACEQL_EXPR_FIELD) {
		const struct trace_field *f = other->kind == TRACEQL_EXPR_FIELD
						      ? &p->query->fields.at[other->field]
						      : NULL;

		if (!f || f->scope == TRACE_SCOPE_INTRINSIC)
			return x->op == TRACEQL_EQ
				       ? tq_error(p, x->at, "%.*s always exists: it cannot be nil",
						  STR_ARG(str_head(other->name, 100)))
				       : 0;
	}
	return 0;
}

static int check_regex(struct traceql_parser *p, struct traceql_expr *x)
{
	struct traceql *q = p->query;
	int rc;

	if (x->right->kind != TRACEQL_EXPR_LITERAL || x->right->type != TRACEQL_TYPE_STRING)
		return tq_error(p, x->at,
				"the right side of a regular expression must be a "
				"string");
	rc = vec_reserve(q->arena, &q->regexes, 1);
	if (rc)
		return rc;
	rc = regex_new(&x->regex, x->right->literal.text, REGEX_WHOLE | REGEX_DOT_ALL, p->e);
	if (rc)
		return rc;
	q->regexes.at[q->regexes.n++] = x->regex;
	return 0;
}

static enum traceql_type result_type(const struct traceql_expr *x)
{
	if (x->op <= TRACEQL_LE)
		return TRACEQL_TYPE_BOOL;
	if (x->left->type == TRACEQL_TYPE_ANY || x->right->type == TRACEQL_TYPE_ANY)
		return TRACEQL_TYPE_ANY;
	return x->left->type == TRACEQL_TYPE_INT && x->right->type == TRACEQL_TYPE_INT
		       ? TRACEQL_TYPE_INT
		       : TRACEQL_TYPE_DOUBLE;
}

static int check_binary(struct traceql_parser *p, struct traceql_expr *x, const char *text)
{
	enum traceql_type a = x->left->type, b = x->right->type;

	if (!types_meet(a, b))
		return tq_error(p, x->at,
				"binary operations must operate on the same type: %s %s %s",
				type_names[a], text, type_names[b]);
	if (!type_has(a, x->op) || !type_has(b, x->op))
		return tq_error(p, x->at, "illegal operation for the given types: %s %s %s",
				type_names[a], text, type_names[b]);
	for (unsigned i = 0; i < 2; i++) {
		const struct traceql_expr *side = i ? x->right : x->left;

		if (side->kind == TRACEQL_EXPR_BUILTIN && side->builtin == TRACEQL_TRACE_ID &&
		    x->op != TRACEQL_EQ && x->op != TRACEQL_NE)
			return tq_error(p, x->at, "trace:id supports = and != only");
	}
	x->type = result_type(x);
	x->on_event = x->left->on_event || x->right->on_event;
	x->on_link = x->left->on_link || x->right->on_link;
	if (x->op == TRACEQL_MATCH || x->op == TRACEQL_NOT_MATCH)
		return check_regex(p, x);
	return check_nil(p, x);
}

/* ---- operators ---- */

static int parse_level(struct traceql_parser *p, unsigned level, struct traceql_expr **out);

static int parse_unary(struct traceql_parser *p, struct traceql_expr **out)
{
	bool minus = tq_is(p, TRACEQL_OPERATOR, "-");
	struct traceql_expr *x = new_expr(p, minus ? TRACEQL_EXPR_MINUS : TRACEQL_EXPR_NOT);
	enum traceql_type t;
	int rc;

	if (!x)
		return -ENOMEM;
	tq_advance(p);
	rc = parse_level(p, minus ? LEVEL_NOT : LEVEL_PRODUCT, &x->left);
	if (rc)
		return rc;
	t = x->left->type;
	if (t != TRACEQL_TYPE_ANY && (minus ? !tq_is_numeric(t) : t != TRACEQL_TYPE_BOOL))
		return tq_error(p, x->at, "illegal operation for the given type: %s%s",
				minus ? "-" : "!", type_names[t]);
	x->type = minus ? t : TRACEQL_TYPE_BOOL;
	x->on_event = x->left->on_event;
	x->on_link = x->left->on_link;
	*out = x;
	return 0;
}

static int parse_operand(struct traceql_parser *p, struct traceql_expr **out)
{
	int rc;

	if (tq_is(p, TRACEQL_OPERATOR, "-") || tq_is(p, TRACEQL_OPERATOR, "!"))
		return parse_unary(p, out);
	if (tq_take(p, TRACEQL_OPERATOR, "(")) {
		rc = tq_parse_expr(p, out);
		return rc ? rc : tq_expect(p, ")");
	}
	if (tq_peek(p, 0)->kind == TRACEQL_WORD) {
		rc = parse_keyword(p, out);
		if (rc != -ENOENT)
			return rc;
	}
	if (tq_peek(p, 0)->kind == TRACEQL_WORD || tq_peek(p, 0)->kind == TRACEQL_ATTRIBUTE)
		return tq_parse_field(p, out);
	return parse_literal(p, out);
}

/* Return the index of the binary operator that comes next, if it binds at least at `level`. */
static size_t next_operator(const struct traceql_parser *p, unsigned level)
{
	for (size_t i = 0; i < countof(operators); i++)
		if (operators[i].level >= level && tq_is(p, TRACEQL_OPERATOR, operators[i].text))
			return i;
	return countof(operators);
}

static int parse_level(struct traceql_parser *p, unsigned level, struct traceql_expr **out)
{
	size_t i;
	int rc = tq_enter(p);

	if (!rc)
		rc = parse_operand(p, out);
	while (!rc && (i = next_operator(p, level)) < countof(operators)) {
		struct traceql_expr *x = new_expr(p, TRACEQL_EXPR_BINARY);
		bool right = operators[i].op == TRACEQL_POW;

		if (!x)
			return -ENOMEM;
		x->op = operators[i].op;
		x->left = *out;
		tq_advance(p);
		rc = parse_level(p, operators[i].level + !right, &x->right);
		if (!rc)
			rc = check_binary(p, x, operators[i].text);
		*out = x;
	}
	tq_leave(p);
	return rc;
}

int tq_parse_expr(struct traceql_parser *p, struct traceql_expr **out)
{
	return parse_level(p, LEVEL_LOGIC, out);
}

enum traceql_op tq_comparison(const struct traceql_parser *p)
{
	for (size_t i = 0; i < countof(operators); i++)
		if (operators[i].level == LEVEL_COMPARE && operators[i].op != TRACEQL_MATCH &&
		    operators[i].op != TRACEQL_NOT_MATCH &&
		    tq_is(p, TRACEQL_OPERATOR, operators[i].text))
			return operators[i].op;
	return TRACEQL_OPS;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of Go's text/template, and what all functions have in common. */
#include "rules/template/template_functions.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "rules/template/template_text.h"

const struct template_function *template_function_find(struct str name)
{
	static const struct template_function *const tables[] = {template_builtin_functions,
								 template_prometheus_functions,
								 template_sample_functions};

	for (size_t i = 0; i < countof(tables); i++)
		for (const struct template_function *f = tables[i]; f->name; f++)
			if (str_eq(name, str_from(f->name)))
				return f;
	return NULL;
}

int template_call_fail(struct template_call *c, const char *fmt, ...)
{
	char why[ERR_TEXT_MAX];
	va_list args;

	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	return template_run_fail(c->run, "error calling %s: %s", c->name, why);
}

/* ---- arguments ---- */

static int wrong_type(struct template_call *c, uint32_t i, const char *expected)
{
	return template_run_fail(c->run, "wrong type for value of %s; expected %s; got %s", c->name,
				 expected, template_type_name(&c->args[i]));
}

int template_string_arg(struct template_call *c, uint32_t i, struct str *out)
{
	if (c->args[i].kind != TEMPLATE_STRING)
		return wrong_type(c, i, "string");
	*out = c->args[i].s;
	return 0;
}

int template_samples_arg(struct template_call *c, uint32_t i, struct template_samples *out)
{
	if (c->args[i].kind != TEMPLATE_SAMPLES)
		return wrong_type(c, i, "template.queryResult");
	*out = c->args[i].samples;
	return 0;
}

int template_sample_arg(struct template_call *c, uint32_t i,
			const struct rule_template_sample **out)
{
	if (c->args[i].kind != TEMPLATE_SAMPLE)
		return wrong_type(c, i, "*template.sample");
	*out = c->args[i].sample;
	return 0;
}

static bool is_float_text(struct str s)
{
	struct str word = s.n && (s.p[0] == '+' || s.p[0] == '-') ? str_from_at(s, 1) : s;

	return word.n && word.n < 320 &&
	       ((word.p[0] >= '0' && word.p[0] <= '9') || word.p[0] == '.' ||
		strchr("iInN", word.p[0]));
}

int template_number_arg(struct template_call *c, uint32_t i, double *out)
{
	const struct template_value *v = &c->args[i];
	char text[321], *end;

	switch (v->kind) {
	case TEMPLATE_FLOAT:
		*out = v->f;
		return 0;
	case TEMPLATE_INT:
		*out = (double)v->i;
		return 0;
	case TEMPLATE_DURATION:
		*out = (double)v->i / (double)NS_PER_SECOND;
		return 0;
	case TEMPLATE_STRING:
		snprintf(text, sizeof(text), "%.*s", STR_ARG(v->s));
		*out = strtod(text, &end);
		if (is_float_text(v->s) && !*end && end == text + v->s.n)
			return 0;
		return template_call_fail(c, "strconv.ParseFloat: parsing \"%.*s\": invalid syntax",
					  STR_ARG(str_head(v->s, 80)));
	default:
		return template_call_fail(c, "can't convert %s to float", template_type_name(v));
	}
}

struct buf *template_scratch(struct template_call *c)
{
	buf_clear(&c->run->scratch);
	return &c->run->scratch;
}

int template_return_text(struct template_call *c)
{
	struct buf *b = &c->run->scratch;

	return buf_error(b) ? -ENOMEM : template_keep(c->run, buf_str(b), c->out);
}

/* ---- logic and comparison ---- */

/* The evaluator does the work of these two: they only have a place in the table. */
int template_and(struct template_call *c)
{
	return template_call_fail(c, "not evaluated");
}

int template_or(struct template_call *c)
{
	return template_call_fail(c, "not evaluated");
}

static int call_not(struct template_call *c)
{
	*c->out = template_bool(!template_truth(&c->args[0]));
	return 0;
}

/* Kinds that Go compares with each other. */
enum basic_kind { BASIC_NONE, BASIC_BOOL, BASIC_INT, BASIC_FLOAT, BASIC_STRING };

static enum basic_kind basic_kind(const struct template_value *v)
{
	switch (v->kind) {
	case TEMPLATE_BOOL:
		return BASIC_BOOL;
	case TEMPLATE_INT:
	case TEMPLATE_MONTH:
	case TEMPLATE_WEEKDAY:
		return BASIC_INT;
	case TEMPLATE_FLOAT:
		return BASIC_FLOAT;
	case TEMPLATE_STRING:
		return BASIC_STRING;
	default:
		return BASIC_NONE;
	}
}

static bool comparable(const struct template_value *v)
{
	return v->kind != TEMPLATE_LABELS && v->kind != TEMPLATE_ARGS &&
	       v->kind != TEMPLATE_SAMPLES && v->kind != TEMPLATE_DATA;
}

static int equal(struct template_call *c, const struct template_value *a,
		 const struct template_value *b, bool *out)
{
	enum basic_kind kind = basic_kind(a);

	*out = false;
	if (a->kind == TEMPLATE_NONE || b->kind == TEMPLATE_NONE) {
		*out = a->kind == b->kind;
		return 0;
	}
	if (!comparable(a) || !comparable(b))
		return template_call_fail(c, "non-comparable type %s",
					  template_type_name(comparable(a) ? b : a));
	if (kind != basic_kind(b) || (kind == BASIC_NONE && a->kind != b->kind))
		return template_call_fail(c, "incompatible types for comparison");
	if (kind == BASIC_STRING)
		*out = str_eq(a->s, b->s);
	else if (kind == BASIC_FLOAT)
		*out = a->f == b->f;
	else if (kind == BASIC_BOOL)
		*out = a->b == b->b;
	else if (a->kind == TEMPLATE_SAMPLE)
		*out = a->sample == b->sample;
	else
		*out = a->i == b->i;
	return 0;
}

static int call_eq(struct template_call *c)
{
	bool same = false;
	int rc = 0;

	for (uint32_t i = 1; i < c->n && !same && !rc; i++)
		rc = equal(c, &c->args[0], &c->args[i], &same);
	*c->out = template_bool(same);
	return rc;
}

static int call_ne(struct template_call *c)
{
	bool same;
	int rc = equal(c, &c->args[0], &c->args[1], &same);

	*c->out = template_bool(!same);
	return rc;
}

static int less(struct template_call *c, bool *out)
{
	const struct template_value *a = &c->args[0], *b = &c->args[1];
	enum basic_kind kind = basic_kind(a);

	*out = false;
	if (kind == BASIC_NONE || basic_kind(b) == BASIC_NONE ||
	    (kind == BASIC_BOOL && basic_kind(b) == BASIC_BOOL))
		return template_call_fail(c, "invalid type for comparison");
	if (kind != basic_kind(b))
		return template_call_fail(c, "incompatible types for comparison");
	*out = kind == BASIC_STRING  ? str_cmp(a->s, b->s) < 0
	       : kind == BASIC_FLOAT ? a->f < b->f
				     : a->i < b->i;
	return 0;
}

static int call_lt(struct template_call *c)
{
	bool is;
	int rc = less(c, &is);

	*c->out = template_bool(is);
	return rc;
}

static int call_le(struct template_call *c)
{
	bool is, same = false;
	int rc = less(c, &is);

	if (!rc && !is)
		rc = equal(c, &c->args[0], &c->args[1], &same);
	*c->out = template_bool(is || same);
	return rc;
}

/* Go defines gt and ge as the opposite of le and lt, also for NaN. */
static int call_gt(struct template_call *c)
{
	int rc = call_le(c);

	c->out->b = !c->out->b;
	return rc;
}

static int call_ge(struct template_call *c)
{
	int rc = call_lt(c);

	c->out->b = !c->out->b;
	return rc;
}

/* ---- containers ---- */

static int call_len(struct template_call *c)
{
	const struct template_value *v = &c->args[0];

	switch (v->kind) {
	case TEMPLATE_STRING:
		*c->out = template_int((int64_t)v->s.n);
		return 0;
	case TEMPLATE_LABELS:
		*c->out = template_int(v->labels.n);
		return 0;
	case TEMPLATE_SAMPLES:
		*c->out = template_int(v->samples.n);
		return 0;
	case TEMPLATE_ARGS:
		*c->out = template_int(v->args->n);
		return 0;
	case TEMPLATE_NONE:
		return template_call_fail(c, "len of nil pointer");
	default:
		return template_call_fail(c, "len of type %s", template_type_name(v));
	}
}

/* Get argument `i` as an index of a list of `n` elements; `end`: n itself is possible. */
static int index_arg(struct template_call *c, uint32_t i, size_t n, bool end, size_t *out)
{
	const struct template_value *v = &c->args[i];

	if (v->kind != TEMPLATE_INT)
		return template_call_fail(c, "cannot index slice/array with %s%s",
					  v->kind == TEMPLATE_NONE ? "" : "type ",
					  v->kind == TEMPLATE_NONE ? "nil" : template_type_name(v));
	if (v->i < 0 || (uint64_t)v->i >= n + end)
		return template_call_fail(c, "index out of range: %lld", (long long)v->i);
	*out = (size_t)v->i;
	return 0;
}

static int index_once(struct template_call *c, uint32_t i, struct template_value *v)
{
	struct str name;
	size_t at = 0;
	int rc;

	switch (v->kind) {
	case TEMPLATE_LABELS:
	case TEMPLATE_ARGS:
		rc = template_string_arg(c, i, &name);
		if (!rc && v->kind == TEMPLATE_LABELS)
			*v = template_string(template_label(v->labels, name));
		else if (!rc)
			template_arg(v->args, name, v);
		return rc;
	case TEMPLATE_SAMPLES:
		rc = index_arg(c, i, v->samples.n, false, &at);
		if (!rc)
			*v = (struct template_value){.kind = TEMPLATE_SAMPLE,
						     .sample = v->samples.at[at]};
		return rc;
	case TEMPLATE_STRING:
		rc = index_arg(c, i, v->s.n, false, &at);
		if (!rc)
			*v = template_int((unsigned char)v->s.p[at]);
		return rc;
	case TEMPLATE_NONE:
		return template_call_fail(c, "index of untyped nil");
	default:
		return template_call_fail(c, "can't index item of type %s", template_type_name(v));
	}
}

static int call_index(struct template_call *c)
{
	struct template_value v = c->args[0];
	int rc = 0;

	if (v.kind == TEMPLATE_NONE)
		return template_call_fail(c, "index of untyped nil");
	for (uint32_t i = 1; i < c->n && !rc; i++)
		rc = index_once(c, i, &v);
	*c->out = v;
	return rc;
}

static int call_slice(struct template_call *c)
{
	const struct template_value *v = &c->args[0];
	size_t n, from = 0, to;
	int rc = 0;

	if (v->kind != TEMPLATE_STRING && v->kind != TEMPLATE_SAMPLES)
		return template_call_fail(c, "can't slice item of type %s", template_type_name(v));
	if (v->kind == TEMPLATE_STRING && c->n > 3)
		return template_call_fail(c, "cannot 3-index slice a string");
	n = to = v->kind == TEMPLATE_STRING ? v->s.n : v->samples.n;
	if (c->n > 1)
		rc = index_arg(c, 1, n, true, &from);
	if (!rc && c->n > 2)
		rc = index_arg(c, 2, n, true, &to);
	if (!rc && c->n > 3)
		rc = index_arg(c, 3, n, true, &(size_t){0});
	if (rc)
		return rc;
	if (from > to)
		return template_call_fail(c, "invalid slice index: %zu > %zu", from, to);
	*c->out = *v;
	if (v->kind == TEMPLATE_STRING)
		c->out->s = str_of(v->s.p + from, to - from);
	else
		c->out->samples =
			(struct template_samples){v->samples.at + from, (uint32_t)(to - from)};
	return 0;
}

/* ---- text ---- */

static int call_print(struct template_call *c)
{
	template_print(template_scratch(c), c->args, c->n, false);
	return template_return_text(c);
}

static int call_println(struct template_call *c)
{
	template_print(template_scratch(c), c->args, c->n, true);
	return template_return_text(c);
}

static int call_printf(struct template_call *c)
{
	struct str format;
	int rc = template_string_arg(c, 0, &format);

	if (rc)
		return rc;
	template_printf(template_scratch(c), format, c->args + 1, c->n - 1);
	return template_return_text(c);
}

static bool is_text(const struct template_value *v)
{
	return v->kind == TEMPLATE_STRING || v->kind == TEMPLATE_NONE;
}

/* Escape the arguments as one text: print(), but each as an action shows it. */
static int escape(struct template_call *c, void put(struct buf *out, struct str s))
{
	struct buf *b = template_scratch(c);
	int rc;

	for (uint32_t i = 0; i < c->n; i++) {
		if (i && !is_text(&c->args[i]) && !is_text(&c->args[i - 1]))
			buf_put_char(b, ' ');
		template_put_value(b, &c->args[i]);
	}
	rc = template_return_text(c);
	if (rc)
		return rc;
	put(template_scratch(c), c->out->s);
	return template_return_text(c);
}

static int call_html(struct template_call *c)
{
	return escape(c, template_put_html);
}

static int call_js(struct template_call *c)
{
	return escape(c, template_put_js);
}

static int call_urlquery(struct template_call *c)
{
	return escape(c, template_put_url);
}

/* No value of a rule's template is a function. */
static int call_call(struct template_call *c)
{
	if (c->args[0].kind == TEMPLATE_NONE)
		return template_call_fail(c, "call of nil");
	return template_call_fail(c, "non-function of type %s", template_type_name(&c->args[0]));
}

const struct template_function template_builtin_functions[] = {
	{"and", 1, TEMPLATE_ANY_COUNT, template_and},
	{"or", 1, TEMPLATE_ANY_COUNT, template_or},
	{"not", 1, 1, call_not},
	{"eq", 2, TEMPLATE_ANY_COUNT, call_eq},
	{"ne", 2, 2, call_ne},
	{"lt", 2, 2, call_lt},
	{"le", 2, 2, call_le},
	{"gt", 2, 2, call_gt},
	{"ge", 2, 2, call_ge},
	{"len", 1, 1, call_len},
	{"index", 1, TEMPLATE_ANY_COUNT, call_index},
	{"slice", 1, 4, call_slice},
	{"print", 0, TEMPLATE_ANY_COUNT, call_print},
	{"println", 0, TEMPLATE_ANY_COUNT, call_println},
	{"printf", 1, TEMPLATE_ANY_COUNT, call_printf},
	{"html", 0, TEMPLATE_ANY_COUNT, call_html},
	{"js", 0, TEMPLATE_ANY_COUNT, call_js},
	{"urlquery", 0, TEMPLATE_ANY_COUNT, call_urlquery},
	{"call", 1, TEMPLATE_ANY_COUNT, call_call},
	{0},
};

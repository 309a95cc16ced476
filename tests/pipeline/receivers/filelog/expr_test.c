/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions over an entry. */
#include "pipeline/receivers/filelog/expr/expr.h"

#include "test/test.h"
#include "wire/json.h"

static const char entry_json[] = "{\"body\": {\"msg\": \"GET /a\", \"n\": 3, \"tags\": [\"x\", "
				 "\"y\"], \"none\": null}, \"level\": \"warn\", \"a.b\": \"dot\"}";

/* Evaluate over an entry; the text of the result is true, false, another value, or the error. */
static void evaluate(const char *source, char *out, size_t room)
{
	struct arena arena;
	struct json doc;
	struct log_entry entry = {.severity_text = STR("WARN"), .severity = 13};
	struct log_node all, result;
	struct expr *x = NULL;
	struct err e = {0};

	arena_init(&arena, NULL);
	json_init(&doc, &arena);
	assert_ok(json_parse(&doc, str_from(entry_json), &e));
	assert_ok(log_node_of_json(&all, json_root(&doc), true, &arena));
	entry.body = *log_node_get(&all, STR("body"));
	entry.attributes = all;
	entry.resource.kind = VALUE_MAP;
	if (expr_compile(&x, str_from(source), EXPR_ANY, &arena, &e) ||
	    expr_eval(x, &entry, &arena, &result, &e))
		snprintf(out, room, "%s", e.text);
	else if (result.kind == VALUE_BOOL)
		snprintf(out, room, "%s", result.i ? "true" : "false");
	else if (result.kind == VALUE_STRING)
		snprintf(out, room, "%.*s", STR_ARG(result.s));
	else if (result.kind == VALUE_INT)
		snprintf(out, room, "%lld", (long long)result.i);
	else
		snprintf(out, room, "%s", log_node_kind_name(&result));
	expr_free(x);
	arena_fini(&arena);
}

static void expect(const char *source, const char *expected)
{
	char found[ERR_TEXT_MAX];

	evaluate(source, found, sizeof(found));
	if (strcmp(found, expected) != 0)
		fail_msg("%s is %s, expected %s", source, found, expected);
}

static void fails(const char *source, const char *part)
{
	char found[ERR_TEXT_MAX];

	evaluate(source, found, sizeof(found));
	if (!strstr(found, part))
		fail_msg("%s is %s, expected an error with %s", source, found, part);
}

static void fields_and_literals(void **state)
{
	(void)state;
	expect("body.msg", "GET /a");
	expect("$.n", "3");
	expect("attributes[\"a.b\"]", "dot");
	expect("attributes['level']", "warn");
	expect("body[\"tags\"][1]", "y");
	expect("body.tags[-1]", "y");
	expect("body.missing", "nil");
	expect("resource.env == nil", "true");
	expect("attributes.missing?.deep == nil", "true");
	expect("severity_text == 'WARN' and severity_number >= 13", "true");
	expect("\"a\\n\\u00e9\\x41\"", "a\n\xc3\xa9"
				       "A");
	expect("`raw\\n`", "raw\\n");
	fails("attributes.missing.deep", "does not take nil and a string");
}

static void operators_compare(void **state)
{
	(void)state;
	expect("body.n == 3 && body.n != 4", "true");
	expect("body.n == 3.0", "true");
	expect("body.n < 10 and body.n >= 3 and 2.5 <= body.n", "true");
	expect("\"a\" < \"b\"", "true");
	expect("attributes.level in [\"warn\", \"error\"]", "true");
	expect("attributes.level not in [\"warn\"]", "false");
	expect("\"msg\" in body", "true");
	expect("body.msg contains \"/a\" or false", "true");
	expect("body.msg startsWith \"GET\" and body.msg endsWith \"/a\"", "true");
	expect("body.msg not startsWith \"GET\"", "false");
	expect("body.msg matches \"^G.T\\\\s\"", "true");
	expect("body.none matches \"x\"", "false");
	expect("body.none contains \"x\"", "false");
	expect("not (body.n == 3) or !false", "true");
	expect("body.n == \"3\"", "false");
	fails("body.none < 3", "does not take nil and an integer");
	fails("body.n matches \"3\"", "does not take an integer");
	fails("not body.n", "does not take an integer");
}

static void precedence_is_that_of_expr(void **state)
{
	(void)state;
	expect("true or false and false", "true");
	expect("(true or false) and false", "false");
	expect("1 + 2 == 3 and 5 - 1 - 1 == 3", "true");
	expect("-1 < 0", "true");
	expect("false and body.none < 3", "false"); /* the right side is not evaluated */
	expect("\"a\" + \"b\" == \"ab\"", "true");
}

static void functions_are_called(void **state)
{
	(void)state;
	expect("len(body.msg)", "6");
	expect("len(body.tags)", "2");
	expect("upper(attributes.level) + lower(\"X\")", "WARNx");
	expect("trim(\" a \")", "a");
	expect("string(body.n)", "3");
	expect("env(\"VARVE_NO_SUCH_VARIABLE\")", "");
	fails("len(3)", "does not take an integer");
}

static void mistakes_have_their_place(void **state)
{
	static const struct {
		const char *source, *part;
	} cases[] = {
		{"body ==", "at 1:8: expected a value, found the end"},
		{"body\n  =~ 3", "at 2:3: '=' is not supported"},
		{"foo == 3", "at 1:1: unknown name \"foo\""},
		{"(body", "expected ), found the end"},
		{"body matches \"(\"", "at 1:14: invalid regular expression"},
		{"body matches attributes.x", "the pattern has to be a string"},
		{"\"abc", "the string is not closed"},
		{"body == 3 3", "expected an operator, found \"3\""},
		{"body ? 1 : 2", "'?' is not supported"},
		{"body == \"\\q\"", "unknown escape"},
	};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++)
		fails(cases[i].source, cases[i].part);
}

static void a_condition_has_to_be_a_bool(void **state)
{
	struct arena arena;
	struct expr *x;
	struct err e = {0};

	(void)state;
	arena_init(&arena, NULL);
	assert_int_not_equal(expr_compile(&x, STR("\"a\""), EXPR_BOOL, &arena, &e), 0);
	assert_err_says(&e, "has to be true or false");
	arena_fini(&arena);
}

static void depth_is_limited(void **state)
{
	struct buf deep = {0};

	(void)state;
	for (unsigned i = 0; i < 1000; i++)
		buf_put_char(&deep, '(');
	buf_put_char(&deep, '\0');
	fails(deep.p, "nested more than");
	buf_fini(&deep);
}

TEST_MAIN(test(fields_and_literals), test(operators_compare), test(precedence_is_that_of_expr),
	  test(functions_are_called), test(mistakes_have_their_place),
	  test(a_condition_has_to_be_a_bool), test(depth_is_limited))

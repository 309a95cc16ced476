/* SPDX-License-Identifier: Apache-2.0 */
/* PromQL: errors with positions, printed expressions, limits, native histograms. */
#include <math.h>

#include "base/clock.h"
#include "query/promql/promql.h"
#include "rules/test/promql_memory.h"
#include "signal/metric/native_estimate.h"
#include "signal/metric/number_text.h"

#include "test/test.h"

static void expect_error(const char *text, const char *error)
{
	struct promql_expr expr;
	struct err e = {0};

	assert_int_equal(promql_parse(&expr, str_from(text), 0, NULL, &e), -EINVAL);
	assert_string_equal(e.text, error);
	assert_null(expr.root);
}

static void errors_have_positions(void **state)
{
	(void)state;
	expect_error("", "1:1: parse error: no expression found in input");
	expect_error("1 +", "1:4: parse error: unexpected end of input");
	expect_error("sum(foo", "1:8: parse error: unclosed left parenthesis");
	expect_error("foo{a=1}", "1:7: parse error: unexpected character inside braces: '1'");
	expect_error("{a=\"\"}", "1:1: parse error: vector selector must contain at least one "
				 "non-empty matcher");
	expect_error("rate(foo)", "1:6: parse error: expected type range vector in call to "
				  "function \"rate\", got instant vector");
	expect_error("foo\n  and 3", "1:1: parse error: set operator \"and\" not allowed in binary "
				     "scalar expression");
	expect_error("nope(foo)", "1:1: parse error: unknown function with name \"nope\"");
	expect_error("foo[0s]", "1:5: parse error: duration must be greater than 0");
	expect_error("1 == 1", "1:3: parse error: comparisons between scalars must use BOOL "
			       "modifier");
	expect_error("limitk(1, foo)", "1:1: parse error: limitk() is experimental and must be "
				       "enabled with --enable-feature="
				       "promql-experimental-functions");
	expect_error("foo)", "1:4: parse error: unexpected right parenthesis ')'");
}

static void expect_printed(const char *text, const char *printed)
{
	struct promql_expr expr;
	struct err e = {0};
	struct buf b = {0};

	assert_ok_err(promql_parse(&expr, str_from(text), PROMQL_ALL_SYNTAX, NULL, &e), &e);
	promql_print(&b, expr.root);
	assert_str_equal(buf_str(&b), str_from(printed));
	buf_fini(&b);
	promql_expr_fini(&expr);
}

static void expressions_are_printed(void **state)
{
	(void)state;
	expect_printed("sum  by(a,b)(rate(x_total{job='a'}[5m] offset 1h))",
		       "sum by (a, b) (rate(x_total{job=\"a\"}[5m] offset 1h))");
	expect_printed("-2^2", "-2 ^ 2");
	expect_printed("a+on(x)group_left(y)b", "a + on (x) group_left (y) b");
	expect_printed("{\"my.name\",\"a.b\"=~\"c\"}", "{\"a.b\"=~\"c\",__name__=\"my.name\"}");
	expect_printed("max_over_time(x[1h:1m] @ 10)", "max_over_time(x[1h:1m] @ 10.000)");
	expect_printed("x[5m+1m]", "x[5m + 1m]");
	expect_printed("topk(0x10, x) > bool 1e3", "topk(16, x) > bool 1000");
}

static void long_expressions_are_broken(void **state)
{
	struct promql_expr expr;
	struct err e = {0};
	struct buf b = {0};

	(void)state;
	assert_ok_err(promql_parse(&expr,
				   STR("sum by (a_long_label, another_long_label) (rate("
				       "http_requests_total{job=\"abcdefgh\"}[5m])) / 1234567890"),
				   0, NULL, &e),
		      &e);
	promql_print_pretty(&b, expr.root);
	assert_str_equal(buf_str(&b),
			 STR("  sum by (a_long_label, another_long_label) (rate("
			     "http_requests_total{job=\"abcdefgh\"}[5m]))\n/\n  1234567890"));
	buf_fini(&b);
	promql_expr_fini(&expr);
}

static void expressions_are_limited(void **state)
{
	struct buf b = {0};
	struct promql_expr expr;
	struct err e = {0};

	(void)state;
	for (unsigned i = 0; i < 100000; i++)
		buf_put_char(&b, '(');
	assert_int_equal(promql_parse(&expr, buf_str(&b), 0, NULL, &e), -EINVAL);
	assert_err_says(&e, "nested too deeply");
	buf_clear(&b);
	e = (struct err){0};
	for (unsigned i = 0; i < 100000; i++)
		buf_put_str(&b, STR("a+"));
	buf_put_char(&b, 'a');
	assert_int_equal(promql_parse(&expr, buf_str(&b), 0, NULL, &e), -EINVAL);
	assert_err_says(&e, "too");
	buf_fini(&b);
}

static int evaluate(struct promql_memory *m, const char *text, struct promql_options *options,
		    int64_t end, struct promql_result *r, struct err *e)
{
	struct promql_times times = {0, end, 1000};
	struct promql_expr expr;
	int rc = promql_parse(&expr, str_from(text), PROMQL_ALL_SYNTAX, NULL, e);

	if (!rc)
		rc = promql_evaluate(r, &expr, &times, &m->source, options, e);
	promql_expr_fini(&expr);
	return rc;
}

static bool always(void *arg)
{
	(void)arg;
	return true;
}

static void evaluation_is_limited(void **state)
{
	struct promql_label name = {STR("__name__"), STR("x")};
	struct promql_options few = {.max_samples = 10}, canceled = {.is_canceled = always},
			      late = {.deadline_ns = 1};
	struct budget budget = {.limit = 4 * MIB};
	struct promql_options small = {.budget = &budget};
	struct promql_result r = {0};
	struct promql_memory m;
	struct err e = {0};

	(void)state;
	assert_int_equal(promql_memory_init(&m, NULL), 0);
	for (int64_t i = 0; i < 100; i++)
		assert_int_equal(
			promql_memory_put(&m, promql_memory_add(&m, &name, 1), i * 1000, 1, 0), 0);
	assert_int_equal(evaluate(&m, "x", &few, 99000, &r, &e), -EMSGSIZE);
	assert_string_equal(e.text, "query processing would load too many samples into memory in "
				    "query execution");
	e = (struct err){0};
	assert_int_equal(evaluate(&m, "x", &canceled, 99000, &r, &e), -ECANCELED);
	e = (struct err){0};
	assert_int_equal(evaluate(&m, "x", &late, 99000, &r, &e), -ETIMEDOUT);
	assert_string_equal(e.text, "query timed out in expression evaluation");
	e = (struct err){0};
	assert_int_equal(evaluate(&m, "x + x", &small, 999999000, &r, &e), -ENOMEM);
	assert_int_equal(budget.used, 0);
	promql_memory_fini(&m);
}

static void numbers_have_the_fewest_digits(void **state)
{
	static const struct {
		double value;
		enum number_style style;
		const char *text;
	} cases[] = {
		{0.1, NUMBER_JSON, "0.1"},
		{1e21, NUMBER_JSON, "1e+21"},
		{1e21, NUMBER_PLAIN, "1000000000000000000000"},
		{1e-7, NUMBER_JSON, "1e-07"},
		{1e-7, NUMBER_PLAIN, "0.0000001"},
		{123456789, NUMBER_SHORT, "1.23456789e+08"},
		{1, NUMBER_OPEN_METRICS, "1.0"},
		{5e-324, NUMBER_JSON, "5e-324"},
		{0.30000000000000004, NUMBER_JSON, "0.30000000000000004"},
		{-INFINITY, NUMBER_JSON, "-Inf"},
	};
	struct buf b = {0};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++) {
		buf_clear(&b);
		number_text(&b, cases[i].value, cases[i].style);
		assert_str_equal(buf_str(&b), str_from(cases[i].text));
	}
	buf_fini(&b);
}

static void native_histograms_are_estimated(void **state)
{
	struct native_span span = {0, 3};
	double counts[] = {2, 4, 6};
	struct native_histogram h = {.count = 12, .sum = 20, .positive = {&span, counts, 1, 3}};
	enum native_nan_note note;
	struct buf b = {0};

	(void)state;
	assert_null(native_check(&h));
	native_put_text(&b, &h);
	assert_str_equal(buf_str(&b), STR("{count:12, sum:20, (0.5,1]:2, (1,2]:4, (2,4]:6}"));
	assert_true(fabs(native_quantile(&h, 0.5, &note) - 2) < 1e-12);
	assert_true(fabs(native_fraction(&h, 0, 1, &note) - 2.0 / 12) < 1e-12);
	assert_true(isnan(native_quantile(&h, NAN, &note)));
	counts[1] = -1;
	assert_non_null(native_check(&h));
	assert_true(native_bound(1, 1) == 1.414213562373095);
	buf_fini(&b);
}

TEST_MAIN(test(errors_have_positions), test(expressions_are_printed),
	  test(long_expressions_are_broken), test(expressions_are_limited),
	  test(evaluation_is_limited), test(numbers_have_the_fewest_digits),
	  test(native_histograms_are_estimated))

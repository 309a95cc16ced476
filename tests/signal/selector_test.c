/* SPDX-License-Identifier: Apache-2.0 */
/* Label selectors: parsing, errors with positions, matching, limits. */
#include "signal/selector.h"

#include "test/test.h"

static const struct label labels[] = {
	{STR_INIT("__profile_type__"), STR_INIT("process_cpu:cpu:nanoseconds:cpu:nanoseconds")},
	{STR_INIT("env"), STR_INIT("prod")},
	{STR_INIT("k8s.pod"), STR_INIT("a\"b")},
	{STR_INIT("service_name"), STR_INIT("checkout")},
};
static const struct label_set series = {labels, countof(labels)};

static int match(const char *text)
{
	struct selector s;
	struct err e = {0};

	selector_init(&s);
	int rc = selector_parse(&s, str_from(text), &e);

	if (!rc)
		rc = selector_match(&s, series, &e);
	selector_fini(&s);
	return rc;
}

static void matchers_behave_as_in_prometheus(void **state)
{
	static const struct {
		const char *text;
		int matches;
	} cases[] = {
		{"", 1},
		{"{}", 1},
		{" { } ", 1},
		{"{env=\"prod\"}", 1},
		{"{env='prod',}", 1},
		{"{env=`prod`}", 1},
		{"{env=prod}", 1},
		{"{ env = prod , service_name = checkout }", 1},
		{"checkout{env=pro}", 0},
		{"{env!=prod}", 0},
		{"{env=~x|pr.d,}", 1},
		{"{env=\"pro\"}", 0},
		{"{env!=\"prod\"}", 0},
		{"{env=~\"pr.d\"}", 1},
		{"{env=~\"pr\"}", 0}, /* regular expressions are anchored */
		{"{env=~\"x|prod\"}", 1},
		{"{env!~\"pr.*\"}", 0},
		{"{env=\"prod\", service_name=\"other\"}", 0},
		{"{absent=\"\"}", 1},
		{"{absent!=\"\"}", 0},
		{"{absent=~\".*\"}", 1},
		{"{absent=~\".+\"}", 0},
		{"{k8s.pod=\"a\\\"b\"}", 1},
		{"{\"k8s.pod\"=\"a\\\"b\"}", 1},
		{"{service.name=\"checkout\"}", 1},
		{"checkout", 1},
		{"other", 0},
		{"checkout{env=\"prod\"}", 1},
		{"checkout{env=\"dev\"}", 0},
		{"process_cpu:cpu:nanoseconds:cpu:nanoseconds{}", 1},
		{"memory:inuse_space:bytes:space:bytes{}", 0},
	};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++)
		if (match(cases[i].text) != cases[i].matches)
			fail_msg("%s: expected %d", cases[i].text, cases[i].matches);
}

static void errors_give_the_position_and_what_was_expected(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{"{", "at character 2: expected a label name, found the end"},
		{"{env}", "at character 5: expected one of = != =~ !~, found '}'"},
		{"{env=}", "at character 6: expected a value, in quotes if it has spaces"},
		{"{env==prod}", "at character 6: expected a value, in quotes if it has spaces"},
		{"{env=a b}", "at character 8: expected ',' or '}', found 'b}'"},
		{"{env=a\"b}", "at character 7: expected ',' or '}'"},
		{"{env=prod", "expected ',' or '}', found the end"},
		{"{env=\"prod}", "expected the closing quote"},
		{"{env=\"a\\q\"}", "expected a known escape"},
		{"{env=\"a\" b=\"c\"}", "expected ',' or '}'"},
		{"{} x", "expected the end, found 'x'"},
		{"a b", "expected '{', found 'b'"},
		{"{env=~\"a(\"}", "invalid regular expression"},
		{"{=\"a\"}", "expected a label name"},
	};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++) {
		struct selector s;
		struct err e = {0};

		selector_init(&s);
		assert_int_equal(selector_parse(&s, str_from(cases[i].text), &e), -EINVAL);
		assert_err_says(&e, cases[i].says);
		selector_fini(&s);
	}
}

static void too_many_matchers_and_long_texts_are_refused(void **state)
{
	static char text[SELECTOR_TEXT_MAX + 2];
	struct selector s;
	struct err e = {0};
	size_t n = 1;

	(void)state;
	memset(text, ' ', sizeof(text));
	selector_init(&s);
	assert_int_equal(selector_parse(&s, str_of(text, sizeof(text)), &e), -EINVAL);
	assert_err_says(&e, "longer than");
	text[0] = '{';
	for (int i = 0; i <= SELECTOR_MATCHERS_MAX; i++, n += 6)
		memcpy(text + n, "a=\"b\",", 6);
	text[n] = '}';
	e = (struct err){0};
	assert_int_equal(selector_parse(&s, str_of(text, n + 1), &e), -EINVAL);
	assert_err_says(&e, "more than 256 matchers");
	selector_fini(&s);
}

static void the_value_of_an_equality_matcher_is_found(void **state)
{
	struct selector s;
	struct err e = {0};

	(void)state;
	selector_init(&s);
	assert_ok_err(selector_parse(&s, STR("checkout{env=~\"prod\",a!=\"b\"}"), &e), &e);
	assert_str_equal(selector_equal(&s, STR("service_name")), STR("checkout"));
	assert_str_equal(selector_equal(&s, STR("env")), STR(""));
	assert_str_equal(selector_equal(&s, STR("a")), STR(""));
	selector_fini(&s);
}

TEST_MAIN(test(matchers_behave_as_in_prometheus),
	  test(errors_give_the_position_and_what_was_expected),
	  test(too_many_matchers_and_long_texts_are_refused),
	  test(the_value_of_an_equality_matcher_is_found))

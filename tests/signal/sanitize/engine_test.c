/* SPDX-License-Identifier: Apache-2.0 */
/* The engine with rules of the user: actions, errors, bounds, the cache. */
#include <errno.h>

#include "base/regex.h"
#include "signal/sanitize/sanitize_text.h"

/* Rules of the tests: rule 0 finds "secretive", 1 every letter a, 2 fails at !, 3 nothing at all. */
static unsigned searches;

static int find_for_test(void *state, uint32_t rule, struct str text, size_t at,
			 struct sanitize_range *found)
{
	static const char *const parts[] = {"secretive", "a", "!", ""};
	struct str part = str_from(parts[rule]);
	struct str rest = str_from_at(text, at);
	size_t where = str_find_str(rest, part);

	(void)state;
	searches++;
	if (!part.n) {
		*found = (struct sanitize_range){at, at};
		return at <= text.n;
	}
	if (where == rest.n)
		return 0;
	if (rule == 2)
		return -E2BIG;
	*found = (struct sanitize_range){at + where, at + where + part.n};
	return 1;
}

static int hash_for_test(void *state, const char *rule, struct str value, char *out, size_t *n)
{
	(void)state;
	(void)rule;
	if (value.n == 1)
		return -EINVAL;
	memcpy(out, "h1_abcdefghijklmnopqrstuvwxyz", *n = 29);
	return 0;
}

static void start_with(struct text_fixture *f, const struct sanitize_rule *rules, uint32_t n,
		       unsigned cache_bits)
{
	fixture_start(f, &(struct sanitize_options){.rules = rules,
						    .rule_count = n,
						    .groups = SANITIZE_SECRETS,
						    .cache_bits = cache_bits});
	f->run.user = (struct sanitize_user){.find = find_for_test, .hash = hash_for_test};
}

static int look(struct text_fixture *f, const char *text, struct str *out)
{
	return sanitize_text(&f->run, SANITIZE_VALUES, (struct str){0}, str_from(text), out);
}

static void actions_do_what_they_say(void **state)
{
	static const struct {
		enum sanitize_action action;
		int verdict;
		const char *out;
	} cases[] = {{SANITIZE_REPLACE, SANITIZE_CHANGED, "a [X] b [X]"},
		     {SANITIZE_HASH, SANITIZE_CHANGED,
		      "a h1_abcdefghijklmnopqrstuvwxyz b h1_abcdefghijklmnopqrstuvwxyz"},
		     {SANITIZE_DROP, SANITIZE_REMOVE, NULL},
		     {SANITIZE_DROP_ITEM, SANITIZE_REMOVE_ITEM, NULL}};

	(void)state;
	for (size_t i = 0; i < countof(cases); i++) {
		const struct sanitize_rule rule = {"mine", SANITIZE_VALUES, cases[i].action,
						   STR("[X]")};
		struct text_fixture f;
		struct str out;

		start_with(&f, &rule, 1, 0);
		assert_int_equal(look(&f, "a secretive b secretive", &out), cases[i].verdict);
		if (cases[i].out)
			assert_str_equal(out, str_from(cases[i].out));
		assert_int_equal(fixture_count(&f, "mine"), 2);
		assert_int_equal(sanitize_text(&f.run, SANITIZE_SPANS, (struct str){0},
					       STR("a secretive"), &out),
				 SANITIZE_KEEP);
		fixture_stop(&f);
	}
}

static void a_rule_that_fails_replaces_the_whole_text(void **state)
{
	static const struct sanitize_rule rules[] = {
		{"unused", SANITIZE_KEYS, SANITIZE_REPLACE, STR_INIT("[X]")},
		{"hash", SANITIZE_VALUES, SANITIZE_HASH, STR_INIT("")},
		{"fails", SANITIZE_VALUES, SANITIZE_REPLACE, STR_INIT("[X]")},
		{"empty", SANITIZE_VALUES, SANITIZE_REPLACE, STR_INIT("[X]")},
	};
	struct text_fixture f;
	struct str out;

	(void)state;
	start_with(&f, rules, countof(rules), 0);
	assert_int_equal(look(&f, "before ! after", &out), SANITIZE_CHANGED);
	assert_str_equal(out, STR("[REDACTED_SECRET]"));
	assert_int_equal(fixture_count(&f, "error"), 1);
	assert_int_equal(look(&f, "has an a", &out), SANITIZE_CHANGED); /* the hash fails */
	assert_str_equal(out, STR("[REDACTED_SECRET]"));
	assert_int_equal(fixture_count(&f, "error"), 2);
	assert_int_equal(look(&f, "nothing", &out), SANITIZE_KEEP);
	fixture_stop(&f);
}

static void the_result_is_bounded(void **state)
{
	static const struct sanitize_rule rules[] = {
		{"unused", SANITIZE_KEYS, SANITIZE_REPLACE, STR_INIT("[X]")},
		{"long", SANITIZE_VALUES, SANITIZE_REPLACE,
		 STR_INIT("[a token that is much longer than what it replaces]")},
	};
	char many[20001];
	struct text_fixture f;
	struct str out;

	(void)state;
	memset(many, 'a', sizeof(many) - 1);
	many[sizeof(many) - 1] = 0;
	start_with(&f, rules, countof(rules), 0);
	assert_int_equal(look(&f, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", &out), SANITIZE_CHANGED);
	assert_str_equal(out, STR("[REDACTED_SECRET]"));
	assert_int_equal(look(&f, many, &out), SANITIZE_CHANGED); /* more than MATCHES_MAX */
	assert_str_equal(out, STR("[REDACTED_SECRET]"));
	fixture_stop(&f);
}

static void a_text_without_finding_is_examined_once(void **state)
{
	static const struct sanitize_rule rule = {"mine", SANITIZE_VALUES | SANITIZE_SPANS,
						  SANITIZE_REPLACE, STR_INIT("[X]")};
	struct text_fixture f;
	struct str out;
	unsigned before;

	(void)state;
	start_with(&f, &rule, 1, 4);
	before = searches;
	for (unsigned i = 0; i < 10; i++)
		assert_int_equal(look(&f, "harmless", &out), SANITIZE_KEEP);
	assert_int_equal(searches - before, 1);
	assert_int_equal(
		sanitize_text(&f.run, SANITIZE_SPANS, (struct str){0}, STR("harmless"), &out),
		SANITIZE_KEEP);
	assert_int_equal(searches - before, 2); /* another place has other rules */
	for (unsigned i = 0; i < 1000; i++) {	/* more than the cache holds */
		char text[32];

		snprintf(text, sizeof(text), "harmless %u", i);
		assert_int_equal(look(&f, text, &out), SANITIZE_KEEP);
		assert_int_equal(look(&f, "a secretive", &out), SANITIZE_CHANGED);
	}
	fixture_stop(&f);
}

static void report_gets_place_and_text(void *arg, const char *rule, enum sanitize_place place,
				       struct str key, struct str found)
{
	char *text = arg;

	snprintf(text, 100, "%s %d %.*s %.*s", rule, (int)place, STR_ARG(key), STR_ARG(found));
}

static void findings_are_reported(void **state)
{
	char text[100] = "";
	struct text_fixture f;
	struct str out;

	(void)state;
	start_with(&f, NULL, 0, 0);
	f.run.report = report_gets_place_and_text;
	f.run.report_arg = text;
	assert_int_equal(
		sanitize_text(&f.run, SANITIZE_VALUES, STR("note"), STR("password=hunter2"), &out),
		SANITIZE_CHANGED);
	assert_string_equal(text, "secret 1 note hunter2");
	fixture_stop(&f);
}

/* A long text with many keywords and no secret costs time in proportion to its length. */
static void a_large_text_is_examined(void **state)
{
	size_t n = 4 << 20;
	char *p = malloc(n);
	struct text_fixture f;
	struct str out;

	(void)state;
	assert_non_null(p);
	for (size_t i = 0; i < n; i++)
		p[i] = "eyJ.token @://"[i % 14];
	start_with(&f, NULL, 0, 0);
	assert_int_equal(
		sanitize_text(&f.run, SANITIZE_BODIES, (struct str){0}, str_of(p, n), &out),
		SANITIZE_KEEP);
	memcpy(p + n - 32, "  AKIAIOSFODNN7EXAMPLE          ", 32);
	assert_int_equal(
		sanitize_text(&f.run, SANITIZE_BODIES, (struct str){0}, str_of(p, n), &out),
		SANITIZE_CHANGED);
	fixture_stop(&f);
	free(p);
}

TEST_MAIN(test(actions_do_what_they_say), test(a_rule_that_fails_replaces_the_whole_text),
	  test(the_result_is_bounded), test(a_text_without_finding_is_examined_once),
	  test(findings_are_reported), test(a_large_text_is_examined))

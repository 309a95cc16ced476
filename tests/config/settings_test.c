/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of settings: defaults, conversion of values, errors with suggestions, the generated help.
 */
#include "config/settings.h"

#include "config/settings_defaults.h"
#include "test/test.h"

struct inner_options {
	struct str endpoint;
};

struct outer_options {
	uint64_t timeout_ns, size;
	int64_t count;
	bool on, has_grpc;
	struct str name;
	struct setting_list names;
	struct setting_map headers;
	struct inner_options grpc;
	uint32_t rules;
};

static int count_rules(const struct config_node *n, const char *what, void *to, struct arena *arena,
		       struct err *e)
{
	(void)arena;
	if (n->kind != CONFIG_LIST)
		return config_fail(n, e, "%s: \"rules\" has to be a list of rules", what);
	for (n = n->first; n; n = n->next)
		++*(uint32_t *)to;
	return 0;
}

static const struct setting inner_table[] = {
	SET_STRING(struct inner_options, endpoint, "endpoint", "127.0.0.1:4317", "Listen here."),
	SET_END,
};

static const struct setting outer_table[] = {
	SET_DURATION(struct outer_options, timeout_ns, "timeout", "200ms", "Wait."),
	SET_BYTES(struct outer_options, size, "max_size", "64MiB", "Most."),
	SET_INT(struct outer_options, count, "count", "3", 1, 10, "items", "Many."),
	SET_BOOL(struct outer_options, on, "enabled", "true", "Do it."),
	SET_STRING(struct outer_options, name, "name", NULL, "Who."),
	SET_LIST(struct outer_options, names, "names", "a,b", "More."),
	SET_MAP(struct outer_options, headers, "headers", "Sent."),
	SET_GROUP(struct outer_options, grpc, "grpc", inner_table, has_grpc, "The protocol."),
	SET_CUSTOM(struct outer_options, rules, "rules", count_rules, "list of rules", "In order."),
	SET_IGNORED("keepalive", "connections are kept"),
	SET_END,
};

struct fixture {
	struct config c;
	struct arena arena;
	struct outer_options o;
	struct err e;
};

static int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	*state = f;
	if (!f)
		return -1;
	arena_init(&f->arena, NULL);
	return config_init(&f->c, NULL);
}

static int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	config_fini(&f->c);
	arena_fini(&f->arena);
	free(f);
	return 0;
}

static int read_text(struct fixture *f, const char *text)
{
	int rc;

	f->e = (struct err){0};
	memset(&f->o, 0, sizeof(f->o));
	rc = config_parse(&f->c, str_from(text), "c.yaml", NULL, NULL, &f->e);
	return rc ? rc
		  : settings_read(outer_table, f->c.root, "receiver test", &f->o, &f->arena, &f->e);
}

static void defaults_apply_when_nothing_is_configured(void **state)
{
	struct fixture *f = *state;

	assert_ok_err(read_text(f, ""), &f->e);
	assert_int_equal(f->o.timeout_ns, 200000000);
	assert_int_equal(f->o.size, 64 * MIB);
	assert_int_equal(f->o.count, 3);
	assert_true(f->o.on);
	assert_int_equal(f->o.name.n, 0);
	assert_int_equal(f->o.names.n, 2);
	assert_str_equal(f->o.names.at[1], STR("b"));
	assert_false(f->o.has_grpc);
	assert_str_equal(f->o.grpc.endpoint, STR("127.0.0.1:4317"));
}

static void configured_values_replace_defaults(void **state)
{
	struct fixture *f = *state;

	assert_ok_err(read_text(f, "timeout: 1m1.5s\nmax_size: 5 KB\ncount: 10\nenabled: false\n"
				   "name: x\nnames: [q]\nheaders: {a: b, c: d}\ngrpc:\n"),
		      &f->e);
	assert_int_equal(f->o.timeout_ns, 61500000000);
	assert_int_equal(f->o.size, 5000);
	assert_int_equal(f->o.count, 10);
	assert_false(f->o.on);
	assert_str_equal(f->o.name, STR("x"));
	assert_int_equal(f->o.names.n, 1);
	assert_int_equal(f->o.headers.n, 2);
	assert_str_equal(f->o.headers.at[1].value, STR("d"));
	assert_true(f->o.has_grpc);
	assert_str_equal(f->o.grpc.endpoint, STR("127.0.0.1:4317"));
	assert_int_equal(f->o.rules, 0);
	assert_ok_err(read_text(f, "grpc: {endpoint: h:1}\nrules: [{a: 1}, {b: 2}]"), &f->e);
	assert_str_equal(f->o.grpc.endpoint, STR("h:1"));
	assert_int_equal(f->o.rules, 2);
}

static void errors_name_the_option_and_the_expected_value(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{"a: 1", "c.yaml:1:1: receiver test: unknown option \"a\""},
		{"\ntimout: 1s",
		 "c.yaml:2:1: receiver test: unknown option \"timout\"; did you mean "
		 "\"timeout\"?"},
		{"grpc:\n  endpont: x",
		 "c.yaml:2:3: receiver test: unknown option \"endpont\"; did "
		 "you mean \"endpoint\"?"},
		{"timeout: 5",
		 "\"timeout\" has to be a duration, such as 200ms or 1h, found \"5\""},
		{"timeout: -1s", "has to be a duration"},
		{"timeout: \"\"", "has to be a duration"},
		{"max_size: 4XB", "has to be a size"},
		{"count: 11", "\"count\" has to be from 1 to 10, found 11"},
		{"count: x", "has to be a whole number"},
		{"enabled: yes", "has to be true or false"},
		{"names: {a: b}", "has to be a list"},
		{"names: [[a]]", "has to be a list of strings"},
		{"headers: [a]", "has to be a map"},
		{"grpc: 4317", "\"grpc\" has to be a map"},
		{"name: {a: b}", "\"name\" has to be text"},
		{"rules: 1", "c.yaml:1:1: receiver test: \"rules\" has to be a list of rules"},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < countof(cases); i++) {
		assert_int_equal(read_text(f, cases[i].text), -EINVAL);
		assert_err_says(&f->e, cases[i].says);
	}
}

static void text_becomes_a_list_at_commas(void **state)
{
	struct fixture *f = *state;

	assert_ok_err(read_text(f, "names: x,y,z"), &f->e);
	assert_int_equal(f->o.names.n, 3);
	assert_str_equal(f->o.names.at[2], STR("z"));
}

static void ignored_keys_are_warnings(void **state)
{
	struct fixture *f = *state;

	assert_ok_err(read_text(f, "name: x\nkeepalive: {time: 10s}"), &f->e);
	assert_ok_err(
		settings_read(outer_table, f->c.root, "receiver test", &f->o, &f->arena, &f->e),
		&f->e);
	assert_int_equal(f->c.warnings.n, 1);
	assert_str_equal(f->c.warnings.at[0],
			 STR("c.yaml:2:1: receiver test: \"keepalive\" is not supported and "
			     "ignored: connections are kept"));
}

/* Parse the text, add the defaults, and compare what config_print() prints. */
static void expect_with_defaults(struct fixture *f, const char *text, const char *expected)
{
	struct buf out = {0};

	assert_ok_err(config_parse(&f->c, str_from(text), "c.yaml", NULL, NULL, &f->e), &f->e);
	assert_ok(settings_add_defaults(&f->c, outer_table, f->c.root));
	config_print(&out, f->c.root);
	assert_str_equal(buf_str(&out), str_from(expected));
	buf_fini(&out);
}

static void defaults_are_added_to_a_map(void **state)
{
	expect_with_defaults(*state, "name: mine\ntimeout: null\n",
			     "name: mine\n"
			     "timeout: 200ms\n"
			     "max_size: 64MiB\n"
			     "count: 3\n"
			     "enabled: true\n"
			     "names:\n  - a\n  - b\n");
	expect_with_defaults(*state, "names: []\ngrpc:\n",
			     "names: []\n"
			     "grpc:\n  endpoint: 127.0.0.1:4317\n"
			     "timeout: 200ms\n"
			     "max_size: 64MiB\n"
			     "count: 3\n"
			     "enabled: true\n");
	assert_int_equal(settings_add_defaults(&((struct fixture *)*state)->c, outer_table,
					       &(struct config_node){.kind = CONFIG_LIST}),
			 -EINVAL);
}

static void help_is_generated_from_the_table(void **state)
{
	struct buf out = {0};

	(void)state;
	settings_help(&out, outer_table, 0);
	buf_put_char(&out, '\0');
	assert_non_null(strstr(out.p, "timeout: (duration) [200ms] Wait.\n"));
	assert_non_null(strstr(out.p, "count: (number, items) [3] Many.\n"));
	assert_non_null(strstr(out.p, "\n  endpoint: (text) [127.0.0.1:4317] Listen here.\n"));
	assert_non_null(strstr(out.p, "\nrules: (list of rules) In order.\n"));
	buf_fini(&out);
}

TEST_MAIN(test_with(fixture, defaults_apply_when_nothing_is_configured),
	  test_with(fixture, configured_values_replace_defaults),
	  test_with(fixture, errors_name_the_option_and_the_expected_value),
	  test_with(fixture, text_becomes_a_list_at_commas),
	  test_with(fixture, ignored_keys_are_warnings),
	  test_with(fixture, defaults_are_added_to_a_map), test(help_is_generated_from_the_table))

/* SPDX-License-Identifier: Apache-2.0 */
/* The YAML reader: positions, environment variables, aliases, errors, limits, printing. */
#include "config/config.h"

#include <stdio.h>
#include <unistd.h>

#include "test/test.h"

struct fixture {
	struct config c;
	struct err e;
};

static int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	*state = f;
	return !f || config_init(&f->c, NULL);
}

static int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	config_fini(&f->c);
	free(f);
	return 0;
}

static const char *environment(void *arg, const char *name)
{
	(void)arg;
	if (!strcmp(name, "HOST"))
		return "example.org";
	return strcmp(name, "EMPTY") ? NULL : "";
}

static int parse(struct fixture *f, const char *text)
{
	f->e = (struct err){0};
	return config_parse(&f->c, str_from(text), "c.yaml", environment, NULL, &f->e);
}

static struct str at(const struct fixture *f, const char *path)
{
	const struct config_node *n = config_find(f->c.root, path);

	return n ? n->text : STR("(none)");
}

static void nodes_have_kinds_texts_and_positions(void **state)
{
	struct fixture *f = *state;
	const struct config_node *n;

	assert_ok_err(parse(f, "# first\nreceivers:\n  otlp:\n    protocols:\n      grpc:\n"
			       "        endpoint: 0.0.0.0:4317\n  list: [a, 'b c', \"d\\n\"]\n"),
		      &f->e);
	n = config_find(f->c.root, "receivers.otlp.protocols.grpc.endpoint");
	assert_non_null(n);
	assert_str_equal(n->text, STR("0.0.0.0:4317"));
	assert_int_equal(n->line, 6);
	assert_int_equal(n->column, 9);
	n = config_find(f->c.root, "receivers.list");
	assert_int_equal(n->kind, CONFIG_LIST);
	assert_str_equal(n->first->text, STR("a"));
	assert_str_equal(n->first->next->text, STR("b c"));
	assert_true(n->first->next->quoted);
	assert_str_equal(n->first->next->next->text, STR("d\n"));
	assert_null(config_find(f->c.root, "receivers.nosuch.x"));
}

static void environment_variables_are_substituted_in_values(void **state)
{
	struct fixture *f = *state;

	f->c.allow_unset = true;
	assert_ok_err(parse(f, "a: ${env:HOST}:80\nb: ${HOST}\nc: x${env:NOPE}y\nd: $$1\n"
			       "e: ${env:NOPE:-default}\nf: '$$${HOST}'\ng: a$b\n"
			       "h: ${env:EMPTY}\ni: ${env:EMPTY:-d}\n"),
		      &f->e);
	assert_str_equal(at(f, "a"), STR("example.org:80"));
	assert_str_equal(at(f, "b"), STR("example.org"));
	assert_str_equal(at(f, "c"), STR("xy"));
	assert_str_equal(at(f, "d"), STR("$1"));
	assert_str_equal(at(f, "e"), STR("default"));
	assert_str_equal(at(f, "f"), STR("$example.org"));
	assert_str_equal(at(f, "g"), STR("a$b"));
	assert_int_equal(config_find(f->c.root, "h")->kind, CONFIG_NULL);
	assert_str_equal(at(f, "i"), STR(""));
	assert_int_equal(f->c.warnings.n, 1);
	assert_str_equal(f->c.warnings.at[0],
			 STR("c.yaml:3:4: environment variable NOPE is not set and empty"));
}

static void a_variable_that_is_not_set_is_an_error_without_a_default(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(parse(f, "a:\n  b: x${env:NOPE}y\n"), -EINVAL);
	assert_err_says(&f->e, "c.yaml:2:6: environment variable NOPE is not set: set it, give a "
			       "default (${env:NOPE:-text}), or use --allow-unset");
	assert_ok_err(parse(f, "a: ${env:NOPE:-}\nb: ${NOPE:-x}\n"), &f->e);
	assert_str_equal(at(f, "a"), STR(""));
	assert_str_equal(at(f, "b"), STR("x"));
	assert_int_equal(f->c.warnings.n, 0);
}

static void write_file(const char *path, struct str text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(text.p, 1, text.n, file), text.n);
	assert_ok(fclose(file));
}

static void files_are_substituted_in_values(void **state)
{
	static const struct {
		struct str content;
		const char *error;
	} bad[] = {{STR_INIT("a\0b"), "not UTF-8 text"}, {STR_INIT("\xff"), "not UTF-8 text"}};
	struct fixture *f = *state;
	char path[] = "/tmp/varve-config-XXXXXX", text[128];
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	write_file(path, STR("se:cret\n\n"));
	snprintf(text, sizeof(text), "a: ${file:%s}\nb: 'x ${file:%s} y'\n", path, path);
	assert_ok_err(parse(f, text), &f->e);
	assert_str_equal(at(f, "a"), STR("se:cret\n")); /* without its last newline */
	assert_str_equal(at(f, "b"), STR("x se:cret\n y"));
	for (size_t i = 0; i < countof(bad); i++) {
		write_file(path, bad[i].content);
		assert_int_equal(parse(f, text), -EINVAL);
		assert_err_says(&f->e, bad[i].error);
	}
	assert_ok(unlink(path));
	assert_int_equal(parse(f, text), -EINVAL);
	assert_err_says(&f->e, "c.yaml:1:4: /tmp/varve-config-");
	assert_err_says(&f->e, "No such file");
	assert_int_equal(parse(f, "a: ${file:/dev/null}\n"), -EINVAL);
	assert_err_says(&f->e, "/dev/null: not a regular file");
	assert_int_equal(parse(f, "a: ${file:}\n"), -EINVAL);
	assert_err_says(&f->e, "expected ${file:PATH}");
}

static void files_are_merged_key_by_key(void **state)
{
	struct fixture *f = *state;
	char path[] = "/tmp/varve-config-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	assert_ok_err(parse(f, "a: {x: 1, y: {z: 2}}\nlist: [1, 2]\nb: 3\nc: 4\n"), &f->e);
	write_file(path, STR("b: {new: 1}\na: {y: {w: 5}, x: 6}\nlist: [7]\nd: 8\n"));
	assert_ok_err(config_merge(&f->c, path, &f->e), &f->e);
	assert_str_equal(at(f, "a.x"), STR("6"));
	assert_str_equal(at(f, "a.y.z"), STR("2"));
	assert_str_equal(at(f, "a.y.w"), STR("5"));
	assert_str_equal(at(f, "b.new"), STR("1"));
	assert_str_equal(at(f, "c"), STR("4"));
	assert_str_equal(at(f, "d"), STR("8"));
	assert_str_equal(config_find(f->c.root, "list")->first->text, STR("7"));
	assert_null(config_find(f->c.root, "list")->first->next);
	/* a file that is not valid changes nothing */
	write_file(path, STR("a: ["));
	assert_int_equal(config_merge(&f->c, path, &f->e), -EINVAL);
	assert_str_equal(at(f, "a.x"), STR("6"));
	assert_ok(unlink(path));
}

/* A name of 255 characters is accepted (and not set here), one of 256 is refused. */
static void names_of_variables_have_a_maximum_length(void **state)
{
	struct fixture *f = *state;
	char text[300];

	f->c.allow_unset = true;
	for (int n = 255; n <= 256; n++) {
		snprintf(text, sizeof(text), "a: x${env:%0*d}\n", n - 1, 0);
		memset(strstr(text, "env:") + 4, 'N', (size_t)n - 1);
		memcpy(strstr(text, "}"), "N}\n", 4);
		assert_int_equal(parse(f, text), n == 255 ? 0 : -EINVAL);
		if (n == 255)
			assert_str_equal(at(f, "a"), STR("x"));
		else
			assert_err_says(&f->e, "or ${yaml:TEXT}, found ${env:NNN");
	}
}

static void aliases_and_merge_keys_are_resolved(void **state)
{
	struct fixture *f = *state;

	assert_ok_err(parse(f, "base: &b\n  x: 1\n  y: 2\none:\n  <<: *b\n  y: 3\ntwo: *b\n"),
		      &f->e);
	assert_str_equal(at(f, "one.x"), STR("1"));
	assert_str_equal(at(f, "one.y"), STR("3"));
	assert_str_equal(at(f, "two.y"), STR("2"));
	assert_null(config_find(f->c.root, "one.<<"));
	assert_ok_err(parse(f, "one: {\"<<\": {x: 1}}\n"), &f->e); /* a key like any other */
	assert_non_null(config_find(f->c.root, "one.<<.x"));
}

static void errors_have_their_position(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{"a: 1\nb:\n\t c: 2\n", "c.yaml:3:"},
		{"a: {b: 1\n", "c.yaml:"},
		{"a: 1\nb: 2\na: 3\n", "c.yaml:3:1: duplicate key \"a\", first used in line 1"},
		{"- a\n", "c.yaml:1:1: expected a map"},
		{"a: *x\n", "unknown alias *x"},
		{"a: ${http:x}\n",
		 "c.yaml:1:4: expected ${env:NAME}, ${env:NAME:-default}, ${file:PATH} or "
		 "${yaml:TEXT}, found ${http:x}"},
		{"a: ${env:X\n", "c.yaml:1:4: expected } after ${"},
		{"a: 1\n---\nb: 2\n", "more than one document"},
		{"a: &x\n  b: *x\n", "unknown alias"},
		{"a: \xff\n", "not UTF-8"},
		{"[a]: 1\n", "expected a key, found a list"},
		{"a: 1\n'': 2\n", "c.yaml:2:2: expected a key, found nothing"},
		{"<<: 1\n", "expected a map after <<"},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < countof(cases); i++) {
		assert_int_equal(parse(f, cases[i].text), -EINVAL);
		assert_err_says(&f->e, cases[i].says);
	}
}

static void alias_expansion_and_depth_are_bounded(void **state)
{
	struct fixture *f = *state;
	struct buf text = {0};

	buf_put_str(&text, STR("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n"));
	for (int i = 1; i < 12; i++) {
		buf_printf(&text, "a%d: &a%d [", i, i);
		for (int k = 0; k < 10; k++)
			buf_printf(&text, "%s*a%d", k ? "," : "", i - 1);
		buf_put_str(&text, STR("]\n"));
	}
	buf_put_char(&text, '\0');
	assert_int_equal(parse(f, text.p), -EINVAL);
	assert_err_says(&f->e, "more than 100000 values");
	config_fini(&f->c);
	assert_ok(config_init(&f->c, NULL));

	buf_clear(&text);
	for (int i = 0; i < 60; i++)
		buf_put_str(&text, STR("{a: "));
	buf_put_char(&text, '\0');
	assert_int_equal(parse(f, text.p), -EINVAL);
	buf_fini(&text);
}

static void values_can_be_overridden_by_path(void **state)
{
	struct fixture *f = *state;
	struct buf out = {0};

	assert_ok_err(parse(f, "receivers:\n  otlp:\n    protocols:\n      grpc:\nx: 1\n"), &f->e);
	assert_ok_err(config_set(&f->c, STR("receivers.otlp.protocols.grpc.endpoint"),
				 STR("127.0.0.1:0"), &f->e),
		      &f->e);
	assert_ok_err(config_set(&f->c, STR("x"), STR("[a, b]"), &f->e), &f->e);
	assert_ok_err(config_set(&f->c, STR("exporters::a.b::c"), STR("'yes: no'"), &f->e), &f->e);
	config_print(&out, f->c.root);
	buf_put_char(&out, '\0');
	assert_string_equal(out.p, "receivers:\n  otlp:\n    protocols:\n      grpc:\n"
				   "        endpoint: 127.0.0.1:0\nx:\n  - a\n  - b\nexporters:\n"
				   "  a.b:\n    c: \"yes: no\"\n");
	assert_int_equal(
		config_set(&f->c, STR("receivers.otlp.protocols.grpc.endpoint.x"), STR("1"), &f->e),
		-EINVAL);
	assert_err_says(&f->e, "--set receivers.otlp");
	/* nothing is null, and what was below it is gone */
	assert_ok_err(config_set(&f->c, STR("receivers.otlp"), STR(""), &f->e), &f->e);
	assert_null(config_find(f->c.root, "receivers.otlp.protocols"));
	assert_null(config_find(f->c.root, "receivers.otlp")->first);
	buf_fini(&out);
}

static void printed_configuration_reads_the_same(void **state)
{
	struct fixture *f = *state;
	struct buf first = {0}, second = {0};

	assert_ok_err(parse(f, "a: '${HOST}$$x'\nb: \"null\"\nc: null\nd: {}\ne: []\nf: 'a: b'\n"
			       "g: [1, [2, 3], {x: -1}]\n'key: odd': \"tab\\t\\\"\"\n"),
		      &f->e);
	config_print(&first, f->c.root);
	buf_put_char(&first, '\0');
	assert_ok_err(parse(f, first.p), &f->e);
	config_print(&second, f->c.root);
	buf_put_char(&second, '\0');
	assert_string_equal(first.p, second.p);
	assert_str_equal(at(f, "a"), STR("example.org$x"));
	assert_int_equal(config_find(f->c.root, "b")->kind, CONFIG_SCALAR);
	buf_fini(&first);
	buf_fini(&second);
}

/* This includes a | on its own line, for which libfyaml's own text is wrong. */
static void block_scalars_are_read_completely(void **state)
{
	struct fixture *f = *state;

	assert_ok_err(
		parse(f, "a: |\n  b\n   c\n    list\nd:\n  |\n  b\n     c\n  d\n    p\n    list\n"
			 "e:\n  |\n  b\n   c\n    list"),
		&f->e);
	assert_str_equal(at(f, "a"), STR("b\n c\n  list\n"));
	assert_str_equal(at(f, "d"), STR("b\n   c\nd\n  p\n  list\n"));
	assert_str_equal(at(f, "e"), STR("b\n c\n  list\n"));
	assert_ok_err(parse(f, "a: >\n  b\n  c\n\n  d\ne: |-\n  b\n\n"), &f->e);
	assert_str_equal(at(f, "a"), STR("b c\nd\n"));
	assert_str_equal(at(f, "e"), STR("b"));
}

static void truncation_never_crashes(void **state)
{
	static const char text[] =
		"a: &x {b: [1, ${HOST}], c: \"q\"}\nd:\n  <<: *x\n  e: |\n    t\n";
	struct fixture *f = *state;

	for (size_t n = 0; n < sizeof(text); n++) {
		struct config c;

		assert_ok(config_init(&c, NULL));
		f->e = (struct err){0};
		if (config_parse(&c, str_of(text, n), "t", environment, NULL, &f->e))
			assert_true(f->e.text[0]);
		config_fini(&c);
	}
}

static void failing_allocations_are_errors(void **state)
{
	struct fixture *f = *state;
	int rc = -ENOMEM;

	for (unsigned n = 1; rc; n++) {
		struct config c;

		assert_ok(config_init(&c, NULL));
		c.arena.fail_after = n;
		rc = config_parse(&c, STR("a: &x [1]\nb: *x\nc: {<<: {d: '${HOST}'}}\n"), "t",
				  environment, NULL, &f->e);
		if (rc && rc != -ENOMEM)
			fail_msg("%u: %d %s", n, rc, f->e.text);
		assert_true(n < 100);
		config_fini(&c);
	}
}

static void a_mistyped_word_gets_a_suggestion(void **state)
{
	static const char *const names[] = {"timeout", "endpoint", "send_batch_size", "tls"};

	(void)state;
	assert_string_equal(config_suggest(STR("timout"), names, 4, sizeof(*names)), "timeout");
	assert_string_equal(config_suggest(STR("endpiont"), names, 4, sizeof(*names)), "endpoint");
	assert_string_equal(config_suggest(STR("tsl"), names, 4, sizeof(*names)), "tls");
	assert_null(config_suggest(STR("quite_other"), names, 4, sizeof(*names)));
	assert_null(config_suggest(STR(""), names, 4, sizeof(*names)));
}

TEST_MAIN(test_with(fixture, nodes_have_kinds_texts_and_positions),
	  test_with(fixture, environment_variables_are_substituted_in_values),
	  test_with(fixture, a_variable_that_is_not_set_is_an_error_without_a_default),
	  test_with(fixture, files_are_substituted_in_values),
	  test_with(fixture, files_are_merged_key_by_key),
	  test_with(fixture, names_of_variables_have_a_maximum_length),
	  test_with(fixture, aliases_and_merge_keys_are_resolved),
	  test_with(fixture, errors_have_their_position),
	  test_with(fixture, alias_expansion_and_depth_are_bounded),
	  test_with(fixture, values_can_be_overridden_by_path),
	  test_with(fixture, printed_configuration_reads_the_same),
	  test_with(fixture, block_scalars_are_read_completely),
	  test_with(fixture, truncation_never_crashes),
	  test_with(fixture, failing_allocations_are_errors),
	  test(a_mistyped_word_gets_a_suggestion))

/* SPDX-License-Identifier: Apache-2.0 */
/* References in values, sources of configurations, and how they are merged. */
#include "config/config.h"

#include <stdio.h>
#include <unistd.h>

#include "config/settings.h"
#include "test/test.h"

struct fixture {
	struct config c;
	struct err e;
	char directory[32];
};

static int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	*state = f;
	if (!f)
		return -1;
	strcpy(f->directory, "/tmp/varve-expand-XXXXXX");
	return !mkdtemp(f->directory) || config_init(&f->c, NULL);
}

static int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	config_fini(&f->c);
	rmdir(f->directory);
	free(f);
	return 0;
}

static const char *environment(void *arg, const char *name)
{
	static const char *const values[][2] = {
		{"HOST", "example.org"}, {"EMPTY", ""},	       {"NUMBER", "0123"},
		{"NULL_TEXT", "null"},	 {"LIST", "[a, b]"},   {"MAP", "{x: 1, y: '${env:HOST}'}"},
		{"WHICH", "HOST"},	 {"AGAIN", "${HOST}"}, {"SELF", "${env:SELF}"},
		{"PASSWORD", "a$b${c"},	 {"DOLLARS", "a$$b"},  {"QUOTED", "\"0123\""},
		{"INVALID", "[::]:80"},	 {"STAR", "*"},	       {"DOUBLE", "${SELF}${SELF}"},
	};

	(void)arg;
	for (size_t i = 0; i < countof(values); i++)
		if (!strcmp(name, values[i][0]))
			return values[i][1];
	return NULL;
}

static int parse(struct fixture *f, const char *text)
{
	f->e = (struct err){0};
	return config_parse(&f->c, str_from(text), "c.yaml", environment, NULL, &f->e);
}

static const struct config_node *node(const struct fixture *f, const char *path)
{
	const struct config_node *n = config_find(f->c.root, path);

	if (!n)
		fail_msg("no value at %s", path);
	return n;
}

/* Write a file of the test's directory. `path` has at least 64 bytes. */
static void write_file(const struct fixture *f, const char *name, const char *text, char *path)
{
	FILE *file;

	snprintf(path, 64, "%s/%s", f->directory, name);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fputs(text, file) >= 0, 1);
	assert_ok(fclose(file));
}

static void references_become_text(void **state)
{
	static const struct {
		const char *value, *text;
	} cases[] = {
		{"${env:HOST}", "example.org"},
		{"${HOST}:80", "example.org:80"},
		{"a${env:NOPE:-b}c", "abc"},
		{"${env:NUMBER}", "0123"},
		{"x${env:LIST}y", "x[a, b]y"},
		{"'${env:${env:WHICH}}'", "example.org"},
		{"${env:NOPE:-${env:NOPE2:-last}}", "last"},
		{"${env:NOPE:-a ${HOST} b}", "a example.org b"},
		{"${env:AGAIN}", "example.org"},
		{"<${env:AGAIN}>", "<example.org>"},
		{"$${HOST}", "${HOST}"},
		{"$$${HOST}", "$example.org"},
		{"$${a} ${HOST}", "${a} example.org"},
		{"$$1 $2 $", "$1 $2 $"},
		{"${env:PASSWORD}", "a$b${c"},
		{"${env:DOLLARS}", "a$b"},
		{"${env:NOPE:-a$$b}", "a$b"},
		{"${env:NOPE:-${env:NOPE:-a$$b}}", "a$b"},
		{"${env:QUOTED}", "\"0123\""},
		{"${env:INVALID}", "[::]:80"},
		{"${env:STAR}", "*"},
		{"${yaml:text}", "text"},
		{"'a ${yaml:b: c} d'", "a b: c d"},
	};
	struct fixture *f = *state;
	char text[128];

	for (size_t i = 0; i < countof(cases); i++) {
		snprintf(text, sizeof(text), "a: %s\n", cases[i].value);
		assert_ok_err(parse(f, text), &f->e);
		assert_int_equal(node(f, "a")->kind, CONFIG_SCALAR);
		assert_str_equal(node(f, "a")->text, str_from(cases[i].text));
	}
	assert_ok_err(parse(f, "${HOST}: 1\n"), &f->e); /* keys stay as they are */
	assert_str_equal(f->c.root->first->key, STR("${HOST}"));
}

static void a_value_that_is_one_reference_is_read_as_yaml(void **state)
{
	struct fixture *f = *state;

	f->c.allow_unset = true;
	assert_ok_err(parse(f, "list: ${env:LIST}\nmap: ${env:MAP}\nempty: ${env:EMPTY}\n"
			       "null: \"${env:NULL_TEXT}\"\nunset: ${NOPE}\ndefault: ${NOPE:-}\n"
			       "both: ${EMPTY}${EMPTY}\nyaml: '${yaml:[1, ${HOST}]}'\n"),
		      &f->e);
	assert_int_equal(node(f, "list")->kind, CONFIG_LIST);
	assert_str_equal(node(f, "list")->first->next->text, STR("b"));
	assert_str_equal(node(f, "map.y")->text, STR("example.org"));
	assert_int_equal(node(f, "map.y")->line, 2); /* the place of the reference */
	assert_int_equal(node(f, "map.y")->column, 6);
	assert_int_equal(node(f, "empty")->kind, CONFIG_NULL);
	assert_int_equal(node(f, "null")->kind, CONFIG_NULL);
	assert_int_equal(node(f, "unset")->kind, CONFIG_NULL);
	assert_int_equal(node(f, "default")->kind, CONFIG_SCALAR);
	assert_int_equal(node(f, "both")->kind, CONFIG_SCALAR);
	assert_str_equal(node(f, "yaml")->first->next->text, STR("example.org"));
	assert_int_equal(f->c.warnings.n, 1);
}

struct texts {
	struct str name;
	struct setting_map headers;
	int64_t count;
};

/* A string takes the text even if it happens to be a map or a list. */
static void settings_convert_what_was_expanded(void **state)
{
	static const struct setting table[] = {
		SET_STRING(struct texts, name, "name", NULL, ""),
		SET_MAP(struct texts, headers, "headers", ""),
		SET_INT(struct texts, count, "count", "7", 0, 1000, NULL, ""),
		SET_END,
	};
	struct fixture *f = *state;
	struct texts t;

	assert_ok_err(parse(f, "name: ${env:MAP}\nheaders: {a: '${env:LIST}', b: '${EMPTY}'}\n"
			       "count: ${env:EMPTY}\n"),
		      &f->e);
	assert_ok_err(settings_read(table, f->c.root, "test", &t, &f->c.arena, &f->e), &f->e);
	assert_str_equal(t.name, STR("{x: 1, y: '${env:HOST}'}"));
	assert_str_equal(t.headers.at[0].value, STR("[a, b]"));
	assert_int_equal(t.headers.at[1].value.n, 0);
	assert_int_equal(t.count, 7);
	assert_ok_err(parse(f, "count: ${env:NUMBER}\n"), &f->e);
	assert_ok_err(settings_read(table, f->c.root, "test", &t, &f->c.arena, &f->e), &f->e);
	assert_int_equal(t.count, 123);
	assert_ok_err(parse(f, "\ncount: ${env:HOST}\n"), &f->e);
	assert_int_equal(settings_read(table, f->c.root, "test", &t, &f->c.arena, &f->e), -EINVAL);
	assert_err_says(&f->e, "c.yaml:2:1: test: \"count\" has to be a whole number");
}

static void a_file_can_be_a_part_of_the_configuration(void **state)
{
	struct fixture *f = *state;
	char inner[64], outer[64], text[192];

	write_file(f, "inner", "timeout: 1s\nhosts:\n  - ${HOST}\n", inner);
	snprintf(text, sizeof(text), "batch: ${file:%s}\n", inner);
	write_file(f, "outer", text, outer);
	snprintf(text, sizeof(text), "processors: ${file:%s}\nx: ${file:%s}\n", outer, inner);
	assert_ok_err(parse(f, text), &f->e);
	assert_str_equal(node(f, "processors.batch.hosts")->first->text, STR("example.org"));
	assert_str_equal(node(f, "processors.batch.hosts")->source, str_from(inner));
	assert_int_equal(node(f, "processors.batch.hosts")->line, 2);
	assert_int_equal(f->c.files.n, 2);
	assert_str_equal(f->c.files.at[0], str_from(outer));
	/* a file that contains itself */
	snprintf(text, sizeof(text), "a: ${file:%s}\n", inner);
	write_file(f, "inner", text, inner);
	assert_int_equal(parse(f, text), -EINVAL);
	assert_err_says(&f->e, "more than 16 expansions within each other");
	assert_ok(unlink(inner));
	assert_ok(unlink(outer));
}

static void expansions_are_limited(void **state)
{
	static const char *const texts[] = {"a: ${env:SELF}", "a: x${env:SELF}",
					    "a: x${env:NOPE:-${env:SELF}}"};
	struct fixture *f = *state;
	struct buf many = {0};

	for (size_t i = 0; i < countof(texts); i++) {
		assert_int_equal(parse(f, texts[i]), -EINVAL);
		assert_err_says(&f->e, "c.yaml:1:4: ${env:SELF}: more than 16 expansions within "
				       "each other; does it contain itself?");
	}
	for (int i = 0; i <= CONFIG_EXPANSIONS_MAX / 100; i++) {
		buf_printf(&many, "k%d: x", i);
		for (int k = 0; k < 100; k++)
			buf_put_str(&many, STR("${HOST}"));
		buf_put_char(&many, '\n');
	}
	f->e = (struct err){0};
	assert_int_equal(config_parse(&f->c, buf_str(&many), "c", environment, NULL, &f->e),
			 -EINVAL);
	assert_err_says(&f->e, "more than 10000 expansions");
	buf_fini(&many);
}

static void expect_merge_error(struct fixture *f, const char *uri, const char *says)
{
	f->e = (struct err){0};
	assert_true(config_merge(&f->c, uri, &f->e) < 0);
	assert_err_says(&f->e, says);
}

static void sources_are_files_variables_and_text(void **state)
{
	struct fixture *f = *state;
	char path[64], uri[80];

	write_file(f, "c.yaml", "a: {x: 1}\nb: ${env:VARVE_TEST_B}\n", path);
	snprintf(uri, sizeof(uri), "file:%s", path);
	assert_ok(setenv("VARVE_TEST_CONFIG", "a: {y: 2}\n", 1));
	assert_ok(setenv("VARVE_TEST_B", "3", 1));
	assert_ok_err(config_merge(&f->c, uri, &f->e), &f->e);
	assert_ok_err(config_merge(&f->c, "env:VARVE_TEST_CONFIG", &f->e), &f->e);
	assert_ok_err(config_merge(&f->c, "yaml:processors::batch/x::timeout: 2s", &f->e), &f->e);
	assert_ok_err(config_merge(&f->c, "yaml:processors::batch/x::size: 4", &f->e), &f->e);
	assert_ok_err(config_expand(&f->c, &f->e), &f->e);
	assert_str_equal(node(f, "a.x")->text, STR("1"));
	assert_str_equal(node(f, "a.y")->text, STR("2"));
	assert_str_equal(node(f, "b")->text, STR("3"));
	assert_str_equal(node(f, "processors.batch/x.timeout")->text, STR("2s"));
	assert_str_equal(node(f, "processors.batch/x.size")->text, STR("4"));
	assert_int_equal(f->c.files.n, 1);
	assert_ok(unlink(path));
	expect_merge_error(f, "env:VARVE_TEST_NOPE",
			   "env:VARVE_TEST_NOPE: the environment variable is not set");
	expect_merge_error(f, "https://x/y.yaml",
			   "scheme \"https\" is not supported; expected a file, env:NAME");
	expect_merge_error(f, "yaml:a: [", "--config yaml:2:1: ");
	expect_merge_error(f, "yaml:a:::", "a key must not begin or end with \"::\"");
	expect_merge_error(f, "yaml:::a: 1", "a key must not begin or end with \"::\"");
	expect_merge_error(f, path, "No such file");
	unsetenv("VARVE_TEST_CONFIG");
	unsetenv("VARVE_TEST_B");
}

/* As in the collector, only what is left after merging is expanded. */
static void a_replaced_value_is_not_expanded(void **state)
{
	struct fixture *f = *state;

	assert_ok_err(config_merge(&f->c, "yaml:a: '${env:VARVE_NOPE}'", &f->e), &f->e);
	assert_ok_err(config_merge(&f->c, "yaml:m: {x: '${VARVE_NOPE}'}", &f->e), &f->e);
	assert_ok_err(config_set(&f->c, STR("a"), STR("1"), &f->e), &f->e);
	assert_ok_err(config_merge(&f->c, "yaml:m:", &f->e), &f->e);
	assert_ok_err(config_set(&f->c, STR("b"), STR("${env:VARVE_NOPE:-d}"), &f->e), &f->e);
	assert_ok_err(config_expand(&f->c, &f->e), &f->e);
	assert_str_equal(node(f, "a")->text, STR("1"));
	assert_str_equal(node(f, "b")->text, STR("d"));
	assert_int_equal(node(f, "m")->kind, CONFIG_NULL);
	assert_ok_err(config_set(&f->c, STR("b"), STR("${env:VARVE_NOPE}"), &f->e), &f->e);
	assert_int_equal(config_expand(&f->c, &f->e), -EINVAL);
	assert_err_says(&f->e, "--set b: environment variable VARVE_NOPE is not set");
}

static void paths_of_keys_have_a_maximum_depth(void **state)
{
	struct fixture *f = *state;
	struct buf text = {0};

	for (int i = 0; i < 60; i++)
		buf_put_str(&text, STR("a::"));
	buf_put_str(&text, STR("a: 1\n"));
	assert_int_equal(config_parse(&f->c, buf_str(&text), "c", NULL, NULL, &f->e), -EINVAL);
	assert_err_says(&f->e, "nested deeper than");
	buf_fini(&text);
}

static void failing_allocations_of_expansions_are_errors(void **state)
{
	struct fixture *f = *state;
	int rc = -ENOMEM;

	for (unsigned n = 1; rc; n++) {
		struct config c;

		assert_ok(config_init(&c, NULL));
		c.arena.fail_after = n;
		rc = config_parse(&c, STR("a: ${MAP}\nb: x${LIST}\nc::d: ${NOPE:-${HOST}}\n"), "t",
				  environment, NULL, &f->e);
		if (rc && rc != -ENOMEM)
			fail_msg("%u: %d %s", n, rc, f->e.text);
		assert_true(n < 200);
		config_fini(&c);
	}
}

TEST_MAIN(test_with(fixture, references_become_text),
	  test_with(fixture, a_value_that_is_one_reference_is_read_as_yaml),
	  test_with(fixture, settings_convert_what_was_expanded),
	  test_with(fixture, a_file_can_be_a_part_of_the_configuration),
	  test_with(fixture, expansions_are_limited),
	  test_with(fixture, sources_are_files_variables_and_text),
	  test_with(fixture, a_replaced_value_is_not_expanded),
	  test_with(fixture, paths_of_keys_have_a_maximum_depth),
	  test_with(fixture, failing_allocations_of_expansions_are_errors))

/* SPDX-License-Identifier: Apache-2.0 */
/* Loading rules again and again: what is kept, and that errors change nothing. */
#include <unistd.h>

#include "rules/rule_list.h"
#include "rules/rules.h"
#include "rules/test/rule_memory.h"

#include "test/test.h"

#define NOW INT64_C(1700000000000)

struct fixture {
	char directory[64], pattern[128];
	struct rules *rules;
	struct rule_memory memory;
	int64_t now;
};

static void write_file(const struct fixture *f, const char *name, const char *text)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", f->directory, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static void remove_file(const struct fixture *f, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", f->directory, name);
	unlink(path);
}

static int load(struct fixture *f, const char *settings, struct err *e)
{
	const struct str pattern = str_from(f->pattern);
	struct rules_config *config = NULL;
	struct config c;
	int rc;

	assert_ok(config_init(&c, NULL));
	assert_ok_err(config_parse(&c, str_from(settings), "settings", NULL, NULL, e), e);
	rc = rules_config_read(&config, c.root, e);
	config_fini(&c);
	if (!rc)
		rc = rules_load(f->rules, &config, &pattern, 1, e);
	rules_config_free(config);
	return rc;
}

static void evaluate(struct fixture *f)
{
	f->now += 60000;
	for (uint32_t i = 0; i < rules_count(f->rules); i++)
		rule_group_eval(rules_group(f->rules, i), &f->memory.io, f->now, NULL);
}

static int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct err e = {0};

	assert_non_null(f);
	strcpy(f->directory, "/tmp/varve-rules-XXXXXX");
	assert_non_null(mkdtemp(f->directory));
	snprintf(f->pattern, sizeof(f->pattern), "%s/*.yml", f->directory);
	f->now = NOW;
	assert_ok(rule_memory_init(&f->memory, NULL));
	assert_ok_err(
		rules_new(&f->rules, &(struct rules_options){.external_url = STR("http://me")}, &e),
		&e);
	*state = f;
	return 0;
}

static int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	rules_free(f->rules);
	rule_memory_fini(&f->memory);
	remove_file(f, "a.yml");
	remove_file(f, "b.yml");
	rmdir(f->directory);
	free(f);
	return 0;
}

#define GROUP_A                                                                                    \
	"groups: [{name: a, rules: [{alert: A, expr: vector(1), annotations: {t: '{{ "             \
	"$externalLabels.zone }} {{ $externalURL }}'}}, {record: r, expr: vector(2)}]}]"

static void loads_keep_states(void **state)
{
	struct fixture *f = *state;
	struct rule_group *a;
	struct err e = {0};

	write_file(f, "a.yml", GROUP_A);
	assert_ok_err(load(f, "external_labels: {zone: west}", &e), &e);
	assert_int_equal(rules_count(f->rules), 1);
	a = rules_group(f->rules, 0);
	evaluate(f);
	evaluate(f);
	assert_true(rule_group_needs_restore(a));
	assert_str_equal(a->rules[0].state.alerts.at[0].annotations[0].value,
			 STR("west http://me"));

	/* a file is added: the group is the same object */
	write_file(f, "b.yml", "groups: [{name: b, rules: [{record: x, expr: vector(3)}]}]");
	assert_ok_err(load(f, "external_labels: {zone: east}", &e), &e);
	assert_int_equal(rules_count(f->rules), 2);
	assert_ptr_equal(rules_group(f->rules, 0), a);
	evaluate(f);
	assert_str_equal(a->rules[0].state.alerts.at[0].annotations[0].value,
			 STR("east http://me"));
	assert_int_equal(a->rules[0].state.alerts.at[0].active_ms, NOW + 60000);

	/* a rule changes: alerts with the same name and labels go on */
	write_file(f, "a.yml",
		   "groups: [{name: a, rules: [{record: s, expr: vector(2)}, {alert: A, expr: "
		   "vector(5)}]}]");
	assert_ok_err(load(f, "external_labels: {zone: east}", &e), &e);
	a = rules_group(f->rules, 0);
	assert_int_equal(a->rules[1].state.alerts.at[0].active_ms, NOW + 60000);
	assert_int_equal(a->orphans.series.n, 1);
	assert_int_equal(a->stats.iterations, 3);
	evaluate(f);
	assert_int_equal(a->orphans.series.n, 0);
	assert_int_equal(a->rules[1].state.alerts.at[0].active_ms, NOW + 60000);

	/* a file is removed */
	remove_file(f, "a.yml");
	assert_ok_err(load(f, "", &e), &e);
	assert_int_equal(rules_count(f->rules), 1);
	assert_str_equal(rules_group(f->rules, 0)->def->name, STR("b"));
}

static void errors_change_nothing(void **state)
{
	struct fixture *f = *state;
	struct buf out = {0};
	struct err e = {0};

	write_file(f, "a.yml", GROUP_A);
	assert_ok_err(load(f, "", &e), &e);
	write_file(f, "b.yml", "groups: [{name: b, rulez: []}]");
	assert_int_equal(load(f, "", &e), -EINVAL);
	assert_err_says(&e, "/b.yml:1:20: group \"b\": unknown key \"rulez\"; did you mean");
	assert_int_equal(rules_count(f->rules), 1);
	evaluate(f);
	e = (struct err){0};
	assert_int_equal(load(f, "evaluation_intervall: 5s", &e), -EINVAL);
	assert_err_says(&e, "settings:1:1: service rules: unknown option \"evaluation_intervall\"");
	e = (struct err){0};
	assert_int_equal(load(f, "evaluation_interval: 0s", &e), -EINVAL);
	rules_metrics(f->rules, &out);
	buf_put_char(&out, 0);
	assert_non_null(strstr(out.p, "varve_rules_last_load_successful 0\n"));
	assert_non_null(strstr(out.p, "varve_rules_load_failures_total 1\n"));
	buf_fini(&out);
}

static void patterns_find_files(void **state)
{
	struct fixture *f = *state;
	char one[160];
	struct str patterns[3];
	struct rule_paths paths;
	struct err e = {0};

	write_file(f, "b.yml", "");
	write_file(f, "a.yml", "");
	snprintf(one, sizeof(one), "%s/b.yml", f->directory);
	patterns[0] = str_from(f->pattern);
	patterns[1] = str_from(one);
	patterns[2] = STR("/nowhere/*.yml");
	assert_ok_err(rule_paths_find(&paths, patterns, countof(patterns), &e), &e);
	assert_int_equal(paths.n, 2);
	assert_non_null(strstr(paths.at[0], "/a.yml"));
	assert_string_equal(paths.at[1], one);
	rule_paths_fini(&paths);
}

TEST_MAIN(test_with(fixture, loads_keep_states), test_with(fixture, errors_change_nothing),
	  test_with(fixture, patterns_find_files))

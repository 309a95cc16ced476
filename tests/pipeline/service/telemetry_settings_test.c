/* SPDX-License-Identifier: Apache-2.0 */
/* service.telemetry: where metrics are served, and the log level. */
#include "pipeline/service/telemetry_settings.h"

#include "base/log.h"
#include "test/test.h"

struct fixture {
	struct config config;
	struct arena arena;
	struct telemetry_settings settings;
	struct err e;
};

static int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	*state = f;
	if (!f)
		return -1;
	arena_init(&f->arena, NULL);
	return config_init(&f->config, NULL);
}

static int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	config_fini(&f->config);
	arena_fini(&f->arena);
	free(f);
	return 0;
}

/* Read "service: {telemetry: TEXT}". */
static int read(struct fixture *f, const char *text, const char *fallback)
{
	char whole[500];

	snprintf(whole, sizeof(whole), "service: {telemetry: %s}", text);
	f->e = (struct err){0};
	assert_ok_err(config_parse(&f->config, str_from(whole), "c.yaml", NULL, NULL, &f->e),
		      &f->e);
	return telemetry_settings_read(&f->settings, f->config.root, fallback, &f->arena, &f->e);
}

static void metrics_are_served_where_the_configuration_says(void **state)
{
	static const struct {
		const char *text, *fallback, *address; /* address NULL: none */
		bool suffixes, optional;
	} cases[] = {
		{"{}", NULL, NULL, false, false},
		{"{}", "localhost:8888", "localhost:8888", false, true},
		{"{metrics: {level: none}}", "localhost:8888", NULL, false, false},
		{"{metrics: {level: NONE, address: 'a:1'}}", NULL, NULL, false, false},
		{"{metrics: {level: detailed}}", "localhost:8888", "localhost:8888", false, true},
		{"{metrics: {address: '0.0.0.0:8888'}}", "x:1", "0.0.0.0:8888", false, false},
		{"{metrics: {readers: []}}", "localhost:8888", NULL, false, false},
		{"{metrics: {readers: [{periodic: {}}]}}", "localhost:8888", NULL, false, false},
		{"{metrics: {readers: [{pull: {exporter: {prometheus: {host: h, port: 9}}}}]}}",
		 NULL, "h:9", false, false},
		{"{metrics: {readers: [{pull: {exporter: {prometheus: {without_type_suffix: "
		 "false}}}}]}}",
		 NULL, "localhost:8888", true, false},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < countof(cases); i++) {
		const struct metrics_readers *r = &f->settings.metrics.readers;

		assert_ok_err(read(f, cases[i].text, cases[i].fallback), &f->e);
		assert_int_equal(r->n, cases[i].address ? 1 : 0);
		if (!r->n)
			continue;
		assert_str_equal(r->at[0].address, str_from(cases[i].address));
		assert_int_equal(r->at[0].suffixes, cases[i].suffixes);
		assert_int_equal(r->at[0].optional, cases[i].optional);
	}
}

static void errors_have_their_place(void **state)
{
	static const char *const cases[][2] = {
		{"{metrics: {readers: x}}", "\"readers\" has to be a list"},
		{"{metrics: {readers: [{}]}}", "a reader has to be pull or periodic"},
		{"{metrics: {readers: [{pull: {}}]}}", "pull.exporter.prometheus"},
		{"{metrics: {readers: [{pull: {exporter: {prometheus: {port: 70000}}}}]}}", "port"},
		{"{metrics: {level: some}}", "unknown level of metrics \"some\""},
		{"{logs: {level: loud}}", "unrecognized level: \"loud\""},
		{"{logs: {levle: info}}", "did you mean \"level\""},
		{"{logs: {encoding: xml}}", "no encoder registered for name \"xml\"; expected"},
		{"{profiles: maybe}", "profiles"},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < countof(cases); i++) {
		assert_int_not_equal(read(f, cases[i][0], NULL), 0);
		assert_err_says(&f->e, "c.yaml:1:");
		assert_err_says(&f->e, cases[i][1]);
	}
}

static int level_of(const struct fixture *f, enum log_level level)
{
	struct log l = telemetry_log(f->config.root, level);

	return (int)atomic_load(&l.level);
}

static void the_log_level_is_found_before_the_settings_are_checked(void **state)
{
	struct fixture *f = *state;

	assert_ok_err(read(f, "{logs: {level: Debug}}", NULL), &f->e);
	assert_int_equal(level_of(f, LOG_INFO), LOG_DEBUG);
	assert_ok_err(read(f, "{logs: {level: fatal}}", NULL), &f->e);
	assert_int_equal(level_of(f, LOG_INFO), LOG_ERROR);
	assert_ok_err(read(f, "{}", NULL), &f->e);
	assert_int_equal(level_of(f, LOG_WARN), LOG_WARN);
}

static void the_log_has_a_form_and_a_destination(void **state)
{
	struct fixture *f = *state;
	struct log log;

	assert_ok_err(read(f, "{logs: {encoding: json, output_paths: [stdout]}}", NULL), &f->e);
	log = telemetry_log(f->config.root, LOG_INFO);
	assert_true(log.json);
	assert_int_equal(log.fd, 1);
	assert_ok_err(read(f, "{logs: {encoding: console, output_paths: [stderr]}}", NULL), &f->e);
	log = telemetry_log(f->config.root, LOG_INFO);
	assert_false(log.json);
	assert_int_equal(log.fd, 2);
	assert_int_equal(f->config.warnings.n, 0);
	assert_ok_err(read(f, "{logs: {output_paths: [stderr, /tmp/x]}}", NULL), &f->e);
	log = telemetry_log(f->config.root, LOG_INFO);
	assert_int_equal(log.fd, 2);
	assert_int_equal(f->config.warnings.n, 1);
}

TEST_MAIN(test_with(fixture, metrics_are_served_where_the_configuration_says),
	  test_with(fixture, errors_have_their_place),
	  test_with(fixture, the_log_has_a_form_and_a_destination),
	  test_with(fixture, the_log_level_is_found_before_the_settings_are_checked))

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mistakes in configurations: the error has the place and says what to do. The rows of `mistakes`
 * are those that the OpenTelemetry Collector reports, without a place for most of them.
 */
#include <unistd.h>

#include "pipeline/service.h"
#include "test/test.h"

/* A correct configuration; each test replaces a part of it. */
static const char correct[] = "receivers:\n"
			      "  otlp:\n"
			      "    protocols:\n"
			      "      grpc: {endpoint: 127.0.0.1:0}\n"
			      "processors:\n"
			      "  memory_limiter:\n"
			      "    check_interval: 1s\n"
			      "    limit_mib: 100\n"
			      "exporters:\n"
			      "  debug:\n"
			      "service:\n"
			      "  pipelines:\n"
			      "    traces:\n"
			      "      receivers: [otlp]\n"
			      "      processors: [memory_limiter]\n"
			      "      exporters: [debug]\n";

struct mistake {
	const char *replace, *with, *says;
};

static const char *no_environment(void *arg, const char *name)
{
	(void)arg, (void)name;
	return NULL;
}

/* Check the configuration with the mistake in it. */
static int check_mistake(const struct mistake *m, struct config *c, struct err *e)
{
	const char *at = strstr(correct, m->replace);
	struct buf text = {0};
	int rc;

	if (!at)
		fail_msg("\"%s\" is not in the configuration", m->replace);
	buf_put_str(&text, str_of(correct, (size_t)(at - correct)));
	buf_put_str(&text, str_from(m->with));
	buf_put_str(&text, str_from(at + strlen(m->replace)));
	assert_ok(config_init(c, NULL));
	rc = config_parse(c, buf_str(&text), "c.yaml", no_environment, NULL, e);
	if (!rc)
		rc = service_check(c, NULL, e);
	buf_fini(&text);
	return rc;
}

static void expect_errors(const struct mistake *mistakes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct config c;
		struct err e = {0};

		if (check_mistake(&mistakes[i], &c, &e) != -EINVAL)
			fail_msg("no error for: %s", mistakes[i].with);
		assert_err_says(&e, mistakes[i].says);
		config_fini(&c);
	}
}

static void mistakes_that_the_collector_reports(void **state)
{
	static const struct mistake mistakes[] = {
		/* a tab */
		{"    check_interval", "\tcheck_interval",
		 "c.yaml:7:1: tab character may not be used as indentation; indent with spaces"},
		/* a brace that is not closed */
		{"127.0.0.1:0}", "127.0.0.1:0",
		 "c.yaml:5:11: missing comma in flow mapping; is a } missing before?"},
		{"[otlp]", "[otlp",
		 "c.yaml:16:7: wrongly indented flow sequence; is a ] missing before?"},
		/* a key twice */
		{"exporters:", "receivers: {}\nexporters:",
		 "c.yaml:9:1: duplicate key \"receivers\", first used in line 1: join them, or "
		 "remove one"},
		/* an unknown key */
		{"limit_mib", "limit_mb",
		 "c.yaml:8:5: processor memory_limiter: unknown option \"limit_mb\"; did you mean "
		 "\"limit_mib\"?"},
		{"limit_mib", "other",
		 "c.yaml:8:5: processor memory_limiter: unknown option \"other\"; expected one of "
		 "check_interval, limit_mib, "},
		/* an unknown component */
		{"memory_limiter:", "memory_limitr:",
		 "c.yaml:6:3: unknown processor \"memory_limitr\"; did you mean "
		 "\"memory_limiter\"?"},
		{"memory_limiter:", "something:",
		 "c.yaml:6:3: unknown processor \"something\"; expected one of "},
		/* a duration, and another type */
		{"1s", "1sec",
		 "c.yaml:7:5: processor memory_limiter: \"check_interval\" has to be a duration, "
		 "such as 200ms or 1h, found \"1sec\"; units are ns, us, ms, s, m, h and d"},
		{"1s", "1", "found \"1\"; a number needs a unit, such as s"},
		{"100", "many",
		 "c.yaml:8:5: processor memory_limiter: \"limit_mib\" has to be a whole number, "
		 "such as 8192, found \"many\""},
		/* a component that is not defined */
		{"[memory_limiter]", "[memory_limiter, nosuch]",
		 "c.yaml:15:36: processor \"nosuch\" is not configured: add it to \"processors\", "
		 "or remove it here"},
		{"[memory_limiter]", "[memory_limter]",
		 "c.yaml:15:20: processor \"memory_limter\" is not configured; did you mean "
		 "\"memory_limiter\"?"},
		/* an unknown key at the top */
		{"service:\n  pipelines:", "pipelines:\n  x:",
		 "c.yaml:11:1: unknown key \"pipelines\"; it belongs below \"service\""},
		{"processors:\n  memory", "procesors:\n  memory",
		 "c.yaml:5:1: unknown key \"procesors\"; did you mean \"processors\"?"},
		/* a variable that is not set */
		{"127.0.0.1:0", "'${env:UNSET}'",
		 "c.yaml:4:25: environment variable UNSET is not set: set it, give a default "
		 "(${env:UNSET:-text}), or use --allow-unset"},
	};

	(void)state;
	expect_errors(mistakes, countof(mistakes));
}

static void other_mistakes(void **state)
{
	static const struct mistake mistakes[] = {
		{"  debug:", "  kafka:",
		 "c.yaml:10:3: unknown exporter \"kafka\": a component of the OpenTelemetry "
		 "Collector that varve does not have; "},
		{"  pipelines:", "  exporters: {}\n  pipelines:",
		 "c.yaml:12:3: service: unknown key \"exporters\"; it belongs beside \"service\", "
		 "not in it"},
		{"    traces:", "    trace:",
		 "c.yaml:13:5: unknown signal \"trace\"; did you mean \"traces\"?"},
		{"    traces:", "    spans:",
		 "c.yaml:13:5: unknown signal \"spans\"; expected one of profiles, traces, "
		 "metrics, logs"},
		{"      receivers: [otlp]\n", "",
		 "c.yaml:13:5: pipeline \"traces\" has no receivers: add receivers: [...]"},
		{"      exporters: [debug]\n", "",
		 "c.yaml:13:5: pipeline \"traces\" has no exporters: add exporters: [...]"},
		{"receivers: [otlp]", "receivers: otlp",
		 "c.yaml:14:7: \"receivers\" has to be a list"},
		/* as in the collector, there is no default for the limit */
		{"    limit_mib: 100\n", "",
		 "c.yaml:6:3: processor memory_limiter: neither \"limit_mib\" nor "
		 "\"limit_percentage\" is set: set limit_mib"},
		{"  debug:", "  /x:", "c.yaml:10:3: in \"/x\" id: the part before / should not be"},
	};

	(void)state;
	expect_errors(mistakes, countof(mistakes));
}

static void what_works_otherwise_is_a_warning(void **state)
{
	static const struct mistake mistakes[] = {
		{"  debug:", "  debug:\n  debug/2:",
		 "c.yaml:11:3: exporter \"debug/2\" is configured, but no pipeline uses it"},
	};

	(void)state;
	for (size_t i = 0; i < countof(mistakes); i++) {
		struct config c;
		struct err e = {0};

		assert_ok_err(check_mistake(&mistakes[i], &c, &e), &e);
		assert_int_equal(c.warnings.n, 1);
		assert_true(str_starts(c.warnings.at[0], str_from(mistakes[i].says)));
		config_fini(&c);
	}
}

/* The name of a file is its place; the names beside it are the suggestion. */
static void a_missing_file_gets_a_suggestion(void **state)
{
	char directory[] = "/tmp/varve-errors-XXXXXX", path[64], wrong[64];
	struct config c;
	struct err e = {0};
	FILE *file;

	(void)state;
	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/collector.yaml", directory);
	snprintf(wrong, sizeof(wrong), "%s/colector.yaml", directory);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_ok(fclose(file));
	assert_ok(config_init(&c, NULL));
	assert_int_equal(config_merge(&c, wrong, &e), -ENOENT);
	assert_err_says(&e, "/colector.yaml: No such file or directory; did you mean "
			    "\"collector.yaml\"?");
	config_fini(&c);
	unlink(path);
	rmdir(directory);
}

TEST_MAIN(test(mistakes_that_the_collector_reports), test(other_mistakes),
	  test(what_works_otherwise_is_a_warning), test(a_missing_file_gets_a_suggestion))

/* SPDX-License-Identifier: Apache-2.0 */
/* Building a service from a configuration, starting and stopping it, with fake components. */
#include "pipeline/service.h"

#include "test/test.h"

/* Log of what the fake components did, in order. */
static char did[1000];

static void note(const char *what)
{
	strncat(did, what, sizeof(did) - strlen(did) - 2);
	strcat(did, " ");
}

struct fake_settings {
	struct str word;
};

struct fake {
	const struct fake_settings *settings;
	const char *id;
	struct consumer *next;
	int rc; /* result of the exporter */
};

static struct fake *last_receiver;
static int exporter_rc;

static int create(void **instance, const struct component_env *env, const void *settings,
		  struct err *e)
{
	const struct fake_settings *s = settings;
	struct fake *f;

	if (str_eq(s->word, STR("fail")))
		return err_set(e, -EIO, "asked to fail");
	f = calloc(1, sizeof(*f));
	assert_non_null(f);
	f->settings = s;
	f->id = env->id;
	f->next = env->next[0];
	note("create");
	note(env->id);
	*instance = f;
	return 0;
}

static int create_receiver(void **instance, const struct component_env *env, const void *settings,
			   struct err *e)
{
	int rc = create(instance, env, settings, e);

	if (!rc)
		last_receiver = *instance;
	return rc;
}

static int start(void *instance, struct err *e)
{
	(void)e;
	note("start");
	note(((struct fake *)instance)->id);
	return 0;
}

static void stop(void *instance)
{
	note("stop");
	note(((struct fake *)instance)->id);
}

static bool pass(void *instance, struct delivery *d)
{
	struct fake *f = instance;

	note(f->id);
	return consumer_consume(f->next, d);
}

static bool admit(void *instance, uint64_t bytes, struct delivery_result *why)
{
	(void)instance;
	why->rc = -EAGAIN;
	return bytes < 100;
}

static bool keep(void *instance, struct delivery *d)
{
	struct fake *f = instance;

	note(f->id);
	if (exporter_rc && !strcmp(f->id, "sink/2"))
		delivery_fail(d, exporter_rc, 5, "%s", "no");
	else
		delivery_done(d, &(struct delivery_result){.duplicates = 1});
	return false;
}

static const struct setting settings[] = {
	SET_STRING(struct fake_settings, word, "word", "", "A word."),
	SET_END,
};

#define FAKE(variable, name_, kind_, ...)                                                          \
	static const struct component variable = {.name = name_,                                   \
						  .kind = kind_,                                   \
						  .signals = SIGNAL_PROFILES,                      \
						  .settings = settings,                            \
						  .settings_size = sizeof(struct fake_settings),   \
						  .start = start,                                  \
						  .stop = stop,                                    \
						  .destroy = free,                                 \
						  __VA_ARGS__}

FAKE(source, "source", COMPONENT_RECEIVER, .create = create_receiver);
FAKE(step, "step", COMPONENT_PROCESSOR, .create = create, .consume = pass, .admit = admit);
FAKE(sink, "sink", COMPONENT_EXPORTER, .create = create, .consume = keep);
FAKE(page, "page", COMPONENT_EXTENSION, .create = create);

static const struct component *const more[] = {&source, &step, &sink, &page, NULL};

struct fixture {
	struct config config;
	struct host host;
	struct service *service;
	struct err e;
};

static int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	*state = f;
	did[0] = '\0';
	exporter_rc = 0;
	return !f || config_init(&f->config, NULL) || host_init(&f->host, 1, MIB, NULL, &f->e);
}

static int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	service_free(f->service);
	host_fini(&f->host);
	config_fini(&f->config);
	free(f);
	return 0;
}

static int build(struct fixture *f, const char *text)
{
	int rc;

	f->e = (struct err){0};
	rc = config_parse(&f->config, str_from(text), "c.yaml", NULL, NULL, &f->e);
	return rc ? rc : service_new(&f->service, &f->config, &f->host, more, &f->e);
}

static const char good[] = "receivers: {source: }\n"
			   "processors: {step: , step/2: {word: x}}\n"
			   "exporters: {sink: , sink/2: }\n"
			   "extensions: {page: }\n"
			   "service:\n"
			   "  extensions: [page]\n"
			   "  pipelines:\n"
			   "    profiles:\n"
			   "      receivers: [source]\n"
			   "      processors: [step, step/2]\n"
			   "      exporters: [sink, sink/2]\n";

static void consumers_start_before_producers_and_stop_after_them(void **state)
{
	struct fixture *f = *state;

	assert_ok_err(build(f, good), &f->e);
	assert_string_equal(did, "create page create sink create sink/2 create step/2 create step "
				 "create source ");
	did[0] = '\0';
	assert_ok_err(service_start(f->service, NULL, &f->e), &f->e);
	service_stop(f->service, 100);
	assert_string_equal(did,
			    "start page start sink start sink/2 start step/2 start step "
			    "start source stop source stop step stop step/2 stop sink/2 stop sink "
			    "stop page ");
}

static struct delivery_result last_result;
static unsigned results;

static void done(struct delivery *d, const struct delivery_result *result)
{
	(void)d;
	last_result = *result;
	results++;
}

static void a_delivery_passes_all_components_and_is_completed_once(void **state)
{
	struct fixture *f = *state;
	struct delivery d = {.signal = SIGNAL_PROFILES, .done = done};
	struct delivery_result why;

	assert_ok_err(build(f, good), &f->e);
	did[0] = '\0';
	results = 0;
	consumer_consume(last_receiver->next, &d);
	assert_string_equal(did, "step step/2 sink sink/2 ");
	assert_int_equal(results, 1);
	assert_int_equal(last_result.rc, 0);
	exporter_rc = -EAGAIN;
	consumer_consume(last_receiver->next, &d);
	assert_int_equal(results, 2);
	assert_int_equal(last_result.rc, -EAGAIN);
	assert_string_equal(last_result.reason, "no");
	assert_true(consumer_admit(last_receiver->next, 99, &why));
	assert_false(consumer_admit(last_receiver->next, 100, &why));
	assert_int_equal(why.rc, -EAGAIN);
}

static void errors_are_reported_before_any_component_is_created(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{"recievers: {}",
		 "c.yaml:1:1: unknown key \"recievers\"; did you mean \"receivers\"?"},
		{"receivers: {sourc: }",
		 "c.yaml:1:13: unknown receiver \"sourc\"; did you mean \"source\"?"},
		{"exporters: {source: }", "unknown exporter \"source\""},
		{"receivers:\n  source: {wrod: x}",
		 "c.yaml:2:12: receiver source: unknown option \"wrod\"; did you mean \"word\"?"},
		{"receivers: {source: }", "no pipelines are configured"},
		{"service: {pipelines: {profile: }}", "unknown signal \"profile\""},
		{"service: {pipelines: {profiles: {receivers: [source]}}}",
		 "receiver \"source\" is not configured"},
		{"receivers: {source/one: }\nservice: {pipelines: {profiles: {receivers: "
		 "[source/on]}}}",
		 "receiver \"source/on\" is not configured; did you mean \"source/one\"?"},
		{"receivers: {source: }\nservice: {pipelines: {profiles: {receivers: [source]}}}",
		 "pipeline \"profiles\" has no exporters"},
		{"receivers: {source: }\nservice: {pipelines: {profiles: {receivers: [source, "
		 "source]}}}",
		 "receiver \"source\" is listed twice"},
		{"receivers: {source: }\nexporters: {sink: }\nservice: {pipelines: {traces: "
		 "{receivers: "
		 "[source], exporters: [sink]}}}",
		 "receiver \"source\" does not take traces"},
		{"receivers: {\"source/ \": }",
		 "c.yaml:1:14: in \"source/ \" id: the part after / should not be empty"},
		{"receivers: {/x: }",
		 "c.yaml:1:13: in \"/x\" id: the part before / should not be empty"},
		{"receivers: {source/x: , \"source / x\": }",
		 "receiver \"source/x\" is defined twice"},
		{"receivers: {source/x: {word: []}}", "receiver source/x: \"word\""},
		{"receivers: {kafka: }", "c.yaml:1:13: unknown receiver \"kafka\": a component of "
					 "the OpenTelemetry Collector "
					 "that varve does not have; the nearest is \"otlp\""},
		{"exporters: {aws_emf/2: }", "unknown exporter \"awsemf\": a component of the "
					     "OpenTelemetry Collector that varve "
					     "does not have"},
		{"service: {pipelines: {profiles: {recievers: []}}}",
		 "did you mean \"receivers\"?"},
		{"receivers: 5", "\"receivers\" has to be a map"},
		{"receivers: {source: }\nexporters: {sink: }\nservice: {pipelines: {profiles: "
		 "{receivers: "
		 "source, exporters: [sink]}}}",
		 "\"receivers\" has to be a list"},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < countof(cases); i++) {
		did[0] = '\0';
		assert_int_equal(build(f, cases[i].text), -EINVAL);
		assert_err_says(&f->e, cases[i].says);
		assert_string_equal(did, "");
	}
}

static void unused_components_are_checked_and_reported_but_not_created(void **state)
{
	struct fixture *f = *state;

	assert_ok_err(build(f, "receivers: {source: , source/x: }\n"
			       "exporters: {sink: , sink/x: }\n"
			       "extensions: {page: }\n"
			       "service: {pipelines: {profiles: {receivers: [source], exporters: "
			       "[sink]}}}\n"),
		      &f->e);
	assert_string_equal(did, "create sink create source ");
	assert_int_equal(f->config.warnings.n, 3);
	assert_str_equal(f->config.warnings.at[0], str_from("c.yaml:1:23: receiver \"source/x\" is "
							    "configured, but no pipeline uses it"));
	assert_str_equal(
		f->config.warnings.at[1],
		str_from(
			"c.yaml:2:21: exporter \"sink/x\" is configured, but no pipeline uses it"));
	assert_str_equal(
		f->config.warnings.at[2],
		str_from("c.yaml:3:14: extension \"page\" is configured, but not listed in "
			 "service.extensions"));
}

static void the_error_names_the_component_that_could_not_be_created(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(build(f,
			       "receivers: {source: {word: fail}}\nexporters: {sink: }\nservice: "
			       "{pipelines: {profiles: {receivers: [source], exporters: [sink]}}}"),
			 -EIO);
	assert_string_equal(f->e.text, "receiver source: asked to fail");
	assert_null(f->service);
}

TEST_MAIN(test_with(fixture, consumers_start_before_producers_and_stop_after_them),
	  test_with(fixture, a_delivery_passes_all_components_and_is_completed_once),
	  test_with(fixture, errors_are_reported_before_any_component_is_created),
	  test_with(fixture, unused_components_are_checked_and_reported_but_not_created),
	  test_with(fixture, the_error_names_the_component_that_could_not_be_created))

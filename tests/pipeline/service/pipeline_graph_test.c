/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The graph that a service makes of a configuration: connectors, forms of data and counters, with
 * fake components.
 */
#include "pipeline/service/pipeline_graph.h"

#include "pipeline/service.h"
#include "test/test.h"

#define ALL (SIGNAL_PROFILES | SIGNAL_TRACES | SIGNAL_METRICS | SIGNAL_LOGS)

/* What the fake components saw, in order. */
static char did[1000];

static void note(const char *what)
{
	strncat(did, what, sizeof(did) - strlen(did) - 2);
	strcat(did, " ");
}

struct fake {
	const struct component_env *env;
};

static struct fake *last_source;
static int sink_rc;

static int create(void **instance, const struct component_env *env, const void *settings,
		  struct err *e)
{
	struct fake *f = calloc(1, sizeof(*f));

	(void)settings;
	(void)e;
	assert_non_null(f);
	f->env = env;
	*instance = f;
	return 0;
}

static int create_source(void **instance, const struct component_env *env, const void *settings,
			 struct err *e)
{
	int rc = create(instance, env, settings, e);

	last_source = *instance;
	return rc;
}

static bool pass(void *instance, struct delivery *d)
{
	struct fake *f = instance;

	note(f->env->id);
	return consumer_consume(f->env->next[signal_index(d->signal)], d);
}

/* Make one data point of any delivery. */
static bool make_points(void *instance, struct delivery *d)
{
	struct fake *f = instance;
	struct delivery points = *d;
	struct payload p = {.signal = SIGNAL_METRICS, .items = 1};

	note(f->env->id);
	points.signal = SIGNAL_METRICS;
	points.payload = &p;
	return consumer_consume(f->env->next[signal_index(SIGNAL_METRICS)], &points);
}

static bool keep(void *instance, struct delivery *d)
{
	struct fake *f = instance;

	note(f->env->id);
	note(signal_names[signal_index(d->signal)]);
	delivery_done(d, &(struct delivery_result){.rc = sink_rc, .rejected = sink_rc ? 0 : 2});
	return false;
}

static const struct setting settings[] = {SET_END};

#define FAKE(variable, name_, kind_, form_, signals_, create_, ...)                                \
	static const struct component variable = {.name = name_,                                   \
						  .kind = kind_,                                   \
						  .form = form_,                                   \
						  .signals = signals_,                             \
						  .create = create_,                               \
						  .settings = settings,                            \
						  .destroy = free,                                 \
						  __VA_ARGS__}

FAKE(source, "source", COMPONENT_RECEIVER, FORM_ANY, ALL, create_source);
FAKE(step, "step", COMPONENT_PROCESSOR, FORM_ANY, ALL, create, .consume = pass);
FAKE(sink, "sink", COMPONENT_EXPORTER, FORM_PAYLOAD, ALL, create, .consume = keep);
FAKE(decoded, "decoded", COMPONENT_EXPORTER, FORM_DECODED, ALL, create, .consume = keep);
FAKE(join, "join", COMPONENT_CONNECTOR, FORM_ANY, ALL, create, .consume = pass);
FAKE(points, "points", COMPONENT_CONNECTOR, FORM_PAYLOAD, SIGNAL_TRACES | SIGNAL_LOGS, create,
     .consume = make_points, .emits = {0, SIGNAL_METRICS, 0, SIGNAL_METRICS});

static const struct component *const more[] = {&source, &step,	 &sink, &decoded,
					       &join,	&points, NULL};

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
	sink_rc = 0;
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

static void done(struct delivery *d, const struct delivery_result *result)
{
	(void)result;
	*(bool *)d->owner = true;
}

/* Send 10 items through the last receiver. */
static void receive(enum signal_kind signal, const char *transport)
{
	struct payload p = {.signal = signal, .items = 10};
	bool is_done = false;
	struct delivery d = {.signal = signal,
			     .payload = &p,
			     .transport = transport,
			     .done = done,
			     .owner = &is_done};

	did[0] = '\0';
	consumer_consume(last_source->env->next[signal_index(signal)], &d);
	assert_true(is_done);
}

static void connectors_pass_data_to_the_pipelines_that_they_feed(void **state)
{
	struct fixture *f = *state;

	assert_ok_err(
		build(f,
		      "receivers: {source: }\n"
		      "processors: {step: }\n"
		      "exporters: {sink: , sink/points: }\n"
		      "connectors: {join: , points: }\n"
		      "service:\n"
		      "  pipelines:\n"
		      "    traces: {receivers: [source], exporters: [join, points]}\n"
		      "    traces/2: {receivers: [join], processors: [step], exporters: [sink]}\n"
		      "    logs: {receivers: [source], exporters: [points]}\n"
		      "    metrics: {receivers: [points], exporters: [sink/points]}\n"),
		&f->e);
	receive(SIGNAL_TRACES, NULL);
	assert_string_equal(did, "join step sink traces points sink/points metrics ");
	receive(SIGNAL_LOGS, NULL);
	assert_string_equal(did, "points sink/points metrics ");
}

#define SECTIONS                                                                                   \
	"receivers: {source: }\nexporters: {sink: }\nconnectors: {join: , join/2: , points: }\n"

static void connectors_have_to_join_pipelines_without_a_cycle(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{SECTIONS
		 "service: {pipelines: {traces: {receivers: [source], exporters: [join]}}}",
		 "c.yaml:3:14: connector \"join\" used as exporter in [traces] pipeline but not "
		 "used "
		 "in any supported receiver pipeline"},
		{SECTIONS "service: {pipelines: {traces: {receivers: [join], exporters: [sink]}}}",
		 "connector \"join\" used as receiver in [traces] pipeline but not used in any "
		 "supported exporter pipeline"},
		{SECTIONS
		 "service: {pipelines: {traces: {receivers: [source], exporters: [join]}, logs: "
		 "{receivers: [join], exporters: [sink]}}}",
		 "connector \"join\" used as exporter in [traces] pipeline but not used in any "
		 "supported receiver pipeline"},
		{SECTIONS
		 "service: {pipelines: {metrics: {receivers: [source], exporters: [points]}}}",
		 "connector \"points\" does not take metrics"},
		{SECTIONS
		 "service: {pipelines: {traces: {receivers: [points], exporters: [sink]}}}",
		 "connector \"points\" does not make traces"},
		{SECTIONS
		 "service: {pipelines: {traces: {receivers: [source, join/2], exporters: [join]}, "
		 "traces/2: {receivers: [join], exporters: [sink, join/2]}}}",
		 "cycle detected: pipeline \"traces\" -> connector \"join\" -> pipeline "
		 "\"traces/2\" -> connector \"join/2\" -> pipeline \"traces\""},
		{SECTIONS "service: {pipelines: {traces: {receivers: [join], exporters: [join]}}}",
		 "cycle detected: pipeline \"traces\" -> connector \"join\" -> pipeline "
		 "\"traces\""},
		{"exporters: {join/x: }\n", "unknown exporter \"join\""},
		{"receivers: {source: }\nexporters: {sink: }\nconnectors: {source: }\n",
		 "unknown connector \"source\""},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < countof(cases); i++) {
		assert_int_equal(build(f, cases[i].text), -EINVAL);
		assert_err_says(&f->e, cases[i].says);
	}
}

static void a_pipeline_carries_decoded_data_only_if_all_exporters_take_it(void **state)
{
	struct fixture *f = *state;

	assert_ok_err(build(f, "receivers: {source: }\n"
			       "processors: {step: }\n"
			       "exporters: {sink: , decoded: }\n"
			       "connectors: {join: }\n"
			       "service:\n"
			       "  pipelines:\n"
			       "    profiles: {receivers: [source], processors: [step], "
			       "exporters: [decoded]}\n"
			       "    traces: {receivers: [source], exporters: [sink]}\n"
			       "    metrics: {receivers: [source], exporters: [decoded]}\n"
			       "    logs: {receivers: [source], exporters: [join]}\n"
			       "    logs/2: {receivers: [join], exporters: [sink]}\n"),
		      &f->e);
	assert_int_equal(last_source->env->form[0], FORM_DECODED);
	assert_int_equal(last_source->env->form[1], FORM_PAYLOAD);
	assert_int_equal(last_source->env->form[2], FORM_DECODED);
	assert_int_equal(last_source->env->form[3], FORM_PAYLOAD);
	assert_non_null(service_head(f->service, SIGNAL_PROFILES));
}

static void assert_metric(struct fixture *f, const char *line)
{
	struct buf out = {0};

	telemetry_write(&f->host.telemetry, &out);
	buf_put_char(&out, '\0');
	if (!strstr(out.p, line))
		fail_msg("%s is not in:\n%s", line, out.p);
	buf_fini(&out);
}

static void items_are_counted_at_receivers_processors_and_exporters(void **state)
{
	struct fixture *f = *state;

	assert_ok_err(build(f, "receivers: {source/a: }\n"
			       "processors: {step: , step/2: }\n"
			       "exporters: {sink: , sink/2: }\n"
			       "service:\n"
			       "  pipelines:\n"
			       "    traces: {receivers: [source/a], processors: [step, step/2], "
			       "exporters: [sink, sink/2]}\n"),
		      &f->e);
	receive(SIGNAL_TRACES, "grpc");
	receive(SIGNAL_TRACES, "grpc");
	receive(SIGNAL_TRACES, "http");
	sink_rc = -EAGAIN;
	receive(SIGNAL_TRACES, "grpc");
	assert_metric(f, "\notelcol_receiver_accepted_spans{receiver=\"source/a\",transport="
			 "\"grpc\"} 16\n");
	assert_metric(f, "\notelcol_receiver_accepted_spans{receiver=\"source/a\",transport="
			 "\"http\"} 8\n");
	assert_metric(f, "\notelcol_receiver_refused_spans{receiver=\"source/a\",transport="
			 "\"grpc\"} 14\n");
	assert_metric(f, "\notelcol_processor_incoming_items{processor=\"step\",otel_signal="
			 "\"traces\"} 40\n");
	assert_metric(f, "\notelcol_processor_outgoing_items{processor=\"step/2\",otel_signal="
			 "\"traces\"} 40\n");
	assert_metric(f, "\notelcol_exporter_sent_spans{exporter=\"sink/2\"} 24\n");
	assert_metric(f, "\notelcol_exporter_send_failed_spans{exporter=\"sink\"} 16\n");
}

TEST_MAIN(test_with(fixture, connectors_pass_data_to_the_pipelines_that_they_feed),
	  test_with(fixture, connectors_have_to_join_pipelines_without_a_cycle),
	  test_with(fixture, a_pipeline_carries_decoded_data_only_if_all_exporters_take_it),
	  test_with(fixture, items_are_counted_at_receivers_processors_and_exporters))

/* SPDX-License-Identifier: Apache-2.0 */
/* The count connector: messages of each signal as JSON, and the metrics made of them as JSON. */
#include "pipeline/connectors/count/count_connector.h"

#include <errno.h>

#include "format/otlp/schema.h"
#include "test/component.h"

struct fixture {
	struct host host;
	struct component_env env;
	struct consumer next;
	struct test_component x;
	struct buf json;	       /* what was emitted */
	struct delivery_result refuse; /* what the next consumer answers */
	struct delivery_result result; /* of the last delivery */
	unsigned emitted, done;
	char tenant[16];
};

static bool take_metrics(void *state, struct delivery *d)
{
	struct fixture *f = state;
	struct buf scratch = {0};
	struct err e = {0};

	assert_int_equal(d->signal, SIGNAL_METRICS);
	snprintf(f->tenant, sizeof(f->tenant), "%.*s", STR_ARG(d->tenant));
	assert_ok_err(schema_to_json(&f->json, &otlp_metrics_request,
				     payload_str(d->payload, &scratch), &e),
		      &e);
	buf_fini(&scratch);
	f->emitted++;
	delivery_done(d, &f->refuse);
	return true;
}

static int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	*state = f;
	if (!f || host_init(&f->host, 1, 16 * MIB, NULL, NULL))
		return -1;
	f->env = (struct component_env){.id = "count", .host = &f->host};
	f->next = (struct consumer){.state = f, .consume = take_metrics};
	f->env.next[signal_index(SIGNAL_METRICS)] = &f->next;
	return 0;
}

static int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	buf_fini(&f->json);
	assert_int_equal(f->host.memory.used, 0);
	host_fini(&f->host);
	free(f);
	return 0;
}

static void note_result(struct delivery *d, const struct delivery_result *result)
{
	struct fixture *f = d->owner;

	f->result = *result;
	f->done++;
}

static void consume(struct fixture *f, enum signal_kind signal, struct str message)
{
	struct payload p;
	struct payload_slice slice;
	struct delivery d = {.signal = signal,
			     .tenant = STR("t1"),
			     .payload = &p,
			     .received = 9000,
			     .done = note_result,
			     .owner = f};

	buf_clear(&f->json);
	f->emitted = f->done = 0;
	payload_borrow(&p, &slice, signal, 1, message);
	assert_true(f->x.type->consume(f->x.instance, &d));
	assert_int_equal(f->done, 1);
	buf_put_char(&f->json, 0);
}

/* Send a message to a connector of these settings. */
static void count(struct fixture *f, const char *yaml, enum signal_kind signal, const char *json)
{
	static const struct schema_message *const schemas[SIGNALS] = {
		&otlp_profiles_request, &otlp_traces_request, &otlp_metrics_request,
		&otlp_logs_request};
	struct buf message = {0};
	struct arena scratch;
	struct err e = {0};

	arena_init(&scratch, NULL);
	assert_ok_err(schema_json_to_proto(&message, schemas[signal_index(signal)], str_from(json),
					   &scratch, &e),
		      &e);
	assert_ok_err(test_component_new(&f->x, &count_connector, &f->env, yaml), &f->x.e);
	consume(f, signal, buf_str(&message));
	test_component_free(&f->x);
	buf_fini(&message);
	arena_fini(&scratch);
}

static void check_has(struct fixture *f, const char *part, bool wanted)
{
	assert_int_equal(f->result.rc, 0);
	if ((strstr(f->json.p, part) != NULL) != wanted)
		fail_msg("%s \"%s\" in %s", wanted ? "no" : "unexpected", part, f->json.p);
}

#define has(f, part) check_has(f, part, true)
#define has_not(f, part) check_has(f, part, false)

#define TEXT(key, value) "{\"key\":\"" key "\",\"value\":{\"stringValue\":\"" value "\"}}"
#define DELTA "\"aggregationTemporality\":1,\"isMonotonic\":true"

static const char spans[] = "{\"resourceSpans\":[{\"resource\":{\"attributes\":[" TEXT(
	"service.name",
	"shop") "]},"
		"\"scopeSpans\":[{\"scope\":{\"name\":\"lib\",\"attributes\":[" TEXT(
			"team",
			"x") "]},"
			     "\"spans\":["
			     "{\"name\":\"GET "
			     "/\",\"kind\":2,\"startTimeUnixNano\":\"100\",\"endTimeUnixNano\":"
			     "\"150\","
			     "\"attributes\":[" TEXT(
				     "route",
				     "/") "],\"events\":["
					  "{\"timeUnixNano\":\"110\",\"name\":\"a\",\"attributes\":"
					  "[" TEXT(
						  "env",
						  "prod") "]},"
							  "{\"timeUnixNano\":\"120\",\"name\":"
							  "\"b\"}]},"
							  "{\"name\":\"GET "
							  "/\",\"kind\":2,\"startTimeUnixNano\":"
							  "\"90\",\"endTimeUnixNano\":\"130\","
							  "\"attributes\":[" TEXT(
								  "route",
								  "/") "]},"
								       "{\"name\":\"POST\","
								       "\"kind\":3,"
								       "\"startTimeUnixNano\":"
								       "\"140\","
								       "\"endTimeUnixNano\":"
								       "\"145\","
								       "\"events\":[{"
								       "\"timeUnixNano\":\"141\","
								       "\"name\":\"a\"}]}]}]},"
								       "{\"resource\":{"
								       "\"attributes\":[" TEXT(
									       "service.name",
									       "other") "]},"
											"\"scopeSpa"
											"ns\":["
											"{\"spans\""
											":[{"
											"\"name\":"
											"\"x\","
											"\"startTim"
											"eUnixNano"
											"\":\"7\","
											"\"endTimeU"
											"nixNano\":"
											"\"8\"}]}]}"
											"]}";

static void spans_and_events_are_counted(void **state)
{
	struct fixture *f = *state;

	count(f, "{}", SIGNAL_TRACES, spans);
	has(f,
	    "{\"resourceMetrics\":[{\"resource\":{\"attributes\":[" TEXT(
		    "service.name",
		    "shop") "]},\"scopeMetrics\":[{\"scope\":{\"name\":\"countconnector\"},"
			    "\"metrics\":["
			    "{\"name\":\"trace.span.count\",\"description\":\"The number of spans "
			    "observed.\",\"sum\":{\"dataPoints\":[{\"startTimeUnixNano\":\"90\","
			    "\"timeUnixNano\":\"150\",\"asInt\":\"3\"}]," DELTA "}}");
	has(f, "{\"name\":\"trace.span.event.count\",\"description\":\"The number of span events "
	       "observed.\",\"sum\":{\"dataPoints\":[{\"startTimeUnixNano\":\"110\","
	       "\"timeUnixNano\":\"141\",\"asInt\":\"3\"}]," DELTA "}}");
	has(f, "{\"startTimeUnixNano\":\"7\",\"timeUnixNano\":\"8\",\"asInt\":\"1\"}");
	has_not(f, "metric.count");
	assert_int_equal(f->emitted, 1);
	assert_string_equal(f->tenant, "t1");
}

static void attributes_divide_counts(void **state)
{
	struct fixture *f = *state;

	count(f,
	      "spans: {by.route: {description: d, attributes: [{key: route}, {key: team}]},\n"
	      "        by.default: {attributes: [{key: route, default_value: none},\n"
	      "                                  {key: level, default_value: 5}]}}\n"
	      "spanevents: {}\n",
	      SIGNAL_TRACES, spans);
	has(f, "{\"name\":\"by.route\",\"description\":\"d\",\"sum\":{\"dataPoints\":["
	       "{\"startTimeUnixNano\":\"90\",\"timeUnixNano\":\"150\",\"asInt\":\"2\","
	       "\"attributes\":[" TEXT("route", "/") "," TEXT("team", "x") "]}]," DELTA "}}");
	has(f, "\"asInt\":\"1\",\"attributes\":[" TEXT(
		       "route", "none") ",{\"key\":\"level\",\"value\":{\"intValue\":\"5\"}}]}");
	has_not(f, "event.count");
	has_not(f, "trace.span.count");
}

static void conditions_choose_what_counts(void **state)
{
	struct fixture *f = *state;

	count(f,
	      "spans: {servers: {conditions: ['kind == 2', 'name == \"none\"']}}\n"
	      "spanevents: {prod: {conditions: ['attributes[\"env\"] == \"prod\"']},\n"
	      "             a: {conditions: ['name == \"a\"'], attributes: [{key: "
	      "service.name}]}}\n",
	      SIGNAL_TRACES, spans);
	has(f, "{\"name\":\"servers\",\"sum\":{\"dataPoints\":[{\"startTimeUnixNano\":\"90\","
	       "\"timeUnixNano\":\"150\",\"asInt\":\"2\"}]");
	has(f, "{\"name\":\"prod\",\"sum\":{\"dataPoints\":[{\"startTimeUnixNano\":\"110\","
	       "\"timeUnixNano\":\"110\",\"asInt\":\"1\"}]");
	has(f, "{\"name\":\"a\",\"sum\":{\"dataPoints\":[{\"startTimeUnixNano\":\"110\","
	       "\"timeUnixNano\":\"141\",\"asInt\":\"2\",\"attributes\":[" TEXT("service.name",
										"shop"));
	has_not(f, "other"); /* it has nothing to count */
}

static void nothing_counted_is_nothing_emitted(void **state)
{
	struct fixture *f = *state;

	count(f, "{spans: {never: {conditions: ['name == \"none\"']}}, spanevents: {}}",
	      SIGNAL_TRACES, spans);
	assert_int_equal(f->result.rc, 0);
	assert_int_equal(f->emitted, 0);
}

static const char metrics[] =
	"{\"resourceMetrics\":[{\"scopeMetrics\":[{\"metrics\":["
	"{\"name\":\"requests\",\"sum\":{\"dataPoints\":["
	"{\"startTimeUnixNano\":\"5\",\"timeUnixNano\":\"20\",\"asInt\":\"1\",\"attributes\":"
	"[" TEXT("code", "200") "]},"
				"{\"startTimeUnixNano\":\"5\",\"timeUnixNano\":\"30\",\"asInt\":"
				"\"2\",\"attributes\":[" TEXT(
					"code", "500") "]}]}},"
						       "{\"name\":\"latency\",\"histogram\":{"
						       "\"dataPoints\":[{\"timeUnixNano\":\"40\","
						       "\"attributes\":[" TEXT(
							       "code",
							       "200") "]}]}},"
								      "{\"name\":\"empty\"}]}]}]}";

static void metrics_and_points_are_counted(void **state)
{
	struct fixture *f = *state;

	count(f, "{}", SIGNAL_METRICS, metrics);
	has(f, "{\"name\":\"metric.count\",\"description\":\"The number of metrics observed.\","
	       "\"sum\":{\"dataPoints\":[{\"startTimeUnixNano\":\"5\",\"timeUnixNano\":\"40\","
	       "\"asInt\":\"3\"}]");
	has(f, "{\"name\":\"metric.datapoint.count\",\"description\":\"The number of data points "
	       "observed.\",\"sum\":{\"dataPoints\":[{\"startTimeUnixNano\":\"5\","
	       "\"timeUnixNano\":\"40\",\"asInt\":\"3\"}]");
	count(f,
	      "datapoints: {by.code: {conditions: ['metric.name != \"x\"'], attributes: [{key: "
	      "code}]}}\n"
	      "metrics: {sums: {conditions: ['type == METRIC_DATA_TYPE_SUM']}}\n",
	      SIGNAL_METRICS, metrics);
	has(f, "\"asInt\":\"2\",\"attributes\":[" TEXT("code", "200"));
	has(f, "\"asInt\":\"1\",\"attributes\":[" TEXT("code", "500"));
	has(f, "{\"name\":\"sums\",\"sum\":{\"dataPoints\":[{\"startTimeUnixNano\":\"5\","
	       "\"timeUnixNano\":\"30\",\"asInt\":\"1\"}]");
}

static void log_records_are_counted(void **state)
{
	static const char logs[] =
		"{\"resourceLogs\":[{\"scopeLogs\":[{\"logRecords\":["
		"{\"timeUnixNano\":\"10\",\"severityNumber\":17,\"attributes\":[" TEXT(
			"env", "prod") "]},"
				       "{\"observedTimeUnixNano\":\"15\",\"severityNumber\":9},{"
				       "\"severityNumber\":18}]}]}]}";
	struct fixture *f = *state;

	count(f, "{}", SIGNAL_LOGS, logs);
	has(f, "{\"name\":\"log.record.count\",\"description\":\"The number of log records "
	       "observed.\",\"sum\":{\"dataPoints\":[{\"startTimeUnixNano\":\"10\","
	       "\"timeUnixNano\":\"15\",\"asInt\":\"3\"}]");
	count(f,
	      "logs: {errors: {conditions: ['severity_number >= SEVERITY_NUMBER_ERROR'], "
	      "attributes: [{key: env, default_value: unspecified}]}}",
	      SIGNAL_LOGS, logs);
	has(f, "{\"startTimeUnixNano\":\"10\",\"timeUnixNano\":\"10\",\"asInt\":\"1\","
	       "\"attributes\":[" TEXT("env", "prod"));
	/* a record without a time counts when it was received */
	has(f, "{\"startTimeUnixNano\":\"9000\",\"timeUnixNano\":\"9000\",\"asInt\":\"1\","
	       "\"attributes\":[" TEXT("env", "unspecified"));
}

static void profiles_are_counted(void **state)
{
	static const char profiles[] =
		"{\"resourceProfiles\":[{\"scopeProfiles\":[{\"profiles\":["
		"{\"timeUnixNano\":\"50\",\"durationNano\":\"10\",\"attributeIndices\":[1]},"
		"{\"timeUnixNano\":\"70\",\"attributeIndices\":[2,1]},{\"timeUnixNano\":\"80\"}]}]}"
		"],"
		"\"dictionary\":{\"stringTable\":[\"\",\"os\",\"n\"],\"attributeTable\":[{},"
		"{\"keyStrindex\":1,\"value\":{\"stringValue\":\"linux\"}},"
		"{\"keyStrindex\":2,\"value\":{\"intValue\":\"3\"}}]}}";
	struct fixture *f = *state;

	count(f, "{}", SIGNAL_PROFILES, profiles);
	has(f, "{\"name\":\"profile.count\",\"description\":\"The number of profiles observed.\","
	       "\"sum\":{\"dataPoints\":[{\"startTimeUnixNano\":\"50\",\"timeUnixNano\":\"80\","
	       "\"asInt\":\"3\"}]");
	count(f,
	      "profiles: {by.os: {attributes: [{key: os}]}, "
	      "late: {conditions: ['time_unix_nano > 60']}}",
	      SIGNAL_PROFILES, profiles);
	has(f, "{\"startTimeUnixNano\":\"50\",\"timeUnixNano\":\"70\",\"asInt\":\"2\","
	       "\"attributes\":[" TEXT("os", "linux"));
	has(f, "{\"name\":\"late\",\"sum\":{\"dataPoints\":[{\"startTimeUnixNano\":\"70\","
	       "\"timeUnixNano\":\"80\",\"asInt\":\"2\"}]");
}

static void the_sender_gets_the_result(void **state)
{
	struct fixture *f = *state;

	f->refuse = (struct delivery_result){
		.rc = -EAGAIN, .retry_after_ms = 77, .reason = "queue is full"};
	count(f, "{}", SIGNAL_TRACES, spans);
	assert_int_equal(f->result.rc, -EAGAIN);
	assert_int_equal(f->result.retry_after_ms, 77);
	assert_string_equal(f->result.reason, "queue is full");
}

static void damaged_data_is_refused(void **state)
{
	struct fixture *f = *state;

	assert_ok_err(test_component_new(&f->x, &count_connector, &f->env, "{}"), &f->x.e);
	consume(f, SIGNAL_TRACES, STR("\x0a\x7f\x01"));
	assert_int_equal(f->result.rc, -EBADMSG);
	assert_int_equal(f->emitted, 0);
	test_component_free(&f->x);
}

static void wrong_settings_are_refused(void **state)
{
	static const char *const rows[][2] = {
		{"span: {}", "did you mean \"spans\""},
		{"spans: [x]", "map from names of metrics"},
		{"spans: {x: {condition: []}}", "did you mean \"conditions\""},
		{"spans: {x: {conditions: ['nme == \"a\"']}}", "nme"},
		{"spans: {x: {attributes: [{}]}}", "attribute key missing"},
		{"spans: {x: {attributes: [{key: a}, {key: a}]}}", "listed twice"},
		{"spans: {x: {attributes: {key: a}}}", "has to be a list of {key}"},
		{"metrics: {x: {attributes: [{key: a}]}}", "metrics attributes not supported"},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < countof(rows); i++)
		test_component_refused(&count_connector, &f->env, rows[i][0], rows[i][1]);
}

TEST_MAIN(test_with(fixture, spans_and_events_are_counted),
	  test_with(fixture, attributes_divide_counts),
	  test_with(fixture, conditions_choose_what_counts),
	  test_with(fixture, nothing_counted_is_nothing_emitted),
	  test_with(fixture, metrics_and_points_are_counted),
	  test_with(fixture, log_records_are_counted), test_with(fixture, profiles_are_counted),
	  test_with(fixture, the_sender_gets_the_result),
	  test_with(fixture, damaged_data_is_refused),
	  test_with(fixture, wrong_settings_are_refused))

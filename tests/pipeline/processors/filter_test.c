/* SPDX-License-Identifier: Apache-2.0 */
/* The filter processor: what is dropped, in both forms of the settings. */
#include <errno.h>

#include "ottl_fixture.h"
#include "pipeline/processors/filter/filter_processor.h"

static const char spans[] = "GET /users/42:2, POST /cart:2";
static const char metrics[] = "requests:3, load:1, latency:1";
static const char logs[] = "hello world, hello world, {\"a\":1,\"b\":[true]}";

static struct payload *payload_of(enum signal_kind signal)
{
	return signal == SIGNAL_TRACES ? test_spans()
	       : signal == SIGNAL_LOGS ? test_logs()
				       : test_metrics();
}

static void conditions_drop_items(void **state)
{
	static const struct {
		enum signal_kind signal;
		const char *yaml, *left;
	} table[] = {
		{SIGNAL_TRACES, "trace_conditions: ['span.name == \"POST /cart\"']",
		 "GET /users/42:2"},
		{SIGNAL_TRACES, "trace_conditions: ['span.kind == 3', 'span.kind == 9']",
		 "GET /users/42:2"},
		{SIGNAL_TRACES, "trace_conditions: ['span.kind == 9']", spans},
		{SIGNAL_TRACES, "trace_conditions: ['span.kind > 0']", ""},
		{SIGNAL_TRACES, "trace_conditions: ['spanevent.name == \"first\"']",
		 "GET /users/42:1, POST /cart:1"},
		{SIGNAL_TRACES,
		 "trace_conditions: ['spanevent.time_unix_nano > 0', 'span.kind == 3']",
		 "GET /users/42:0"},
		{SIGNAL_TRACES, "trace_conditions: ['resource.attributes[\"host\"] == \"h1\"']",
		 ""},
		{SIGNAL_TRACES, "trace_conditions: ['resource.attributes[\"host\"] == \"h2\"']",
		 spans},
		{SIGNAL_TRACES, "trace_conditions: ['scope.name == \"lib\"']", ""},
		{SIGNAL_TRACES,
		 "trace_conditions: [{context: span, conditions: ['name == \"POST /cart\"']}]",
		 "GET /users/42:2"},
		{SIGNAL_TRACES, "trace_conditions: [{conditions: ['span.kind == 3']}]",
		 "GET /users/42:2"},
		{SIGNAL_TRACES, "traces: {span: ['kind == 3', 'span.name == \"x\"']}",
		 "GET /users/42:2"},
		{SIGNAL_TRACES, "traces: {spanevent: ['name == \"first\" and span.kind == 2']}",
		 "GET /users/42:1, POST /cart:2"},
		{SIGNAL_TRACES, "traces: {resource: ['attributes[\"host\"] == \"h1\"']}", ""},
		{SIGNAL_TRACES, "metric_conditions: ['metric.name == \"x\"']", spans},
		{SIGNAL_TRACES, "{}", spans},
		{SIGNAL_METRICS, "metric_conditions: ['metric.name == \"load\"']",
		 "requests:3, latency:1"},
		{SIGNAL_METRICS, "metric_conditions: ['metric.type == METRIC_DATA_TYPE_SUM']",
		 "load:1, latency:1"},
		{SIGNAL_METRICS,
		 "metric_conditions: ['datapoint.attributes[\"state\"] == \"busy\"']",
		 "requests:1, load:1, latency:1"},
		{SIGNAL_METRICS, "metric_conditions: ['datapoint.time_unix_nano == 2000']",
		 "load:1, latency:1"},
		{SIGNAL_METRICS, "metrics: {metric: ['IsMatch(name, \"^l\")']}", "requests:3"},
		{SIGNAL_METRICS,
		 "metrics: {datapoint: ['value_int >= 2 and metric.unit == \"1\"']}",
		 "requests:1, load:1, latency:1"},
		{SIGNAL_METRICS, "metrics: {metric: ['HasAttrKeyOnDatapoint(\"state\")']}",
		 "load:1, latency:1"},
		{SIGNAL_METRICS, "metrics: {metric: ['HasAttrOnDatapoint(\"state\", \"busy\")']}",
		 "load:1, latency:1"},
		{SIGNAL_METRICS, "metrics: {metric: ['HasAttrOnDatapoint(\"state\", \"none\")']}",
		 metrics},
		{SIGNAL_LOGS, "log_conditions: ['log.severity_number < SEVERITY_NUMBER_WARN']",
		 "hello world, {\"a\":1,\"b\":[true]}"},
		{SIGNAL_LOGS, "logs: {log_record: ['IsMatch(body, \"hello\")']}",
		 "{\"a\":1,\"b\":[true]}"},
		{SIGNAL_LOGS, "logs: {log_record: ['ParseJSON(body)[\"a\"] == 1.0']}",
		 "hello world, hello world"},
		{SIGNAL_LOGS, "log_conditions: ['resource.attributes[\"service.name\"] == nil']",
		 logs},
	};
	struct ottl_fixture *f = *state;

	for (size_t i = 0; i < countof(table); i++) {
		ottl_pass(f, &filter_processor, table[i].yaml, payload_of(table[i].signal));
		assert_ok(f->result.rc);
		if (strcmp(ottl_forwarded(f), table[i].left) != 0)
			fail_msg("%s left %s, expected %s", table[i].yaml, f->text.p,
				 table[i].left);
		assert_int_equal(f->sink.count, table[i].left[0] != '\0');
	}
}

static void blocks_include_and_exclude(void **state)
{
	static const struct {
		enum signal_kind signal;
		const char *yaml, *left;
	} table[] = {
		{SIGNAL_METRICS,
		 "metrics: {exclude: {match_type: strict, metric_names: [load, x]}}",
		 "requests:3, latency:1"},
		{SIGNAL_METRICS,
		 "metrics: {include: {match_type: strict, metric_names: [load, x]}}", "load:1"},
		{SIGNAL_METRICS,
		 "metrics: {include: {match_type: regexp, metric_names: ['^l', q]}}", metrics},
		{SIGNAL_METRICS,
		 "metrics: {include: {match_type: regexp, metric_names: ['^l']}, "
		 "exclude: {match_type: strict, metric_names: [load]}}",
		 "latency:1"},
		{SIGNAL_LOGS, "logs: {exclude: {match_type: strict, bodies: [hello world]}}",
		 "{\"a\":1,\"b\":[true]}"},
		{SIGNAL_LOGS,
		 "logs: {include: {match_type: strict, severity_texts: [WARN], "
		 "bodies: [hello world]}}",
		 "hello world"},
		{SIGNAL_LOGS,
		 "logs: {include: {match_type: strict, severity_number: {min: ERROR}}}",
		 "{\"a\":1,\"b\":[true]}"},
		{SIGNAL_LOGS,
		 "logs: {exclude: {match_type: strict, severity_number: {min: 13, "
		 "match_undefined: true}}}",
		 "hello world"},
		{SIGNAL_LOGS,
		 "logs: {exclude: {match_type: strict, record_attributes: "
		 "[{key: service.name, value: shop}, {key: none}]}}",
		 logs},
		{SIGNAL_LOGS,
		 "logs: {exclude: {match_type: regexp, resource_attributes: "
		 "[{key: service.name, value: ^s.o}]}}",
		 ""},
		{SIGNAL_TRACES,
		 "spans: {exclude: {match_type: strict, services: [shop], "
		 "span_kinds: [SPAN_KIND_CLIENT]}}",
		 "GET /users/42:2"},
		{SIGNAL_TRACES, "spans: {include: {match_type: regexp, span_names: ['^P.*\\/']}}",
		 "POST /cart:2"},
		{SIGNAL_TRACES,
		 "spans: {exclude: {match_type: strict, attributes: "
		 "[{key: code, value: 500}, {key: ok, value: true}, "
		 "{key: ratio, value: 0.5}, {key: method, value: GET}, {key: url}]}}",
		 ""},
		{SIGNAL_TRACES,
		 "spans: {exclude: {match_type: strict, attributes: "
		 "[{key: code, value: \"500\"}]}}",
		 spans},
	};
	struct ottl_fixture *f = *state;

	for (size_t i = 0; i < countof(table); i++) {
		ottl_pass(f, &filter_processor, table[i].yaml, payload_of(table[i].signal));
		assert_ok(f->result.rc);
		if (strcmp(ottl_forwarded(f), table[i].left) != 0)
			fail_msg("%s left %s, expected %s", table[i].yaml, f->text.p,
				 table[i].left);
	}
}

/* A batch of which nothing is dropped is passed on, not copied. */
static void an_unchanged_batch_keeps_its_bytes(void **state)
{
	struct ottl_fixture *f = *state;
	struct payload *p = test_spans();
	struct payload *same = payload_keep(p, NULL);

	ottl_pass(f, &filter_processor, "trace_conditions: ['span.name == \"none\"']", p);
	assert_int_equal(f->sink.count, 1);
	assert_ptr_equal(f->sink.payloads[0], same);
	payload_release(same);
}

static void dropped_items_are_counted(void **state)
{
	struct ottl_fixture *f = *state;
	struct buf text = {0};

	ottl_pass(f, &filter_processor, "trace_conditions: ['span.kind == 3']", test_spans());
	ottl_pass(f, &filter_processor, "metrics: {datapoint: ['value_int >= 2']}", test_metrics());
	ottl_pass(f, &filter_processor, "log_conditions: ['log.body != nil']", test_logs());
	telemetry_write(&f->host.telemetry, &text);
	buf_put_char(&text, '\0');
	assert_non_null(strstr(text.p, "otelcol_processor_filter_spans_filtered{"
				       "filter=\"ottl/1\"} 1\n"));
	assert_non_null(strstr(text.p, "otelcol_processor_filter_datapoints_filtered{"
				       "filter=\"ottl/1\"} 2\n"));
	assert_non_null(strstr(text.p, "otelcol_processor_filter_logs_filtered{"
				       "filter=\"ottl/1\"} 3\n"));
	buf_fini(&text);
}

static void error_modes(void **state)
{
	static const char condition[] = "ParseJSON(log.body)[\"a\"] == 1.0";
	struct ottl_fixture *f = *state;
	char yaml[200];

	snprintf(yaml, sizeof(yaml), "log_conditions: ['%s']", condition);
	ottl_pass(f, &filter_processor, yaml, test_logs());
	assert_string_equal(ottl_forwarded(f), "hello world, hello world");
	assert_non_null(strstr(ottl_logged(f), "failed to evaluate condition"));

	snprintf(yaml, sizeof(yaml), "{error_mode: silent, log_conditions: ['%s']}", condition);
	ottl_pass(f, &filter_processor, yaml, test_logs());
	assert_string_equal(ottl_forwarded(f), "hello world, hello world");
	assert_string_equal(ottl_logged(f), "");

	snprintf(yaml, sizeof(yaml), "{error_mode: propagate, log_conditions: ['%s']}", condition);
	ottl_pass(f, &filter_processor, yaml, test_logs());
	assert_int_equal(f->result.rc, -EINVAL);
	assert_int_equal(f->sink.count, 0);
	assert_non_null(strstr(f->result.reason, "failed to execute condition: ParseJSON"));
}

static void mistakes_in_settings(void **state)
{
	static const struct {
		const char *yaml, *error;
	} table[] = {
		{"trace_conditions: ['span.nam == \"a\"']",
		 "test:1:21: unable to parse OTTL condition \"span.nam == \"a\"\": 1:1: segment"},
		{"log_conditions: ['log.body ==']", "condition has invalid syntax: 1:12"},
		{"log_conditions: ['body == \"a\"']", "missing context name for path \"body\""},
		{"log_conditions: ['span.name == \"a\"']",
		 "context \"span\" does not exist for logs"},
		{"log_conditions: x", "expected a list"},
		{"log_conditions: ['true', {conditions: []}]", "cannot be mixed"},
		{"log_conditions: [{context: logs, conditions: []}]", "unknown context \"logs\""},
		{"log_conditions: [{condition: []}]", "did you mean \"conditions\"?"},
		{"log_conditions: [{statements: []}]", "a filter has conditions"},
		{"log_conditions: [{context: log}]", "has no conditions"},
		{"error_mode: x", "unknown error mode \"x\""},
		{"{log_conditions: [], traces: {span: ['true']}}", "cannot be used together"},
		{"metrics: {include: {match_type: strict}}", "nothing to match"},
		{"metrics: {include: {metric_names: [a]}}", "has to be strict or regexp"},
		{"metrics: {include: {match_type: expr, expressions: [a]}}", "strict or regexp"},
		{"metrics: {exclude: {match_type: strict, bodies: [a]}}", "is not supported here"},
		{"metrics: {exclude: {match_type: strict, metric_names: a}}", "a list of texts"},
		{"metrics: {exclude: {match_type: regexp, metric_names: ['(']}}",
		 "invalid regular expression"},
		{"logs: {include: {match_type: strict, severity_number: {}}}", "needs min"},
		{"logs: {include: {match_type: strict, severity_number: {min: LOUD}}}",
		 "unknown enum"},
		{"spans: {exclude: {match_type: strict, attributes: [{value: 1}]}}",
		 "a list of {key, value}"},
		{"logs: {log_record: [[a]]}", "expected the text of a condition"},
		{"logs: {log_records: []}", "did you mean \"log_record\""},
	};
	struct ottl_fixture *f = *state;

	for (size_t i = 0; i < countof(table); i++)
		test_component_refused(&filter_processor, &f->env, table[i].yaml, table[i].error);
}

/* Return a payload of one profile with dictionary, period 7 and the attribute os = linux. */
static struct payload *a_profile(void)
{
	static const char *const strings[] = {"", "cpu", "nanoseconds", "os"};
	struct proto_writer w;
	struct payload *p;
	size_t row;

	proto_writer_init(&w, NULL);
	row = proto_mark(&w);
	proto_put_uint(&w, 11, 1);
	proto_put_uint(&w, 6, 7);
	proto_put_entry(&w, 2, STR("\x08\x00"));
	proto_put_entry(&w, 1, STR("\x08\x01\x10\x02"));
	proto_put_header(&w, 2, row);
	p = wrap_items(SIGNAL_PROFILES, 1, proto_writer_str(&w));
	proto_writer_clear(&w);
	row = proto_mark(&w);
	otlp_value_write(&w, &VALUE_OF_STR(STR("linux")));
	proto_put_header(&w, 2, row);
	proto_put_uint(&w, 1, 3);
	proto_put_header(&w, 6, row);
	proto_put_entry(&w, 6, STR(""));
	for (unsigned i = countof(strings); i-- > 0;)
		proto_put_entry(&w, 5, str_from(strings[i]));
	proto_put_header(&w, 2, 0);
	proto_put_raw(&w, p->slices[0].bytes.p, p->slices[0].bytes.n);
	payload_release(p);
	p = payload_take_written(SIGNAL_PROFILES, 1, &w);
	proto_writer_fini(&w);
	assert_non_null(p);
	return p;
}

static void profiles_are_dropped(void **state)
{
	static const struct {
		const char *condition;
		bool drops;
	} table[] = {
		{"profile.sample_type.type == \"cpu\"", true},
		{"profile.sample_type.unit == \"bytes\"", false},
		{"profile.period == 7 and profile.period_type.type == \"\"", true},
		{"profile.attributes[\"os\"] == \"linux\"", true},
		{"profile.attributes[\"none\"] != nil", false},
		{"Len(profile.sample) == 1 and Len(profile.attributes) == 1", true},
		{"resource.attributes[\"host\"] == \"h1\"", true},
		{"profile.duration_unix_nano > 0", false},
	};
	struct ottl_fixture *f = *state;
	char yaml[200];

	for (size_t i = 0; i < countof(table); i++) {
		snprintf(yaml, sizeof(yaml), "profile_conditions: ['%s']", table[i].condition);
		ottl_pass(f, &filter_processor, yaml, a_profile());
		assert_ok(f->result.rc);
		if (f->sink.count != !table[i].drops)
			fail_msg("%s: %s", table[i].condition, ottl_logged(f));
	}
}

static void damaged_data_is_refused(void **state)
{
	struct ottl_fixture *f = *state;

	ottl_pass(f, &filter_processor, "log_conditions: ['log.body == nil']",
		  payload_copy(SIGNAL_LOGS, 1, STR("\x0a\x05\x12"), NULL));
	assert_int_equal(f->result.rc, -EBADMSG);
	assert_int_equal(f->sink.count, 0);
}

TEST_MAIN(test_with(ottl_fixture, conditions_drop_items),
	  test_with(ottl_fixture, blocks_include_and_exclude),
	  test_with(ottl_fixture, an_unchanged_batch_keeps_its_bytes),
	  test_with(ottl_fixture, dropped_items_are_counted), test_with(ottl_fixture, error_modes),
	  test_with(ottl_fixture, mistakes_in_settings),
	  test_with(ottl_fixture, profiles_are_dropped),
	  test_with(ottl_fixture, damaged_data_is_refused))

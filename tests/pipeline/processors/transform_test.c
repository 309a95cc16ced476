/* SPDX-License-Identifier: Apache-2.0 */
/* The transform processor: groups, inferred contexts, guards, and the functions of metrics. */
#include <errno.h>

#include "ottl_fixture.h"
#include "pipeline/processors/filter/filter_processor.h"
#include "pipeline/processors/transform/transform_processor.h"

static struct payload *payload_of(enum signal_kind signal)
{
	return signal == SIGNAL_TRACES ? test_spans()
	       : signal == SIGNAL_LOGS ? test_logs()
				       : test_metrics();
}

/* Assert what is forwarded, and that nothing failed. */
static void assert_transformed(struct ottl_fixture *f, enum signal_kind signal, const char *yaml,
			       const char *expected)
{
	ottl_pass(f, &transform_processor, yaml, payload_of(signal));
	assert_ok(f->result.rc);
	assert_string_equal(ottl_logged(f), "");
	if (strcmp(ottl_forwarded(f), expected) != 0)
		fail_msg("%s: %s, expected %s", yaml, f->text.p, expected);
}

static void statements_change_items(void **state)
{
	static const struct {
		enum signal_kind signal;
		const char *yaml, *expected;
	} table[] = {
		{SIGNAL_TRACES, "trace_statements: ['set(span.name, \"x\") where span.kind == 3']",
		 "GET /users/42:2, x:2"},
		{SIGNAL_TRACES,
		 "trace_statements: [{context: span, statements: ['set(name, \"a\")', "
		 "'set(name, Concat([name, \"b\"], \"\"))']}]",
		 "ab:2, ab:2"},
		{SIGNAL_TRACES,
		 "trace_statements: [{context: span, conditions: ['kind == 3', 'kind == 9'], "
		 "statements: ['set(name, \"a\")']}]",
		 "GET /users/42:2, a:2"},
		{SIGNAL_TRACES,
		 "trace_statements: [{conditions: ['span.kind == 3'], statements: "
		 "['set(span.name, spanevent.name)']}]",
		 "GET /users/42:2, second:2"},
		{SIGNAL_TRACES,
		 "trace_statements: [{context: resource, statements: "
		 "['set(attributes[\"n\"], \"res\")']}, {context: span, statements: "
		 "['set(name, resource.attributes[\"n\"])']}]",
		 "res:2, res:2"},
		{SIGNAL_TRACES,
		 "trace_statements: ['set(span.attributes[\"a\"], 1)', "
		 "'set(span.name, \"z\") where span.attributes[\"a\"] == 1']",
		 "z:2, z:2"},
		{SIGNAL_TRACES,
		 "trace_statements: ['set(span.cache[\"k\"], \"c\") where span.kind == 2', "
		 "'set(span.name, span.cache[\"k\"])']",
		 "c:2, POST /cart:2"},
		{SIGNAL_LOGS,
		 "log_statements: ['set(log.body, log.severity_text)', "
		 "'replace_pattern(log.body, \"^(.)\", \"$$1-\")']",
		 "I-NFO, W-ARN, W-ARN"},
		{SIGNAL_LOGS,
		 "log_statements: [{context: log, statements: ['merge_maps(cache, ParseJSON(body), "
		 "\"upsert\") where HasPrefix(body, \"{\")', 'set(body, cache[\"b\"])']}]",
		 "hello world, hello world, [true]"},
		{SIGNAL_METRICS,
		 "metric_statements: ['set(metric.name, Concat([\"app\", metric.name], \".\"))']",
		 "app.requests:3, app.load:1, app.latency:1"},
		{SIGNAL_METRICS,
		 "metric_statements: ['set(metric.name, \"seen\") where datapoint.value_int == 3']",
		 "seen:3, load:1, latency:1"},
		{SIGNAL_METRICS, "trace_statements: ['set(span.name, \"x\")']",
		 "requests:3, load:1, latency:1"},
	};

	for (size_t i = 0; i < countof(table); i++)
		assert_transformed(*state, table[i].signal, table[i].yaml, table[i].expected);
}

/* Pass metrics through statements, then keep the metrics for which a condition is true. */
static void metrics_after(struct ottl_fixture *f, const char *statement, const char *condition,
			  const char *expected)
{
	struct payload *p;
	char yaml[600];

	snprintf(yaml, sizeof(yaml), "metric_statements: [{context: metric, statements: ['%s']}]",
		 statement);
	ottl_pass(f, &transform_processor, yaml, test_metrics());
	assert_ok(f->result.rc);
	assert_string_equal(ottl_logged(f), "");
	assert_int_equal(f->sink.count, 1);
	p = payload_keep(f->sink.payloads[0], NULL);
	snprintf(yaml, sizeof(yaml), "metric_conditions: ['not (%s)']", condition);
	ottl_pass(f, &filter_processor, yaml, p);
	assert_string_equal(ottl_logged(f), "");
	if (strcmp(ottl_forwarded(f), expected) != 0)
		fail_msg("%s, %s: %s, expected %s", statement, condition, f->text.p, expected);
}

static void functions_of_metrics(void **state)
{
	static const struct {
		const char *statement, *condition, *expected;
	} table[] = {
		{"convert_sum_to_gauge() where name == \"requests\"",
		 "metric.type == METRIC_DATA_TYPE_GAUGE", "requests:3, load:1"},
		{"convert_gauge_to_sum(\"cumulative\", true)",
		 "metric.type == METRIC_DATA_TYPE_SUM and metric.is_monotonic == true and "
		 "metric.aggregation_temporality == AGGREGATION_TEMPORALITY_CUMULATIVE",
		 "requests:3, load:1"},
		{"convert_gauge_to_sum(\"delta\", false)",
		 "metric.is_monotonic == false and metric.aggregation_temporality == "
		 "AGGREGATION_TEMPORALITY_DELTA",
		 "load:1"},
		{"extract_count_metric(true)",
		 "datapoint.value_int == 3 and metric.name == \"latency_count\" and metric.unit == "
		 "\"1\" and metric.is_monotonic == true and metric.aggregation_temporality == 1 "
		 "and datapoint.time_unix_nano == 7",
		 "latency_count:1"},
		{"extract_sum_metric(false, \".total\")",
		 "datapoint.value_double == 9.5 and metric.name == \"latency.total\" and "
		 "metric.unit == \"s\" and metric.is_monotonic == false",
		 "latency.total:1"},
		{"copy_metric(name=\"copy\", unit=\"u\") where name == \"load\"",
		 "metric.name == \"load\" or metric.unit == \"u\"", "load:1, copy:1"},
		{"scale_metric(10.0, \"ms\")",
		 "metric.unit == \"ms\" and (datapoint.value_double == 5.0 or datapoint.sum == "
		 "95.0 "
		 "and datapoint.explicit_bounds == [10.0, 25.0])",
		 "load:1, latency:1"},
		{"scale_metric(2.0) where name == \"requests\"",
		 "datapoint.value_int == 4 or datapoint.value_double == 4.0", "requests:1"},
		{"scale_metric(1.0e30) where name == \"requests\"",
		 "datapoint.value_int == 9223372036854775807", "requests:3"},
		{"aggregate_on_attributes(\"sum\", [\"state\"]) where name == \"requests\"",
		 "datapoint.value_int == 5 and datapoint.attributes == {\"state\": \"busy\"} or "
		 "datapoint.value_int == 1",
		 "requests:2"},
		{"aggregate_on_attributes(\"max\", [\"state\"]) where name == \"requests\"",
		 "datapoint.value_int == 3", "requests:1"},
		{"aggregate_on_attributes(\"min\", []) where name == \"requests\"",
		 "datapoint.value_int == 1 and datapoint.attributes == {}", "requests:1"},
		{"aggregate_on_attributes(\"mean\", []) where name == \"requests\"",
		 "datapoint.value_int == 2", "requests:1"},
		{"aggregate_on_attributes(\"median\", []) where name == \"requests\"",
		 "datapoint.value_int == 2", "requests:1"},
		{"aggregate_on_attributes(\"count\", []) where name == \"requests\"",
		 "datapoint.value_int == 3", "requests:1"},
		{"aggregate_on_attributes(\"sum\") where name == \"requests\"",
		 "metric.name == \"requests\"", "requests:3"},
	};

	for (size_t i = 0; i < countof(table); i++)
		metrics_after(*state, table[i].statement, table[i].condition, table[i].expected);
}

/* A statement that copies its own copies ends. */
static void added_metrics_are_limited(void **state)
{
	struct ottl_fixture *f = *state;

	ottl_pass(f, &transform_processor,
		  "metric_statements: [{context: metric, error_mode: propagate, statements: "
		  "['copy_metric()']}]",
		  test_metrics());
	assert_int_equal(f->result.rc, -EINVAL);
	assert_non_null(strstr(f->result.reason, "metrics were added"));
}

static void error_modes(void **state)
{
	struct ottl_fixture *f = *state;

	ottl_pass(f, &transform_processor,
		  "trace_statements: ['set(span.name, 1)', 'set(span.name, \"y\")']", test_spans());
	assert_string_equal(ottl_forwarded(f), "y:2, y:2");
	assert_non_null(strstr(ottl_logged(f), "span.name expects string but got int64"));
	ottl_pass(f, &transform_processor,
		  "trace_statements: [{error_mode: silent, statements: ['set(span.name, 1)']}]",
		  test_spans());
	assert_string_equal(ottl_logged(f), "");
	ottl_pass(f, &transform_processor,
		  "{error_mode: propagate, trace_statements: ['set(span.name, 1)']}", test_spans());
	assert_int_equal(f->result.rc, -EINVAL);
	assert_string_equal(f->result.reason, "failed to execute statement: set(span.name, 1), "
					      "span.name expects string but got int64");
	assert_int_equal(f->sink.count, 0);
}

static void an_unchanged_batch_keeps_its_bytes(void **state)
{
	struct ottl_fixture *f = *state;
	struct payload *p = test_spans();
	struct payload *same = payload_keep(p, NULL);

	ottl_pass(f, &transform_processor,
		  "trace_statements: ['set(span.attributes[\"code\"], 500)']", p);
	assert_int_equal(f->sink.count, 1);
	assert_ptr_equal(f->sink.payloads[0], same);
	payload_release(same);
}

static void mistakes_in_settings(void **state)
{
	static const struct {
		const char *yaml, *error;
	} table[] = {
		{"trace_statements: ['set(span.name, 1']", "statement has invalid syntax: 1:17"},
		{"trace_statements: ['set(name, 1)']", "missing context name for path \"name\""},
		{"trace_statements: [{context: span}]", "has no statements"},
		{"trace_statements: [{context: log, statements: ['set(body, 1)']}]",
		 "context \"log\" does not exist for traces"},
		{"trace_statements: [{context: span, statements: ['set(name, \"a\")'], conditions: "
		 "['nam == 1']}]",
		 "did you mean \"name\"?"},
		{"metric_statements: [{context: datapoint, statements: "
		 "['convert_sum_to_gauge()']}]",
		 "function \"convert_sum_to_gauge\" does not exist in context datapoint"},
		{"metric_statements: ['set(metric.unit, \"a\") where "
		 "HasAttrKeyOnDatapoint(\"a\")']",
		 "undefined function \"HasAttrKeyOnDatapoint\""},
		{"trace_statement: []", "did you mean"},
	};
	struct ottl_fixture *f = *state;

	for (size_t i = 0; i < countof(table); i++)
		test_component_refused(&transform_processor, &f->env, table[i].yaml,
				       table[i].error);
}

TEST_MAIN(test_with(ottl_fixture, statements_change_items),
	  test_with(ottl_fixture, functions_of_metrics),
	  test_with(ottl_fixture, added_metrics_are_limited), test_with(ottl_fixture, error_modes),
	  test_with(ottl_fixture, an_unchanged_batch_keeps_its_bytes),
	  test_with(ottl_fixture, mistakes_in_settings))

/* SPDX-License-Identifier: Apache-2.0 */
/* The spanmetrics connector: what it makes of spans, by the text of the debug exporter. */
#include "pipeline/connectors/spanmetrics/spanmetrics_connector.h"

#include <errno.h>

#include "base/clock.h"
#include "pipeline/connectors/spanmetrics/span_series.h"
#include "pipeline/exporters/debug/debug_text.h"
#include "signal/otlp/attributes.h"
#include "test/component.h"

#define T0 (UINT64_C(1794735420) * NS_PER_SECOND)

struct fixture {
	struct host host;
	struct component_env env;
	struct consumer next;
	struct test_component x;
	struct buf text; /* what was emitted */
	int rc;		 /* of the last delivery */
	unsigned emitted;
};

static bool take_metrics(void *state, struct delivery *d)
{
	struct fixture *f = state;
	struct buf scratch = {0};

	assert_int_equal(d->signal, SIGNAL_METRICS);
	debug_write_detailed(&f->text, d->signal, payload_str(d->payload, &scratch));
	buf_fini(&scratch);
	f->emitted++;
	delivery_done(d, &(struct delivery_result){0});
	return true;
}

static int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct err e = {0};

	*state = f;
	if (!f || host_init(&f->host, 1, 16 * MIB, NULL, &e))
		return -1;
	f->env = (struct component_env){.id = "spanmetrics", .host = &f->host};
	f->next = (struct consumer){.state = f, .consume = take_metrics};
	f->env.next[signal_index(SIGNAL_METRICS)] = &f->next;
	return 0;
}

static int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	if (f->x.type)
		test_component_free(&f->x);
	host_fini(&f->host);
	buf_fini(&f->text);
	free(f);
	return 0;
}

static void make(struct fixture *f, const char *yaml)
{
	assert_ok_err(test_component_new(&f->x, &spanmetrics_connector, &f->env, yaml), &f->x.e);
	assert_ok_err(f->x.type->start(f->x.instance, &f->x.e), &f->x.e);
}

/* Stop the connector, which writes the last interval. */
static const char *written(struct fixture *f)
{
	f->x.type->stop(f->x.instance);
	buf_put_char(&f->text, 0);
	assert_non_null(f->text.p);
	return f->text.p;
}

struct sent_span {
	const char *name, *state, *attribute; /* attribute: the value of http.method */
	unsigned kind, status, ms, id;
};

static void put_pair(struct proto_writer *w, uint32_t field, const char *key, const char *value)
{
	struct value v;

	if (!value)
		return;
	v = VALUE_OF_STR(str_from(value));
	otlp_attribute_write(w, field, str_from(key), &v);
}

static void put_span(struct proto_writer *w, const struct sent_span *s)
{
	uint8_t id[16] = {(uint8_t)s->id};
	size_t end = proto_mark(w), status = end;

	proto_put_uint(w, 3, s->status);
	proto_put_header(w, 15, status);
	put_pair(w, 9, "http.method", s->attribute);
	proto_put_fixed64(w, 8, T0 + s->ms * NS_PER_MS);
	proto_put_fixed64(w, 7, T0);
	proto_put_uint(w, 6, s->kind);
	proto_put_bytes(w, 5, str_from(s->name));
	if (s->state)
		proto_put_bytes(w, 3, str_from(s->state));
	proto_put_bytes(w, 2, str_of((char *)id, s->id ? 8 : 0));
	proto_put_bytes(w, 1, str_of((char *)id, s->id ? 16 : 0));
	proto_put_header(w, 2, end);
}

static void done(struct delivery *d, const struct delivery_result *result)
{
	*(int *)d->owner = result->rc;
}

static void consume(struct fixture *f, struct str message, uint32_t items)
{
	struct payload p;
	struct payload_slice slice;
	struct delivery d = {.signal = SIGNAL_TRACES,
			     .payload = &p,
			     .received = T0 + NS_PER_SECOND,
			     .done = done,
			     .owner = &f->rc};

	f->rc = 1;
	payload_borrow(&p, &slice, SIGNAL_TRACES, items, message);
	assert_true(f->x.type->consume(f->x.instance, &d));
}

/* Send spans of a service; `region` is another attribute of the resource, or NULL. */
static void send_spans(struct fixture *f, const char *service, const char *region,
		       const struct sent_span *spans, uint32_t count)
{
	struct proto_writer w;
	size_t resource;

	proto_writer_init(&w, NULL);
	for (uint32_t i = count; i-- > 0;)
		put_span(&w, &spans[i]);
	proto_put_header(&w, 2, 0);
	resource = proto_mark(&w);
	put_pair(&w, 1, "region", region);
	put_pair(&w, 1, "service.name", service);
	proto_put_header(&w, 1, resource);
	proto_put_header(&w, 1, 0);
	consume(f, proto_writer_str(&w), count);
	assert_int_equal(f->rc, 0);
	proto_writer_fini(&w);
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no \"%s\" in:\n%s", part, text);
}

static void assert_has_not(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("\"%s\" in:\n%s", part, text);
}

static unsigned count_of(const char *text, const char *part)
{
	unsigned n = 0;

	for (const char *p = text; (p = strstr(p, part)); p++)
		n++;
	return n;
}

static void calls_and_durations_are_counted(void **state)
{
	static const struct sent_span spans[] = {
		{.name = "GET /cart", .kind = 2, .ms = 3},
		{.name = "GET /cart", .kind = 2, .ms = 300},
		{.name = "GET /cart", .kind = 2, .ms = 20000, .status = 2},
	};
	struct fixture *f = *state;
	const char *text;

	make(f, "{}");
	send_spans(f, "shop", "north", spans, 3);
	send_spans(f, "shop", "north", spans, 2);
	text = written(f);
	assert_int_equal(count_of(text, "ResourceMetrics #"), 1);
	assert_has(text, "-> region: Str(north)");
	assert_has(text, "InstrumentationScope spanmetricsconnector ");
	assert_has(text, "-> Name: traces.span.metrics.calls");
	assert_has(text, "-> IsMonotonic: true");
	assert_has(text, "-> AggregationTemporality: Cumulative");
	assert_has(text, "-> service.name: Str(shop)\n     -> span.name: Str(GET /cart)\n     -> "
			 "span.kind: Str(SPAN_KIND_SERVER)\n     -> status.code: "
			 "Str(STATUS_CODE_UNSET)");
	assert_has(text, "Value: 4\n");
	assert_has(text, "Value: 1\n");
	assert_has(text, "StartTimestamp: 2026-11-15 09:37:01 ");
	assert_has(text, "-> Name: traces.span.metrics.duration");
	assert_has(text, "-> Unit: ms");
	assert_has(text, "Count: 4\nSum: 606.000000\n");
	assert_has(text, "Count: 1\nSum: 20000.000000\n");
	/* 3 ms is in (2, 4], 300 ms in (200, 400], 20 s beyond the last bound. */
	assert_has(text, "ExplicitBounds #15: 15000.000000\n");
	assert_has(text, "Buckets #1, Count: 2\n");
	assert_has(text, "Buckets #8, Count: 2\n");
	assert_has(text, "Buckets #16, Count: 1\n");
}

static void dimensions_are_of_the_span_or_the_resource(void **state)
{
	static const struct sent_span spans[] = {
		{.name = "a", .ms = 1, .attribute = "GET"},
		{.name = "b", .ms = 1},
	};
	struct fixture *f = *state;
	const char *text;

	make(f, "namespace: ''\n"
		"dimensions: [{name: http.method, default: none}, {name: region}, {name: gone}]\n"
		"calls_dimensions: [{name: zone, default: z1}]\n"
		"exclude_dimensions: [span.kind, span.name]\n"
		"histogram: {unit: s, explicit: {buckets: [100ms, 1s]}}\n");
	send_spans(f, "shop", "north", spans, 2);
	text = written(f);
	assert_has(text, "-> Name: calls\n");
	assert_has(text, "-> Unit: s\n");
	assert_has(text, "-> http.method: Str(GET)\n     -> region: Str(north)\n     -> zone: "
			 "Str(z1)\n");
	assert_has(text, "-> http.method: Str(none)\n     -> region: Str(north)\nStart");
	assert_has_not(text, "gone");
	assert_has_not(text, "span.kind");
	assert_has_not(text, "span.name");
	assert_has(text, "Sum: 0.001000\n");
	assert_has(text, "ExplicitBounds #0: 0.100000\nExplicitBounds #1: 1.000000\n");
	assert_int_equal(count_of(text, "Str(z1)"), 2);
}

static void resources_are_told_apart_by_their_attributes(void **state)
{
	static const struct sent_span span = {.name = "a", .ms = 1};
	struct fixture *f = *state;
	const char *text;

	make(f, "{}");
	send_spans(f, "shop", "north", &span, 1);
	send_spans(f, "shop", "south", &span, 1);
	send_spans(f, "cart", "south", &span, 1);
	text = written(f);
	assert_int_equal(count_of(text, "ResourceMetrics #"), 3);
}

static void keys_of_resources_can_be_configured(void **state)
{
	static const struct sent_span span = {.name = "a", .ms = 1};
	struct fixture *f = *state;
	const char *text;

	make(f,
	     "{resource_metrics_key_attributes: [service.name], resource_metrics_cache_size: 2}");
	send_spans(f, "shop", "north", &span, 1);
	send_spans(f, "shop", "south", &span, 1);
	send_spans(f, "cart", "south", &span, 1);
	send_spans(f, "shop", "south", &span, 1);
	send_spans(f, "mail", "south", &span, 1); /* in the place of cart */
	text = written(f);
	assert_int_equal(count_of(text, "ResourceMetrics #"), 2);
	assert_has(text, "Str(mail)");
	assert_has_not(text, "Str(cart)");
	assert_has(text, "Value: 3\n");
	assert_has(text, "-> region: Str(north)");
}

static void series_beyond_the_limit_are_counted_together(void **state)
{
	static const struct sent_span spans[] = {
		{.name = "a", .ms = 1}, {.name = "b", .ms = 1}, {.name = "c", .ms = 1},
		{.name = "d", .ms = 1}, {.name = "a", .ms = 1},
	};
	struct fixture *f = *state;
	const char *text;

	make(f, "{aggregation_cardinality_limit: 2, histogram: {disable: true}}");
	send_spans(f, "shop", NULL, spans, 5);
	text = written(f);
	assert_has(text, "-> otel.metric.overflow: Bool(true)\n");
	assert_int_equal(count_of(text, "NumberDataPoints #"), 3);
	assert_int_equal(count_of(text, "Value: 2\n"), 2);
	assert_has_not(text, "duration");
}

static void sampled_spans_count_for_those_left_out(void **state)
{
	static const struct sent_span spans[] = {
		{.name = "a", .ms = 10, .state = "x=1,ot=rv:abcdef;th:c"},
		{.name = "b", .ms = 10, .state = "ot=th:zz"},
		{.name = "c", .ms = 10, .state = "ot=th:0"},
	};
	struct fixture *f = *state;
	const char *text;

	make(f, "{}");
	send_spans(f, "shop", NULL, spans, 3);
	text = written(f);
	assert_has(text, "Value: 4\n");
	assert_int_equal(count_of(text, "Value: 1\n"), 2);
	assert_has(text, "Count: 4\nSum: 40.000000\n");
}

static void exemplars_are_spans_of_the_interval(void **state)
{
	static const struct sent_span spans[] = {
		{.name = "a", .ms = 10, .id = 1},
		{.name = "a", .ms = 20, .id = 2},
		{.name = "a", .ms = 30, .id = 3},
		{.name = "b", .ms = 30},
	};
	struct fixture *f = *state;
	const char *text;

	make(f, "{exemplars: {enabled: true, max_per_data_point: 2}}");
	send_spans(f, "shop", NULL, spans, 4);
	text = written(f);
	assert_int_equal(count_of(text, "Exemplar #"), 4); /* of both metrics */
	assert_has(text, "Trace ID: 01000000000000000000000000000000\n");
	assert_has(text, "Span ID: 0200000000000000\n");
	assert_has_not(text, "0300000000000000");
}

/* Wait until the connector has written `n` intervals. */
static void wait_for(struct fixture *f, unsigned n)
{
	for (unsigned i = 0; i < 2000 && *(volatile unsigned *)&f->emitted < n; i++)
		nanosleep(&(struct timespec){.tv_nsec = 10 * 1000 * 1000}, NULL);
	assert_true(f->emitted >= n);
}

static void deltas_begin_anew_after_each_interval(void **state)
{
	static const struct sent_span span = {.name = "a", .ms = 1};
	struct fixture *f = *state;
	const char *text;

	make(f, "{aggregation_temporality: AGGREGATION_TEMPORALITY_DELTA, metrics_flush_interval: "
		"50ms}");
	send_spans(f, "shop", NULL, &span, 1);
	wait_for(f, 1);
	send_spans(f, "shop", NULL, &span, 1);
	text = written(f);
	assert_has(text, "AggregationTemporality: Delta");
	assert_int_equal(count_of(text, "Value: 1\n"), 2);
	assert_has_not(text, "Value: 2\n");
}

static void damaged_spans_are_refused(void **state)
{
	struct fixture *f = *state;

	make(f, "{}");
	consume(f, STR("\x0a\x07\x12\x05\x12\x03\x2a\x7f\x61"),
		1); /* a name longer than its span */
	assert_int_equal(f->rc, -EBADMSG);
	assert_string_equal(written(f), "");
}

static void settings_are_checked(void **state)
{
	static const char *const cases[][2] = {
		{"{histogram: {unit: h}}", "\"histogram.unit\" has to be ms or s"},
		{"{histogram: {exponential: {max_size: 10}}}", "exponential"},
		{"{histogram: {explicit: {buckets: [10ms, 5ms]}}}", "\"buckets\" have to ascend"},
		{"{histogram: {explicit: {buckets: [x]}}}", "list of durations"},
		{"{aggregation_temporality: DELTA}", "AGGREGATION_TEMPORALITY_DELTA"},
		{"{dimensions: [{name: a}, {name: a}]}", "duplicate dimension name \"a\""},
		{"{dimensions: [{name: span.kind}]}", "duplicate dimension name \"span.kind\""},
		{"{dimensions: [{default: a}]}", "a dimension has no name"},
		{"{dimensions: [{glob: 'http.*'}]}", "list the names"},
		{"{dimensions: [http.method]}", "{name: ATTRIBUTE}"},
		{"{exclude_dimensions: [http.method]}", "is not one of service.name"},
		{"{metrics_flush_interval: 0}", "10ms or more"},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < countof(cases); i++)
		test_component_refused(&spanmetrics_connector, &f->env, cases[i][0], cases[i][1]);
}

/* Add and expire many series; a model says which ones are left. */
static void expired_series_are_forgotten(void **state)
{
	static uint64_t seen[2000];
	static const double bounds[] = {1};
	struct span_limits limits = {
		.resources = 2, .series_in_all = 10000, .bounds = bounds, .bound_count = 1};
	struct span_fields span = {.weight = 1};
	struct span_registry r;
	struct span_resource *x;
	uint64_t left = 0;

	(void)state;
	span_registry_init(&r, &limits);
	x = span_registry_resource(&r, STR("r"), STR(""), STR(""), 1);
	for (uint32_t i = 0; i < 20000; i++) {
		uint32_t key = (i * 2654435761u) % countof(seen);

		seen[key] = i + 1;
		assert_ok(span_registry_count(&r, &x->calls, str_of((char *)&key, sizeof(key)),
					      &span, 0, i + 1));
		if (i % 500 == 0)
			span_registry_expire(&r, 0, i > 300 ? i - 300 : 0);
	}
	span_registry_expire(&r, 0, 19700);
	for (uint32_t i = 0; i < countof(seen); i++)
		left += seen[i] >= 19700;
	assert_int_equal(x->calls.count, left);
	assert_int_equal(r.series_count, left);
	span_registry_expire(&r, 2, 0);
	assert_int_equal(r.series_count, 0);
	assert_null(r.order.oldest);
	span_registry_clear(&r);
}

TEST_MAIN(test_with(fixture, calls_and_durations_are_counted),
	  test_with(fixture, dimensions_are_of_the_span_or_the_resource),
	  test_with(fixture, resources_are_told_apart_by_their_attributes),
	  test_with(fixture, keys_of_resources_can_be_configured),
	  test_with(fixture, series_beyond_the_limit_are_counted_together),
	  test_with(fixture, sampled_spans_count_for_those_left_out),
	  test_with(fixture, exemplars_are_spans_of_the_interval),
	  test_with(fixture, deltas_begin_anew_after_each_interval),
	  test_with(fixture, damaged_spans_are_refused), test_with(fixture, settings_are_checked),
	  test(expired_series_are_forgotten))

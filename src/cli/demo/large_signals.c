/* SPDX-License-Identifier: Apache-2.0 */
/* Traces, log records and metrics of the large demo as OTLP's JSON. */
#include "cli/demo/large_signals.h"

#include <stdio.h>

#include "base/clock.h"
#include "cli/demo/large_names.h"
#include "wire/json_write.h"

enum {
	TRACES = 400, /* short ones */
	TRACES_A_PART = 100,
	SHORT_SPANS = 6,
	CHAIN = 40, /* depth to which the long trace nests */
	LOGS = 4000,
	LOGS_A_PART = 1000,
	LOGS_OF_SERVICE = 10,
	POINTS = 60,	      /* of a metric, one a minute */
	METRIC_SERVICES = 40, /* of a part */
};

static void put_attribute(struct json_writer *w, const char *key, struct str value)
{
	json_open_object(w);
	json_put_key(w, STR("key"));
	json_put_string(w, str_from(key));
	json_put_key(w, STR("value"));
	json_open_object(w);
	json_put_key(w, STR("stringValue"));
	json_put_string(w, value);
	json_close_object(w);
	json_close_object(w);
}

static void put_resource(struct json_writer *w, unsigned service)
{
	struct buf name = {0};

	large_service(&name, service);
	json_put_key(w, STR("resource"));
	json_open_object(w);
	json_put_key(w, STR("attributes"));
	json_open_array(w);
	put_attribute(w, "service.name", buf_str(&name));
	put_attribute(w, "deployment.environment", STR("prod"));
	json_close_array(w);
	json_close_object(w);
	buf_fini(&name);
}

static void put_hex(struct json_writer *w, const char *key, uint64_t high, uint64_t low)
{
	char text[40];

	if (high)
		snprintf(text, sizeof(text), "%016llx%016llx", (unsigned long long)high,
			 (unsigned long long)low);
	else
		snprintf(text, sizeof(text), "%016llx", (unsigned long long)low);
	json_put_key(w, str_from(key));
	json_put_string(w, str_from(text));
}

static void put_time(struct json_writer *w, const char *key, uint64_t ns)
{
	json_put_key(w, str_from(key));
	json_put_u64_string(w, ns);
}

/* A span without its closing brace. `parent` 0: none. */
static void open_span(struct json_writer *w, uint64_t trace, uint64_t id, uint64_t parent,
		      struct str name)
{
	json_open_object(w);
	put_hex(w, "traceId", trace, trace ^ 0x5555);
	put_hex(w, "spanId", 0, id);
	if (parent)
		put_hex(w, "parentSpanId", 0, parent);
	json_put_key(w, STR("name"));
	json_put_string(w, name);
	json_put_key(w, STR("kind"));
	json_put_u64(w, parent ? 1 : 2);
}

/* Open resourceSpans[].scopeSpans[].spans, of one service. */
static void open_spans(struct json_writer *w, unsigned service)
{
	json_open_object(w);
	put_resource(w, service);
	json_put_key(w, STR("scopeSpans"));
	json_open_array(w);
	json_open_object(w);
	json_put_key(w, STR("spans"));
	json_open_array(w);
}

static void close_lists(struct json_writer *w)
{
	json_close_array(w);
	json_close_object(w);
	json_close_array(w);
	json_close_object(w);
}

/*
 * The long trace: the first CHAIN spans are nested, each in another service; the others are
 * children of these, side by side in time.
 */
static void put_long_span(struct json_writer *w, const struct large_shop *s, unsigned i)
{
	uint64_t trace = large_mix(s->now, 1, 1) | 1, end = s->now - 60 * NS_PER_SECOND;
	uint64_t length = 6 * NS_PER_SECOND, start = end - length;
	unsigned parent = i < CHAIN ? i : 1 + i % CHAIN;
	char name[64];

	snprintf(name, sizeof(name), "POST /api/v2/internal/orders/%s/step-%u",
		 i % 3 ? "validate" : "reserve", i % 97);
	open_span(w, trace, large_mix(trace, i, 2) | 1,
		  i ? large_mix(trace, parent - (i < CHAIN), 2) | 1 : 0, str_from(name));
	if (i < CHAIN) {
		start += i * 20 * NS_PER_MS;
		end -= i * 20 * NS_PER_MS;
	} else {
		start += parent * 20 * NS_PER_MS +
			 large_mix(i, 3, 3) % (length - (2 * parent + 10) * 20 * NS_PER_MS);
		end = start + NS_PER_MS + large_mix(i, 4, 4) % (40 * NS_PER_MS);
	}
	put_time(w, "startTimeUnixNano", start);
	put_time(w, "endTimeUnixNano", end);
	if (i % 501 == 500) {
		json_put_key(w, STR("status"));
		json_open_object(w);
		json_put_key(w, STR("code"));
		json_put_u64(w, 2);
		json_put_key(w, STR("message"));
		json_put_string(w, STR("upstream timed out"));
		json_close_object(w);
	}
	json_close_object(w);
}

static void put_long_trace(struct json_writer *w, const struct large_shop *s)
{
	for (unsigned service = 0; service < CHAIN; service++) {
		open_spans(w, service % s->services);
		for (unsigned i = service; i < s->spans; i += CHAIN)
			put_long_span(w, s, i);
		close_lists(w);
	}
}

static void put_short_trace(struct json_writer *w, const struct large_shop *s, unsigned number)
{
	uint64_t trace = large_mix(s->now, number, 6) | 1;
	uint64_t start = s->now - (uint64_t)(120 + number * 8) * NS_PER_SECOND;

	for (unsigned i = 0; i < SHORT_SPANS; i++) {
		uint64_t length = (5 + large_mix(number, i, 8) % 80) * NS_PER_MS;
		char name[48];

		snprintf(name, sizeof(name), "%s /api/v2/%s", i % 2 ? "GET" : "POST",
			 number % 3 ? "orders" : "carts");
		open_spans(w, (number + i) % s->services);
		open_span(w, trace, large_mix(trace, i, 9) | 1,
			  i ? large_mix(trace, (i - 1) / 2, 9) | 1 : 0, str_from(name));
		put_time(w, "startTimeUnixNano", start + i * NS_PER_MS);
		put_time(w, "endTimeUnixNano", start + i * NS_PER_MS + length);
		json_close_object(w);
		close_lists(w);
	}
}

static struct json_writer open_request(struct buf *out, struct str key)
{
	struct json_writer w = json_writer_to(out, 0);

	json_open_object(&w);
	json_put_key(&w, key);
	json_open_array(&w);
	return w;
}

static bool close_request(struct json_writer *w)
{
	json_close_array(w);
	json_close_object(w);
	return true;
}

bool large_traces(struct buf *out, const struct large_shop *s, unsigned part)
{
	struct json_writer w;

	if (part > TRACES / TRACES_A_PART)
		return false;
	w = open_request(out, STR("resourceSpans"));
	if (!part)
		put_long_trace(&w, s);
	for (unsigned i = 0; part && i < TRACES_A_PART; i++)
		put_short_trace(&w, s, (part - 1) * TRACES_A_PART + i);
	return close_request(&w);
}

static void put_log(struct json_writer *w, const struct large_shop *s, unsigned number)
{
	unsigned severity = number % 50 == 49 ? 17 : number % 10 == 9 ? 13 : 9;
	char text[120];

	snprintf(text, sizeof(text), "%s order %llu in %llu ms",
		 severity == 17	  ? "failed to reserve stock for"
		 : severity == 13 ? "slow answer for"
				  : "handled",
		 (unsigned long long)(large_mix(number, 1, 1) % 1000000),
		 (unsigned long long)(large_mix(number, 2, 2) % 900));
	json_open_object(w);
	put_time(w, "timeUnixNano", s->now - (uint64_t)(LOGS - number) * 800 * NS_PER_MS);
	json_put_key(w, STR("severityNumber"));
	json_put_u64(w, severity);
	json_put_key(w, STR("body"));
	json_open_object(w);
	json_put_key(w, STR("stringValue"));
	json_put_string(w, str_from(text));
	json_close_object(w);
	json_close_object(w);
}

bool large_logs(struct buf *out, const struct large_shop *s, unsigned part)
{
	struct json_writer w;

	if (part >= LOGS / LOGS_A_PART)
		return false;
	w = open_request(out, STR("resourceLogs"));
	for (unsigned i = 0; i < LOGS_A_PART / LOGS_OF_SERVICE; i++) {
		unsigned first = part * LOGS_A_PART + i * LOGS_OF_SERVICE;

		json_open_object(&w);
		put_resource(&w, first / LOGS_OF_SERVICE % s->services);
		json_put_key(&w, STR("scopeLogs"));
		json_open_array(&w);
		json_open_object(&w);
		json_put_key(&w, STR("logRecords"));
		json_open_array(&w);
		for (unsigned k = 0; k < LOGS_OF_SERVICE; k++)
			put_log(&w, s, first + k);
		close_lists(&w);
	}
	return close_request(&w);
}

/* A counter of requests, and the memory in use, each with one point a minute. */
static void put_metric(struct json_writer *w, const struct large_shop *s, unsigned service,
		       bool counter)
{
	double value = 0;

	json_open_object(w);
	json_put_key(w, STR("name"));
	json_put_string(w, counter ? STR("http.server.requests") : STR("process.memory.usage"));
	json_put_key(w, STR("unit"));
	json_put_string(w, counter ? STR("{request}") : STR("By"));
	json_put_key(w, counter ? STR("sum") : STR("gauge"));
	json_open_object(w);
	if (counter) {
		json_put_key(w, STR("aggregationTemporality"));
		json_put_u64(w, 2);
		json_put_key(w, STR("isMonotonic"));
		json_put_bool(w, true);
	}
	json_put_key(w, STR("dataPoints"));
	json_open_array(w);
	for (unsigned i = 0; i < POINTS; i++) {
		double random = (double)(large_mix(service, i, 11) % 1000);

		value = counter ? value + 100 + random : 2e8 + random * 1e5;
		json_open_object(w);
		put_time(w, "startTimeUnixNano", s->now - 3600 * NS_PER_SECOND);
		put_time(w, "timeUnixNano", s->now - (uint64_t)(POINTS - i) * 60 * NS_PER_SECOND);
		json_put_key(w, STR("asDouble"));
		json_put_double(w, value);
		json_close_object(w);
	}
	json_close_array(w);
	json_close_object(w);
	json_close_object(w);
}

bool large_metrics(struct buf *out, const struct large_shop *s, unsigned part)
{
	unsigned first = part * METRIC_SERVICES;
	struct json_writer w;

	if (first >= s->services)
		return false;
	w = open_request(out, STR("resourceMetrics"));
	for (unsigned i = first; i < first + METRIC_SERVICES && i < s->services; i++) {
		json_open_object(&w);
		put_resource(&w, i);
		json_put_key(&w, STR("scopeMetrics"));
		json_open_array(&w);
		json_open_object(&w);
		json_put_key(&w, STR("metrics"));
		json_open_array(&w);
		put_metric(&w, s, i, true);
		put_metric(&w, s, i, false);
		close_lists(&w);
	}
	return close_request(&w);
}

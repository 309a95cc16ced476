/* SPDX-License-Identifier: Apache-2.0 */
/* The processor tail_sampling: policies, late spans, bounds, acknowledgements. */
#include "pipeline/processors/tail_sampling/tail_sampling.h"

#include <errno.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/clock.h"
#include "pipeline/processors/tail_sampling/trace_id_set.h"
#include "signal/otlp/build.h"
#include "test/attribute_text.h"
#include "test/component.h"
#include "test/sink.h"

struct tail_fixture {
	struct host host;
	struct test_sink sink;
	struct test_component x;
	struct component_env env;
	struct arena arena;
	struct err e;
};

static int fixture_setup(void **state)
{
	struct tail_fixture *f = calloc(1, sizeof(*f));

	*state = f;
	if (!f)
		return -1;
	test_sink_init(&f->sink);
	arena_init(&f->arena, NULL);
	f->env = (struct component_env){.id = "tail_sampling", .host = &f->host};
	f->env.next[signal_index(SIGNAL_TRACES)] = &f->sink.consumer;
	return host_init(&f->host, 1, 64 * MIB, NULL, &f->e);
}

static int fixture_teardown(void **state)
{
	struct tail_fixture *f = *state;

	test_component_free(&f->x);
	test_sink_fini(&f->sink);
	arena_fini(&f->arena);
	assert_int_equal(f->host.memory.used, 0);
	host_fini(&f->host);
	free(f);
	return 0;
}

static void begin(struct tail_fixture *f, const char *yaml)
{
	assert_ok_err(test_component_new(&f->x, &tail_sampling_processor, &f->env, yaml), &f->x.e);
	assert_ok(tail_sampling_processor.start(f->x.instance, &f->e));
}

/* Stop the processor: it decides all traces. */
static void end(struct tail_fixture *f)
{
	tail_sampling_processor.stop(f->x.instance);
	test_component_free(&f->x);
	f->x = (struct test_component){0};
}

/* A span of the test; trace 0 ends a list. */
struct test_span {
	unsigned trace;
	const char *resource, *attributes;
	uint64_t start_ms, end_ms;
	unsigned status;
	const char *trace_state;
};

static void put_span(struct proto_writer *w, const struct test_span *s, struct arena *arena)
{
	size_t end = proto_mark(w), status;
	uint8_t id[16] = {[0] = 7, [3] = (uint8_t)(37 * s->trace), [15] = (uint8_t)s->trace};
	struct attributes list;

	status = proto_mark(w);
	proto_put_uint(w, 3, s->status);
	proto_put_header(w, 15, status);
	test_attributes_of(&list, s->attributes ? s->attributes : "", arena);
	for (uint32_t i = list.list.n; i-- > 0;)
		otlp_attribute_write(w, OTLP_SPAN_ATTRIBUTES, list.list.at[i].key,
				     &list.list.at[i].value);
	proto_put_fixed64(w, 8, s->end_ms * NS_PER_MS);
	proto_put_fixed64(w, 7, s->start_ms * NS_PER_MS);
	if (s->trace_state)
		proto_put_entry(w, 3, str_from(s->trace_state));
	proto_put_entry(w, 1, str_of((const char *)id, sizeof(id)));
	proto_put_header(w, 2, end);
}

/* Return a payload of the spans, each in a resource of its own. */
static struct payload *payload_of(struct tail_fixture *f, const struct test_span *spans)
{
	struct proto_writer w;
	struct payload *p;
	uint32_t n = 0;

	while (spans[n].trace)
		n++;
	proto_writer_init(&w, NULL);
	for (uint32_t i = n; i-- > 0;) {
		size_t end = proto_mark(&w), resource;
		struct attributes list;

		put_span(&w, &spans[i], &f->arena);
		proto_put_header(&w, 2, end);
		resource = proto_mark(&w);
		test_attributes_of(&list, spans[i].resource ? spans[i].resource : "", &f->arena);
		for (uint32_t k = list.list.n; k-- > 0;)
			otlp_attribute_write(&w, OTLP_RESOURCE_ATTRIBUTES, list.list.at[k].key,
					     &list.list.at[k].value);
		proto_put_header(&w, 1, resource);
		proto_put_header(&w, 1, end);
	}
	p = payload_take_written(SIGNAL_TRACES, n, &w);
	proto_writer_fini(&w);
	assert_non_null(p);
	return p;
}

struct sent {
	struct delivery delivery;
	_Atomic unsigned done;
	struct delivery_result result;
};

static void sent_done(struct delivery *d, const struct delivery_result *result)
{
	struct sent *s = d->owner;

	s->result = *result;
	atomic_fetch_add(&s->done, 1);
}

static void send_spans(struct tail_fixture *f, struct sent *s, const struct test_span *spans)
{
	struct payload *p = payload_of(f, spans);

	s->delivery.signal = SIGNAL_TRACES;
	s->delivery.payload = p;
	s->delivery.done = sent_done;
	s->delivery.owner = s;
	tail_sampling_processor.consume(f->x.instance, &s->delivery);
	payload_release(p);
}

/* Send one span of a trace. */
static void send_one(struct tail_fixture *f, struct sent *s, unsigned trace)
{
	const struct test_span spans[] = {{.trace = trace, .start_ms = 1, .end_ms = 2}, {0}};

	send_spans(f, s, spans);
}

/* ---- policies ---- */

/* Trace 1: 30 ms, ok. Trace 2: an error of another service. Trace 3: one span, 5 ms. */
static const struct test_span three_traces[] = {
	{1, "service.name=shop", "http.status=200 retry=false", 100, 120, 1},
	{2, "service.name=cart", "http.status=500 retry=true", 100, 101, 2},
	{1, "service.name=shop", "user=anna", 110, 130, 0},
	{3, "service.name=shop", "http.status=404", 100, 105, 0, "a=1,b=2"},
	{2, "service.name=shop", "", 100, 102, 0},
	{0},
};

static const struct policy_case {
	const char *policy;
	const char *kept; /* "12": traces 1 and 2 */
} policy_cases[] = {
	{"type: always_sample", "123"},
	{"type: latency, latency: {threshold_ms: 30}", "1"},
	{"type: latency, latency: {threshold_ms: 31}", ""},
	{"type: latency, latency: {threshold_ms: 2, upper_threshold_ms: 5}", "3"},
	{"type: status_code, status_code: {status_codes: [ERROR]}", "2"},
	{"type: status_code, status_code: {status_codes: [OK, ERROR]}", "12"},
	{"type: status_code, status_code: {status_codes: [UNSET]}", "123"},
	{"type: string_attribute, string_attribute: {key: user, values: [bert, anna]}", "1"},
	{"type: string_attribute, string_attribute: {key: service.name, values: [cart]}", "2"},
	{"type: string_attribute, string_attribute: {key: service.name, values: [cart], "
	 "invert_match: true}",
	 "13"},
	{"type: string_attribute, string_attribute: {key: user, values: ['^an+a$'], "
	 "enabled_regex_matching: true}",
	 "1"},
	{"type: string_attribute, string_attribute: {key: user, values: ['^an+a$']}", ""},
	{"type: numeric_attribute, numeric_attribute: {key: http.status, min_value: 400}", "23"},
	{"type: numeric_attribute, numeric_attribute: {key: http.status, min_value: 400, "
	 "max_value: 499}",
	 "3"},
	{"type: numeric_attribute, numeric_attribute: {key: http.status, min_value: 400, "
	 "invert_match: true}",
	 "1"},
	{"type: boolean_attribute, boolean_attribute: {key: retry, value: true}", "2"},
	{"type: boolean_attribute, boolean_attribute: {key: retry, value: false}", "1"},
	{"type: probabilistic, probabilistic: {sampling_percentage: 100}", "123"},
	{"type: probabilistic, probabilistic: {sampling_percentage: 0}", ""},
	{"type: rate_limiting, rate_limiting: {spans_per_second: 1}", "1"},
	{"type: rate_limiting, rate_limiting: {spans_per_second: 1, burst_capacity: 1}", "3"},
	{"type: span_count, span_count: {min_spans: 2}", "12"},
	{"type: span_count, span_count: {max_spans: 1}", "3"},
	{"type: and, and: {and_sub_policy: [{name: a, type: span_count, span_count: {min_spans: "
	 "2}}, {name: b, type: latency, latency: {threshold_ms: 10}}]}",
	 "1"},
	{"type: not, not: {not_sub_policy: {name: a, type: status_code, status_code: "
	 "{status_codes: [ERROR]}}}",
	 "13"},
	{"type: always_sample}, {name: q, type: drop, drop: {drop_sub_policy: [{name: a, type: "
	 "string_attribute, string_attribute: {key: user, values: [anna]}}]}",
	 "23"},
	{"type: profile_samples", ""},
	{"type: trace_state, trace_state: {key: b, values: [1, 2]}", "3"},
	{"type: trace_state, trace_state: {key: a, values: [2]}", ""},
	{"type: ottl_condition, ottl_condition: {span: ['attributes[\"user\"] == \"anna\"', "
	 "'status.code == STATUS_CODE_ERROR']}",
	 "12"},
	{"type: ottl_condition, ottl_condition: {error_mode: silent, span: 'Substring(name, 9, 9) "
	 "== "
	 "\"x\"', spanevent: ['name == \"exception\"']}",
	 ""},
	/* the shares: 2 spans for b, which is tried first; 1 for a */
	{"type: composite, composite: {max_total_spans_per_second: 2, policy_order: [b], "
	 "composite_sub_policy: [{name: a, type: always_sample}, {name: b, type: status_code, "
	 "status_code: {status_codes: [ERROR]}}], rate_allocation: [{policy: b, percent: 100}]}",
	 "23"},
};

/* Write the numbers of the traces that have arrived, in ascending order; check their spans. */
static void kept_traces(struct tail_fixture *f, char out[8])
{
	static const unsigned spans[] = {0, 2, 2, 1};
	size_t n = 0;

	for (unsigned trace = 1; trace <= 3; trace++) {
		for (unsigned i = 0; i < f->sink.count; i++) {
			struct otlp_tree tree = test_sink_tree(&f->sink, i, &f->arena);
			struct str span = tree.resources[0].scopes[0].items[0].bytes;

			assert_int_equal(span.p[1], 16); /* the id is its first field */
			if (span.p[2 + 15] != (char)trace)
				continue;
			assert_int_equal(tree.items, spans[trace]);
			out[n++] = (char)('0' + trace);
		}
	}
	out[n] = 0;
}

static void policies_decide(void **state)
{
	struct tail_fixture *f = *state;

	for (unsigned i = 0; i < countof(policy_cases); i++) {
		struct sent sent = {0};
		char yaml[600], kept[8];

		snprintf(yaml, sizeof(yaml), "{decision_wait: 1h, policies: [{name: p, %s}]}",
			 policy_cases[i].policy);
		begin(f, yaml);
		send_spans(f, &sent, three_traces);
		assert_int_equal(sent.done, 1);
		assert_int_equal(f->sink.count, 0);
		end(f);
		kept_traces(f, kept);
		if (strcmp(kept, policy_cases[i].kept) != 0)
			fail_msg("%s: kept \"%s\", expected \"%s\"", policy_cases[i].policy, kept,
				 policy_cases[i].kept);
		test_sink_clear(&f->sink);
	}
}

/* The hash of the collector: FNV-1a of the salt and the trace id; computed by another program. */
static void shares_follow_the_hash(void **state)
{
	static const bool kept[] = {true,  true,  false, false, true,  true,  true,  false,
				    false, false, true,	 true,	false, false, false, false};
	struct tail_fixture *f = *state;

	for (unsigned i = 0; i < countof(kept); i++) {
		struct sent sent = {0};

		begin(f, "{decision_wait: 1h, policies: [{name: p, type: probabilistic, "
			 "probabilistic: {sampling_percentage: 40}}]}");
		send_one(f, &sent, i + 1);
		end(f);
		assert_int_equal(f->sink.count, kept[i]);
		test_sink_clear(&f->sink);
	}
}

/* ---- time and room ---- */

static void late_spans_follow_the_decision(void **state)
{
	struct tail_fixture *f = *state;
	const struct test_span fails[] = {{.trace = 1, .end_ms = 1, .status = 2}, {0}};
	struct sent sent[5] = {0};
	struct buf text = {0};

	begin(f, "{decision_wait: 1ms, policies: [{name: p, type: status_code, status_code: "
		 "{status_codes: [ERROR]}}]}");
	send_one(f, &sent[0], 2); /* not kept */
	send_spans(f, &sent[1], fails);
	test_sink_wait(&f->sink, 1);
	send_one(f, &sent[2], 1);
	test_sink_wait(&f->sink, 2);
	send_one(f, &sent[3], 2);
	end(f);
	assert_int_equal(f->sink.count, 2);
	assert_int_equal(f->sink.items, 2);
	telemetry_write(&f->host.telemetry, &text);
	buf_put_char(&text, 0);
	assert_non_null(strstr(text.p, "otelcol_processor_tail_sampling_count_traces_sampled{"
				       "policy=\"p\",sampled=\"true\"} 1\n"));
	assert_non_null(strstr(text.p,
			       "otelcol_processor_tail_sampling_global_count_traces_sampled{"
			       "sampled=\"false\"} 1\n"));
	buf_fini(&text);
}

static void the_cache_remembers_decisions(void **state)
{
	struct tail_fixture *f = *state;
	const struct test_span fails[] = {{.trace = 1, .end_ms = 1, .status = 2}, {0}};
	struct sent sent[14] = {0};

	begin(f, "{decision_wait: 1ms, num_traces: 1, decision_cache: {sampled_cache_size: 10}, "
		 "policies: [{name: p, type: status_code, status_code: {status_codes: [ERROR]}}]}");
	send_spans(f, &sent[0], fails);
	test_sink_wait(&f->sink, 1);
	for (unsigned i = 2; i < 12; i++) { /* traces that push it out of memory */
		while (!sent[i].done || sent[i].result.rc) {
			sent[i] = (struct sent){0};
			send_one(f, &sent[i], i);
		}
	}
	usleep(20000);
	send_one(f, &sent[13], 1);
	assert_ok(sent[13].result.rc);
	end(f);
	assert_int_equal(f->sink.count, 2);
}

static void traces_are_decided_early_for_lack_of_room(void **state)
{
	struct tail_fixture *f = *state;
	struct sent sent[4] = {0};

	begin(f, "{decision_wait: 1h, num_traces: 2, policies: [{name: p, type: always_sample}]}");
	for (unsigned i = 0; i < 3; i++)
		send_one(f, &sent[i], 1 + i);
	test_sink_wait(&f->sink, 1); /* the oldest */
	end(f);
	assert_int_equal(f->sink.count, 3);
	test_sink_clear(&f->sink);
	begin(f, "{decision_wait: 1h, max_held_bytes: 10, policies: [{name: p, type: "
		 "always_sample}]}");
	send_one(f, &sent[3], 1);
	test_sink_wait(&f->sink, 1);
	end(f);
}

static void large_traces_are_dropped(void **state)
{
	struct tail_fixture *f = *state;
	struct sent sent[3] = {0};

	begin(f, "{decision_wait: 1h, maximum_trace_size_bytes: 100, policies: [{name: p, type: "
		 "always_sample}]}");
	for (unsigned i = 0; i < 3; i++)
		send_one(f, &sent[i], 1);
	end(f);
	assert_int_equal(f->sink.count, 0);
}

static void pending_traces_can_be_dropped_at_the_end(void **state)
{
	struct tail_fixture *f = *state;
	struct sent sent = {0};

	begin(f, "{decision_wait: 1h, drop_pending_traces_on_shutdown: true, policies: [{name: p, "
		 "type: always_sample}]}");
	send_one(f, &sent, 1);
	end(f);
	assert_int_equal(f->sink.count, 0);
}

static void deliveries_of_durable_pipelines_wait(void **state)
{
	struct tail_fixture *f = *state;
	const struct delivery_result bad = {.rc = -EIO, .reason = "disk"};
	struct sent sent[3] = {0};

	f->env.durable = true;
	f->sink.hold = true;
	begin(f, "{decision_wait: 1ms, policies: [{name: p, type: span_count, span_count: "
		 "{min_spans: 2}}]}");
	send_spans(f, &sent[0], three_traces);
	test_sink_wait(&f->sink, 2); /* traces 1 and 2 */
	assert_int_equal(sent[0].done, 0);
	delivery_done(f->sink.held[0], &bad);
	assert_int_equal(sent[0].done, 0);
	delivery_done(f->sink.held[1], &(struct delivery_result){0});
	for (unsigned i = 0; i < 10000 && !sent[0].done; i++)
		usleep(1000); /* until trace 3 is dropped */
	assert_int_equal(sent[0].done, 1);
	assert_int_equal(sent[0].result.rc, -EIO);
	send_one(f, &sent[1], 1); /* a late span */
	test_sink_wait(&f->sink, 3);
	assert_int_equal(sent[1].done, 0);
	delivery_done(f->sink.held[2], &(struct delivery_result){0});
	assert_int_equal(sent[1].done, 1);
	assert_ok(sent[1].result.rc);
	end(f);
}

/* ---- profiles ---- */

/* Return profiles with links to these traces. */
static struct payload *profiles_of(const unsigned *traces, unsigned n)
{
	struct proto_writer w;
	struct payload *p;

	proto_writer_init(&w, NULL);
	for (unsigned i = 0; i < n; i++) {
		uint8_t id[16] = {
			[0] = 7, [3] = (uint8_t)(37 * traces[i]), [15] = (uint8_t)traces[i]};
		size_t end = proto_mark(&w);

		proto_put_entry(&w, 1, str_of((const char *)id, sizeof(id)));
		proto_put_header(&w, 4, end);
	}
	proto_put_header(&w, 2, 0);
	p = payload_take_written(SIGNAL_PROFILES, 1, &w);
	proto_writer_fini(&w);
	assert_non_null(p);
	return p;
}

static void traces_with_samples_are_kept(void **state)
{
	static const char yaml[] =
		"{decision_wait: 1h, policies: [{name: p, type: profile_samples}]}";
	static const unsigned traces[] = {3, 1};
	struct tail_fixture *f = *state;
	struct component_env env = f->env;
	struct payload *p = profiles_of(traces, 2);
	struct sent sent = {0}, profiles = {.delivery = {.signal = SIGNAL_PROFILES,
							 .payload = p,
							 .done = sent_done,
							 .owner = &profiles}};
	struct test_component other;
	char kept[8];

	begin(f, yaml);
	send_spans(f, &sent, three_traces);
	memset(env.next, 0, sizeof(env.next));
	env.next[signal_index(SIGNAL_PROFILES)] = &f->sink.consumer;
	assert_ok_err(test_component_new(&other, &tail_sampling_processor, &env, yaml), &other.e);
	assert_ok(tail_sampling_processor.start(other.instance, &f->e));
	tail_sampling_processor.consume(other.instance, &profiles.delivery);
	assert_int_equal(profiles.done, 1);
	assert_int_equal(f->sink.count, 1);
	assert_ptr_equal(f->sink.payloads[0], p); /* as it came */
	test_sink_clear(&f->sink);
	tail_sampling_processor.stop(other.instance);
	test_component_free(&other);
	payload_release(p);
	end(f);
	kept_traces(f, kept);
	assert_string_equal(kept, "13");
}

static void the_set_of_traces_forgets_the_oldest(void **state)
{
	enum { CAPACITY = 50 };
	struct trace_id_set set;

	(void)state;
	assert_ok(trace_id_set_init(&set, CAPACITY));
	for (unsigned i = 0; i < 1000; i++) {
		const struct trace_key key = {.id = {(uint8_t)i, (uint8_t)(i >> 8)}};

		assert_false(trace_id_set_has(&set, &key));
		trace_id_set_add(&set, &key);
		trace_id_set_add(&set, &key);
		for (unsigned k = 0; k <= i; k++) {
			const struct trace_key old = {.id = {(uint8_t)k, (uint8_t)(k >> 8)}};
			const struct trace_key other = {.id = {(uint8_t)k, (uint8_t)(k >> 8)},
							.tenant = 1};

			assert_int_equal(trace_id_set_has(&set, &old), k + CAPACITY > i);
			assert_false(trace_id_set_has(&set, &other));
		}
	}
	trace_id_set_fini(&set);
}

static void bad_settings_are_refused(void **state)
{
	static const char *const cases[][2] = {
		{"{}", "missing required field \"policies\""},
		{"{policies: [{name: a, type: magic}]}",
		 "policy \"a\": unknown type \"magic\": use always_sample"},
		{"{policies: [{type: always_sample}]}", "a policy needs a name"},
		{"{policies: [{name: a, type: always_sample}, {name: a, type: latency}]}",
		 "duplicate policy name \"a\""},
		{"{policies: [{name: a, type: status_code}]}",
		 "expected at least one status code to filter on"},
		{"{policies: [{name: a, type: status_code, status_code: {status_codes: [BAD]}}]}",
		 "unknown status code \"BAD\""},
		{"{policies: [{name: a, type: string_attribute}]}",
		 "missing required field \"key\""},
		{"{policies: [{name: a, type: and}]}", "needs at least one policy below it"},
		{"{policies: [{name: a, type: composite}]}", "max_total_spans_per_second"},
		{"{policies: [{name: a, type: composite, composite: {max_total_spans_per_second: "
		 "1, "
		 "policy_order: [b, b], composite_sub_policy: [{name: b, type: always_sample}]}}]}",
		 "\"b\" is there twice"},
		{"{policies: [{name: a, type: composite, composite: {max_total_spans_per_second: "
		 "1, "
		 "rate_allocation: [{policy: c}], composite_sub_policy: [{name: b, type: "
		 "always_sample}]}}]}",
		 "no policy \"c\""},
		{"{policies: [{name: a, type: trace_state}]}", "missing required field \"key\""},
		{"{policies: [{name: a, type: ottl_condition}]}",
		 "expected at least one condition"},
		{"{policies: [{name: a, type: ottl_condition, ottl_condition: {span: ['nam == "
		 "1']}}]}",
		 "nam"},
		{"{policies: [{name: a, type: string_attribute, string_attribute: {key: b, values: "
		 "['('], enabled_regex_matching: true}}]}",
		 "invalid regular expression"},
	};
	struct tail_fixture *f = *state;

	for (unsigned i = 0; i < countof(cases); i++)
		test_component_refused(&tail_sampling_processor, &f->env, cases[i][0], cases[i][1]);
}

TEST_MAIN(test_with(fixture, policies_decide), test_with(fixture, shares_follow_the_hash),
	  test_with(fixture, late_spans_follow_the_decision),
	  test_with(fixture, the_cache_remembers_decisions),
	  test_with(fixture, traces_are_decided_early_for_lack_of_room),
	  test_with(fixture, large_traces_are_dropped),
	  test_with(fixture, pending_traces_can_be_dropped_at_the_end),
	  test_with(fixture, deliveries_of_durable_pipelines_wait),
	  test_with(fixture, traces_with_samples_are_kept),
	  test(the_set_of_traces_forgets_the_oldest), test_with(fixture, bad_settings_are_refused))

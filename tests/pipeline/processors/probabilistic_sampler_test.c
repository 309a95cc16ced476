/* SPDX-License-Identifier: Apache-2.0 */
/* The processor probabilistic_sampler: its decisions are those of the collector. */
#include "pipeline/processors/probabilistic_sampler/probabilistic_sampler.h"

#include <errno.h>

#include "pipeline/processors/probabilistic_sampler/consistent_sampling.h"
#include "signal/otlp/build.h"
#include "test/attribute_text.h"
#include "test/component.h"
#include "test/sink.h"

struct sampler_fixture {
	struct host host;
	struct test_sink sink;
	struct component_env env;
	struct arena arena;
	struct buf text;
	struct err e;
};

static int fixture_setup(void **state)
{
	struct sampler_fixture *f = calloc(1, sizeof(*f));

	*state = f;
	if (!f)
		return -1;
	test_sink_init(&f->sink);
	arena_init(&f->arena, NULL);
	f->env = (struct component_env){.id = "probabilistic_sampler", .host = &f->host};
	return host_init(&f->host, 1, 64 * MIB, NULL, &f->e);
}

static int fixture_teardown(void **state)
{
	struct sampler_fixture *f = *state;

	test_sink_fini(&f->sink);
	buf_fini(&f->text);
	arena_fini(&f->arena);
	assert_int_equal(f->host.memory.used, 0);
	host_fini(&f->host);
	free(f);
	return 0;
}

static unsigned finished;

static void note_success(struct delivery *d, const struct delivery_result *r)
{
	(void)d;
	assert_ok(r->rc);
	finished++;
}

static void pass(struct sampler_fixture *f, const char *yaml, struct payload *p)
{
	struct delivery d = {.signal = p->signal, .payload = p, .done = note_success};
	struct test_component x;

	memset(f->env.next, 0, sizeof(f->env.next));
	f->env.next[signal_index(p->signal)] = &f->sink.consumer;
	test_sink_clear(&f->sink);
	finished = 0;
	assert_ok_err(test_component_new(&x, &probabilistic_sampler_processor, &f->env, yaml),
		      &x.e);
	probabilistic_sampler_processor.consume(x.instance, &d);
	assert_int_equal(finished, 1);
	test_component_free(&x);
	payload_release(p);
}

static void read_id(const char *hex, uint8_t id[16])
{
	for (unsigned i = 0; i < 16; i++) {
		uint64_t byte;

		assert_ok(str_to_u64(str_of(hex + 2 * i, 2), 16, &byte));
		id[i] = (uint8_t)byte;
	}
}

/* Return a payload of one span with this id, tracestate and attributes. */
static struct payload *a_span(struct sampler_fixture *f, const char *id, const char *state,
			      const char *attributes)
{
	struct attributes list;
	struct proto_writer w;
	struct payload *p;
	uint8_t bytes[16];

	read_id(id, bytes);
	test_attributes_of(&list, attributes, &f->arena);
	proto_writer_init(&w, NULL);
	for (uint32_t i = list.list.n; i-- > 0;)
		otlp_attribute_write(&w, OTLP_SPAN_ATTRIBUTES, list.list.at[i].key,
				     &list.list.at[i].value);
	proto_put_bytes(&w, 5, STR("name"));
	proto_put_bytes(&w, 3, str_from(state));
	proto_put_entry(&w, 1, str_of((const char *)bytes, sizeof(bytes)));
	proto_put_header(&w, 2, 0);
	proto_put_header(&w, 2, 0);
	proto_put_header(&w, 1, 0);
	p = payload_take_written(SIGNAL_TRACES, 1, &w);
	proto_writer_fini(&w);
	assert_non_null(p);
	return p;
}

/* Return the tracestate of the span that has arrived. */
static struct str arrived_state(struct sampler_fixture *f)
{
	struct otlp_tree tree = test_sink_tree(&f->sink, 0, &f->arena);
	struct proto_reader r = proto_reader_of(tree.resources[0].scopes[0].items[0].bytes);
	struct str state = {0};

	while (proto_next(&r)) {
		if (r.tag == PROTO_TAG(3, PROTO_BYTES))
			state = proto_bytes(&r);
		else
			proto_skip(&r);
	}
	assert_int_equal(r.error, 0);
	return state;
}

/* Computed from the rules by another program. `after` NULL: the span is dropped. */
static const struct reference {
	const char *id, *mode;
	uint32_t seed;
	double percentage;
	const char *before, *after;
} references[] = {
	{"a54dca182530bb1d6d132cded6237b2e", "hash_seed", 4294967295, 99.99, "",
	 "ot=rv:f4ac1ebaaf42d4;th:0008"},
	{"1e3f721fcb1971174494d6493c9d5c34", "hash_seed", 4294967295, 1, "", NULL},
	{"60be31201e69fedaa0eee8b9997f5c7c", "hash_seed", 0, 1, "", NULL},
	{"99fdafe593253cd654af4dfad71427a0", "hash_seed", 22, 100, "", "ot=rv:28982a97a775d9;th:0"},
	{"b3fee9232f8af2211f9ee491c5b10bec", "hash_seed", 22, 50, "", "ot=rv:d5a830b02f0a95;th:8"},
	{"3bfc1e6f93427ecbc8fe2955e5cd8e46", "hash_seed", 22, 1, "", NULL},
	{"8ed4b7c2764d2a5a4d767706f85d8690", "hash_seed", 0, 50, "", NULL},
	{"d6bda3401be9c8cbccc935f6cd1f6122", "hash_seed", 0, 99.99, "",
	 "ot=rv:5318104311eb39;th:0008"},
	{"5338ae1a34004d33ba0d246ac04c81b1", "hash_seed", 4294967295, 75, "", NULL},
	{"f23e3bf9eef5f79f2b4934af87f5520b", "hash_seed", 0, 1, "", NULL},
	{"b94b0d982e85bb55b672a872637acd74", "hash_seed", 0, 1, "", NULL},
	{"fcb60e0e8ff18463b0e4b2ba29703474", "hash_seed", 22, 50, "", NULL},
	{"ac68f700f5b02b3dc666f45bdeaa2cca", "equalizing", 0, 25, "ot=th:4", NULL},
	{"2b5157410e4dee4af2b34f430a073447", "proportional", 0, 90, "", "ot=th:199a"},
	{"0e806c957ba684d6431fb5ead7424d09", "proportional", 0, 25, "", NULL},
	{"024c5848f23d1fa6f7361d7f618d1532", "proportional", 0, 25, "", NULL},
	{"e2a6668de7f47e8467e546d53ec8e2a1", "proportional", 0, 50, "ot=th:8", "ot=th:c"},
	{"256c9b3e4fbb498146ef7030cbf95372", "equalizing", 0, 33.3333, "ot=th:4", "ot=th:aaab"},
	{"ceadd764b6a32fbb09adeae109c4a997", "proportional", 0, 50, "", "ot=th:8"},
	{"352b878b145c8a42d884cf4cfda72d8e", "proportional", 0, 15.3, "ot=th:8", NULL},
	{"2589082d852a7122873ee805add58942", "proportional", 0, 15.3, "", NULL},
	{"5286195c679f9c6994e45b8ab1098012", "proportional", 0, 15.3, "ot=th:4", "ot=th:e2a"},
	{"61f37de436ddfdc99d6e75af6547cfb1", "proportional", 0, 15.3, "", NULL},
	{"2482dc531c2bc3907c9617eb5e5089e4", "equalizing", 0, 15.3, "ot=th:8", NULL},
};

static void decisions_follow_the_rules(void **state)
{
	struct sampler_fixture *f = *state;

	for (unsigned i = 0; i < countof(references); i++) {
		const struct reference *c = &references[i];
		char yaml[200];

		snprintf(yaml, sizeof(yaml),
			 "{sampling_percentage: %.10g, mode: %s, hash_seed: %u}", c->percentage,
			 c->mode, c->seed);
		pass(f, yaml, a_span(f, c->id, c->before, ""));
		assert_int_equal(f->sink.count, c->after != NULL);
		if (c->after)
			assert_str_equal(arrived_state(f), str_from(c->after));
	}
}

static void thresholds_have_texts(void **state)
{
	static const struct {
		double probability;
		int precision;
		const char *text;
	} cases[] = {
		{1, 4, "0"},	    {0.5, 4, "8"},	 {0.25, 4, "c"},
		{0.75, 4, "4"},	    {0.1, 4, "e666"},	 {0.01, 4, "fd70a"},
		{0.99, 4, "028f6"}, {1.0 / 3, 3, "aab"}, {0.1, 14, "e6666666666666"},
	};
	char text[SAMPLING_TEXT_SIZE];

	(void)state;
	for (unsigned i = 0; i < countof(cases); i++) {
		uint64_t threshold = sampling_threshold(cases[i].probability, cases[i].precision),
			 again;

		assert_string_equal(sampling_threshold_text(threshold, text), cases[i].text);
		assert_ok(sampling_parse_threshold(str_from(text), &again));
		assert_int_equal(again, threshold);
	}
	assert_int_equal(sampling_threshold(0, 4), SAMPLING_NEVER);
	assert_int_equal(sampling_threshold(1.5, 4), SAMPLING_NEVER);
}

#define ID_LOW "00000000000000010000000000000001"  /* the least randomness of a trace id */
#define ID_HIGH "0000000000000001ffffffffffffffff" /* the most */
#define ID_NONE "00000000000000000000000000000000"

static const struct span_case {
	const char *yaml, *id, *before, *attributes;
	const char *after; /* NULL: dropped */
} span_cases[] = {
	{"mode: proportional, sampling_percentage: 50", ID_HIGH, "a=1,ot=x:y;th:8,b=2", "",
	 "ot=th:c;x:y,a=1,b=2"},
	{"mode: proportional, sampling_percentage: 50", ID_HIGH, "a=1, b=2", "", "ot=th:8,a=1,b=2"},
	{"mode: equalizing, sampling_percentage: 50", ID_LOW, "ot=rv:ffffffffffffff", "",
	 "ot=rv:ffffffffffffff;th:8"},
	{"mode: equalizing, sampling_percentage: 50", ID_HIGH, "ot=th:c", "", "ot=th:c"},
	/* A threshold that the randomness contradicts. */
	{"mode: equalizing, sampling_percentage: 100", ID_LOW, "ot=th:8", "", NULL},
	{"mode: equalizing, sampling_percentage: 100, fail_closed: false", ID_LOW, "ot=th:8", "",
	 "ot=th:0"},
	/* No trace id. */
	{"mode: equalizing, sampling_percentage: 100", ID_NONE, "", "", NULL},
	{"sampling_percentage: 100", ID_NONE, "", "", NULL},
	{"sampling_percentage: 100, mode: equalizing, fail_closed: false", ID_NONE, "", "",
	 "ot=th:0"},
	/* A tracestate that is damaged is left alone. */
	{"sampling_percentage: 100, mode: equalizing", ID_HIGH, "ot=rv:12", "", NULL},
	{"sampling_percentage: 100, mode: equalizing, fail_closed: false", ID_HIGH, "ot=rv:12", "",
	 "ot=rv:12"},
	/* The mode hash_seed does not use marks. */
	{"sampling_percentage: 100", ID_HIGH, "ot=th:8", "", NULL},
	{"sampling_percentage: 100, fail_closed: false", ID_HIGH, "ot=th:8", "", "ot=th:8"},
	{"sampling_percentage: 0", ID_HIGH, "", "", NULL},
	{"sampling_percentage: 0", ID_HIGH, "", "sampling.priority=1", "ot=th:0"},
	{"sampling_percentage: 0", ID_HIGH, "", "sampling.priority='0.5'", "ot=th:0"},
	{"sampling_percentage: 100", ID_HIGH, "", "sampling.priority=0", NULL},
	{"sampling_percentage: 100, mode: equalizing", ID_HIGH, "", "sampling.priority=-1",
	 "ot=th:0"},
	{"sampling_percentage: 1, mode: equalizing", ID_LOW, "ot=th:0", "sampling.priority=2.5",
	 "ot=th:0"},
};

static void marks_and_priorities_of_spans_count(void **state)
{
	struct sampler_fixture *f = *state;

	for (unsigned i = 0; i < countof(span_cases); i++) {
		const struct span_case *c = &span_cases[i];
		char yaml[200];

		snprintf(yaml, sizeof(yaml), "{%s}", c->yaml);
		pass(f, yaml, a_span(f, c->id, c->before, c->attributes));
		if (f->sink.count != (c->after != NULL))
			fail_msg("case %u: %u spans", i, f->sink.count);
		if (c->after)
			assert_str_equal(arrived_state(f), str_from(c->after));
	}
}

static struct payload *a_log(struct sampler_fixture *f, const char *id, const char *attributes)
{
	struct attributes list;
	struct otlp_log log = {.time = 1, .attributes = &list};
	struct otlp_builder b;
	struct payload *p;

	test_attributes_of(&list, attributes, &f->arena);
	read_id(id, log.trace_id);
	otlp_builder_init(&b, SIGNAL_LOGS, NULL);
	otlp_add_log(&b, &log);
	p = otlp_builder_finish(&b);
	otlp_builder_fini(&b);
	assert_non_null(p);
	return p;
}

static const struct span_case log_cases[] = {
	{"sampling_percentage: 50, hash_seed: 22", "b3fee9232f8af2211f9ee491c5b10bec", "", "a=1",
	 "a=1 sampling.randomness=d5a830b02f0a95 sampling.threshold='8'"},
	{"sampling_percentage: 50, hash_seed: 22", "fcb60e0e8ff18463b0e4b2ba29703474", "", "a=1",
	 NULL},
	{"sampling_percentage: 50, mode: proportional", ID_HIGH, "", "sampling.threshold='8'",
	 "sampling.threshold=c"},
	{"sampling_percentage: 50, mode: proportional", ID_LOW, "", "", NULL},
	{"sampling_percentage: 100, mode: proportional", ID_NONE, "", "", NULL},
	/* Without a trace id the attribute is hashed. */
	{"sampling_percentage: 100, from_attribute: user", ID_NONE, "", "a=1", NULL},
	{"sampling_percentage: 100, from_attribute: user", ID_NONE, "", "user=u1",
	 "user=u1 sampling.randomness=ccf024c5330cc3 sampling.threshold='0'"},
	{"sampling_percentage: 100, attribute_source: record, from_attribute: user", ID_HIGH, "",
	 "user=u1", "user=u1 sampling.randomness=ccf024c5330cc3 sampling.threshold='0'"},
	{"sampling_percentage: 50, mode: equalizing, sampling_priority: share", ID_LOW, "",
	 "share=100", "share=100 sampling.threshold='0'"},
	{"sampling_percentage: 100, mode: equalizing, sampling_priority: share", ID_LOW, "",
	 "share=10", NULL},
	{"sampling_percentage: 100, mode: equalizing, sampling_priority: share", ID_LOW, "",
	 "share=x", "share=x sampling.threshold='0'"},
};

static void marks_and_priorities_of_logs_count(void **state)
{
	struct sampler_fixture *f = *state;

	for (unsigned i = 0; i < countof(log_cases); i++) {
		const struct span_case *c = &log_cases[i];
		struct otlp_tree tree;
		char yaml[200];

		snprintf(yaml, sizeof(yaml), "{%s}", c->yaml);
		pass(f, yaml, a_log(f, c->id, c->attributes));
		if (f->sink.count != (c->after != NULL))
			fail_msg("case %u: %u logs", i, f->sink.count);
		if (!c->after)
			continue;
		tree = test_sink_tree(&f->sink, 0, &f->arena);
		buf_clear(&f->text);
		test_attributes_text(&f->text, tree.resources[0].scopes[0].items[0].bytes,
				     OTLP_LOG_ATTRIBUTES, &f->arena);
		assert_str_equal(buf_str(&f->text), str_from(c->after));
	}
}

static void decisions_are_counted(void **state)
{
	struct sampler_fixture *f = *state;

	pass(f, "{sampling_percentage: 50, mode: proportional}", a_span(f, ID_HIGH, "", ""));
	pass(f, "{sampling_percentage: 50, mode: proportional}", a_span(f, ID_LOW, "", ""));
	telemetry_write(&f->host.telemetry, &f->text);
	buf_put_char(&f->text, 0);
	assert_non_null(strstr(f->text.p,
			       "otelcol_processor_probabilistic_sampler_count_traces_sampled{"
			       "policy=\"trace_id_w3c\",sampled=\"true\"} 1\n"));
	assert_non_null(strstr(f->text.p,
			       "otelcol_processor_probabilistic_sampler_count_traces_sampled{"
			       "policy=\"trace_id_w3c\",sampled=\"false\"} 1\n"));
}

static void bad_settings_are_refused(void **state)
{
	static const char *const cases[][2] = {
		{"{sampling_percentage: -1}", "sampling rate is negative"},
		{"{sampling_percentage: 1e-16}", "sampling rate is too small"},
		{"{sampling_percentage: much}", "\"sampling_percentage\" has to be a number"},
		{"{mode: fair}", "unsupported sampler mode \"fair\""},
		{"{attribute_source: body}", "invalid attribute source: body"},
		{"{sampling_precision: 15}", "\"sampling_precision\" has to be from 1 to 14"},
	};
	struct sampler_fixture *f = *state;

	for (unsigned i = 0; i < countof(cases); i++)
		test_component_refused(&probabilistic_sampler_processor, &f->env, cases[i][0],
				       cases[i][1]);
}

TEST_MAIN(test_with(fixture, decisions_follow_the_rules), test_with(fixture, thresholds_have_texts),
	  test_with(fixture, marks_and_priorities_of_spans_count),
	  test_with(fixture, marks_and_priorities_of_logs_count),
	  test_with(fixture, decisions_are_counted), test_with(fixture, bad_settings_are_refused))

/* SPDX-License-Identifier: Apache-2.0 */
/* The processors resource and attributes: what each action does, and to which items. */
#include <errno.h>

#include "net/http/http.h"
#include "pipeline/processors/attributes/attributes_processor.h"
#include "pipeline/processors/resource/resource_processor.h"
#include "signal/otlp/build.h"
#include "test/attribute_text.h"
#include "test/component.h"
#include "test/sink.h"

struct actions_fixture {
	struct host host;
	struct test_sink sink;
	struct component_env env;
	struct arena arena;
	struct buf text;
	struct err e;
};

static int fixture_setup(void **state)
{
	struct actions_fixture *f = calloc(1, sizeof(*f));

	*state = f;
	if (!f)
		return -1;
	test_sink_init(&f->sink);
	arena_init(&f->arena, NULL);
	f->env = (struct component_env){.id = "actions", .host = &f->host};
	return host_init(&f->host, 1, 64 * MIB, NULL, &f->e);
}

static int fixture_teardown(void **state)
{
	struct actions_fixture *f = *state;

	test_sink_fini(&f->sink);
	buf_fini(&f->text);
	arena_fini(&f->arena);
	assert_int_equal(f->host.memory.used, 0);
	host_fini(&f->host);
	free(f);
	return 0;
}

static const struct http_header headers[] = {{STR_INIT("x-org"), STR_INIT("acme")},
					     {STR_INIT("x-org"), STR_INIT("corp")}};
static struct delivery_result result;

static void note_result(struct delivery *d, const struct delivery_result *r)
{
	(void)d;
	result = *r;
}

/* Pass a payload through a processor of these settings; what comes out is in the sink. */
static void pass(struct actions_fixture *f, const struct component *type, const char *yaml,
		 struct payload *p)
{
	struct delivery d = {.signal = p->signal,
			     .payload = p,
			     .metadata = headers,
			     .metadata_count = countof(headers),
			     .done = note_result};
	struct test_component x;

	memset(f->env.next, 0, sizeof(f->env.next));
	f->env.next[signal_index(p->signal)] = &f->sink.consumer;
	test_sink_clear(&f->sink);
	assert_ok_err(test_component_new(&x, type, &f->env, yaml), &x.e);
	type->consume(x.instance, &d);
	assert_ok(result.rc);
	assert_int_equal(f->sink.count, 1);
	test_component_free(&x);
}

/* Return a payload of one log record; the resource and the record have these attributes. */
static struct payload *a_log(struct actions_fixture *f, const char *resource, const char *record)
{
	struct attributes of_resource, of_record;
	struct otlp_builder b;
	struct payload *p;

	test_attributes_of(&of_resource, resource, &f->arena);
	test_attributes_of(&of_record, record, &f->arena);
	otlp_builder_init(&b, SIGNAL_LOGS, NULL);
	otlp_begin_resource(&b, &of_resource, STR("https://schema/1"));
	otlp_begin_scope(&b, STR("library"), STR("1.2"));
	otlp_add_log(&b, &(struct otlp_log){.time = 7,
					    .severity = 9,
					    .severity_text = STR("INFO"),
					    .body = VALUE_OF_STR(STR("GET /users/42")),
					    .attributes = &of_record});
	p = otlp_builder_finish(&b);
	otlp_builder_fini(&b);
	assert_non_null(p);
	return p;
}

static const struct action_case {
	const char *actions, *before, *after;
} action_cases[] = {
	{"[{key: a, action: insert, value: new}]", "b=1", "b=1 a=new"},
	{"[{key: b, action: insert, value: new}]", "b=1", "b=1"},
	{"[{key: b, action: update, value: 2.5}]", "b=1", "b=2.5"},
	{"[{key: a, action: update, value: 2}]", "b=1", "b=1"},
	{"[{key: a, action: UPSERT, value: true}, {key: b, action: upsert, value: '7'}]", "b=1",
	 "b='7' a=true"},
	{"[{key: a, action: upsert, value: -12}]", "", "a=-12"},
	{"[{key: a, action: upsert, from_attribute: b}]", "b=1", "b=1 a=1"},
	{"[{key: a, action: upsert, from_attribute: c}]", "b=1", "b=1"},
	{"[{key: a, action: upsert, from_attribute: c, default_value: d}]", "b=1", "b=1 a=d"},
	{"[{key: a, action: insert, from_context: metadata.X-Org}]", "b=1", "b=1 a=acme;corp"},
	{"[{key: a, action: insert, from_context: metadata.missing}]", "b=1", "b=1"},
	{"[{key: b, action: delete}]", "a=1 b=2 c=3", "a=1 c=3"},
	{"[{pattern: ^http, action: delete}]", "a.http=1 http.x=2 http=3", "a.http=1"},
	{"[{key: c, pattern: ^a$, action: delete}]", "a=1 b=2 c=3", "b=2"},
	{"[{key: a, action: hash}]", "a=abc b=1",
	 "a=ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad b=1"},
	{"[{pattern: a|b, action: hash}]", "a=true b=1 c=2",
	 "a=4bf5122f344554c53bde2ebb8cd2b7e3d1600ad631c385a5d7cce23c7785459a "
	 "b=7c9fa136d4413fa6173637e883b6998d32e1d675f88cddff9dcbcf331820f4b8 c=2"},
	{"[{key: url, action: extract, pattern: '^(?P<scheme>\\w+)://(?P<host>[^/]+)'}]",
	 "url=http://a.b/c host=x", "url=http://a.b/c host=a.b scheme=http"},
	{"[{key: url, action: extract, pattern: '^(?P<scheme>\\d+)://'}]", "url=http://a.b/c",
	 "url=http://a.b/c"},
	{"[{key: a, action: convert, converted_type: int}]", "a='42'", "a=42"},
	{"[{key: a, action: convert, converted_type: int}]", "a=-4.9", "a=-4"},
	{"[{key: a, action: convert, converted_type: int}]", "a=x4", "a=x4"},
	{"[{key: a, action: convert, converted_type: int}]", "a=true", "a=1"},
	{"[{key: a, action: convert, converted_type: double}]", "a='2.5'", "a=2.5"},
	{"[{key: a, action: convert, converted_type: string}]", "a=2.5", "a='2.5'"},
	{"[{key: a, action: convert, converted_type: string}]", "a=false", "a='false'"},
	{"[{key: a, action: upsert, value: 1}, {key: b, action: upsert, from_attribute: a}, "
	 "{key: a, action: delete}]",
	 "", "b=1"},
};

/* Read the attributes of the resource and of the first item of what has arrived. */
static void arrived(struct actions_fixture *f, const char *resource, const char *record)
{
	struct otlp_tree tree = test_sink_tree(&f->sink, 0, &f->arena);

	assert_str_equal(tree.resources[0].schema_url, STR("https://schema/1"));
	buf_clear(&f->text);
	test_attributes_text(&f->text, tree.resources[0].resource, OTLP_RESOURCE_ATTRIBUTES,
			     &f->arena);
	assert_str_equal(buf_str(&f->text), str_from(resource));
	buf_clear(&f->text);
	test_attributes_text(&f->text, tree.resources[0].scopes[0].items[0].bytes,
			     OTLP_LOG_ATTRIBUTES, &f->arena);
	assert_str_equal(buf_str(&f->text), str_from(record));
}

static void actions_change_the_resource(void **state)
{
	struct actions_fixture *f = *state;

	for (unsigned i = 0; i < countof(action_cases); i++) {
		const struct action_case *c = &action_cases[i];
		struct payload *p = a_log(f, c->before, "z=1");
		char yaml[300];

		snprintf(yaml, sizeof(yaml), "attributes: %s", c->actions);
		pass(f, &resource_processor, yaml, p);
		arrived(f, c->after, "z=1");
		/* A payload without a change passes as it is. */
		assert_int_equal(f->sink.payloads[0] == p, !strcmp(c->before, c->after));
		payload_release(p);
	}
}

static void actions_change_the_items(void **state)
{
	struct actions_fixture *f = *state;

	for (unsigned i = 0; i < countof(action_cases); i++) {
		const struct action_case *c = &action_cases[i];
		struct payload *p = a_log(f, "z=1", c->before);
		char yaml[300];

		snprintf(yaml, sizeof(yaml), "actions: %s", c->actions);
		pass(f, &attributes_processor, yaml, p);
		arrived(f, "z=1", c->after);
		payload_release(p);
	}
}

static const struct match_case {
	const char *conditions;
	bool matches;
} log_cases[] = {
	{"include: {match_type: strict, attributes: [{key: a}]}", true},
	{"include: {match_type: strict, attributes: [{key: a, value: 5}]}", true},
	{"include: {match_type: strict, attributes: [{key: a, value: '5'}]}", false},
	{"include: {match_type: strict, attributes: [{key: a}, {key: none}]}", false},
	{"include: {match_type: regexp, attributes: [{key: a, value: '^[0-9]$'}]}", true},
	{"include: {match_type: strict, resources: [{key: service.name, value: shop}]}", true},
	{"include: {match_type: regexp, resources: [{key: service.name, value: ^op}]}", false},
	{"include: {match_type: regexp, log_bodies: [nothing, 'users/\\d+$']}", true},
	{"include: {match_type: strict, log_bodies: ['GET /users']}", false},
	{"include: {match_type: strict, log_severity_texts: [INFO]}", true},
	{"include: {match_type: strict, log_severity_number: {min: 9}}", true},
	{"include: {match_type: strict, log_severity_number: {min: 10}}", false},
	{"include: {match_type: strict, libraries: [{name: library}]}", true},
	{"include: {match_type: strict, libraries: [{name: library, version: '1.2'}]}", true},
	{"include: {match_type: strict, libraries: [{name: library, version: ''}]}", false},
	{"include: {match_type: regexp, libraries: [{name: lib, version: ^2}]}", false},
	{"exclude: {match_type: strict, attributes: [{key: a}]}", false},
	{"exclude: {match_type: strict, attributes: [{key: none}]}", true},
	{"exclude: {match_type: strict, resources: [{key: none}], log_severity_texts: [INFO]}",
	 true},
	{"{include: {match_type: strict, attributes: [{key: a}]}, "
	 "exclude: {match_type: strict, log_severity_texts: [INFO]}}",
	 false},
	{"{include: {match_type: strict, log_severity_texts: [INFO], libraries: [{name: x}]}}",
	 false},
};

static void conditions_choose_log_records(void **state)
{
	struct actions_fixture *f = *state;

	for (unsigned i = 0; i < countof(log_cases); i++) {
		const struct match_case *c = &log_cases[i];
		struct payload *p = a_log(f, "service.name=shop", "a=5");
		bool braces = c->conditions[0] == '{';
		char yaml[400];

		snprintf(yaml, sizeof(yaml),
			 "{actions: [{key: hit, action: insert, value: 1}], %.*s}",
			 (int)strlen(c->conditions) - 2 * braces, c->conditions + braces);
		pass(f, &attributes_processor, yaml, p);
		arrived(f, "service.name=shop", c->matches ? "a=5 hit=1" : "a=5");
		payload_release(p);
	}
}

/* Return a payload of one span "checkout" of kind server with these attributes. */
static struct payload *a_span(struct actions_fixture *f, const char *attributes)
{
	struct attributes of_span, of_resource;
	struct proto_writer w;
	struct payload *p;

	test_attributes_of(&of_resource, "service.name=shop", &f->arena);
	test_attributes_of(&of_span, attributes, &f->arena);
	proto_writer_init(&w, NULL);
	for (uint32_t i = of_span.list.n; i-- > 0;)
		otlp_attribute_write(&w, OTLP_SPAN_ATTRIBUTES, of_span.list.at[i].key,
				     &of_span.list.at[i].value);
	proto_put_uint(&w, 6, 2);
	proto_put_bytes(&w, 5, STR("checkout"));
	proto_put_header(&w, 2, 0); /* the span, in its scope */
	proto_put_header(&w, 2, 0); /* the scope, in its resource */
	size_t end = proto_mark(&w);
	otlp_attribute_write(&w, OTLP_RESOURCE_ATTRIBUTES, of_resource.list.at[0].key,
			     &of_resource.list.at[0].value);
	proto_put_header(&w, 1, end);
	proto_put_header(&w, 1, 0);
	p = payload_take_written(SIGNAL_TRACES, 1, &w);
	proto_writer_fini(&w);
	assert_non_null(p);
	return p;
}

static const struct match_case span_cases[] = {
	{"include: {match_type: strict, services: [shop]}", true},
	{"include: {match_type: strict, services: [sho]}", false},
	{"include: {match_type: regexp, services: ['sh.p$']}", true},
	{"include: {match_type: strict, services: [shop], span_names: [a, checkout]}", true},
	{"include: {match_type: strict, services: [shop], span_names: [a]}", false},
	{"include: {match_type: strict, span_kinds: [SPAN_KIND_SERVER]}", true},
	{"include: {match_type: regexp, span_kinds: [CLIENT]}", false},
	{"exclude: {match_type: regexp, span_names: [^check]}", false},
};

static void conditions_choose_spans(void **state)
{
	struct actions_fixture *f = *state;

	for (unsigned i = 0; i < countof(span_cases); i++) {
		struct payload *p = a_span(f, "a=5");
		struct otlp_tree tree;
		char yaml[400];

		snprintf(yaml, sizeof(yaml), "{actions: [{key: a, action: delete}], %s}",
			 span_cases[i].conditions);
		pass(f, &attributes_processor, yaml, p);
		tree = test_sink_tree(&f->sink, 0, &f->arena);
		buf_clear(&f->text);
		test_attributes_text(&f->text, tree.resources[0].scopes[0].items[0].bytes,
				     OTLP_SPAN_ATTRIBUTES, &f->arena);
		assert_str_equal(buf_str(&f->text), span_cases[i].matches ? STR("") : STR("a=5"));
		payload_release(p);
	}
}

/* A metric of each kind with one data point, and a second point of the gauge. */
static struct payload *all_metrics(struct actions_fixture *f)
{
	static const enum otlp_metric_kind kinds[] = {OTLP_GAUGE, OTLP_SUM, OTLP_HISTOGRAM,
						      OTLP_EXPONENTIAL, OTLP_SUMMARY};
	struct attributes a;
	struct otlp_builder b;
	struct payload *p;

	test_attributes_of(&a, "host=h", &f->arena);
	otlp_builder_init(&b, SIGNAL_METRICS, NULL);
	for (unsigned i = 0; i < countof(kinds); i++) {
		const struct otlp_point point = {.attributes = &a, .time = 5};

		otlp_begin_metric(&b, &(struct otlp_metric){.name = STR("m"), .kind = kinds[i]});
		if (kinds[i] == OTLP_HISTOGRAM)
			otlp_add_histogram(&b, &(struct otlp_histogram){.point = point});
		else if (kinds[i] == OTLP_EXPONENTIAL)
			otlp_add_exponential(&b, &(struct otlp_exponential){.point = point});
		else if (kinds[i] == OTLP_SUMMARY)
			otlp_add_summary(&b, &(struct otlp_summary){.point = point});
		else
			otlp_add_number(&b, &(struct otlp_number){.point = point, .d = 1.5});
		if (kinds[i] == OTLP_GAUGE)
			otlp_add_number(&b, &(struct otlp_number){.point = point, .d = 2.5});
	}
	p = otlp_builder_finish(&b);
	otlp_builder_fini(&b);
	assert_non_null(p);
	return p;
}

/* Append the attributes of the data points of a metric, each after a blank. */
static void points_text(struct actions_fixture *f, struct str metric)
{
	static const uint32_t fields[] = {[OTLP_GAUGE] = 7,
					  [OTLP_SUM] = 7,
					  [OTLP_HISTOGRAM] = 9,
					  [OTLP_EXPONENTIAL] = 1,
					  [OTLP_SUMMARY] = 7};
	struct str data;
	uint32_t kind = otlp_metric_data(metric, &data);
	struct proto_reader r = proto_reader_of(data);

	while (proto_next(&r)) {
		if (r.tag != PROTO_TAG(1, PROTO_BYTES)) {
			proto_skip(&r);
			continue;
		}
		buf_put_char(&f->text, ' ');
		test_attributes_text(&f->text, proto_bytes(&r), fields[kind], &f->arena);
	}
}

static void actions_change_data_points(void **state)
{
	struct actions_fixture *f = *state;
	struct payload *p = all_metrics(f);
	struct otlp_tree tree;

	pass(f, &attributes_processor,
	     "{actions: [{key: host, action: update, value: n}], "
	     "include: {match_type: strict, metric_names: [m]}}",
	     p);
	tree = test_sink_tree(&f->sink, 0, &f->arena);
	assert_int_equal(tree.items, 6);
	for (uint32_t i = 0; i < tree.resources[0].scopes[0].item_count; i++)
		points_text(f, tree.resources[0].scopes[0].items[i].bytes);
	assert_str_equal(buf_str(&f->text), STR(" host=n host=n host=n host=n host=n host=n"));
	pass(f, &attributes_processor,
	     "{actions: [{key: host, action: update, value: n}], "
	     "include: {match_type: strict, metric_names: [x]}}",
	     p);
	assert_ptr_equal(f->sink.payloads[0], p);
	payload_release(p);
}

/* Write a KeyValue whose key and value refer to the strings of the dictionary. */
static void put_reference(struct proto_writer *w, uint64_t key, uint64_t value)
{
	size_t end = proto_mark(w);

	proto_put_uint(w, 3, key);
	proto_put_uint(w, 8, value);
	proto_put_header(w, 2, end + proto_varint_size(key) + 1);
	proto_put_header(w, 1, end);
}

/* Return profiles with one sample, whose resource refers to the dictionary. */
static struct payload *some_profiles(void)
{
	static const char *const strings[] = {"", "host", "h1", "zone", "z1"};
	struct proto_writer w;
	struct payload *p;
	size_t end;

	proto_writer_init(&w, NULL);
	for (unsigned i = countof(strings); i-- > 0;)
		proto_put_entry(&w, 5, str_from(strings[i]));
	proto_put_header(&w, 2, 0); /* the dictionary */
	end = proto_mark(&w);
	proto_put_entry(&w, 2, (struct str){0}); /* a sample */
	proto_put_header(&w, 2, end);		 /* its profile */
	proto_put_header(&w, 2, end);		 /* its scope */
	size_t resource = proto_mark(&w);
	otlp_attribute_write(&w, 1, STR("plain"), &VALUE_OF_INT(5));
	put_reference(&w, 3, 4);
	put_reference(&w, 1, 2);
	proto_put_header(&w, 1, resource);
	proto_put_header(&w, 1, end);
	p = payload_take_written(SIGNAL_PROFILES, 1, &w);
	proto_writer_fini(&w);
	assert_non_null(p);
	return p;
}

static void references_of_profiles_become_text(void **state)
{
	struct actions_fixture *f = *state;
	struct payload *p = some_profiles();
	struct otlp_tree tree;

	pass(f, &resource_processor,
	     "attributes: [{key: zone, action: delete}, {key: host2, action: insert, "
	     "from_attribute: host}]",
	     p);
	tree = test_sink_tree(&f->sink, 0, &f->arena);
	test_attributes_text(&f->text, tree.resources[0].resource, OTLP_RESOURCE_ATTRIBUTES,
			     &f->arena);
	assert_str_equal(buf_str(&f->text), STR("host=h1 plain=5 host2=h1"));
	assert_int_equal(tree.items, 1);
	assert_true(tree.unknown.n > 0); /* the dictionary */
	pass(f, &resource_processor, "attributes: [{key: x, action: delete}]", p);
	assert_ptr_equal(f->sink.payloads[0], p);
	payload_release(p);
}

static void bad_settings_are_refused(void **state)
{
	static const struct {
		const struct component *type;
		const char *yaml, *text;
	} cases[] = {
		{&resource_processor, "{}", "missing required field \"attributes\""},
		{&attributes_processor, "{}", "missing required field \"actions\""},
		{&resource_processor, "attributes: [{key: a, action: wash}]",
		 "unsupported action \"wash\""},
		{&resource_processor, "attributes: [{action: insert, value: 1}]",
		 "missing required field \"key\""},
		{&resource_processor, "attributes: [{key: a, action: insert}]",
		 "action \"insert\" needs one of"},
		{&resource_processor,
		 "attributes: [{key: a, action: insert, value: 1, from_attribute: b}]",
		 "action \"insert\" needs one of"},
		{&resource_processor, "attributes: [{key: a, action: delete, value: 1}]",
		 "does not use a value"},
		{&resource_processor, "attributes: [{key: a, action: extract}]",
		 "needs the field \"pattern\""},
		{&resource_processor, "attributes: [{key: a, action: extract, pattern: '(b)'}]",
		 "unnamed matcher group"},
		{&resource_processor, "attributes: [{pattern: '(', action: delete}]",
		 "invalid regular expression"},
		{&resource_processor, "attributes: [{key: a, action: convert, converted_type: x}]",
		 "\"converted_type\" has to be int, double or string"},
		{&resource_processor,
		 "attributes: [{key: a, action: insert, from_context: auth.x}]",
		 "\"from_context\" has to be metadata.NAME"},
		{&attributes_processor,
		 "{actions: [{key: a, action: delete}], include: {match_type: strict}}",
		 "include: at least one field has to be specified"},
		{&attributes_processor,
		 "{actions: [{key: a, action: delete}], include: {match_type: x, services: [a]}}",
		 "unrecognized match_type: 'x', valid types are: [regexp strict]"},
		{&attributes_processor,
		 "{actions: [{key: a, action: delete}], "
		 "exclude: {match_type: strict, log_bodies: [a]}}",
		 "exclude: \"log_bodies\" should not be specified for traces"},
		{&attributes_processor,
		 "{actions: [{key: a, action: delete}], "
		 "exclude: {match_type: regexp, span_names: ['(']}}",
		 "invalid regular expression"},
	};
	struct actions_fixture *f = *state;

	f->env.next[signal_index(SIGNAL_TRACES)] = &f->sink.consumer;
	for (unsigned i = 0; i < countof(cases); i++)
		test_component_refused(cases[i].type, &f->env, cases[i].yaml, cases[i].text);
}

TEST_MAIN(test_with(fixture, actions_change_the_resource),
	  test_with(fixture, actions_change_the_items),
	  test_with(fixture, conditions_choose_log_records),
	  test_with(fixture, conditions_choose_spans),
	  test_with(fixture, actions_change_data_points),
	  test_with(fixture, references_of_profiles_become_text),
	  test_with(fixture, bad_settings_are_refused))

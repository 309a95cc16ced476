/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arbitrary bytes as a message that passes through a processor, or the connector count, which the
 * first byte selects with the signal. What comes out has to be a message with as many items as the
 * payload says.
 */
#include <errno.h>

#include "fuzz.h"
#include "pipeline/connectors/count/count_connector.h"
#include "pipeline/processors/attributes/attributes_processor.h"
#include "pipeline/processors/probabilistic_sampler/probabilistic_sampler.h"
#include "pipeline/processors/resource/resource_processor.h"
#include "pipeline/processors/tail_sampling/tail_sampling.h"
#include "signal/otlp/tree.h"

/* A processor with its settings. */
static struct tested {
	const struct component *type;
	const char *yaml;
	enum signal_kind signal;
	void *settings;
} tested[] = {
	{&resource_processor,
	 "attributes: [{key: a, action: upsert, value: 1}, {key: b, action: hash}, "
	 "{pattern: c, action: delete}]",
	 SIGNAL_PROFILES, NULL},
	{&attributes_processor,
	 "{actions: [{key: a, action: convert, converted_type: string}, "
	 "{key: b, action: extract, pattern: '(?P<a>.)'}, {key: c, action: insert, value: x}], "
	 "exclude: {match_type: strict, log_bodies: [x]}}",
	 SIGNAL_LOGS, NULL},
	{&attributes_processor, "{actions: [{pattern: '.', action: hash}]}", SIGNAL_METRICS, NULL},
	{&attributes_processor,
	 "{actions: [{key: a, action: upsert, from_attribute: b}], "
	 "include: {match_type: regexp, span_names: [a], libraries: [{name: b}]}}",
	 SIGNAL_TRACES, NULL},
	{&probabilistic_sampler_processor,
	 "{sampling_percentage: 60, mode: proportional, fail_closed: false}", SIGNAL_TRACES, NULL},
	{&probabilistic_sampler_processor, "{sampling_percentage: 60, from_attribute: a}",
	 SIGNAL_LOGS, NULL},
	{&tail_sampling_processor,
	 "{policies: [{name: a, type: latency, latency: {threshold_ms: 1}}, {name: b, type: "
	 "string_attribute, string_attribute: {key: a, values: [b]}}, {name: c, type: "
	 "status_code, status_code: {status_codes: [ERROR]}}, {name: d, type: trace_state, "
	 "trace_state: {key: a, values: [b]}}, {name: e, type: composite, composite: "
	 "{max_total_spans_per_second: 2, composite_sub_policy: [{name: f, type: ottl_condition, "
	 "ottl_condition: {error_mode: silent, span: ['attributes[\"a\"] == name'], spanevent: "
	 "['name == \"x\"']}}]}}]}",
	 SIGNAL_TRACES, NULL},
	{&tail_sampling_processor, "{policies: [{name: a, type: profile_samples}]}",
	 SIGNAL_PROFILES, NULL},
	{&count_connector,
	 "{spans: {a: {attributes: [{key: a, default_value: 1}]}, b: {conditions: ['kind == 2']}}, "
	 "spanevents: {c: {conditions: ['name != \"x\"'], attributes: [{key: a}]}}}",
	 SIGNAL_TRACES, NULL},
	{&count_connector,
	 "{datapoints: {a: {attributes: [{key: a, default_value: x}]}, "
	 "b: {conditions: ['value_int > 1']}}}",
	 SIGNAL_METRICS, NULL},
	{&count_connector, "{logs: {a: {attributes: [{key: a}, {key: b}]}}}", SIGNAL_LOGS, NULL},
	{&count_connector, "{profiles: {a: {attributes: [{key: a, default_value: x}]}}}",
	 SIGNAL_PROFILES, NULL},
};

static struct host host;

static bool take_output(void *state, struct delivery *d)
{
	struct otlp_tree tree;
	struct arena arena;

	(void)state;
	arena_init(&arena, NULL);
	FUZZ_CHECK(!otlp_tree_read(&tree, d->payload, &arena, NULL));
	FUZZ_CHECK(tree.items == d->payload->items);
	arena_fini(&arena);
	delivery_done(d, &(struct delivery_result){0});
	return true;
}

static void note_done(struct delivery *d, const struct delivery_result *result)
{
	(void)result;
	++*(unsigned *)d->owner;
}

/* Read the settings of all processors, once. */
static void read_all_settings(void)
{
	static struct config configs[countof(tested)];
	static struct arena arena;
	struct err e = {0};

	if (tested[0].settings)
		return;
	FUZZ_CHECK(!host_init(&host, 1, FUZZ_BUDGET, NULL, &e));
	arena_init(&arena, NULL);
	for (size_t i = 0; i < countof(tested); i++) {
		struct tested *t = &tested[i];

		t->settings = arena_zalloc(&arena, 1, t->type->settings_size);
		FUZZ_CHECK(t->settings && !config_init(&configs[i], NULL));
		FUZZ_CHECK(!config_parse(&configs[i], str_from(t->yaml), "fuzz", NULL, NULL, &e));
		FUZZ_CHECK(!settings_read(t->type->settings, configs[i].root, t->type->name,
					  t->settings, &arena, &e));
	}
}

static void pass_message(const struct tested *t, struct payload *p)
{
	struct consumer sink = {.consume = take_output};
	struct component_env env = {.id = t->type->name, .host = &host};
	unsigned done = 0;
	struct delivery d = {.signal = p->signal, .payload = p, .done = note_done, .owner = &done};
	struct err e = {0};
	void *instance;

	env.next[signal_index(t->type->kind == COMPONENT_CONNECTOR ? SIGNAL_METRICS : t->signal)] =
		&sink;
	FUZZ_CHECK(!t->type->create(&instance, &env, t->settings, &e));
	t->type->consume(instance, &d);
	if (t->type->stop)
		t->type->stop(instance);
	FUZZ_CHECK(done == 1);
	t->type->destroy(instance);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct tested *t;
	struct otlp_tree tree;
	struct payload *p;
	struct arena arena;

	if (!size)
		return 0;
	read_all_settings();
	t = &tested[data[0] % countof(tested)];
	p = payload_copy(t->signal, 0, str_of((const char *)data + 1, size - 1), &host.memory);
	FUZZ_CHECK(p);
	arena_init(&arena, NULL);
	if (!otlp_tree_read(&tree, p, &arena, NULL)) {
		p->items = tree.items;
		pass_message(t, p);
	}
	arena_fini(&arena);
	payload_release(p);
	FUZZ_CHECK(host.memory.used == 0);
	return 0;
}

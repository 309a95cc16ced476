/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The exporter loadbalancing with several real backends, and its ring against results that an
 * independent implementation of the algorithm has computed.
 */
#include "pipeline/exporters/loadbalancing/loadbalancing_exporter.h"

#include "pipeline/exporters/loadbalancing/lb_backends.h"
#include "pipeline/exporters/loadbalancing/route_keys.h"
#include "test/exporter.h"
#include "test/otlp_receiver.h"
#include "test/otlp_sink.h"

enum { SINKS = 3 };

#define ONCE "sending_queue: {enabled: false}, retry_on_failure: {enabled: false}"
#define PLAIN "tls: {insecure: true}"
#define BACKENDS                                                                                   \
	"resolver: {static: {hostnames: ['127.0.0.1:%u', '127.0.0.1:%u', '127.0.0.1:%u']}}, "      \
	"protocol: {otlp: {" PLAIN ", " ONCE "}}"

/* ---- the ring ---- */

static const char *const three[] = {"backend-1:4317", "backend-2:4317", "backend-3:4317"};

static void the_ring_is_that_of_the_collector(void **state)
{
	static const struct {
		struct str key;
		uint32_t endpoint;
	} cases[] = {
		{STR_INIT(""), 0},
		{STR_INIT("shop"), 1},
		{STR_INIT("bank"), 1},
		{STR_INIT("ad-service-7"), 1},
		{STR_INIT("\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"), 2},
		{STR_INIT("\0\1\2\3\4\5\6\7\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f"), 0},
		{STR_INIT("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), 2},
		{STR_INIT("key-64"), 0}, /* after the last point */
	};
	struct hash_ring r;

	(void)state;
	assert_ok(hash_ring_init(&r, three, 3));
	assert_int_equal(r.count, 600);
	assert_int_equal(r.points[0].position, 23);
	assert_int_equal(r.points[1].position, 178);
	assert_int_equal(r.points[599].position, 130166);
	for (size_t i = 0; i < countof(cases); i++)
		assert_int_equal(hash_ring_find(&r, cases[i].key), cases[i].endpoint);
	hash_ring_fini(&r);
}

static void points_that_collide_move_on(void **state)
{
	char names[50][32];
	const char *list[50];
	uint32_t sum = 0;
	struct hash_ring r;

	(void)state;
	for (unsigned i = 0; i < 50; i++) {
		snprintf(names[i], sizeof(names[i]), "backend-%u:4317", i);
		list[i] = names[i];
	}
	assert_ok(hash_ring_init(&r, list, 50));
	assert_int_equal(r.count, 10000); /* 9,635 different positions without collisions */
	for (uint32_t i = 0; i < r.count; i++)
		sum = sum * 31 + r.points[i].position * 64 + r.points[i].endpoint;
	assert_int_equal(sum, 451448294u);
	hash_ring_fini(&r);
}

/* The keys of an endpoint that is gone move; all others stay where they are. */
static void few_keys_move_when_an_endpoint_goes(void **state)
{
	struct hash_ring all, two;
	unsigned moved = 0;

	(void)state;
	assert_ok(hash_ring_init(&all, three, 3));
	assert_ok(hash_ring_init(&two, three, 2));
	for (unsigned i = 0; i < 3000; i++) {
		char key[16];
		struct str k = str_of(key, (size_t)snprintf(key, sizeof(key), "key-%u", i));
		uint32_t before = hash_ring_find(&all, k), after = hash_ring_find(&two, k);

		moved += before != after;
		if (before != 2)
			assert_int_equal(before, after);
	}
	assert_in_range(moved, 600, 1400);
	hash_ring_fini(&all);
	hash_ring_fini(&two);
}

/* ---- backends ---- */

struct fleet {
	struct test_exporter *f;
	struct otlp_sink sinks[SINKS];
	struct hash_ring ring;
	char names[SINKS][32];
	uint32_t sink_of[SINKS]; /* by endpoint of the ring */
};

/* Start the sinks, and make the ring that the exporter has. */
static void fleet_start(struct fleet *t, struct test_exporter *f)
{
	const char *list[SINKS];

	t->f = f;
	for (unsigned i = 0; i < SINKS; i++) {
		otlp_sink_start(&t->sinks[i], NULL);
		snprintf(t->names[i], sizeof(t->names[i]), "127.0.0.1:%u", t->sinks[i].port);
		list[i] = t->names[i];
	}
	assert_ok(hash_ring_init(&t->ring, list, SINKS));
}

static void fleet_stop(struct fleet *t)
{
	test_exporter_end(t->f);
	hash_ring_fini(&t->ring);
	for (unsigned i = 0; i < SINKS; i++)
		otlp_sink_stop(&t->sinks[i]);
}

static void fleet_make(struct fleet *t, const char *options)
{
	test_exporter_make(t->f, &loadbalancing_exporter, "{%s" BACKENDS "}", options,
			   t->sinks[0].port, t->sinks[1].port, t->sinks[2].port);
}

/* Check that all items of each sink have keys that belong to it. Return how many items there are. */
static unsigned check_sinks(struct fleet *t, enum signal_kind signal, enum route_by by,
			    unsigned *used)
{
	const struct setting_list attributes = {
		(const struct str[]){STR_INIT("tier"), STR_INIT("span.name")}, 2};
	unsigned items = 0;
	struct buf key = {0};

	*used = 0;
	for (unsigned n = 0; n < SINKS; n++) {
		struct payload_slice slice;
		struct otlp_tree tree;
		struct payload p;
		struct err e = {0};

		payload_borrow(&p, &slice, signal, 1,
			       buf_str(&t->sinks[n].bytes[signal_index(signal)]));
		assert_ok_err(otlp_tree_read(&tree, &p, &t->f->arena, &e), &e);
		*used += tree.items > 0;
		items += tree.items;
		for (uint32_t r = 0; r < tree.resource_count; r++)
			for (uint32_t s = 0; s < tree.resources[r].scope_count; s++)
				for (uint32_t i = 0; i < tree.resources[r].scopes[s].item_count;
				     i++) {
					const struct otlp_scope *scope =
						&tree.resources[r].scopes[s];
					struct route_item at = {signal, &tree.resources[r], scope,
								&scope->items[i]};

					assert_int_equal(
						hash_ring_find(&t->ring, route_key(by, &attributes,
										   &at, &key)),
						n);
				}
	}
	buf_fini(&key);
	return items;
}

static void traces_are_kept_together(void **state)
{
	struct test_exporter *f = *state;
	struct fleet t;
	unsigned used;

	fleet_start(&t, f);
	fleet_make(&t, "");
	for (unsigned i = 0; i < 3; i++) {
		test_result(test_exporter_send(f, test_spans(&f->arena, "shop", 0, 100)), 0, "");
		test_result(test_exporter_send(f, test_sliced_spans(&f->arena, 20)), 0, "");
	}
	assert_int_equal(check_sinks(&t, SIGNAL_TRACES, ROUTE_TRACE_ID, &used), 900);
	assert_int_equal(used, SINKS);
	for (unsigned n = 0; n < SINKS; n++)
		assert_int_equal(t.sinks[n].requests, 6);
	test_exporter_metric(f, "otelcol_loadbalancer_num_backends{resolver=\"static\"} 3");
	fleet_stop(&t);
}

static void a_payload_for_one_backend_is_passed_on_as_it_is(void **state)
{
	struct test_exporter *f = *state;
	unsigned requests = 0;
	struct buf all = {0};
	struct fleet t;
	struct str sent = test_spans_bytes(&f->arena, "shop", 0, 50);

	fleet_start(&t, f);
	fleet_make(&t, "routing_key: service, ");
	test_result(test_exporter_send(f, test_spans(&f->arena, "shop", 0, 50)), 0, "");
	for (unsigned n = 0; n < SINKS; n++) {
		requests += t.sinks[n].requests;
		buf_put_str(&all, buf_str(&t.sinks[n].bytes[signal_index(SIGNAL_TRACES)]));
	}
	assert_int_equal(requests, 1);
	assert_str_equal(buf_str(&all), sent);
	buf_fini(&all);
	fleet_stop(&t);
}

/* Return a payload with spans, or gauges, or logs, of 40 services. */
static struct payload *many_services(struct test_exporter *f, enum signal_kind signal)
{
	struct payload *parts[40], *all;
	struct otlp_builder b;

	for (unsigned i = 0; i < countof(parts); i++) {
		struct attributes a = {0};
		char name[16], metric[16];

		snprintf(name, sizeof(name), "service-%u", i);
		snprintf(metric, sizeof(metric), "metric-%u", i);
		if (signal == SIGNAL_TRACES) {
			parts[i] = test_spans(&f->arena, name, i, 3);
			continue;
		}
		assert_ok(attributes_set(&a, &f->arena, STR("service.name"),
					 &VALUE_OF_STR(str_from(name))));
		otlp_builder_init(&b, signal, NULL);
		otlp_begin_resource(&b, &a, STR(""));
		if (signal == SIGNAL_LOGS) {
			otlp_add_log(&b, &(struct otlp_log){.time = i});
		} else {
			otlp_begin_metric(&b, &(struct otlp_metric){.name = str_from(metric),
								    .kind = OTLP_GAUGE});
			otlp_add_number(&b, &(struct otlp_number){.point = {.time = i}});
		}
		parts[i] = otlp_builder_finish(&b);
		otlp_builder_fini(&b);
	}
	all = payload_concat(parts, countof(parts));
	assert_non_null(all);
	for (unsigned i = 0; i < countof(parts); i++)
		payload_release(parts[i]);
	return all;
}

static void each_signal_is_routed_by_its_keys(void **state)
{
	static const struct {
		const char *options;
		enum signal_kind signal;
		enum route_by by;
		unsigned items;
	} cases[] = {
		{"routing_key: service, ", SIGNAL_TRACES, ROUTE_SERVICE, 120},
		{"routing_key: traceID, ", SIGNAL_TRACES, ROUTE_TRACE_ID, 120},
		{"routing_key: resource, ", SIGNAL_TRACES, ROUTE_RESOURCE, 120},
		{"routing_key: attributes, routing_attributes: [service.name, span.name], ",
		 SIGNAL_TRACES, ROUTE_BY_COUNT, 120},
		{"", SIGNAL_METRICS, ROUTE_SERVICE, 40},
		{"routing_key: metric, ", SIGNAL_METRICS, ROUTE_METRIC, 40},
		{"routing_key: resource, ", SIGNAL_METRICS, ROUTE_RESOURCE, 40},
		{"", SIGNAL_LOGS, ROUTE_SERVICE, 40},
		{"routing_key: traceID, ", SIGNAL_LOGS, ROUTE_TRACE_ID, 40},
	};
	struct test_exporter *f = *state;

	for (size_t i = 0; i < countof(cases); i++) {
		struct fleet t;
		unsigned used;

		fleet_start(&t, f);
		fleet_make(&t, cases[i].options);
		test_result(test_exporter_send(f, many_services(f, cases[i].signal)), 0, "");
		test_exporter_end(f);
		if (cases[i].by != ROUTE_BY_COUNT) {
			assert_int_equal(check_sinks(&t, cases[i].signal, cases[i].by, &used),
					 cases[i].items);
			assert_true(used > 1); /* the ports are not known */
		}
		fleet_stop(&t);
	}
}

/* Return a payload with `points` points of different attributes in each of the four kinds. */
static struct payload *many_streams(struct test_exporter *f, unsigned points)
{
	struct otlp_builder b;
	struct payload *p;

	otlp_builder_init(&b, SIGNAL_METRICS, NULL);
	for (unsigned kind = 0; kind < 4; kind++) {
		static const enum otlp_metric_kind kinds[] = {OTLP_SUM, OTLP_HISTOGRAM,
							      OTLP_EXPONENTIAL, OTLP_SUMMARY};

		otlp_begin_metric(&b, &(struct otlp_metric){.name = STR("m"),
							    .unit = STR("By"),
							    .kind = kinds[kind],
							    .temporality = OTLP_CUMULATIVE,
							    .monotonic = kind == 0});
		for (unsigned i = 0; i < points; i++) {
			struct attributes *a = arena_zalloc(&f->arena, 1, sizeof(*a));
			struct otlp_point point = {.attributes = a, .time = i + 1};

			assert_ok(attributes_set(a, &f->arena, STR("i"), &VALUE_OF_INT(i)));
			if (kind == 0)
				otlp_add_number(&b, &(struct otlp_number){.point = point});
			else if (kind == 1)
				otlp_add_histogram(&b, &(struct otlp_histogram){.point = point});
			else if (kind == 2)
				otlp_add_exponential(&b,
						     &(struct otlp_exponential){.point = point});
			else
				otlp_add_summary(&b, &(struct otlp_summary){.point = point});
		}
	}
	p = otlp_builder_finish(&b);
	assert_non_null(p);
	otlp_builder_fini(&b);
	return p;
}

/* Data points of a metric go to different backends; what else the metric has goes to each. */
static void streams_are_split_within_a_metric(void **state)
{
	struct test_exporter *f = *state;
	unsigned used, points = 0;
	struct fleet t;

	fleet_start(&t, f);
	fleet_make(&t, "routing_key: streamID, ");
	for (unsigned i = 0; i < 2; i++)
		test_result(test_exporter_send(f, many_streams(f, 60)), 0, "");
	assert_int_equal(check_sinks(&t, SIGNAL_METRICS, ROUTE_STREAM, &used), 480);
	assert_int_equal(used, SINKS);
	for (unsigned n = 0; n < SINKS; n++) {
		struct buf *got = &t.sinks[n].bytes[signal_index(SIGNAL_METRICS)];
		struct payload_slice slice;
		struct otlp_tree tree;
		struct payload p;

		payload_borrow(&p, &slice, SIGNAL_METRICS, 1, buf_str(got));
		assert_ok(otlp_tree_read(&tree, &p, &f->arena, NULL));
		points += tree.items;
		assert_int_equal(tree.resources[0].scopes[0].item_count, 4);
		for (unsigned i = 0; i < 4; i++) {
			struct str metric = tree.resources[0].scopes[0].items[i].bytes, data;

			assert_true(str_starts(metric, STR("\x0a\x01m\x1a\x02"
							   "By")));
			assert_true(otlp_metric_data(metric, &data) > 0);
			if (i == 0) /* temporality and monotonic */
				assert_true(str_ends(data, STR("\x10\x02\x18\x01")));
		}
	}
	assert_int_equal(points, 480);
	fleet_stop(&t);
}

static void attributes_are_taken_from_resource_scope_and_span(void **state)
{
	static const struct str names[] = {STR_INIT("tier"), STR_INIT("span.name"),
					   STR_INIT("span.kind"), STR_INIT("none")};
	const struct setting_list list = {names, countof(names)};
	/* tier=gold as attribute of: Resource (1), InstrumentationScope (3), Span (9) */
	const char *pair = "\x0a\x04tier\x12\x06\x0a\x04gold";
	struct otlp_resource resource = {0};
	struct otlp_scope scope = {0};
	struct otlp_item item = {0};
	struct route_item at = {SIGNAL_TRACES, &resource, &scope, &item};
	struct buf key = {0};
	char with[3][64];

	(void)state;
	snprintf(with[0], sizeof(with[0]), "\x0a\x0e%s", pair);
	snprintf(with[1], sizeof(with[1]), "\x1a\x0e%s", pair);
	snprintf(with[2], sizeof(with[2]), "\x4a\x0e%s\x2a\x03pay\x30\x02", pair);
	item.bytes = STR("\x2a\x03pay\x30\x02");
	assert_str_equal(route_key(ROUTE_ATTRIBUTES, &list, &at, &key), STR("\npay\n2\n\n"));
	resource.resource = str_from(with[0]);
	assert_str_equal(route_key(ROUTE_ATTRIBUTES, &list, &at, &key), STR("gold\npay\n2\n\n"));
	resource.resource = (struct str){0};
	scope.scope = str_from(with[1]);
	assert_str_equal(route_key(ROUTE_ATTRIBUTES, &list, &at, &key), STR("gold\npay\n2\n\n"));
	scope.scope = (struct str){0};
	item.bytes = str_from(with[2]);
	assert_str_equal(route_key(ROUTE_ATTRIBUTES, &list, &at, &key), STR("gold\npay\n2\n\n"));
	buf_fini(&key);
}

static void the_order_of_attributes_does_not_matter(void **state)
{
	struct otlp_resource one = {.resource = STR("\x0a\x08\x0a\x01"
						    "a\x12\x03\x0a\x01x\x0a\x08\x0a\x01"
						    "b\x12\x03\x0a\x01y")};
	struct otlp_resource two = {.resource = STR("\x0a\x08\x0a\x01"
						    "b\x12\x03\x0a\x01y\x0a\x08\x0a\x01"
						    "a\x12\x03\x0a\x01x")};
	struct route_item at = {.signal = SIGNAL_LOGS, .resource = &one};
	struct buf key = {0}, other = {0};

	(void)state;
	assert_str_equal(route_key(ROUTE_RESOURCE, NULL, &at, &key), STR("a=x\nb=y\n"));
	at.resource = &two;
	assert_str_equal(route_key(ROUTE_RESOURCE, NULL, &at, &other), buf_str(&key));
	buf_fini(&key);
	buf_fini(&other);
}

static void one_failing_backend_fails_the_delivery(void **state)
{
	struct test_exporter *f = *state;
	struct delivery_result r;
	struct fleet t;

	fleet_start(&t, f);
	fleet_make(&t, "");
	t.sinks[1].error = (struct rpc_error){RPC_INVALID_ARGUMENT, STR("bad"), 0, {0}};
	test_result(test_exporter_send(f, test_spans(&f->arena, "shop", 0, 100)), -EINVAL, "bad");
	t.sinks[2].error = (struct rpc_error){RPC_UNAVAILABLE, STR("busy"), 2000, {0}};
	r = test_exporter_send(f, test_spans(&f->arena, "shop", 0, 100));
	test_result(r, -EAGAIN, "busy");
	assert_int_equal(r.retry_after_ms, 2000);
	t.sinks[1].error.code = t.sinks[2].error.code = RPC_OK;
	for (unsigned n = 0; n < SINKS; n++) {
		t.sinks[n].rejected = 1;
		t.sinks[n].reason = STR("too old");
	}
	r = test_exporter_send(f, test_spans(&f->arena, "shop", 0, 100));
	test_result(r, 0, "too old");
	assert_int_equal(r.rejected, 3);
	test_exporter_end(f);
	fleet_stop(&t);
}

static void wrong_signals_and_damage_are_refused(void **state)
{
	struct test_exporter *f = *state;
	struct fleet t;

	fleet_start(&t, f);
	fleet_make(&t, "routing_key: metric, ");
	test_result(test_exporter_send(f, test_spans(&f->arena, "shop", 0, 1)), -EINVAL,
		    "unsupported routing_key: \"metric\" is not for traces");
	test_result(test_exporter_send(f, payload_copy(SIGNAL_METRICS, 1, STR("\x0a\x7f"), NULL)),
		    -EBADMSG, "exporter test: ");
	fleet_stop(&t);
}

static void queues_of_backends_deliver_to_second_instances(void **state)
{
	struct test_exporter *f = *state;
	struct test_receiver r[2];
	uint64_t items;

	for (unsigned i = 0; i < 2; i++)
		test_receiver_start(&r[i]);
	test_exporter_make(f, &loadbalancing_exporter,
			   "{protocol: {otlp: {" PLAIN "}}, resolver: {static: {hostnames: "
			   "['127.0.0.1:%u', '127.0.0.1:%u']}}}",
			   r[0].port, r[1].port);
	for (unsigned i = 0; i < 20; i++)
		test_result(test_exporter_send(f, test_spans(&f->arena, "shop", i * 50, 50)), 0,
			    "");
	test_exporter_end(f); /* drains the queues */
	items = r[0].items[signal_index(SIGNAL_TRACES)] + r[1].items[signal_index(SIGNAL_TRACES)];
	assert_int_equal(items, 1000);
	for (unsigned i = 0; i < 2; i++) {
		assert_true(r[i].items[signal_index(SIGNAL_TRACES)] > 200);
		test_receiver_stop(&r[i]);
	}
}

/* Longer than a label of DNS may be: it is refused without a query. */
#define LONG_LABEL "a123456789b123456789c123456789d123456789e123456789f123456789g123456789"

static void names_are_resolved(void **state)
{
	struct test_exporter *f = *state;
	struct otlp_sink s;

	otlp_sink_start(&s, NULL);
	test_exporter_make(f, &loadbalancing_exporter,
			   "{protocol: {otlp: {" PLAIN ", " ONCE "}}, resolver: {dns: {hostname: "
			   "127.0.0.1, port: %u, interval: 10ms, timeout: 20s}}}",
			   s.port);
	test_result(test_exporter_send(f, test_spans(&f->arena, "shop", 0, 50)), 0, "");
	assert_int_equal(s.requests, 1);
	test_exporter_metric(f, "otelcol_loadbalancer_num_backends{resolver=\"dns\"} 1");
	test_exporter_end(f);
	otlp_sink_stop(&s);

	test_exporter_make(f, &loadbalancing_exporter,
			   "{protocol: {otlp: {" PLAIN ", " ONCE "}}, resolver: {dns: {hostname: "
			   "%s, interval: 1h, timeout: 20s}}}",
			   LONG_LABEL);
	test_result(test_exporter_send(f, test_spans(&f->arena, "shop", 0, 50)), -EAGAIN,
		    "no backends are known yet");
	test_exporter_log(f, "resolving " LONG_LABEL ": ", true);
	test_exporter_metric(f, "otelcol_loadbalancer_num_resolutions{resolver=\"dns\","
				"success=\"false\"} 1");
}

/* ---- changes of the list ---- */

static struct otlp_settings plain_settings(struct test_exporter *f)
{
	struct otlp_settings s = {0};
	struct config config;

	assert_ok(config_init(&config, NULL));
	assert_ok(config_parse(&config, STR("{" PLAIN "}"), "test", NULL, NULL, NULL));
	assert_ok(settings_read(otlp_exporter_table, config.root, "otlp", &s, &f->arena, NULL));
	config_fini(&config);
	return s;
}

static void a_changed_list_keeps_what_stays(void **state)
{
	static const char *const before[] = {"a:1", "b:1", "c:1"}, *const after[] = {"b:1", "d:1"};
	struct test_exporter *f = *state;
	struct component_env env = test_exporter_env(f);
	struct otlp_settings settings = plain_settings(f);
	struct lb_backend *kept;
	struct lb_backends b;
	struct err e = {0};

	assert_ok(lb_backends_init(&b, &env, &settings, "dns"));
	assert_ok_err(lb_backends_set(&b, before, 3, true, &e), &e);
	assert_int_equal(b.count, 3);
	kept = b.at[1];
	assert_ok_err(lb_backends_set(&b, before, 3, true, &e), &e);
	assert_ok_err(lb_backends_set(&b, after, 2, true, &e), &e);
	assert_int_equal(b.count, 2);
	assert_ptr_equal(b.at[0], kept);
	assert_string_equal(b.at[1]->id, "test/d:1");
	assert_int_equal(b.ring.count, 400);
	test_exporter_metric(f, "otelcol_loadbalancer_num_backend_updates{resolver=\"dns\"} "
				"2");
	assert_int_not_equal(lb_backends_set(&b, (const char *const[]){"b:1", "c:x"}, 2, true, &e),
			     0);
	assert_err_says(&e, "backend c:x: \"endpoint\": invalid port");
	assert_int_equal(b.count, 2);
	lb_backends_stop(&b);
	lb_backends_fini(&b);
}

static void hosts_without_a_port_have_the_default(void **state)
{
	struct test_exporter *f = *state;
	struct sender_stats stats[2];

	test_exporter_make(f, &loadbalancing_exporter,
			   "{resolver: {static: {hostnames: [beta, alpha, beta]}}}");
	assert_int_equal(sender_list_copy(&f->host.exporters, stats, 2), 2);
	assert_string_equal(stats[0].id, "test/alpha");
	assert_string_equal(stats[0].destination, "alpha:4317");
	assert_string_equal(stats[1].destination, "beta:4317");
}

static void bad_settings_are_refused(void **state)
{
	struct component_env env = test_exporter_env(*state);
	static const struct {
		const char *yaml, *says;
	} cases[] = {
		{"{}", "no resolvers specified"},
		{"{resolver: {static: {hostnames: []}}}", "no hostnames specified"},
		{"{resolver: {dns: {port: 1}}}", "no hostname specified"},
		{"{resolver: {dns: {hostname: a}, static: {hostnames: [b]}}}", "only one resolver"},
		{"{resolver: {dns: {hostname: a, interval: 0s}}}", "interval has to be above 0"},
		{"{resolver: {static: {hostnames: ['a:x']}}}", "invalid port"},
		{"{routing_key: x, resolver: {dns: {hostname: a}}}", "unsupported routing_key"},
		{"{routing_key: attributes, resolver: {dns: {hostname: a}}}",
		 "\"routing_attributes\" is required"},
		{"{protocol: {otlp: {compression: br}}, resolver: {dns: {hostname: a}}}",
		 "\"protocol\": \"otlp\": \"compression\""},
	};

	for (size_t i = 0; i < countof(cases); i++)
		test_component_refused(&loadbalancing_exporter, &env, cases[i].yaml, cases[i].says);
}

TEST_MAIN(test(the_ring_is_that_of_the_collector), test(points_that_collide_move_on),
	  test(few_keys_move_when_an_endpoint_goes),
	  test_with(test_exporter, traces_are_kept_together),
	  test_with(test_exporter, a_payload_for_one_backend_is_passed_on_as_it_is),
	  test_with(test_exporter, each_signal_is_routed_by_its_keys),
	  test_with(test_exporter, streams_are_split_within_a_metric),
	  test(attributes_are_taken_from_resource_scope_and_span),
	  test(the_order_of_attributes_does_not_matter),
	  test_with(test_exporter, one_failing_backend_fails_the_delivery),
	  test_with(test_exporter, wrong_signals_and_damage_are_refused),
	  test_with(test_exporter, queues_of_backends_deliver_to_second_instances),
	  test_with(test_exporter, names_are_resolved),
	  test_with(test_exporter, a_changed_list_keeps_what_stays),
	  test_with(test_exporter, hosts_without_a_port_have_the_default),
	  test_with(test_exporter, bad_settings_are_refused))

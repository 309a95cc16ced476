/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TESTS_OTTL_ITEMS_H
#define VARVE_TESTS_OTTL_ITEMS_H

/* Payloads of all signals for tests of OTTL. The caller releases them. */

#include "signal/otlp/build.h"
#include "test/test.h"

static inline void put_text_attribute(struct proto_writer *w, uint32_t field, const char *key,
				      const char *text)
{
	otlp_attribute_write(w, field, str_from(key), &VALUE_OF_STR(str_from(text)));
}

/* Write resource_x { resource, scope_x { scope, items } }; `items` are fields 2 of scope_x. */
static inline struct payload *wrap_items(enum signal_kind signal, uint32_t count, struct str items)
{
	struct proto_writer w;
	struct payload *p;
	size_t scope;

	proto_writer_init(&w, NULL);
	proto_put_bytes(&w, 3, STR("https://schema/scope"));
	proto_put_raw(&w, items.p, items.n);
	scope = proto_mark(&w);
	put_text_attribute(&w, 3, "team", "red");
	proto_put_bytes(&w, 2, STR("1.2"));
	proto_put_bytes(&w, 1, STR("lib"));
	proto_put_header(&w, 1, scope);
	proto_put_header(&w, 2, 0);
	scope = proto_mark(&w);
	put_text_attribute(&w, 1, "host", "h1");
	put_text_attribute(&w, 1, "service.name", "shop");
	proto_put_header(&w, 1, scope);
	proto_put_header(&w, 1, 0);
	p = payload_take_written(signal, count, &w);
	proto_writer_fini(&w);
	assert_non_null(p);
	return p;
}

static inline void put_event(struct proto_writer *w, const char *name, uint64_t time)
{
	size_t end = proto_mark(w);

	put_text_attribute(w, 3, "kind", name);
	proto_put_bytes(w, 2, str_from(name));
	proto_put_fixed64(w, 1, time);
	proto_put_header(w, 11, end);
}

/* Write a map with c = 5 and list = ["x", 2] as attribute "nested" in field `field`. */
static inline void put_nested(struct proto_writer *w, uint32_t field)
{
	size_t end = proto_mark(w), item = end;

	otlp_value_write(w, &VALUE_OF_INT(2));
	proto_put_header(w, 1, item);
	item = proto_mark(w);
	otlp_value_write(w, &VALUE_OF_STR(STR("x")));
	proto_put_header(w, 1, item);
	proto_put_header(w, 5, end);
	proto_put_header(w, 2, end);
	proto_put_bytes(w, 1, STR("list"));
	proto_put_header(w, 1, end);
	otlp_attribute_write(w, 1, STR("c"), &VALUE_OF_INT(5));
	proto_put_header(w, 6, end);
	proto_put_header(w, 2, end);
	proto_put_bytes(w, 1, STR("nested"));
	proto_put_header(w, field, end);
}

/* One span "GET /users/42" with attributes, two events and a status. */
static inline void put_span(struct proto_writer *w, const char *name, uint64_t kind)
{
	size_t end = proto_mark(w), status;

	status = proto_mark(w);
	proto_put_uint(w, 3, 2);
	proto_put_bytes(w, 2, STR("boom"));
	proto_put_header(w, 15, status);
	put_event(w, "second", 2000);
	put_event(w, "first", 1000);
	proto_put_uint(w, 10, 3);
	put_nested(w, 9);
	otlp_attribute_write(w, 9, STR("ok"), &VALUE_OF_BOOL(true));
	otlp_attribute_write(w, 9, STR("ratio"), &((struct value){.kind = VALUE_DOUBLE, .d = 0.5}));
	otlp_attribute_write(w, 9, STR("code"), &VALUE_OF_INT(500));
	put_text_attribute(w, 9, "empty", "");
	put_text_attribute(w, 9, "url", "https://me:pw@shop.de:8443/a/b.html?q=1#top");
	put_text_attribute(w, 9, "method", "GET");
	proto_put_fixed64(w, 8, 1763199421500000000);
	proto_put_fixed64(w, 7, 1763199420000000000);
	proto_put_uint(w, 6, kind);
	proto_put_bytes(w, 5, str_from(name));
	proto_put_bytes(w, 3, STR("a=1,b=2"));
	proto_put_bytes(w, 2, STR("\x01\x02\x03\x04\x05\x06\x07\x08"));
	proto_put_bytes(w, 1,
			STR("\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10"));
	proto_put_header(w, 2, end);
}

static inline struct payload *test_spans(void)
{
	struct proto_writer w;
	struct payload *p;

	proto_writer_init(&w, NULL);
	put_span(&w, "POST /cart", 3);
	put_span(&w, "GET /users/42", 2);
	p = wrap_items(SIGNAL_TRACES, 2, proto_writer_str(&w));
	proto_writer_fini(&w);
	return p;
}

static inline struct payload *test_logs(void)
{
	struct arena arena;
	struct attributes attributes = {0};
	struct otlp_builder b;
	struct payload *p;

	arena_init(&arena, NULL);
	assert_int_equal(attributes_set(&attributes, &arena, STR("service.name"),
					&VALUE_OF_STR(STR("shop"))),
			 0);
	otlp_builder_init(&b, SIGNAL_LOGS, NULL);
	otlp_begin_resource(&b, &attributes, (struct str){0});
	otlp_begin_scope(&b, STR("lib"), STR("1"));
	for (unsigned i = 0; i < 3; i++)
		otlp_add_log(&b, &(struct otlp_log){
					 .time = 1500000000 + i,
					 .severity = 9 + 4 * i,
					 .severity_text = i ? STR("WARN") : STR("INFO"),
					 .body = VALUE_OF_STR(i == 2 ? STR("{\"a\":1,\"b\":[true]}")
								     : STR("hello world")),
					 .attributes = &attributes,
					 .event_name = STR("ev")});
	p = otlp_builder_finish(&b);
	assert_non_null(p);
	otlp_builder_fini(&b);
	arena_fini(&arena);
	return p;
}

static inline void add_point(struct otlp_builder *b, struct arena *arena, const char *state,
			     int64_t value)
{
	struct attributes attributes = {0};

	assert_int_equal(
		attributes_set(&attributes, arena, STR("state"), &VALUE_OF_STR(str_from(state))),
		0);
	assert_int_equal(attributes_set(&attributes, arena, STR("cpu"), &VALUE_OF_INT(value)), 0);
	otlp_add_number(b,
			&(struct otlp_number){
				.point = {.attributes = &attributes, .start = 1000, .time = 2000},
				.is_int = true,
				.i = value});
}

/* requests (sum: points idle 1, busy 2, busy 3), load (gauge), latency (histogram). */
static inline struct payload *test_metrics(void)
{
	static const double bounds[] = {1, 2.5};
	static const uint64_t counts[] = {1, 0, 2};
	struct otlp_builder b;
	struct arena arena;
	struct payload *p;

	arena_init(&arena, NULL);
	otlp_builder_init(&b, SIGNAL_METRICS, NULL);
	otlp_begin_metric(&b, &(struct otlp_metric){.name = STR("requests"),
						    .description = STR("all requests"),
						    .unit = STR("1"),
						    .kind = OTLP_SUM,
						    .temporality = OTLP_CUMULATIVE,
						    .monotonic = true});
	add_point(&b, &arena, "idle", 1);
	add_point(&b, &arena, "busy", 2);
	add_point(&b, &arena, "busy", 3);
	otlp_begin_metric(&b, &(struct otlp_metric){.name = STR("load"), .kind = OTLP_GAUGE});
	otlp_add_number(&b, &(struct otlp_number){.d = 0.5});
	otlp_begin_metric(&b, &(struct otlp_metric){.name = STR("latency"),
						    .unit = STR("s"),
						    .kind = OTLP_HISTOGRAM,
						    .temporality = OTLP_DELTA});
	otlp_add_histogram(&b, &(struct otlp_histogram){.point = {.time = 7},
							.count = 3,
							.has_sum = true,
							.sum = 9.5,
							.bounds = bounds,
							.counts = counts,
							.bound_count = 2,
							.count_count = 3});
	p = otlp_builder_finish(&b);
	assert_non_null(p);
	otlp_builder_fini(&b);
	arena_fini(&arena);
	return p;
}

#endif

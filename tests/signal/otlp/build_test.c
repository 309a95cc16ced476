/* SPDX-License-Identifier: Apache-2.0 */
/* The builder of OTLP messages: what it writes is read back field by field. */
#include "signal/otlp/build.h"

#include "test/test.h"

/* Return the nth field of that number with length, or a string without memory. */
static struct str nth(struct str message, uint32_t field, unsigned n)
{
	struct proto_reader r = proto_reader_of(message);

	while (proto_next(&r)) {
		if (r.tag != PROTO_TAG(field, PROTO_BYTES)) {
			proto_skip(&r);
			continue;
		}

		struct str s = proto_bytes(&r);

		if (!n--)
			return s;
	}
	assert_int_equal(r.error, PROTO_OK);
	return (struct str){0};
}

static uint64_t number_of(struct str message, uint32_t field, enum proto_wire wire)
{
	struct proto_reader r = proto_reader_of(message);

	while (proto_next(&r)) {
		if (r.tag == PROTO_TAG(field, wire))
			return wire == PROTO_VARINT    ? proto_varint(&r)
			       : wire == PROTO_FIXED32 ? proto_fixed32(&r)
						       : proto_fixed64(&r);
		proto_skip(&r);
	}
	return UINT64_MAX;
}

static double double_of(struct str message, uint32_t field)
{
	uint64_t bits = number_of(message, field, PROTO_FIXED64);
	double d;

	memcpy(&d, &bits, sizeof(d));
	return d;
}

static struct arena arena;
static struct attributes attributes;

static int set_up(void **state)
{
	(void)state;
	arena_init(&arena, NULL);
	attributes = (struct attributes){0};
	assert_ok(vec_push(&arena, &attributes.list,
			   (struct otlp_attribute){STR("key"), VALUE_OF_STR(STR("text"))}));
	assert_ok(vec_push(&arena, &attributes.list,
			   (struct otlp_attribute){STR("n"), VALUE_OF_INT(-2)}));
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_fini(&arena);
	return 0;
}

/* Check the two attributes of set_up(). */
static void check_attributes(struct str message, uint32_t field)
{
	struct str first = nth(message, field, 0), second = nth(message, field, 1);

	assert_str_equal(nth(first, 1, 0), STR("key"));
	assert_str_equal(nth(nth(first, 2, 0), 1, 0), STR("text"));
	assert_str_equal(nth(second, 1, 0), STR("n"));
	assert_true((int64_t)number_of(nth(second, 2, 0), 3, PROTO_VARINT) == -2);
	assert_null(nth(message, field, 2).p);
}

static void numbers_are_written(void **state)
{
	struct otlp_exemplar exemplar = {
		.time = 7, .d = 0.5, .trace_id = {1}, .attributes = &attributes};
	struct otlp_builder b;
	struct payload *p;
	struct str resource, scope, metric, sum, point, x;

	(void)state;
	otlp_builder_init(&b, SIGNAL_METRICS, NULL);
	otlp_begin_resource(&b, &attributes, STR("https://schema"));
	otlp_begin_scope(&b, STR("scope"), STR("v1"));
	otlp_begin_metric(&b, &(struct otlp_metric){.name = STR("left_out"), .kind = OTLP_GAUGE});
	otlp_begin_metric(&b, &(struct otlp_metric){.name = STR("requests"),
						    .description = STR("all"),
						    .unit = STR("1"),
						    .kind = OTLP_SUM,
						    .temporality = OTLP_CUMULATIVE,
						    .monotonic = true,
						    .metadata = &attributes});
	otlp_add_number(&b, &(struct otlp_number){.point = {.attributes = &attributes,
							    .start = 5,
							    .time = 6,
							    .exemplars = &exemplar,
							    .exemplar_count = 1}});
	otlp_add_number(&b, &(struct otlp_number){.is_int = true, .i = -3});
	otlp_add_number(&b, &(struct otlp_number){.point = {.flags = OTLP_NO_RECORDED_VALUE}});
	p = otlp_builder_finish(&b);
	otlp_builder_fini(&b);

	assert_int_equal(p->items, 3);
	resource = nth(p->slices[0].bytes, 1, 0);
	check_attributes(nth(resource, 1, 0), OTLP_RESOURCE_ATTRIBUTES);
	assert_str_equal(nth(resource, 3, 0), STR("https://schema"));
	scope = nth(resource, 2, 0);
	assert_str_equal(nth(nth(scope, 1, 0), 1, 0), STR("scope"));
	assert_str_equal(nth(nth(scope, 1, 0), 2, 0), STR("v1"));
	metric = nth(scope, 2, 0);
	assert_null(nth(scope, 2, 1).p);
	assert_str_equal(nth(metric, 1, 0), STR("requests"));
	assert_str_equal(nth(metric, 2, 0), STR("all"));
	assert_str_equal(nth(metric, 3, 0), STR("1"));
	check_attributes(metric, 12);
	sum = nth(metric, OTLP_SUM, 0);
	assert_int_equal(number_of(sum, 2, PROTO_VARINT), OTLP_CUMULATIVE);
	assert_int_equal(number_of(sum, 3, PROTO_VARINT), 1);
	point = nth(sum, 1, 0);
	check_attributes(point, OTLP_NUMBER_POINT_ATTRIBUTES);
	assert_int_equal(number_of(point, 2, PROTO_FIXED64), 5);
	assert_int_equal(number_of(point, 3, PROTO_FIXED64), 6);
	assert_int_equal(number_of(point, 4, PROTO_FIXED64), 0); /* zero is written */
	x = nth(point, 5, 0);
	check_attributes(x, 7);
	assert_int_equal(number_of(x, 2, PROTO_FIXED64), 7);
	assert_true(double_of(x, 3) == 0.5);
	assert_int_equal(nth(x, 5, 0).n, 16);
	assert_null(nth(x, 4, 0).p);
	assert_true((int64_t)number_of(nth(sum, 1, 1), 6, PROTO_FIXED64) == -3);
	assert_int_equal(nth(sum, 1, 2).n, 2); /* only the flags */
	payload_release(p);
}

static void histograms_and_summaries_are_written(void **state)
{
	static const double bounds[] = {1, 2};
	static const uint64_t counts[] = {3, 0, 300};
	static const struct otlp_quantile quantiles[] = {{0, 1}, {0.5, 2}};
	struct otlp_builder b;
	struct payload *p;
	struct str scope, point;

	(void)state;
	otlp_builder_init(&b, SIGNAL_METRICS, NULL);
	otlp_begin_metric(&b, &(struct otlp_metric){.name = STR("h"),
						    .kind = OTLP_HISTOGRAM,
						    .temporality = OTLP_DELTA});
	otlp_add_histogram(&b, &(struct otlp_histogram){.point = {.attributes = &attributes},
							.count = 303,
							.has_sum = true,
							.has_min_max = true,
							.min = 0.5,
							.max = 9,
							.bounds = bounds,
							.bound_count = 2,
							.counts = counts,
							.count_count = 3});
	otlp_begin_metric(&b, &(struct otlp_metric){.name = STR("x"),
						    .kind = OTLP_EXPONENTIAL,
						    .temporality = OTLP_CUMULATIVE});
	otlp_add_exponential(&b, &(struct otlp_exponential){.point = {.attributes = &attributes},
							    .count = 4,
							    .scale = -1,
							    .positive = {-5, counts, 3}});
	otlp_begin_metric(&b, &(struct otlp_metric){.name = STR("s"), .kind = OTLP_SUMMARY});
	otlp_add_summary(&b, &(struct otlp_summary){.point = {.attributes = &attributes},
						    .count = 5,
						    .sum = 6,
						    .quantiles = quantiles,
						    .quantile_count = 2});
	p = otlp_builder_finish(&b);
	assert_int_equal(p->items, 3);
	scope = nth(nth(p->slices[0].bytes, 1, 0), 2, 0);

	assert_int_equal(number_of(nth(nth(scope, 2, 0), 9, 0), 2, PROTO_VARINT), OTLP_DELTA);
	point = nth(nth(nth(scope, 2, 0), 9, 0), 1, 0);
	check_attributes(point, OTLP_HISTOGRAM_POINT_ATTRIBUTES);
	assert_int_equal(number_of(point, 4, PROTO_FIXED64), 303);
	assert_int_equal(number_of(point, 5, PROTO_FIXED64), 0);
	assert_int_equal(nth(point, 6, 0).n, 24);
	assert_int_equal(nth(point, 7, 0).n, 16);
	assert_true(double_of(point, 11) == 0.5 && double_of(point, 12) == 9);

	point = nth(nth(nth(scope, 2, 1), 10, 0), 1, 0);
	check_attributes(point, OTLP_EXPONENTIAL_POINT_ATTRIBUTES);
	assert_int_equal(number_of(point, 6, PROTO_VARINT), 1);		   /* zigzag of -1 */
	assert_int_equal(number_of(nth(point, 8, 0), 1, PROTO_VARINT), 9); /* of -5 */
	assert_str_equal(nth(nth(point, 8, 0), 2, 0), STR("\x03\x00\xac\x02"));
	assert_null(nth(point, 9, 0).p);

	point = nth(nth(nth(scope, 2, 2), 11, 0), 1, 0);
	check_attributes(point, OTLP_SUMMARY_POINT_ATTRIBUTES);
	assert_true(double_of(point, 5) == 6);
	assert_true(double_of(nth(point, 6, 1), 1) == 0.5);
	assert_true(double_of(nth(point, 6, 1), 2) == 2);
	payload_release(p);
	otlp_builder_fini(&b);
}

static void logs_are_written(void **state)
{
	struct otlp_builder b;
	struct payload *p;
	struct str record;

	(void)state;
	otlp_builder_init(&b, SIGNAL_LOGS, NULL);
	otlp_add_log(&b, &(struct otlp_log){.time = 1,
					    .observed_time = 2,
					    .severity = 9,
					    .severity_text = STR("INFO"),
					    .body = VALUE_OF_STR(STR("line")),
					    .attributes = &attributes,
					    .flags = 1,
					    .span_id = {8},
					    .event_name = STR("event")});
	p = otlp_builder_finish(&b);
	assert_int_equal(p->items, 1);
	record = nth(nth(nth(p->slices[0].bytes, 1, 0), 2, 0), 2, 0);
	check_attributes(record, OTLP_LOG_ATTRIBUTES);
	assert_int_equal(number_of(record, 1, PROTO_FIXED64), 1);
	assert_int_equal(number_of(record, 11, PROTO_FIXED64), 2);
	assert_int_equal(number_of(record, 2, PROTO_VARINT), 9);
	assert_int_equal(number_of(record, 8, PROTO_FIXED32), 1);
	assert_str_equal(nth(record, 3, 0), STR("INFO"));
	assert_str_equal(nth(nth(record, 5, 0), 1, 0), STR("line"));
	assert_str_equal(nth(record, 12, 0), STR("event"));
	assert_int_equal(nth(record, 10, 0).n, 8);
	payload_release(p);
	otlp_builder_fini(&b);
}

/* A builder can be used again, and what has no items leaves nothing. */
static void what_is_empty_is_left_out(void **state)
{
	struct otlp_builder b;
	struct payload *p;
	struct str resource;

	(void)state;
	otlp_builder_init(&b, SIGNAL_METRICS, NULL);
	otlp_begin_resource(&b, &attributes, STR(""));
	otlp_begin_scope(&b, STR("s"), STR(""));
	otlp_begin_metric(&b, &(struct otlp_metric){.name = STR("m"), .kind = OTLP_GAUGE});
	p = otlp_builder_finish(&b);
	assert_int_equal(p->items, 0);
	assert_int_equal(p->bytes, 0);
	payload_release(p);

	otlp_begin_resource(&b, NULL, STR(""));
	otlp_begin_scope(&b, STR("empty"), STR(""));
	otlp_begin_scope(&b, STR("s"), STR(""));
	otlp_begin_metric(&b, &(struct otlp_metric){.name = STR("m"), .kind = OTLP_GAUGE});
	otlp_add_number(&b, &(struct otlp_number){.d = 1});
	p = otlp_builder_finish(&b);
	assert_int_equal(p->items, 1);
	resource = nth(p->slices[0].bytes, 1, 0);
	assert_str_equal(nth(nth(nth(resource, 2, 0), 1, 0), 1, 0), STR("s"));
	assert_null(nth(resource, 2, 1).p);
	payload_release(p);
	otlp_builder_fini(&b);
}

static void memory_is_limited(void **state)
{
	struct budget budget = {.limit = 16 * KIB};
	struct otlp_builder b;

	(void)state;
	otlp_builder_init(&b, SIGNAL_METRICS, &budget);
	otlp_begin_metric(&b, &(struct otlp_metric){.name = STR("m"), .kind = OTLP_GAUGE});
	for (int i = 0; i < 10000; i++)
		otlp_add_number(&b, &(struct otlp_number){.d = i});
	assert_null(otlp_builder_finish(&b));
	otlp_builder_fini(&b);
	assert_int_equal(budget.used, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_written),
		cmocka_unit_test(histograms_and_summaries_are_written),
		cmocka_unit_test(logs_are_written),
		cmocka_unit_test(what_is_empty_is_left_out),
		cmocka_unit_test(memory_is_limited),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

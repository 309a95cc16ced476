/* SPDX-License-Identifier: Apache-2.0 */
/* The assignment of samples to series: labels, profile types, limits. */
#include "signal/series.h"

#include "signal/profile/profile_builder.h"
#include "signal/profile/profile_rows.h"
#include "test/test.h"

struct fixture {
	struct profile_batch batch;
	struct profile_builder builder;
	struct arena arena;
	struct series_map map;
};

static int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	*state = f;
	if (!f)
		return -1;
	arena_init(&f->arena, NULL);
	return profile_batch_init(&f->batch, NULL) || profile_builder_init(&f->builder, &f->batch);
}

static int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	profile_batch_fini(&f->batch);
	arena_fini(&f->arena);
	free(f);
	return 0;
}

static void add_resource(struct fixture *f, const struct keyvalue *attributes, uint32_t n)
{
	assert_ok(profile_add_resource(&f->builder, attributes, n));
	assert_ok(profile_add_scope(&f->builder, STR(""), STR(""), NULL, 0));
}

/* "type:unit:period type:period unit" */
static void add_profile(struct fixture *f, const char *text, int64_t period)
{
	struct str rest = str_from(text);
	struct profile row = {.period = period};

	assert_ok(profile_add_string(&f->builder, str_cut(&rest, ':'), &row.sample_type.type));
	assert_ok(profile_add_string(&f->builder, str_cut(&rest, ':'), &row.sample_type.unit));
	assert_ok(profile_add_string(&f->builder, str_cut(&rest, ':'), &row.period_type.type));
	assert_ok(profile_add_string(&f->builder, rest, &row.period_type.unit));
	assert_ok(profile_add_profile(&f->builder, &row, NULL, 0));
}

/* Add a sample with up to two attributes, given as "key=value". */
static void add_sample(struct fixture *f, const char *first, const char *second, int64_t value)
{
	const char *texts[] = {first, second};
	uint32_t ids[2], n = 0;

	for (size_t i = 0; i < countof(texts); i++) {
		if (!texts[i])
			continue;
		struct str text = str_from(texts[i]), key = str_cut(&text, '=');

		assert_ok(profile_add_attribute(&f->builder, key, VALUE_OF_STR(text), STR(""),
						&ids[n++]));
	}
	assert_ok(profile_add_sample(&f->builder, 0, 0, ids, n, value));
}

static void map(struct fixture *f)
{
	struct err e = {0};

	assert_ok_err(profile_batch_check(&f->batch, &e), &e);
	assert_ok(series_map_init(&f->map, &f->batch, NULL, &f->arena));
	for (uint32_t i = 0; i < f->map.series.n; i++) {
		struct label_set set = f->map.series.at[i].labels;

		for (uint32_t k = 0; k < set.n; k++) {
			assert_true(set.at[k].value.n > 0);
			assert_true(!k || str_cmp(set.at[k - 1].name, set.at[k].name) < 0);
		}
	}
}

static struct str get(const struct fixture *f, uint32_t series, const char *name)
{
	struct label_set set = f->map.series.at[series].labels;

	for (uint32_t i = 0; i < set.n; i++)
		if (str_eq(set.at[i].name, str_from(name)))
			return set.at[i].value;
	return STR("");
}

static void a_series_has_the_attributes_and_the_parts_of_its_type(void **state)
{
	struct fixture *f = *state;
	const struct keyvalue attributes[] = {
		{STR("service.name"), VALUE_OF_STR(STR("shop"))},
		{STR("k8s.pod.name"), VALUE_OF_STR(STR("shop-1"))},
		{STR("process.pid"), VALUE_OF_INT(77)},
		{STR("prod"), VALUE_OF_BOOL(true)},
		{STR("list"), {.kind = VALUE_LIST, .s = STR_INIT("\x2a\x05\x0a\x03\x0a\x01x")}},
		{STR("pair"),
		 {.kind = VALUE_LIST, .s = STR_INIT("\x2a\x0a\x0a\x03\x0a\x01x\x0a\x03\x0a\x01y")}},
		{STR("__session_id__"), VALUE_OF_STR(STR("17"))},
		{STR("pprof.scope.x"), VALUE_OF_STR(STR("no"))},
		{STR("empty"), VALUE_OF_STR(STR(""))},
	};

	add_resource(f, attributes, countof(attributes));
	add_profile(f, "cpu:nanoseconds:cpu:nanoseconds", 10000000);
	add_sample(f, NULL, NULL, 1);
	add_sample(f, NULL, NULL, 2);
	map(f);
	assert_int_equal(f->map.series.n, 1);
	assert_int_equal(f->map.of_sample[1], 0);
	assert_int_equal(f->map.series.at[0].scale, 1);
	assert_str_equal(get(f, 0, "service_name"), STR("shop"));
	assert_str_equal(get(f, 0, "__service_name__"), STR("shop"));
	assert_str_equal(get(f, 0, "__profile_type__"),
			 STR("process_cpu:cpu:nanoseconds:cpu:nanoseconds"));
	assert_str_equal(get(f, 0, "__name__"), STR("process_cpu"));
	assert_str_equal(get(f, 0, "__type__"), STR("cpu"));
	assert_str_equal(get(f, 0, "__unit__"), STR("nanoseconds"));
	assert_str_equal(get(f, 0, "__period_type__"), STR("cpu"));
	assert_str_equal(get(f, 0, "__period_unit__"), STR("nanoseconds"));
	assert_str_equal(get(f, 0, "k8s.pod.name"), STR("shop-1"));
	assert_str_equal(get(f, 0, "process.pid"), STR("77"));
	assert_str_equal(get(f, 0, "prod"), STR("true"));
	assert_str_equal(get(f, 0, "list"), STR("x"));
	assert_int_equal(f->map.series.at[0].labels.n, 12);
}

static void profile_types_have_the_names_that_grafana_knows(void **state)
{
	static const struct {
		const char *given, *id;
	} cases[] = {
		{"cpu:nanoseconds:cpu:nanoseconds", "process_cpu:cpu:nanoseconds:cpu:nanoseconds"},
		{"cpu:nanoseconds::", "process_cpu:cpu:nanoseconds:cpu:nanoseconds"},
		{"wall:nanoseconds:wall:nanoseconds", "wall:wall:nanoseconds:wall:nanoseconds"},
		{"alloc_space:bytes:space:bytes", "memory:alloc_space:bytes:space:bytes"},
		{"inuse_objects:count::", "memory:inuse_objects:count:space:bytes"},
		{"alloc_in_new_tlab_bytes:bytes:space:bytes",
		 "memory:alloc_in_new_tlab_bytes:bytes:space:bytes"},
		{"live:count:objects:count", "memory:live:count:objects:count"},
		{"contentions:count:mutex:count", "mutex:contentions:count:mutex:count"},
		{"delay:nanoseconds:block:count", "block:delay:nanoseconds:block:count"},
		{"delay:nanoseconds:contentions:count",
		 "mutex:delay:nanoseconds:contentions:count"},
		{"goroutines:count:goroutine:count", "goroutine:goroutines:count:goroutine:count"},
		{"off_cpu:nanoseconds::", "off_cpu:off_cpu:nanoseconds::"},
		{"sample:count:wall:microseconds", "wall:sample:count:wall:microseconds"},
		{"otlp_test:count:otlp_test:samples",
		 "otlp_test:otlp_test:count:otlp_test:samples"},
		{"cycles:count::", "cycles:cycles:count::"},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < countof(cases); i++) {
		add_resource(f, NULL, 0);
		add_profile(f, cases[i].given, 1);
		add_sample(f, NULL, NULL, 1);
	}
	map(f);
	assert_int_equal(f->map.series.n, countof(cases));
	for (uint32_t i = 0; i < countof(cases); i++)
		assert_str_equal(get(f, i, "__profile_type__"), str_from(cases[i].id));
	assert_str_equal(get(f, 0, "service_name"), STR("unknown_service"));
}

static void counts_of_cpu_samples_become_cpu_time(void **state)
{
	struct fixture *f = *state;

	add_resource(f, NULL, 0);
	add_profile(f, "samples:count:cpu:nanoseconds", 52631578);
	add_sample(f, NULL, NULL, 3);
	map(f);
	assert_str_equal(get(f, 0, "__profile_type__"),
			 STR("process_cpu:cpu:nanoseconds:cpu:nanoseconds"));
	assert_int_equal(f->map.series.at[0].scale, 52631578);
}

static void counts_next_to_cpu_time_stay_counts(void **state)
{
	struct fixture *f = *state;

	add_resource(f, NULL, 0);
	add_profile(f, "samples:count:cpu:nanoseconds", 10000000);
	add_sample(f, NULL, NULL, 3);
	add_profile(f, "cpu:nanoseconds:cpu:nanoseconds", 10000000);
	add_sample(f, NULL, NULL, 3);
	map(f);
	assert_str_equal(get(f, 0, "__profile_type__"),
			 STR("process_cpu:samples:count:cpu:nanoseconds"));
	assert_int_equal(f->map.series.at[0].scale, 1);
	assert_str_equal(get(f, 1, "__profile_type__"),
			 STR("process_cpu:cpu:nanoseconds:cpu:nanoseconds"));
}

static void the_name_given_by_the_sender_takes_precedence(void **state)
{
	static const struct {
		const char *name, *given, *id;
	} cases[] = {
		{"deadmans_switch", "made_up:profilos:made_up:profilos",
		 "deadmans_switch:made_up:profilos:made_up:profilos"},
		{"process_cpu", "samples:count:cpu:nanoseconds",
		 "process_cpu:samples:count:cpu:nanoseconds"},
		{"godeltaprof_memory", "alloc_space:bytes:space:bytes",
		 "memory:alloc_space:bytes:space:bytes"},
		{"wall", "cpu:nanoseconds:wall:nanoseconds",
		 "process_cpu:cpu:nanoseconds:wall:nanoseconds"},
		{"a:b", "c:d::", "a_b:c:d::"},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < countof(cases); i++) {
		struct keyvalue name = {STR("__name__"), VALUE_OF_STR(str_from(cases[i].name))};

		add_resource(f, &name, 1);
		add_profile(f, cases[i].given, 1);
		add_sample(f, NULL, NULL, 1);
	}
	map(f);
	for (uint32_t i = 0; i < countof(cases); i++)
		assert_str_equal(get(f, i, "__profile_type__"), str_from(cases[i].id));
}

static void samples_with_different_labels_are_separate_series(void **state)
{
	struct fixture *f = *state;
	const struct keyvalue attributes[] = {
		{STR("process.executable.name"), VALUE_OF_STR(STR("sh"))},
		{STR("region"), VALUE_OF_STR(STR("eu"))},
	};

	add_resource(f, attributes, 2);
	for (int i = 0; i < 2; i++) {
		add_profile(f, i ? "alloc_space:bytes::" : "alloc_objects:count::", 1);
		add_sample(f, "a=1", "b=2", 1);
		add_sample(f, "b=2", "a=1", 1); /* the same labels in another order */
		add_sample(f, NULL, NULL, 1);
		add_sample(f, "span_id=0011223344556677", NULL, 1); /* a span id is not a label */
		/* the resource's value takes precedence */
		add_sample(f, "region=us", NULL, 1);
		add_sample(f, "service.name=web", "a=1", 1);
		add_sample(f, "a=1", "b=2", 1);
	}
	map(f);

	static const uint32_t expected[] = {0, 0, 1, 1, 1, 2, 0, 3, 3, 4, 4, 4, 5, 3};

	assert_int_equal(f->map.series.n, 6);
	assert_memory_equal(f->map.of_sample, expected, sizeof(expected));
	assert_str_equal(get(f, 0, "a"), STR("1"));
	assert_str_equal(get(f, 0, "b"), STR("2"));
	assert_str_equal(get(f, 1, "region"), STR("eu"));
	assert_str_equal(get(f, 1, "a"), STR(""));
	assert_str_equal(get(f, 1, "service_name"), STR("unknown_service:sh"));
	assert_str_equal(get(f, 2, "service_name"), STR("web"));
	assert_str_equal(get(f, 2, "__service_name__"), STR("web"));
	assert_int_equal(f->map.series.at[3].profile, 1);
}

static void integer_attributes_of_samples_are_not_labels(void **state)
{
	struct fixture *f = *state;
	uint32_t id;

	add_resource(f, NULL, 0);
	add_profile(f, "cpu:nanoseconds::", 1);
	assert_ok(profile_add_attribute(&f->builder, STR("thread.id"), VALUE_OF_INT(7), STR(""),
					&id));
	assert_ok(profile_add_sample(&f->builder, 0, 0, &id, 1, 5));
	add_sample(f, NULL, NULL, 5);
	map(f);
	assert_int_equal(f->map.series.n, 1);
	assert_str_equal(get(f, 0, "thread.id"), STR(""));
}

static void negative_samples_have_no_series(void **state)
{
	struct fixture *f = *state;

	add_resource(f, NULL, 0);
	add_profile(f, "cpu:nanoseconds::", 1);
	add_sample(f, NULL, NULL, 5);
	add_sample(f, NULL, NULL, -5);
	add_sample(f, "a=b", NULL, -5);
	add_sample(f, NULL, NULL, 5);
	map(f);
	assert_int_equal(f->map.of_sample[0], 0);
	assert_int_equal(f->map.of_sample[1], SERIES_NONE);
	assert_int_equal(f->map.of_sample[2], SERIES_NONE);
	assert_int_equal(f->map.of_sample[3], 0);
}

static void only_the_profile_over_a_limit_is_refused(void **state)
{
	struct fixture *f = *state;
	static char text[5000];
	static char names[200][8];
	struct keyvalue many[101], bad = {STR("a"), VALUE_OF_STR(STR("\xff"))};
	struct keyvalue large = {STR("a"), VALUE_OF_STR(str_of(text, sizeof(text)))};

	memset(text, 'x', sizeof(text));
	for (size_t i = 0; i < countof(many); i++) {
		int n = snprintf(names[i], sizeof(names[i]), "n%zu", i);

		many[i] = (struct keyvalue){str_of(names[i], (size_t)n), VALUE_OF_INT(1)};
	}
	add_resource(f, many, countof(many));
	add_profile(f, "cpu:nanoseconds::", 1);
	add_sample(f, NULL, NULL, 1);
	add_resource(f, many, countof(many) - 1);
	add_profile(f, "cpu:nanoseconds::", 1);
	add_sample(f, NULL, NULL, 1);
	add_sample(f, "one=more", NULL, 1);
	add_resource(f, &large, 1);
	add_profile(f, "cpu:nanoseconds::", 1);
	add_sample(f, NULL, NULL, 1);
	add_resource(f, &bad, 1);
	add_profile(f, "cpu:nanoseconds::", 1);
	add_sample(f, NULL, NULL, 1);
	add_resource(f, many, countof(many) - 1);
	add_profile(f, "cpu:nanoseconds::", 1);
	add_sample(f, NULL, NULL, 1);
	add_profile(f, ":::", 1);
	map(f);

	static const char *const reasons[] = {
		"too many labels: more than 100", "too many labels: more than 100",
		"label value too long: 'a' has 5000 bytes; limit 4096",
		"invalid label value of 'a': not UTF-8", "no sample type"};
	static const uint32_t profiles[] = {0, 1, 2, 3, 5};

	assert_int_equal(f->map.refused.n, countof(reasons));
	for (uint32_t i = 0; i < f->map.refused.n; i++) {
		assert_int_equal(f->map.refused.at[i].profile, profiles[i]);
		assert_str_equal(f->map.refused.at[i].reason, str_from(reasons[i]));
	}
	assert_int_equal(f->map.series.n, 1);
	assert_int_equal(f->map.series.at[0].profile, 4);
	for (uint32_t i = 0; i < 5; i++)
		assert_int_equal(f->map.of_sample[i], SERIES_NONE);
	assert_int_equal(f->map.of_sample[5], 0);
}

static void failing_allocations_are_errors(void **state)
{
	struct fixture *f = *state;
	struct keyvalue service = {STR("process.executable.name"), VALUE_OF_STR(STR("shop"))};
	unsigned n = 0;
	int rc = -ENOMEM;

	add_resource(f, &service, 1);
	add_profile(f, "cpu:nano:cpu:", 1);
	add_sample(f, "a=1", "b=2", 1);
	add_sample(f, "c=3", NULL, 1);
	while (rc) {
		arena_reset(&f->arena);
		f->arena.fail_after = ++n;
		rc = series_map_init(&f->map, &f->batch, NULL, &f->arena);
		assert_true(rc == 0 || rc == -ENOMEM);
		assert_true(n < 1000);
	}
	assert_true(n > 5);
	f->arena.fail_after = 0;
}

static void a_profile_type_has_five_parts_or_six(void **state)
{
	struct profile_type t;

	(void)state;
	assert_true(profile_type_parse(&t, STR("memory:inuse_space:bytes:space:kb")));
	assert_str_equal(t.name, STR("memory"));
	assert_str_equal(t.sample_type, STR("inuse_space"));
	assert_str_equal(t.sample_unit, STR("bytes"));
	assert_str_equal(t.period_type, STR("space"));
	assert_str_equal(t.period_unit, STR("kb"));
	assert_true(profile_type_parse(&t, STR("a:b:c:d:e:delta")));
	assert_str_equal(t.period_unit, STR("e"));
	assert_true(profile_type_parse(&t, STR("off_cpu:off_cpu:nanoseconds::")));
	assert_str_equal(t.period_unit, STR(""));
	assert_false(profile_type_parse(&t, STR("a:b:c:d")));
	assert_false(profile_type_parse(&t, STR("a:b:c:d:e:f")));
	assert_false(profile_type_parse(&t, STR("a:b:c:d:e:delta:x")));
	assert_false(profile_type_parse(&t, STR("")));
	assert_false(profile_type_parse(&t, STR("::::")));
}

static void gauges_are_recognized_by_profile_type(void **state)
{
	(void)state;
	assert_true(profile_type_is_gauge(STR("memory:inuse_space:bytes:space:bytes")));
	assert_true(profile_type_is_gauge(STR("memory:live:count:objects:count")));
	assert_true(profile_type_is_gauge(STR("goroutine:goroutine:count:goroutine:count")));
	assert_true(profile_type_is_gauge(STR("goroutines:goroutine:count:goroutine:count")));
	assert_false(profile_type_is_gauge(STR("memory:alloc_space:bytes:space:bytes")));
	assert_false(profile_type_is_gauge(STR("process_cpu:cpu:nanoseconds:cpu:nanoseconds")));
	assert_false(profile_type_is_gauge(STR("inuse_space")));
}

TEST_MAIN(test_with(fixture, a_series_has_the_attributes_and_the_parts_of_its_type),
	  test_with(fixture, profile_types_have_the_names_that_grafana_knows),
	  test_with(fixture, counts_of_cpu_samples_become_cpu_time),
	  test_with(fixture, counts_next_to_cpu_time_stay_counts),
	  test_with(fixture, the_name_given_by_the_sender_takes_precedence),
	  test_with(fixture, samples_with_different_labels_are_separate_series),
	  test_with(fixture, integer_attributes_of_samples_are_not_labels),
	  test_with(fixture, negative_samples_have_no_series),
	  test_with(fixture, only_the_profile_over_a_limit_is_refused),
	  test_with(fixture, failing_allocations_are_errors),
	  test(a_profile_type_has_five_parts_or_six), test(gauges_are_recognized_by_profile_type))

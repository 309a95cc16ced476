/* SPDX-License-Identifier: Apache-2.0 */
/* Queries of a store for values over time, heat maps and labels. */
#include "query/time/chart.h"

#include "base/buf.h"
#include "base/clock.h"
#include "query/label_list.h"
#include "query/time/heatmap.h"
#include "test/memory_store.h"
#include "test/store_fill.h"

#define CPU "process_cpu:cpu:nanoseconds:cpu:nanoseconds"
#define MS NS_PER_MS
#define S NS_PER_SECOND

static int setup(void **state)
{
	return memory_store_open((struct store **)state);
}

static int teardown(void **state)
{
	struct store *s = *state;

	s->ops->close(s);
	return 0;
}

static void put(struct store *s, const char *labels, uint64_t time, const char *samples)
{
	struct fill f = {.type = CPU, .labels = labels, .time = time, .samples = samples};

	assert_ok(store_fill(s, &f, NULL));
}

static void print_labels(struct buf *out, struct label_set labels)
{
	buf_put_char(out, '{');
	for (uint32_t i = 0; i < labels.n; i++)
		buf_printf(out, "%s%.*s=%.*s", i ? "," : "", STR_ARG(labels.at[i].name),
			   STR_ARG(labels.at[i].value));
	buf_put_char(out, '}');
}

/* "{env=a} 10:3 20:4\n": seconds and values. */
static void assert_chart(struct store *s, const struct store_select *sel,
			 const struct chart_options *o, const char *expected)
{
	struct chart c;
	struct buf out = {0};
	struct err e = {0};

	assert_ok_err(chart_of_store(&c, s, sel, o, &e), &e);
	for (uint32_t i = 0; i < c.rows.n; i++) {
		print_labels(&out, c.rows.at[i].labels);
		for (uint32_t k = 0; k < c.rows.at[i].points.n; k++)
			buf_printf(&out, " %g:%g", (double)c.rows.at[i].points.at[k].time / 1e9,
				   c.rows.at[i].points.at[k].value);
		buf_put_char(&out, '\n');
	}
	assert_str_equal(buf_str(&out), str_from(expected));
	buf_fini(&out);
	chart_fini(&c);
}

static void a_point_covers_the_step_before_it(void **state)
{
	struct store *s = *state;
	struct store_select sel = {.to = UINT64_MAX};
	struct chart_options o = {.start = 100 * S, .step = 10 * S};

	put(s, "service_name=a", 91 * S, "m 1");
	put(s, "service_name=a", 100 * S, "m 2");
	put(s, "service_name=a", 100 * S + MS, "m 4");
	put(s, "service_name=a", 110 * S, "m 8");
	/* in the same millisecond as the point */
	put(s, "service_name=a", 110 * S + MS - 1, "m 16");
	put(s, "service_name=a", 130 * S, "m 32");
	assert_chart(s, &sel, &o, "{} 100:3 110:28 130:32\n");
	o.aggregation = CHART_AVERAGE;
	assert_chart(s, &sel, &o, "{} 100:1.5 110:9.33333 130:32\n");
}

static void groups_are_ordered_by_their_total(void **state)
{
	struct store *s = *state;
	struct store_select sel = {.to = UINT64_MAX};
	const struct str by[] = {STR("env"), STR("zone")};
	struct chart_options o = {.start = 10 * S, .step = 10 * S, .by = by, .by_n = 2};

	put(s, "service_name=a,env=x", 10 * S, "m 1");
	put(s, "service_name=b,env=x", 10 * S, "m 1");
	put(s, "service_name=a,env=y,zone=q", 10 * S, "m 5");
	put(s, "service_name=a", 20 * S, "m 2");
	assert_chart(s, &sel, &o, "{env=y,zone=q} 10:5\n{} 20:2\n{env=x} 10:2\n");
	o.limit = 1;
	assert_chart(s, &sel, &o, "{env=y,zone=q} 10:5\n");
}

static void gauges_are_averaged_as_the_store_does(void **state)
{
	struct store *s = *state;
	struct store_select sel = {.to = UINT64_MAX, .average = true};
	struct chart_options o = {.start = 3600 * S, .step = 3600 * S};

	put(s, "service_name=a", 1 * S, "m 2");
	put(s, "service_name=a", 2 * S, "m 4");
	put(s, "service_name=b", 2 * S, "m 10");
	put(s, "service_name=a", 1300 * S, "m 5"); /* another slot: (3 + 10 + 5) / 2 */
	assert_chart(s, &sel, &o, "{} 3600:9\n");
}

static void put_long(struct store *s, const char *labels, uint64_t time, uint64_t duration,
		     const char *samples)
{
	struct fill f = {.type = CPU,
			 .labels = labels,
			 .time = time,
			 .duration = duration,
			 .samples = samples};

	assert_ok(store_fill(s, &f, NULL));
}

/*
 * With `spread`, steps shorter than the interval between profiles do not alternate between 0 and
 * peaks.
 */
static void a_profile_is_spread_over_its_duration(void **state)
{
	struct store *s = *state;
	struct store_select sel = {.from = 100 * S, .to = 160 * S};
	struct chart_options o = {.start = 110 * S, .step = 10 * S, .spread = true};
	struct chart c;

	put_long(s, "service_name=a", 115 * S, 30 * S, "m 30"); /* 115 to 145 */
	assert_chart(s, &sel, &o, "{} 120:5 130:10 140:10 150:5\n");
	put_long(s, "service_name=a", 90 * S, 20 * S, "m 40");	 /* half before the range */
	put_long(s, "service_name=b", 155 * S, 10 * S, "m 8");	 /* half after the range */
	put_long(s, "service_name=b", 121 * S, 0, "m 3");	 /* of unknown length */
	put_long(s, "service_name=b", 122 * S, 1 * S, "m 1000"); /* within a bucket */
	assert_chart(s, &sel, &o, "{} 110:20 120:5 130:1013 140:10 150:5 160:4\n");
	assert_ok(chart_of_store(&c, s, &sel, &o, NULL));
	assert_true(c.rows.at[0].total == 30 + 8 + 3 + 1000); /* the total of the flame graph */
	chart_fini(&c);
	o.step = 60 * S;
	o.start = 160 * S;
	assert_chart(s, &sel, &o, "{} 160:1057\n");
}

/* The level of a gauge is held until its next profile, through a leak and a restart. */
static void a_gauge_is_held_until_its_next_profile(void **state)
{
	struct store *s = *state;
	struct store_select sel = {.from = 0, .to = 60 * S, .average = true};
	struct chart_options o = {.start = 5 * S, .step = 5 * S, .spread = true};
	struct chart c;

	put(s, "service_name=a", 0, "m 10");
	put(s, "service_name=a", 15 * S, "m 20");
	put(s, "service_name=a", 30 * S, "m 1");
	assert_chart(s, &sel, &o, "{} 5:10 10:10 15:10 20:20 25:20 30:20 35:1 40:1 45:1\n");
	/* series that report at different times are added up at each time */
	put(s, "service_name=b", 5 * S, "m 100");
	put(s, "service_name=b", 20 * S, "m 200");
	assert_chart(s, &sel, &o, "{} 5:10 10:110 15:110 20:120 25:220 30:220 35:201 40:1 45:1\n");
	o.step = o.start = 60 * S;
	assert_chart(s, &sel, &o, "{} 60:110.333\n");
	assert_ok(chart_of_store(&c, s, &sel, &o, NULL));
	assert_true(c.rows.at[0].total > 160 &&
		    c.rows.at[0].total < 161); /* sum of the means in the slot: 31 / 3 + 150 */
	chart_fini(&c);
}

/* After a gap that is longer than a level is held there is no data. */
static void a_gauge_is_not_held_forever(void **state)
{
	struct store *s = *state;
	struct store_select sel = {.from = 0, .to = 1200 * S, .average = true};
	struct chart_options o = {.start = 60 * S, .step = 60 * S, .spread = true};

	put(s, "service_name=a", 0, "m 10");
	put(s, "service_name=a", 60 * S, "m 20");
	put(s, "service_name=a", 600 * S, "m 30"); /* a single profile: one step */
	assert_chart(s, &sel, &o, "{} 60:10 120:20 660:30\n");
}

static void filters_select_stacks(void **state)
{
	struct store *s = *state;
	struct store_select sel = {.to = UINT64_MAX};
	const struct str site[] = {STR("main"), STR("a")};
	struct stack_filter_options f = {.function = STR("b")};
	struct chart_options o = {.start = 10 * S, .step = 10 * S, .filter = &f};

	put(s, "service_name=a", 10 * S, "main;a;b 1, main;b 2, main 4");
	put(s, "service_name=a", 20 * S, "main;a 8, main;a;c;b 16");
	assert_chart(s, &sel, &o, "{} 10:3 20:16\n");
	f = (struct stack_filter_options){.call_site = site, .call_site_n = 2};
	assert_chart(s, &sel, &o, "{} 10:1 20:24\n");
	f.function = STR("c");
	assert_chart(s, &sel, &o, "{} 10:0 20:16\n");
}

static void exemplars_are_the_largest_profiles(void **state)
{
	struct store *s = *state;
	struct store_select sel = {.to = UINT64_MAX};
	struct chart_options o = {.start = 10 * S, .step = 10 * S, .exemplars = true};
	struct fill f = {.type = CPU,
			 .labels = "service_name=b",
			 .time = 9 * S,
			 .id = "largest",
			 .samples = "m 7"};
	struct chart c;

	put(s, "service_name=a", 8 * S, "m 5");
	assert_ok(store_fill(s, &f, NULL));
	assert_ok(chart_of_store(&c, s, &sel, &o, NULL));
	assert_int_equal(c.rows.n, 1);
	assert_true(c.rows.at[0].points.at[0].has_exemplar);

	const struct chart_exemplar *e = &c.rows.at[0].points.at[0].exemplar;

	assert_int_equal(e->value, 7);
	assert_memory_equal(e->profile_id, "largest\0\0", 9);
	assert_str_equal(label_set_get(c.series.at[e->series], STR("service_name")), STR("b"));
	chart_fini(&c);
}

static void heatmaps_count_profiles_and_spans(void **state)
{
	struct store *s = *state;
	struct store_select sel = {.to = UINT64_MAX};
	struct heatmap_options o = {.start = 10 * S, .end = 30 * S, .step = 10 * S};
	struct heatmap h;

	put(s, "service_name=a", 10 * S, "m 1 #0a, n 2 #0a, m 7 #0b");
	put(s, "service_name=a", 11 * S, "m 30");
	put(s, "service_name=a", 12 * S, "m 29");
	assert_ok(heatmap_of_store(&h, s, &sel, &o, NULL));
	assert_int_equal(h.rows.n, 1);
	assert_int_equal(h.least[0], 10);
	assert_int_equal(h.least[19], 29);
	assert_int_equal(h.rows.at[0].slots.n, 2);
	assert_int_equal(h.rows.at[0].slots.at[0].time, 10 * S);
	assert_int_equal(h.rows.at[0].slots.at[0].counts[0], 1);
	assert_int_equal(h.rows.at[0].slots.at[1].counts[19], 2);
	assert_int_equal(h.rows.at[0].slots.at[1].exemplars[19].value, 30);
	heatmap_fini(&h);
	o.spans = true;
	assert_ok(heatmap_of_store(&h, s, &sel, &o, NULL));
	assert_int_equal(h.rows.at[0].slots.n, 1);
	assert_int_equal(h.rows.at[0].count, 2);
	assert_int_equal(h.least[0], 3);
	assert_int_equal(h.rows.at[0].slots.at[0].exemplars[0].link.span_id[7], 0x0a);
	heatmap_fini(&h);
}

static void labels_are_listed_once_and_sorted(void **state)
{
	struct store *s = *state;
	struct store_select sel = {.to = UINT64_MAX};
	const struct str names[] = {STR("service_name"), STR("env")};
	struct label_list list;
	struct label_sets sets;
	struct arena arena;
	struct buf out = {0};

	put(s, "service_name=b,env=x", 1, "m 1");
	put(s, "service_name=a,env=y", 1, "m 1");
	put(s, "service_name=a,env=y,pod=1", 1, "m 1");
	arena_init(&arena, NULL);
	assert_ok(label_values_of(&list, s, &sel, STR("service_name"), &arena, NULL));
	assert_int_equal(list.items.n, 2);
	assert_str_equal(list.items.at[0], STR("a"));
	assert_ok(label_names_of(&list, s, &sel, &arena, NULL));
	assert_int_equal(list.items.n, 10);
	assert_str_equal(list.items.at[9], STR("service_name"));
	assert_ok(label_sets_of(&sets, s, &sel, names, 2, &arena, NULL));
	for (uint32_t i = 0; i < sets.sets.n; i++)
		print_labels(&out, sets.sets.at[i]);
	assert_str_equal(buf_str(&out), STR("{env=x,service_name=b}{env=y,service_name=a}"));
	buf_fini(&out);
	arena_fini(&arena);
}

static void charts_report_out_of_memory_and_leak_nothing(void **state)
{
	struct store *s = *state;
	struct chart_options o = {.start = 10 * S, .step = 10 * S, .exemplars = true};
	struct budget small = {.limit = 64 * KIB};
	struct store_select sel = {.to = UINT64_MAX, .limits.budget = &small};
	struct chart c;

	for (unsigned i = 0; i < 2000; i++)
		put(s, "service_name=a", (10 + i * 10) * S, "m 5");
	assert_int_equal(chart_of_store(&c, s, &sel, &o, NULL), -ENOMEM);
	chart_fini(&c);
	assert_int_equal(small.used, 0);
}

#define with_store(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

TEST_MAIN(with_store(a_point_covers_the_step_before_it),
	  with_store(groups_are_ordered_by_their_total),
	  with_store(gauges_are_averaged_as_the_store_does),
	  with_store(a_profile_is_spread_over_its_duration),
	  with_store(a_gauge_is_held_until_its_next_profile),
	  with_store(a_gauge_is_not_held_forever), with_store(filters_select_stacks),
	  with_store(exemplars_are_the_largest_profiles),
	  with_store(heatmaps_count_profiles_and_spans),
	  with_store(labels_are_listed_once_and_sorted),
	  with_store(charts_report_out_of_memory_and_leak_nothing))

/* SPDX-License-Identifier: Apache-2.0 */
/* The list of spans with the sums, times and common labels of their samples. */
#include "query/spans.h"

#include "base/clock.h"
#include "test/memory_store.h"
#include "test/store_fill.h"

#define CPU "process_cpu:cpu:nanoseconds:cpu:nanoseconds"
#define S NS_PER_SECOND

static int setup(void **state)
{
	static const struct fill rows[] = {
		{.type = CPU,
		 .labels = "service_name=shop,env=prod,pod=a",
		 .time = 100 * S,
		 .samples = "main;a 10 #1a, main;b 20, main;a 5 @101000000000 #1b"},
		{.type = CPU,
		 .labels = "service_name=shop,env=prod,pod=b",
		 .time = 200 * S,
		 .samples =
			 "main;a 7 @203000000000 #1a, main;c 100 #2a, main;a 1 @99000000000 #1a"},
		{.type = CPU,
		 .labels = "service_name=shop,env=prod,pod=a",
		 .time = 300 * S,
		 .samples = "main;a 1 #1a"},
	};
	int rc = memory_store_open((struct store **)state);

	for (size_t i = 0; i < countof(rows) && !rc; i++)
		rc = store_fill(*state, &rows[i], NULL);
	return rc;
}

static int teardown(void **state)
{
	struct store *s = *state;

	s->ops->close(s);
	return 0;
}

static const struct store_select everything = {.to = UINT64_MAX};

static void open_spans(struct spans *s, struct store *store,
		       const struct stack_filter_options *stacks, const struct time_filter *times)
{
	struct err e = {0};

	assert_ok(spans_init(s, stacks, times, NULL));
	assert_ok_err(spans_add(s, store, &everything, &e), &e);
	spans_sort(s);
}

static void spans_have_the_sum_of_their_samples(void **state)
{
	struct spans s;

	open_spans(&s, *state, NULL, NULL);
	assert_int_equal(s.total, 144);
	assert_int_equal(s.linked, 124);
	assert_int_equal(s.rows.n, 3);
	assert_int_equal(s.rows.at[0].link.span_id[7], 0x2a);
	assert_int_equal(s.rows.at[0].total, 100);
	assert_int_equal(s.rows.at[1].link.span_id[7], 0x1a);
	assert_int_equal(s.rows.at[1].total, 19);
	assert_int_equal(s.rows.at[1].samples, 4);
	assert_int_equal(s.rows.at[2].link.trace_id[15], 1);
	assert_int_equal(s.rows.at[2].total, 5);
	spans_fini(&s);
}

/* Samples without a time have that of their profile. */
static void spans_have_the_first_and_last_time_of_their_samples(void **state)
{
	struct spans s;

	open_spans(&s, *state, NULL, NULL);
	assert_int_equal(s.rows.at[1].first, 99 * S);
	assert_int_equal(s.rows.at[1].last, 300 * S);
	assert_int_equal(s.rows.at[2].first, 101 * S);
	assert_int_equal(s.rows.at[2].last, 101 * S);
	spans_fini(&s);
}

static void spans_have_the_labels_common_to_their_series(void **state)
{
	struct label_set shared, one;
	struct spans s;

	open_spans(&s, *state, NULL, NULL);
	shared = s.sets.at[s.rows.at[1].set];
	assert_int_equal(shared.n, 2);
	assert_str_equal(label_set_get(shared, STR("service_name")), STR("shop"));
	assert_str_equal(label_set_get(shared, STR("env")), STR("prod"));
	one = s.sets.at[s.rows.at[0].set];
	assert_int_equal(one.n, 3);
	assert_str_equal(label_set_get(one, STR("pod")), STR("b"));
	assert_int_equal(s.sets.n, 3); /* two series, and the set of their common labels once */
	spans_fini(&s);
}

static void filters_select_samples(void **state)
{
	struct stack_filter_options stacks = {.function = STR("c")};
	struct time_filter times = {.from = 99 * S, .to = 102 * S};
	struct spans s;

	open_spans(&s, *state, &stacks, NULL);
	assert_int_equal(s.total, 100);
	assert_int_equal(s.rows.n, 1);
	spans_fini(&s);
	open_spans(&s, *state, NULL, &times);
	assert_int_equal(s.total, 6);
	assert_int_equal(s.rows.n, 2);
	spans_fini(&s);
}

static void many_spans_are_distinguished(void **state)
{
	struct store *store = *state;
	struct spans s;
	struct fill f = {.type = CPU, .labels = "service_name=many", .time = S};

	for (unsigned i = 1; i <= 250; i++) {
		char samples[64];

		snprintf(samples, sizeof(samples), "main %u #%x, main 1 #%x", i, i, i);
		f.samples = samples;
		assert_ok(store_fill(store, &f, NULL));
	}
	open_spans(&s, store, NULL, NULL);
	/* The spans 1a, 1b and 2a exist already. */
	assert_int_equal(s.rows.n, 250);
	assert_int_equal(s.linked, 124 + 250 * 251 / 2 + 250);
	for (uint32_t i = 1; i < s.rows.n; i++)
		assert_true(s.rows.at[i - 1].total >= s.rows.at[i].total);
	spans_fini(&s);
}

static void failed_allocations_leak_nothing(void **state)
{
	int rc = -ENOMEM;

	for (size_t limit = 0; rc; limit += 4 * KIB) {
		struct budget budget = {.limit = limit};
		struct store_select sel = {.to = UINT64_MAX, .limits.budget = &budget};
		struct stack_filter_options stacks = {.function = STR("a")};
		struct spans s;

		rc = spans_init(&s, &stacks, NULL, &budget);
		if (!rc)
			rc = spans_add(&s, *state, &sel, NULL);
		spans_fini(&s);
		assert_true(!rc || rc == -ENOMEM);
		assert_int_equal(budget.used, 0);
	}
}

#define with_store(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

TEST_MAIN(with_store(spans_have_the_sum_of_their_samples),
	  with_store(spans_have_the_first_and_last_time_of_their_samples),
	  with_store(spans_have_the_labels_common_to_their_series),
	  with_store(filters_select_samples), with_store(many_spans_are_distinguished),
	  with_store(failed_allocations_leak_nothing))

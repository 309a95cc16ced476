/* SPDX-License-Identifier: Apache-2.0 */
/* Windows: aggregation of records, limits, timestamps. */
#include "sdk/collect/window.h"

#include <string.h>

#include "sdk/hook/stack_ids.h"
#include "test/test.h"

static struct record cpu(uint32_t stack, int64_t value)
{
	return (struct record){
		.kind = RECORD_CPU, .stack = stack, .tid = 7, .value = value, .weight = 1};
}

static void add(struct window *w, struct record r)
{
	window_add(w, &r);
}

static void equal_records_are_one_entry_with_their_sum(void **state)
{
	struct window w;

	(void)state;
	assert_ok(window_init(&w, VARVE_CPU, 100, NULL));
	for (unsigned i = 0; i < 10; i++)
		add(&w, cpu(5, 100));
	add(&w, cpu(6, 1));
	assert_int_equal(w.entries.n, 2);
	assert_int_equal(w.entries.at[0].value, 1000);
	assert_int_equal(w.entries.at[0].weight, 10);
	assert_int_equal(w.entries.at[0].time_count, 10);
	assert_int_equal(w.samples, 11);
	window_fini(&w);
}

static void entries_are_separated_by_span_labels_and_state(void **state)
{
	struct record r = cpu(5, 1);
	struct window w;

	(void)state;
	assert_ok(window_init(&w, VARVE_CPU | VARVE_WALL, 100, NULL));
	window_add(&w, &r);
	r.span_id[0] = 1;
	window_add(&w, &r);
	r.trace_id[15] = 1;
	window_add(&w, &r);
	r.labels = 3;
	window_add(&w, &r);
	r.kind = RECORD_WALL;
	window_add(&w, &r);
	r.flags = RECORD_RUNNING;
	window_add(&w, &r);
	assert_int_equal(w.entries.n, 6);
	window_fini(&w);
}

static void kinds_that_were_not_requested_are_ignored(void **state)
{
	struct record r = cpu(5, 1);
	struct window w;

	(void)state;
	assert_ok(window_init(&w, VARVE_HEAP, 100, NULL));
	window_add(&w, &r);
	r.kind = RECORD_SPAN_END;
	window_add(&w, &r);
	r.kind = 200; /* of a future version */
	window_add(&w, &r);
	assert_int_equal(w.entries.n, 0);
	assert_int_equal(w.samples, 0);
	window_fini(&w);
}

static void samples_over_the_limit_are_added_to_other(void **state)
{
	struct window w;
	int64_t sum = 0;

	(void)state;
	assert_ok(window_init(&w, VARVE_CPU, 50, NULL));
	for (uint32_t i = 0; i < 200; i++)
		add(&w, cpu(10 + i, 7));
	add(&w, cpu(10, 7)); /* an existing entry still counts */
	assert_int_equal(w.entries.n, 51);
	assert_int_equal(w.entries.at[50].stack, STACK_OTHER);
	assert_int_equal(w.entries.at[50].value, 150 * 7);
	assert_int_equal(w.entries.at[0].value, 14);
	assert_int_equal(w.over, 150);
	for (uint32_t i = 0; i < w.entries.n; i++)
		sum += w.entries.at[i].value;
	assert_int_equal(sum, 201 * 7);
	window_fini(&w);
}

static void each_kind_has_its_own_other_entry(void **state)
{
	struct record r = cpu(1, 1);
	struct window w;

	(void)state;
	assert_ok(window_init(&w, ~0u, 2, NULL));
	for (uint32_t i = 0; i < 10; i++) {
		r.stack = 10 + i;
		r.kind = RECORD_CPU;
		window_add(&w, &r);
		r.kind = RECORD_BLOCK;
		window_add(&w, &r);
	}
	assert_int_equal(w.entries.n, 6);
	assert_int_equal(w.entries.at[4].kind, RECORD_CPU);
	assert_int_equal(w.entries.at[5].kind, RECORD_BLOCK);
	assert_int_equal(w.entries.at[4].value + w.entries.at[5].value, 16);
	window_fini(&w);
}

/* Kinds share no memory: a million stacks of allocations leave space for those of CPU samples. */
static void a_kind_with_many_stacks_leaves_space_for_others(void **state)
{
	struct record r = {.kind = RECORD_ALLOC, .value = 1, .weight = 1};
	struct window w;

	(void)state;
	assert_ok(window_init(&w, ~0u, 50, NULL));
	for (uint32_t i = 0; i < 1000; i++) {
		r.stack = 10 + i;
		window_add(&w, &r);
	}
	w.over = 0;
	for (uint32_t i = 0; i < 50; i++)
		add(&w, cpu(10 + i, 7));
	assert_int_equal(w.over, 0);
	assert_int_equal(w.entries.n, 51 + 50);
	window_fini(&w);
}

enum { DEPTH = 20, LEAVES = 4 };

/*
 * Many stacks of few leaves: those over the limit are cut to the leaf and the callers next to it.
 */
static void stacks_over_the_limit_keep_their_leaf(void **state)
{
	struct record r = {.kind = RECORD_ALLOC, .value = 1, .weight = 1};
	uint64_t pcs[DEPTH];
	int64_t sums[LEAVES] = {0}, sum = 0;
	struct window w;

	(void)state;
	assert_ok(stack_ids_init(64 * MIB));
	assert_ok(window_init(&w, VARVE_HEAP, 50, NULL));
	for (uint32_t i = 0; i < 4000; i++) {
		for (unsigned k = 0; k < DEPTH; k++)
			pcs[k] = 0x1000 + k * 16 + (k > 3 ? i * 4096 : 0);
		pcs[0] = 0x100 + i % LEAVES;
		r.stack = stack_ids_add(VARVE_HEAP, pcs, DEPTH);
		r.span_id[0] = (uint8_t)i;
		window_add(&w, &r);
	}
	assert_int_equal(w.over, 3950);
	assert_true(w.entries.n <= 50 + 50 / 4 + LEAVES);
	for (uint32_t i = 0; i < w.entries.n; i++) {
		uint32_t n;
		const uint64_t *at = stack_ids_get(w.entries.at[i].stack, &n);

		assert_true(n == DEPTH || at[n - 1] == STACK_CUT_MARK);
		sums[at[0] - 0x100] += w.entries.at[i].value;
		sum += w.entries.at[i].value;
	}
	assert_int_equal(sum, 4000);
	for (unsigned i = 0; i < LEAVES; i++)
		assert_int_equal(sums[i], 1000);
	window_fini(&w);
	stack_ids_fini();
}

/* Spans differ more often than stacks, so they are dropped first. */
static void spans_are_dropped_before_stacks_over_the_limit(void **state)
{
	struct record r = {.kind = RECORD_ALLOC, .value = 1, .weight = 1};
	const uint64_t pcs[] = {1000, 2000, 3000};
	struct window w;

	(void)state;
	assert_ok(stack_ids_init(64 * MIB));
	assert_ok(window_init(&w, VARVE_HEAP, 10, NULL));
	r.stack = stack_ids_add(VARVE_HEAP, pcs, countof(pcs));
	window_add(&w, &r);
	for (uint8_t i = 1; i < 200; i++) {
		r.span_id[0] = i;
		window_add(&w, &r);
	}
	assert_int_equal(w.entries.n, 10);
	assert_int_equal(w.entries.at[0].value, 1 + 190);
	for (uint32_t i = 0; i < w.entries.n; i++)
		assert_int_equal(w.entries.at[i].stack, r.stack);
	window_fini(&w);
	stack_ids_fini();
}

static void a_thread_dump_has_one_entry_for_each_thread(void **state)
{
	struct record r = {.kind = RECORD_THREAD, .stack = 9, .weight = 1};
	struct window w;

	(void)state;
	assert_ok(window_init(&w, VARVE_THREADS, 100, NULL));
	for (r.tid = 1; r.tid <= 5; r.tid++)
		window_add(&w, &r);
	assert_int_equal(w.entries.n, 5);
	window_fini(&w);
}

static void timestamps_of_an_entry_are_linked_backwards(void **state)
{
	struct record r = cpu(5, 3);
	struct window w;
	uint32_t at;

	(void)state;
	assert_ok(window_init(&w, VARVE_CPU, 100, NULL));
	for (r.time_ns = 1; r.time_ns <= 4; r.time_ns++) {
		window_add(&w, &r);
		add(&w, cpu(6, 1));
	}
	at = w.entries.at[0].last_time;
	for (uint64_t expected = 4; expected; expected--) {
		assert_true(at);
		assert_int_equal(w.times.at[at - 1].time_ns, expected);
		at = w.times.at[at - 1].previous;
	}
	assert_int_equal(at, 0);
	window_fini(&w);
}

static void samples_without_memory_are_counted_as_over_the_limit(void **state)
{
	struct budget budget = {.limit = 256 << 10};
	struct window w;

	(void)state;
	assert_ok(window_init(&w, VARVE_CPU, 1000000, &budget));
	for (uint32_t i = 0; i < 100000; i++)
		add(&w, cpu(10 + i, 1));
	assert_int_equal(w.samples, 100000);
	assert_true(w.over > 0);
	assert_true(w.entries.n + w.over >= 100000);
	assert_true(budget.used <= budget.limit);
	window_fini(&w);
	assert_int_equal(budget.used, 0);
}

static void a_reset_window_is_empty_and_works_again(void **state)
{
	struct window w;

	(void)state;
	assert_ok(window_init(&w, VARVE_CPU, 5000, NULL));
	for (uint32_t i = 0; i < 3000; i++)
		add(&w, cpu(10 + i, 1));
	assert_ok(window_reset(&w));
	assert_int_equal(w.entries.n, 0);
	assert_int_equal(w.samples, 0);
	for (uint32_t i = 0; i < 3000; i++)
		add(&w, cpu(10 + i, 1));
	assert_int_equal(w.entries.n, 3000);
	window_fini(&w);
}

TEST_MAIN(test(equal_records_are_one_entry_with_their_sum),
	  test(entries_are_separated_by_span_labels_and_state),
	  test(kinds_that_were_not_requested_are_ignored),
	  test(samples_over_the_limit_are_added_to_other), test(each_kind_has_its_own_other_entry),
	  test(a_kind_with_many_stacks_leaves_space_for_others),
	  test(stacks_over_the_limit_keep_their_leaf),
	  test(spans_are_dropped_before_stacks_over_the_limit),
	  test(a_thread_dump_has_one_entry_for_each_thread),
	  test(timestamps_of_an_entry_are_linked_backwards),
	  test(samples_without_memory_are_counted_as_over_the_limit),
	  test(a_reset_window_is_empty_and_works_again))

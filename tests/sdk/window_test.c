/* SPDX-License-Identifier: Apache-2.0 */
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

static void spans_labels_and_states_keep_entries_apart(void **state)
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

static void kinds_that_were_not_asked_for_are_passed_by(void **state)
{
	struct record r = cpu(5, 1);
	struct window w;

	(void)state;
	assert_ok(window_init(&w, VARVE_HEAP, 100, NULL));
	window_add(&w, &r);
	r.kind = RECORD_SPAN_END;
	window_add(&w, &r);
	r.kind = 200; /* of a version to come */
	window_add(&w, &r);
	assert_int_equal(w.entries.n, 0);
	assert_int_equal(w.samples, 0);
	window_fini(&w);
}

static void over_the_limit_all_else_is_other_and_nothing_is_missing(void **state)
{
	struct window w;
	int64_t sum = 0;

	(void)state;
	assert_ok(window_init(&w, VARVE_CPU, 50, NULL));
	for (uint32_t i = 0; i < 200; i++)
		add(&w, cpu(10 + i, 7));
	add(&w, cpu(10, 7)); /* one that is there still counts as itself */
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

static void each_kind_has_an_other_of_its_own(void **state)
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

/* The kinds share nothing: a million stacks of allocations leave the CPU's alone. */
static void a_kind_with_many_stacks_takes_no_room_from_others(void **state)
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

/* Different stacks of few leaves: those over the limit are told by their leaf and the callers next to it. */
static void over_the_limit_stacks_keep_their_leaf(void **state)
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

/* Spans are more often different than stacks: they go first. */
static void over_the_limit_spans_go_before_stacks(void **state)
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

static void threads_of_a_dump_are_one_entry_each(void **state)
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

static void times_are_a_chain_backwards(void **state)
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

static void without_memory_samples_are_counted_as_over(void **state)
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
	  test(spans_labels_and_states_keep_entries_apart),
	  test(kinds_that_were_not_asked_for_are_passed_by),
	  test(over_the_limit_all_else_is_other_and_nothing_is_missing),
	  test(each_kind_has_an_other_of_its_own),
	  test(a_kind_with_many_stacks_takes_no_room_from_others),
	  test(over_the_limit_stacks_keep_their_leaf), test(over_the_limit_spans_go_before_stacks),
	  test(threads_of_a_dump_are_one_entry_each), test(times_are_a_chain_backwards),
	  test(without_memory_samples_are_counted_as_over),
	  test(a_reset_window_is_empty_and_works_again))

/* SPDX-License-Identifier: Apache-2.0 */
/* Conditional profiling: which samples are exported when their span ends. */
#include "sdk/collect/conditional.h"

#include <string.h>

#include "test/test.h"

#define MS 1000000

static unsigned went_on[256];

static void emit(void *arg, const struct record *r)
{
	++*(unsigned *)arg;
	went_on[r->span_id[0]]++;
}

static struct conditional *begin(uint32_t max_records)
{
	struct conditional_options o = {
		.slow_ns = 1000ull * MS, .busy_share = 0.8, .max_records = max_records};
	struct conditional *c;

	memset(went_on, 0, sizeof(went_on));
	assert_ok(conditional_new(&c, &o));
	return c;
}

static unsigned add(struct conditional *c, enum record_kind kind, uint8_t span)
{
	static uint64_t time;
	struct record r = {.kind = (uint8_t)kind, .span_id = {span}, .time_ns = ++time};
	unsigned n = 0;

	conditional_add(c, &r, emit, &n);
	return n;
}

static unsigned end(struct conditional *c, uint8_t span, uint8_t parent, int64_t ms, int64_t cpu_ms,
		    unsigned flags)
{
	struct record r = {.kind = RECORD_SPAN_END,
			   .span_id = {span},
			   .flags = (uint8_t)flags,
			   .stack = parent,
			   .value = ms * MS,
			   .weight = cpu_ms * MS};
	unsigned n = 0;

	conditional_add(c, &r, emit, &n);
	return n;
}

static void samples_are_held_until_their_span_ends(void **state)
{
	struct conditional *c = begin(0);
	struct conditional_counters n;

	(void)state;
	for (uint8_t span = 1; span <= 4; span++)
		for (int i = 0; i < 3; i++)
			assert_int_equal(add(c, i ? RECORD_CPU : RECORD_BLOCK, span), 0);
	assert_int_equal(add(c, RECORD_CPU, 0), 1);    /* in no span */
	assert_int_equal(add(c, RECORD_ALLOC, 1), 1);  /* heap samples never wait */
	assert_int_equal(end(c, 1, 0, 1001, 1, 0), 3); /* slow */
	assert_int_equal(end(c, 2, 0, 100, 90, 0), 3); /* busy */
	assert_int_equal(end(c, 3, 0, 100, 1, RECORD_FAILED), 3);
	assert_int_equal(end(c, 4, 0, 100, 50, 0), 0);
	assert_int_equal(end(c, 4, 0, 100, 50, RECORD_FAILED), 0); /* already decided */
	conditional_counters(c, &n);
	assert_int_equal(n.kept_spans, 3);
	assert_int_equal(n.dropped_spans, 1);
	assert_int_equal(n.dropped_records, 3);
	assert_int_equal(n.held, 0);
	conditional_free(c);
}

static void failed_spans_are_kept_unless_disabled(void **state)
{
	struct conditional_options o = {
		.slow_ns = 1000ull * MS, .busy_share = 0.8, .no_failed = true};
	struct conditional *c;

	(void)state;
	assert_ok(conditional_new(&c, &o));
	add(c, RECORD_CPU, 1);
	add(c, RECORD_CPU, 2);
	assert_int_equal(end(c, 1, 0, 100, 1, RECORD_FAILED), 0);
	assert_int_equal(end(c, 2, 0, 1001, 1, RECORD_FAILED), 1); /* also slow */
	conditional_free(c);
}

static void a_slow_request_keeps_samples_of_its_fast_children(void **state)
{
	struct conditional *c = begin(0);

	(void)state;
	add(c, RECORD_CPU, 1);
	add(c, RECORD_CPU, 2);
	assert_int_equal(end(c, 2, 1, 10, 1, 0), 0);
	add(c, RECORD_CPU, 3);
	assert_int_equal(end(c, 3, 1, 10, 1, 0), 0);
	assert_int_equal(end(c, 1, 0, 5000, 1, 0), 3);
	assert_int_equal(went_on[2], 1); /* with the id of their span */
	assert_int_equal(went_on[3], 1);
	add(c, RECORD_CPU, 5);
	assert_int_equal(end(c, 5, 4, 10, 1, 0), 0);
	assert_int_equal(end(c, 4, 0, 20, 1, 0), 0);
	assert_int_equal(went_on[5], 0);
	conditional_free(c);
}

static void the_oldest_span_is_evicted_over_the_limit(void **state)
{
	struct conditional *c = begin(64);
	struct conditional_counters n;

	(void)state;
	for (unsigned i = 0; i < 1000; i++)
		assert_int_equal(add(c, RECORD_CPU, (uint8_t)(1 + i / 40)), 0);
	conditional_counters(c, &n);
	assert_true(n.held <= 64);
	assert_int_equal(n.held + n.evicted_records, 1000);
	assert_int_equal(end(c, 25, 0, 2000, 0, 0), 40);
	assert_int_equal(end(c, 1, 0, 2000, 0, 0), 0);
	conditional_reset(c);
	/* more spans than entries */
	for (unsigned i = 1; i < 200; i++)
		add(c, RECORD_CPU, (uint8_t)i);
	assert_int_equal(end(c, 199, 0, 2000, 0, 0), 1);
	conditional_free(c);
}

static void a_busy_share_of_one_keeps_no_span(void **state)
{
	struct conditional_options o = {
		.slow_ns = 1000ull * MS, .busy_share = 1, .max_records = 64};
	struct conditional *c;

	(void)state;
	assert_ok(conditional_new(&c, &o));
	assert_int_equal(add(c, RECORD_CPU, 1), 0);
	assert_int_equal(end(c, 1, 0, 20, 21, 0), 0); /* CPU time over wall time */
	conditional_free(c);
}

static void many_spans_in_any_order_are_kept_apart(void **state)
{
	struct conditional *c = begin(256);
	struct conditional_counters n;
	unsigned random = 1, added = 0, out = 0;

	(void)state;
	for (unsigned i = 0; i < 200000; i++) {
		random = random * 1664525u + 1013904223u;
		uint8_t span = (uint8_t)(1 + (random >> 24) % 100);

		switch (random >> 8 & 7) {
		case 0:
			out += end(c, span, 0, 2000, 0, 0);
			break;
		case 1:
			out += end(c, span, (uint8_t)(span + 100), 1, 0, 0);
			break;
		case 2:
			out += end(c, (uint8_t)(span + 100), 0, 1, 0, RECORD_FAILED);
			break;
		default:
			added++;
			add(c, RECORD_WALL, span);
		}
	}
	conditional_counters(c, &n);
	assert_int_equal(added, out + n.dropped_records + n.evicted_records + n.held);
	conditional_free(c);
}

TEST_MAIN(test(samples_are_held_until_their_span_ends), test(failed_spans_are_kept_unless_disabled),
	  test(a_slow_request_keeps_samples_of_its_fast_children),
	  test(the_oldest_span_is_evicted_over_the_limit), test(a_busy_share_of_one_keeps_no_span),
	  test(many_spans_in_any_order_are_kept_apart))

/* SPDX-License-Identifier: Apache-2.0 */
/* Intervals of single kinds of profiles: parsing, and the windows of a running collector. */
#include "sdk/profile/schedule.h"

#include <errno.h>

#include "base/clock.h"
#include "sdk/collect/window.h"
#include "test/test.h"

static void a_schedule_names_kinds_with_their_intervals(void **state)
{
	struct schedule s;
	struct err e = {0};

	(void)state;
	assert_ok_err(schedule_read(&s, "cpu=10s/60s, heap=30s,wall=500ms/2m", &e), &e);
	assert_int_equal(s.count, 3);
	assert_int_equal(s.rows[0].kind, VARVE_CPU);
	assert_int_equal(s.rows[0].part_ns, 10 * NS_PER_SECOND);
	assert_int_equal(s.rows[0].every_ns, 60 * NS_PER_SECOND);
	assert_int_equal(s.rows[1].part_ns, 0);
	assert_int_equal(s.rows[2].every_ns, 120 * NS_PER_SECOND);
	assert_int_equal(schedule_kinds(&s), VARVE_CPU | VARVE_HEAP | VARVE_WALL);
	assert_int_equal(schedule_part_kinds(&s), VARVE_CPU | VARVE_WALL);
	assert_ok(schedule_read(&s, NULL, &e));
	assert_ok(schedule_read(&s, "", &e));
	assert_int_equal(schedule_kinds(&s), 0);
}

static const struct {
	const char *text, *says;
} wrong[] = {
	{"cpu", "expected lengths"},
	{"cpu=", "expected lengths"},
	{"cpu=10s/", "expected lengths"},
	{"cpu=/10s", "expected lengths"},
	{"cpu=10x/60s", "expected lengths"},
	{"cpu=60s/10s", "the part is not shorter"},
	{"cpu=60s/60s", "the part is not shorter"},
	{"cpu=2h", "expected lengths"},
	{"gpu=10s/60s", "expected one kind"},
	{"all=10s/60s", "expected one kind"},
	{"=10s", "expected one kind"},
	{"cpu=10s/60s,cpu=30s", "named twice"},
	{"heap=10s/60s", "memory is recorded always"},
	{"threads=1s/60s", "a dump has no length"},
};

static void errors_name_the_part_and_the_reason(void **state)
{
	(void)state;
	for (size_t i = 0; i < countof(wrong); i++) {
		struct schedule s;
		struct err e = {0};

		if (schedule_read(&s, wrong[i].text, &e) != -EINVAL)
			fail_msg("%s was accepted", wrong[i].text);
		assert_err_says(&e, wrong[i].says);
		assert_err_says(&e, "profiling.schedule: \"");
	}
}

/* -- with a collector -------------------------------------------------------------------------- */

static struct {
	unsigned calls, kinds;
	uint64_t length_ns;
} ended;

static void note_end(void *arg, struct window *w, enum varve_profile kind)
{
	(void)arg;
	ended.calls++;
	ended.kinds |= kind;
	ended.length_ns = w->end_ns - w->start_ns;
}

static void windows_begin_and_end_by_the_clock(void **state)
{
	struct varve_options o = {.cpu_hz = 10,
				  .wall_hz = 10,
				  .heap_interval = 1 << 20,
				  .block_interval_ns = 10000,
				  .export_interval_ms = 3600000,
				  .max_stack_depth = 64,
				  .max_samples_per_export = 100};
	struct budget budget = {.limit = 64 * MIB};
	struct collect_options options = {
		.o = &o, .budget = &budget, .stack_bytes = 4 * MIB, .table_bytes = 4 * MIB};
	struct collector *c;
	struct schedule s;
	struct err e = {0};

	(void)state;
	assert_ok_err(schedule_read(&s, "cpu=10s/60s,mutex=30s", &e), &e);
	assert_ok_err(collect_new(&c, &options, &e), &e);
	/* the times are given, so nothing here depends on the speed of the machine */
	schedule_tick(&s, c, VARVE_CPU | VARVE_MUTEX, 1 * NS_PER_SECOND, note_end, NULL);
	assert_non_null(s.rows[0].window);
	assert_non_null(s.rows[1].window);
	schedule_tick(&s, c, VARVE_CPU | VARVE_MUTEX, 10 * NS_PER_SECOND, note_end, NULL);
	assert_int_equal(ended.calls, 0);
	schedule_tick(&s, c, VARVE_CPU | VARVE_MUTEX, 11 * NS_PER_SECOND, note_end, NULL);
	assert_int_equal(ended.calls, 1);
	assert_int_equal(ended.kinds, VARVE_CPU);
	assert_null(s.rows[0].window); /* the pause */
	schedule_tick(&s, c, VARVE_CPU | VARVE_MUTEX, 60 * NS_PER_SECOND, note_end, NULL);
	assert_int_equal(ended.calls, 2);
	assert_int_equal(ended.kinds, VARVE_CPU | VARVE_MUTEX);
	assert_null(s.rows[0].window);
	assert_non_null(s.rows[1].window); /* without a pause */
	schedule_tick(&s, c, VARVE_CPU | VARVE_MUTEX, 61 * NS_PER_SECOND, note_end, NULL);
	assert_non_null(s.rows[0].window);
	schedule_flush(&s, c, note_end, NULL);
	assert_int_equal(ended.calls, 4);
	assert_non_null(s.rows[0].window); /* the rest of the part */
	/* a kind that is disabled ends at once, and does not begin */
	schedule_tick(&s, c, VARVE_MUTEX, 62 * NS_PER_SECOND, note_end, NULL);
	assert_int_equal(ended.calls, 5);
	schedule_tick(&s, c, VARVE_MUTEX, 500 * NS_PER_SECOND, note_end, NULL);
	assert_null(s.rows[0].window);
	collect_free(c);
}

TEST_MAIN(test(a_schedule_names_kinds_with_their_intervals),
	  test(errors_name_the_part_and_the_reason), test(windows_begin_and_end_by_the_clock))

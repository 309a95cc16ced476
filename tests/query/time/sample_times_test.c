/* SPDX-License-Identifier: Apache-2.0 */
/* The map of samples by their own times: columns are steps, rows are parts of a step. */
#include "query/time/sample_times.h"

#include <stdio.h>

#include "base/clock.h"
#include "signal/random_batch.h"
#include "test/memory_store.h"
#include "test/store_fill.h"

#define CPU "process_cpu:cpu:nanoseconds:cpu:nanoseconds"
#define S NS_PER_SECOND
#define MS NS_PER_MS
#define T0 1700000000

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

static void put_sample(struct store *s, uint64_t time, int64_t value)
{
	char samples[128];
	struct fill f = {
		.type = CPU, .labels = "service_name=a", .time = T0 * S, .samples = samples};

	snprintf(samples, sizeof(samples), "main;work %lld", (long long)value);
	if (time)
		snprintf(samples, sizeof(samples), "main;work %lld @%llu", (long long)value,
			 (unsigned long long)time);
	assert_ok(store_fill(s, &f, NULL));
}

static void open_sample_times(struct sample_times *m, struct store *s, uint32_t rows,
			      const struct time_filter *times)
{
	static const struct store_select everything = {.to = UINT64_MAX};
	struct err e = {0};

	assert_ok(sample_times_init(m, rows, NULL, times, NULL));
	assert_ok_err(sample_times_add(m, s, &everything, &e), &e);
}

static int64_t value_at(const struct sample_times *m, uint64_t time)
{
	uint64_t row = time % m->step * m->rows / m->step;

	assert_true(time / m->step >= m->first && time / m->step < m->first + m->columns);
	return m->values[(time / m->step - m->first) * m->rows + row];
}

static void samples_are_in_the_cells_of_their_times(void **state)
{
	struct sample_times m;

	put_sample(*state, T0 * S + 19 * MS, 3);
	put_sample(*state, T0 * S + 20 * MS, 4);
	put_sample(*state, (T0 + 2) * S + 999 * MS, 5);
	put_sample(*state, (T0 - 1) * S, 6); /* before the existing columns */
	put_sample(*state, 0, 100);	     /* no time */
	open_sample_times(&m, *state, 50, NULL);
	assert_int_equal(m.step, S);
	assert_int_equal(m.first, T0 - 1);
	assert_int_equal(m.columns, 4);
	assert_int_equal(m.values[0], 6);
	assert_int_equal(m.values[50], 3);
	assert_int_equal(m.values[51], 4);
	assert_int_equal(m.values[3 * 50 + 49], 5);
	assert_int_equal(m.timed, 18);
	assert_int_equal(m.total, 118);
	sample_times_fini(&m);
}

static void without_times_there_is_no_map(void **state)
{
	struct sample_times m;

	put_sample(*state, 0, 100);
	open_sample_times(&m, *state, 50, NULL);
	assert_int_equal(m.columns, 0);
	assert_int_equal(m.timed, 0);
	assert_int_equal(m.total, 100);
	sample_times_fini(&m);
}

/* For any range and order each value is in the cell that the final step determines. */
static void long_ranges_have_larger_steps(void **state)
{
	static const struct {
		uint64_t range, step; /* seconds */
	} cases[] = {{899, 1},	   {1790, 2},	    {8000, 10},
		     {86000, 120}, {2000000, 3600}, {60000000, 86400}};

	for (size_t c = 0; c < countof(cases); c++) {
		enum { N = 200 };
		uint64_t times[N], seed = c;
		struct store *s;
		struct sample_times m;
		int64_t sum = 0;

		assert_ok(memory_store_open(&s));
		for (unsigned i = 0; i < N; i++) {
			times[i] = (T0 + test_random(&seed, (uint32_t)cases[c].range)) * S +
				   test_random(&seed, 1000) * MS;
			if (i < 2)
				times[i] = (T0 + i * (cases[c].range - 1)) * S;
			put_sample(s, times[i], 1);
		}
		open_sample_times(&m, s, 7, NULL);
		assert_int_equal(m.step, cases[c].step * S);
		assert_in_range(m.columns, 1, SAMPLE_TIMES_COLUMNS);
		for (unsigned i = 0; i < N; i++) {
			int64_t same = 0;

			for (unsigned k = 0; k < N; k++)
				same += times[k] / m.step == times[i] / m.step &&
					times[k] % m.step * 7 / m.step ==
						times[i] % m.step * 7 / m.step;
			assert_int_equal(value_at(&m, times[i]), same);
		}
		for (uint32_t i = 0; i < m.columns * m.rows; i++)
			sum += m.values[i];
		assert_int_equal(sum, N);
		sample_times_fini(&m);
		s->ops->close(s);
	}
	(void)state;
}

/* All columns have samples while the map is made coarser repeatedly. */
static void a_full_map_is_made_coarser(void **state)
{
	enum { AT_ONCE = 500, RANGE = 12 * SAMPLE_TIMES_COLUMNS };
	char *samples = calloc(AT_ONCE, 64);
	struct sample_times m;
	int64_t sum = 0;

	for (uint64_t at = 0; at < RANGE; at += AT_ONCE) {
		struct fill f = {.type = CPU,
				 .labels = "service_name=a",
				 .time = (T0 + at) * S,
				 .samples = samples};
		size_t n = 0;

		for (uint64_t i = at; i < at + AT_ONCE && i < RANGE; i++)
			n += (size_t)snprintf(samples + n, 64, "%smain;work 3 @%llu",
					      i > at ? ", " : "", (unsigned long long)(T0 + i) * S);
		assert_ok(store_fill(*state, &f, NULL));
	}
	open_sample_times(&m, *state, 50, NULL);
	assert_true(m.step > 2 * S);
	for (uint32_t i = 0; i < m.columns * m.rows; i++)
		sum += m.values[i];
	assert_int_equal(sum, 3 * RANGE);
	assert_int_equal(m.timed, sum);
	assert_true(m.values[0] && m.values[0] % 3 == 0);
	sample_times_fini(&m);
	free(samples);
}

static void any_time_has_a_cell(void **state)
{
	struct sample_times m;

	put_sample(*state, 1, 1);
	put_sample(*state, UINT64_MAX, 2);
	put_sample(*state, T0 * S, 4);
	open_sample_times(&m, *state, SAMPLE_TIMES_ROWS, NULL);
	assert_in_range(m.columns, 1, SAMPLE_TIMES_COLUMNS);
	assert_int_equal(value_at(&m, 1), 1);
	assert_int_equal(
		m.values[(T0 * S / m.step - m.first) * m.rows +
			 (uint64_t)((unsigned __int128)(T0 * S % m.step) * m.rows / m.step)],
		4);
	assert_int_equal(m.timed, 7);
	sample_times_fini(&m);
}

/* The sum of a rectangle of the map equals the sum of the samples that its filter keeps. */
static void a_rectangle_matches_its_filter(void **state)
{
	struct time_filter rectangle = {.from = (T0 + 1) * S,
					.to = (T0 + 3) * S,
					.phase_step = S,
					.phase_from = 200 * MS,
					.phase_to = 300 * MS};
	struct sample_times all, part;
	int64_t sum = 0;

	for (unsigned i = 0; i < 500; i++)
		put_sample(*state, T0 * S + i * 10 * MS, i);
	put_sample(*state, 0, 100);
	open_sample_times(&all, *state, 50, NULL);
	open_sample_times(&part, *state, 50, &rectangle);
	for (uint32_t column = 1; column < 3; column++)
		for (uint32_t row = 10; row < 15; row++)
			sum += all.values[column * 50 + row];
	assert_int_equal(part.total, sum);
	assert_int_equal(part.timed, sum);
	assert_true(sum > 0 && sum < all.timed);
	sample_times_fini(&all);
	sample_times_fini(&part);
}

#define with_store(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

TEST_MAIN(with_store(samples_are_in_the_cells_of_their_times),
	  with_store(without_times_there_is_no_map), test(long_ranges_have_larger_steps),
	  with_store(a_full_map_is_made_coarser), with_store(any_time_has_a_cell),
	  with_store(a_rectangle_matches_its_filter))

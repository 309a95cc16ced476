/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clock jumps, midnight, and writes that span two days: no data is lost, and a profile with an id
 * is stored once.
 */
#include <sys/stat.h>

#include "store/oracle.h"
#include "store/sqlite/compact/retention.h"

#define FROM (TEST_DAY * TEST_NS_PER_DAY)
#define DAY 86400
#define YEAR (365 * DAY)

struct fixture {
	char directory[64];
	struct store *store;
	struct oracle oracle;
};

static void open_store(struct fixture *f)
{
	struct sqlite_store_options o = {.directory = f->directory, .window_ms = 1, .manual = true};
	struct err e = {0};

	assert_ok_err(sqlite_store_open(&f->store, &o, &e), &e);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	make_directory(f->directory);
	open_store(f);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	f->store->ops->close(f->store);
	arena_fini(&f->oracle.arena);
	remove_tree(f->directory);
	free(f);
	return 0;
}

static void check_all(struct fixture *f)
{
	struct store_select all = {.to = UINT64_MAX};

	check_stacks(f->store, &f->oracle, &all);
}

static void reopen(struct fixture *f)
{
	f->store->ops->close(f->store);
	open_store(f);
}

/* ---- retention ---- */

#define RUNNING(seconds) ((uint64_t)(seconds)*NS_PER_SECOND)

static void retention_follows_a_steady_clock(void **state)
{
	struct retention_clock c = {0};

	(void)state;
	assert_int_equal(retention_now(&c, 50 * YEAR, RUNNING(1)), 50 * YEAR);
	assert_int_equal(retention_now(&c, 50 * YEAR + 10, RUNNING(11)), 50 * YEAR + 10);
	assert_int_equal(retention_now(&c, 50 * YEAR + 10 + DAY, RUNNING(12)),
			 50 * YEAR + 10 + DAY);
	assert_int_equal(retention_now(&c, 50 * YEAR + 10, RUNNING(13)),
			 50 * YEAR + 10); /* set back by a day */
	assert_int_equal(c.jumped_ns, 0);
}

static void a_forward_jump_that_is_undone_has_no_effect(void **state)
{
	struct retention_clock c = {.trusted = 50 * YEAR};

	(void)state;
	assert_int_equal(retention_now(&c, 60 * YEAR, RUNNING(100)), 50 * YEAR);
	assert_int_equal(retention_now(&c, 60 * YEAR + 3600, RUNNING(3700)), 50 * YEAR + 3600);
	assert_int_equal(retention_now(&c, 50 * YEAR + 3700, RUNNING(3800)), 50 * YEAR + 3700);
	assert_int_equal(c.jumped_ns, 0);
}

static void a_forward_jump_is_accepted_after_a_day(void **state)
{
	struct retention_clock c = {.trusted = 50 * YEAR};

	(void)state;
	assert_int_equal(retention_now(&c, 60 * YEAR, RUNNING(100)), 50 * YEAR);
	assert_int_equal(retention_now(&c, 60 * YEAR + DAY - 1, RUNNING(100 + DAY - 1)),
			 50 * YEAR + DAY - 1);
	assert_int_equal(retention_now(&c, 60 * YEAR + DAY, RUNNING(100 + DAY)), 60 * YEAR + DAY);
	assert_int_equal(retention_now(&c, 60 * YEAR + DAY + 10, RUNNING(110 + DAY)),
			 60 * YEAR + DAY + 10);
}

static void a_backward_jump_is_accepted_after_a_day(void **state)
{
	struct retention_clock c = {.trusted = 50 * YEAR};

	(void)state;
	assert_int_equal(retention_now(&c, 40 * YEAR, RUNNING(100)), 50 * YEAR);
	assert_int_equal(retention_now(&c, 40 * YEAR + 3600, RUNNING(3700)), 50 * YEAR + 3600);
	assert_int_equal(retention_now(&c, 40 * YEAR + DAY, RUNNING(100 + DAY)), 40 * YEAR + DAY);
	assert_int_equal(retention_now(&c, 39 * YEAR, RUNNING(200 + DAY)), 40 * YEAR + DAY);
	assert_int_equal(retention_now(&c, 40 * YEAR + DAY + 10, RUNNING(300 + DAY)),
			 40 * YEAR + DAY + 10); /* a jump that is undone has no effect */
	assert_int_equal(c.jumped_ns, 0);
}

/* ---- retries ---- */

/* Make profiles that have ids but no time. */
static void timeless_batch(struct profile_batch *b, uint64_t seed)
{
	support_batch(b, &seed, 5, 8, FROM, FROM + TEST_NS_PER_DAY);
	for (uint32_t i = 0; i < b->profiles.n; i++) {
		b->profiles.at[i].time_unix_nano = 0;
		b->profiles.at[i].id[0] = (uint8_t)(i + 1);
		b->profiles.at[i].id[1] = (uint8_t)seed;
	}
}

static void put_again(struct fixture *f, const struct profile_batch *b, uint64_t received)
{
	uint32_t duplicates = 0;
	struct err e = {0};

	assert_ok_err(put_batch(f->store, &f->oracle, STR(""), b, received, &duplicates, &e), &e);
	assert_int_equal(duplicates, b->profiles.n);
	check_all(f);
}

static void a_retry_after_midnight_is_stored_once(void **state)
{
	struct fixture *f = *state;
	uint64_t midnight = FROM + TEST_NS_PER_DAY;
	struct profile_batch b;
	uint32_t duplicates = 0;
	struct err e = {0};

	timeless_batch(&b, 3);
	assert_ok_err(put_batch(f->store, &f->oracle, STR(""), &b, midnight - NS_PER_SECOND,
				&duplicates, &e),
		      &e);
	assert_int_equal(duplicates, 0);
	put_again(f, &b, midnight + NS_PER_SECOND);
	reopen(f); /* drop everything held in memory */
	put_again(f, &b, midnight + 1800 * NS_PER_SECOND);
	profile_batch_fini(&b);
}

static void a_retry_after_a_clock_change_is_stored_once(void **state)
{
	struct fixture *f = *state;
	struct profile_batch b;
	struct err e = {0};

	timeless_batch(&b, 4);
	assert_ok_err(
		put_batch(f->store, &f->oracle, STR(""), &b, FROM + 7200 * NS_PER_SECOND, NULL, &e),
		&e);
	put_again(f, &b, FROM + 3650 * TEST_NS_PER_DAY + 7200 * NS_PER_SECOND);
	put_again(f, &b, FROM - 30 * TEST_NS_PER_DAY + 7200 * NS_PER_SECOND);
	profile_batch_fini(&b);
}

/*
 * The second day cannot be written: the data of the first day is stored, the write is refused, and
 * a retry adds the rest.
 */
static void a_write_that_failed_between_its_two_days_can_be_retried(void **state)
{
	struct fixture *f = *state;
	char second[128];
	struct profile_batch b;
	struct store_stats stats;
	uint32_t duplicates = 0, first_day = 0;
	uint64_t seed = 9;
	struct err e = {0};

	support_batch(&b, &seed, 12, 8, FROM, FROM + 2 * TEST_NS_PER_DAY);
	for (uint32_t i = 0; i < b.profiles.n; i++) {
		b.profiles.at[i].id[0] = (uint8_t)(i + 1);
		first_day += b.profiles.at[i].time_unix_nano < FROM + TEST_NS_PER_DAY;
	}
	assert_in_range(first_day, 1, b.profiles.n - 1);
	snprintf(second, sizeof(second), "%s/2024-10-05.db", f->directory);
	assert_ok(mkdir(second, 0755));
	assert_true(put_batch(f->store, NULL, STR(""), &b, FROM, NULL, &e) < 0);
	assert_ok(rmdir(second));
	reopen(f); /* as after a kill -9 between the two commits */
	e = (struct err){0};
	assert_ok_err(f->store->ops->stats(f->store, STR(""), &stats, &e), &e);
	assert_int_equal(stats.partitions, 1);
	assert_ok_err(put_batch(f->store, &f->oracle, STR(""), &b, FROM, &duplicates, &e), &e);
	assert_int_equal(duplicates, first_day);
	check_all(f);
	profile_batch_fini(&b);
}

#define with_store(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

TEST_MAIN(test(retention_follows_a_steady_clock), test(a_forward_jump_that_is_undone_has_no_effect),
	  test(a_forward_jump_is_accepted_after_a_day),
	  test(a_backward_jump_is_accepted_after_a_day),
	  with_store(a_retry_after_midnight_is_stored_once),
	  with_store(a_retry_after_a_clock_change_is_stored_once),
	  with_store(a_write_that_failed_between_its_two_days_can_be_retried))

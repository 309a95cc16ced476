/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_ops.version: it increases when the result of a query over the range changes, and rarely
 * otherwise.
 */
#include "store/store_support.h"

#include "test/store_fill.h"

#define CPU "process_cpu:cpu:nanoseconds:cpu:nanoseconds"
#define MINUTE (60 * NS_PER_SECOND)
#define DAY_START (TEST_DAY * TEST_NS_PER_DAY)

struct fixture {
	char directory[64];
	struct store *store;
};

static void open_store(struct fixture *f, bool read_only)
{
	struct sqlite_store_options o = {
		.directory = f->directory, .window_ms = 1, .manual = true, .read_only = read_only};
	struct err e = {0};

	assert_ok_err(sqlite_store_open(&f->store, &o, &e), &e);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	make_directory(f->directory);
	open_store(f, false);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	f->store->ops->close(f->store);
	remove_tree(f->directory);
	free(f);
	return 0;
}

static void put_at(struct fixture *f, uint64_t time)
{
	assert_ok(store_fill(f->store,
			     &(struct fill){.type = CPU,
					    .labels = "service_name=a",
					    .time = time,
					    .samples = "main;work 3"},
			     NULL));
}

static uint64_t version(struct fixture *f, uint64_t from, uint64_t to)
{
	return f->store->ops->version(f->store, from, to);
}

static void a_write_changes_the_version_of_its_minutes(void **state)
{
	struct fixture *f = *state;
	uint64_t t = DAY_START + 600 * MINUTE, before, other, v;

	put_at(f, t);
	before = version(f, t, t + MINUTE);
	other = version(f, t + 10 * MINUTE, t + 20 * MINUTE);
	assert_true(before && other);
	assert_int_equal(version(f, t, t + MINUTE), before);
	put_at(f, t + 5);
	v = version(f, t, t + MINUTE);
	assert_true(v > before);
	assert_int_equal(version(f, t + 10 * MINUTE, t + 20 * MINUTE), other);
	/* every range that includes the minute */
	assert_int_equal(version(f, 0, UINT64_MAX), v);
	assert_int_equal(version(f, t + 5, t + 6), v);
	/* boundaries: `to` is exclusive */
	put_at(f, t + 20 * MINUTE);
	assert_int_equal(version(f, t + 10 * MINUTE, t + 20 * MINUTE), other);
	put_at(f, t + 20 * MINUTE - 1);
	assert_true(version(f, t + 10 * MINUTE, t + 20 * MINUTE) > other);
	put_at(f, t + 10 * MINUTE);
	assert_true(version(f, t + 10 * MINUTE, t + 10 * MINUTE + 1) > other);
}

static void days_have_independent_versions(void **state)
{
	struct fixture *f = *state;
	uint64_t next = DAY_START + TEST_NS_PER_DAY, first, v;

	put_at(f, DAY_START + 5);
	first = version(f, DAY_START, next);
	v = version(f, DAY_START, next + 1);
	put_at(f, next); /* creates the partition of the day */
	assert_int_equal(version(f, DAY_START, next), first);
	assert_true(version(f, DAY_START, next + 1) > v);
	v = version(f, next, next + TEST_NS_PER_DAY);
	put_at(f, next - 1);
	assert_true(version(f, DAY_START, next) > first);
	assert_int_equal(version(f, next, next + TEST_NS_PER_DAY), v);
}

static void merging_does_not_change_the_version(void **state)
{
	struct fixture *f = *state;
	struct err e = {0};
	uint64_t v;

	for (unsigned i = 0; i < 10; i++)
		put_at(f, DAY_START + i * 200 * MINUTE / 10);
	v = version(f, 0, UINT64_MAX);
	assert_ok_err(sqlite_store_work(f->store, true, &e), &e);
	assert_int_equal(version(f, 0, UINT64_MAX), v);
	put_at(f, DAY_START);
	assert_true(version(f, 0, UINT64_MAX) > v);
}

static void a_deletion_changes_the_version_of_the_day(void **state)
{
	struct fixture *f = *state;
	struct selector all;
	struct store_select s = {.selector = &all, .from = DAY_START, .to = DAY_START + MINUTE};
	struct err e = {0};
	uint64_t profiles, v;

	put_at(f, DAY_START);
	put_at(f, DAY_START + 10 * MINUTE);
	selector_init(&all);
	v = version(f, DAY_START, DAY_START + MINUTE);
	assert_ok_err(f->store->ops->remove(f->store, &s, &profiles, &e), &e);
	assert_int_equal(profiles, 1);
	assert_true(version(f, DAY_START, DAY_START + MINUTE) > v);
	/* merged data changes the version of the whole day */
	assert_ok_err(sqlite_store_work(f->store, true, &e), &e);
	v = version(f, DAY_START + 10 * MINUTE, DAY_START + 11 * MINUTE);
	s.to = UINT64_MAX;
	assert_ok_err(f->store->ops->remove(f->store, &s, &profiles, &e), &e);
	assert_int_equal(profiles, 1);
	assert_true(version(f, DAY_START + 10 * MINUTE, DAY_START + 11 * MINUTE) > v);
	selector_fini(&all);
}

static int visit_nothing(void *ctx, uint32_t series, const struct store_series *s)
{
	(void)ctx;
	(void)series;
	(void)s;
	return 0;
}

static void finding_a_damaged_day_changes_the_version(void **state)
{
	struct fixture *f = *state;
	struct store_missing missing = {0};
	struct store_select s = {.to = UINT64_MAX, .limits.missing = &missing};
	struct err e = {0};
	char path[128];
	uint64_t v;
	FILE *file;

	put_at(f, DAY_START);
	f->store->ops->close(f->store);
	snprintf(path, sizeof(path), "%s/2024-10-04.db", f->directory);
	file = fopen(path, "r+");
	assert_non_null(file);
	assert_int_equal(fwrite("this is no database", 1, 19, file), 19);
	fclose(file);
	open_store(f, false);
	v = version(f, DAY_START, DAY_START + 1);
	assert_ok_err(f->store->ops->series(f->store, &s, visit_nothing, NULL, &e), &e);
	assert_int_equal(missing.n, 1);
	assert_true(version(f, DAY_START, DAY_START + 1) > v);
}

/*
 * A read-only store returns version 0, because another process may write. Versions differ between
 * runs.
 */
static void a_read_only_store_has_no_version(void **state)
{
	struct fixture *f = *state;
	uint64_t v;

	put_at(f, DAY_START);
	v = version(f, 0, UINT64_MAX);
	f->store->ops->close(f->store);
	open_store(f, true);
	assert_int_equal(version(f, 0, UINT64_MAX), 0);
	f->store->ops->close(f->store);
	open_store(f, false);
	assert_true(version(f, 0, UINT64_MAX) > v);
}

TEST_MAIN(cmocka_unit_test_setup_teardown(a_write_changes_the_version_of_its_minutes, setup,
					  teardown),
	  cmocka_unit_test_setup_teardown(days_have_independent_versions, setup, teardown),
	  cmocka_unit_test_setup_teardown(merging_does_not_change_the_version, setup, teardown),
	  cmocka_unit_test_setup_teardown(a_deletion_changes_the_version_of_the_day, setup,
					  teardown),
	  cmocka_unit_test_setup_teardown(finding_a_damaged_day_changes_the_version, setup,
					  teardown),
	  cmocka_unit_test_setup_teardown(a_read_only_store_has_no_version, setup, teardown))

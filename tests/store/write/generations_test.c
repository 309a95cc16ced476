/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A service whose dictionary (book) is full gets a new one: query results, retries and limits do
 * not change.
 */
#include <sqlite3.h>

#include "signal/profile/profile_rows.h"
#include "store/oracle.h"
#include "store/sqlite/sqlite_store.h"

#define FROM (TEST_DAY * TEST_NS_PER_DAY)
#define HOUR (3600 * NS_PER_SECOND)

struct fixture {
	char directory[64];
	struct sqlite_store_options options;
	struct store *store;
	struct oracle oracle;
};

/* Set limits so that a book is full after the first write to it. */
static int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct err e = {0};

	make_directory(f->directory);
	f->options = (struct sqlite_store_options){
		.directory = f->directory, .window_ms = 1, .manual = true, .book_bytes = 1};
	f->oracle.mean_tolerance = 1;
	assert_ok_err(sqlite_store_open(&f->store, &f->options, &e), &e);
	*state = f;
	return 0;
}

static int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	f->store->ops->close(f->store);
	arena_fini(&f->oracle.arena);
	remove_tree(f->directory);
	free(f);
	return 0;
}

static void reopen(struct fixture *f)
{
	struct err e = {0};

	f->store->ops->close(f->store);
	assert_ok_err(sqlite_store_open(&f->store, &f->options, &e), &e);
}

static void work(struct fixture *f, bool all)
{
	struct err e = {0};

	assert_ok_err(sqlite_store_work(f->store, all, &e), &e);
}

static void on_problem(void *context, const char *partition, const char *text)
{
	(void)context;
	fail_msg("partition %s: %s", partition, text);
}

static void check_store(struct fixture *f)
{
	struct sqlite_store_report report = {.problem = on_problem};
	uint64_t problems;
	struct err e = {0};

	assert_ok_err(sqlite_store_check(f->store, &report, &problems, &e), &e);
	assert_int_equal(problems, 0);
}

/* Return the number that an SQL query selects from the first day's file. */
static int64_t ask_file(struct fixture *f, const char *sql)
{
	sqlite3 *db;
	sqlite3_stmt *s;
	char path[128];
	int64_t n;

	snprintf(path, sizeof(path), "%s/2024-10-04.db", f->directory);
	db = open_test_database(path, SQLITE_OPEN_READONLY);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &s, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(s), SQLITE_ROW);
	n = sqlite3_column_int64(s, 0);
	sqlite3_finalize(s);
	sqlite3_close(db);
	return n;
}

static void put_random(struct fixture *f, uint64_t *seed, uint64_t from, uint64_t to)
{
	struct profile_batch b;
	struct err e = {0};

	support_batch(&b, seed, 6, 12, from, to);
	assert_ok_err(put_batch(f->store, &f->oracle, STR(""), &b, from, NULL, &e), &e);
	profile_batch_fini(&b);
}

/* All profiles are within an hour, so that slots have profiles of several books. */
static void results_are_those_of_a_single_dictionary(void **state)
{
	struct fixture *f = *state;
	uint64_t seed = 5, to = FROM + HOUR;

	for (unsigned i = 0; i < 12; i++) {
		put_random(f, &seed, FROM, to);
		if (i == 5)
			work(f, false);
		if (i == 8)
			reopen(f);
	}
	assert_true(ask_file(f, "SELECT count(*) FROM book") > 12);
	check_answers(f->store, &f->oracle, 50, FROM, to, 20);
	work(f, true);
	check_store(f);
	check_answers(f->store, &f->oracle, 51, FROM, to, 20);
	reopen(f);
	check_answers(f->store, &f->oracle, 52, FROM, to, 20);
	put_random(f, &seed, FROM, to); /* arrives after the hour was rolled up */
	check_answers(f->store, &f->oracle, 53, FROM, to, 12);
	work(f, true);
	check_answers(f->store, &f->oracle, 54, FROM, to, 12);
	check_store(f);
}

/* After a restart the last book of a service is used again if it has room. */
static void a_book_with_room_is_reused_after_a_restart(void **state)
{
	struct fixture *f = *state;
	uint64_t seed = 6, to = FROM + 2 * HOUR;
	int64_t books;

	put_random(f, &seed, FROM, to);
	put_random(f, &seed, FROM, to);
	books = ask_file(f, "SELECT count(*) FROM book");
	f->options.book_bytes = 0;
	reopen(f);
	for (unsigned i = 0; i < 8; i++)
		put_random(f, &seed, FROM, to);
	assert_in_range(ask_file(f, "SELECT count(*) FROM book"), books, books + 3);
	check_answers(f->store, &f->oracle, 60, FROM, to, 12);
}

static void put_again(struct fixture *f, const struct profile_batch *b, uint32_t expected)
{
	uint32_t duplicates = 0;
	struct err e = {0};

	assert_ok_err(put_batch(f->store, &f->oracle, STR(""), b, FROM, &duplicates, &e), &e);
	assert_int_equal(duplicates, expected);
}

/*
 * A retry arrives after the service got a new book: at once, from level 0 after a restart, and from
 * chunks.
 */
static void a_retry_is_recognized_after_the_book_changed(void **state)
{
	struct fixture *f = *state;
	uint64_t seed = 7, other = 8;
	uint32_t with_id = 0, first = UINT32_MAX;
	struct profile_batch b;

	support_batch(&b, &seed, 20, 5, FROM, FROM + 2 * HOUR);
	for (uint32_t i = 0; i < b.profiles.n; i++) {
		b.profiles.at[i].id[0] = (uint8_t)(i + 1);
		/* profiles without samples have no series */
		with_id += b.profiles.at[i].sample_count != 0;
		if (b.profiles.at[i].sample_count && first == UINT32_MAX)
			first = i;
	}
	put_again(f, &b, 0);
	put_random(f, &other, FROM, FROM + 2 * HOUR);
	put_again(f, &b, with_id);
	reopen(f);
	put_again(f, &b, with_id);
	work(f, true);
	put_random(f, &other, FROM, FROM + 2 * HOUR);
	put_again(f, &b, with_id);
	reopen(f);
	put_again(f, &b, with_id);
	check_answers(f->store, &f->oracle, 61, FROM, FROM + 2 * HOUR, 12);
	b.profiles.at[first].time_unix_nano += 1; /* now a different profile */
	put_again(f, &b, with_id - 1);
	profile_batch_fini(&b);
}

static void a_deletion_covers_all_books(void **state)
{
	struct fixture *f = *state;
	struct selector selector;
	struct store_select s = {.selector = &selector, .to = UINT64_MAX};
	uint64_t seed = 9, removed, left = 0;
	struct store_stats stats;
	struct err e = {0};

	for (unsigned i = 0; i < 6; i++)
		put_random(f, &seed, FROM, FROM + HOUR);
	work(f, true);
	put_random(f, &seed, FROM, FROM + HOUR);
	selector_init(&selector);
	assert_ok_err(selector_parse(&selector, STR("{service_name=\"service_1\"}"), &e), &e);
	assert_ok_err(f->store->ops->remove(f->store, &s, &removed, &e), &e);
	for (uint32_t i = 0; i < f->oracle.facts.n; i++) {
		const struct fact *fact = &f->oracle.facts.at[i];

		left += !fact->stack.p && !fact_selected(fact, &s); /* counts each profile once */
	}
	selector_fini(&selector);
	assert_true(removed > 0);
	assert_ok_err(f->store->ops->stats(f->store, STR(""), &stats, &e), &e);
	assert_int_equal(stats.profiles, left);
	check_store(f);
}

/* A write that is larger than a whole book is refused and leaves no data. */
static void a_write_larger_than_a_book_is_refused(void **state)
{
	enum { STACKS = 3000 };
	struct fixture *f = *state;
	struct profile_builder builder;
	struct profile_batch b;
	uint64_t seed = 1;
	char name[64];
	struct err e = {0};

	assert_ok(profile_batch_init(&b, NULL));
	assert_ok(profile_builder_init(&builder, &b));
	assert_ok(support_profile(&builder, &seed, FROM + NS_PER_SECOND, false));
	for (uint32_t i = 0; i < STACKS; i++) {
		uint32_t location, stack;

		assert_ok(profile_add_frame(&builder, test_text(name, sizeof(name), "f", i),
					    STR("file"), 1, &location));
		assert_ok(profile_add_stack(&builder, &location, 1, &stack));
		assert_ok(profile_add_sample(&builder, stack, 0, NULL, 0, 1));
	}
	put_random(f, &seed, FROM, FROM + HOUR);
	assert_int_equal(put_batch(f->store, NULL, STR(""), &b, FROM, NULL, &e), -EDQUOT);
	profile_batch_fini(&b);
	put_random(f, &seed, FROM, FROM + HOUR);
	check_answers(f->store, &f->oracle, 62, FROM, FROM + HOUR, 12);
	check_store(f);
}

TEST_MAIN(test_with(fixture, results_are_those_of_a_single_dictionary),
	  test_with(fixture, a_book_with_room_is_reused_after_a_restart),
	  test_with(fixture, a_retry_is_recognized_after_the_book_changed),
	  test_with(fixture, a_deletion_covers_all_books),
	  test_with(fixture, a_write_larger_than_a_book_is_refused))

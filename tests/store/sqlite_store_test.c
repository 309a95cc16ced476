/* SPDX-License-Identifier: Apache-2.0 */
/* The embedded store, compared with an oracle that computes every sum from a flat list. */
#include <sqlite3.h>

#include "signal/profile/profile_rows.h"
#include "store/oracle.h"
#include "store/sqlite/catalog/directory.h"
#include "store/sqlite/catalog/schema.h"

struct fixture {
	char directory[64];
	struct sqlite_store_options options;
	struct store *store;
	struct oracle oracle;
};

static int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct err e = {0};

	make_directory(f->directory);
	f->options = (struct sqlite_store_options){
		.directory = f->directory, .window_ms = 1, .manual = true};
	assert_ok_err(sqlite_store_open(&f->store, &f->options, &e), &e);
	*state = f;
	return 0;
}

static int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	if (f->store)
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
	f->store = NULL;
	assert_ok_err(sqlite_store_open(&f->store, &f->options, &e), &e);
}

#define FROM (TEST_DAY * TEST_NS_PER_DAY)

static void put_random(struct fixture *f, uint64_t *seed, struct str tenant, uint64_t from,
		       uint64_t to)
{
	struct profile_batch b;
	struct err e = {0};

	support_batch(&b, seed, 6, 12, from, to);
	assert_ok_err(put_batch(f->store, &f->oracle, tenant, &b, from, NULL, &e), &e);
	profile_batch_fini(&b);
}

static void put_days(struct fixture *f, uint64_t *seed, unsigned batches)
{
	for (unsigned i = 0; i < batches; i++)
		put_random(f, seed, i % 3 == 2 ? STR("second") : STR(""),
			   FROM + (i % 2) * 20 * 3600 * NS_PER_SECOND,
			   FROM + (30 + i % 2) * 3600 * NS_PER_SECOND);
}

static void queries_of_an_empty_store_return_nothing(void **state)
{
	struct fixture *f = *state;
	struct store_stats stats;
	struct err e = {0};

	check_answers(f->store, &f->oracle, 1, FROM, FROM + TEST_NS_PER_DAY, 7);
	assert_ok_err(f->store->ops->stats(f->store, STR(""), &stats, &e), &e);
	assert_int_equal(stats.profiles, 0);
	assert_int_equal(stats.oldest, 0);
}

static void every_result_is_the_sum_of_the_writes(void **state)
{
	struct fixture *f = *state;
	uint64_t seed = 7;

	put_days(f, &seed, 20);
	check_answers(f->store, &f->oracle, 3, FROM, FROM + 2 * TEST_NS_PER_DAY, 40);
}

static void data_survives_reopening(void **state)
{
	struct fixture *f = *state;
	uint64_t seed = 8;

	put_days(f, &seed, 8);
	reopen(f);
	check_answers(f->store, &f->oracle, 4, FROM, FROM + 2 * TEST_NS_PER_DAY, 12);
	put_days(f, &seed, 8);
	check_answers(f->store, &f->oracle, 5, FROM, FROM + 2 * TEST_NS_PER_DAY, 12);
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

/* Verify all checksums and sums of the store. */
static void check_store(struct fixture *f)
{
	struct sqlite_store_report report = {.problem = on_problem};
	uint64_t problems;
	struct err e = {0};

	assert_ok_err(sqlite_store_check(f->store, &report, &problems, &e), &e);
	assert_int_equal(problems, 0);
}

static void merging_and_roll_ups_do_not_change_results(void **state)
{
	struct fixture *f = *state;
	uint64_t seed = 11, to = FROM + 2 * TEST_NS_PER_DAY;

	for (unsigned round = 0; round < 6; round++) {
		put_days(f, &seed, 5);
		if (round % 2)
			check_answers(f->store, &f->oracle, 20 + round, FROM, to, 12);
		work(f, round == 2 || round == 5); /* late profiles arrive in between */
		check_store(f);
		check_answers(f->store, &f->oracle, 20 + round, FROM, to, round == 5 ? 60 : 20);
	}
	reopen(f);
	check_answers(f->store, &f->oracle, 30, FROM, to, 20);
}

/* Return the number that an SQL query selects from the first day's file. */
static int ask_file(const struct fixture *f, const char *sql)
{
	char path[128];
	sqlite3_stmt *s = NULL;
	sqlite3 *db = NULL;
	int n;

	snprintf(path, sizeof(path), "%s/2024-10-04.db", f->directory);
	db = open_test_database(path, SQLITE_OPEN_READONLY);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &s, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(s), SQLITE_ROW);
	n = sqlite3_column_int(s, 0);
	sqlite3_finalize(s);
	sqlite3_close(db);
	return n;
}

/* Return the largest number of chunks of one group and hour that is rolled up. */
static int most_pieces(const struct fixture *f)
{
	return ask_file(f, "SELECT count(*) FROM chunk WHERE kind = 0 AND rolled = 1 "
			   "GROUP BY grp, hour ORDER BY 1 DESC LIMIT 1");
}

static void an_hour_with_many_samples_is_merged_into_several_chunks(void **state)
{
	static const uint32_t sizes[] = {40, 8, 1};
	struct fixture *f = *state;
	uint64_t seed = 12, hour = 3600 * NS_PER_SECOND, to = FROM + 2 * hour;

	for (unsigned round = 0; round < countof(sizes); round++) {
		f->options.merge_samples = sizes[round];
		reopen(f);
		/* each round writes late profiles for hours that are rolled up */
		for (unsigned i = 0; i < 8; i++) {
			put_random(f, &seed, STR(""), FROM, to);
			if (i % 4 == 3)
				work(f, false);
		}
		work(f, true);
		check_store(f);
		check_answers(f->store, &f->oracle, 50 + round, FROM, to, 12);
		assert_true(most_pieces(f) > 1);
	}
}

static void check_cuts(struct fixture *f, uint64_t seed, uint32_t seconds, unsigned rounds)
{
	for (unsigned i = 0; i < rounds; i++) {
		uint32_t a = test_random(&seed, seconds), b = test_random(&seed, seconds);
		struct store_select s = {.from = FROM + (a < b ? a : b) * NS_PER_SECOND + i % 2,
					 .to = FROM + (a < b ? b : a) * NS_PER_SECOND + i % 3};

		check_select(f->store, &f->oracle, &s);
	}
}

static void the_chunks_of_an_hour_are_split_by_time(void **state)
{
	struct fixture *f = *state;
	uint64_t seed = 14, hour = 3600 * NS_PER_SECOND, to = FROM + 2 * hour;

	f->options.chunk_samples = 3;
	reopen(f);
	for (unsigned round = 0; round < 2; round++) { /* the second round adds late profiles */
		for (unsigned i = 0; i < 40; i++)
			put_random(f, &seed, STR(""), FROM, to);
		work(f, true);
		check_store(f);
		check_answers(f->store, &f->oracle, 60 + round, FROM, to, 12);
		assert_in_range(most_pieces(f), 7, 60);
		/*
		 * chunks of an hour do not overlap in time, and each of several chunks has a single
		 * slot
		 */
		assert_int_equal(
			ask_file(f, "SELECT count(*) FROM chunk a JOIN chunk b USING(kind, grp, "
				    "hour) WHERE kind = 0 AND a.id < b.id AND a.first <= b.last "
				    "AND b.first <= a.last"),
			0);
		assert_int_equal(
			ask_file(f,
				 "SELECT count(*) FROM chunk WHERE kind = 0 AND slots0 & (slots0 - "
				 "1) "
				 "AND (grp, hour) IN (SELECT grp, hour FROM chunk WHERE kind = 0 "
				 "GROUP BY 1, 2 HAVING count(*) > 1)"),
			0);
		/*
		 * the mean of a gauge needs all profiles of a series in a slot, so slots are not
		 * split
		 */
		assert_true(
			ask_file(
				f,
				"SELECT max(n) FROM (SELECT count(*) n FROM chunk JOIN groups g ON "
				"g.id = grp WHERE kind = 0 AND g.type LIKE '%inuse%' GROUP BY grp, "
				"hour)") <= 6);
	}
}

static void a_range_of_partial_hours_selects_exactly_its_samples(void **state)
{
	static const uint32_t sizes[] = {0, 100, 0, 20}, chunks[] = {0, 0, 20, 2};
	struct fixture *f = *state;
	uint64_t seed = 13;
	uint32_t seconds = 2 * 3600;

	for (unsigned round = 0; round < countof(sizes); round++) {
		f->options.merge_samples = sizes[round];
		f->options.chunk_samples = chunks[round];
		reopen(f);
		for (unsigned i = 0; i < 12; i++)
			put_random(f, &seed, STR(""), FROM, FROM + seconds * NS_PER_SECOND);
		work(f, true);
		check_cuts(f, 70 + round, seconds, 16);
		for (unsigned i = 0; i < 2; i++) /* arrive after the roll-up */
			put_random(f, &seed, STR(""), FROM, FROM + seconds * NS_PER_SECOND);
		check_cuts(f, 80 + round, seconds, 8);
		work(f, false);
		check_cuts(f, 90 + round, seconds, 8);
	}
}

/* ---- a file of format 2 ---- */

struct old_file {
	struct db db;
	struct arena arena;
	struct partition_state state;
};

static sqlite3_stmt *prepare(struct old_file *f, const char *sql)
{
	sqlite3_stmt *s = NULL;

	assert_int_equal(sqlite3_prepare_v2(f->db.handle, sql, -1, &s, NULL), SQLITE_OK);
	return s;
}

static struct str unpacked(struct old_file *f, uint64_t id, enum frame_kind kind)
{
	sqlite3_stmt *s = prepare(f, "SELECT data FROM blob WHERE id = ?");
	struct err e = {0};
	struct str data, out, copy;

	db_bind(s, 1, id);
	assert_int_equal(sqlite3_step(s), SQLITE_ROW);
	data = str_of(sqlite3_column_blob(s, 0), (size_t)sqlite3_column_bytes(s, 0));
	assert_ok_err(frame_get(data, kind, NULL, &f->arena, &out, &e), &e);
	assert_ok(arena_copy_str(&f->arena, out, &copy));
	sqlite3_finalize(s);
	return copy;
}

/* Move the links to the end of the preceding part, where format 2 had them. */
static void put_links_back(struct old_file *f, struct chunk_entry *c)
{
	struct buf bytes = {0}, frame = {0};
	sqlite3_stmt *s = prepare(f, "UPDATE blob SET data = ? WHERE id = ?");

	buf_put_str(&bytes, unpacked(f, c->parts[PART_LINKED], FRAME_LINKED));
	buf_put_str(&bytes, unpacked(f, c->parts[PART_LINKS], FRAME_LINKS));
	assert_ok(frame_put(&frame, FRAME_LINKED, 1, buf_str(&bytes)));
	sqlite3_bind_blob(s, 1, frame.p, (int)frame.n, SQLITE_STATIC);
	db_bind(s, 2, c->parts[PART_LINKED]);
	assert_int_equal(sqlite3_step(s), SQLITE_DONE);
	sqlite3_finalize(s);
	s = prepare(f, "DELETE FROM blob WHERE id = ?");
	db_bind(s, 1, c->parts[PART_LINKS]);
	assert_int_equal(sqlite3_step(s), SQLITE_DONE);
	sqlite3_finalize(s);
	f->state.fold ^= chunk_sum(c);
	c->parts[PART_LINKS] = 0;
	f->state.fold ^= chunk_sum(c);
	buf_fini(&frame);
	buf_fini(&bytes);
}

static void read_row(sqlite3_stmt *s, uint64_t *fields, size_t n)
{
	for (size_t i = 0; i < n; i++)
		fields[i] = db_u64(s, (int)i);
}

/* Rewrite the file in format 2. Return how many chunks had links. */
static unsigned make_format_2(const char *path)
{
	struct old_file f = {0};
	struct err e = {0};
	unsigned n = 0;
	sqlite3_stmt *s;

	arena_init(&f.arena, NULL);
	assert_ok_err(db_open(&f.db, test_vfs(), path, DB_WRITE, statements, STATEMENTS, &e), &e);
	s = prepare(&f, statements[READ_STATE]);
	assert_int_equal(sqlite3_step(s), SQLITE_ROW);
	read_row(s, &f.state.version, sizeof(f.state) / 8);
	sqlite3_finalize(s);
	s = prepare(&f, statements[READ_CHUNK_GROUPS]);
	while (sqlite3_step(s) == SQLITE_ROW) {
		struct chunk_group g;

		read_row(s, &g.group, sizeof(g) / 8);
		f.state.fold ^= chunk_group_sum(&g);
	}
	sqlite3_finalize(s);
	s = prepare(&f, statements[READ_CHUNKS]);
	while (sqlite3_step(s) == SQLITE_ROW) {
		struct chunk_entry c;

		read_row(s, &c.id, sizeof(c) / 8);
		f.state.fold ^= chunk_sum(&c);
		if (c.parts[PART_LINKS]) {
			put_links_back(&f, &c);
			n++;
		}
	}
	sqlite3_finalize(s);
	assert_ok_err(db_exec(&f.db,
			      "ALTER TABLE chunk DROP COLUMN links; DROP INDEX dictionary_of_book;"
			      "ALTER TABLE groups DROP COLUMN book;"
			      "ALTER TABLE dictionary DROP COLUMN book;"
			      "DROP TABLE book; DROP TABLE book_state;"
			      "DROP TABLE chunk_group; DROP INDEX chunk_of_group;"
			      "DROP TABLE logs; DROP TABLE log_state;"
			      "ALTER TABLE spans DROP COLUMN details;"
			      "ALTER TABLE spans DROP COLUMN column_index;"
			      "ALTER TABLE spans DROP COLUMN details_bytes;"
			      "ALTER TABLE spans DROP COLUMN trace_filter;"
			      "DROP TABLE metrics; DROP TABLE metric_state;"
			      "UPDATE meta SET value = 2 WHERE key = 'format'",
			      &e),
		      &e);
	s = prepare(&f, "UPDATE state SET fold = ?, sum = ?");
	db_bind(s, 1, f.state.fold);
	db_bind(s, 2, state_sum(&f.state));
	assert_int_equal(sqlite3_step(s), SQLITE_DONE);
	sqlite3_finalize(s);
	db_close(&f.db);
	arena_fini(&f.arena);
	return n;
}

static void a_file_of_format_2_is_read_and_upgraded(void **state)
{
	struct fixture *f = *state;
	uint64_t seed = 15, to = FROM + 2 * 3600 * NS_PER_SECOND;
	char path[128];

	snprintf(path, sizeof(path), "%s/2024-10-04.db", f->directory);
	f->options.one_book = true;
	reopen(f);
	for (unsigned i = 0; i < 8; i++)
		put_random(f, &seed, STR(""), FROM, to);
	work(f, true);
	f->store->ops->close(f->store);
	f->options.one_book = false;
	assert_true(make_format_2(path) > 2);
	f->options.read_only = true;
	assert_ok(sqlite_store_open(&f->store, &f->options, NULL));
	check_store(f);
	check_answers(f->store, &f->oracle, 90, FROM, to, 20);
	assert_int_equal(ask_file(f, "SELECT value FROM meta WHERE key = 'format'"), 2);
	f->options.read_only = false;
	reopen(f);
	check_answers(f->store, &f->oracle, 91, FROM, to, 8); /* opens a reader */
	put_random(f, &seed, STR(""), FROM, to);
	work(f, false);
	assert_int_equal(ask_file(f, "SELECT value FROM meta WHERE key = 'format'"),
			 PARTITION_VERSION);
	assert_int_equal(ask_file(f, "SELECT count(*) FROM book"), 1);
	put_random(f, &seed, STR("new"), FROM, to); /* new writes get books of their own */
	assert_true(ask_file(f, "SELECT count(*) FROM book") > 1);
	check_store(f); /* chunks of both kinds */
	check_answers(f->store, &f->oracle, 94, FROM, to, 20);
	reopen(f);
	check_answers(f->store, &f->oracle, 92, FROM, to, 20);
	work(f, true);
	check_store(f);
	check_answers(f->store, &f->oracle, 93, FROM, to, 20);
}

/*
 * Enough profiles in a slot make each slot of a series a section; otherwise an hour is a section.
 */
static void many_profiles_in_a_slot_are_summed_by_slot(void **state)
{
	struct fixture *f = *state;
	uint64_t seed = 16;
	uint32_t seconds = 1700;

	for (unsigned i = 0; i < 60; i++)
		put_random(f, &seed, STR(""), FROM, FROM + seconds * NS_PER_SECOND);
	assert_true(ask_file(f, "SELECT count(*) FROM series") * 3 * 4 < 60 * 6);
	work(f, true);
	check_store(f);
	check_cuts(f, 95, seconds, 24);
	check_answers(f->store, &f->oracle, 96, FROM, FROM + 3600 * NS_PER_SECOND, 12);
}

static void a_retry_is_acknowledged_and_stored_once(void **state)
{
	struct fixture *f = *state;
	struct profile_batch b;
	uint64_t seed = 9;
	uint32_t duplicates, with_id = 0;
	struct err e = {0};

	support_batch(&b, &seed, 20, 5, FROM, FROM + TEST_NS_PER_DAY);
	for (uint32_t i = 0; i < b.profiles.n; i++) {
		b.profiles.at[i].id[0] = (uint8_t)(i + 1);     /* every profile has an id */
		with_id += b.profiles.at[i].sample_count != 0; /* others have no series */
	}
	for (unsigned round = 0; round < 3; round++) {
		assert_ok_err(put_batch(f->store, &f->oracle, STR(""), &b, FROM, &duplicates, &e),
			      &e);
		assert_int_equal(duplicates, round ? with_id : 0);
		if (round == 0)
			work(f, true);
		if (round == 1)
			reopen(f);
	}
	/* the same ids of another tenant are other profiles */
	assert_ok_err(put_batch(f->store, &f->oracle, STR("second"), &b, FROM, &duplicates, &e),
		      &e);
	assert_int_equal(duplicates, 0);
	profile_batch_fini(&b);
	check_answers(f->store, &f->oracle, 6, FROM, FROM + TEST_NS_PER_DAY, 7);
}

/* Delete the selection from the store and from the oracle. */
static void remove_selected(struct fixture *f, const char *text, uint64_t from, uint64_t to)
{
	struct selector selector;
	struct store_select s = {.selector = &selector, .from = from, .to = to};
	uint64_t removed;
	uint32_t n = 0, profiles = 0;
	struct err e = {0};

	selector_init(&selector);
	assert_ok_err(selector_parse(&selector, str_from(text), &e), &e);
	assert_ok_err(f->store->ops->remove(f->store, &s, &removed, &e), &e);
	for (uint32_t i = 0; i < f->oracle.facts.n; i++) {
		const struct fact *fact = &f->oracle.facts.at[i];

		if (!fact_selected(fact, &s))
			f->oracle.facts.at[n++] = *fact;
		else
			profiles += !fact->stack.p; /* the first fact of a profile */
	}
	f->oracle.facts.n = n;
	assert_int_equal(removed, profiles);
	selector_fini(&selector);
}

static void deletion_removes_exactly_the_selection(void **state)
{
	static const char *const texts[] = {"{service_name=\"service_1\"}", "{pod=\"pod_0\"}",
					    "{pod=\"pod_1\", service_name=~\"service_[02]\"}"};
	struct fixture *f = *state;
	uint64_t seed = 12, to = FROM + 2 * TEST_NS_PER_DAY;

	for (unsigned round = 0; round < countof(texts); round++) {
		put_days(f, &seed, 8);
		if (round)
			work(f, round == 1);
		put_days(f, &seed, 3);
		remove_selected(f, texts[round], FROM + round * 5 * 3600 * NS_PER_SECOND + 12345,
				to - 9 * 3600 * NS_PER_SECOND);
		check_store(f);
		check_answers(f->store, &f->oracle, 40 + round, FROM, to, 12);
	}
	reopen(f);
	check_answers(f->store, &f->oracle, 44, FROM, to, 12);
	work(f, true);
	check_store(f);
	check_answers(f->store, &f->oracle, 45, FROM, to, 12);
	remove_selected(f, "{}", 0, UINT64_MAX);
	check_answers(f->store, &f->oracle, 46, FROM, to, 7);
}

static void deleted_profiles_can_be_put_again(void **state)
{
	struct fixture *f = *state;
	struct profile_batch b;
	uint64_t seed = 13;
	uint32_t duplicates;
	struct err e = {0};

	support_batch(&b, &seed, 10, 5, FROM, FROM + TEST_NS_PER_DAY);
	for (uint32_t i = 0; i < b.profiles.n; i++)
		b.profiles.at[i].id[0] = (uint8_t)(i + 1);
	assert_ok_err(put_batch(f->store, &f->oracle, STR(""), &b, FROM, &duplicates, &e), &e);
	remove_selected(f, "{service_name!=\"service_1\"}", FROM, FROM + TEST_NS_PER_DAY);
	assert_ok_err(put_batch(f->store, &f->oracle, STR(""), &b, FROM, &duplicates, &e), &e);
	profile_batch_fini(&b);
	check_answers(f->store, &f->oracle, 47, FROM, FROM + TEST_NS_PER_DAY, 7);
}

static void partitions_are_dropped_by_age_and_by_size_oldest_first(void **state)
{
	struct fixture *f = *state;
	uint64_t seed = 14, now = clock_realtime_ns() / TEST_NS_PER_DAY * TEST_NS_PER_DAY;
	struct store_stats before, after;
	struct err e = {0};

	for (unsigned day = 0; day < 5; day++)
		put_random(f, &seed, STR(""), now - day * TEST_NS_PER_DAY,
			   now - day * TEST_NS_PER_DAY + 3600 * NS_PER_SECOND);
	put_random(f, &seed, STR(""), FROM, FROM + 3600 * NS_PER_SECOND); /* years ago */
	assert_ok_err(f->store->ops->stats(f->store, STR(""), &before, &e), &e);
	assert_int_equal(before.partitions, 6);
	f->options.retention_seconds = 30 * 86400;
	reopen(f);
	work(f, false);
	assert_ok_err(f->store->ops->stats(f->store, STR(""), &after, &e), &e);
	assert_int_equal(after.partitions, 5);
	assert_true(after.oldest >= now - 4 * TEST_NS_PER_DAY);
	f->options.retention_bytes = after.bytes_disk / 2;
	reopen(f);
	work(f, false);
	assert_ok_err(f->store->ops->stats(f->store, STR(""), &after, &e), &e);
	assert_in_range(after.partitions, 1, 3);
	assert_true(after.newest >= now);
}

static void small_segments_of_the_dictionary_are_merged(void **state)
{
	struct fixture *f = *state;
	char path[128], name[32];
	sqlite3 *db;
	sqlite3_stmt *count;

	for (uint32_t i = 0; i < 200; i++) {
		struct profile_batch b;
		struct profile_builder builder;
		uint64_t seed = i;
		uint32_t location, stack;
		struct err e = {0};

		assert_ok(profile_batch_init(&b, NULL));
		assert_ok(profile_builder_init(&builder, &b));
		assert_ok(support_profile(&builder, &seed, FROM + i * NS_PER_SECOND, false));
		assert_ok(profile_add_frame(&builder, test_text(name, sizeof(name), "new_", i),
					    STR("file"), 1, &location));
		assert_ok(profile_add_stack(&builder, &location, 1, &stack));
		assert_ok(profile_add_sample(&builder, stack, 0, NULL, 0, 1 + i));
		assert_ok_err(put_batch(f->store, &f->oracle, STR(""), &b, FROM, NULL, &e), &e);
		profile_batch_fini(&b);
		if (i % 50 == 49)
			check_answers(f->store, &f->oracle, i, FROM, FROM + TEST_NS_PER_DAY, 2);
	}
	snprintf(path, sizeof(path), "%s/2024-10-04.db", f->directory);
	db = open_test_database(path, SQLITE_OPEN_READWRITE);
	assert_int_equal(
		sqlite3_prepare_v2(
			db,
			"SELECT max(n) FROM (SELECT count(*) AS n FROM dictionary GROUP BY book)",
			-1, &count, NULL),
		SQLITE_OK);
	assert_int_equal(sqlite3_step(count), SQLITE_ROW);
	assert_in_range(sqlite3_column_int(count, 0), 1, 70);
	sqlite3_finalize(count);
	sqlite3_close(db);
	reopen(f);
	check_store(f);
	check_answers(f->store, &f->oracle, 60, FROM, FROM + TEST_NS_PER_DAY, 4);
}

enum { TENANTS = 12 };

static struct str tenant_of(char *name, size_t size, uint32_t i)
{
	return i ? test_text(name, size, "tenant_", i) : STR("");
}

static void check_tenants(struct fixture *f, uint64_t to)
{
	char name[32];

	for (uint32_t i = 0; i < TENANTS; i++) {
		struct store_select s = {
			.tenant = tenant_of(name, sizeof(name), i), .from = FROM, .to = to};

		check_select(f->store, &f->oracle, &s);
	}
}

/*
 * Each of two days has three dozen books, of which only a few fit in memory: they are reloaded and
 * grow.
 */
static void books_that_do_not_fit_in_memory_are_reloaded(void **state)
{
	struct fixture *f = *state;
	uint64_t seed = 31, to = FROM + 2 * TEST_NS_PER_DAY;
	char name[32];

	f->options.memory = 1 * MIB;
	for (unsigned round = 0; round < 3; round++) {
		reopen(f);
		for (uint32_t i = 0; i < 2 * TENANTS; i++)
			put_random(f, &seed, tenant_of(name, sizeof(name), i % TENANTS), FROM, to);
		if (round == 1)
			work(f, false);
		if (round == 2)
			work(f, true);
		check_tenants(f, to);
	}
	check_store(f);
	assert_in_range(ask_file(f, "SELECT count(*) FROM book"), 2 * TENANTS, 3 * TENANTS + 1);
}

/* Put a profile with one stack of `frames` distinct functions. */
static int put_deep(struct fixture *f, const char *prefix, uint32_t frames, struct err *e)
{
	struct profile_builder builder;
	struct profile_batch b;
	uint64_t seed = 1;
	uint32_t stack, *locations = calloc(frames, sizeof(*locations));
	char name[32];
	int rc;

	assert_ok(profile_batch_init(&b, NULL));
	assert_ok(profile_builder_init(&builder, &b));
	assert_ok(support_profile(&builder, &seed, FROM + NS_PER_SECOND, false));
	for (uint32_t i = 0; i < frames; i++)
		assert_ok(profile_add_frame(&builder, test_text(name, sizeof(name), prefix, i),
					    STR("file"), 1, &locations[i]));
	assert_ok(profile_add_stack(&builder, locations, frames, &stack));
	assert_ok(profile_add_sample(&builder, stack, 0, NULL, 0, 5));
	rc = put_batch(f->store, NULL, STR("deep"), &b, FROM, NULL, e);
	profile_batch_fini(&b);
	free(locations);
	return rc;
}

static void sum_deep(struct fixture *f, struct stack_tree *tree, struct stack_sums *sums)
{
	struct store_select s = {.tenant = STR("deep"), .from = FROM, .to = FROM + TEST_NS_PER_DAY};
	struct err e = {0};

	assert_ok(stack_tree_init(tree, NULL));
	assert_ok_err(f->store->ops->stacks(f->store, &s, tree, sums, &e), &e);
}

static void a_stack_that_is_too_deep_keeps_its_innermost_frames(void **state)
{
	struct fixture *f = *state;
	struct stack_tree tree;
	struct stack_sums sums = {0};
	struct err e = {0};
	struct arena arena;
	struct str text;

	for (unsigned i = 0; i < 2; i++)
		assert_ok_err(put_deep(f, "f", 5000, &e), &e);
	assert_ok_err(put_deep(f, "f", 4095, &e), &e);
	sum_deep(f, &tree, &sums);
	assert_int_equal(tree.nodes.n, 1 + 4096 + 4095);
	assert_int_equal(sums.self.at[4096], 10);
	assert_int_equal(sums.self.at[4096 + 4095], 5);
	arena_init(&arena, NULL);
	text = node_text(&arena, &tree, 1);
	assert_true(str_find_str(text, STR("[cut]")) < text.n);
	text = node_text(&arena, &tree, 2);
	assert_true(str_find_str(text, STR("f4094")) < text.n);
	arena_fini(&arena);
	stack_tree_fini(&tree);
}

/* Put a profile with `stacks` stacks of one frame each. */
static int put_wide(struct fixture *f, const char *prefix, uint32_t stacks, struct err *e)
{
	struct profile_builder builder;
	struct profile_batch b;
	uint64_t seed = 1;
	char name[64];
	int rc;

	assert_ok(profile_batch_init(&b, NULL));
	assert_ok(profile_builder_init(&builder, &b));
	assert_ok(support_profile(&builder, &seed, FROM + NS_PER_SECOND, false));
	for (uint32_t i = 0; i < stacks; i++) {
		uint32_t location, stack;

		assert_ok(profile_add_frame(&builder, test_text(name, sizeof(name), prefix, i),
					    STR("file"), 1, &location));
		assert_ok(profile_add_stack(&builder, &location, 1, &stack));
		assert_ok(profile_add_sample(&builder, stack, 0, NULL, 0, 1));
	}
	rc = put_batch(f->store, NULL, STR("deep"), &b, FROM, NULL, e);
	profile_batch_fini(&b);
	return rc;
}

/*
 * A service beyond its node limit is refused, the write leaves no data, and other services are not
 * affected.
 */
static void a_service_with_too_many_stacks_does_not_affect_others(void **state)
{
	enum { WIDE = 8000 };
	struct fixture *f = *state;
	uint64_t seed = 33;
	unsigned kept = 0;
	char prefix[32];
	struct stack_tree tree;
	struct stack_sums sums = {0};
	struct err e = {0};

	f->options.memory = 16 * MIB;
	f->options.service_nodes = 20000;
	reopen(f);
	for (unsigned i = 0; i < 12; i++) {
		int rc = put_wide(f, test_text(prefix, sizeof(prefix), "a_long_name_", i).p, WIDE,
				  &e);

		if (rc) {
			assert_int_equal(rc, -EDQUOT);
			/* if the book had to be loaded first, the writer refuses the write */
			assert_true(!e.code || strstr(e.text, "max_stack_nodes"));
			e = (struct err){0};
		}
		kept += !rc;
		put_random(f, &seed, STR(""), FROM, FROM + TEST_NS_PER_DAY);
		assert_ok_err(put_wide(f, "f", 10, &e), &e);
	}
	assert_in_range(kept, 1, 10);
	check_answers(f->store, &f->oracle, 95, FROM, FROM + TEST_NS_PER_DAY, 8);
	sum_deep(f, &tree, &sums);
	assert_int_equal(tree.nodes.n, 1 + 10 + kept * WIDE);
	stack_tree_fini(&tree);
	reopen(f);
	check_store(f);
	assert_true(ask_file(f, "SELECT count(*) FROM groups WHERE tenant = 'deep'") > 1);
}

/* Add a stack whose frames differ from others in only one of name, file and line. */
static uint32_t add_similar_stack(struct profile_builder *b, uint32_t which)
{
	uint32_t locations[4], stack;
	char name[32], file[32];

	for (uint32_t i = 0; i < countof(locations); i++) {
		uint32_t frame = which + i * 7;

		assert_ok(profile_add_frame(b, test_text(name, sizeof(name), "f", frame % 30),
					    test_text(file, sizeof(file), "file", frame % 4),
					    frame % 3, &locations[i]));
	}
	assert_ok(profile_add_stack(b, locations, countof(locations), &stack));
	return stack;
}

/*
 * Choose the k-th stack of the n-th batch: same order as before, with insertions, reversed, or
 * random.
 */
static uint32_t which_stack(uint32_t n, uint32_t k, uint64_t *random)
{
	switch (n % 4) {
	case 0:
		return k;
	case 1:
		return test_random(random, 10) ? k : 1000 + test_random(random, 100);
	case 2:
		return 40 - k;
	default:
		return test_random(random, 80);
	}
}

/*
 * The mapping of a sender's previous batch is tried first for its next one, but must be verified.
 */
static void a_sender_may_change_its_rows_arbitrarily(void **state)
{
	struct fixture *f = *state;
	uint64_t random = 3;

	for (uint32_t i = 0; i < 40; i++) {
		struct profile_batch b;
		struct profile_builder builder;
		uint64_t seed = i % 5; /* only a few senders */
		struct err e = {0};

		assert_ok(profile_batch_init(&b, NULL));
		assert_ok(profile_builder_init(&builder, &b));
		assert_ok(support_profile(&builder, &seed, FROM + i * NS_PER_SECOND, false));
		for (uint32_t k = 0; k < 40; k++) {
			uint32_t which = which_stack(i / 5, k, &random);

			assert_ok(profile_add_sample(&builder, add_similar_stack(&builder, which),
						     0, NULL, 0, 1 + which));
		}
		assert_ok_err(put_batch(f->store, &f->oracle, STR(""), &b, FROM, NULL, &e), &e);
		profile_batch_fini(&b);
	}
	check_answers(f->store, &f->oracle, 60, FROM, FROM + TEST_NS_PER_DAY, 2);
	reopen(f);
	check_store(f);
}

static void a_profile_without_a_time_gets_its_arrival_time(void **state)
{
	struct fixture *f = *state;
	struct profile_batch b;
	uint64_t seed = 10;
	struct err e = {0};

	support_batch(&b, &seed, 3, 5, FROM, FROM + TEST_NS_PER_DAY);
	b.profiles.at[1].time_unix_nano = 0;
	assert_ok_err(
		put_batch(f->store, &f->oracle, STR(""), &b, FROM + 3 * TEST_NS_PER_DAY, NULL, &e),
		&e);
	profile_batch_fini(&b);
	check_answers(f->store, &f->oracle, 6, FROM, FROM + 4 * TEST_NS_PER_DAY, 7);
}

static void a_second_process_is_refused_with_the_pid_of_the_first(void **state)
{
	struct fixture *f = *state;
	struct store *second = NULL;
	struct err e = {0};
	char pid[32];

	assert_int_equal(sqlite_store_open(&second, &f->options, &e), -EBUSY);
	snprintf(pid, sizeof(pid), "pid %ld", (long)getpid());
	assert_err_says(&e, pid);
}

TEST_MAIN(test_with(fixture, queries_of_an_empty_store_return_nothing),
	  test_with(fixture, every_result_is_the_sum_of_the_writes),
	  test_with(fixture, data_survives_reopening),
	  test_with(fixture, merging_and_roll_ups_do_not_change_results),
	  test_with(fixture, an_hour_with_many_samples_is_merged_into_several_chunks),
	  test_with(fixture, the_chunks_of_an_hour_are_split_by_time),
	  test_with(fixture, a_range_of_partial_hours_selects_exactly_its_samples),
	  test_with(fixture, many_profiles_in_a_slot_are_summed_by_slot),
	  test_with(fixture, a_file_of_format_2_is_read_and_upgraded),
	  test_with(fixture, a_retry_is_acknowledged_and_stored_once),
	  test_with(fixture, deletion_removes_exactly_the_selection),
	  test_with(fixture, deleted_profiles_can_be_put_again),
	  test_with(fixture, partitions_are_dropped_by_age_and_by_size_oldest_first),
	  test_with(fixture, small_segments_of_the_dictionary_are_merged),
	  test_with(fixture, a_stack_that_is_too_deep_keeps_its_innermost_frames),
	  test_with(fixture, a_service_with_too_many_stacks_does_not_affect_others),
	  test_with(fixture, books_that_do_not_fit_in_memory_are_reloaded),
	  test_with(fixture, a_sender_may_change_its_rows_arbitrarily),
	  test_with(fixture, a_profile_without_a_time_gets_its_arrival_time),
	  test_with(fixture, a_second_process_is_refused_with_the_pid_of_the_first))

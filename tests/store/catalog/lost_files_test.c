/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that are deleted or replaced under a running store: acknowledged data is always in a file
 * that exists.
 */
#include <dirent.h>
#include <sys/stat.h>

#include "store/oracle.h"

#define FROM (TEST_DAY * TEST_NS_PER_DAY)
#define DAY_FILE "2024-10-04.db"

struct fixture {
	char directory[64], other[64];
	struct store *store;
	struct log log;
	struct oracle oracle; /* the expected contents */
	uint64_t seed;
};

static void open_at(struct fixture *f, const char *directory, struct store **out)
{
	struct sqlite_store_options o = {
		.directory = directory, .window_ms = 1, .manual = true, .log = &f->log};
	struct err e = {0};

	assert_ok_err(sqlite_store_open(out, &o, &e), &e);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	make_directory(f->directory);
	make_directory(f->other);
	f->seed = 5;
	open_at(f, f->directory, &f->store);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	f->store->ops->close(f->store);
	arena_fini(&f->oracle.arena);
	remove_tree(f->directory);
	remove_tree(f->other);
	free(f);
	return 0;
}

/* Put a batch as a client does: retry while the store asks for it. Return the number of retries. */
static unsigned put(struct fixture *f, struct store *s)
{
	struct profile_batch b;
	unsigned tries = 0;
	int rc;

	support_batch(&b, &f->seed, 5, 8, FROM, FROM + TEST_NS_PER_DAY);
	do {
		struct err e = {0};

		rc = put_batch(s, s == f->store ? &f->oracle : NULL, STR(""), &b, FROM, NULL, &e);
		if (rc && rc != -EAGAIN)
			fail_msg("%d: %s", rc, e.text);
	} while (rc && ++tries < 5);
	assert_int_equal(rc, 0);
	profile_batch_fini(&b);
	return tries;
}

static const char *path_in(const char *directory, const char *name)
{
	static char path[2][400];
	static unsigned at;

	at = !at;
	snprintf(path[at], sizeof(path[at]), "%s/%s", directory, name);
	return path[at];
}

static bool file_exists(const struct fixture *f, const char *name)
{
	return access(path_in(f->directory, name), F_OK) == 0;
}

static void forget(struct fixture *f)
{
	arena_fini(&f->oracle.arena);
	f->oracle = (struct oracle){0};
}

static void check(struct fixture *f, struct store *s)
{
	check_stacks(s, &f->oracle, &(struct store_select){.to = UINT64_MAX});
}

static void copy_file(const char *from, const char *to)
{
	char command[900];

	snprintf(command, sizeof(command), "cp '%s' '%s'", from, to);
	assert_ok(system(command)); /* NOLINT(cert-env33-c) */
}

/* Check what a new process would find after kill -9: open a copy of the files. */
static void check_files(struct fixture *f)
{
	struct store *s;
	DIR *dir = opendir(f->directory);
	struct dirent *entry;

	remove_tree(f->other);
	assert_ok(mkdir(f->other, 0755));
	while ((entry = readdir(dir)))
		if (strstr(entry->d_name, ".db") && !strstr(entry->d_name, "-shm"))
			copy_file(path_in(f->directory, entry->d_name),
				  path_in(f->other, entry->d_name));
	closedir(dir);
	open_at(f, f->other, &s);
	check(f, s);
	s->ops->close(s);
}

static void a_deleted_day_is_created_again(void **state)
{
	struct fixture *f = *state;

	put(f, f->store);
	check(f, f->store);
	assert_ok(unlink(path_in(f->directory, DAY_FILE)));
	forget(f);
	put(f, f->store);
	assert_true(file_exists(f, DAY_FILE));
	check(f, f->store); /* without the deleted data */
	check_files(f);
	assert_int_equal(put(f, f->store), 0); /* no retry is needed any more */
	check_files(f);
	f->store->ops->close(f->store);
	open_at(f, f->directory, &f->store);
	check(f, f->store);
}

/* The worker notices the deletion even if nothing is written to the day. */
static void a_deleted_day_is_excluded_from_queries(void **state)
{
	struct fixture *f = *state;
	struct store_stats stats;
	struct err e = {0};

	put(f, f->store);
	for (unsigned i = 0; i < 2; i++) {
		if (i) { /* a day that is open only for reading */
			f->store->ops->close(f->store);
			open_at(f, f->directory, &f->store);
			check(f, f->store);
		}
		assert_ok(unlink(path_in(f->directory, DAY_FILE)));
		forget(f);
		assert_ok_err(sqlite_store_work(f->store, false, &e), &e);
		check(f, f->store);
		assert_ok_err(f->store->ops->stats(f->store, STR(""), &stats, &e), &e);
		assert_int_equal(stats.partitions, 0);
		assert_true(i ||
			    /* the next file would replay a stale log */
			    !file_exists(f, DAY_FILE "-wal"));
		put(f, f->store);
		check_files(f);
	}
}

static void deleting_the_log_loses_no_data(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < 3; i++) {
		put(f, f->store);
		check(f, f->store); /* opens a reader's connection */
		assert_ok(unlink(path_in(f->directory, DAY_FILE "-wal")));
		assert_int_equal(put(f, f->store), 0);
		check_files(f);
		check(f, f->store);
	}
	put(f, f->store);
	assert_true(file_exists(f, DAY_FILE "-wal"));
	check_files(f);
	f->store->ops->close(f->store);
	open_at(f, f->directory, &f->store);
	check(f, f->store);
}

static void a_removed_directory_is_created_again(void **state)
{
	struct fixture *f = *state;
	struct sqlite_store_options o = {.directory = f->directory, .manual = true};
	struct store *second;
	struct err e = {0};

	for (unsigned i = 0; i < 2; i++) {
		if (!i) /* in the second round no file is open when the directory is removed */
			put(f, f->store);
		remove_tree(f->directory);
		forget(f);
		put(f, f->store);
		check(f, f->store);
		check_files(f);
		assert_true(file_exists(f, "lock"));
		assert_true(file_exists(f, "catalog.db"));
		assert_int_equal(sqlite_store_open(&second, &o, &e), -EBUSY);
		f->store->ops->close(f->store);
		open_at(f, f->directory, &f->store);
	}
}

/*
 * The file of a day is replaced by that of another store: queries and writes use the new file from
 * then on.
 */
static void a_replaced_day_is_used(void **state)
{
	struct fixture *f = *state;
	struct store *other = NULL;

	put(f, f->store);
	check(f, f->store);
	forget(f);
	open_at(f, f->other, &other);
	f->seed = 77;
	{
		struct store *ours = f->store;

		f->store = other; /* the oracle expects what is put into the other store */
		put(f, other);
		f->store = ours;
	}
	other->ops->close(other);
	copy_file(path_in(f->other, DAY_FILE), path_in(f->directory, "copy"));
	assert_ok(rename(path_in(f->directory, "copy"), path_in(f->directory, DAY_FILE)));
	put(f, f->store);
	check(f, f->store);
	check_files(f);
}

/* The whole directory is replaced by another one, which has other days. */
static void a_replaced_directory_is_used(void **state)
{
	struct fixture *f = *state;
	char old[80];
	struct err e = {0};

	put(f, f->store);
	forget(f);
	f->store->ops->close(f->store);
	open_at(f, f->other, &f->store);
	put(f, f->store);
	f->store->ops->close(f->store);
	open_at(f, f->directory, &f->store);
	snprintf(old, sizeof(old), "%s.old", f->directory);
	assert_ok(rename(f->directory, old));
	assert_ok(rename(f->other, f->directory));
	assert_ok(mkdir(f->other, 0755));
	assert_ok_err(sqlite_store_work(f->store, false, &e), &e);
	check(f, f->store);
	put(f, f->store);
	check(f, f->store);
	check_files(f);
	remove_tree(old);
}

#define with_store(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

TEST_MAIN(with_store(a_deleted_day_is_created_again),
	  with_store(a_deleted_day_is_excluded_from_queries),
	  with_store(deleting_the_log_loses_no_data),
	  with_store(a_removed_directory_is_created_again), with_store(a_replaced_day_is_used),
	  with_store(a_replaced_directory_is_used))

/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are deleted or replaced under a running store: what is acknowledged is in a file that exists. */
#include <dirent.h>
#include <sys/stat.h>

#include "store/oracle.h"

#define FROM (TEST_DAY * TEST_NS_PER_DAY)
#define DAY_FILE "2024-10-04.db"

struct fixture {
	char directory[64], other[64];
	struct store *store;
	struct log log;
	struct oracle oracle; /* of what has to be there */
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

/* Put a batch, as a sender does: again while that is what it is told. Returns how many tries it took. */
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

static bool is_there(const struct fixture *f, const char *name)
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

/* What a process would find that begins now, as after kill -9: a copy of the files is opened. */
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

static void a_day_that_was_deleted_is_begun_anew(void **state)
{
	struct fixture *f = *state;

	put(f, f->store);
	check(f, f->store);
	assert_ok(unlink(path_in(f->directory, DAY_FILE)));
	forget(f);
	put(f, f->store);
	assert_true(is_there(f, DAY_FILE));
	check(f, f->store); /* and nothing of what was deleted */
	check_files(f);
	assert_int_equal(put(f, f->store), 0); /* all is well again */
	check_files(f);
	f->store->ops->close(f->store);
	open_at(f, f->directory, &f->store);
	check(f, f->store);
}

/* Also where nobody writes to it: the worker finds out. */
static void a_day_that_was_deleted_is_not_answered(void **state)
{
	struct fixture *f = *state;
	struct store_stats stats;
	struct err e = {0};

	put(f, f->store);
	for (unsigned i = 0; i < 2; i++) {
		if (i) { /* a day that is not being written */
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
			    !is_there(f, DAY_FILE "-wal")); /* which the next file would have */
		put(f, f->store);
		check_files(f);
	}
}

static void nothing_is_lost_with_a_log_that_was_deleted(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < 3; i++) {
		put(f, f->store);
		check(f, f->store); /* there is a reader's connection */
		assert_ok(unlink(path_in(f->directory, DAY_FILE "-wal")));
		assert_int_equal(put(f, f->store), 0);
		check_files(f);
		check(f, f->store);
	}
	put(f, f->store);
	assert_true(is_there(f, DAY_FILE "-wal"));
	check_files(f);
	f->store->ops->close(f->store);
	open_at(f, f->directory, &f->store);
	check(f, f->store);
}

static void a_directory_that_was_removed_is_made_again(void **state)
{
	struct fixture *f = *state;
	struct sqlite_store_options o = {.directory = f->directory, .manual = true};
	struct store *second;
	struct err e = {0};

	for (unsigned i = 0; i < 2; i++) {
		if (!i) /* the second time nothing is open when it is removed */
			put(f, f->store);
		remove_tree(f->directory);
		forget(f);
		put(f, f->store);
		check(f, f->store);
		check_files(f);
		assert_true(is_there(f, "lock"));
		assert_true(is_there(f, "catalog.db"));
		assert_int_equal(sqlite_store_open(&second, &o, &e), -EBUSY);
		f->store->ops->close(f->store);
		open_at(f, f->directory, &f->store);
	}
}

/* A day of another store takes the place of ours: it is what is asked and written from then on. */
static void a_day_that_was_replaced_is_used(void **state)
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

		f->store = other; /* what is put there is what has to be there */
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

/* The whole directory is another one, with days that were not there before. */
static void a_directory_that_was_replaced_is_used(void **state)
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

TEST_MAIN(with_store(a_day_that_was_deleted_is_begun_anew),
	  with_store(a_day_that_was_deleted_is_not_answered),
	  with_store(nothing_is_lost_with_a_log_that_was_deleted),
	  with_store(a_directory_that_was_removed_is_made_again),
	  with_store(a_day_that_was_replaced_is_used),
	  with_store(a_directory_that_was_replaced_is_used))

/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of the store's environment: damaged files, full disks, kill -9, too little memory. */
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "store/oracle.h"

#define FROM (TEST_DAY * TEST_NS_PER_DAY)
#define DAYS 3

static struct store *open_store(const char *directory, struct err *e)
{
	struct sqlite_store_options o = {.directory = directory, .window_ms = 1, .manual = true};
	struct store *s = NULL;

	assert_ok_err(sqlite_store_open(&s, &o, e), e);
	return s;
}

static void put_some(struct store *s, struct oracle *o, uint64_t *seed, unsigned batches)
{
	struct err e = {0};

	for (unsigned i = 0; i < batches; i++) {
		struct profile_batch b;

		support_batch(&b, seed, 6, 10, FROM, FROM + DAYS * TEST_NS_PER_DAY);
		assert_ok_err(put_batch(s, o, STR(""), &b, FROM, NULL, &e), &e);
		profile_batch_fini(&b);
	}
}

/*
 * Fill the directory with several days. The first writes are merged and rolled up, the last ones
 * stay in level 0.
 */
static void fill_directory(const char *directory, struct oracle *o)
{
	struct err e = {0};
	struct store *s = open_store(directory, &e);
	uint64_t seed = 5;

	put_some(s, o, &seed, 12);
	assert_ok_err(sqlite_store_work(s, true, &e), &e);
	put_some(s, o, &seed, 4);
	s->ops->close(s);
}

/* ---- damage ---- */

static void path_of(char out[256], const char *directory, unsigned day)
{
	static const char *const names[DAYS] = {"2024-10-04.db", "2024-10-05.db", "2024-10-06.db"};

	snprintf(out, 256, "%s/%s", directory, names[day]);
}

static void copy_file(const char *from, const char *to)
{
	char bytes[65536];
	int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	ssize_t n;

	assert_true(in >= 0 && out >= 0);
	while ((n = read(in, bytes, sizeof(bytes))) > 0)
		assert_int_equal(write(out, bytes, (size_t)n), n);
	close(in);
	close(out);
}

static void copy_days(const char *from, char to[64])
{
	char a[256], b[256];

	make_directory(to);
	for (unsigned day = 0; day < DAYS; day++) {
		path_of(a, from, day);
		path_of(b, to, day);
		copy_file(a, b);
	}
}

/* Copy the facts of the oracle except those of one day; DAYS copies all. */
static void without_day(struct oracle *out, const struct oracle *o, unsigned day)
{
	*out = (struct oracle){0};
	for (uint32_t i = 0; i < o->facts.n; i++)
		if ((o->facts.at[i].time - FROM) / TEST_NS_PER_DAY != day)
			assert_ok(vec_push(&out->arena, &out->facts, o->facts.at[i]));
}

/*
 * Check all sums: they include everything or, if the store reports a partition set aside,
 * everything but the damaged day. Return whether a partition was set aside.
 */
static bool sums_are_right_or_day_set_aside(const char *directory, const struct oracle *o,
					    unsigned day)
{
	struct store_select all = {.from = FROM, .to = FROM + DAYS * TEST_NS_PER_DAY};
	struct store_select part = {.from = FROM + 5 * 3600 * NS_PER_SECOND + 77,
				    .to = FROM + 60 * 3600 * NS_PER_SECOND};
	struct err e = {0};
	struct store *s = open_store(directory, &e);
	struct stack_tree tree;
	struct stack_sums sums = {0};
	struct store_missing missing = {0};
	struct store_stats stats;
	struct oracle expected;

	/* the first query finds the damage; its result is incomplete and says so */
	all.limits.missing = part.limits.missing = &missing;
	assert_ok(stack_tree_init(&tree, NULL));
	assert_ok_err(s->ops->stacks(s, &all, &tree, &sums, &e), &e);
	sums = (struct stack_sums){0};
	assert_ok_err(s->ops->stacks(s, &part, &tree, &sums, &e), &e);
	stack_tree_fini(&tree);
	assert_ok_err(s->ops->stats(s, STR(""), &stats, &e), &e);
	without_day(&expected, o, stats.partitions_damaged ? day : DAYS);
	assert_int_equal(missing.n, stats.partitions_damaged);
	if (missing.n)
		assert_int_equal(missing.days[0], FROM + day * TEST_NS_PER_DAY);
	check_stacks(s, &expected, &all);
	check_stacks(s, &expected, &part);
	s->ops->close(s);
	arena_fini(&expected.arena);
	return stats.partitions_damaged != 0;
}

static void flip(const char *path, uint64_t *seed)
{
	struct stat st;
	uint8_t byte;
	off_t at;
	int fd = open(path, O_RDWR);

	assert_true(fd >= 0 && fstat(fd, &st) == 0);
	at = (off_t)(test_random(seed, 1u << 30) % (uint64_t)st.st_size);
	assert_int_equal(pread(fd, &byte, 1, at), 1);
	byte = (uint8_t)(byte ^ 1u << test_random(seed, 8));
	assert_int_equal(pwrite(fd, &byte, 1, at), 1);
	close(fd);
}

static void a_flipped_bit_never_causes_a_wrong_result(void **state)
{
	char directory[64], copy[64], path[256];
	struct oracle o = {0};
	uint64_t seed = 17;
	unsigned found = 0;

	(void)state;
	make_directory(directory);
	fill_directory(directory, &o);
	for (unsigned i = 0; i < 60; i++) {
		unsigned day = i % DAYS;

		copy_days(directory, copy);
		path_of(path, copy, day);
		for (unsigned k = 0; k < 1 + i / 20; k++)
			flip(path, &seed);
		found += sums_are_right_or_day_set_aside(copy, &o, day);
		remove_tree(copy);
	}
	assert_true(found > 5); /* the other bits are in pages that are free or not read */
	arena_fini(&o.arena);
	remove_tree(directory);
}

static void a_truncated_file_never_causes_a_wrong_result(void **state)
{
	char directory[64], copy[64], path[256], aside[300];
	struct oracle o = {0};
	uint64_t seed = 18;

	(void)state;
	make_directory(directory);
	fill_directory(directory, &o);
	for (unsigned i = 0; i < 20; i++) {
		unsigned day = i % DAYS;
		struct stat st;

		copy_days(directory, copy);
		path_of(path, copy, day);
		assert_ok(stat(path, &st));
		assert_ok(truncate(path,
				   (off_t)(test_random(&seed, 1u << 30) % (uint64_t)st.st_size)));
		assert_true(sums_are_right_or_day_set_aside(copy, &o, day));
		snprintf(aside, sizeof(aside), "%s.damaged", path);
		assert_ok(access(aside, F_OK)); /* never deleted */
		remove_tree(copy);
	}
	arena_fini(&o.arena);
	remove_tree(directory);
}

static void a_day_that_was_set_aside_accepts_new_profiles(void **state)
{
	char directory[64], path[256];
	struct oracle o = {0}, left;
	struct err e = {0};
	struct store *s;
	uint64_t seed = 19;

	(void)state;
	make_directory(directory);
	fill_directory(directory, &o);
	path_of(path, directory, 1);
	assert_ok(truncate(path, 5000));
	without_day(&left, &o, 1);
	s = open_store(directory, &e);
	check_answers(s, &left, 3, FROM + 2 * TEST_NS_PER_DAY, FROM + DAYS * TEST_NS_PER_DAY, 3);
	{
		struct profile_batch b;
		int rc;

		support_batch(&b, &seed, 6, 10, FROM, FROM + DAYS * TEST_NS_PER_DAY);
		rc = put_batch(s, &left, STR(""), &b, FROM, NULL, &e);
		if (rc == -EAGAIN) /* the writer found the damage and asks for a retry */
			rc = put_batch(s, &left, STR(""), &b, FROM, NULL, &e);
		/*
		 * profiles without an id may be stored twice in other partitions because of the
		 * first attempt
		 */
		assert_ok(rc);
		profile_batch_fini(&b);
	}
	s->ops->close(s);
	arena_fini(&left.arena);
	arena_fini(&o.arena);
	remove_tree(directory);
}

/* ---- versions ---- */

static void set_format(const char *path, int format)
{
	char sql[80];
	sqlite3 *db;

	db = open_test_database(path, SQLITE_OPEN_READWRITE);
	snprintf(sql, sizeof(sql), "UPDATE meta SET value = %d WHERE key = 'format'", format);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

static void a_newer_format_is_refused_with_an_explanation(void **state)
{
	struct store_select all = {.from = FROM, .to = FROM + DAYS * TEST_NS_PER_DAY};
	struct sqlite_store_options options = {.window_ms = 1, .manual = true};
	char directory[64], path[256];
	struct oracle o = {0};
	struct err e = {0};
	struct store *s;
	struct stack_tree tree;
	struct stack_sums sums = {0};

	(void)state;
	make_directory(directory);
	fill_directory(directory, &o);
	path_of(path, directory, 1);
	set_format(path, 99);
	s = open_store(directory, &e);
	assert_ok(stack_tree_init(&tree, NULL));
	assert_int_equal(s->ops->stacks(s, &all, &tree, &sums, &e), -ENOTSUP);
	assert_err_says(&e, "newer");
	stack_tree_fini(&tree);
	s->ops->close(s);
	assert_ok(access(path, F_OK)); /* the file is not moved */
	snprintf(path, sizeof(path), "%s/catalog.db", directory);
	set_format(path, 99);
	options.directory = directory;
	e = (struct err){0};
	assert_int_equal(sqlite_store_open(&s, &options, &e), -ENOTSUP);
	assert_err_says(&e, "newer");
	arena_fini(&o.arena);
	remove_tree(directory);
}

/* ---- the disk ---- */

/*
 * Write until a write is refused, then make room: acknowledged data is intact, and writing succeeds
 * again.
 */
static void fill_the_disk(const char *directory, void (*make_room)(void *arg), void *arg)
{
	struct err e = {0};
	struct store *s = open_store(directory, &e);
	struct oracle o = {0};
	uint64_t seed = 20;
	int rc = 0;

	for (unsigned i = 0; i < 2000 && !rc; i++) {
		struct profile_batch b;

		support_batch(&b, &seed, 20, 60, FROM, FROM + 3600 * NS_PER_SECOND);
		e = (struct err){0};
		rc = put_batch(s, &o, STR(""), &b, FROM, NULL, &e);
		profile_batch_fini(&b);
	}
	assert_int_equal(rc, -ENOSPC);
	assert_err_says(&e, "space");
	make_room(arg);
	for (unsigned i = 0; i < 3; i++) {
		struct profile_batch b;

		support_batch(&b, &seed, 5, 5, FROM, FROM + 3600 * NS_PER_SECOND);
		e = (struct err){0};
		assert_ok_err(put_batch(s, &o, STR(""), &b, FROM, NULL, &e), &e);
		profile_batch_fini(&b);
	}
	s->ops->close(s);
	s = open_store(directory, &e);
	{
		struct store_select all = {.from = FROM, .to = FROM + TEST_NS_PER_DAY};

		check_stacks(s, &o, &all);
	}
	s->ops->close(s);
	arena_fini(&o.arena);
}

static void lift_limit(void *arg)
{
	assert_ok(setrlimit(RLIMIT_FSIZE, arg));
}

static void a_file_size_limit_is_reported_as_no_space_and_recovers(void **state)
{
	struct rlimit before, tight;
	char directory[64];

	(void)state;
	make_directory(directory);
	signal(SIGXFSZ, SIG_IGN);
	assert_ok(getrlimit(RLIMIT_FSIZE, &before));
	tight = before;
	tight.rlim_cur = 300000;
	assert_ok(setrlimit(RLIMIT_FSIZE, &tight));
	fill_the_disk(directory, lift_limit, &before);
	remove_tree(directory);
}

static void remove_ballast(void *arg)
{
	assert_ok(unlink(arg));
}

static void a_full_disk_is_reported_as_no_space_and_recovers(void **state)
{
	char directory[64], inside[80], ballast[80], bytes[4096] = {0};
	int fd;

	(void)state;
	make_directory(directory);
	if (mount("varve-test", directory, "tmpfs", 0, "size=2m")) {
		print_message("skipped: a tmpfs cannot be mounted here\n");
		remove_tree(directory);
		skip();
	}
	snprintf(inside, sizeof(inside), "%s/data", directory);
	snprintf(ballast, sizeof(ballast), "%s/ballast", directory);
	fd = open(ballast, O_WRONLY | O_CREAT, 0644);
	for (unsigned i = 0; i < 300; i++)
		assert_int_equal(write(fd, bytes, sizeof(bytes)), sizeof(bytes));
	close(fd);
	fill_the_disk(inside, remove_ballast, ballast);
	remove_tree(inside);
	assert_ok(umount(directory));
	remove_tree(directory);
}

static void a_read_only_store_refuses_writes_and_takes_no_lock(void **state)
{
	struct store_select all = {.from = FROM, .to = FROM + DAYS * TEST_NS_PER_DAY};
	char directory[64];
	struct oracle o = {0};
	struct err e = {0};
	struct store *s, *writer;
	struct profile_batch b;
	struct sqlite_store_options options = {.read_only = true};
	uint64_t seed = 21;

	(void)state;
	make_directory(directory);
	fill_directory(directory, &o);
	writer = open_store(directory, &e);
	options.directory = directory;
	assert_ok_err(sqlite_store_open(&s, &options, &e), &e);
	check_stacks(s, &o, &all);
	put_some(writer, &o, &seed, 2);
	check_stacks(s, &o, &all); /* it sees data added by another process */
	support_batch(&b, &seed, 1, 3, FROM, FROM + TEST_NS_PER_DAY);
	assert_int_equal(put_batch(s, NULL, STR(""), &b, FROM, NULL, NULL), -EROFS);
	profile_batch_fini(&b);
	s->ops->close(s);
	writer->ops->close(writer);
	arena_fini(&o.arena);
	remove_tree(directory);
}

/* ---- kill -9 ---- */

/*
 * Write batches whose number is in the ids of their profiles, and report which were acknowledged.
 */
static void write_forever(const char *directory, unsigned first, int report_fd)
{
	struct sqlite_store_options o = {.directory = directory, .window_ms = 1, .compact_ms = 1};
	struct err e = {0};
	struct store *s;

	if (sqlite_store_open(&s, &o, &e))
		_exit(1);
	for (unsigned i = first;; i++) {
		struct profile_batch b;
		uint64_t seed = i;

		support_batch(&b, &seed, 3, 30, FROM, FROM + 2 * TEST_NS_PER_DAY);
		for (uint32_t p = 0; p < b.profiles.n; p++) {
			memset(b.profiles.at[p].id, 0, PROFILE_ID_SIZE);
			memcpy(b.profiles.at[p].id, &i, sizeof(i));
			b.profiles.at[p].id[15] = (uint8_t)(p + 1);
		}
		if (put_batch(s, NULL, STR(""), &b, FROM, NULL, &e) ||
		    write(report_fd, &i, sizeof(i)) != sizeof(i))
			_exit(2);
		profile_batch_fini(&b);
	}
}

struct seen_ids {
	uint8_t *count; /* indexed by batch and profile number */
	unsigned max;
};

static int see_point(void *ctx, const struct store_point *p)
{
	struct seen_ids *seen = ctx;
	unsigned i;

	memcpy(&i, p->profile_id, sizeof(i));
	assert_true(i < seen->max);
	seen->count[i * 4 + p->profile_id[15]]++;
	return 0;
}

/*
 * Check that each profile of the acknowledged batches is stored once, and that no profile is stored
 * twice.
 */
static void check_acknowledged(struct store *s, const uint8_t *acknowledged, unsigned max)
{
	struct store_select all = {.from = FROM, .to = FROM + 2 * TEST_NS_PER_DAY};
	struct seen_ids seen = {calloc(max, 4), max};
	struct err e = {0};

	assert_ok_err(s->ops->points(s, &all, see_point, &seen, &e), &e);
	for (unsigned i = 0; i < max; i++) {
		struct profile_batch b;
		uint64_t seed = i;

		support_batch(&b, &seed, 3, 30, FROM, FROM + 2 * TEST_NS_PER_DAY);
		for (uint32_t p = 0; p < b.profiles.n; p++) {
			unsigned want = acknowledged[i] && b.profiles.at[p].sample_count;

			assert_true(seen.count[i * 4 + p + 1] >= want);
			assert_true(seen.count[i * 4 + p + 1] <= 1);
		}
		profile_batch_fini(&b);
	}
	free(seen.count);
}

static void on_problem(void *context, const char *partition, const char *text)
{
	(void)context;
	fail_msg("partition %s: %s", partition, text);
}

static void kill_9_loses_no_acknowledged_data(void **state)
{
	struct sqlite_store_report report = {.problem = on_problem};
	enum { ROUNDS = 10, MAX = 100000 };
	uint8_t *acknowledged = calloc(MAX, 1);
	char directory[64];
	unsigned next = 0;
	uint64_t problems;
	struct err e = {0};
	struct store *s;

	(void)state;
	make_directory(directory);
	for (unsigned round = 0; round < ROUNDS; round++) {
		unsigned first = next > 3 ? next - 3 : 0, i; /* the last batches are sent again */
		int report_fd[2];
		pid_t child;

		assert_ok(pipe(report_fd));
		child = fork();
		if (!child) {
			close(report_fd[0]);
			write_forever(directory, first, report_fd[1]);
		}
		close(report_fd[1]);
		usleep(30000 + round * 37000 % 150000);
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		while (read(report_fd[0], &i, sizeof(i)) == sizeof(i)) {
			acknowledged[i] = 1;
			next = i + 1 > next ? i + 1 : next;
		}
		close(report_fd[0]);
		s = open_store(directory, &e);
		assert_ok_err(sqlite_store_check(s, &report, &problems, &e), &e);
		check_acknowledged(s, acknowledged, next + 8);
		s->ops->close(s);
	}
	assert_true(next > 0);
	free(acknowledged);
	remove_tree(directory);
}

/* ---- memory ---- */

static void out_of_memory_refuses_work_and_damages_nothing(void **state)
{
	struct store_select all = {.from = FROM, .to = FROM + DAYS * TEST_NS_PER_DAY};
	struct sqlite_store_options options = {.window_ms = 1, .manual = true};
	char directory[64];
	struct oracle o = {0};
	struct err e = {0};
	struct store *s;
	unsigned refused = 0, answered = 0;
	uint64_t seed = 22;

	(void)state;
	make_directory(directory);
	fill_directory(directory, &o);
	options.directory = directory;
	for (size_t memory = 4096; memory < 4 * MIB; memory += memory / 2) {
		struct profile_batch b;
		int rc;

		options.memory = memory;
		assert_ok_err(sqlite_store_open(&s, &options, &e), &e);
		support_batch(&b, &seed, 6, 10, FROM, FROM + TEST_NS_PER_DAY / 2);
		rc = put_batch(s, &o, STR(""), &b, FROM, NULL, NULL);
		assert_true(!rc || rc == -ENOMEM);
		refused += rc != 0;
		profile_batch_fini(&b);
		s->ops->close(s);
	}
	assert_true(refused > 0);
	s = open_store(directory, &e);
	for (size_t memory = 4096; memory < 8 * MIB; memory += memory / 2) {
		struct budget budget = {.limit = memory};
		struct stack_tree tree;
		struct stack_sums sums = {0};
		int rc;

		all.limits.budget = &budget;
		all.average = !all.average;
		assert_ok(stack_tree_init(&tree, NULL));
		rc = s->ops->stacks(s, &all, &tree, &sums, NULL);
		assert_true(!rc || rc == -ENOMEM);
		answered += !rc;
		stack_tree_fini(&tree);
		assert_int_equal(budget.used, 0);
	}
	assert_true(answered > 0);
	all.limits.budget = NULL;
	all.average = false;
	check_stacks(s, &o, &all);
	s->ops->close(s);
	arena_fini(&o.arena);
	remove_tree(directory);
}

static void a_query_ends_at_its_deadline_or_when_canceled(void **state)
{
	struct store_select all = {.from = FROM, .to = FROM + DAYS * TEST_NS_PER_DAY};
	_Atomic bool cancelled = true;
	char directory[64];
	struct oracle o = {0};
	struct err e = {0};
	struct store *s;
	struct stack_tree tree;
	struct stack_sums sums = {0};

	(void)state;
	make_directory(directory);
	fill_directory(directory, &o);
	s = open_store(directory, &e);
	assert_ok(stack_tree_init(&tree, NULL));
	all.limits.deadline_ns = 1;
	assert_int_equal(s->ops->stacks(s, &all, &tree, &sums, NULL), -ETIMEDOUT);
	all.limits = (struct store_limits){.cancelled = &cancelled};
	assert_int_equal(s->ops->stacks(s, &all, &tree, &sums, NULL), -ECANCELED);
	stack_tree_fini(&tree);
	s->ops->close(s);
	arena_fini(&o.arena);
	remove_tree(directory);
}

TEST_MAIN(test(a_flipped_bit_never_causes_a_wrong_result),
	  test(a_truncated_file_never_causes_a_wrong_result),
	  test(a_day_that_was_set_aside_accepts_new_profiles),
	  test(a_newer_format_is_refused_with_an_explanation),
	  test(a_file_size_limit_is_reported_as_no_space_and_recovers),
	  test(a_full_disk_is_reported_as_no_space_and_recovers),
	  test(a_read_only_store_refuses_writes_and_takes_no_lock),
	  test(kill_9_loses_no_acknowledged_data),
	  test(out_of_memory_refuses_work_and_damages_nothing),
	  test(a_query_ends_at_its_deadline_or_when_canceled))

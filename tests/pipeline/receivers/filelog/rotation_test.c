/* SPDX-License-Identifier: Apache-2.0 */
/* Nothing is lost: rotation, truncation, stored positions, refusals. */
#include <pthread.h>

#include <zlib.h>

#include "tailer_fixture.h"

/* ---- rotation ---- */

static void a_moved_file_is_read_to_its_end(void **state)
{
	struct fixture *f = *state;

	append(f, "a.log", "1\n");
	tailer_begin(f, FROM_BEGINNING, false);
	expect(f, "1\n");
	append(f, "a.log", "2\n");
	move_file(f, "a.log", "a.1"); /* out of the pattern */
	append(f, "a.log", "3\n");
	expect(f, "2\n3\n");
	append(f, "a.1", "late\n"); /* by a writer that has it open */
	append(f, "a.log", "4\n");
	expect(f, "late\n4\n");
	assert_ok(unlink(path_of(f, "a.1")));
	expect(f, "");
}

static void a_moved_file_in_the_pattern_is_not_read_again(void **state)
{
	struct fixture *f = *state;

	append(f, "a.log", "1\n2\n");
	tailer_begin(f, FROM_BEGINNING, false);
	expect(f, "1\n2\n");
	move_file(f, "a.log", "a.log.1");
	append(f, "a.log.1", "3\n");
	append(f, "a.log", "1\n2\n"); /* the same beginning, but another file */
	expect(f, "3\n1\n2\n");
}

static void a_deleted_file_is_read_to_its_end(void **state)
{
	struct fixture *f = *state;
	int fd;

	append(f, "a.log", "1\n");
	tailer_begin(f, FROM_BEGINNING, false);
	expect(f, "1\n");
	fd = open(path_of(f, "a.log"), O_WRONLY | O_APPEND | O_CLOEXEC);
	assert_ok(unlink(path_of(f, "a.log")));
	assert_int_equal(write(fd, "2\n", 2), 2);
	expect(f, "2\n");
	close(fd);
}

static void copy_file(const struct fixture *f, const char *from, const char *to)
{
	char bytes[8192];
	int in = open(path_of(f, from), O_RDONLY | O_CLOEXEC);
	ssize_t n = read(in, bytes, sizeof(bytes));

	assert_true(n > 0);
	close(in);
	append_bytes(f, to, str_of(bytes, (size_t)n));
}

static void copytruncate_loses_and_repeats_nothing(void **state)
{
	struct fixture *f = *state;

	append(f, "a.log", "1\n2\n");
	tailer_begin(f, FROM_BEGINNING, false);
	expect(f, "1\n2\n");
	copy_file(f, "a.log", "a.log.1");
	expect(f, ""); /* a poll between copy and truncation */
	assert_ok(truncate(path_of(f, "a.log"), 0));
	append(f, "a.log", "3\n");
	expect(f, "3\n");
	/* lines between the copy and the last poll are in the copy only */
	append(f, "a.log", "4\n");
	copy_file(f, "a.log", "a.log.2");
	assert_ok(truncate(path_of(f, "a.log"), 0));
	append(f, "a.log", "5, longer than what was there\n");
	expect(f, "5, longer than what was there\n4\n");
}

static void a_truncated_file_is_read_from_its_beginning(void **state)
{
	struct fixture *f = *state;

	append(f, "a.log", "1\n2\n");
	tailer_begin(f, FROM_BEGINNING "on_truncate: ignore\n", false);
	expect(f, "1\n2\n");
	assert_ok(truncate(path_of(f, "a.log"), 0));
	append(f, "a.log", "x\n");
	expect(f, "x\n");
	tailer_kill(f);
	tailer_begin(f, "on_truncate: read_new\n", false);
	assert_ok(truncate(path_of(f, "a.log"), 0));
	append(f, "a.log", "y");
	log_tailer_poll(&f->tailer);
	append(f, "a.log", "z\n");
	expect(f, "z\n");
}

static void two_files_with_the_same_beginning_are_both_read(void **state)
{
	struct fixture *f = *state;
	struct buf header = {0};
	struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};

	for (unsigned i = 0; i < 300; i++)
		buf_put_str(&header, STR("column "));
	buf_put_char(&header, '\n');
	append_bytes(f, "a.log", buf_str(&header));
	append_bytes(f, "b.log", buf_str(&header));
	append(f, "a.log", "a\n");
	append(f, "b.log", "b\n");
	assert_ok(utimensat(AT_FDCWD, path_of(f, "b.log"), old, 0));
	tailer_begin(f, FROM_BEGINNING "operators: [{type: filter, expr: 'len(body) > 9'}]\n",
		     false);
	expect(f, "a\nb\n");
	append_bytes(f, "c.log", buf_str(&header));
	append(f, "c.log", "c\n");
	expect(f, "c\n");
	buf_fini(&header);
}

static void more_files_than_may_be_open_are_read(void **state)
{
	struct fixture *f = *state;
	struct buf expected = {0};
	char name[32], line[32];

	for (unsigned i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "f%02u.log", i);
		snprintf(line, sizeof(line), "line %02u\n", i);
		append(f, name, line);
		buf_put_str(&expected, str_from(line));
	}
	buf_put_char(&expected, '\0');
	tailer_begin(f, FROM_BEGINNING "max_concurrent_files: 2\n", false);
	expect(f, expected.p);
	assert_true(f->tailer.set.open <= 16);
	append(f, "f03.log", "more\n");
	append(f, "f33.log", "of these\n");
	expect(f, "more\nof these\n");
	buf_fini(&expected);
}

static void compressed_files_are_read(void **state)
{
	struct fixture *f = *state;
	gzFile out;

	tailer_begin(f, FROM_BEGINNING "compression: auto\n", false);
	for (unsigned member = 0; member < 2; member++) {
		out = gzopen(path_of(f, "a.log.gz"), "ab");
		assert_int_equal(gzputs(out, member ? "3\nend" : "1\n2\n"), member ? 5 : 4);
		gzclose(out);
	}
	append(f, "b.log", "plain\n");
	expect(f, "1\n2\n3\nplain\nend\n");
}

/* ---- positions ---- */

static void positions_survive_the_end_and_a_crash(void **state)
{
	struct fixture *f = *state;

	append(f, "a.log", "old\n");
	tailer_begin(f, "", true);
	append(f, "a.log", "1\n");
	expect(f, "1\n");
	tailer_end(f);
	append(f, "a.log", "2\n");
	append(f, "b.log", "new\n");
	tailer_begin(f, "", true); /* start_at: end does not apply any more */
	expect(f, "2\nnew\n");
	append(f, "a.log", "3\n");
	move_file(f, "a.log", "a.log.1");
	append(f, "a.log", "4\n");
	tailer_end(f);
	assert_str_equal(buf_str(&f->text), STR("")); /* stopped before it was read */
	tailer_begin(f, "", true);
	expect(f, "3\n4\n");
	f->refuse = UINT32_MAX;
	append(f, "a.log", "5\n");
	for (unsigned i = 0; i < 3; i++)
		log_tailer_poll(&f->tailer);
	assert_true(f->refuse < UINT32_MAX);
	tailer_kill(f); /* not accepted, so not stored */
	f->refuse = 0;
	tailer_begin(f, "", true);
	expect(f, "5\n");
}

static void a_damaged_file_of_positions_is_an_error(void **state)
{
	struct fixture *f = *state;
	struct tail_set set;
	struct err e = {0};

	append(f, "a.log", "1\n");
	tailer_begin(f, FROM_BEGINNING, true);
	assert_ok_err(tail_set_init(&set, &f->settings, NULL, &e), &e);
	assert_int_not_equal(
		checkpoint_parse(STR("{\"version\":1,\"files\":[{\"path\":3}]}"), &set, &e), 0);
	assert_err_says(&e, "expected the position of a file");
	e = (struct err){0};
	assert_int_not_equal(checkpoint_parse(STR("{\"version\":9}"), &set, &e), 0);
	assert_err_says(&e, "unknown version");
	tail_set_fini(&set);
	expect(f, "1\n");
}

static void what_operators_keep_is_read_again_after_a_crash(void **state)
{
	static const char keys[] = FROM_BEGINNING
		"operators: [{type: recombine, combine_field: body, force_flush_period: 1h, "
		"is_first_entry: 'body startsWith \"#\"'}]\n";
	struct fixture *f = *state;

	append(f, "a.log", "#1\na\n#2\nb\n");
	tailer_begin(f, keys, true);
	expect(f, "#1\na\n");
	tailer_kill(f);
	append(f, "a.log", "#3\n");
	tailer_begin(f, keys, true);
	/* positions are stored at most once a second: the first group may arrive again */
	for (unsigned i = 0; i < 5; i++)
		log_tailer_poll(&f->tailer);
	assert_true(str_ends(buf_str(&f->text), STR("#2\nb\n")));
	buf_clear(&f->text);
	tailer_end(f);
	assert_str_equal(buf_str(&f->text),
			 STR("")); /* with storage nothing is flushed at the end */
}

static void without_storage_everything_is_delivered_at_the_end(void **state)
{
	struct fixture *f = *state;

	append(f, "a.log", "#1\na\n");
	tailer_begin(f,
		     FROM_BEGINNING
		     "operators: [{type: recombine, combine_field: body, force_flush_period: 1h, "
		     "is_first_entry: 'body startsWith \"#\"'}]\n",
		     false);
	f->refuse = 2;
	tailer_end(f);
	assert_str_equal(buf_str(&f->text), STR("#1\na\n"));
}

/* ---- refusals ---- */

static void refused_records_are_delivered_again(void **state)
{
	struct fixture *f = *state;

	append(f, "a.log", "1\n2\n");
	f->refuse = 3;
	tailer_begin(f, FROM_BEGINNING, false);
	expect(f, "1\n2\n");
	assert_int_equal(f->deliveries, 4);
}

static void bad_data_is_dropped(void **state)
{
	struct fixture *f = *state;

	append(f, "a.log", "1\n");
	f->refuse = 1;
	f->refuse_with = -EINVAL;
	tailer_begin(f, FROM_BEGINNING, false);
	append(f, "a.log", "2\n");
	expect(f, "2\n");
}

/* Give back memory after some time. */
static void *give_memory_back(void *arg)
{
	struct fixture *f = arg;

	nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
	budget_give(&f->host.memory, f->taken);
	return NULL;
}

static void nothing_is_lost_while_memory_is_used_up(void **state)
{
	struct fixture *f = *state;
	pthread_t thread;

	tailer_begin(f, FROM_BEGINNING, false);
	append(f, "a.log", "1\n");
	expect(f, "1\n");
	append(f, "a.log", "2\n");
	f->taken = f->host.memory.limit - f->host.memory.used - 20;
	assert_true(budget_take(&f->host.memory, f->taken));
	assert_ok(pthread_create(&thread, NULL, give_memory_back, f));
	expect(f, "2\n"); /* the poll waits for memory */
	pthread_join(thread, NULL);
}

static void many_lines_arrive_in_order(void **state)
{
	struct fixture *f = *state;
	struct buf lines = {0};

	for (unsigned i = 0; i < 50000; i++)
		buf_printf(&lines, "line number %u\n", i);
	append_bytes(f, "a.log", buf_str(&lines));
	tailer_begin(f, FROM_BEGINNING, false);
	buf_put_char(&lines, '\0');
	expect(f, lines.p);
	assert_true(f->deliveries >= 50000 / LOG_BATCH_RECORDS);
	buf_fini(&lines);
}

TEST_MAIN(tailer_test(a_moved_file_is_read_to_its_end),
	  tailer_test(a_moved_file_in_the_pattern_is_not_read_again),
	  tailer_test(a_deleted_file_is_read_to_its_end),
	  tailer_test(copytruncate_loses_and_repeats_nothing),
	  tailer_test(a_truncated_file_is_read_from_its_beginning),
	  tailer_test(two_files_with_the_same_beginning_are_both_read),
	  tailer_test(more_files_than_may_be_open_are_read), tailer_test(compressed_files_are_read),
	  tailer_test(positions_survive_the_end_and_a_crash),
	  tailer_test(a_damaged_file_of_positions_is_an_error),
	  tailer_test(what_operators_keep_is_read_again_after_a_crash),
	  tailer_test(without_storage_everything_is_delivered_at_the_end),
	  tailer_test(refused_records_are_delivered_again), tailer_test(bad_data_is_dropped),
	  tailer_test(nothing_is_lost_while_memory_is_used_up),
	  tailer_test(many_lines_arrive_in_order))

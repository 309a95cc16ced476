/* SPDX-License-Identifier: Apache-2.0 */
/* The audit log: its chain over restarts, files and crashes, and what its check finds. */
#include "api/access/audit.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "test/test.h"

static char directory[] = "/tmp/audit_test_XXXXXX";
static char path[64];

static int setup(void **state)
{
	(void)state;
	snprintf(path, sizeof(path), "%s/audit.log", directory);
	return 0;
}

static int teardown(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -f %s/*", directory);
	return system(command);
}

static struct audit *open_log(uint64_t max_bytes)
{
	struct audit *a;
	struct err e = {0};

	assert_ok_err(audit_open(&a, path, max_bytes, NULL, &e), &e);
	return a;
}

static void write_entries(struct audit *a, unsigned n)
{
	struct audit_entry entry = {.actor = STR("token 12"),
				    .action = STR("control.set"),
				    .object = STR("shop"),
				    .result = STR("done"),
				    .detail = STR("\"quoted\"\nline")};
	struct err e = {0};

	for (unsigned i = 0; i < n; i++)
		assert_ok_err(audit_write(a, &entry, &e), &e);
}

static void read_file(const char *name, struct buf *out)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	out->n = (size_t)read(fd, buf_reserve(out, 1 << 20), 1 << 20);
	close(fd);
}

static void write_file(const char *name, struct str text)
{
	int fd = open(name, O_WRONLY | O_TRUNC | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text.p, text.n), text.n);
	close(fd);
}

/* Check all lines of a file; return the result of the first bad one. */
static int check_file(struct audit_chain *c, const char *name, struct err *e)
{
	struct buf text = {0};
	struct str rest, line;
	int rc = 0;

	read_file(name, &text);
	rest = buf_str(&text);
	while (!rc && str_next_line(&rest, &line))
		rc = audit_check_line(c, line, e);
	buf_fini(&text);
	return rc;
}

static void the_chain_continues_after_a_restart(void **state)
{
	struct audit_chain c = {0};
	struct stat st;
	struct err e = {0};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct audit *a = open_log(1 << 20);

		write_entries(a, 2);
		audit_close(a);
	}
	assert_ok_err(check_file(&c, path, &e), &e);
	assert_int_equal(c.lines, 6);
	assert_int_equal(c.number, 6);
	assert_ok(stat(path, &st));
	assert_int_equal(st.st_mode & 0777, 0600);
}

static void a_full_file_is_renamed_and_the_chain_goes_on(void **state)
{
	struct audit *a = open_log(900);
	struct audit_chain c = {0};
	struct err e = {0};
	char first[80];

	(void)state;
	write_entries(a, 5);
	audit_close(a);
	/* two lines fit a file */
	snprintf(first, sizeof(first), "%s.2", path);
	assert_ok_err(check_file(&c, first, &e), &e);
	snprintf(first, sizeof(first), "%s.4", path);
	assert_ok_err(check_file(&c, first, &e), &e);
	assert_ok_err(check_file(&c, path, &e), &e);
	assert_int_equal(c.lines, 5);
}

static void changed_removed_and_inserted_lines_are_found(void **state)
{
	struct audit *a = open_log(1 << 20);
	struct buf text = {0}, other = {0};
	struct str rest, line;

	(void)state;
	write_entries(a, 4);
	audit_close(a);
	read_file(path, &text);
	for (unsigned how = 0; how < 3; how++) {
		static const char *const says[] = {"was changed", "removed or inserted",
						   "removed or inserted"};
		struct audit_chain c = {0};
		struct err e = {0};
		unsigned n = 0;

		buf_clear(&other);
		rest = buf_str(&text);
		while (str_next_line(&rest, &line)) {
			if (n == 2 && how == 1) {
				n++;
				continue;
			}
			buf_put_str(&other, line);
			buf_put_char(&other, '\n');
			if (n == 2 && how == 0)
				other.p[other.n - 200] ^= 1;
			if (n == 2 && how == 2) {
				buf_put_str(&other, line);
				buf_put_char(&other, '\n');
			}
			n++;
		}
		write_file(path, buf_str(&other));
		assert_int_equal(check_file(&c, path, &e), -EBADMSG);
		assert_err_says(&e, says[how]);
	}
	buf_fini(&text);
	buf_fini(&other);
}

static void a_line_that_a_crash_cut_off_is_removed(void **state)
{
	struct audit *a = open_log(1 << 20);
	struct audit_chain c = {0};
	struct buf text = {0};
	struct err e = {0};

	(void)state;
	write_entries(a, 2);
	audit_close(a);
	read_file(path, &text);
	write_file(path, str_head(buf_str(&text), text.n - 30));
	a = open_log(1 << 20);
	write_entries(a, 1);
	audit_close(a);
	assert_ok_err(check_file(&c, path, &e), &e);
	assert_int_equal(c.number, 3);
	buf_clear(&text);
	read_file(path, &text);
	assert_true(str_find_str(buf_str(&text), STR("audit.repaired")) < text.n);
	buf_fini(&text);
}

static void a_file_that_is_no_audit_log_is_refused_and_kept(void **state)
{
	struct audit *a = open_log(1 << 20);
	struct buf text = {0};
	struct err e = {0};

	(void)state;
	audit_close(a);
	write_file(path, STR("important notes\n"));
	assert_int_equal(audit_open(&a, path, 1 << 20, NULL, &e), -EBADMSG);
	assert_err_says(&e, "audit.log");
	read_file(path, &text);
	assert_str_equal(buf_str(&text), STR("important notes\n"));
	buf_fini(&text);
}

static void count_line(void *arg, struct str line)
{
	(void)line;
	++*(unsigned *)arg;
}

static void the_last_lines_are_read_back(void **state)
{
	struct audit *a = open_log(1 << 20);
	unsigned all = 0, some = 0;

	(void)state;
	write_entries(a, 10);
	assert_ok(audit_read_tail(a, 1 << 20, count_line, &all));
	assert_int_equal(all, 10);
	assert_ok(audit_read_tail(a, 1000, count_line, &some));
	assert_in_range(some, 1, 3);
	audit_close(a);
}

static void an_empty_file_continues_the_chain_of_the_one_before(void **state)
{
	struct audit *a = open_log(1 << 20);
	struct audit_chain c = {0};
	struct err e = {0};
	unsigned all = 0;
	char first[80];

	(void)state;
	write_entries(a, 3);
	audit_close(a);
	/* as if the process had ended when it began a file */
	snprintf(first, sizeof(first), "%s.3", path);
	assert_ok(rename(path, first));
	a = open_log(1 << 20);
	write_entries(a, 1);
	assert_ok(audit_read_tail(a, 1 << 20, count_line, &all));
	assert_int_equal(all, 4);
	audit_close(a);
	assert_ok_err(check_file(&c, first, &e), &e);
	assert_ok_err(check_file(&c, path, &e), &e);
	assert_int_equal(c.number, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_chain_continues_after_a_restart, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_full_file_is_renamed_and_the_chain_goes_on, setup,
						teardown),
		cmocka_unit_test_setup_teardown(changed_removed_and_inserted_lines_are_found, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_line_that_a_crash_cut_off_is_removed, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_file_that_is_no_audit_log_is_refused_and_kept,
						setup, teardown),
		cmocka_unit_test_setup_teardown(the_last_lines_are_read_back, setup, teardown),
		cmocka_unit_test_setup_teardown(an_empty_file_continues_the_chain_of_the_one_before,
						setup, teardown),
	};
	int rc;

	if (!mkdtemp(directory))
		return 1;
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	rmdir(directory);
	return rc;
}

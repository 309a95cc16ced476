/* SPDX-License-Identifier: Apache-2.0 */
/* Encrypted audit logs: crashes, damage, moved records, missing keys, rotation of the key. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/access/audit.h"
#include "api/access/audit_file.h"
#include "seal/rotate.h"
#include "test/test.h"

static char directory[] = "/tmp/audit_sealed_test_XXXXXX";
static char path[64];
static struct key_ring *keys, *other_keys;

static int remove_files(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -f %s/*", directory);
	return system(command);
}

static struct audit *open_log(uint64_t max_bytes, struct key_ring *ring)
{
	struct audit *a;
	struct err e = {0};

	assert_ok_err(audit_open(&a, path, max_bytes, ring, &e), &e);
	return a;
}

static void write_entries(struct audit *a, unsigned n)
{
	struct audit_entry entry = {.actor = STR("token 12"),
				    .action = STR("control.set"),
				    .object = STR("planted"),
				    .result = STR("done")};
	struct err e = {0};

	for (unsigned i = 0; i < n; i++)
		assert_ok_err(audit_write(a, &entry, &e), &e);
}

static void write_log(unsigned n)
{
	struct audit *a = open_log(1 << 20, keys);

	write_entries(a, n);
	audit_close(a);
}

static void read_bytes(const char *name, struct buf *out)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	buf_clear(out);
	out->n = (size_t)read(fd, buf_reserve(out, 1 << 20), 1 << 20);
	close(fd);
}

static void write_bytes(struct str bytes)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes.p, bytes.n), bytes.n);
	close(fd);
}

/* Check all lines of the bytes of a file. */
static int check_bytes(struct audit_chain *c, struct str bytes, struct key_ring *ring,
		       struct err *e)
{
	struct audit_reader r;
	struct str line;
	int rc = audit_reader_init(&r, bytes, ring, e);

	while (!rc && (rc = audit_reader_next(&r, &line, e)) == 1) {
		assert_true(str_find_str(line, STR("\"hash\"")) < line.n);
		rc = audit_check_line(c, line, e);
	}
	audit_reader_fini(&r);
	return rc;
}

static void check_file(const char *name, struct audit_chain *c)
{
	struct buf bytes = {0};
	struct err e = {0};

	read_bytes(name, &bytes);
	assert_true(key_block_is(bytes.p, bytes.n));
	assert_ok_err(check_bytes(c, buf_str(&bytes), keys, &e), &e);
	assert_true(str_find_str(buf_str(&bytes), STR("planted")) >= bytes.n);
	buf_fini(&bytes);
}

static void the_chain_continues_and_nothing_is_readable(void **state)
{
	struct audit_chain c = {0};
	struct stat st;

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		write_log(2);
	check_file(path, &c);
	assert_int_equal(c.lines, 6);
	assert_int_equal(c.number, 6);
	assert_ok(stat(path, &st));
	assert_int_equal(st.st_mode & 0777, 0600);
}

static void a_full_file_is_renamed_and_the_next_one_is_encrypted(void **state)
{
	struct audit *a = open_log(KEY_BLOCK + 800, keys);
	struct audit_chain c = {0};
	char first[80];

	(void)state;
	write_entries(a, 3);
	audit_close(a);
	snprintf(first, sizeof(first), "%s.2", path);
	check_file(first, &c);
	check_file(path, &c);
	assert_int_equal(c.lines, 3);
}

static void a_record_that_a_crash_cut_off_is_removed(void **state)
{
	struct buf bytes = {0};
	struct str whole;
	size_t two;

	(void)state;
	write_log(2);
	read_bytes(path, &bytes);
	two = bytes.n;
	write_log(1);
	read_bytes(path, &bytes);
	whole = buf_str(&bytes);
	for (size_t n = two + 1; n < whole.n; n++) {
		struct audit_chain c = {0};

		write_bytes(str_head(whole, n));
		write_log(1);
		check_file(path, &c);
		assert_int_equal(c.number, 4); /* the second line, the repair, the new line */
		assert_int_equal(c.lines, 4);
	}
	buf_fini(&bytes);
}

static void records_that_were_lost_with_the_power_are_removed(void **state)
{
	static const size_t zeros[] = {1, 5, 16, 40, 100, 5000};
	struct buf bytes = {0}, torn = {0};
	size_t intact;

	(void)state;
	write_log(2);
	read_bytes(path, &bytes);
	intact = bytes.n;
	write_log(1);
	read_bytes(path, &bytes);
	/* zeros after the last record, and from the middle of it */
	for (unsigned i = 0; i < 2 * countof(zeros); i++) {
		struct audit_chain c = {0};
		size_t keep = i % 2 ? bytes.n : intact + 50;

		buf_clear(&torn);
		buf_put_str(&torn, str_head(buf_str(&bytes), keep));
		while (torn.n < bytes.n || torn.n < keep + zeros[i / 2])
			buf_put_char(&torn, 0);
		write_bytes(buf_str(&torn));
		write_log(1);
		check_file(path, &c);
		assert_int_equal(c.number, i % 2 ? 5 : 4);
	}
	buf_fini(&torn);
	buf_fini(&bytes);
}

static void a_key_block_that_a_crash_cut_off_is_written_again(void **state)
{
	struct audit_chain c = {0};
	struct buf bytes = {0};

	(void)state;
	write_log(1);
	read_bytes(path, &bytes);
	write_bytes(str_head(buf_str(&bytes), 1000));
	write_log(1);
	check_file(path, &c);
	assert_int_equal(c.number, 1);
	buf_fini(&bytes);
}

static void a_flipped_bit_is_reported_and_nothing_is_removed(void **state)
{
	struct buf bytes = {0}, after = {0};
	struct audit *a;

	(void)state;
	write_log(3);
	read_bytes(path, &bytes);
	for (size_t at = 0; at < bytes.n; at++) {
		struct audit_chain c = {0};
		struct err e = {0};
		int rc;

		if (at >= 2 * KEY_SLOT && at < KEY_BLOCK)
			continue; /* the second copy, and zeros */
		bytes.p[at] ^= 1;
		write_bytes(buf_str(&bytes));
		rc = check_bytes(&c, buf_str(&bytes), keys, &e);
		if (at >= KEY_BLOCK) {
			assert_int_equal(rc, -EBADMSG);
			assert_int_not_equal(audit_open(&a, path, 1 << 20, keys, &e), 0);
		} else if (rc) {
			assert_true(at < 12); /* of the magic: not one of ours any more */
		}
		read_bytes(path, &after);
		assert_str_equal(buf_str(&after), buf_str(&bytes));
		bytes.p[at] ^= 1;
	}
	buf_fini(&after);
	buf_fini(&bytes);
}

static void a_moved_record_is_refused(void **state)
{
	struct buf bytes = {0};
	struct audit_chain c = {0};
	struct err e = {0};
	size_t size;

	(void)state;
	write_log(1);
	read_bytes(path, &bytes);
	size = bytes.n - KEY_BLOCK;
	write_log(1);
	read_bytes(path, &bytes);
	buf_put(&bytes, bytes.p + KEY_BLOCK, size);
	assert_int_equal(check_bytes(&c, buf_str(&bytes), keys, &e), -EBADMSG);
	assert_err_says(&e, "not of this place");
	assert_int_equal(c.lines, 2);
	buf_fini(&bytes);
}

static void without_the_key_nothing_is_changed(void **state)
{
	struct buf bytes = {0}, after = {0};
	struct audit *a;

	(void)state;
	write_log(2);
	read_bytes(path, &bytes);
	for (unsigned i = 0; i < 2; i++) {
		struct err e = {0};

		assert_int_equal(audit_open(&a, path, 1 << 20, i ? other_keys : NULL, &e), -ENOKEY);
		assert_err_says(&e, "is encrypted with the key");
		read_bytes(path, &after);
		assert_str_equal(buf_str(&after), buf_str(&bytes));
	}
	buf_fini(&after);
	buf_fini(&bytes);
}

static void a_file_in_clear_is_renamed_when_there_is_a_key(void **state)
{
	struct audit *a = open_log(1 << 20, NULL);
	struct audit_chain c = {0};
	struct buf bytes = {0};
	struct err e = {0};
	char first[80];

	(void)state;
	write_entries(a, 2);
	audit_close(a);
	write_log(0);
	write_log(1);
	snprintf(first, sizeof(first), "%s.2", path);
	read_bytes(first, &bytes);
	assert_ok_err(check_bytes(&c, buf_str(&bytes), NULL, &e), &e);
	check_file(path, &c);
	assert_int_equal(c.lines, 3);
	buf_fini(&bytes);
}

static void the_master_key_is_rotated_while_the_log_is_open(void **state)
{
	struct audit *a = open_log(1 << 20, keys);
	struct rotate_report report = {0};
	struct key_ring *both = NULL;
	struct audit_chain c = {0};
	struct buf bytes = {0};
	struct err e = {0};
	char file[80];
	int fd;

	(void)state;
	write_entries(a, 2);
	snprintf(file, sizeof(file), "%s/keys", directory);
	fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	/* the keys of other_keys and keys */
	assert_true(dprintf(fd, "%064d\n%064d\n", 2, 1) > 0);
	close(fd);
	assert_ok_err(key_ring_open(&both, file, NULL, &e), &e);
	assert_ok_err(seal_rotate(directory, both, &report, &e), &e);
	assert_int_equal(report.rotated, 1);
	write_entries(a, 2);
	audit_close(a);
	read_bytes(path, &bytes);
	assert_ok_err(check_bytes(&c, buf_str(&bytes), other_keys, &e), &e);
	assert_int_equal(c.lines, 4);
	assert_int_equal(check_bytes(&c, buf_str(&bytes), keys, &e), -ENOKEY);
	key_ring_unref(both);
	buf_fini(&bytes);
}

static void count_line(void *arg, struct str line)
{
	(void)line;
	++*(unsigned *)arg;
}

static void the_last_lines_are_read_back(void **state)
{
	struct audit *a = open_log(1 << 20, keys);
	unsigned all = 0, some = 0, none = 0;

	(void)state;
	assert_ok(audit_read_tail(a, 1000, count_line, &none));
	assert_int_equal(none, 0);
	write_entries(a, 10);
	assert_ok(audit_read_tail(a, 1 << 20, count_line, &all));
	assert_int_equal(all, 10);
	assert_ok(audit_read_tail(a, 1000, count_line, &some));
	assert_in_range(some, 1, 3);
	audit_close(a);
}

#define in_directory(test) cmocka_unit_test_teardown(test, remove_files)

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_directory(the_chain_continues_and_nothing_is_readable),
		in_directory(a_full_file_is_renamed_and_the_next_one_is_encrypted),
		in_directory(a_record_that_a_crash_cut_off_is_removed),
		in_directory(records_that_were_lost_with_the_power_are_removed),
		in_directory(a_key_block_that_a_crash_cut_off_is_written_again),
		in_directory(a_flipped_bit_is_reported_and_nothing_is_removed),
		in_directory(a_moved_record_is_refused),
		in_directory(without_the_key_nothing_is_changed),
		in_directory(a_file_in_clear_is_renamed_when_there_is_a_key),
		in_directory(the_master_key_is_rotated_while_the_log_is_open),
		in_directory(the_last_lines_are_read_back),
	};
	static const char hex[] = "000000000000000000000000000000000000000000000000000000000000000";
	char text[80];
	uint8_t key[SEAL_KEY];
	int rc;

	if (!mkdtemp(directory))
		return 1;
	snprintf(path, sizeof(path), "%s/audit.log", directory);
	snprintf(text, sizeof(text), "%s1", hex);
	if (key_parse(key, str_from(text)) || key_ring_of_key(&keys, key, NULL))
		return 1;
	text[63] = '2';
	if (key_parse(key, str_from(text)) || key_ring_of_key(&other_keys, key, NULL))
		return 1;
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	key_ring_unref(keys);
	key_ring_unref(other_keys);
	rmdir(directory);
	return rc;
}

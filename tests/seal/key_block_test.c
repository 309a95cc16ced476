/* SPDX-License-Identifier: Apache-2.0 */
/* Key files, key blocks, and rotations that are interrupted. */
#include "seal/key_block.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "seal/rotate.h"
#include "test/test.h"

#define HEX_1 "0101010101010101010101010101010101010101010101010101010101010101"
#define HEX_2 "0202020202020202020202020202020202020202020202020202020202020202"

struct fixture {
	char directory[64], key_file[128], file[128];
};

static int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	snprintf(f->directory, sizeof(f->directory), "/tmp/key_block_test.XXXXXX");
	if (!mkdtemp(f->directory))
		return -1;
	snprintf(f->key_file, sizeof(f->key_file), "%s/keys", f->directory);
	snprintf(f->file, sizeof(f->file), "%s/data.db", f->directory);
	*state = f;
	return 0;
}

static int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	unlink(f->key_file);
	unlink(f->file);
	assert_ok(rmdir(f->directory));
	free(f);
	return 0;
}

static void write_file(const char *path, const void *bytes, size_t n, mode_t mode)
{
	int fd;

	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	assert_int_equal(write(fd, bytes, n), n);
	assert_ok(fchmod(fd, mode));
	close(fd);
}

static struct key_ring *open_ring(const struct fixture *f, const char *text)
{
	struct key_ring *r = NULL;
	struct err e = {0};

	write_file(f->key_file, text, strlen(text), 0600);
	assert_ok_err(key_ring_open(&r, f->key_file, NULL, &e), &e);
	return r;
}

/* A ring that reads no file again: HEX_1 or HEX_2. */
static struct key_ring *fixed_ring(int value)
{
	struct key_ring *r = NULL;
	uint8_t key[SEAL_KEY];

	memset(key, value, sizeof(key));
	assert_ok(key_ring_of_key(&r, key, NULL));
	return r;
}

static void expect_refused(const struct fixture *f, const void *bytes, size_t n, mode_t mode,
			   const char *says)
{
	struct key_ring *r = NULL;
	struct err e = {0};

	write_file(f->key_file, bytes, n, mode);
	assert_int_not_equal(key_ring_open(&r, f->key_file, NULL, &e), 0);
	assert_err_says(&e, says);
}

static void forms_of_keys(void **state)
{
	struct fixture *f = *state;
	uint8_t raw[SEAL_KEY], key[SEAL_KEY];
	struct key_ring *a, *b;
	struct key_id ids[KEY_RING_MOST], id;

	memset(raw, 1, sizeof(raw));
	a = open_ring(f, "# comment\n\n  " HEX_1 "  \r\n" HEX_2 "\n" HEX_1);
	assert_int_equal(key_ring_list(a, ids), 2);
	id = key_ring_current(a);
	assert_memory_equal(&id, &ids[0], sizeof(id));
	assert_true(key_ring_find(a, id, key));
	assert_memory_equal(key, raw, sizeof(raw));
	key_ring_unref(a);
	b = open_ring(f, "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=\n");
	assert_true(key_ring_find(b, id, key));
	key_ring_unref(b);
	write_file(f->key_file, raw, sizeof(raw), 0600);
	assert_ok(key_ring_open(&b, f->key_file, NULL, NULL));
	assert_true(key_ring_find(b, id, key));
	key_ring_unref(b);
}

static void bad_key_files_are_refused(void **state)
{
	struct fixture *f = *state;
	char large[20000];

	memset(large, '#', sizeof(large));
	expect_refused(f, HEX_1, 64, 0644, "chmod 600");
	expect_refused(f, HEX_1, 64, 0660, "chmod 600");
	expect_refused(f, HEX_1, 63, 0600, "line 1: expected a key of 32 bytes");
	expect_refused(f, "\n" HEX_1 "0", 66, 0600, "line 2");
	expect_refused(f, "", 0, 0600, "has no key");
	expect_refused(f, "\1\2\3", 3, 0600, "a binary key has to have 32 bytes");
	expect_refused(f, large, sizeof(large), 0600, "not a file of at most");
}

static void a_changed_file_is_read_again(void **state)
{
	struct fixture *f = *state;
	struct key_ring *r = open_ring(f, HEX_1), *two;
	struct key_id first = key_ring_current(r), second;
	uint8_t key[SEAL_KEY];

	two = open_ring(f, HEX_2 "\n" HEX_1 "\n");
	second = key_ring_current(two);
	assert_true(key_ring_find(r, second, key));
	second = key_ring_current(r);
	assert_memory_not_equal(&first, &second, sizeof(first));
	/* what cannot be read changes nothing */
	write_file(f->key_file, "bad", 3, 0600);
	key_ring_refresh(r);
	assert_true(key_ring_find(r, first, key));
	key_ring_unref(r);
	key_ring_unref(two);
}

static void damage_differs_from_missing_keys(void **state)
{
	struct key_ring *one = fixed_ring(1), *two = fixed_ring(2);
	uint8_t block[KEY_BLOCK], damaged[KEY_BLOCK];
	struct file_key made, read;
	struct err e = {0};

	(void)state;
	assert_ok_err(key_block_new(block, &made, SEALED_QUEUE, one, &e), &e);
	assert_true(key_block_is(block, sizeof(block)));
	assert_ok(key_block_open(&read, block, SEALED_QUEUE, one, &e));
	assert_memory_equal(&made, &read, sizeof(made));
	assert_int_equal(key_block_open(&read, block, SEALED_QUEUE, two, &e), -ENOKEY);
	assert_int_equal(key_block_open(&read, block, SEALED_QUEUE, NULL, NULL), -ENOKEY);
	assert_int_equal(key_block_open(&read, block, SEALED_DATABASE, one, NULL), -EUCLEAN);
	for (size_t i = 0; i < KEY_SLOT; i++) {
		/* one copy is damaged: the other counts */
		memcpy(damaged, block, sizeof(block));
		damaged[i] ^= 0x10;
		assert_ok(key_block_open(&read, damaged, SEALED_QUEUE, one, NULL));
		assert_memory_equal(&made, &read, sizeof(made));
		damaged[512 + i] ^= 0x10;
		assert_int_equal(key_block_open(&read, damaged, SEALED_QUEUE, one, NULL), -EUCLEAN);
	}
	key_ring_unref(one);
	key_ring_unref(two);
}

/* Return 0 if the file can be opened with the ring, and check that the key is the same. */
static int try_file(const struct fixture *f, struct key_ring *r, const struct file_key *wanted)
{
	int fd = open(f->file, O_RDONLY), rc;
	uint8_t block[KEY_BLOCK];
	struct file_key key;

	assert_int_equal(pread(fd, block, sizeof(block), 0), sizeof(block));
	close(fd);
	rc = key_block_open(&key, block, SEALED_DATABASE, r, NULL);
	if (!rc)
		assert_memory_equal(&key, wanted, sizeof(key));
	return rc;
}

static void a_rotation_leaves_only_the_new_key(void **state)
{
	struct fixture *f = *state;
	struct key_ring *one = fixed_ring(1), *two = fixed_ring(2);
	struct key_ring *both = open_ring(f, HEX_2 "\n" HEX_1);
	struct rotate_report report = {0};
	uint8_t block[KEY_BLOCK];
	struct file_key key;
	struct err e = {0};

	assert_ok(key_block_new(block, &key, SEALED_DATABASE, one, &e));
	write_file(f->file, block, sizeof(block), 0600);
	assert_ok_err(seal_rotate(f->directory, two, &report, &e), &e);
	assert_int_equal(report.failed, 1);
	assert_ok_err(seal_rotate(f->directory, both, &report, &e), &e);
	assert_int_equal(report.rotated, 1);
	assert_int_equal(try_file(f, two, &key), 0);
	assert_int_equal(try_file(f, one, &key), -ENOKEY);
	assert_ok_err(seal_rotate(f->directory, both, &report, &e), &e);
	assert_int_equal(report.current, 1);
	key_ring_unref(one);
	key_ring_unref(two);
	key_ring_unref(both);
}

/* kill -9 while a child rotates to and fro: the file can be opened at any time. */
static void a_killed_rotation_leaves_a_valid_block(void **state)
{
	enum { KILLS = 100 };
	struct fixture *f = *state;
	struct key_ring *forth = open_ring(f, HEX_1 "\n" HEX_2), *back;
	uint8_t block[KEY_BLOCK];
	struct file_key key;

	assert_ok(key_block_new(block, &key, SEALED_DATABASE, forth, NULL));
	back = open_ring(f, HEX_2 "\n" HEX_1);
	write_file(f->file, block, sizeof(block), 0600);
	for (unsigned i = 0; i < KILLS; i++) {
		pid_t pid = fork();
		int status;

		if (!pid) {
			int fd = open(f->file, O_RDWR);
			bool changed;

			for (;;)
				if (key_block_rotate(fd, back, &changed, NULL) ||
				    key_block_rotate(fd, forth, &changed, NULL))
					_exit(1);
		}
		usleep(500 + i * 37 % 3000);
		assert_ok(kill(pid, SIGKILL));
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
		assert_int_equal(try_file(f, forth, &key), 0);
	}
	key_ring_unref(forth);
	key_ring_unref(back);
}

TEST_MAIN(test_with(fixture, forms_of_keys), test_with(fixture, bad_key_files_are_refused),
	  test_with(fixture, a_changed_file_is_read_again),
	  test_with(fixture, damage_differs_from_missing_keys),
	  test_with(fixture, a_rotation_leaves_only_the_new_key),
	  test_with(fixture, a_killed_rotation_leaves_a_valid_block))

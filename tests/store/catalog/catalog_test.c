/* SPDX-License-Identifier: Apache-2.0 */
/* A damaged catalog is set aside and created again. */
#include <sys/stat.h>

#include "store/store_support.h"

enum { SIZE = 8192 };

static const char *const names[] = {"catalog.db", "catalog.db-wal", "catalog.db-shm"};
static const char aside[] = "catalog.db.damaged";

static void fill_file(const char *directory, const char *name, int byte)
{
	char path[128], bytes[SIZE];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	memset(bytes, byte, sizeof(bytes));
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, sizeof(bytes), file), sizeof(bytes));
	assert_ok(fclose(file));
}

/* Return the first byte of the file, or -1 if the file does not exist or is empty. */
static int first_byte(const char *directory, const char *name)
{
	char path[128];
	FILE *file;
	int c;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "r");
	if (!file)
		return -1;
	c = fgetc(file);
	assert_ok(fclose(file));
	return c;
}

static void open_and_close(const char *directory)
{
	struct sqlite_store_options o = {.directory = directory, .manual = true};
	struct store *s;
	struct err e = {0};

	assert_ok_err(sqlite_store_open(&s, &o, &e), &e);
	s->ops->close(s);
}

static void a_damaged_catalog_is_set_aside_and_recreated(void **state)
{
	char directory[64];

	(void)state;
	make_directory(directory);
	open_and_close(directory);
	for (unsigned i = 0; i < countof(names); i++)
		fill_file(directory, names[i], 'a' + (int)i);
	open_and_close(directory);
	for (unsigned i = 1; i < countof(names); i++) /* no other file of the old catalog remains */
		assert_int_not_equal(first_byte(directory, names[i]), 'a' + (int)i);
	/* "SQLite format 3", or a key block */
	assert_int_equal(first_byte(directory, names[0]), test_keys() ? 'v' : 'S');
	assert_int_equal(first_byte(directory, aside), 'a');
	open_and_close(directory);
	assert_int_equal(first_byte(directory, aside), 'a');
	remove_tree(directory);
}

TEST_MAIN(test(a_damaged_catalog_is_set_aside_and_recreated))

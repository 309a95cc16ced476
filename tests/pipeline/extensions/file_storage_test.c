/* SPDX-License-Identifier: Apache-2.0 */
/* The directory of the file_storage extension: created, refused, offered. */
#include "pipeline/extensions/file_storage/file_storage.h"

#include <sys/stat.h>
#include <unistd.h>

#include "test/component.h"

static const struct component_env env = {.id = "file_storage"};

static void the_directory_is_created(void **state)
{
	char base[] = "/tmp/file_storage_XXXXXX", yaml[300], path[100];
	struct test_component x;
	struct stat st;

	(void)state;
	assert_non_null(mkdtemp(base));
	snprintf(path, sizeof(path), "%s/a/b", base);
	snprintf(yaml, sizeof(yaml), "directory: %s\n", path);
	test_component_refused(&file_storage_extension, &env, yaml, "create_directory");
	snprintf(yaml, sizeof(yaml),
		 "directory: %s\ncreate_directory: true\ndirectory_permissions: \"0700\"\n"
		 "compaction: {on_start: true, directory: /tmp}\nfsync: true\ntimeout: 10s\n",
		 path);
	for (int i = 0; i < 2; i++) { /* the second time it exists */
		assert_ok_err(test_component_new(&x, &file_storage_extension, &env, yaml), &x.e);
		assert_string_equal(file_storage_extension.directory(x.instance), path);
		test_component_free(&x);
	}
	assert_ok(stat(path, &st));
	assert_int_equal(st.st_mode & 0777, 0700);
	assert_ok(rmdir(path));
	snprintf(path, sizeof(path), "%s/a", base);
	assert_ok(rmdir(path));
	assert_ok(rmdir(base));
}

static void bad_settings_are_refused(void **state)
{
	const struct component *c = &file_storage_extension;

	(void)state;
	test_component_refused(c, &env, "directory: /dev/null\n", "not a directory");
	test_component_refused(c, &env, "directory: \"\"\n", "must not be empty");
	test_component_refused(c, &env, "directory_permissions: \"0999\"\n", "octal");
	test_component_refused(c, &env, "directry: /tmp\n", "did you mean \"directory\"");
}

TEST_MAIN(test(the_directory_is_created), test(bad_settings_are_refused))

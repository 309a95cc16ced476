/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_TEST_SYMBOL_PROGRAMS_H
#define VARVE_TEST_SYMBOL_PROGRAMS_H

/*
 * Real files for the tests: small programs compiled in a temporary directory by $CC and $CXX, and
 * the output of binutils on them. Tests that need a tool that is not installed are skipped.
 */

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "symbol/symbol.h"
#include "test/test.h"

struct programs {
	char directory[64];
	struct arena arena; /* contents of files and pipes */
};

static inline int programs_setup(void **state)
{
	struct programs *p = calloc(1, sizeof(*p));

	snprintf(p->directory, sizeof(p->directory), "/tmp/symbol_test.XXXXXX");
	if (!mkdtemp(p->directory) || chdir(p->directory))
		return -1;
	arena_init(&p->arena, NULL);
	*state = p;
	return 0;
}

/* Run a shell command in the test's directory. Return true if its status is 0. */
static inline bool run(const char *command)
{
	return system(command) == 0; // NOLINT(cert-env33-c): commands of this test
}

static inline int programs_teardown(void **state)
{
	struct programs *p = *state;
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", p->directory);
	arena_fini(&p->arena);
	if (chdir("/") || !run(command))
		return -1;
	free(p);
	return 0;
}

#define run_or_skip(command)                                                                       \
	do {                                                                                       \
		if (!run(command)) {                                                               \
			print_message("# skipped: %s\n", command);                                 \
			skip();                                                                    \
		}                                                                                  \
	} while (0)

static inline void write_file(const char *path, struct str bytes)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes.p, 1, bytes.n, file), bytes.n);
	assert_int_equal(fclose(file), 0);
}

/* Read a file or the output of a command completely; a NUL follows the bytes. */
static inline struct str read_stream(struct programs *p, FILE *in)
{
	char *bytes = NULL;
	size_t n = 0, size = 0;

	assert_non_null(in);
	do {
		bytes = arena_resize(&p->arena, bytes, size, size + (1 << 20), 1);
		assert_non_null(bytes);
		size += 1 << 20;
		n += fread(bytes + n, 1, size - n - 1, in);
	} while (n == size - 1);
	bytes[n] = 0;
	return str_of(bytes, n);
}

static inline struct str output_of(struct programs *p, const char *command)
{
	FILE *in = popen(command, "re"); // NOLINT(cert-env33-c): commands of this test
	struct str out = read_stream(p, in);

	pclose(in);
	return out;
}

static inline struct str bytes_of(struct programs *p, const char *path)
{
	FILE *in = fopen(path, "re");
	struct str out = read_stream(p, in);

	fclose(in);
	return out;
}

/* Return the path of this process's C library. */
static inline const char *libc_path(struct programs *p)
{
	struct str line = str_trim(output_of(p, "ldd /bin/sh | awk '/libc.so/ {print $3}'"));
	char *path = (char *)line.p;

	path[line.n] = 0;
	return path;
}

/* Return the number of open descriptors of this process. */
static inline uint32_t open_descriptors(void)
{
	DIR *directory = opendir("/proc/self/fd");
	uint32_t n = 0;

	assert_non_null(directory);
	while (readdir(directory))
		n++;
	closedir(directory);
	return n;
}

#endif

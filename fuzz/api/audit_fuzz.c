/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Audit logs: the first byte says whether the log is encrypted; the rest is done to the file of a
 * closed log: lines are written, bytes appended, flipped or cut off. A log that can be opened can
 * be continued and read to its end.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "api/access/audit.h"
#include "api/access/audit_file.h"
#include "fuzz.h"

enum { OPERATIONS_MAX = 64 };

static struct key_ring *fuzz_ring(void)
{
	static const uint8_t key[SEAL_KEY] = {7};
	static struct key_ring *ring;

	if (!ring)
		FUZZ_CHECK(!key_ring_of_key(&ring, key, NULL));
	return ring;
}

static void count_line(void *arg, struct str line)
{
	(void)line;
	++*(unsigned *)arg;
}

/* Open the log, write a line, and read it back. Return false if the log is refused. */
static bool continue_log(const char *path, struct key_ring *keys)
{
	struct audit_entry entry = {.action = STR("fuzz"), .result = STR("done")};
	struct audit *a = NULL;
	struct err e = {0};
	unsigned lines = 0;

	if (audit_open(&a, path, UINT64_MAX, keys, &e)) {
		FUZZ_CHECK(e.text[0]);
		return false;
	}
	FUZZ_CHECK(!audit_write(a, &entry, &e));
	FUZZ_CHECK(!audit_read_tail(a, 4096, count_line, &lines) && lines);
	audit_close(a);
	return true;
}

static void flip_bit(int fd, uint64_t at)
{
	char byte;

	if (pread(fd, &byte, 1, (off_t)at) != 1)
		return;
	byte ^= 1;
	FUZZ_CHECK(pwrite(fd, &byte, 1, (off_t)at) == 1);
}

/* Read all lines; what is not intact is refused with a reason. */
static void read_log(int fd, struct key_ring *keys)
{
	static char bytes[1 << 18];
	ssize_t n = pread(fd, bytes, sizeof(bytes), 0);
	struct audit_chain chain = {0};
	struct audit_reader r;
	struct err e = {0};
	struct str line;
	int rc;

	FUZZ_CHECK(n >= 0);
	rc = audit_reader_init(&r, str_of(bytes, (size_t)n), keys, &e);
	while (!rc && (rc = audit_reader_next(&r, &line, &e)) == 1)
		rc = audit_check_line(&chain, line, &e);
	FUZZ_CHECK(!rc || e.text[0]);
	audit_reader_fini(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct key_ring *keys = size && data[0] & 1 ? fuzz_ring() : NULL;
	int fd = memfd_create("audit", MFD_CLOEXEC);
	char path[40];

	FUZZ_CHECK(fd >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	for (size_t i = 1; i + 2 < size && i < 3 * OPERATIONS_MAX; i += 3) {
		uint64_t at = (uint64_t)data[i + 1] | (uint64_t)data[i + 2] << 8;
		off_t end = lseek(fd, 0, SEEK_END);

		if (data[i] % 4 == 0)
			(void)continue_log(path, keys);
		else if (data[i] % 4 == 1)
			FUZZ_CHECK(write(fd, data + i + 1, min_size(size - i - 1, at % 600)) >= 0);
		else if (data[i] % 4 == 2)
			flip_bit(fd, end ? (uint64_t)end - 1 - at % (uint64_t)end : 0);
		else
			FUZZ_CHECK(!ftruncate(fd, end - (off_t)(at % (uint64_t)(end + 1))));
		read_log(fd, keys);
	}
	close(fd);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Files of a disk queue. Unreadable blocks count as damaged records. */
#include "pipeline/journal/disk_segments.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "pipeline/journal/disk_seal.h"

enum { SEGMENT_NAME = 16 /* digits */, SEGMENT_MODE = 0600, CHECK_BYTES = 32 * 1024 };

int disk_read(int fd, void *to, size_t n, uint64_t offset)
{
	while (n) {
		ssize_t got = pread(fd, to, n, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : -EIO;
		to = (char *)to + got;
		n -= (size_t)got;
		offset += (size_t)got;
	}
	return 0;
}

int disk_write(int fd, const void *from, size_t n, uint64_t offset)
{
	while (n) {
		ssize_t put = pwrite(fd, from, n, (off_t)offset);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return put ? -errno : -EIO;
		from = (const char *)from + put;
		n -= (size_t)put;
		offset += (size_t)put;
	}
	return 0;
}

/* ---- reading ---- */

void disk_reader_begin(struct disk_reader *r, const struct disk_segment *s)
{
	r->sequence = s->first - 1;
	r->damaged = 0;
	r->window_at = 0;
	r->window_bytes = 0;
}

/* Return the bytes of a header at `offset`, or NULL at the end. */
static const uint8_t *header_bytes(struct disk_reader *r, int fd, uint64_t end, uint64_t offset)
{
	if (end < JOURNAL_RECORD_HEADER || offset > end - JOURNAL_RECORD_HEADER)
		return NULL;
	if (offset < r->window_at ||
	    offset + JOURNAL_RECORD_HEADER > r->window_at + r->window_bytes) {
		r->window_at = offset;
		r->window_bytes = min_size(DISK_WINDOW, end - offset);
		if (disk_read(fd, r->window, r->window_bytes, offset))
			memset(r->window, 0, r->window_bytes);
	}
	return r->window + (offset - r->window_at);
}

bool disk_reader_next(struct disk_reader *r, int fd, uint64_t end, uint64_t *offset,
		      struct journal_header *h)
{
	const uint8_t *bytes;

	for (uint64_t at = *offset; (bytes = header_bytes(r, fd, end, at)); at += JOURNAL_ALIGN) {
		if (*bytes != 'V' || !journal_read_header(h, bytes) || h->sequence <= r->sequence ||
		    journal_record_size(h) > end - at)
			continue;
		r->damaged += at != *offset;
		r->sequence = h->sequence;
		*offset = at;
		return true;
	}
	return false;
}

bool disk_record_intact(const struct disk_segment *s, uint64_t offset,
			const struct journal_header *h)
{
	uint64_t left = (uint64_t)h->text_bytes + h->payload_bytes;
	uint8_t bytes[CHECK_BYTES];
	uint32_t checksum = 0;

	if (s->encrypted || h->encrypted)
		return disk_seal_intact(s, offset, h);
	for (offset += JOURNAL_RECORD_HEADER; left;) {
		size_t n = min_size(left, sizeof(bytes));

		if (disk_read(s->fd, bytes, n, offset))
			return false;
		checksum = crc32c(checksum, bytes, n);
		offset += n;
		left -= n;
	}
	return checksum == h->checksum;
}

void disk_record_mark(int fd, uint64_t offset, uint64_t sequence, enum journal_state state)
{
	uint8_t mark[4];
	int rc;

	journal_write_mark(mark, sequence, state);
	rc = disk_write(fd, mark, sizeof(mark), offset + JOURNAL_MARK_OFFSET);
	(void)rc;
}

/* ---- files ---- */

static void segment_name(char name[32], uint64_t first)
{
	snprintf(name, 32, "%016" PRIx64 ".queue", first);
}

static struct disk_segment *segment_new(uint64_t first)
{
	struct disk_segment *s = malloc(sizeof(*s));

	if (s)
		*s = (struct disk_segment){.first = first, .fd = -1, .end = JOURNAL_SEGMENT_HEADER};
	return s;
}

static void disk_segment_free(struct disk_segment *s)
{
	disk_segment_close(s);
	explicit_bzero(&s->key, sizeof(s->key));
	free(s);
}

static unsigned hex_value(char c)
{
	return c >= 'a' ? (unsigned)(c - 'a') + 10 : (unsigned)(c - '0');
}

void disk_boot_id(uint8_t out[JOURNAL_BOOT_SIZE])
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	char text[64] = "";
	unsigned digits = 0;

	memset(out, 0, JOURNAL_BOOT_SIZE);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
		text[0] = 0;
	for (const char *at = text; *at && digits < 2 * JOURNAL_BOOT_SIZE; at++)
		if ((*at >= '0' && *at <= '9') || (*at >= 'a' && *at <= 'f')) {
			out[digits / 2] =
				(uint8_t)((unsigned)out[digits / 2] << 4 | hex_value(*at));
			digits++;
		}
	if (fd >= 0)
		close(fd);
}

/* Write the key block, if there are keys, and the header. */
static int write_segment_head(struct disk_segment *s, const uint8_t boot[JOURNAL_BOOT_SIZE],
			      struct key_ring *keys)
{
	struct journal_segment written = {.first = s->first};
	uint8_t block[KEY_BLOCK], header[JOURNAL_SEGMENT_HEADER];
	int rc = 0;

	if (keys) {
		rc = key_block_new(block, &s->key, SEALED_QUEUE, keys, NULL);
		if (!rc)
			rc = disk_write(s->fd, block, sizeof(block), 0);
		s->encrypted = true;
		s->end = disk_segment_begin(s);
	}
	written.committed = s->end;
	memcpy(written.boot, boot, JOURNAL_BOOT_SIZE);
	journal_write_segment(header, &written);
	return rc ? rc : disk_write(s->fd, header, sizeof(header), disk_segment_header(s));
}

int disk_segment_create(struct disk_segment **out, int dir, uint64_t first,
			const uint8_t boot[JOURNAL_BOOT_SIZE], struct key_ring *keys)
{
	struct disk_segment *s = segment_new(first);
	char name[32];
	int rc;

	if (!s)
		return -ENOMEM;
	segment_name(name, first);
	s->fd = openat(dir, name, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, SEGMENT_MODE);
	rc = s->fd < 0 ? -errno : write_segment_head(s, boot, keys);
	if (!rc && fsync(dir))
		rc = -errno;
	if (rc) {
		disk_segment_delete(s, dir);
		return rc;
	}
	*out = s;
	return 0;
}

int disk_segment_unlock(struct disk_segment *s, struct key_ring *keys, struct err *e)
{
	uint8_t block[KEY_BLOCK];
	int rc;

	if (disk_read(s->fd, block, sizeof(block), 0) || !key_block_is(block, sizeof(block)))
		return 0;
	rc = key_block_open(&s->key, block, SEALED_QUEUE, keys, e);
	if (rc)
		return rc;
	s->encrypted = true;
	s->end = disk_segment_begin(s);
	return 0;
}

void disk_segment_set_aside(struct disk_segment *s, int dir)
{
	char name[32], aside[48];

	segment_name(name, s->first);
	snprintf(aside, sizeof(aside), "%s.damaged", name);
	(void)renameat(dir, name, dir, aside);
	disk_segment_free(s);
}

int disk_segment_open(struct disk_segment *s, int dir)
{
	char name[32];

	if (s->fd >= 0)
		return 0;
	segment_name(name, s->first);
	s->fd = openat(dir, name, O_RDWR | O_CLOEXEC);
	if (s->fd < 0 && errno == EROFS) /* can be sent, although not removed */
		s->fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	return s->fd < 0 ? -errno : 0;
}

void disk_segment_close(struct disk_segment *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

void disk_segment_delete(struct disk_segment *s, int dir)
{
	char name[32];

	segment_name(name, s->first);
	(void)unlinkat(dir, name, 0);
	disk_segment_free(s);
}

/* Parse the name of a segment. Return false for other files. */
static bool parse_segment_name(const char *name, uint64_t *first)
{
	struct str s = str_from(name);

	return s.n > SEGMENT_NAME && !strcmp(name + SEGMENT_NAME, ".queue") &&
	       !str_to_u64(str_head(s, SEGMENT_NAME), 16, first) && *first;
}

static int insert_sorted(struct disk_segment **at, uint64_t first)
{
	struct disk_segment *s = segment_new(first);

	if (!s)
		return -ENOMEM;
	while (*at && (*at)->first < first)
		at = &(*at)->next;
	s->next = *at;
	*at = s;
	return 0;
}

int disk_segment_list(struct disk_segment **first, int dir)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = 0;
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	uint64_t sequence;

	*first = NULL;
	if (!d) {
		rc = -errno;
		if (fd >= 0)
			close(fd);
		return rc;
	}
	while (!rc && (entry = readdir(d)))
		if (parse_segment_name(entry->d_name, &sequence))
			rc = insert_sorted(first, sequence);
	closedir(d);
	if (rc) {
		disk_segment_free_list(*first);
		*first = NULL;
	}
	return rc;
}

void disk_segment_free_list(struct disk_segment *first)
{
	while (first) {
		struct disk_segment *next = first->next;

		disk_segment_free(first);
		first = next;
	}
}

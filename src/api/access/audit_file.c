/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of text, or records that are found by hopping from one size to the next. */
#include "api/access/audit_file.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/access/audit.h"

enum {
	RECORD_SIZE = 4, /* of the size of a line */
	RECORD_HEAD = RECORD_SIZE + SEAL_NONCE,
	RECORD_MOST = RECORD_HEAD + AUDIT_LINE_MAX + SEAL_TAG,
	READ_PIECE = 65536,
	ZEROS_MOST = 1 << 20,
};

/* What a record is authenticated with. */
struct audit_place {
	uint8_t file[FILE_ID];
	uint64_t offset;
};

static struct str place_of(struct audit_place *at, const uint8_t file[FILE_ID], uint64_t offset)
{
	memcpy(at->file, file, FILE_ID);
	at->offset = htole64(offset);
	return str_of((const char *)at, sizeof(*at));
}

/* A size, and its complement in the upper half: a flipped bit is not taken for a torn record. */
static void put_line_size(uint8_t out[RECORD_SIZE], size_t n)
{
	uint32_t word = htole32((uint32_t)n | ~(uint32_t)n << 16);

	memcpy(out, &word, sizeof(word));
}

/* Return the size of the record that begins so, or 0 if none of ours does. */
static uint64_t record_size(const uint8_t head[RECORD_SIZE])
{
	uint32_t word, n;

	memcpy(&word, head, sizeof(word));
	word = le32toh(word);
	n = word & 0xffff;
	return n && n <= AUDIT_LINE_MAX && (word >> 16 ^ n) == 0xffff ? RECORD_HEAD + n + SEAL_TAG
								      : 0;
}

/* Append bytes of a file to `out`. */
static int read_range(int fd, uint64_t at, uint64_t end, struct buf *out)
{
	while (at < end) {
		size_t want = (size_t)min_size(end - at, READ_PIECE);
		char *p = buf_reserve(out, want);
		ssize_t got = p ? pread(fd, p, want, (off_t)at) : -1;

		if (got <= 0)
			return !p ? -ENOMEM : got < 0 ? -errno : -EIO;
		out->n += (size_t)got;
		at += (uint64_t)got;
	}
	return 0;
}

/* ---- open ---- */

/* Return whether all bytes from `at` to `end` are zeros, and few enough for lost records. */
static bool are_zeros(int fd, uint64_t at, uint64_t end)
{
	char bytes[4096];

	if (end - at > ZEROS_MOST)
		return false;
	while (at < end) {
		size_t n = (size_t)min_size(end - at, sizeof(bytes));

		if (pread(fd, bytes, n, (off_t)at) != (ssize_t)n)
			return false;
		for (size_t i = 0; i < n; i++)
			if (bytes[i])
				return false;
		at += n;
	}
	return true;
}

/* Offsets of records in a file. */
struct record_places {
	uint64_t first; /* that begins at a given offset or later; `end` if none does */
	uint64_t last;	/* complete one; 0: none */
	uint64_t end;	/* of the complete ones */
};

/*
 * Hop over the records of a file of `size` bytes. A size that no record has is damage, which is
 * found when the records are read.
 */
static int hop_records(int fd, uint64_t size, uint64_t from, struct record_places *out)
{
	uint8_t head[RECORD_SIZE];
	uint64_t at = KEY_BLOCK;

	*out = (struct record_places){0};
	while (at + sizeof(head) <= size) {
		uint64_t n;

		if (pread(fd, head, sizeof(head), (off_t)at) != (ssize_t)sizeof(head))
			return -EIO;
		n = record_size(head);
		if (!n && are_zeros(fd, at, size))
			break;
		n = n ? n : size - at;
		if (n > size - at)
			break;
		if (!out->first && at >= from)
			out->first = at;
		out->last = at;
		at += n;
	}
	out->first = out->first ? out->first : at;
	out->end = at;
	return 0;
}

/* Find the end of the last record that was written completely. */
static int find_records_end(struct audit_file *f, uint64_t size)
{
	struct record_places places;
	int rc = hop_records(f->fd, size, size, &places);

	f->size = places.end;
	if (!rc && places.last && are_zeros(f->fd, places.end - SEAL_TAG, places.end))
		f->size = places.last;
	return rc;
}

/* Find the end of the last complete line of text. */
static int find_text_end(struct audit_file *f, uint64_t size)
{
	uint64_t from = size > 2 * AUDIT_LINE_MAX ? size - 2 * AUDIT_LINE_MAX : 0;
	struct buf tail = {0};
	int rc = read_range(f->fd, from, size, &tail);
	size_t end = str_find_last(buf_str(&tail), '\n');

	f->size = from + (end == tail.n ? 0 : end + 1);
	buf_fini(&tail);
	return rc;
}

static int write_key_block(struct audit_file *f, struct key_ring *keys, struct err *e)
{
	uint8_t block[KEY_BLOCK];
	int rc = key_block_new(block, &f->key, SEALED_AUDIT, keys, e);

	if (!rc && ftruncate(f->fd, 0))
		rc = -errno;
	if (!rc &&
	    (write(f->fd, block, sizeof(block)) != (ssize_t)sizeof(block) || fdatasync(f->fd)))
		rc = errno ? -errno : -ENOSPC;
	f->size = sizeof(block);
	return rc;
}

/* Open a file that has bytes already, or begin an encrypted one. */
static int begin_file(struct audit_file *f, uint64_t size, struct key_ring *keys, struct err *e)
{
	uint8_t block[KEY_BLOCK];
	ssize_t n = pread(f->fd, block, sizeof(block), 0);
	int rc = n < 0 ? -errno : 0;
	bool is_block = n > 0 && key_block_is(block, (size_t)n);

	/* nothing can follow a key block that was not written completely */
	if (!rc && keys && (!size || (is_block && n < KEY_BLOCK)))
		rc = write_key_block(f, keys, e);
	else if (!rc && is_block)
		rc = n < KEY_BLOCK ? err_set(e, -EUCLEAN, "the key block is incomplete")
				   : key_block_open(&f->key, block, SEALED_AUDIT, keys, e);
	else
		return rc ? rc : find_text_end(f, size);
	f->sealed = true;
	if (!rc)
		rc = gcm_init(&f->gcm, f->key.key, e);
	return !rc && size > f->size ? find_records_end(f, size) : rc;
}

static int open_file(struct audit_file *f, const char *path, int flags, struct key_ring *keys,
		     struct err *e)
{
	struct stat st;
	int rc;

	*f = (struct audit_file){.fd = open(path, flags | O_CLOEXEC, 0600)};
	if (f->fd < 0 || fstat(f->fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if (!st.st_size && !(flags & O_CREAT))
		return 0; /* nothing to read */
	rc = begin_file(f, (uint64_t)st.st_size, keys, e);
	if (!rc && (uint64_t)st.st_size > f->size)
		f->torn = (uint64_t)st.st_size - f->size;
	return rc;
}

int audit_file_open(struct audit_file *f, const char *path, struct key_ring *keys, struct err *e)
{
	return open_file(f, path, O_RDWR | O_CREAT | O_APPEND, keys, e);
}

int audit_file_open_old(struct audit_file *f, const char *path, struct key_ring *keys,
			struct err *e)
{
	return open_file(f, path, O_RDONLY, keys, e);
}

void audit_file_close(struct audit_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	gcm_fini(&f->gcm);
	buf_fini(&f->record);
	explicit_bzero(f, sizeof(*f));
	f->fd = -1;
}

int audit_file_repair(struct audit_file *f)
{
	if (ftruncate(f->fd, (off_t)f->size))
		return -errno;
	f->torn = 0;
	f->failed = false;
	return 0;
}

/* ---- append ---- */

static int make_record(struct audit_file *f, struct str line)
{
	struct audit_place at;
	struct str aad = place_of(&at, f->key.id, f->size);
	uint8_t *p = (uint8_t *)buf_reserve(&f->record, RECORD_HEAD + line.n + SEAL_TAG);
	int rc = !p ? -ENOMEM : line.n && line.n <= AUDIT_LINE_MAX ? 0 : -EMSGSIZE;

	if (rc)
		return rc;
	put_line_size(p, line.n);
	rc = seal_random(p + RECORD_SIZE, SEAL_NONCE);
	if (!rc)
		rc = gcm_seal(&f->gcm, p + RECORD_SIZE, aad, line.p, line.n, p + RECORD_HEAD,
			      p + RECORD_HEAD + line.n);
	if (!rc)
		f->record.n += RECORD_HEAD + line.n + SEAL_TAG;
	return rc;
}

int audit_file_append(struct audit_file *f, struct str line, bool sync)
{
	ssize_t n = 0;
	int rc = f->failed ? audit_file_repair(f) : 0;

	buf_clear(&f->record);
	if (!rc && f->sealed) {
		rc = make_record(f, line);
	} else if (!rc) {
		buf_put_str(&f->record, line);
		buf_put_char(&f->record, '\n');
		rc = buf_error(&f->record);
	}
	if (rc)
		return rc;
	n = write(f->fd, f->record.p, f->record.n);
	rc = n < 0 ? -errno : (size_t)n == f->record.n ? 0 : -ENOSPC;
	if (!rc && sync && fdatasync(f->fd))
		rc = -errno;
	if (!rc)
		f->size += f->record.n;
	else
		f->failed = audit_file_repair(f) != 0;
	return rc;
}

/* ---- read ---- */

int audit_reader_init(struct audit_reader *r, struct str bytes, struct key_ring *keys,
		      struct err *e)
{
	struct file_key key = {0};
	int rc;

	*r = (struct audit_reader){.rest = bytes};
	if (!key_block_is(bytes.p, bytes.n))
		return 0;
	r->sealed = true;
	if (bytes.n < KEY_BLOCK)
		return err_set(e, -EUCLEAN, "the key block is incomplete");
	rc = key_block_open(&key, (const uint8_t *)bytes.p, SEALED_AUDIT, keys, e);
	if (!rc)
		rc = gcm_init(&r->gcm, key.key, e);
	memcpy(r->file, key.id, FILE_ID);
	explicit_bzero(&key, sizeof(key));
	r->rest = str_from_at(bytes, KEY_BLOCK);
	r->at = KEY_BLOCK;
	return rc;
}

void audit_reader_fini(struct audit_reader *r)
{
	gcm_fini(&r->gcm);
	buf_fini(&r->line);
}

static int read_record(struct audit_reader *r, struct str *line, struct err *e)
{
	const uint8_t *p = (const uint8_t *)r->rest.p;
	uint64_t n = r->rest.n < RECORD_SIZE ? RECORD_MOST : record_size(p);
	size_t size = (size_t)n - RECORD_HEAD - SEAL_TAG;
	struct audit_place at;
	struct str aad = place_of(&at, r->file, r->at);
	char *out;
	int rc;

	if (!n)
		return err_set(e, -EBADMSG, "offset %llu: the record is damaged",
			       (unsigned long long)r->at);
	if (n > r->rest.n)
		return err_set(e, -EBADMSG, "offset %llu: the last record is incomplete",
			       (unsigned long long)r->at);
	buf_clear(&r->line);
	out = buf_reserve(&r->line, size);
	rc = out ? gcm_open(&r->gcm, p + RECORD_SIZE, aad, p + RECORD_HEAD, size, out,
			    p + RECORD_HEAD + size)
		 : -ENOMEM;
	if (rc == -EBADMSG)
		err_set(e, rc, "offset %llu: the record is damaged, or not of this place",
			(unsigned long long)r->at);
	if (rc)
		return rc;
	r->line.n = size;
	*line = buf_str(&r->line);
	r->rest = str_from_at(r->rest, (size_t)n);
	r->at += n;
	return 1;
}

int audit_reader_next(struct audit_reader *r, struct str *line, struct err *e)
{
	if (!r->rest.n)
		return 0;
	return r->sealed ? read_record(r, line, e) : str_next_line(&r->rest, line);
}

int audit_file_tail(const struct audit_file *f, uint64_t n, struct buf *bytes,
		    struct audit_reader *r)
{
	uint64_t from = f->size > n ? f->size - n : 0;
	struct record_places places = {.first = from};
	int rc = f->sealed ? hop_records(f->fd, f->size, from, &places) : 0;

	from = places.first;
	*r = (struct audit_reader){.sealed = f->sealed, .at = from};
	if (!rc)
		rc = read_range(f->fd, from, f->size, bytes);
	r->rest = buf_str(bytes);
	if (!rc && from && !f->sealed)
		str_cut(&r->rest, '\n'); /* the first line is not complete */
	if (!rc && f->sealed)
		rc = gcm_init(&r->gcm, f->key.key, NULL);
	memcpy(r->file, f->key.id, FILE_ID);
	return rc;
}

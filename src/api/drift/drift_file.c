/* SPDX-License-Identifier: Apache-2.0 */
#include "api/drift/drift_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "seal/key_block.h"

/* The size of an encrypted file without content. */
enum { SEALED_LEAST = KEY_BLOCK + SEAL_NONCE + SEAL_TAG };

static const struct str magic = STR_INIT("varve-drift 1 ");

/* ---- reading ---- */

static int read_bytes(const char *path, struct buf *out, struct err *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc = 0;
	ssize_t n = 1;

	if (fd < 0)
		return err_errno(e, -errno, "open");
	while (n && !rc) {
		char *room = buf_reserve(out, 64 * KIB);

		n = room ? read(fd, room, 64 * KIB) : -1;
		if (!room)
			rc = -ENOMEM;
		else if (n < 0 && errno != EINTR)
			rc = -errno;
		out->n += n > 0 ? (size_t)n : 0;
		if (out->n > DRIFT_FILE_MAX)
			rc = -EFBIG;
	}
	close(fd);
	return rc ? err_errno(e, rc, "read") : 0;
}

/* Check the first line and set *text to what follows it. */
static int check_text(struct str *text, struct err *e)
{
	struct str head, bytes;
	uint64_t size, sum;

	if (!str_starts(*text, magic))
		return err_set(e, -EBADMSG, "not a file of drift events");
	head = str_cut(text, '\n');
	head = str_from_at(head, magic.n);
	bytes = str_cut(&head, ' ');
	if (str_to_u64(bytes, 10, &size) || str_to_u64(head, 16, &sum))
		return err_set(e, -EBADMSG, "the first line is damaged");
	if (size != text->n || sum != crc32c(0, text->p, text->n))
		return err_set(e, -EBADMSG, "the checksum does not match");
	return 0;
}

static struct str id_of(const struct file_key *key)
{
	return str_of((const char *)key->id, FILE_ID);
}

/* Append what an encrypted file contains. */
static int open_sealed(struct buf *out, struct str bytes, struct key_ring *keys, struct err *e)
{
	const uint8_t *p = (const uint8_t *)bytes.p, *nonce;
	struct file_key key;
	struct gcm gcm = {0};
	size_t n;
	char *room;
	int rc;

	if (bytes.n < SEALED_LEAST)
		return err_set(e, -EBADMSG, "the file is incomplete");
	nonce = p + KEY_BLOCK;
	n = bytes.n - SEALED_LEAST;
	rc = key_block_open(&key, p, SEALED_FILE, keys, e);
	rc = rc ? rc : gcm_init(&gcm, key.key, e);
	room = rc ? NULL : buf_reserve(out, n);
	if (!rc && !room)
		rc = -ENOMEM;
	if (!rc)
		rc = gcm_open(&gcm, nonce, id_of(&key), nonce + SEAL_NONCE, n, room,
			      p + bytes.n - SEAL_TAG);
	if (!rc)
		out->n += n;
	gcm_fini(&gcm);
	return rc == -EBADMSG ? err_set(e, rc, "the file is damaged") : rc;
}

int drift_file_read(const char *path, struct key_ring *keys, struct buf *out, struct err *e)
{
	struct buf bytes = {0}, plain = {0};
	struct str text = {0};
	int rc = read_bytes(path, &bytes, e);

	if (!rc && !str_starts(buf_str(&bytes), magic) && key_block_is(bytes.p, bytes.n)) {
		rc = open_sealed(&plain, buf_str(&bytes), keys, e);
		text = buf_str(&plain);
	} else {
		text = buf_str(&bytes);
	}
	if (!rc)
		rc = check_text(&text, e);
	if (!rc) {
		buf_put_str(out, text);
		rc = buf_error(out);
	}
	buf_fini(&bytes);
	buf_fini(&plain);
	return rc;
}

/* ---- writing ---- */

static int write_all(int fd, struct str bytes)
{
	while (bytes.n) {
		ssize_t n = write(fd, bytes.p, bytes.n);

		if (n < 0 && errno != EINTR)
			return -errno;
		bytes = str_from_at(bytes, n > 0 ? (size_t)n : 0);
	}
	return fsync(fd) ? -errno : 0;
}

static int sync_directory_of(const char *path)
{
	struct buf name = {0};
	size_t slash = str_find_last(str_from(path), '/');
	int fd, rc;

	if (slash < strlen(path))
		buf_put(&name, path, slash + 1);
	else
		buf_put_char(&name, '.');
	buf_put_char(&name, 0);
	fd = buf_error(&name) ? -1 : open(name.p, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	rc = fd < 0 || fsync(fd) ? -EIO : 0;
	if (fd >= 0)
		close(fd);
	buf_fini(&name);
	return rc;
}

static int replace_file(const char *path, struct str bytes)
{
	struct buf name = {0};
	int fd, rc;

	buf_printf(&name, "%s.new", path);
	buf_put_char(&name, 0);
	if (buf_error(&name))
		return -ENOMEM;
	fd = open(name.p, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	rc = fd < 0 ? -errno : write_all(fd, bytes);
	if (fd >= 0)
		close(fd);
	if (!rc && rename(name.p, path))
		rc = -errno;
	buf_fini(&name);
	return rc ? rc : sync_directory_of(path);
}

/* Append the encrypted form of the bytes. */
static int seal_bytes(struct buf *out, struct str bytes, struct key_ring *keys, struct err *e)
{
	uint8_t *p = (uint8_t *)buf_reserve(out, bytes.n + SEALED_LEAST), *nonce;
	struct file_key key;
	struct gcm gcm = {0};
	int rc;

	if (!p)
		return -ENOMEM;
	nonce = p + KEY_BLOCK;
	rc = key_block_new(p, &key, SEALED_FILE, keys, e);
	rc = rc ? rc : gcm_init(&gcm, key.key, e);
	rc = rc ? rc : seal_random(nonce, SEAL_NONCE);
	if (!rc)
		rc = gcm_seal(&gcm, nonce, id_of(&key), bytes.p, bytes.n, nonce + SEAL_NONCE,
			      nonce + SEAL_NONCE + bytes.n);
	if (!rc)
		out->n += bytes.n + SEALED_LEAST;
	gcm_fini(&gcm);
	return rc;
}

int drift_file_write(const char *path, struct key_ring *keys, struct str text, struct err *e)
{
	struct buf plain = {0}, sealed = {0};
	int rc;

	buf_put_str(&plain, magic);
	buf_printf(&plain, "%zu %08x\n", text.n, (unsigned)crc32c(0, text.p, text.n));
	buf_put_str(&plain, text);
	rc = buf_error(&plain);
	if (!rc && keys)
		rc = seal_bytes(&sealed, buf_str(&plain), keys, e);
	if (!rc)
		rc = replace_file(path, buf_str(keys ? &sealed : &plain));
	buf_fini(&plain);
	buf_fini(&sealed);
	return rc ? err_errno(e, rc, "write") : 0;
}

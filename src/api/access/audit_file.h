/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_API_ACCESS_AUDIT_FILE_H
#define VARVE_API_ACCESS_AUDIT_FILE_H

#include "base/buf.h"
#include "base/err.h"
#include "seal/key_block.h"

/*
 * A file of the audit log: lines in clear or, with keys, encrypted.
 *
 * An encrypted file is a key block (key_block.h, kind 4), which `varve store rotate-key` rewrites,
 * and one record per line, only appended to:
 *
 *	u16		size of the line, little-endian
 *	u16		its complement
 *	12 bytes	nonce, random
 *	the line, without its newline, encrypted by AES-256-GCM
 *	16 bytes	tag
 *
 * The id of the file and the offset of the record are authenticated with each, so that a record
 * counts only at its place. That no record is missing is shown by the chain of lines (audit.h). A
 * crash leaves an incomplete last record, or, after a loss of power, one that ends with zeros.
 *
 * One thread at a time.
 */
struct audit_file {
	int fd;
	uint64_t size; /* up to the last complete line */
	uint64_t torn; /* bytes after it when the file was opened */
	bool failed;   /* bytes of a failed write may follow */
	bool sealed;
	struct file_key key;
	struct gcm gcm;
	struct buf record;
};

/*
 * Open the file, or create it (mode 0600): encrypted if there are keys. An existing file stays as
 * it is, in clear or encrypted. Return 0; -ENOKEY if the file is encrypted and `keys`, which may be
 * NULL, cannot open it; or another -errno. audit_file_close() in any case.
 */
MUST_USE int audit_file_open(struct audit_file *f, const char *path, struct key_ring *keys,
			     struct err *e);
void audit_file_close(struct audit_file *f);

/* Open an existing file for audit_file_tail() alone. Return as above, or -ENOENT. */
MUST_USE int audit_file_open_old(struct audit_file *f, const char *path, struct key_ring *keys,
				 struct err *e);

/* Return whether the file has no line. */
static inline bool audit_file_is_empty(const struct audit_file *f)
{
	return f->size <= (f->sealed ? KEY_BLOCK : 0);
}

/* Remove what follows the last complete line. Return 0 or -errno. */
MUST_USE int audit_file_repair(struct audit_file *f);

/*
 * Append a line, given without newline; wait for the disk if `sync`. Return 0 or -errno; then
 * nothing of the line is left, or it is removed by the next call.
 */
MUST_USE int audit_file_append(struct audit_file *f, struct str line, bool sync);

/* Reads lines from the bytes of a file, oldest first. */
struct audit_reader {
	struct str rest;
	uint64_t at; /* offset of `rest` in the file */
	bool sealed;
	uint8_t file[FILE_ID];
	struct gcm gcm;
	struct buf line;
};

/*
 * Begin to read a whole file, which stays in place. Return 0, -ENOKEY, or -EUCLEAN for a damaged
 * key block. audit_reader_fini() in any case; it takes the zero value.
 */
MUST_USE int audit_reader_init(struct audit_reader *r, struct str bytes, struct key_ring *keys,
			       struct err *e);
void audit_reader_fini(struct audit_reader *r);

/*
 * Set *line to the next line, valid until the next call. Return 1; 0 at the end; or -EBADMSG for a
 * record that is damaged, incomplete or not at its place.
 */
MUST_USE int audit_reader_next(struct audit_reader *r, struct str *line, struct err *e);

/*
 * Prepare to read the complete lines in the last `n` bytes of an open file. `bytes` holds them.
 * Return 0 or -errno.
 */
MUST_USE int audit_file_tail(const struct audit_file *f, uint64_t n, struct buf *bytes,
			     struct audit_reader *r);

#endif

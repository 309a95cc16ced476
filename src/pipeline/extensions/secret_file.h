/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_SECRET_FILE_H
#define VARVE_PIPELINE_SECRET_FILE_H

#include <sys/types.h>
#include <time.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * A small file with credentials that is read again after it has changed. There is no thread: the
 * owner polls it with each use, and it is examined once a second at most. Guarded by its owner.
 */
struct secret_file {
	char *path; /* NULL: no file */
	uint64_t next_check_ns;
	/* What was read last; all 0: nothing. */
	struct timespec modified;
	off_t size;
	ino_t inode;
	bool failed; /* the last examination failed; it is reported once */
};

enum { SECRET_FILE_MAX = 4 << 20, SECRET_FILE_CHECK_MS = 1000 };

/* Return 0 or -ENOMEM. An empty path means that there is no file. */
MUST_USE int secret_file_init(struct secret_file *f, struct str path);
void secret_file_fini(struct secret_file *f);

/*
 * Replace `out` by the content if the file is new or has changed. Return 1 then, 0 if it has not,
 * or -errno with the path in `e`, once for each failure in a row.
 */
MUST_USE int secret_file_poll(struct secret_file *f, struct buf *out, struct err *e);

/* Overwrite and free a buffer with a secret. */
void secret_buf_fini(struct buf *b);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_FILE_CHECK_H
#define VARVE_STORE_SQLITE_FILE_CHECK_H

#include "base/err.h"

/*
 * Detect files that were deleted or replaced while the server runs. SQLite continues to write to a
 * deleted file, so a commit is acknowledged only after checking that the names still refer to the
 * open files.
 */
struct partition;
struct sqlite_store;

/* The identity of a file; zero: none. */
struct file_id {
	uint64_t device, inode;
};

static inline bool file_id_is(struct file_id a, struct file_id b)
{
	return a.device == b.device && a.inode == b.inode;
}

/* Set *out to the file of that name, or to zero if there is none. Return 0 or -errno. */
MUST_USE int file_id_get(const char *path, struct file_id *out);

/* Do the same for the partition's path with a suffix. */
MUST_USE int file_id_of(const struct partition *p, const char *suffix, struct file_id *out);

/*
 * Check that the partition's file was not deleted or replaced. Return 0, or -ESTALE with the
 * reason: then call partition_lost(). Writer thread only.
 */
MUST_USE int file_check(struct partition *p, struct err *e);

/*
 * Check the file and its write-ahead log after a commit. Checkpoint a deleted log into the file;
 * then the commit is durable, and writer->log_lost is set: the partition has to be reopened. Return
 * 0, -ESTALE, or -EAGAIN when the checkpoint is not possible now. Writer thread only.
 */
MUST_USE int file_check_commit(struct partition *p, struct err *e);

/* Check all files, and list new ones if the data directory was replaced. Return 0 or -errno. */
MUST_USE int file_check_all(struct sqlite_store *s);

#endif

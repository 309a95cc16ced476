/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_STORE_SQLITE_FILE_CHECK_H
#define VARVE_STORE_SQLITE_FILE_CHECK_H

#include "base/err.h"

/*
 * Files may be deleted or replaced under a running server. SQLite goes on writing to what has no name any more, so a
 * commit is acknowledged only after a look at the names: they have to stand for the files that are open.
 */
struct partition;
struct sqlite_store;

/* A file, whatever its name; zero: none. */
struct file_id {
	uint64_t device, inode;
};

static inline bool file_id_is(struct file_id a, struct file_id b)
{
	return a.device == b.device && a.inode == b.inode;
}

/* The file of that name; zero: there is none. 0, or -errno where that cannot be known. */
MUST_USE int file_id_get(const char *path, struct file_id *out);

/* The same with a suffix behind the partition's name. */
MUST_USE int file_id_of(const struct partition *p, const char *suffix, struct file_id *out);

/*
 * Is the partition's file the one that it was? 0, or -ESTALE with the reason: tell partition_lost(). Writer
 * thread only.
 */
MUST_USE int file_check(struct partition *p, struct err *e);

/*
 * The same after a commit, and its log. What is in a log that was deleted is moved into the file; then
 * the commit is good, and writer->log_lost says that the partition has to be opened anew. -EAGAIN: it
 * cannot be moved now. Writer thread only.
 */
MUST_USE int file_check_commit(struct partition *p, struct err *e);

/* Look after the files of all partitions, and for new ones where the directory was replaced. 0 or -errno. */
MUST_USE int file_check_all(struct sqlite_store *s);

#endif

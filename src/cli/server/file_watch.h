/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_SERVER_FILE_WATCH_H
#define VARVE_CLI_SERVER_FILE_WATCH_H

#include "base/base.h"

/*
 * Notices that files changed. They are looked at by name, once a second, not watched: so it makes
 * no difference whether a file is written in place, replaced by a rename, reached through a
 * symbolic link that was switched (a ConfigMap of Kubernetes), or on a network file system. stat()
 * of a few files is cheaper than to follow all directories on the way.
 */
struct file_watch {
	/* Of the files when they were loaded, and when they were last looked at. */
	uint64_t loaded, seen;
};

/* Add the state of a file to a fingerprint; begin with 0. */
uint64_t file_watch_add(uint64_t sum, const char *path);

/* Begin to watch files that were loaded, by their fingerprint. */
void file_watch_begin(struct file_watch *w, uint64_t now);

/*
 * Return whether the files are not what they were, all exist, and have been the same twice in a
 * row, so that none is half written. The next call compares with the files of now.
 */
bool file_watch_changed(struct file_watch *w, uint64_t now);

#endif

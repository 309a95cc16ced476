/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_FILELOG_FOUND_FILE_H
#define VARVE_PIPELINE_FILELOG_FOUND_FILE_H

#include "pipeline/receivers/filelog/tail/tail_file.h"

/* A file that a search has found and opened, and which known file it may be. */
struct found_file {
	struct str path; /* with a NUL behind it */
	int fd;		 /* owned by the caller */
	struct stat st;
	bool is_gzip;
	struct tail_mark first;
};

/* Open a file; `found` has its path. Return 0, or -errno if it cannot be read or is no file. */
MUST_USE int found_file_open(struct found_file *found, const struct filelog_settings *settings);

/* Return whether the content up to the position of `f` is that of the file that was found. */
bool found_file_continues(const struct found_file *found, const struct tail_file *f);

/*
 * Return whether a file that was found is a copy of `f`, which is gone. The beginning alone is no
 * proof unless it has `fingerprint` bytes: two files may begin with the same line.
 */
bool found_file_replaces(const struct found_file *found, const struct tail_file *f,
			 uint64_t fingerprint);

/*
 * Return whether a file that was found may be a copy of `f`, which may be truncated soon. A copy that
 * is being written is shorter than the position.
 */
bool found_file_may_be_copy(const struct found_file *found, const struct tail_file *f);

/* Return whether the file was changed less than `patience` nanoseconds ago. */
bool found_file_is_recent(const struct found_file *found, uint64_t patience);

#endif

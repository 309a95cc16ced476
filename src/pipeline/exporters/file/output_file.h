/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_OUTPUT_FILE_H
#define VARVE_PIPELINE_OUTPUT_FILE_H

#include <sys/uio.h>

#include "base/err.h"
#include "base/log.h"
#include "base/str.h"

/*
 * A file to which records are appended, with rotation: a file that would exceed the maximum size is
 * renamed to NAME-2026-11-15T09-37-00.123.EXT, and the oldest renamed files are removed.
 */
struct output_rotation {
	bool enabled, localtime;
	int64_t max_megabytes, max_days, max_backups; /* days, backups: 0: keep all */
};

struct output_options {
	struct output_rotation rotation;
	bool append;	       /* keep what the file contains */
	bool create_directory; /* create missing directories */
	uint32_t directory_mode;
};

/* Guarded by its owner. */
struct output_file {
	const struct output_options *options;
	const struct log *log;
	char *path;
	int fd; /* -1: closed */
	uint64_t size;
};

/* Open the file. Return 0, or -errno with the path in `e`; then nothing is left allocated. */
MUST_USE int output_file_open(struct output_file *f, struct str path,
			      const struct output_options *options, const struct log *log,
			      struct err *e);

/* Accepts a file with the descriptor -1. */
void output_file_close(struct output_file *f);

/*
 * Append one record. It is in the file completely or, after an error, not at all. `parts` is
 * modified. Return 0, or -errno with text in `e`.
 */
MUST_USE int output_file_write(struct output_file *f, struct iovec *parts, uint32_t count,
			       struct err *e);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_OUTPUT_H
#define VARVE_CLI_OUTPUT_H

#include "base/err.h"
#include "base/str.h"

/* Write all bytes to a descriptor. Return 0 or -errno; -EPIPE: the reader has closed the pipe. */
MUST_USE int output_bytes(int fd, struct str bytes);

/*
 * Replace a file atomically: write a temporary file in the same directory and rename it. After an
 * error or a fatal signal the old file is unchanged and the temporary file is removed. Write to a
 * device or pipe directly. Return 0, or -errno with "PATH: ..." in `e`.
 */
MUST_USE int output_file(const char *path, struct str bytes, struct err *e);

/*
 * The same for bytes that `produce` writes by output_piece(), and that need not fit into memory. If
 * it returns an error, the file is not replaced.
 */
typedef int output_producer(void *arg, int fd, struct err *e);
MUST_USE int output_produced(const char *path, output_producer *produce, void *arg, struct err *e);

/* Write all bytes. Return 0, -errno, or -EINTR if a fatal signal waits: end the output then. */
MUST_USE int output_piece(int fd, struct str bytes);

#endif

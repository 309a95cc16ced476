/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_OUTPUT_H
#define VARVE_CLI_OUTPUT_H

#include "base/err.h"
#include "base/str.h"

/* All bytes to a descriptor. 0 or -errno (-EPIPE: nobody reads any more). */
MUST_USE int output_bytes(int fd, struct str bytes);

/*
 * Write a whole file or nothing: into a new file beside it, which then takes its name. What was
 * there stays until then, and after a failure or a signal that ends the program, which leaves
 * nothing behind. A device or pipe is written to directly.
 * 0, or -errno with "PATH: what" in `e`.
 */
MUST_USE int output_file(const char *path, struct str bytes, struct err *e);

#endif

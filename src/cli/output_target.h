/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_OUTPUT_TARGET_H
#define VARVE_CLI_OUTPUT_TARGET_H

#include "cli/command.h"
#include "format/format.h"
#include "wire/compress/compress.h"

/* Where a command writes a profile, and in which form. */
struct output_target {
	const char *path; /* NULL: stdout */
	const struct format *format;
	enum compress_kind compress; /* by the name; some formats compress themselves */
};

/* Find format and compression by the name of the output. */
void output_target_by_path(struct output_target *t);

/* Compress the output as its name requires, unless the format has done so. 0 or -errno. */
MUST_USE int output_compress(struct buf *out, const struct output_target *t, struct err *e);

/* Write the output to its file, or to stdout if that is no terminal or the output is text. */
enum exit_code output_put(struct cli *cli, const struct output_target *t, const struct buf *out);

#endif

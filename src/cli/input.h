/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_INPUT_H
#define VARVE_CLI_INPUT_H

#include "cli/command.h"
#include "format/format.h"

/*
 * Profiles from files. Files are always read, never mapped: a file that shrinks while it is open
 * would kill a reader of its mapping, and the copy costs a few percent of decoding. So the bytes
 * count against --max-memory like everything else, except for formats that are read line by line (text)
 * or part by part (JFR) and can be longer than memory. "-" is stdin.
 */

/* Options of every command that reads profiles. */
struct input_options {
	const char *from;   /* the format, or NULL: by content, then by name */
	const char *labels; /* path of Pyroscope's label snapshot for JFR, or NULL */
	bool strict;
};

extern const struct option input_options[];

/* What one run reads with; holds the label file. */
struct inputs {
	struct cli *cli; /* borrowed */
	const struct format *from;
	struct decode_options decode;
	struct buf labels;
	/* Where the bytes of a path come from, instead of a file: a server. May be NULL. */
	int (*fetch)(void *arg, struct buf *out, const char *path, struct err *e);
	void *fetch_arg;
};

/* 0, or -errno with a line for the user in `e`. Fini in every case. */
MUST_USE int inputs_init(struct inputs *in, struct cli *cli, const struct input_options *options,
			 struct err *e);
void inputs_fini(struct inputs *in);

/* One profile that was read. The batch borrows from the bytes. Begins as the zero value. */
struct input {
	struct profile_batch batch;
	struct buf bytes;
	const struct format *format;
	bool used; /* has memory of an earlier read, which the next one takes */
};

/*
 * Read and decode. 0, or -errno with "PATH: FORMAT: what" in `e`. Warnings go to `decode.warn` of
 * the inputs, or to stderr. Fini in every case, once after any number of reads.
 */
MUST_USE int input_read(struct input *out, struct inputs *in, const char *path, struct err *e);
void input_fini(struct input *in);

/* The format of that name; -EINVAL with the nearest one in `e`. */
MUST_USE int input_format(const struct format **out, const char *name, struct err *e);

/* All bytes of a file or of stdin into `out`. 0, or -errno with "PATH: what" in `e`. */
MUST_USE int input_bytes(struct buf *out, const char *path, struct err *e);

#endif

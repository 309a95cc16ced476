/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_INPUT_H
#define VARVE_CLI_INPUT_H

#include "cli/command.h"
#include "format/format.h"
#include "seal/key_ring.h"

/*
 * Read and decode profiles. Files are read, never mapped: a file that is truncated while it is
 * mapped kills the reader, and the copy costs a few percent of decoding. The bytes count against
 * --max-memory. Formats that are read line by line (text) or in parts (JFR) are exempt: their files
 * can be larger than memory. The path "-" is stdin.
 */

/* Options of every command that reads profiles. */
struct input_options {
	const char *from;     /* format; NULL: detected by content, then by name */
	const char *labels;   /* file with Pyroscope's label snapshot for JFR, or NULL */
	const char *key_file; /* of encrypted inputs; NULL: none */
	bool strict;
};

extern const struct option input_options[];

/* How a command reads its inputs. */
struct inputs {
	struct cli *cli; /* borrowed */
	const struct format *from;
	struct decode_options decode;
	struct buf labels;     /* content of the label file */
	struct key_ring *keys; /* of encrypted inputs; NULL: none */
	/* Reads the bytes of `path` from a server instead of a file. May be NULL. */
	int (*fetch)(void *arg, struct buf *out, const char *path, struct err *e);
	void *fetch_arg;
};

/* Return 0, or -errno with a message in `e`. Call inputs_fini() in either case. */
MUST_USE int inputs_init(struct inputs *in, struct cli *cli, const struct input_options *options,
			 struct err *e);
void inputs_fini(struct inputs *in);

/* A decoded input. The batch borrows from `bytes`. Initialize it with {0}. */
struct input {
	struct profile_batch batch;
	struct buf bytes;
	const struct format *format;
	bool used; /* initialized by an earlier read, whose memory the next one reuses */
};

/*
 * Read and decode an input. Return 0, or -errno with "PATH: FORMAT: ..." in `e`. Warnings go to
 * `decode.warn` of the inputs, or to stderr. May be called repeatedly on the same `out`; call
 * input_fini() once at the end, also after errors.
 */
MUST_USE int input_read(struct input *out, struct inputs *in, const char *path, struct err *e);
void input_fini(struct input *in);

/* Find a format by name. Return 0, or -EINVAL with the most similar name in `e`. */
MUST_USE int input_format(const struct format **out, const char *name, struct err *e);

/* Append all bytes of a file or of stdin. Return 0, or -errno with "PATH: ..." in `e`. */
MUST_USE int input_bytes(struct buf *out, const char *path, struct err *e);

/*
 * Replace the bytes of an input by their content if they are encrypted. `keys` may be NULL. Bytes
 * that only look like encrypted text, and are not with any of the keys, stay. Return 0, or -errno
 * with "PATH: ..." in `e`: -ENOKEY if the key is missing.
 */
MUST_USE int input_unseal(struct buf *bytes, const char *path, struct key_ring *keys,
			  struct err *e);

#endif

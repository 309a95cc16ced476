/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_FORMAT_H
#define VARVE_FORMAT_FORMAT_H

#include "base/buf.h"
#include "signal/profile/profile.h"

/*
 * Bytes <-> profile batch. One descriptor a format; the table `formats` is all that the command
 * line, --help and the docs know of them. docs/formats/NAME.md says what is read, written, lost.
 */

struct profile_merge;

struct decode_options {
	struct str labels; /* JFR: Pyroscope's label snapshot, raw or gzip; empty: none */
	/* Of this type only samples are wanted ("cpu", "cpu/nanoseconds"): a decoder may leave those of others out, but not
	 * their profiles. Empty: of all. */
	struct str sample_type;
	bool strict; /* refuse what would be repaired or skipped with a warning */
	void (*warn)(void *arg,
		     const char *text); /* something was repaired or left out; may be NULL */
	void *warn_arg;
	/*
	 * The batch will be added to this with profile_merge_add(), and to nothing else: a decoder may add the samples
	 * itself (profile_merge_begin()) and leave them out of the batch. May be NULL.
	 */
	struct profile_merge *merge;
};

struct encode_options {
	struct str
		sample_type; /* formats with one type only: the one to write; empty: the default one */
	struct str
		root_label; /* folded: its value is the root frame of a sample that has it; empty: none */
};

/* Where a line-based decoder takes its text from: memory, or a file as it comes. */
struct line_source {
	void *arg;
	/* 1: *line is the next line, without its end, valid until the next call; 0: no more; -errno. */
	int (*next)(void *arg, struct str *line, struct err *e);
	uint64_t offset; /* of *line in the input, kept by next() */
	uint64_t number; /* of *line, from 1 */
};

/* Where a decoder that needs a part of its input at a time takes it from: memory, or a file as it comes. */
struct byte_source {
	uint64_t offset; /* of what is wanted next, set by the decoder: it only grows */
	/* *bytes: those at the offset, `n` of them or more, or all that are left; valid until the next call. 0 or -errno. */
	int (*next)(struct byte_source *source, size_t n, struct str *bytes, struct err *e);
};

struct format {
	const char *name;
	const char *summary; /* one line for --help */
	const char *
		root_label; /* what tools that fold this format put at the root of stacks; may be NULL */
	const char *const *
		extensions; /* "pb.gz", ...: NULL-terminated, matched behind a dot, longest first */

	/* How sure are we that `head` (the first bytes, decompressed) begins such a file? 0 no .. 100 certain. */
	int (*sniff)(struct str head);

	/*
	 * Decode the whole (decompressed) input into an empty batch. The batch borrows from `in`.
	 * 0 or -errno (-EBADMSG for bad input) with "at byte N: expected ..., found ..." in `e`. NULL: cannot be read.
	 */
	int (*decode)(struct profile_batch *out, struct str in, const struct decode_options *o,
		      struct err *e);

	/* Instead of decode: line by line, borrowing nothing, so that pipes of any length can be read. */
	int (*decode_lines)(struct profile_batch *out, struct line_source *in,
			    const struct decode_options *o, struct err *e);

	/* Beside decode: part by part, borrowing nothing, so that memory holds no more than the largest part. May be NULL. */
	int (*decode_parts)(struct profile_batch *out, struct byte_source *in,
			    const struct decode_options *o, struct err *e);

	/* Append the encoding of the batch to `out`; 0 or -errno. NULL: cannot be written. */
	int (*encode)(struct buf *out, const struct profile_batch *b,
		      const struct encode_options *o, struct err *e);
};

/* NULL-terminated, in the order of --help. */
extern const struct format *const formats[];

/* By name ("pprof"), by file name ("a/b.pb.gz"), by content; NULL when unknown. */
const struct format *format_by_name(struct str name);
const struct format *format_by_path(struct str path);
const struct format *format_by_content(struct str head);

/*
 * Take off gzip, zlib, zstd, lz4 or zip layers, find the format (by content, then by `path`) unless
 * `f` says it, and decode into the empty batch `out`. Decompressed bytes live in the batch's arena; uncompressed input is
 * borrowed. *used, if not NULL, is the format that was found.
 */
MUST_USE int format_decode(struct profile_batch *out, struct str in, const struct format *f,
			   struct str path, const struct decode_options *o,
			   const struct format **used, struct err *e);

#endif

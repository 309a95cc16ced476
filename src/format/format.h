/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_FORMAT_H
#define VARVE_FORMAT_FORMAT_H

#include "base/buf.h"
#include "signal/profile/profile.h"

/*
 * Conversion between bytes and profile batches. Each format has one descriptor, struct format. The
 * command line, --help and the docs know formats only by the table `formats`.
 * docs/formats/NAME.md lists what each format reads, writes and loses.
 */

struct profile_merge;

struct decode_options {
	/* JFR: Pyroscope's label snapshot, raw or gzip; empty: none */
	struct str labels;
	/*
	 * The only sample type the caller needs ("cpu", "cpu/nanoseconds"); empty: all types. A
	 * decoder may drop samples of other types, but keeps their profiles.
	 */
	struct str sample_type;
	/* Fail where the decoder would otherwise repair or skip data with a warning. */
	bool strict;
	/* Receives a warning when data was repaired or skipped; may be NULL. */
	void (*warn)(void *arg, const char *text);
	void *warn_arg;
	/*
	 * If not NULL, the caller adds the batch to this merge with profile_merge_add() and uses it
	 * for nothing else. A decoder may then add the samples to the merge itself
	 * (profile_merge_begin()) and leave them out of the batch.
	 */
	struct profile_merge *merge;
};

struct encode_options {
	/* The sample type to write, for formats that hold only one; empty: the default type. */
	struct str sample_type;
	/* folded: the label whose value becomes the root frame of a sample; empty: none. */
	struct str root_label;
};

/* Input of a line-based decoder: memory, or a file that is read incrementally. */
struct line_source {
	void *arg;
	/*
	 * Set *line to the next line, without its newline, valid until the next call. Return 1, 0
	 * at the end of the input, or -errno.
	 */
	int (*next)(void *arg, struct str *line, struct err *e);
	uint64_t offset; /* byte offset of *line in the input, updated by next() */
	uint64_t number; /* line number of *line, from 1, updated by next() */
};

/* Input of a decoder that reads it piece by piece: memory, or a file that is read incrementally. */
struct byte_source {
	/* Where the next read begins; set by the decoder, never decreases. */
	uint64_t offset;
	/*
	 * Set *bytes to the input from `offset` on, at least `n` bytes unless the input ends
	 * before, valid until the next call. Return 0 or -errno.
	 */
	int (*next)(struct byte_source *source, size_t n, struct str *bytes, struct err *e);
};

struct format {
	const char *name;
	const char *summary; /* one line for --help */
	/* Label that tools which fold this format put at the root of stacks; may be NULL. */
	const char *root_label;
	/* File extensions without the dot ("pb.gz"), NULL-terminated. The longest match wins. */
	const char *const *extensions;

	/*
	 * Return how likely `head` (the first decompressed bytes) is this format: 0 no, 100
	 * certain.
	 */
	int (*sniff)(struct str head);

	/*
	 * Decode the whole (decompressed) input into an empty batch. The batch borrows from `in`.
	 * Return 0 or -errno (-EBADMSG for bad input) with "at byte N: expected ..., found ..." in
	 * `e`. NULL if the format cannot be read, or only by decode_lines.
	 */
	int (*decode)(struct profile_batch *out, struct str in, const struct decode_options *o,
		      struct err *e);

	/* Set instead of decode: read line by line, borrow nothing; for pipes of any length. */
	int (*decode_lines)(struct profile_batch *out, struct line_source *in,
			    const struct decode_options *o, struct err *e);

	/*
	 * Optional, in addition to decode: read piece by piece, borrow nothing, so that memory
	 * holds no more than the largest piece. May be NULL.
	 */
	int (*decode_parts)(struct profile_batch *out, struct byte_source *in,
			    const struct decode_options *o, struct err *e);

	/*
	 * Append the encoded batch to `out`. Return 0 or -errno. NULL if the format cannot be
	 * written.
	 */
	int (*encode)(struct buf *out, const struct profile_batch *b,
		      const struct encode_options *o, struct err *e);
};

/* All formats, NULL-terminated, in the order of --help. */
extern const struct format *const formats[];

/*
 * Return the format with a name ("pprof"), for a file name ("a/b.pb.gz") or for content, or NULL.
 */
const struct format *format_by_name(struct str name);
const struct format *format_by_path(struct str path);
const struct format *format_by_content(struct str head);

/*
 * Decompress gzip, zlib, zstd, lz4 and zip layers and decode `in` into the empty batch `out`. The
 * format is `f`, or if that is NULL the one detected from the content, then from `path`.
 * Decompressed bytes live in the batch's arena; uncompressed input is borrowed. Set *used, if not
 * NULL, to the format. Return 0 or -errno.
 */
MUST_USE int format_decode(struct profile_batch *out, struct str in, const struct format *f,
			   struct str path, const struct decode_options *o,
			   const struct format **used, struct err *e);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_OTLP_OTLP_H
#define VARVE_FORMAT_OTLP_OTLP_H

#include "format/format.h"
#include "wire/proto.h"

/*
 * OpenTelemetry profiles: reads the layouts 1.7 to 1.11 of v1development, in protobuf and JSON,
 * one message or a stream of them; writes 1.11.
 */
extern const struct format format_otlp;
extern const struct format format_otlp_json;

/*
 * Decode the messages in `in` into an empty batch: protobuf, plain or as a stream of length-prefixed
 * ones. The batch borrows from `in`. 0 or -errno; after an error the batch is empty again.
 */
MUST_USE int otlp_decode(struct profile_batch *out, struct str in, const struct decode_options *o,
			 struct err *e);

/*
 * The batch as one message, as it is: tables row by row, so indices are kept. What it says is
 * valid OTLP 1.11 if the batch has been through otlp_prepare(). 0 or -ENOMEM.
 */
MUST_USE int otlp_encode(struct proto_writer *w, const struct profile_batch *b);

/* One KeyValue as field `field`, back to front as all of wire/proto.h; traces and metrics have the same. */
void otlp_put_keyvalue(struct proto_writer *w, uint32_t field, const struct keyvalue *pair);

/*
 * Into `dst` (empty) what `src` says, so that its encoding passes otlp_check(): normalized, each profile's
 * time range covers its samples, ranges and lines that make no sense are unset, text is UTF-8. dst borrows from src.
 * 0, -ENOMEM or -EOVERFLOW.
 */
MUST_USE int otlp_prepare(struct profile_batch *dst, const struct profile_batch *src);

/* Append the JSON of one message, on one line. 0, -EBADMSG or -ENOMEM. */
MUST_USE int otlp_proto_to_json(struct buf *out, struct str message, struct err *e);

/* Well-formed UTF-8 out of anything: `s` itself, or a copy in the arena with U+FFFD for bad bytes. */
MUST_USE int otlp_mend_text(struct arena *a, struct str s, struct str *out);

/* All bytes below 0x80? Most names are, and most are shorter than a call of the full check is worth. */
bool otlp_is_ascii(struct str s);

enum otlp_check_flags {
	OTLP_CHECK_DUPES = 1,	/* equal rows in a table */
	OTLP_CHECK_SHAPES = 2,	/* values and timestamps of samples */
	OTLP_CHECK_ORPHANS = 4, /* rows that nobody refers to */
	OTLP_CHECK_ALL = 7,
};

enum otlp_check_level {
	OTLP_NOTE,   /* what was done to the file before it was checked */
	OTLP_SHOULD, /* advice of the specification */
	OTLP_MUST,   /* a broken rule: the file is invalid */
};

/*
 * Check a file, protobuf or JSON, and report every broken rule: `path` says where
 * ("resource_profiles[0].scope_profiles[1].profiles[0].samples[12].stack_index"; empty for the
 * file as a whole), `text` what. Returns the number of OTLP_MUST reports, or -errno when it could
 * not be read at all. Memory is taken from `budget`, which may be NULL.
 */
typedef void otlp_report(void *arg, enum otlp_check_level level, const char *path,
			 const char *text);
MUST_USE int64_t otlp_check(struct str in, unsigned flags, struct budget *budget,
			    otlp_report *report, void *arg, struct err *e);

#endif

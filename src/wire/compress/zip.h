/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_WIRE_COMPRESS_ZIP_H
#define VARVE_WIRE_COMPRESS_ZIP_H

#include "wire/compress/compress.h"

/*
 * A bounded reader of zip archives by their central directory: stored and deflated entries, zip64;
 * no encryption, no archives in several parts. Nothing is allocated but the output.
 *
 *	rc = zip_open(&z, in, e);
 *	while (!rc && (rc = zip_next(&z, &entry, e)) == 1)
 *		...
 */
struct zip {
	struct str in;	/* borrowed */
	size_t at, end; /* what is left of the central directory */
	uint64_t left;	/* entries */
};

struct zip_entry {
	struct str name; /* as in the archive: untrusted, '/' separates; ends in '/' for folders */
	uint64_t size, packed_size;
	uint64_t offset; /* of the local header */
	uint32_t crc;
	uint16_t method, flags;
};

/* 0, or -EBADMSG "zip: at byte N: ..." */
MUST_USE int zip_open(struct zip *z, struct str in, struct err *e);

/* 1 with the next entry, 0 behind the last, or -EBADMSG. */
MUST_USE int zip_next(struct zip *z, struct zip_entry *entry, struct err *e);

/* The bytes of an entry; errors and lifetime as decompress_bytes(). A stored entry is borrowed from z->in. */
MUST_USE int zip_extract(const struct zip *z, const struct zip_entry *entry, struct arena *a,
			 const struct decompress_limits *limits, struct str *out, struct err *e);

/*
 * The first regular file whose name ends in `suffix`, else the first regular file.
 * -ENOENT when there is none; otherwise as zip_extract().
 */
MUST_USE int zip_extract_one(struct str in, struct str suffix, struct arena *a,
			     const struct decompress_limits *limits, struct str *out,
			     struct err *e);

#endif

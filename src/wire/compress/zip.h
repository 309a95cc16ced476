/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_WIRE_COMPRESS_ZIP_H
#define VARVE_WIRE_COMPRESS_ZIP_H

#include "wire/compress/compress.h"

/*
 * A bounded reader of zip archives by their central directory: stored and deflated entries, zip64;
 * no encryption, no multi-part archives. Nothing is allocated except the output.
 *
 *	rc = zip_open(&z, in, e);
 *	if (!rc)
 *		while ((rc = zip_next(&z, &entry, e)) == 1)
 *			...
 */
struct zip {
	struct str in;	/* borrowed */
	size_t at, end; /* rest of the central directory */
	uint64_t left;	/* entries not read yet */
};

struct zip_entry {
	struct str name; /* as in the archive: untrusted, separated by '/'; folders end with '/' */
	uint64_t size, packed_size;
	uint64_t offset; /* of the local header */
	uint32_t crc;
	uint16_t method, flags;
};

/* Open an archive. Return 0, or -EBADMSG "zip: at byte N: ..." */
MUST_USE int zip_open(struct zip *z, struct str in, struct err *e);

/* Get the next entry. Return 1, 0 after the last entry, or -EBADMSG. */
MUST_USE int zip_next(struct zip *z, struct zip_entry *entry, struct err *e);

/* Decompress an entry like decompress_bytes(). A stored entry is borrowed from z->in. */
MUST_USE int zip_extract(const struct zip *z, const struct zip_entry *entry, struct arena *a,
			 const struct decompress_limits *limits, struct str *out, struct err *e);

/*
 * Decompress the first regular file whose name ends with `suffix`, or the first regular file if
 * there is none. Return -ENOENT for an archive without files; otherwise like zip_extract().
 */
MUST_USE int zip_extract_one(struct str in, struct str suffix, struct arena *a,
			     const struct decompress_limits *limits, struct str *out,
			     struct err *e);

#endif

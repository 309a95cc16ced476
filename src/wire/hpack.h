/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_WIRE_HPACK_H
#define VARVE_WIRE_HPACK_H

#include "base/buf.h"

/*
 * HPACK (RFC 7541): header blocks of HTTP/2. The decoder supports the static and the dynamic table
 * and Huffman codes. The encoder only writes literals without indexing, so it has no state.
 */
enum {
	HPACK_TABLE_MAX = 4096,	     /* bytes of the dynamic table, HTTP/2's default */
	HPACK_STRING_MAX = 64 << 10, /* decoded bytes of one name or value */
	HPACK_ENTRIES_MAX = HPACK_TABLE_MAX / 32,
};

/*
 * The decoder's dynamic table: entries from oldest to newest, their bytes in the same order. Must
 * be initialized by hpack_init().
 */
struct hpack {
	/* the limit that the encoder chose, at most HPACK_TABLE_MAX */
	uint32_t limit;
	/* sum over the entries: name + value + 32 */
	uint32_t size;
	uint32_t count;
	struct {
		uint16_t name, value;
	} entries[HPACK_ENTRIES_MAX];
	char bytes[HPACK_TABLE_MAX];
};

void hpack_init(struct hpack *h);

/* Called for each header of a block; the strings are valid during the call. */
typedef void hpack_header(void *arg, struct str name, struct str value);

/*
 * Decode a whole header block. Return 0, -EPROTO if it is malformed (the connection must be
 * closed), -EFBIG, or -ENOMEM.
 */
MUST_USE int hpack_decode(struct hpack *h, struct str block, hpack_header *on_header, void *arg);

/* Append a header as a literal without indexing. `name` must be in lower case. */
void hpack_put(struct buf *out, struct str name, struct str value);

#endif

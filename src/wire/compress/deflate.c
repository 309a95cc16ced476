/* SPDX-License-Identifier: Apache-2.0 */
/* In a file of its own, because libvarve only writes gzip and does not link the other libraries. */
#include "wire/compress/deflate.h"

#include <errno.h>
#include <libdeflate.h>

/* libdeflate's functions for each kind. */
static const struct deflater {
	size_t (*bound)(struct libdeflate_compressor *, size_t);
	size_t (*compress)(struct libdeflate_compressor *, const void *, size_t, void *, size_t);
} deflaters[] = {
	[COMPRESS_GZIP] = {libdeflate_gzip_compress_bound, libdeflate_gzip_compress},
	[COMPRESS_ZLIB] = {libdeflate_zlib_compress_bound, libdeflate_zlib_compress},
	[COMPRESS_DEFLATE] = {libdeflate_deflate_compress_bound, libdeflate_deflate_compress},
};

int deflate_bytes(struct buf *out, enum compress_kind kind, int level, struct str in)
{
	const struct deflater *d = &deflaters[kind];
	int clamped = level < 1 ? 1 : level > 12 ? 12 : level;
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(level ? clamped : 6);
	size_t bound = c ? d->bound(c, in.n) : 0;
	char *at = c ? buf_reserve(out, bound) : NULL;

	if (at)
		out->n += d->compress(c, in.p, in.n, at, bound);
	libdeflate_free_compressor(c);
	return at ? 0 : -ENOMEM;
}

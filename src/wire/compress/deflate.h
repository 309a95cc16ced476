/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_WIRE_COMPRESS_DEFLATE_H
#define VARVE_WIRE_COMPRESS_DEFLATE_H

#include "wire/compress/compress.h"

/*
 * Like compress_bytes(), but only for gzip, zlib and deflate, so that only libdeflate is linked.
 * Return 0 or -ENOMEM.
 */
MUST_USE int deflate_bytes(struct buf *out, enum compress_kind kind, int level, struct str in);

#endif

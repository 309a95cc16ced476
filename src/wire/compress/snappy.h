/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_WIRE_COMPRESS_SNAPPY_H
#define VARVE_WIRE_COMPRESS_SNAPPY_H

#include "wire/compress/decompress.h"

/*
 * The block format of Snappy (format_description.txt of the reference implementation): the encoding
 * of Prometheus remote write, and "snappy" as Content-Encoding of OTLP/HTTP. Both directions are
 * for compress.h.
 */

/* Append `in` as one block; inputs of 4 GiB or more are an error. Return 0, -ENOMEM or -EFBIG. */
MUST_USE int snappy_bytes(struct buf *out, struct str in);

/* Decompress one block into `s`, which is initialized. */
MUST_USE int snappy_body(struct decompress_sink *s, struct str in, struct err *e);

/* Append the content of a block to `s`. `base` is added to the positions in errors. */
MUST_USE int snappy_append_block(struct decompress_sink *s, struct str in, size_t base,
				 struct err *e);

/*
 * The framing format (framing_format.txt): blocks of up to 64 KiB with checksums. It is "snappy" in
 * gRPC, and "x-snappy-framed" as Content-Encoding.
 */
MUST_USE int snappy_framed_bytes(struct buf *out, struct str in);
MUST_USE int snappy_framed_body(struct decompress_sink *s, struct str in, struct err *e);

#endif

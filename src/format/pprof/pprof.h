/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_PPROF_PPROF_H
#define VARVE_FORMAT_PPROF_PPROF_H

#include "format/format.h"

/*
 * pprof: the protobuf form (decode.c, encode.c) and the older text and binary forms that C, C++
 * and Go programs still write (legacy_*.c), which can be read but not written.
 */
extern const struct format format_pprof;	   /* written as gzip */
extern const struct format format_pprof_raw;	   /* the same, written without gzip */
extern const struct format format_gperftools;	   /* the CPU profiler of gperftools */
extern const struct format format_heap_text;	   /* tcmalloc, jemalloc, Go's heap?debug=1 */
extern const struct format format_contention_text; /* contentionz, Go's mutex and block ?debug=1 */
extern const struct format format_thread_text;	   /* threadz, Go's goroutine?debug=1 */

/*
 * Decode and encode uncompressed protobuf; pprof_encode() writes gzip. The contracts are those of
 * the members of struct format. pprof_decode() is in decode.c, the encoders are in encode.c.
 */
MUST_USE int pprof_decode(struct profile_batch *out, struct str in, const struct decode_options *o,
			  struct err *e);
MUST_USE int pprof_encode(struct buf *out, const struct profile_batch *b,
			  const struct encode_options *o, struct err *e);
MUST_USE int pprof_encode_raw(struct buf *out, const struct profile_batch *b,
			      const struct encode_options *o, struct err *e);
int pprof_sniff(struct str head);

#endif

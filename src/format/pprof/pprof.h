/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_PPROF_PPROF_H
#define VARVE_FORMAT_PPROF_PPROF_H

#include "format/format.h"

/*
 * pprof: the protobuf form (decode.c, encode.c) and the older text and binary forms that C, C++
 * and Go programs still write (the legacy files), which can only be read.
 */
extern const struct format format_pprof;	   /* written as gzip */
extern const struct format format_pprof_raw;	   /* the same, written without gzip */
extern const struct format format_gperftools;	   /* the CPU profiler of gperftools */
extern const struct format format_heap_text;	   /* tcmalloc, jemalloc, Go's heap?debug=1 */
extern const struct format format_contention_text; /* contentionz, Go's mutex and block ?debug=1 */
extern const struct format format_thread_text;	   /* threadz, Go's goroutine?debug=1 */

/* Uncompressed protobuf. The contract is that of struct format's members. */
MUST_USE int pprof_decode(struct profile_batch *out, struct str in, const struct decode_options *o,
			  struct err *e);
MUST_USE int pprof_encode(struct buf *out, const struct profile_batch *b,
			  const struct encode_options *o, struct err *e);
MUST_USE int pprof_encode_raw(struct buf *out, const struct profile_batch *b,
			      const struct encode_options *o, struct err *e);
int pprof_sniff(struct str head);

#endif

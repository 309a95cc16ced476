/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_PPROF_DECODE_DECODE_TABLES_H
#define VARVE_FORMAT_PPROF_DECODE_DECODE_TABLES_H

#include "format/pprof/decode/decoder.h"

/* Decode mappings, functions and locations, in this order. Return 0 or -errno. */
MUST_USE int pprof_decode_tables(struct pprof_decoder *d);

#endif

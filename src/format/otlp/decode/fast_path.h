/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_OTLP_DECODE_FAST_PATH_H
#define VARVE_FORMAT_OTLP_DECODE_FAST_PATH_H

#include "format/otlp/decode/decoder.h"

/*
 * Decode the consecutive rows of a table from `at` on, up to the first row that the fast path does
 * not handle, and return where that row begins. The caller has reserved room for all rows of the
 * table.
 */
typedef const uint8_t *otlp_fast_rows(struct otlp_decoder *d, const uint8_t *at,
				      const uint8_t *end);
otlp_fast_rows otlp_fast_functions, otlp_fast_locations, otlp_fast_stacks;

#endif

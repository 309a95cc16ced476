/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_OTLP_DECODE_VALUES_H
#define VARVE_FORMAT_OTLP_DECODE_VALUES_H

#include "format/otlp/decode/decoder.h"

/* Decode an AnyValue. Return 0 or -errno. */
MUST_USE int otlp_read_value(struct otlp_decoder *d, struct str bytes, struct value *out);

/*
 * Decode all KeyValues in field `field` of `message`. A repeated key is reported and dropped; the
 * first one wins. Return 0 or -errno.
 */
MUST_USE int otlp_read_keyvalues(struct otlp_decoder *d, struct str message, uint32_t field,
				 struct list *out);

/* Set *out to `bytes` as valid UTF-8: borrowed, or repaired in the batch's arena. 0 or -errno. */
MUST_USE int otlp_read_string(struct otlp_decoder *d, struct str bytes, struct str *out);

#endif

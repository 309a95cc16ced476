/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_OTLP_DECODE_DICTIONARY_H
#define VARVE_FORMAT_OTLP_DECODE_DICTIONARY_H

#include "format/otlp/decode/decoder.h"

/*
 * Append all tables of the message to the batch, after otlp_scan_dictionary(). Return 0 or -errno.
 */
MUST_USE int otlp_decode_dictionary(struct otlp_decoder *d);

/* Append an attribute that the message does not contain, and set *row. Return 0 or -ENOMEM. */
MUST_USE int otlp_new_attribute(struct otlp_decoder *d, struct str key, struct value value,
				uint32_t *row);

#endif

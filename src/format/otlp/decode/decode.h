/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_OTLP_DECODE_DECODE_H
#define VARVE_FORMAT_OTLP_DECODE_DECODE_H

#include "format/otlp/decode/decoder.h"

/* Allocate a decoder in the arena of the batch. Return NULL if out of memory. */
struct otlp_decoder *otlp_decoder_new(struct profile_batch *out, struct str whole,
				      const struct decode_options *o, struct err *e);

/*
 * Decode one message, which lies within the decoder's `whole`, and append it to the batch. Return 0
 * or -errno; after an error the batch may hold part of the message and must only be reset or freed.
 */
MUST_USE int otlp_decode_message(struct otlp_decoder *d, struct str message);

/*
 * Report a repair as a warning, once per kind. Return 0, or -EBADMSG with the text as the error if
 * the options are `strict`.
 */
MUST_USE int otlp_repair(struct otlp_decoder *d, enum otlp_repair kind, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_OTLP_OTLP_H
#define VARVE_FORMAT_OTLP_OTLP_H

#include "format/format.h"

/*
 * OpenTelemetry profiles: reads the layouts 1.7 to 1.11 of v1development, in protobuf and JSON,
 * one message or a stream of them; writes 1.11.
 */
extern const struct format format_otlp;
extern const struct format format_otlp_json; /* json.c */

/*
 * Decode the protobuf messages in `in`, a single one or a stream of length-prefixed ones, into an
 * empty batch. The batch borrows from `in`. Return 0 or -errno; after an error the batch is empty.
 */
MUST_USE int otlp_decode(struct profile_batch *out, struct str in, const struct decode_options *o,
			 struct err *e);

/* Return whether a message is certainly of the layout that is written: 1.11. */
bool otlp_is_current(struct str message);

#endif

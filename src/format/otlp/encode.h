/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_FORMAT_OTLP_ENCODE_H
#define VARVE_FORMAT_OTLP_ENCODE_H

#include "signal/profile/profile.h"
#include "wire/proto.h"

/*
 * Write the batch as one message of layout 1.11. Tables are written row by row, so indices stay the
 * same. The message is valid OTLP only if the batch is the result of otlp_prepare(). Return 0 or
 * -ENOMEM.
 */
MUST_USE int otlp_encode(struct proto_writer *w, const struct profile_batch *b);

/*
 * Write one KeyValue as field `field`, back to front like everything in wire/proto.h. OTLP traces
 * and metrics use the same message.
 */
void otlp_put_keyvalue(struct proto_writer *w, uint32_t field, const struct keyvalue *pair);

#endif

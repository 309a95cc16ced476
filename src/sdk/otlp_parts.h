/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_OTLP_PARTS_H
#define VARVE_SDK_OTLP_PARTS_H

#include "signal/profile.h"
#include "wire/proto.h"

/* What traces, metrics and the process context have in common; written back to front, as all of wire/proto.h. */

/* KeyValue as field `field`. */
void otlp_put_keyvalue(struct proto_writer *w, uint32_t field, const struct keyvalue *pair);

/* Resource as field 1. */
void otlp_put_resource(struct proto_writer *w, const struct keyvalue *resource, uint32_t count);

/* Our InstrumentationScope as field 1. */
void otlp_put_scope(struct proto_writer *w);

#endif

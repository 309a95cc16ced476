/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_EXPORT_OTLP_PARTS_H
#define VARVE_SDK_EXPORT_OTLP_PARTS_H

#include "format/otlp/otlp.h"

/* What traces, metrics and the process context have in common; written back to front, as all of wire/proto.h. */

/* Resource as field 1. */
void otlp_put_resource(struct proto_writer *w, const struct keyvalue *resource, uint32_t count);

/* Our InstrumentationScope as field 1. */
void otlp_put_scope(struct proto_writer *w);

#endif

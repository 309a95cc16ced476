/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_EXPORT_OTLP_PARTS_H
#define VARVE_SDK_EXPORT_OTLP_PARTS_H

#include "format/otlp/encode.h"

/* Parts common to traces, metrics and the process context, written backwards like all protobuf. */

/* Write a Resource as field 1. */
void otlp_put_resource(struct proto_writer *w, const struct keyvalue *resource, uint32_t count);

/* Write varve's InstrumentationScope as field 1. */
void otlp_put_scope(struct proto_writer *w);

#endif

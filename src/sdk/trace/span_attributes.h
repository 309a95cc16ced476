/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_TRACE_SPAN_ATTRIBUTES_H
#define VARVE_SDK_TRACE_SPAN_ATTRIBUTES_H

#include "base/str.h"

/* The encoded fields of a running span: name, attributes, events, links and status. */

struct span_slot;

/* Reset the fields of a slot and write the span's name. */
void span_fields_begin(struct span_slot *s, struct str name);

/* Free the fields. */
void span_fields_end(struct span_slot *s);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_TRACE_SPAN_W3C_H
#define VARVE_SDK_TRACE_SPAN_W3C_H

#include "sdk/trace/span_thread.h"

/* W3C Trace Context: traceparent and tracestate, parsed strictly. */

/* Parse a traceparent (NULL is malformed). 0 or -EINVAL. */
MUST_USE int traceparent_parse(const char *text, struct span_ids *ids, uint8_t *flags);
void traceparent_format(char out[VARVE_TRACEPARENT_SIZE], const struct span_ids *ids,
			uint8_t flags);

/* Return the length of a tracestate that is valid and may be passed on; else 0. */
size_t tracestate_check(const char *text);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_TRACE_PROPAGATION_H
#define VARVE_SDK_TRACE_PROPAGATION_H

#include "base/base.h"
#include "varve/varve.h"

/* Contexts in the headers of requests: varve_inject() and varve_extract(). */

/* Set which headers are used, bits of enum varve_propagator. */
void propagation_configure(unsigned wanted);

/* Parse the header b3: "TRACE-SPAN-SAMPLED-PARENT", the last two optional. 0 or -EINVAL. */
MUST_USE int b3_parse(const char *text, struct varve_context *out);

#endif

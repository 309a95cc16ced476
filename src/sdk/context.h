/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_CONTEXT_H
#define VARVE_SDK_CONTEXT_H

#include "base/err.h"
#include "signal/profile.h"

/*
 * OTEP 4719, the process context: a mapping named OTEL_CTX that tells host profilers which service this is, and the keys of the
 * threads' attributes (OTEP 4947). Published at start, again in a forked child, taken away at stop. If somebody else has
 * published one already, it stays theirs.
 */
MUST_USE int context_publish(const struct keyvalue *resource, uint32_t count, struct err *e);
void context_withdraw(void);

#endif

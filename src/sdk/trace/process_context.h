/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_TRACE_PROCESS_CONTEXT_H
#define VARVE_SDK_TRACE_PROCESS_CONTEXT_H

#include "base/err.h"
#include "signal/profile/profile.h"

/*
 * OTEP 4719, the process context: a mapping named OTEL_CTX that tells host profilers which service this is, and the keys of the
 * threads' attributes (OTEP 4947), which are the keys of labels. Published at start, again in a forked child and when there are new
 * keys, taken away at stop. If somebody else has published one already, it stays theirs.
 */
MUST_USE int context_publish(const struct keyvalue *resource, uint32_t count, struct err *e);

/* Publish anew if there are keys that were not there before. Collector only; costs a comparison when there are none. */
void context_refresh(const struct keyvalue *resource, uint32_t count);

void context_withdraw(void);

#endif

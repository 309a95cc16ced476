/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_TRACE_PROCESS_CONTEXT_H
#define VARVE_SDK_TRACE_PROCESS_CONTEXT_H

#include "base/err.h"
#include "signal/profile/profile.h"

/*
 * The process context of OTEP 4719: a mapping named OTEL_CTX from which host profilers learn the
 * resource of this process and the key names of thread attributes (OTEP 4947), which are the keys
 * of labels. It is published at start, in a forked child, and again when there are new keys; it is
 * withdrawn at stop. A context that another SDK of the process has published is left alone.
 */

/* Publish it. 0, -EALREADY, -EEXIST (by another SDK) or -ENOMEM. */
MUST_USE int context_publish(const struct keyvalue *resource, uint32_t count, struct err *e);

/* Publish it again if there are new keys; otherwise this is one comparison. Collector only. */
void context_refresh(const struct keyvalue *resource, uint32_t count);

/* Unpublish it, if it was published by this process. */
void context_withdraw(void);

#endif

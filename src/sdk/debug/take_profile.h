/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_DEBUG_TAKE_PROFILE_H
#define VARVE_SDK_DEBUG_TAKE_PROFILE_H

#include "sdk/sdk.h"

/* Profiles on demand. The caller holds a reference (sdk_acquire()). */

/*
 * Take one profile of `seconds` into an empty batch; 0 seconds: everything since the start, not for
 * CPU and wall. Blocks for the duration, or until *cancelled, which may be NULL, is set. Return 0,
 * -EINVAL, -EBUSY with the reason when a guard refuses, or another -errno.
 */
MUST_USE int sdk_take_batch(struct sdk *s, enum varve_profile kind, unsigned seconds,
			    const _Atomic bool *cancelled, struct profile_batch *out,
			    struct err *e);

/* The same as gzipped pprof. */
MUST_USE int sdk_take_pprof(struct sdk *s, enum varve_profile kind, unsigned seconds,
			    const _Atomic bool *cancelled, struct buf *out, struct err *e);

#endif

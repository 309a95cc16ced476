/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_COLLECT_WALL_H
#define VARVE_SDK_COLLECT_WALL_H

#include "base/base.h"

/*
 * Wall-clock sampling: a thread of ours looks at all threads of the host in turn. One that has used no CPU time since it was last
 * looked at is where it was: its stack counts again, without a signal. Others are asked by signal, at most eight a tick, spread over
 * the interval.
 */

/* Sample at `hz`; 0: stop, and join the thread. Not for hooks. */
void wall_set_hz(unsigned hz);
void wall_forked(void);

#endif

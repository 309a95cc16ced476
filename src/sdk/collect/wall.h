/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_COLLECT_WALL_H
#define VARVE_SDK_COLLECT_WALL_H

#include "base/base.h"

/*
 * Wall-clock sampling: a thread of the library visits all threads of the host program in turn. The
 * stack of a thread that used no CPU time since its last visit is counted again without a signal.
 * Other threads get a signal, at most eight per tick, spread over the interval.
 */

/* Sample at `hz`; 0 stops and joins the thread. Not for hooks. */
void wall_set_hz(unsigned hz);
/* Start again in a forked child. */
void wall_forked(void);

#endif

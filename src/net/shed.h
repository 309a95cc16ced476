/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_NET_SHED_H
#define VARVE_NET_SHED_H

#include "net/loop.h"

/* Private to src/net: how a loop keeps within max_memory. Loop thread only. */

/* Return whether more than three quarters of max_memory are in use. */
bool loop_is_pressed(const struct loop *l);

/* Return whether all of max_memory is in use, so that a new connection must wait. Any thread. */
bool loop_memory_is_full(const struct loop *l);

/*
 * Close the connections that have held the most memory for longest if memory runs out; return spare
 * memory to the system after a peak. Called in each round; sets l->look_ns.
 */
void loop_shed(struct loop *l);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_DEBUG_DEBUG_TEXT_H
#define VARVE_SDK_DEBUG_DEBUG_TEXT_H

#include "base/buf.h"
#include "signal/profile/profile.h"

/*
 * Write a profile as text, as Go's ?debug=1 does: the value of a stack, its addresses, and a line
 * for each frame. `per_thread` (debug=2 of thread dumps): each thread with its name and state.
 */
void debug_text(struct buf *out, const char *name, const struct profile_batch *b, bool per_thread);

#endif

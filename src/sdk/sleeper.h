/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_SLEEPER_H
#define VARVE_SDK_SLEEPER_H

#include "sdk/guest.h"

/*
 * The stack of another thread that waits in the kernel, without waking it: a signal would end its sleep() or poll() early. The
 * kernel tells its program counter and stack pointer (/proc/self/task/TID/syscall); its stack is copied and walked here. The frame
 * pointer is not told: where a frame needs it before any other has saved it, the walk ends early and counts as failed.
 *
 * True: *stack is its whole stack at one moment of this call. False: it runs, or could not be walked to its root; ask it by
 * signal then. Not for hooks.
 */
bool sleeper_stack(struct guest_thread *t, uint32_t *stack);

#endif

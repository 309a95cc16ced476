/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_COLLECT_SLEEPER_H
#define VARVE_SDK_COLLECT_SLEEPER_H

#include "sdk/hook/guest.h"

/*
 * The stack of another thread that waits in the kernel, without waking it: a signal would end its sleep() or poll() early. The
 * kernel tells its program counter and stack pointer (/proc/self/task/TID/syscall); its stack is copied and walked here. The frame
 * pointer is not told: where a frame needs it before any other has saved it, that frame is searched for on the stack, and if it is not found the stack
 * ends there, with who called the system call: better than to wake it.
 *
 * True: *stack is its stack at one moment of this call, among those of the kind. False: it runs, or its stack cannot be read (one of more than 64 KB); ask it by
 * signal then. Between guest_visit_begin() and guest_visit_end(). Not for hooks.
 */
bool sleeper_stack(struct guest_thread *t, enum varve_profile kind, uint32_t *stack);

#endif

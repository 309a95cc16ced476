/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_COLLECT_SLEEPER_H
#define VARVE_SDK_COLLECT_SLEEPER_H

#include "sdk/hook/guest.h"

/*
 * Read the stack of another thread that waits in the kernel, without waking it: a signal would end
 * its sleep() or poll() early. The kernel reports its program counter and stack pointer
 * (/proc/self/task/TID/syscall); its stack is copied and walked here. The frame pointer is unknown:
 * a frame that needs it before another one has saved it is searched for on the stack. If it is not
 * found, the stack ends there, with the caller of the system call, rather than waking the thread.
 *
 * Return true and *stack, interned for `kind`, as it was at one moment during this call. Return
 * false when the thread runs or its stack cannot be read (larger than 64 KB); ask it by signal
 * then. Call between guest_pin_begin() and guest_pin_end(). Not for hooks.
 */
bool sleeper_stack(struct guest_thread *t, enum varve_profile kind, uint32_t *stack);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_HOOK_GUEST_THREADS_H
#define VARVE_SDK_HOOK_GUEST_THREADS_H

#include "sdk/hook/guest.h"

/* The records of threads; only guest.c and guest_threads.c know these. */

/* A record for this thread, at its first hook. NULL: no memory. Hook-safe. */
struct guest_thread *guest_meet_thread(void);

/* The child's part: only this thread is left. */
void guest_threads_forked(void);

#endif

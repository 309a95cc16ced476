/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_HOOK_LOCK_H
#define VARVE_SDK_HOOK_LOCK_H

#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"

/*
 * A lock for hooks: a futex and nothing of libc's, held for a few memory accesses. A holder that does not come back (a signal
 * handler that left it by longjmp(), a child of a bare clone()) must not hang the host: hook_lock() gives up after two seconds,
 * and what it was for does not happen. The zero value is free. errno may change.
 */
struct hook_lock {
	_Atomic uint32_t state; /* 0: free, 1: held, 2: held, and somebody waits */
};

enum { HOOK_LOCK_TRIES = 20 };

static inline bool hook_lock(struct hook_lock *l)
{
	struct timespec pause = {0, 100000000};
	uint32_t state = 0;

	if (likely(atomic_compare_exchange_strong_explicit(
		    &l->state, &state, 1, memory_order_acquire, memory_order_relaxed)))
		return true;
	for (unsigned tries = 0; tries < HOOK_LOCK_TRIES; tries++) {
		if (!atomic_exchange_explicit(&l->state, 2, memory_order_acquire))
			return true;
		if (syscall(SYS_futex, &l->state, FUTEX_WAIT_PRIVATE, 2, &pause, NULL, 0) == 0)
			tries = 0; /* woken: it moves */
	}
	return false;
}

/* The same, but when it gives up the lock is taken all the same: for fork(), which comes to an end in each case. */
static inline void hook_lock_always(struct hook_lock *l)
{
	if (!hook_lock(l))
		atomic_store(&l->state, 1);
}

static inline void hook_unlock(struct hook_lock *l)
{
	if (atomic_exchange_explicit(&l->state, 0, memory_order_release) == 2)
		syscall(SYS_futex, &l->state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

#endif

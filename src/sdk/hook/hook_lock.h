/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_HOOK_HOOK_LOCK_H
#define VARVE_SDK_HOOK_HOOK_LOCK_H

#include <errno.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"

/*
 * A lock for hooks: a futex, without libc, held for a few memory accesses. A holder that never
 * unlocks (a signal handler that was left by longjmp(), a child of a bare clone()) must not hang
 * the host: hook_lock() gives up after two seconds and returns false. The zero value is unlocked.
 * errno is preserved.
 */
struct hook_lock {
	_Atomic uint32_t state; /* 0: free, 1: held, 2: held, with waiters */
};

enum { HOOK_LOCK_TRIES = 20 };

/* The slow path of hook_lock(): wait for the holder. False: timeout. */
static __attribute__((noinline, cold)) bool hook_lock_wait(struct hook_lock *l)
{
	struct timespec pause = {0, 100000000};
	int saved_errno = errno;
	unsigned tries = 0;

	for (; tries < HOOK_LOCK_TRIES; tries++) {
		if (!atomic_exchange_explicit(&l->state, 2, memory_order_acquire))
			break;
		if (syscall(SYS_futex, &l->state, FUTEX_WAIT_PRIVATE, 2, &pause, NULL, 0) == 0)
			tries = 0; /* woken: there is progress */
	}
	errno = saved_errno;
	return tries < HOOK_LOCK_TRIES;
}

/* Lock. False: timeout, the lock is not held. */
static inline bool hook_lock(struct hook_lock *l)
{
	uint32_t state = 0;

	return likely(atomic_compare_exchange_strong_explicit(
		       &l->state, &state, 1, memory_order_acquire, memory_order_relaxed)) ||
	       hook_lock_wait(l);
}

/* Lock, by force after the timeout: for fork(), which must proceed. */
static inline void hook_lock_always(struct hook_lock *l)
{
	if (!hook_lock(l))
		atomic_store(&l->state, 1);
}

static __attribute__((noinline, cold)) void hook_lock_wake(struct hook_lock *l)
{
	int saved_errno = errno;

	syscall(SYS_futex, &l->state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	errno = saved_errno;
}

static inline void hook_unlock(struct hook_lock *l)
{
	if (unlikely(atomic_exchange_explicit(&l->state, 0, memory_order_release) == 2))
		hook_lock_wake(l);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_PRELOAD_PLAIN_MUTEX_H
#define VARVE_SDK_PRELOAD_PLAIN_MUTEX_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/single_threaded.h>

#include "base/base.h"

/*
 * Lock and unlock glibc's plain mutex without libc, where that is faster or gives more information:
 * in a program of one thread, where a call through an interposed function is noticeable (with
 * several, locked instructions dominate); and while waits are recorded, where the try also shows
 * whether the mutex was free. Mutexes of other kinds (recursive, error checking, adaptive, robust,
 * with priorities, shared between processes, elided) are left to libc.
 *
 * The fields are declared in <pthread.h>: `lock` is 0 when free, 1 when locked, 2 when locked with
 * waiters; `owner` is the thread's id; `nusers` is 1 while it is locked. A test of libc's functions
 * at start (plain_mutex.c) must find exactly this; otherwise these functions stay unused.
 */

/* This thread's id; 0: not noted yet, or libc's mutexes have another layout. */
extern __thread int plain_mutex_tid __attribute__((tls_model("initial-exec")));

/* Do libc's mutexes have the expected layout? If not, plain_mutex_unlock() must not be called. */
bool plain_mutex_known(void);

/* Set plain_mutex_tid, if the layout is the expected one. Hook-safe. */
void plain_mutex_note_thread(void);

/*
 * In a program of one thread: lock a plain, free mutex, like libc without a locked instruction.
 * False: not done.
 */
static inline bool plain_mutex_lock_alone(pthread_mutex_t *l)
{
	int tid = plain_mutex_tid;

	if (unlikely(!__libc_single_threaded || l->__data.__kind != 0 || !tid || l->__data.__lock))
		return false;
	l->__data.__lock = 1;
	l->__data.__owner = tid;
	l->__data.__nusers++;
	return true;
}

/* The same for unlocking. False: not done. */
static inline bool plain_mutex_unlock_alone(pthread_mutex_t *l)
{
	if (unlikely(!__libc_single_threaded || l->__data.__kind != 0 || l->__data.__lock != 1))
		return false;
	l->__data.__owner = 0;
	l->__data.__nusers--;
	l->__data.__lock = 0;
	return true;
}

/* Lock a plain, free mutex. False: not done. */
static inline bool plain_mutex_lock(pthread_mutex_t *l)
{
	int none = 0, tid = plain_mutex_tid;

	if (unlikely(l->__data.__kind != 0 || !tid) ||
	    !__atomic_compare_exchange_n(&l->__data.__lock, &none, 1, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		return false;
	l->__data.__owner = tid;
	l->__data.__nusers++;
	return true;
}

/* After plain_mutex_lock() has returned false: was it because a plain mutex was locked? */
static inline bool plain_mutex_was_busy(const pthread_mutex_t *l)
{
	return l->__data.__kind == 0 && plain_mutex_tid;
}

/*
 * Wait for a mutex for which plain_mutex_was_busy() is true, and lock it. libc would try once more
 * first, which disturbs the owner. errno may change.
 */
void plain_mutex_wait(pthread_mutex_t *l);

enum plain_mutex_result {
	PLAIN_MUTEX_RELEASED,
	/* still locked, without an owner: call plain_mutex_release_and_wake() */
	PLAIN_MUTEX_HAS_WAITERS,
	/* not a plain mutex: nothing was done */
	PLAIN_MUTEX_OTHER_KIND,
};

/*
 * Unlock a plain mutex without waiters. If it has waiters, its word changes from 2 to 1, which
 * other threads still see as locked.
 */
static inline enum plain_mutex_result plain_mutex_unlock(pthread_mutex_t *l)
{
	if (unlikely(l->__data.__kind != 0))
		return PLAIN_MUTEX_OTHER_KIND;
	l->__data.__owner = 0;
	l->__data.__nusers--;
	if (likely(__atomic_sub_fetch(&l->__data.__lock, 1, __ATOMIC_RELEASE) == 0))
		return PLAIN_MUTEX_RELEASED;
	return PLAIN_MUTEX_HAS_WAITERS;
}

/*
 * Unlock and wake one waiter. The mutex may be destroyed as soon as it is free. errno is preserved.
 */
void plain_mutex_release_and_wake(pthread_mutex_t *l);

#endif

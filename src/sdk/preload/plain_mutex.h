/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_PRELOAD_PLAIN_MUTEX_H
#define VARVE_SDK_PRELOAD_PLAIN_MUTEX_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/single_threaded.h>

#include "base/base.h"

/*
 * The plain mutex of glibc, taken and given back while nobody waits for it, here instead of in libc: standing in front of
 * pthread_mutex_lock() then costs nothing, on or off. A mutex of another kind (recursive, error checking, adaptive, robust, with
 * priorities, shared between processes, elided), or one that somebody waits for, is libc's business.
 *
 * The words of the structure are in <pthread.h>: `lock` is 0 when free, 1 when taken, 2 when taken and awaited; `owner` is
 * the thread's id, `nusers` 1 while it is taken. A test of libc's own functions at start (plain_mutex.c) must find
 * exactly this, or all of it stays off.
 */

/* This thread's id; 0: not met yet, or libc's mutexes are not as we know them. */
extern __thread int plain_mutex_tid __attribute__((tls_model("initial-exec")));

/* Note the thread's id. Hook-safe. */
void plain_mutex_meet(void);

/* Take it if it is plain and free. Libc, too, does without the locked instruction while there is one thread. */
static inline bool plain_mutex_lock(pthread_mutex_t *l)
{
	int none = 0, tid = plain_mutex_tid;

	if (unlikely(l->__data.__kind != 0 || !tid))
		return false;
	if (__libc_single_threaded && l->__data.__lock == 0)
		l->__data.__lock = 1;
	else if (!__atomic_compare_exchange_n(&l->__data.__lock, &none, 1, false, __ATOMIC_ACQUIRE,
					      __ATOMIC_RELAXED))
		return false;
	l->__data.__owner = tid;
	l->__data.__nusers++;
	return true;
}

/* Give it back if it is plain and nobody waits. */
static inline bool plain_mutex_unlock(pthread_mutex_t *l)
{
	int taken = 1, tid = plain_mutex_tid, owner;

	if (unlikely(l->__data.__kind != 0 || !tid || l->__data.__lock != 1))
		return false;
	owner = l->__data.__owner;
	l->__data.__owner = 0;
	l->__data.__nusers--;
	if (__libc_single_threaded) {
		l->__data.__lock = 0;
		return true;
	}
	if (likely(__atomic_compare_exchange_n(&l->__data.__lock, &taken, 0, false,
					       __ATOMIC_RELEASE, __ATOMIC_RELAXED)))
		return true;
	l->__data.__owner = owner; /* somebody has come meanwhile; it is still ours */
	l->__data.__nusers++;
	return false;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_PRELOAD_PLAIN_MUTEX_H
#define VARVE_SDK_PRELOAD_PLAIN_MUTEX_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/single_threaded.h>

#include "base/base.h"

/*
 * The plain mutex of glibc, taken here instead of in libc where that is quicker or tells more: in a program of one thread, where a call
 * through us would be felt (with several, the locked instructions take all the time there is), and while waits are
 * recorded, where taking it is also the question whether it is free. A mutex of another kind (recursive, error checking, adaptive, robust, with
 * priorities, shared between processes, elided), or one that somebody waits for, is libc's business.
 *
 * The words of the structure are in <pthread.h>: `lock` is 0 when free, 1 when taken, 2 when taken and awaited; `owner` is
 * the thread's id, `nusers` 1 while it is taken. A test of libc's own functions at start (plain_mutex.c) must find
 * exactly this, or all of it stays off.
 */

/* This thread's id; 0: not met yet, or libc's mutexes are not as we know them. */
extern __thread int plain_mutex_tid __attribute__((tls_model("initial-exec")));

/* Are libc's mutexes as we know them? Without that plain_mutex_unlock() is not to be called. */
bool plain_mutex_known(void);

/* Note the thread's id. Hook-safe. */
void plain_mutex_meet(void);

/* In a program of one thread: take it if it is plain and free. Libc, too, does without the locked instruction then. */
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

static inline bool plain_mutex_unlock_alone(pthread_mutex_t *l)
{
	if (unlikely(!__libc_single_threaded || l->__data.__kind != 0 || l->__data.__lock != 1))
		return false;
	l->__data.__owner = 0;
	l->__data.__nusers--;
	l->__data.__lock = 0;
	return true;
}

/* Take it if it is plain and free. */
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

/* When plain_mutex_lock() has said no: because it was taken? */
static inline bool plain_mutex_tried(const pthread_mutex_t *l)
{
	return l->__data.__kind == 0 && plain_mutex_tid;
}

/* Wait for one that plain_mutex_tried(), and take it: as libc does, which would try once more, and bother who has it. errno may change. */
void plain_mutex_wait(pthread_mutex_t *l);

enum plain_mutex_given {
	PLAIN_MUTEX_GIVEN,
	PLAIN_MUTEX_AWAITED, /* still taken, without an owner: plain_mutex_give_awaited() is to follow */
	PLAIN_MUTEX_OTHER, /* it is of another kind, and nothing has happened */
};

/* Give it back if it is plain and nobody waits for it. One that is awaited (2) is 1 then, which those who come take for what it is: taken. */
static inline enum plain_mutex_given plain_mutex_unlock(pthread_mutex_t *l)
{
	if (unlikely(l->__data.__kind != 0))
		return PLAIN_MUTEX_OTHER;
	l->__data.__owner = 0;
	l->__data.__nusers--;
	if (likely(__atomic_sub_fetch(&l->__data.__lock, 1, __ATOMIC_RELEASE) == 0))
		return PLAIN_MUTEX_GIVEN;
	return PLAIN_MUTEX_AWAITED;
}

/* Give it back and wake one that waits. errno stays: the mutex may be gone as soon as it is free. */
void plain_mutex_give_awaited(pthread_mutex_t *l);

#endif

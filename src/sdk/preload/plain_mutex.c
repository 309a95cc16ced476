/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plain mutexes: the slow paths, and the test at start whether libc's mutexes have the expected
 * layout.
 */
#include "sdk/preload/plain_mutex.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sdk/preload/real.h"

__thread int plain_mutex_tid __attribute__((tls_model("initial-exec")));
static _Atomic bool layout_matches;

bool plain_mutex_known(void)
{
	return atomic_load_explicit(&layout_matches, memory_order_relaxed);
}

void plain_mutex_note_thread(void)
{
	int saved_errno = errno;

	if (unlikely(!plain_mutex_tid) &&
	    atomic_load_explicit(&layout_matches, memory_order_relaxed))
		plain_mutex_tid = (int)syscall(SYS_gettid);
	errno = saved_errno;
}

void plain_mutex_wait(pthread_mutex_t *l)
{
	int *word = &l->__data.__lock;

	/*
	 * 2 makes the unlocking thread wake a waiter. It stays 2 once we hold the lock, because
	 * others may wait too.
	 */
	while (__atomic_load_n(word, __ATOMIC_RELAXED) == 2 ||
	       __atomic_exchange_n(word, 2, __ATOMIC_ACQUIRE) != 0)
		syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
	l->__data.__owner = plain_mutex_tid;
	l->__data.__nusers++;
}

void plain_mutex_release_and_wake(pthread_mutex_t *l)
{
	int saved_errno = errno, *word = &l->__data.__lock;

	__atomic_store_n(word, 0, __ATOMIC_RELEASE);
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	errno = saved_errno;
}

static bool is_free(const pthread_mutex_t *l)
{
	static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;

	/* compare every byte: fields that we do not know must be unchanged too */
	/* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison) */
	return memcmp(l, &fresh, sizeof(fresh)) == 0;
}

/* Does libc write the expected values to a mutex, and accept what we write? */
static bool test_layout(int tid)
{
	pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
	bool right;

	if (real.pthread_mutex_lock(&l))
		return false;
	right = l.__data.__lock == 1 && l.__data.__owner == tid && l.__data.__nusers == 1 &&
		l.__data.__kind == 0 && l.__data.__count == 0;
	right = !real.pthread_mutex_unlock(&l) && is_free(&l) && right;
	if (!right)
		return false;
	plain_mutex_tid = tid;
	right = plain_mutex_lock(&l) && real.pthread_mutex_trylock(&l) == EBUSY &&
		!real.pthread_mutex_unlock(&l) && is_free(&l);
	right = right && !real.pthread_mutex_lock(&l) &&
		plain_mutex_unlock(&l) == PLAIN_MUTEX_RELEASED && is_free(&l);
	return right;
}

static void renew_tid_in_child(void)
{
	if (plain_mutex_tid)
		plain_mutex_tid = (int)syscall(SYS_gettid);
}

__attribute__((constructor(102))) static void init_plain_mutex(void)
{
	bool works = test_layout((int)syscall(SYS_gettid)) &&
		     !pthread_atfork(NULL, NULL, renew_tid_in_child);

	if (!works)
		plain_mutex_tid = 0;
	atomic_store(&layout_matches, works);
}

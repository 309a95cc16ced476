/* SPDX-License-Identifier: Apache-2.0 */
#include "sdk/preload/plain_mutex.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sdk/preload/real.h"

__thread int plain_mutex_tid __attribute__((tls_model("initial-exec")));
static _Atomic bool known;

bool plain_mutex_known(void)
{
	return atomic_load_explicit(&known, memory_order_relaxed);
}

void plain_mutex_meet(void)
{
	int saved_errno = errno;

	if (unlikely(!plain_mutex_tid) && atomic_load_explicit(&known, memory_order_relaxed))
		plain_mutex_tid = (int)syscall(SYS_gettid);
	errno = saved_errno;
}

void plain_mutex_wait(pthread_mutex_t *l)
{
	int *word = &l->__data.__lock;

	/* 2 before we sleep: who unlocks is to wake us. It stays 2 when we have it, since others may sleep too. */
	while (__atomic_load_n(word, __ATOMIC_RELAXED) == 2 ||
	       __atomic_exchange_n(word, 2, __ATOMIC_ACQUIRE) != 0)
		syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
	l->__data.__owner = plain_mutex_tid;
	l->__data.__nusers++;
}

void plain_mutex_give_awaited(pthread_mutex_t *l)
{
	int saved_errno = errno, *word = &l->__data.__lock;

	__atomic_store_n(word, 0, __ATOMIC_RELEASE);
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	errno = saved_errno;
}

static bool is_free(const pthread_mutex_t *l)
{
	static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;

	/* every byte of it: what we do not know of is to be as it was */
	/* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison) */
	return memcmp(l, &fresh, sizeof(fresh)) == 0;
}

/* Does libc write what we expect, and accept what we write? */
static bool works_as_known(int tid)
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
		plain_mutex_unlock(&l) == PLAIN_MUTEX_GIVEN && is_free(&l);
	return right;
}

static void forked(void)
{
	if (plain_mutex_tid)
		plain_mutex_tid = (int)syscall(SYS_gettid);
}

__attribute__((constructor(102))) static void find_out(void)
{
	bool works =
		works_as_known((int)syscall(SYS_gettid)) && !pthread_atfork(NULL, NULL, forked);

	if (!works)
		plain_mutex_tid = 0;
	atomic_store(&known, works);
}

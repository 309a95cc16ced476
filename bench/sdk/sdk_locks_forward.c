/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library that interposes mutex functions and only calls the real ones: the lower bound of the
 * cost of such libraries.
 */
#include <dlfcn.h>
#include <pthread.h>

static int (*real_lock)(pthread_mutex_t *), (*real_unlock)(pthread_mutex_t *);

__attribute__((constructor(101))) static void find(void)
{
	real_lock = (int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT, "pthread_mutex_lock");
	real_unlock = (int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT, "pthread_mutex_unlock");
}

/* NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): libc has other names */
int pthread_mutex_lock(pthread_mutex_t *l)
{
	return real_lock(l);
}

/* NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name) */
int pthread_mutex_unlock(pthread_mutex_t *l)
{
	return real_unlock(l);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The least that a library in front of a mutex can do: call the real function. What it costs is what no such library can do without. */
#include <dlfcn.h>
#include <pthread.h>

static int (*real_lock)(pthread_mutex_t *), (*real_unlock)(pthread_mutex_t *);

__attribute__((constructor(101))) static void find(void)
{
	real_lock = (int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT, "pthread_mutex_lock");
	real_unlock = (int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT, "pthread_mutex_unlock");
}

/* NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): libc's names begin with underscores */
int pthread_mutex_lock(pthread_mutex_t *l)
{
	return real_lock(l);
}

/* NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name) */
int pthread_mutex_unlock(pthread_mutex_t *l)
{
	return real_unlock(l);
}

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_PRELOAD_REAL_H
#define VARVE_SDK_PRELOAD_REAL_H

#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <sys/mman.h>
#include <time.h>

#include "base/base.h"

/*
 * The real functions behind those that libvarve.so interposes: the next definition of each, in libc
 * or an allocator. Each pointer is always valid: initially it points to a function that looks all
 * of them up, so hooks need no check. They are looked up once, in a constructor or at the first
 * call, whichever comes first.
 *
 * Each list: X(result, name, parameters, arguments).
 */
#define REAL_ALLOCATORS(X)                                                                         \
	X(void *, malloc, (size_t size), (size))                                                   \
	X(void *, calloc, (size_t count, size_t size), (count, size))                              \
	X(void *, realloc, (void *p, size_t size), (p, size))                                      \
	X(void, free, (void *p), (p))                                                              \
	X(int, posix_memalign, (void **out, size_t alignment, size_t size),                        \
	  (out, alignment, size))                                                                  \
	X(void *, aligned_alloc, (size_t alignment, size_t size), (alignment, size))               \
	X(void *, memalign, (size_t alignment, size_t size), (alignment, size))                    \
	X(void *, valloc, (size_t size), (size))                                                   \
	X(void *, pvalloc, (size_t size), (size))

#define REAL_MAPS(X)                                                                               \
	X(void *, mmap, (void *at, size_t size, int protection, int flags, int fd, off_t offset),  \
	  (at, size, protection, flags, fd, offset))                                               \
	X(int, munmap, (void *at, size_t size), (at, size))                                        \
	X(void *, mremap, (void *at, size_t size, size_t new_size, int flags, void *new_at),       \
	  (at, size, new_size, flags, new_at))

#define REAL_LOCKS(X)                                                                              \
	X(int, pthread_mutex_lock, (pthread_mutex_t * l), (l))                                     \
	X(int, pthread_mutex_trylock, (pthread_mutex_t * l), (l))                                  \
	X(int, pthread_mutex_timedlock, (pthread_mutex_t * l, const struct timespec *until),       \
	  (l, until))                                                                              \
	X(int, pthread_mutex_clocklock,                                                            \
	  (pthread_mutex_t * l, clockid_t clock, const struct timespec *until), (l, clock, until)) \
	X(int, pthread_mutex_unlock, (pthread_mutex_t * l), (l))                                   \
	X(int, pthread_rwlock_rdlock, (pthread_rwlock_t * l), (l))                                 \
	X(int, pthread_rwlock_tryrdlock, (pthread_rwlock_t * l), (l))                              \
	X(int, pthread_rwlock_timedrdlock, (pthread_rwlock_t * l, const struct timespec *until),   \
	  (l, until))                                                                              \
	X(int, pthread_rwlock_clockrdlock,                                                         \
	  (pthread_rwlock_t * l, clockid_t clock, const struct timespec *until),                   \
	  (l, clock, until))                                                                       \
	X(int, pthread_rwlock_wrlock, (pthread_rwlock_t * l), (l))                                 \
	X(int, pthread_rwlock_trywrlock, (pthread_rwlock_t * l), (l))                              \
	X(int, pthread_rwlock_timedwrlock, (pthread_rwlock_t * l, const struct timespec *until),   \
	  (l, until))                                                                              \
	X(int, pthread_rwlock_clockwrlock,                                                         \
	  (pthread_rwlock_t * l, clockid_t clock, const struct timespec *until),                   \
	  (l, clock, until))                                                                       \
	X(int, pthread_rwlock_unlock, (pthread_rwlock_t * l), (l))                                 \
	X(int, pthread_spin_lock, (pthread_spinlock_t * l), (l))                                   \
	X(int, pthread_spin_trylock, (pthread_spinlock_t * l), (l))                                \
	X(int, pthread_spin_unlock, (pthread_spinlock_t * l), (l))                                 \
	X(int, pthread_cond_wait, (pthread_cond_t * c, pthread_mutex_t * l), (c, l))               \
	X(int, pthread_cond_timedwait,                                                             \
	  (pthread_cond_t * c, pthread_mutex_t * l, const struct timespec *until), (c, l, until))  \
	X(int, pthread_cond_clockwait,                                                             \
	  (pthread_cond_t * c, pthread_mutex_t * l, clockid_t clock,                               \
	   const struct timespec *until),                                                          \
	  (c, l, clock, until))                                                                    \
	X(int, sem_wait, (sem_t * s), (s))                                                         \
	X(int, sem_timedwait, (sem_t * s, const struct timespec *until), (s, until))               \
	X(int, sem_clockwait, (sem_t * s, clockid_t clock, const struct timespec *until),          \
	  (s, clock, until))                                                                       \
	X(int, pthread_barrier_wait, (pthread_barrier_t * b), (b))                                 \
	X(int, pthread_join, (pthread_t thread, void **result), (thread, result))

#define REAL_FIELD(result, name, parameters, arguments) result(*name) parameters;
struct real_functions {
	REAL_ALLOCATORS(REAL_FIELD)
	REAL_MAPS(REAL_FIELD)
	REAL_LOCKS(REAL_FIELD)
};
#undef REAL_FIELD
extern struct real_functions real __attribute__((visibility("hidden")));

/* Look up all functions. Does nothing in a call from inside the lookup. */
void real_find(void);

/*
 * Return the next definition of a function, also of a C++ runtime loaded by dlopen(); NULL: none.
 */
void *real_lookup(const char *name);

/*
 * Is `p` a block of the early allocator, which serves dlsym() during the lookup, and how large is
 * it? Such blocks are never freed. They are in the heap's filters, so free() and realloc() check
 * for them.
 */
bool real_is_early(const void *p);
size_t real_early_size(const void *p);

#endif

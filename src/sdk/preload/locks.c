/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interposed locks and other functions that wait. While nothing is recorded they call libc's.
 * Otherwise a lock is tried first, and the wait is measured only if the lock is busy. All other
 * results of the try (a dead owner, a priority ceiling, ...) are also results of the lock function
 * and are returned.
 *
 * Functions that wait for something else (conditions, semaphores, barriers, threads) are measured
 * whenever they may wait. Most are cancellation points: the thread may never return from them, so
 * nothing is held meanwhile.
 */
#include <errno.h>

#include "sdk/hook/lock.h"
#include "sdk/preload/plain_mutex.h"
#include "sdk/preload/real.h"
#include "varve/varve.h"

#define CALLER __builtin_return_address(0)

/* Measure the expression `call`, which returns 0 when its wait succeeds. */
#define MEASURED(lock, call)                                                                       \
	({                                                                                         \
		struct lock_wait wait_;                                                            \
		int rc_;                                                                           \
                                                                                                   \
		lock_wait_begin(&wait_, lock);                                                     \
		rc_ = (call);                                                                      \
		lock_wait_end(&wait_, rc_ == 0, CALLER);                                           \
		rc_;                                                                               \
	})

/* Take a lock by the expression that tries it and, if it is busy, the one that waits for it. */
#define TRY_THEN(lock, try, call)                                                                  \
	({                                                                                         \
		int tried_ = (try);                                                                \
                                                                                                   \
		tried_ == EBUSY ? MEASURED(lock, call) : tried_;                                   \
	})

/* -- mutexes ----------------------------------------------------------------------------------- */

static NO_INLINE int lock_busy(pthread_mutex_t *l, const void *caller)
{
	struct lock_wait wait;
	int rc;

	lock_wait_begin(&wait, l);
	rc = real.pthread_mutex_lock(l);
	lock_wait_end(&wait, rc == 0 || rc == EOWNERDEAD, caller);
	return rc;
}

/* Wait for a plain mutex that was just busy. */
static NO_INLINE int lock_busy_plain(pthread_mutex_t *l, const void *caller)
{
	struct lock_wait wait;
	int saved_errno = errno;

	lock_wait_begin(&wait, l);
	plain_mutex_wait(l);
	lock_wait_end(&wait, true, caller);
	errno = saved_errno;
	return 0;
}

static NO_INLINE int lock_mutex(pthread_mutex_t *l, const void *caller)
{
	int rc;

	plain_mutex_note_thread();
	if (!lock_wanted())
		return real.pthread_mutex_lock(l);
	rc = real.pthread_mutex_trylock(l);
	return rc == EBUSY ? lock_busy(l, caller) : rc;
}

VARVE_API int pthread_mutex_timedlock(pthread_mutex_t *restrict l,
				      const struct timespec *restrict until)
{
	if (!lock_wanted())
		return real.pthread_mutex_timedlock(l, until);
	return TRY_THEN(l, real.pthread_mutex_trylock(l), real.pthread_mutex_timedlock(l, until));
}

VARVE_API int pthread_mutex_clocklock(pthread_mutex_t *restrict l, clockid_t clock,
				      const struct timespec *restrict until)
{
	if (!lock_wanted())
		return real.pthread_mutex_clocklock(l, clock, until);
	return TRY_THEN(l, real.pthread_mutex_trylock(l),
			real.pthread_mutex_clocklock(l, clock, until));
}

static NO_INLINE int unlock_mutex(pthread_mutex_t *l, const void *caller)
{
	if (lock_wanted())
		lock_unlocking(l, caller);
	return real.pthread_mutex_unlock(l);
}

/*
 * The current implementations of lock and unlock; choosing one at each call would be measurably
 * slower.
 * - Nothing is profiled: libc's; *_alone while the process has one thread.
 * - Anything is profiled: *_recorded, if plain_mutex_known(). They record waits if that is enabled.
 *   Without it they are still faster
 *   than libc's, which offsets a part of what the library's thread costs a single-threaded program.
 * - Waits are recorded and mutexes have another layout: lock_recorded and unlock_unknown.
 */
typedef int mutex_call(pthread_mutex_t *l);
static mutex_call lock_alone, unlock_alone, lock_recorded, unlock_recorded, unlock_unknown;
static _Atomic(mutex_call *) current_lock = lock_alone, current_unlock = unlock_alone;
static _Atomic bool ready; /* the real functions have been looked up */

static void choose_functions(void)
{
	mutex_call *to_lock = real.pthread_mutex_lock, *to_unlock = real.pthread_mutex_unlock;

	if (!atomic_load_explicit(&ready, memory_order_acquire))
		return;
	if (guest_on() && plain_mutex_known()) {
		to_lock = lock_recorded;
		to_unlock = unlock_recorded;
	} else if (lock_on()) {
		to_lock = lock_recorded;
		to_unlock = unlock_unknown;
	} else if (__libc_single_threaded) {
		to_lock = lock_alone;
		to_unlock = unlock_alone;
	}
	atomic_store_explicit(&current_lock, to_lock, memory_order_relaxed);
	atomic_store_explicit(&current_unlock, to_unlock, memory_order_relaxed);
}

__attribute__((constructor(103))) static void make_ready(void)
{
	real_find();
	atomic_store_explicit(&ready, true, memory_order_release);
	lock_config_changed = choose_functions;
	choose_functions();
}

VARVE_API int pthread_mutex_lock(pthread_mutex_t *l)
{
	return atomic_load_explicit(&current_lock, memory_order_relaxed)(l);
}

VARVE_API int pthread_mutex_unlock(pthread_mutex_t *l)
{
	return atomic_load_explicit(&current_unlock, memory_order_relaxed)(l);
}

static int lock_alone(pthread_mutex_t *l)
{
	if (likely(plain_mutex_lock_alone(l)))
		return 0;
	choose_functions();
	return lock_mutex(l, CALLER);
}

static int unlock_alone(pthread_mutex_t *l)
{
	if (likely(plain_mutex_unlock_alone(l)))
		return 0;
	choose_functions();
	return unlock_mutex(l, CALLER);
}

static int lock_recorded(pthread_mutex_t *l)
{
	if (likely(plain_mutex_lock(l)))
		return 0;
	if (plain_mutex_was_busy(l) && lock_wanted())
		return lock_busy_plain(l, CALLER);
	return lock_mutex(l, CALLER);
}

static NO_INLINE int unlock_awaited(pthread_mutex_t *l, const void *caller)
{
	if (lock_wanted())
		lock_unlocking(l, caller);
	plain_mutex_release_and_wake(l);
	return 0;
}

static int unlock_recorded(pthread_mutex_t *l)
{
	enum plain_mutex_result result = plain_mutex_unlock(l);

	if (likely(result == PLAIN_MUTEX_RELEASED))
		return 0;
	return result == PLAIN_MUTEX_HAS_WAITERS ? unlock_awaited(l, CALLER)
						 : unlock_mutex(l, CALLER);
}

static int unlock_unknown(pthread_mutex_t *l)
{
	return unlock_mutex(l, CALLER);
}

/* -- read-write locks -------------------------------------------------------------------------- */

VARVE_API int pthread_rwlock_rdlock(pthread_rwlock_t *l)
{
	if (!lock_wanted())
		return real.pthread_rwlock_rdlock(l);
	return TRY_THEN(l, real.pthread_rwlock_tryrdlock(l), real.pthread_rwlock_rdlock(l));
}

VARVE_API int pthread_rwlock_timedrdlock(pthread_rwlock_t *restrict l,
					 const struct timespec *restrict until)
{
	if (!lock_wanted())
		return real.pthread_rwlock_timedrdlock(l, until);
	return TRY_THEN(l, real.pthread_rwlock_tryrdlock(l),
			real.pthread_rwlock_timedrdlock(l, until));
}

VARVE_API int pthread_rwlock_clockrdlock(pthread_rwlock_t *restrict l, clockid_t clock,
					 const struct timespec *restrict until)
{
	if (!lock_wanted())
		return real.pthread_rwlock_clockrdlock(l, clock, until);
	return TRY_THEN(l, real.pthread_rwlock_tryrdlock(l),
			real.pthread_rwlock_clockrdlock(l, clock, until));
}

VARVE_API int pthread_rwlock_wrlock(pthread_rwlock_t *l)
{
	if (!lock_wanted())
		return real.pthread_rwlock_wrlock(l);
	return TRY_THEN(l, real.pthread_rwlock_trywrlock(l), real.pthread_rwlock_wrlock(l));
}

VARVE_API int pthread_rwlock_timedwrlock(pthread_rwlock_t *restrict l,
					 const struct timespec *restrict until)
{
	if (!lock_wanted())
		return real.pthread_rwlock_timedwrlock(l, until);
	return TRY_THEN(l, real.pthread_rwlock_trywrlock(l),
			real.pthread_rwlock_timedwrlock(l, until));
}

VARVE_API int pthread_rwlock_clockwrlock(pthread_rwlock_t *restrict l, clockid_t clock,
					 const struct timespec *restrict until)
{
	if (!lock_wanted())
		return real.pthread_rwlock_clockwrlock(l, clock, until);
	return TRY_THEN(l, real.pthread_rwlock_trywrlock(l),
			real.pthread_rwlock_clockwrlock(l, clock, until));
}

VARVE_API int pthread_rwlock_unlock(pthread_rwlock_t *l)
{
	if (lock_wanted())
		lock_unlocking(l, CALLER);
	return real.pthread_rwlock_unlock(l);
}

/* -- spin locks -------------------------------------------------------------------------------- */

VARVE_API int pthread_spin_lock(pthread_spinlock_t *l)
{
	if (!lock_wanted())
		return real.pthread_spin_lock(l);
	return TRY_THEN((const void *)l, real.pthread_spin_trylock(l), real.pthread_spin_lock(l));
}

VARVE_API int pthread_spin_unlock(pthread_spinlock_t *l)
{
	if (lock_wanted())
		lock_unlocking((const void *)l, CALLER);
	return real.pthread_spin_unlock(l);
}

/* -- conditions: a wait unlocks the mutex ------------------------------------------------------ */

VARVE_API int pthread_cond_wait(pthread_cond_t *restrict c, pthread_mutex_t *restrict l)
{
	if (!lock_wanted())
		return real.pthread_cond_wait(c, l);
	lock_unlocking(l, CALLER);
	return MEASURED(NULL, real.pthread_cond_wait(c, l));
}

VARVE_API int pthread_cond_timedwait(pthread_cond_t *restrict c, pthread_mutex_t *restrict l,
				     const struct timespec *restrict until)
{
	if (!lock_wanted())
		return real.pthread_cond_timedwait(c, l, until);
	lock_unlocking(l, CALLER);
	return MEASURED(NULL, real.pthread_cond_timedwait(c, l, until));
}

VARVE_API int pthread_cond_clockwait(pthread_cond_t *restrict c, pthread_mutex_t *restrict l,
				     clockid_t clock, const struct timespec *restrict until)
{
	if (!lock_wanted())
		return real.pthread_cond_clockwait(c, l, clock, until);
	lock_unlocking(l, CALLER);
	return MEASURED(NULL, real.pthread_cond_clockwait(c, l, clock, until));
}

/* -- semaphores: read the value, because sem_trywait() is no cancellation point ---------------- */

static bool may_wait(sem_t *s)
{
	int value = 0;

	return lock_wanted() && (sem_getvalue(s, &value) || value <= 0);
}

VARVE_API int sem_wait(sem_t *s)
{
	if (!may_wait(s))
		return real.sem_wait(s);
	return MEASURED(NULL, real.sem_wait(s));
}

VARVE_API int sem_timedwait(sem_t *restrict s, const struct timespec *restrict until)
{
	if (!may_wait(s))
		return real.sem_timedwait(s, until);
	return MEASURED(NULL, real.sem_timedwait(s, until));
}

VARVE_API int sem_clockwait(sem_t *restrict s, clockid_t clock,
			    const struct timespec *restrict until)
{
	if (!may_wait(s))
		return real.sem_clockwait(s, clock, until);
	return MEASURED(NULL, real.sem_clockwait(s, clock, until));
}

/* -- barriers and threads ---------------------------------------------------------------------- */

VARVE_API int pthread_barrier_wait(pthread_barrier_t *b)
{
	if (!lock_wanted())
		return real.pthread_barrier_wait(b);
	return MEASURED(NULL, real.pthread_barrier_wait(b));
}

VARVE_API int pthread_join(pthread_t thread, void **result)
{
	if (!lock_wanted())
		return real.pthread_join(thread, result);
	return MEASURED(NULL, real.pthread_join(thread, result));
}

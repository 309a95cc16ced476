/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_HOOK_LOCK_H
#define VARVE_SDK_HOOK_LOCK_H

#include <stdatomic.h>

#include "base/base.h"
#include "sdk/hook/guest.h"
#include "varve/varve.h"

/*
 * Lock profiling. The **block** profile has the stacks of threads that waited, the **mutex**
 * profile the stacks of threads that unlocked what others waited for. Both count waits and
 * nanoseconds.
 *
 * Waits are sampled by length: a wait of at least the interval is always recorded, a shorter one of
 * d nanoseconds with probability d / interval, and then stands for interval / d waits of interval
 * nanoseconds together, so sums are unbiased. While more than about 2000 waits a second are
 * recorded, the interval doubles.
 *
 * The waiting thread draws its random threshold before it waits, so it knows from what time on its
 * wait will be recorded. For the mutex profile it registers this deadline in a **slot**, chosen by
 * the lock's address. The unlocking thread checks the slot (one load when no thread waits) and
 * publishes its stack there if the deadline has passed; the waiter reads it when it has the lock.
 * Thus waits that are not recorded cost nothing more, and a recorded one costs one stack walk by
 * the unlocking thread.
 *
 * Registration slows both sides down: the slot's cache line moves between CPUs, and the unlocking
 * thread reads the clock and walks its stack with the lock held. That would be noticeable for a
 * lock that is held for a microsecond and always contended. So of the waits at a busy slot only one
 * in 2^n, chosen at random, registers, and it counts for 2^n waits in the mutex profile. The block
 * profile draws its own threshold and needs no slot.
 */

enum { LOCK_SLOTS = 512 };

/*
 * A rate limit: while events are too frequent, only one in 2^halvings takes place. Written by any
 * thread that notices; a lost update does no harm.
 */
struct lock_rate {
	_Atomic uint64_t window_ns;
	_Atomic uint32_t events, halvings;
};

/* One cache line each, so that waiters of one lock do not disturb those of another. */
struct lock_slot {
	/* address of the lock that the registered waiter waits for */
	_Alignas(64) _Atomic uintptr_t lock;
	/* the waiter is recorded if it still waits at this time; 0: no waiter */
	_Atomic uint64_t deadline;
	/* when a stack was published here */
	_Atomic uint64_t published_ns;
	_Atomic uint32_t stack;
	/* time taken to publish it, by which the profiler prolonged the wait */
	_Atomic uint32_t overhead_ns;
	struct lock_rate rate; /* of registrations */
};
extern struct lock_slot lock_slots[LOCK_SLOTS];

static inline struct lock_slot *lock_slot_of(const void *lock)
{
	uint64_t hash = (uintptr_t)lock * UINT64_C(0x9E3779B97F4A7C15);

	return &lock_slots[hash >> 55];
}

/* Are waits recorded now? Hook-safe, like all functions below. */
static inline bool lock_on(void)
{
	return unlikely(guest_on() & (VARVE_MUTEX | VARVE_BLOCK));
}

/* Are waits of this thread recorded now? */
static inline bool lock_wanted(void)
{
	return lock_on() && !guest_own;
}

/*
 * A wait is recorded if it lasts `min_ns`. If it is shorter than the interval it stands for
 * interval / length waits. Each of these counts 2^halvings times.
 */
struct lock_threshold {
	uint64_t interval_ns, min_ns;
	uint32_t halvings;
};

struct lock_wait {
	/*
	 * the lock in whose slot the wait is registered; NULL: not registered, or there is no
	 * unlocking thread (a condition, a semaphore, a thread)
	 */
	const void *lock;
	uint64_t began_ns;
	struct lock_threshold block, mutex;
};

/*
 * Begin a wait, after a try has failed. The thread is not inside a hook during the wait, because it
 * may be cancelled.
 */
void lock_wait_begin(struct lock_wait *w, const void *lock);

/*
 * End a wait. `unlocked`: it did not time out. `caller`: the return address of the interposed
 * function.
 */
void lock_wait_end(const struct lock_wait *w, bool unlocked, const void *caller);

/*
 * Called before `lock` is unlocked: publish this thread's stack if a registered waiter will be
 * recorded.
 */
void lock_publish_stack(const void *lock, const void *caller);
static inline void lock_unlocking(const void *lock, const void *caller)
{
	if (unlikely(atomic_load_explicit(&lock_slot_of(lock)->deadline, memory_order_relaxed)))
		lock_publish_stack(lock, caller);
}

/*
 * Called when the set of recorded profiles has changed, so that sdk/preload/ can switch its
 * functions. NULL: no function is interposed.
 */
extern void (*lock_config_changed)(void);

/* Clear all slots at a start: their stacks belong to an earlier one. */
void lock_start(void);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_HOOK_LOCK_H
#define VARVE_SDK_HOOK_LOCK_H

#include <stdatomic.h>

#include "base/base.h"
#include "sdk/hook/guest.h"
#include "varve/varve.h"

/*
 * Waiting for locks. The **block** profile has the stack of who waited, the **mutex** profile that of who unlocked what others waited
 * for; both count waits and nanoseconds.
 *
 * Which waits are recorded is decided by their length: one as long as the interval always is, a shorter one of d
 * nanoseconds with probability d / interval, and then stands for interval / d waits of interval nanoseconds together: sums are unbiased. When more
 * than a few thousand a second are recorded, the interval doubles until they are not.
 *
 * The waiter draws its lot before it waits, so it knows then: "I am recorded if I still wait at this time". It leaves that time at a
 * **post**, found by the lock's address. Who unlocks looks at the post (one load when nobody is there), and if the time
 * has come leaves its stack there, which the waiter takes along when it has the lock. Nothing is done for waits that are not
 * recorded, and one stack at most for each that is.
 *
 * Standing at a post costs both sides: its memory goes to and fro, and the clock is asked and a stack walked with the lock held. Who holds a lock for a microsecond and is waited for each
 * time would feel that, so of the waits at a post that sees many, only one in 2^n stands there, chosen by lot, and counts for as many in the mutex profile.
 * The block profile has its own lot, and asks nobody.
 */

enum { LOCK_POSTS = 512 };

/* How often something is halved, so that it does not happen too often. Written by whoever sees that it should be; a lost update does no harm. */
struct lock_pace {
	_Atomic uint64_t window_ns;
	_Atomic uint32_t events, halvings;
};

/* A cache line each: waiters of one lock do not disturb those of another. */
struct lock_post {
	_Alignas(64) _Atomic uintptr_t
		lock; /* whose; another lock of the same post comes too late */
	_Atomic uint64_t
		deadline;	  /* a waiter is recorded if it still waits then; 0: nobody waits */
	_Atomic uint64_t left_ns; /* when a stack was left here */
	_Atomic uint32_t stack;
	_Atomic uint32_t
		took_ns; /* to leave it: so much longer the wait was, and nobody's fault but ours */
	struct lock_pace pace; /* of those who stand here */
};
extern struct lock_post lock_posts[LOCK_POSTS];

static inline struct lock_post *lock_post_of(const void *lock)
{
	uint64_t hash = (uintptr_t)lock * UINT64_C(0x9E3779B97F4A7C15);

	return &lock_posts[hash >> 55];
}

/* Are waits recorded now? Hook-safe, as all below. */
static inline bool lock_on(void)
{
	return unlikely(guest_on() & (VARVE_MUTEX | VARVE_BLOCK));
}

/* The same, on this thread. */
static inline bool lock_wanted(void)
{
	return lock_on() && !guest_own;
}

/* Recorded if it lasts `least_ns`; then it stands for interval / length waits if it is shorter than the interval, each for 2^halvings. */
struct lock_lot {
	uint64_t interval_ns, least_ns;
	uint32_t halvings;
};

struct lock_wait {
	const void *
		lock; /* at whose post it stands; NULL: at none, or nobody unlocks it (a condition, a semaphore, a thread) */
	uint64_t began_ns;
	struct lock_lot block, mutex;
};

/* A wait begins: a try has just failed. Not inside of a hook while it lasts: the thread may be cancelled. */
void lock_wait_begin(struct lock_wait *w, const void *lock);

/* It ended; `unlocked`: because somebody unlocked (not by a timeout). `caller`: the interposed function's return address. */
void lock_wait_end(const struct lock_wait *w, bool unlocked, const void *caller);

/* Before `lock` is unlocked: does somebody wait who will be recorded? Then leave this stack for them. */
void lock_leave_stack(const void *lock, const void *caller);
static inline void lock_unlocking(const void *lock, const void *caller)
{
	if (unlikely(atomic_load_explicit(&lock_post_of(lock)->deadline, memory_order_relaxed)))
		lock_leave_stack(lock, caller);
}

/* Told when what is recorded has changed: the interposed functions then change too. NULL: nobody is interposed. */
extern void (*lock_switched)(void);

/* Forget all posts: the stacks there are those of another guest. */
void lock_start(void);

#endif

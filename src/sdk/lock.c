/* SPDX-License-Identifier: Apache-2.0 */
#include "sdk/lock.h"

#include <errno.h>

#include "base/clock.h"
#include "sdk/stacks.h"

enum {
	WINDOW_NS = 100000000,
	RECORDS_MOST = 200, /* in a window; over it the interval doubles */
	RECORDS_FEW = 50,   /* under it, it halves */
	DOUBLINGS_MAX = 24,
	WAKING_NS =
		50000, /* from the unlocking to the end of the wait, usually: who unlocks looks so far ahead */
};

struct lock_post lock_posts[LOCK_POSTS];
void (*lock_switched)(void);

/* How often the interval is doubled now. Written by whoever sees that it should be; a lost update does no harm. */
static struct {
	_Atomic uint64_t window_ns;
	_Atomic uint32_t records, doublings;
} pace;

static __thread uint64_t random_state __attribute__((tls_model("initial-exec")));

/* Uniform in [0, 1). xorshift*, as guest_random(), but for a thread that is not inside of a hook. */
static double next_random(uint64_t seed)
{
	uint64_t x = random_state;

	if (unlikely(!x))
		x = (seed ^ (uintptr_t)&random_state) * UINT64_C(0x9E3779B97F4A7C15) | 1;
	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	random_state = x;
	return (double)(x * UINT64_C(0x2545F4914F6CDD1D) >> 11) * 0x1p-53;
}

static uint64_t interval_now(void)
{
	uint64_t interval = atomic_load_explicit(&guest.block_interval_ns, memory_order_relaxed);

	return interval << atomic_load_explicit(&pace.doublings, memory_order_relaxed);
}

/* A wait is recorded at `now`. */
static void keep_pace(uint64_t now)
{
	uint32_t doublings = atomic_load_explicit(&pace.doublings, memory_order_relaxed);
	uint32_t records = atomic_fetch_add_explicit(&pace.records, 1, memory_order_relaxed) + 1;
	uint64_t windows =
		(now - atomic_load_explicit(&pace.window_ns, memory_order_relaxed)) / WINDOW_NS;

	if (records > RECORDS_MOST && doublings < DOUBLINGS_MAX)
		doublings++;
	else if (windows && records < RECORDS_FEW && doublings)
		doublings -= windows < doublings ? (uint32_t)windows : doublings;
	else if (!windows)
		return;
	atomic_store_explicit(&pace.doublings, doublings, memory_order_relaxed);
	atomic_store_explicit(&pace.records, 0, memory_order_relaxed);
	atomic_store_explicit(&pace.window_ns, now, memory_order_relaxed);
}

/* Stand at the post, unless somebody does whose time comes earlier. */
static void take_post(const struct lock_wait *w)
{
	struct lock_post *post = lock_post_of(w->lock);
	uint64_t deadline = w->began_ns + w->least_ns;
	uint64_t theirs = atomic_load_explicit(&post->deadline, memory_order_relaxed);

	if (theirs && theirs <= deadline)
		return;
	atomic_store_explicit(&post->lock, (uintptr_t)w->lock, memory_order_relaxed);
	atomic_store_explicit(&post->deadline, deadline, memory_order_release);
}

static void quit_post(const struct lock_wait *w)
{
	struct lock_post *post = lock_post_of(w->lock);
	uint64_t mine = w->began_ns + w->least_ns;

	if (atomic_load_explicit(&post->deadline, memory_order_relaxed) == mine)
		atomic_compare_exchange_strong_explicit(&post->deadline, &mine, 0,
							memory_order_relaxed, memory_order_relaxed);
}

NO_INLINE void lock_wait_begin(struct lock_wait *w, const void *lock)
{
	w->lock = guest_on() & VARVE_MUTEX ? lock : NULL;
	w->interval_ns = interval_now();
	w->began_ns = clock_monotonic_ns();
	w->least_ns = (uint64_t)(next_random(w->began_ns) * (double)w->interval_ns);
	if (w->lock)
		take_post(w);
}

/* The stack of who unlocked while we waited. */
static uint32_t stack_left(const struct lock_wait *w)
{
	struct lock_post *post = lock_post_of(w->lock);

	if (atomic_load_explicit(&post->left_ns, memory_order_acquire) < w->began_ns ||
	    atomic_load_explicit(&post->lock, memory_order_relaxed) != (uintptr_t)w->lock)
		return STACK_LOST;
	return atomic_load_explicit(&post->stack, memory_order_relaxed);
}

static void record_wait(const struct lock_wait *w, uint64_t waited, bool unlocked,
			const void *caller)
{
	struct guest_thread *t = guest_enter();
	int64_t value = (int64_t)waited, weight = 65536;
	uint32_t left;

	if (!t)
		return;
	if (waited < w->interval_ns) {
		value = (int64_t)w->interval_ns;
		weight = (int64_t)(65536 * ((double)w->interval_ns / (double)waited));
	}
	left = w->lock && unlocked ? stack_left(w) : STACK_NONE;
	if (left != STACK_NONE)
		guest_record(t, RECORD_MUTEX, left, value, weight);
	if (guest_on() & VARVE_BLOCK)
		guest_record(t, RECORD_BLOCK, guest_stack(t, NULL, caller), value, weight);
	guest_leave(t);
}

NO_INLINE void lock_wait_end(const struct lock_wait *w, bool unlocked, const void *caller)
{
	int saved_errno = errno;
	uint64_t now = clock_monotonic_ns(), waited = now - w->began_ns;

	if (waited >= w->least_ns && waited) {
		record_wait(w, waited, unlocked, caller);
		keep_pace(now);
	}
	if (w->lock)
		quit_post(w);
	errno = saved_errno;
}

NO_INLINE void lock_leave_stack(const void *lock, const void *caller)
{
	struct lock_post *post = lock_post_of(lock);
	uint64_t now, deadline = atomic_load_explicit(&post->deadline, memory_order_acquire);
	int saved_errno = errno;
	struct guest_thread *t;

	if (!deadline || guest_own ||
	    atomic_load_explicit(&post->lock, memory_order_relaxed) != (uintptr_t)lock)
		return;
	now = clock_monotonic_ns();
	if (now + WAKING_NS < deadline)
		return;
	t = guest_enter();
	if (t) {
		atomic_store_explicit(&post->stack, guest_stack(t, NULL, caller),
				      memory_order_relaxed);
		atomic_store_explicit(&post->left_ns, now, memory_order_release);
		guest_leave(t);
	}
	/* it is told, or cannot be */
	atomic_compare_exchange_strong_explicit(&post->deadline, &deadline, 0, memory_order_relaxed,
						memory_order_relaxed);
	errno = saved_errno;
}

void lock_start(void)
{
	for (unsigned i = 0; i < LOCK_POSTS; i++) {
		atomic_store(&lock_posts[i].deadline, 0);
		atomic_store(&lock_posts[i].left_ns, 0);
	}
	atomic_store(&pace.doublings, 0);
	atomic_store(&pace.records, 0);
	atomic_store(&pace.window_ns, clock_monotonic_ns());
}

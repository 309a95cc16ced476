/* SPDX-License-Identifier: Apache-2.0 */
#include "sdk/hook/lock.h"

#include <errno.h>

#include "base/clock.h"
#include "sdk/hook/stacks.h"

enum {
	WINDOW_NS = 100000000,
	HALVINGS_MAX = 24,
	POST_HALVINGS_MAX = 11, /* bits of a random number that the lot for lengths leaves */
	WAKING_NS =
		50000, /* from the unlocking to the end of the wait, usually: who unlocks looks so far ahead */
};

/* In a window: over `most` half of them, under `few` twice as many. */
struct limits {
	uint32_t most, few, halvings_max;
};
static const struct limits record_limits = {200, 50, HALVINGS_MAX};
static const struct limits post_limits = {100, 25, POST_HALVINGS_MAX};

struct lock_post lock_posts[LOCK_POSTS];
void (*lock_switched)(void);
static struct lock_pace block_pace, mutex_pace; /* of records */

static __thread uint64_t random_state __attribute__((tls_model("initial-exec")));

/* xorshift*, as guest_random(), but for a thread that is not inside of a hook. */
static uint64_t next_random(uint64_t seed)
{
	uint64_t x = random_state;

	if (unlikely(!x))
		x = (seed ^ (uintptr_t)&random_state) * UINT64_C(0x9E3779B97F4A7C15) | 1;
	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	random_state = x;
	return x * UINT64_C(0x2545F4914F6CDD1D);
}

static uint32_t halvings_of(const struct lock_pace *p)
{
	return atomic_load_explicit(&p->halvings, memory_order_relaxed);
}

static void set_pace(struct lock_pace *p, uint32_t halvings, uint64_t now)
{
	atomic_store_explicit(&p->halvings, halvings, memory_order_relaxed);
	atomic_store_explicit(&p->events, 0, memory_order_relaxed);
	atomic_store_explicit(&p->window_ns, now, memory_order_relaxed);
}

/* It has happened once more, at `now`. */
static void keep_pace(struct lock_pace *p, const struct limits *limits, uint64_t now)
{
	uint32_t halvings = halvings_of(p);
	uint32_t events = atomic_load_explicit(&p->events, memory_order_relaxed) + 1;
	uint64_t windows =
		(now - atomic_load_explicit(&p->window_ns, memory_order_relaxed)) / WINDOW_NS;

	if (events > limits->most && halvings < limits->halvings_max)
		halvings++;
	else if (windows && events < limits->few && halvings)
		halvings -= windows < halvings ? (uint32_t)windows : halvings;
	else if (!windows) {
		atomic_store_explicit(&p->events, events, memory_order_relaxed);
		return;
	}
	set_pace(p, halvings, now);
}

/* Stand at the post, unless somebody does whose time comes earlier. */
static void take_post(const struct lock_wait *w)
{
	struct lock_post *post = lock_post_of(w->lock);
	uint64_t deadline = w->began_ns + w->mutex.least_ns;
	uint64_t theirs = atomic_load_explicit(&post->deadline, memory_order_relaxed);

	if (theirs && theirs <= deadline)
		return;
	atomic_store_explicit(&post->lock, (uintptr_t)w->lock, memory_order_relaxed);
	atomic_store_explicit(&post->deadline, deadline, memory_order_release);
}

static void quit_post(const struct lock_wait *w)
{
	struct lock_post *post = lock_post_of(w->lock);
	uint64_t mine = w->began_ns + w->mutex.least_ns;

	if (atomic_load_explicit(&post->deadline, memory_order_relaxed) == mine)
		atomic_compare_exchange_strong_explicit(&post->deadline, &mine, 0,
							memory_order_relaxed, memory_order_relaxed);
}

static struct lock_lot draw(const struct lock_pace *pace, uint64_t random)
{
	uint64_t interval = atomic_load_explicit(&guest.block_interval_ns, memory_order_relaxed)
			    << halvings_of(pace);

	return (struct lock_lot){
		.interval_ns = interval,
		.least_ns = (uint64_t)((double)(random >> POST_HALVINGS_MAX) * 0x1p-53 *
				       (double)interval),
	};
}

/* Does this one stand at the post of `lock`? */
static void choose_post(struct lock_wait *w, const void *lock, uint64_t random)
{
	struct lock_post *post = lock_post_of(lock);
	uint32_t halvings = halvings_of(&post->pace);

	if (random & ((UINT64_C(1) << halvings) - 1))
		return;
	w->lock = lock;
	w->mutex = draw(&mutex_pace, random);
	w->mutex.halvings = halvings;
	keep_pace(&post->pace, &post_limits, w->began_ns);
	take_post(w);
}

NO_INLINE void lock_wait_begin(struct lock_wait *w, const void *lock)
{
	uint64_t now = clock_monotonic_ns(), random = next_random(now);

	w->lock = NULL;
	w->began_ns = now;
	w->block = draw(&block_pace, random);
	if (lock && guest_on() & VARVE_MUTEX)
		choose_post(w, lock, random);
}

/* Has somebody who unlocked left a stack while we waited? */
static bool is_left(const struct lock_wait *w)
{
	struct lock_post *post = lock_post_of(w->lock);

	return atomic_load_explicit(&post->left_ns, memory_order_acquire) >= w->began_ns &&
	       atomic_load_explicit(&post->lock, memory_order_relaxed) == (uintptr_t)w->lock;
}

/* How long it waited, without what it waited for our own sake. */
static uint64_t waited_until(const struct lock_wait *w, uint64_t now)
{
	uint64_t waited = now - w->began_ns, ours = 0;

	if (w->lock && is_left(w))
		ours = atomic_load_explicit(&lock_post_of(w->lock)->took_ns, memory_order_relaxed);
	return ours < waited ? waited - ours : waited;
}

static bool is_won(const struct lock_lot *lot, uint64_t waited)
{
	return waited >= lot->least_ns && waited;
}

static void record(struct guest_thread *t, enum record_kind kind, uint32_t stack,
		   const struct lock_lot *lot, uint64_t waited)
{
	int64_t value = (int64_t)waited, weight = 65536;

	if (waited < lot->interval_ns) {
		value = (int64_t)lot->interval_ns;
		weight = (int64_t)(65536 * ((double)lot->interval_ns / (double)waited));
	}
	guest_record(t, kind, stack, value << lot->halvings, weight << lot->halvings);
}

/* `block`, `mutex`: in which profile. */
static void record_wait(const struct lock_wait *w, uint64_t waited, bool block, bool mutex,
			const void *caller)
{
	struct guest_thread *t = guest_enter();
	uint32_t left = STACK_LOST;

	if (!t)
		return;
	if (mutex && is_left(w))
		left = atomic_load_explicit(&lock_post_of(w->lock)->stack, memory_order_relaxed);
	if (mutex && left != STACK_NONE)
		record(t, RECORD_MUTEX, left, &w->mutex, waited);
	if (block && guest_on() & VARVE_BLOCK)
		record(t, RECORD_BLOCK, guest_stack(t, VARVE_BLOCK, NULL, caller), &w->block,
		       waited);
	guest_leave(t);
}

NO_INLINE void lock_wait_end(const struct lock_wait *w, bool unlocked, const void *caller)
{
	int saved_errno = errno;
	uint64_t now = clock_monotonic_ns(), waited = waited_until(w, now);
	bool block = is_won(&w->block, waited);
	bool mutex = w->lock && unlocked && is_won(&w->mutex, waited);

	if (block || mutex)
		record_wait(w, waited, block, mutex, caller);
	if (block)
		keep_pace(&block_pace, &record_limits, now);
	if (mutex)
		keep_pace(&mutex_pace, &record_limits, now);
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
		atomic_store_explicit(&post->stack, guest_stack(t, VARVE_MUTEX, NULL, caller),
				      memory_order_relaxed);
		atomic_store_explicit(&post->took_ns, (uint32_t)(clock_monotonic_ns() - now),
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
	uint64_t now = clock_monotonic_ns();

	for (unsigned i = 0; i < LOCK_POSTS; i++) {
		if (!atomic_load(&lock_posts[i].lock))
			continue; /* nobody ever stood here: its memory need not be there */
		atomic_store(&lock_posts[i].deadline, 0);
		atomic_store(&lock_posts[i].left_ns, 0);
		set_pace(&lock_posts[i].pace, 0, now);
	}
	set_pace(&block_pace, 0, now);
	set_pace(&mutex_pace, 0, now);
}

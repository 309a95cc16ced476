/* SPDX-License-Identifier: Apache-2.0 */
/* Lock profiling: the thresholds, slots and rate limits described in lock.h. */
#include "sdk/hook/lock.h"

#include <errno.h>

#include "base/clock.h"
#include "sdk/hook/stacks.h"

enum {
	WINDOW_NS = 100000000,
	HALVINGS_MAX = 24,
	/* bits of a random number that the threshold does not use */
	SLOT_HALVINGS_MAX = 11,
	/*
	 * usual time from the unlock to the end of the wait: deadlines this close count as passed
	 */
	WAKEUP_NS = 50000,
};

/*
 * Events per window: with more than `most` the rate is halved, with fewer than `few` it is doubled.
 */
struct rate_limits {
	uint32_t most, few, halvings_max;
};
static const struct rate_limits record_rate_limits = {200, 50, HALVINGS_MAX};
static const struct rate_limits slot_rate_limits = {100, 25, SLOT_HALVINGS_MAX};

struct lock_slot lock_slots[LOCK_SLOTS];
void (*lock_config_changed)(void);
static struct lock_rate block_rate, mutex_rate; /* of records */

static __thread uint64_t random_state __attribute__((tls_model("initial-exec")));

/* xorshift*, like guest_random(), for a thread that is not inside a hook. */
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

static uint32_t halvings_of(const struct lock_rate *p)
{
	return atomic_load_explicit(&p->halvings, memory_order_relaxed);
}

static void reset_rate(struct lock_rate *p, uint32_t halvings, uint64_t now)
{
	atomic_store_explicit(&p->halvings, halvings, memory_order_relaxed);
	atomic_store_explicit(&p->events, 0, memory_order_relaxed);
	atomic_store_explicit(&p->window_ns, now, memory_order_relaxed);
}

/* Count an event at `now`, and adapt the rate. */
static void count_event(struct lock_rate *p, const struct rate_limits *limits, uint64_t now)
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
	reset_rate(p, halvings, now);
}

/* Register in the slot, unless another waiter with an earlier deadline is registered. */
static void claim_slot(const struct lock_wait *w)
{
	struct lock_slot *slot = lock_slot_of(w->lock);
	uint64_t deadline = w->began_ns + w->mutex.min_ns;
	uint64_t theirs = atomic_load_explicit(&slot->deadline, memory_order_relaxed);

	if (theirs && theirs <= deadline)
		return;
	atomic_store_explicit(&slot->lock, (uintptr_t)w->lock, memory_order_relaxed);
	atomic_store_explicit(&slot->deadline, deadline, memory_order_release);
}

static void release_slot(const struct lock_wait *w)
{
	struct lock_slot *slot = lock_slot_of(w->lock);
	uint64_t mine = w->began_ns + w->mutex.min_ns;

	if (atomic_load_explicit(&slot->deadline, memory_order_relaxed) == mine)
		atomic_compare_exchange_strong_explicit(&slot->deadline, &mine, 0,
							memory_order_relaxed, memory_order_relaxed);
}

static struct lock_threshold draw_threshold(const struct lock_rate *rate, uint64_t random)
{
	uint64_t interval = atomic_load_explicit(&guest.block_interval_ns, memory_order_relaxed)
			    << halvings_of(rate);

	return (struct lock_threshold){
		.interval_ns = interval,
		.min_ns = (uint64_t)((double)(random >> SLOT_HALVINGS_MAX) * 0x1p-53 *
				     (double)interval),
	};
}

/* Register the wait in the slot of `lock`, if the slot's rate limit selects it. */
static void choose_slot(struct lock_wait *w, const void *lock, uint64_t random)
{
	struct lock_slot *slot = lock_slot_of(lock);
	uint32_t halvings = halvings_of(&slot->rate);

	if (random & ((UINT64_C(1) << halvings) - 1))
		return;
	w->lock = lock;
	w->mutex = draw_threshold(&mutex_rate, random);
	w->mutex.halvings = halvings;
	count_event(&slot->rate, &slot_rate_limits, w->began_ns);
	claim_slot(w);
}

NO_INLINE void lock_wait_begin(struct lock_wait *w, const void *lock)
{
	uint64_t now = clock_monotonic_ns(), random = next_random(now);

	w->lock = NULL;
	w->began_ns = now;
	w->block = draw_threshold(&block_rate, random);
	if (lock && guest_on() & VARVE_MUTEX)
		choose_slot(w, lock, random);
}

/* Has an unlocking thread published its stack during this wait? */
static bool has_published_stack(const struct lock_wait *w)
{
	struct lock_slot *slot = lock_slot_of(w->lock);

	return atomic_load_explicit(&slot->published_ns, memory_order_acquire) >= w->began_ns &&
	       atomic_load_explicit(&slot->lock, memory_order_relaxed) == (uintptr_t)w->lock;
}

/* Return how long it waited, less the time by which the profiler prolonged the wait. */
static uint64_t waited_ns_at(const struct lock_wait *w, uint64_t now)
{
	uint64_t waited = now - w->began_ns, ours = 0;

	if (w->lock && has_published_stack(w))
		ours = atomic_load_explicit(&lock_slot_of(w->lock)->overhead_ns,
					    memory_order_relaxed);
	return ours < waited ? waited - ours : waited;
}

static bool exceeds(const struct lock_threshold *threshold, uint64_t waited)
{
	return waited >= threshold->min_ns && waited;
}

static void record_one(struct guest_thread *t, enum record_kind kind, uint32_t stack,
		       const struct lock_threshold *threshold, uint64_t waited)
{
	int64_t value = (int64_t)waited, weight = 65536;

	if (waited < threshold->interval_ns) {
		value = (int64_t)threshold->interval_ns;
		weight = (int64_t)(65536 * ((double)threshold->interval_ns / (double)waited));
	}
	guest_record(t, kind, stack, value << threshold->halvings, weight << threshold->halvings);
}

/* Record the wait in the block profile, the mutex profile or both. */
static void record_wait(const struct lock_wait *w, uint64_t waited, bool block, bool mutex,
			const void *caller)
{
	struct guest_thread *t = guest_enter();
	uint32_t left = STACK_LOST;

	if (!t)
		return;
	if (mutex && has_published_stack(w))
		left = atomic_load_explicit(&lock_slot_of(w->lock)->stack, memory_order_relaxed);
	if (mutex && left != STACK_NONE)
		record_one(t, RECORD_MUTEX, left, &w->mutex, waited);
	if (block && guest_on() & VARVE_BLOCK)
		record_one(t, RECORD_BLOCK, guest_stack(t, VARVE_BLOCK, NULL, caller), &w->block,
			   waited);
	guest_leave(t);
}

NO_INLINE void lock_wait_end(const struct lock_wait *w, bool unlocked, const void *caller)
{
	int saved_errno = errno;
	uint64_t now = clock_monotonic_ns(), waited = waited_ns_at(w, now);
	bool block = exceeds(&w->block, waited);
	bool mutex = w->lock && unlocked && exceeds(&w->mutex, waited);

	if (block || mutex)
		record_wait(w, waited, block, mutex, caller);
	if (block)
		count_event(&block_rate, &record_rate_limits, now);
	if (mutex)
		count_event(&mutex_rate, &record_rate_limits, now);
	if (w->lock)
		release_slot(w);
	errno = saved_errno;
}

NO_INLINE void lock_publish_stack(const void *lock, const void *caller)
{
	struct lock_slot *slot = lock_slot_of(lock);
	uint64_t now, deadline = atomic_load_explicit(&slot->deadline, memory_order_acquire);
	int saved_errno = errno;
	struct guest_thread *t;

	if (!deadline || guest_own ||
	    atomic_load_explicit(&slot->lock, memory_order_relaxed) != (uintptr_t)lock)
		return;
	now = clock_monotonic_ns();
	if (now + WAKEUP_NS < deadline)
		return;
	t = guest_enter();
	if (t) {
		atomic_store_explicit(&slot->stack, guest_stack(t, VARVE_MUTEX, NULL, caller),
				      memory_order_relaxed);
		atomic_store_explicit(&slot->overhead_ns, (uint32_t)(clock_monotonic_ns() - now),
				      memory_order_relaxed);
		atomic_store_explicit(&slot->published_ns, now, memory_order_release);
		guest_leave(t);
	}
	/* published, or impossible on this thread */
	atomic_compare_exchange_strong_explicit(&slot->deadline, &deadline, 0, memory_order_relaxed,
						memory_order_relaxed);
	errno = saved_errno;
}

void lock_start(void)
{
	uint64_t now = clock_monotonic_ns();

	for (unsigned i = 0; i < LOCK_SLOTS; i++) {
		if (!atomic_load(&lock_slots[i].lock))
			continue; /* never used: do not touch its page */
		atomic_store(&lock_slots[i].deadline, 0);
		atomic_store(&lock_slots[i].published_ns, 0);
		reset_rate(&lock_slots[i].rate, 0, now);
	}
	reset_rate(&block_rate, 0, now);
	reset_rate(&mutex_rate, 0, now);
}

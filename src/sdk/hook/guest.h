/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_HOOK_GUEST_H
#define VARVE_SDK_HOOK_GUEST_H

#include <errno.h>
#include <stdatomic.h>
#include <sys/types.h>
#include <ucontext.h>

#include "base/base.h"
#include "sdk/hook/guest_threads.h"
#include "sdk/hook/record.h"
#include "varve/varve.h"

/*
 * The rules for code that runs on the host's threads, and the functions each hook and signal
 * handler begins with. "Guest" is the library inside the process, "host" the program.
 *
 * A **hook** is an interposed function such as malloc() or pthread_mutex_lock(), or a signal
 * handler. A hook allocates nothing, takes no lock of the host or of libc, and preserves errno; it
 * calls only functions marked "hook-safe" in these headers. It puts fixed-size records into a ring,
 * from which the collector, a thread of the library, takes them. Calls of the library's own threads
 * (`guest_own`) pass through hooks unrecorded.
 *
 * A process has one guest, so its state is global. Hooks first read `guest.on` with one relaxed
 * load; it is zero before varve_start() and after varve_stop().
 */

/* What hooks read. Written by start, stop and the collector. */
struct guest {
	/* bits of enum varve_profile that are recorded now */
	_Atomic unsigned on;
	/*
	 * incremented by each start and in each forked child: thread records of other generations
	 * are stale
	 */
	_Atomic unsigned generation;
	_Atomic uint64_t heap_interval, block_interval_ns;
	_Atomic uint32_t cpu_period_ns;
	_Atomic uint32_t max_depth;
	/*
	 * on a cache line of its own, because it is written often: samples that the collector took
	 */
	_Alignas(64) _Atomic uint64_t samples;
	_Atomic uint64_t lost; /* samples dropped because the ring was full */
	/* time spent in hooks that took a sample, for the overhead monitor */
	_Atomic uint64_t hook_ns;
};
extern struct guest guest;

static inline unsigned guest_on(void)
{
	return atomic_load_explicit(&guest.on, memory_order_relaxed);
}

/*
 * A call into the library by a thread of the host: hooks do not record it, and errno is preserved.
 */
struct guest_call {
	int saved_errno;
	bool was_own;
};

static inline struct guest_call guest_call_begin(void)
{
	struct guest_call call = {errno, guest_own};

	guest_own = true;
	return call;
}

void guest_call_end(struct guest_call call);

/*
 * Begin a hook. Return the thread's record, registered if necessary (at most one mmap()), or NULL
 * when this call must pass through: on a thread of the library, in a hook inside a hook, without
 * memory. Unless NULL was returned, end the hook with guest_leave(). Hook-safe.
 */
struct guest_thread *guest_enter(void);
static inline void guest_leave(struct guest_thread *t)
{
	/*
	 * plain store: only this thread writes `depth`, and a signal handler on it restores the
	 * value
	 */
	atomic_store_explicit(&t->depth, atomic_load_explicit(&t->depth, memory_order_relaxed) - 1,
			      memory_order_release);
}

/*
 * The same in a signal handler, which may have interrupted a hook of this thread. `always`: also
 * for a thread of the host that is inside a call into the library. Hook-safe.
 */
struct guest_thread *guest_enter_signal(bool always);

/*
 * Walk the stack, intern it among the stacks of `kind` (sdk/hook/stack_ids.h) and return its id.
 * With `uc` it is the stack that a signal interrupted. With `uc` NULL it is the hook's own, without
 * the hook's frames: it begins at `caller`, the return address of the interposed function.
 * Hook-safe.
 */
uint32_t guest_stack(struct guest_thread *t, enum varve_profile kind, const ucontext_t *uc,
		     const void *caller);

/*
 * The same for heap hooks, but faster. `frame` is __builtin_frame_address(0) of a function that
 * returns to `caller` because the interposed function jumped to it; the walk begins above it, so
 * the hook's own frames are not walked. Falls back to guest_stack() if `frame` is NULL or does not
 * return to `caller`. Hook-safe, but errno may change.
 */
uint32_t guest_stack_from_frame(struct guest_thread *t, const void *frame, const void *caller);

/*
 * Like guest_stack() for a CPU sample from a hook, with `function` in place of the leaf frame.
 * Hook-safe.
 */
uint32_t guest_stack_of_function(struct guest_thread *t, uintptr_t function, const void *caller);

/*
 * Copy `n` bytes from an address that may be unmapped; false instead of a fault. For
 * unwind_memory.copy. Hook-safe.
 */
bool guest_copy(void *arg, uint64_t address, void *to, size_t n);

/*
 * Put a record into the ring, with time, thread, span and labels filled in. False: the ring is
 * full; counted. Hook-safe.
 */
bool guest_record(struct guest_thread *t, enum record_kind kind, uint32_t stack, int64_t value,
		  int64_t weight);

/* The same with flags (enum record_flag). *copy, unless NULL, receives the record. Hook-safe. */
bool guest_record_as(struct guest_thread *t, enum record_kind kind, unsigned flags, uint32_t stack,
		     int64_t value, int64_t weight, struct record *copy);

/*
 * Put a complete record into the ring, between guest_enter() and guest_leave(). False as above.
 * Hook-safe.
 */
bool guest_put_record(const struct record *r);

/* Return a random number of this thread, uniform in (0, 1). Hook-safe. */
double guest_random(struct guest_thread *t);

/*
 * Start and stop the guest: rings and stack tables. The collector takes the records and owns
 * `modules`. guest_start() returns 0 or -errno. guest_stop() waits until no hook is active, for a
 * second at most; after that it leaks the memory rather than free what a hook may still use.
 */
struct modules;
struct guest_options {
	uint32_t ring_records; /* a power of two */
	size_t stack_bytes;
	const struct modules *modules;
};
MUST_USE int guest_start(const struct guest_options *o);
void guest_stop(void);
const struct modules *guest_modules(void);

/* Take the next record. False: none left. Collector only. */
bool guest_take_record(struct record *out);

/* Have all records been taken? Collector only. */
bool guest_rings_are_empty(void);

/*
 * Pin what hooks use, for a thread that walks stacks of others: modules and stack ids read in
 * between stay valid, as inside a hook. Keep it short, because the collector frees nothing
 * meanwhile. Not for hooks.
 */
void guest_pin_begin(void);
void guest_pin_end(void);

/* Is a hook active on another thread, or anything pinned? Not for hooks. */
bool guest_hook_is_active(void);

/*
 * Note which threads are inside a hook now. guest_hooks_left() returns true once each of them has
 * left that hook, even if others have entered since, and nothing is pinned. One such wait at a
 * time. Collector only.
 */
void guest_wait_for_hooks(void);
bool guest_hooks_left(void);

/* In a forked child: keep the forking thread's record, free all others, empty the rings. */
void guest_forked(void);

#endif

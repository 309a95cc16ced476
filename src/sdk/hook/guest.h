/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_HOOK_GUEST_H
#define VARVE_SDK_HOOK_GUEST_H

#include <errno.h>
#include <stdatomic.h>
#include <sys/types.h>
#include <ucontext.h>

#include "base/base.h"
#include "sdk/hook/record.h"
#include "sdk/hook/stack_memo.h"
#include "varve/varve.h"

/*
 * The rules of a guest, and what every hook and signal handler of the library begins with.
 *
 * A **hook** is code that the host's threads run: an interposed malloc() or pthread_mutex_lock(), a signal handler. In it
 * nothing is allocated, no lock of the host or of libc is taken, errno is kept, and nothing is called that may do either: only what
 * is marked "hook-safe" in these headers. What a hook sees goes as a fixed-size record into one ring; the collector, a thread of
 * our own, does all the rest. The library's own threads are `guest_is_own()`: hooks pass their calls through unseen.
 *
 * The process has one guest, so it is a global: everything that is mutable hangs on `guest`. Hooks look at `guest.on` first,
 * with one relaxed load; it is zero before varve_start() and after varve_stop().
 */

enum {
	GUEST_DEPTH_MAX = 512,
	GUEST_SCRATCH = 4096,	/* unwind/unwind.h: UNWIND_SCRATCH */
	GUEST_HOOK_FRAMES = 16, /* of our own, which a walk from a hook meets first */
};

/* One thread of the host. From guest_thread(): in memory that is never unmapped while the guest lives, used again after the thread's end. */
struct guest_thread {
	_Atomic pid_t tid;   /* 0: free */
	_Atomic bool orphan; /* made by the collector; the thread does not know of it yet */
	uint32_t index;	     /* of this record among all */
	uint32_t next_free;
	uint32_t generation; /* of the guest that made it */
	_Atomic uint64_t stack_low,
		stack_high; /* high 0: not known yet, and memory is read with care */
	_Atomic uint64_t
		seen_sp; /* where its stack was when it was not known, for the collector to look up */
	_Atomic uint32_t
		depth; /* hooks on this thread right now: a hook inside a hook passes through */
	_Atomic uint32_t visits; /* how often it went inside from outside */
	uint32_t waited_visit;	 /* guest_wait_for_hooks(): `visits` then */
	bool waited;		 /* it was inside then */
	uint32_t labels;	 /* id of this thread's label set; 0: none */
	uint64_t random;	 /* of this thread, for sampling */
	uint32_t known_memos;	 /* of `memos` */
	uintptr_t function;	 /* what the thread runs; 0: not known */
	timer_t cpu_timer;
	bool has_cpu_timer;
	_Atomic uint64_t cpu_armed_ns, cpu_first_ns,
		cpu_ticks; /* CPU time when the timer was set, time from there to its first tick, ticks that came */
	uint64_t wall_cpu_ns,
		wall_time_ns; /* wall sampling: CPU time and time when last looked at; that thread's own */
	_Atomic bool
		wall_known; /* `wall_last` is complete: the thread's handler or the sampler wrote it */
	bool wall_slept;    /* the sampler wrote it: the thread slept; the sampler's own */
	struct record wall_last;     /* where it was, to count again while it sleeps */
	_Atomic(const void *) spans; /* its record of spans (span_ids_of()); NULL: none yet */
	char name[16];
	/* Where a walk writes its addresses, so that it takes little of the host's stack: one for a hook, one for a signal in it. */
	uint64_t pcs[2][GUEST_DEPTH_MAX + GUEST_HOOK_FRAMES];
	uint64_t scratch[2]
			[GUEST_SCRATCH /
			 8]; /* the same for what a walk looks up in modules that have no table */
	struct stack_memo memos[STACK_MEMOS];
};

/* What hooks read. Written by start, stop and the collector. */
struct guest {
	_Atomic unsigned on; /* bits of enum varve_profile that are taken now */
	_Atomic unsigned
		generation; /* grows with each start and in each forked child: a thread's record of another one is stale */
	_Atomic uint64_t heap_interval, block_interval_ns;
	_Atomic uint32_t cpu_period_ns;
	_Atomic uint32_t max_depth;
	/* what is written again and again has a cache line of its own */
	_Alignas(64) _Atomic uint64_t samples; /* that the collector took */
	_Atomic uint64_t lost;		       /* dropped because the ring was full */
	_Atomic uint64_t
		hook_ns; /* time spent in hooks that took a sample: what the overhead monitor looks at */
};
extern struct guest guest;

/* This thread, initial-exec so that a hook never allocates for it. NULL: not met yet. */
extern __thread struct guest_thread *guest_self __attribute__((tls_model("initial-exec")));

/* Set once by the library's own threads, at their start. */
extern __thread bool guest_own __attribute__((tls_model("initial-exec")));

static inline unsigned guest_on(void)
{
	return atomic_load_explicit(&guest.on, memory_order_relaxed);
}

/* A call into the library by a thread of the host: what is done for it is ours, not the host's, and errno stays as it is. */
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
 * Begin a hook: the thread's record (made if need be: an mmap at most), or NULL when this call must pass through: a thread of
 * our own, a hook inside a hook, no memory. guest_leave() if it was not NULL. Hook-safe.
 */
struct guest_thread *guest_enter(void);
static inline void guest_leave(struct guest_thread *t)
{
	/* only the thread itself counts here, and a signal handler on it leaves the count as it found it */
	atomic_store_explicit(&t->depth, atomic_load_explicit(&t->depth, memory_order_relaxed) - 1,
			      memory_order_release);
}

/*
 * In a signal handler: the same, but a hook on this thread may have been interrupted (depth > 0 is no reason to pass). `always`: a thread of the host
 * that is in a call of ours answers too. Hook-safe.
 */
struct guest_thread *guest_interrupted(bool always);

/* thread_start() for a thread of the library itself: no signal of the host is for it. `run` begins with guest_own_begin(). */
struct thread;
struct err;
MUST_USE int guest_own_start(struct thread *t, const char *name, void (*run)(void *arg), void *arg,
			     struct err *e);

/* Begin and end of a thread of the library itself: hooks pass it through. */
void guest_own_begin(void);
void guest_own_end(void);

/* CPU time of all threads of the library that run now. */
uint64_t guest_own_cpu_ns(void);

/*
 * This thread is new: where its stack is and its name are noted, `guest_thread_began` is called (timers), and its end will be noticed. Called
 * by the thread itself, at its start or by varve_start(); may allocate.
 */
void guest_thread_begin(void);

/*
 * Walk the stack and intern it among those of the kind (sdk/hook/stack_ids.h): the one that a signal interrupted (`uc`), or that of a hook (`uc` NULL), whose own frames are
 * left out: it begins at `caller`, the return address of the interposed function. The id. Hook-safe.
 */
uint32_t guest_stack(struct guest_thread *t, enum varve_profile kind, const ucontext_t *uc,
		     const void *caller);

/*
 * The same from a hook of the heap, quicker: `frame` is what __builtin_frame_address(0) says in a function that returns to `caller`, because the interposed one
 * has jumped into it; the walk begins above it, and our own frames are not walked. If it does not return there, or is NULL: guest_stack(). Hook-safe, but errno may change.
 */
uint32_t guest_stack_above(struct guest_thread *t, const void *frame, const void *caller);

/* The same for CPU samples from a hook, with `function` in the place of the interposed function's caller. Hook-safe. */
uint32_t guest_stack_as(struct guest_thread *t, uintptr_t function, const void *caller);

/* Copy memory that may not be there: the kernel looks, so that a bad address is no fault. For unwind_memory.copy. Hook-safe. */
bool guest_copy(void *arg, uint64_t address, void *to, size_t n);

/* Put a record into the ring, with time, thread, span and labels filled in. False: full, and counted. Hook-safe. */
bool guest_record(struct guest_thread *t, enum record_kind kind, uint32_t stack, int64_t value,
		  int64_t weight);

/* The same with flags (enum record_flag); `copy`, if not NULL, gets the record. Hook-safe. */
bool guest_record_as(struct guest_thread *t, enum record_kind kind, unsigned flags, uint32_t stack,
		     int64_t value, int64_t weight, struct record *copy);

/* The same with a record that is complete. Hook-safe; inside only (guest_enter()). */
bool guest_put(const struct record *r);

/* A random number of the thread, uniform in (0, 1). Hook-safe. */
double guest_random(struct guest_thread *t);

/*
 * Start and stop of the guest itself: thread records, ring, stack table. guest_stop() waits until no hook is inside. The
 * taker of the ring and the owner of modules is the collector.
 */
struct modules;
struct guest_options {
	uint32_t ring_records; /* a power of two */
	size_t stack_bytes;
	const struct modules *modules;
};
MUST_USE int guest_start(const struct guest_options *o);
void guest_stop(void);
bool guest_take(struct record *out);

/* Has nothing been recorded since the last guest_take()? */
bool guest_is_empty(void);
const struct modules *guest_modules(void);

/*
 * For threads that walk the stacks of others: modules and stack ids that are read in between stay, as they do inside of a hook. Keep it short, the
 * collector frees nothing meanwhile. Not for hooks.
 */
void guest_visit_begin(void);
void guest_visit_end(void);

/* Is another thread inside of a hook or of a visit at this moment? Not for hooks. */
bool guest_somebody_inside(void);

/*
 * Note who is inside of a hook now; guest_hooks_left() is true once each of them has left it, whoever else is inside by then, and no visit
 * goes on. One such wait at a time. Collector only.
 */
void guest_wait_for_hooks(void);
bool guest_hooks_left(void);

/*
 * Who wants to know of threads: CPU timers. Called with the record; `done` by the thread itself, which has left its function (`caller` called us for that);
 * `ends` then, or, for one that is gone, by the collector.
 */
struct guest_thread_watch {
	void (*began)(struct guest_thread *t);
	void (*done)(struct guest_thread *t, const void *caller);
	void (*ends)(struct guest_thread *t);
};
void guest_watch_threads(const struct guest_thread_watch *watch);

/* Is this the only thread of the host that is left? Not for hooks. */
bool guest_is_last_thread(void);

/* Ends of threads that were seen so far. A thread that libc does not know of ends unseen. */
uint32_t guest_threads_ended(void);

/* Has the last thread of the host ended, so that only ours keep the process alive? *status: the first one's. By a thread of ours. */
bool guest_host_is_gone(int *status);

/* Every thread of the host that has a record. Not for hooks. */
void guest_each_thread(void (*each)(void *arg, struct guest_thread *t), void *arg);

/* Free the records of threads that are gone, make records for those that came without pthread_create(). Collector, about once a second. */
void guest_scan_threads(void);

/* In a forked child, where only the forking thread is left: its record stays, all others are free, the ring is empty. */
void guest_forked(void);

#endif

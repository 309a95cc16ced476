/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_HOOK_GUEST_THREADS_H
#define VARVE_SDK_HOOK_GUEST_THREADS_H

#include <stdatomic.h>
#include <sys/types.h>
#include <time.h>

#include "base/base.h"
#include "sdk/hook/record.h"
#include "sdk/hook/stack_memo.h"

/*
 * The threads of the process: one record for each thread of the host, which its hooks use, and a
 * list of the library's own threads. A record is registered by the thread's first hook, by
 * guest_thread_begin(), or by the collector's scan (guest_scan_threads()). Its memory is never
 * unmapped; it is reused after the thread has ended.
 */

enum {
	GUEST_DEPTH_MAX = 512,
	/* bytes; equals UNWIND_SCRATCH of unwind/unwind.h */
	GUEST_SCRATCH = 4096,
	/* upper bound of our own frames, which a walk from a hook meets first */
	GUEST_HOOK_FRAMES = 16,
};

/* One thread of the host. Unless noted otherwise only the thread itself writes a field. */
struct guest_thread {
	_Atomic pid_t tid; /* 0: free */
	/* the collector made the record, and the thread does not know it yet */
	_Atomic bool orphan;
	uint32_t index; /* of this record among all */
	uint32_t next_free;
	/* guest.generation when the record was made */
	uint32_t generation;
	/* bounds of the stack; high 0: not known yet, and stack memory is read by guest_copy() */
	_Atomic uint64_t stack_low, stack_high;
	/* a stack pointer seen while the bounds were not known, for the collector to look up */
	_Atomic uint64_t seen_sp;
	/* hooks active on this thread; a hook inside a hook passes its call through */
	_Atomic uint32_t depth;
	/* how often `depth` has left 0 */
	_Atomic uint32_t entries;
	/* guest_wait_for_hooks(): `entries` at that time, and whether a hook was active */
	uint32_t waited_entry;
	bool awaited;
	_Atomic uint32_t labels; /* id of this thread's label set; 0: none */
	uint64_t random;	 /* state of guest_random() */
	uint32_t valid_memos;	 /* bit i: memos[i] is complete */
	uintptr_t function;	 /* start function of the thread; 0: not known */
	timer_t cpu_timer;
	bool has_cpu_timer;
	/* CPU time when the timer was armed, from there to its first tick, and ticks received */
	_Atomic uint64_t cpu_armed_ns, cpu_first_ns, cpu_ticks;
	/* wall sampler only: CPU time and time of its last look at this thread */
	uint64_t wall_cpu_ns, wall_time_ns;
	/*
	 * Wall sampler only: the last sample of the thread, which is repeated while it sleeps. The
	 * flag is set if the sampler read the stack itself, and cleared by the collector, too.
	 */
	struct record wall_last;
	_Atomic bool wall_slept;
	/* the last sample of the thread's signal handler, which may run late; flag: likewise */
	struct shared_record wall_signal;
	_Atomic bool wall_known;
	/* the thread's span record, for span_ids_of(); NULL: none yet */
	_Atomic(const void *) spans;
	char name[16];
	/*
	 * Output of stack walks, kept off the host's stack: [0] for a hook, [1] for a signal that
	 * interrupts it.
	 */
	uint64_t pcs[2][GUEST_DEPTH_MAX + GUEST_HOOK_FRAMES];
	/* the same for lookups in modules that have no unwind table */
	uint64_t scratch[2][GUEST_SCRATCH / 8];
	struct stack_memo memos[STACK_MEMOS];
};

/*
 * The record of this thread; NULL: not registered yet. initial-exec: hooks read it without an
 * allocation.
 */
extern __thread struct guest_thread *guest_self __attribute__((tls_model("initial-exec")));

/* This thread belongs to the library, or is inside a call into it. Hooks pass its calls through. */
extern __thread bool guest_own __attribute__((tls_model("initial-exec")));

/*
 * Return a record for this thread, which has none of the current generation; NULL: no memory.
 * Hook-safe.
 */
struct guest_thread *guest_register_thread(void);

/*
 * Complete the record of a new thread: find the bounds of its stack and its name, call `began` (see
 * below), and have its end noticed. Called on the thread itself, at its start or by varve_start();
 * may allocate.
 */
void guest_thread_begin(void);

/*
 * Like thread_start(), for a thread of the library, with all signals blocked. `run` calls
 * guest_own_begin() first.
 */
struct thread;
struct err;
MUST_USE int guest_own_start(struct thread *t, const char *name, void (*run)(void *arg), void *arg,
			     struct err *e);

/*
 * Mark the calling thread as the library's own, so that hooks pass its calls through; and the end
 * of that.
 */
void guest_own_begin(void);
void guest_own_end(void);

/* Return the CPU time of all running threads of the library. */
uint64_t guest_own_cpu_ns(void);

/* Callbacks about threads of the host, for the CPU timers. */
struct guest_thread_callbacks {
	/* the record is complete; called by the thread or by the collector */
	void (*began)(struct guest_thread *t);
	/*
	 * the thread's start function has returned; called by the thread, from a function that
	 * returns to `caller`
	 */
	void (*returned)(struct guest_thread *t, const void *caller);
	/* the record is about to be freed; called by the thread or by the collector */
	void (*ended)(struct guest_thread *t);
};
void guest_set_thread_callbacks(const struct guest_thread_callbacks *callbacks);

/* Call `each` for every thread of the host that has a record. Not for hooks. */
void guest_each_thread(void (*each)(void *arg, struct guest_thread *t), void *arg);

/*
 * Free the records of threads that are gone, and register threads that were not made by
 * pthread_create(). Collector only, about once a second.
 */
void guest_scan_threads(void);

/* Is the calling thread the last thread of the host? Not for hooks. */
bool guest_is_last_thread(void);

/*
 * Return the number of thread ends noticed so far. Threads that libc does not know are not counted.
 */
uint32_t guest_threads_ended(void);

/*
 * Has the last thread of the host ended, so that only ours keep the process alive? Set *status to
 * the exit status of the first thread. Called by a thread of the library.
 */
bool guest_host_has_ended(int *status);

/* In a forked child: free all records but the calling thread's. */
void guest_threads_forked(void);

#endif

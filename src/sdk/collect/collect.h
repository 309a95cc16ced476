/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_COLLECT_COLLECT_H
#define VARVE_SDK_COLLECT_COLLECT_H

#include <sys/types.h>

#include "base/err.h"
#include "sdk/hook/record.h"
#include "signal/profile/profile.h"
#include "varve/varve.h"

/*
 * The collector: a thread that takes records out of the ring every 100 ms and aggregates them in
 * **windows**.
 *
 * A window is a span of time and a set of profile kinds. Each export interval is one, each
 * /debug/pprof request another, and one that never ends holds the totals since the start (heap,
 * mutex, block). Records of a window with the same kind, stack, span and labels are one entry.
 * Closing a window makes a profile batch of each kind: addresses become locations with names, lines
 * and build ids. Heap in use is no sum over a window: it is the current content of the live table
 * (sdk/hook/heap.h).
 *
 * All functions may be called from any thread except inside hooks. Windows are guarded by the
 * collector's mutex, which hooks never take.
 */
struct collector;
struct window;

struct keyvalue;
struct sanitizer;
struct collect_options {
	const struct varve_options *o;	 /* complete; borrowed */
	unsigned kinds;			 /* recorded from the start, besides those of windows */
	const struct keyvalue *resource; /* borrowed */
	uint32_t resource_count;
	const struct sanitizer *sanitizer; /* of profiles; NULL: none */
	struct budget *budget;
	size_t stack_bytes, table_bytes; /* limits of the tables of stacks and of live blocks */
	bool keep_all;	  /* the window since the start has CPU and wall-clock samples, too */
	uint32_t tick_ms; /* interval of taking records out; 0: 100 */
	/* Callbacks, which may be NULL, run on the collector's thread without any lock held. */
	void (*on_tick)(void *arg, uint64_t now_ns);
	/* the first call in a forked child, once it lives longer than one that only calls exec() */
	void (*on_child)(void *arg);
	/* at the end of each export interval, with its window, which has ended */
	void (*on_export)(void *arg, struct window *w);
	void *arg;
};

/*
 * Set up guest, modules, heap and signals, start the thread and set guest.on. Return 0 or -errno
 * with the reason. collect_free() undoes all of it and takes NULL.
 */
MUST_USE int collect_new(struct collector **out, const struct collect_options *o, struct err *e);
void collect_free(struct collector *c);

/*
 * fork() handlers: before, after in the parent, after in the child. The child gets a collector
 * thread of its own, which first sleeps for a few milliseconds: most children only call exec() or
 * exit.
 */
void collect_before_fork(struct collector *c);
void collect_after_fork(struct collector *c);
MUST_USE int collect_in_child(struct collector *c);

/* Enable and disable kinds, and change the rate of CPU samples, while the collector runs. */
void collect_set_profiles(struct collector *c, unsigned kinds);
void collect_set_cpu_hz(struct collector *c, unsigned hz);

/* Change the other rates. Each sample has the weight of the rate at which it was taken. */
void collect_set_rates(struct collector *c, unsigned wall_hz, uint64_t heap_interval,
		       uint64_t block_interval_ns);

/* Change when a span is slow or busy, for conditional profiling. */
void collect_set_thresholds(struct collector *c, uint64_t slow_ns, double busy_share);

/* Set the length of future export intervals. */
void collect_set_interval(struct collector *c, uint64_t ms);

/* End the export interval now and wait until on_export has returned. */
void collect_export_now(struct collector *c);

/* The same with a timeout. Return 0 or -ETIMEDOUT. Allocates nothing. */
int collect_export_within(struct collector *c, uint64_t timeout_ms);

/*
 * Open a window of the kinds (bits of enum varve_profile). CPU, wall-clock and lock profiles are
 * recorded while any window has them, even if they are off by option. Return 0 or -ENOMEM.
 * collect_close() ends and frees it.
 */
MUST_USE int collect_open(struct collector *c, unsigned kinds, struct window **out);

/* The same for the samples of one thread. */
MUST_USE int collect_open_thread(struct collector *c, unsigned kinds, pid_t tid,
				 struct window **out);
void collect_close(struct collector *c, struct window *w);

/* End the window: it accepts no more records, and batches made of it are the same from now on. */
void collect_end(struct collector *c, struct window *w);

/*
 * Make the batch of one kind of the window, up to its end or up to now. `out` must be empty; it
 * gets the resource, one scope and a profile for each sample type, which together are one pprof
 * file. Return 0 or -errno.
 */
MUST_USE int collect_batch(struct collector *c, struct window *w, enum varve_profile kind,
			   struct profile_batch *out, struct err *e);

/* Return the window since the start: heap, mutex, block, threadcreate and mmap. */
struct window *collect_total(struct collector *c);

/*
 * Make a batch (kind VARVE_THREADS) of the current stacks of all threads, with thread.name and
 * thread.state. Waits for up to a second for running threads. (thread_dump.c)
 */
MUST_USE int collect_threads(struct collector *c, struct profile_batch *out, struct err *e);

/* Return whether this is a newly forked child that has nothing to export. */
bool collect_is_idle_child(struct collector *c);

/*
 * Tell the thread to stop without waiting for it and leave everything else: the process is exiting.
 */
void collect_abandon(struct collector *c);

/*
 * Return the number of samples whose stacks were truncated because a table or a profile was full.
 */
uint64_t collect_cut_count(struct collector *c);

/* Add the records that are in the ring now to the windows. */
void collect_drain(struct collector *c);

/* Write the name of an address, for /debug/pprof/symbol. Return its length, below `size`. */
size_t collect_name(struct collector *c, uint64_t address, char *out, size_t size);

#endif

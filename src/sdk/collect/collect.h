/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_COLLECT_COLLECT_H
#define VARVE_SDK_COLLECT_COLLECT_H

#include "base/err.h"
#include "sdk/hook/record.h"
#include "signal/profile/profile.h"
#include "varve/varve.h"

/*
 * The collector: one thread that takes records out of the ring every 100 ms and adds them up in **windows**.
 *
 * A window is a stretch of time and some kinds of profile; every export interval is one, each /debug/pprof request is
 * another, and one that never ends holds what happened since the start (heap, mutex, block). In a window, records with the same kind, stack, span and
 * labels are one entry. Closing a window makes a profile batch of each kind: addresses become locations with names, lines and build ids.
 * Heap in use is not a sum of a window: it is the live table at the moment (sdk/hook/heap.h), which the batch maker asks.
 *
 * All functions but those marked may be called from any thread of ours; windows are guarded by the collector's mutex,
 * which hooks never take.
 */
struct collector;
struct window;

struct keyvalue;
struct collect_options {
	const struct varve_options *o;	 /* complete; borrowed */
	const struct keyvalue *resource; /* borrowed */
	uint32_t resource_count;
	struct budget *budget;
	size_t stack_bytes, table_bytes; /* of the tables of stacks, and of live blocks, at most */
	bool keep_all;	  /* CPU and wall-clock samples too are in the window since the start */
	uint32_t tick_ms; /* between two looks at the ring; 0: 100 */
	/* Called by the collector's thread with no lock held: every tick, and every export interval with its window, which has ended. May be NULL. */
	void (*on_tick)(void *arg, uint64_t now_ns);
	/* In a forked child, before the first of these: it lives, and is more than a step on the way to exec(). */
	void (*on_child)(void *arg);
	void (*on_export)(void *arg, struct window *w);
	void *arg;
};

/*
 * Guest, modules, heap and signals are set up, the thread runs, guest.on is set. 0 or -errno with the reason.
 * collect_free() undoes all of it; takes NULL.
 */
MUST_USE int collect_new(struct collector **out, const struct collect_options *o, struct err *e);
void collect_free(struct collector *c);

/*
 * fork(): before, after in the parent, after in the child. The child has a thread of its own afterwards, which sleeps for some milliseconds first: most
 * children do nothing but call exec() or end.
 */
void collect_before_fork(struct collector *c);
void collect_after_fork(struct collector *c);
MUST_USE int collect_in_child(struct collector *c);

/* Turn kinds on and off, and change the rate of CPU samples, while it runs. */
void collect_set_profiles(struct collector *c, unsigned kinds);
void collect_set_cpu_hz(struct collector *c, unsigned hz);

/* The length of the next export intervals. */
void collect_set_interval(struct collector *c, uint64_t ms);

/* Call on_export now, and wait until it has returned. */
void collect_export_now(struct collector *c);

/* The same, but wait for no longer than that. 0 or -ETIMEDOUT. Allocates nothing. */
int collect_export_within(struct collector *c, uint64_t timeout_ms);

/*
 * Open a window of the kinds (bits of enum varve_profile). CPU and WALL, if they are off, are on while somebody has a
 * window of them. 0 or -ENOMEM.
 */
MUST_USE int collect_open(struct collector *c, unsigned kinds, struct window **out);
void collect_close(struct collector *c, struct window *w);

/* Its end: it takes no more records, and what is made of it stays the same. */
void collect_end(struct collector *c, struct window *w);

/*
 * Make the batch of one kind of what the window saw up to its end, or up to now. `out` is empty before and holds the resource, one
 * scope and a profile for each sample type: for pprof they are one file. 0 or -errno.
 */
MUST_USE int collect_batch(struct collector *c, struct window *w, enum varve_profile kind,
			   struct profile_batch *out, struct err *e);

/* The since-start window of heap, mutex, block, threadcreate and mmap. */
struct window *collect_total(struct collector *c);

/* The stacks of all threads now, as a batch (kind VARVE_THREADS), each with thread.name and state. Waits up to 200 ms. */
MUST_USE int collect_threads(struct collector *c, struct profile_batch *out, struct err *e);

/* Is this a child that has only just been forked, and has nothing to tell? */
bool collect_is_idle_child(struct collector *c);

/* End the thread without waiting for it, and leave all else as it is: the process ends now. */
void collect_abandon(struct collector *c);

/* Samples whose stacks were cut, because a table was full or a profile had no room for more. */
uint64_t collect_cut_count(struct collector *c);

/* Take out what is in the ring now. */
void collect_drain(struct collector *c);

/* Names of an address, for /debug/pprof/symbol. Returns a length below `size`. */
size_t collect_name(struct collector *c, uint64_t address, char *out, size_t size);

#endif

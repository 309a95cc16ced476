/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_HOOK_CPU_H
#define VARVE_SDK_HOOK_CPU_H

#include "base/err.h"
#include "sdk/hook/guest.h"

/*
 * CPU and wall-clock sampling by signal.
 *
 * Each thread has a timer of its own CPU time, which sends a signal to that very thread; ticks that came while one was
 * pending are in si_overrun and add to the sample's weight, so that no time is lost however slow the clock's tick is.
 * The first tick comes after a random part of the period: threads of short life are seen as often as they should be.
 *
 * The signal is a real-time one that nobody uses, the same for wall-clock samples and thread dumps: SIGPROF stays the host's.
 * The handler stays installed after signal_stop(), for signals that are still under way.
 */
MUST_USE int signal_start(struct err *e);
int signal_number(void); /* 0: none */

/*
 * The host sets (`wanted` may be NULL) and asks for (`old` may be NULL) the handler of a signal. True when it is that of the
 * profilers, which stays ours: the host's handler is noted, is called for signals that are not ours, and is what it sees.
 */
struct sigaction;
bool signal_is_ours(int number, const struct sigaction *wanted, struct sigaction *old);

/* Make the timers of all threads, now and to come, tick at `hz`; 0: delete them. Not for hooks. */
void cpu_set_hz(unsigned hz);

/* In a forked child: the timers of the one thread that is left. */
void cpu_forked(void);

/* What a signal to one thread asks for. */
enum signal_ask {
	SIGNAL_CPU = 1,	     /* from its timer */
	SIGNAL_WALL,	     /* where is it? value: microseconds that this sample stands for */
	SIGNAL_WALL_RUNNING, /* the same, of a thread that used CPU time since */
	SIGNAL_THREAD,	     /* the same for a thread dump; value: its number */
};

/* Ask a thread of the host. 0, or -ESRCH when it is gone, -EAGAIN when too many signals are pending. */
MUST_USE int signal_ask(pid_t tid, enum signal_ask what, uint32_t value);

#endif

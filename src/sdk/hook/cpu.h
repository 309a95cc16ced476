/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_SDK_HOOK_CPU_H
#define VARVE_SDK_HOOK_CPU_H

#include "base/err.h"
#include "sdk/hook/guest.h"

/*
 * CPU, wall-clock and thread-dump samples, taken by a signal to the sampled thread.
 *
 * CPU samples: each thread has a timer on its CPU clock that signals this thread. Ticks that
 * expired while a signal was pending are counted in si_overrun and added to the sample's weight, so
 * no time is lost. The first tick comes after a random part of the period, so that short-lived
 * threads are sampled without bias.
 *
 * All samples use one real-time signal that had no handler; SIGPROF is left to the host.
 */

/*
 * Choose the signal and install its handler, which stays installed for good because signals may
 * still be pending after a stop. 0, -EBUSY when every real-time signal has a handler, or -errno.
 */
MUST_USE int signal_start(struct err *e);

/* Return the number of the profilers' signal; 0: none yet. */
int signal_number(void);

/*
 * Handle the host's sigaction() call for signal `number`; `wanted` and `old` may be NULL. Return
 * false if it is not the profilers' signal. Else record the host's handler without installing it:
 * it is reported by later calls, and called for signals of this number that the profilers did not
 * send.
 */
struct sigaction;
bool signal_is_ours(int number, const struct sigaction *wanted, struct sigaction *old);

/*
 * Set the rate of the CPU timers of all present and future threads; 0: delete the timers. Not for
 * hooks.
 */
void cpu_set_hz(unsigned hz);

/* In a forked child: make the timer of the one thread that is left. */
void cpu_forked(void);

/* What a signal requests of its thread. */
enum signal_request {
	SIGNAL_CPU = 1, /* tick of the thread's CPU timer */
	/* a wall-clock sample; value: microseconds that it stands for */
	SIGNAL_WALL,
	/* the same, of a thread that has used CPU time since its last sample */
	SIGNAL_WALL_RUNNING,
	/* a stack for a thread dump; value: number of the dump */
	SIGNAL_THREAD,
};

/*
 * Send a request to a thread of the host. 0, -ESRCH when the thread is gone, -EAGAIN when too many
 * signals are pending.
 */
MUST_USE int signal_send(pid_t tid, enum signal_request what, uint32_t value);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of a process whose last thread of the host has ended. A thread of its own calls exit().
 */
#include "sdk/hook/last_thread.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/thread.h"
#include "sdk/hook/guest.h"
#include "varve/varve.h"

/* Collector only, but for `thread` and `status`, which are written once. */
static struct {
	uint64_t next_ns; /* time of the next check if no thread is seen to end */
	uint32_t ended;
	unsigned gone; /* consecutive checks that found no thread of the host */
	int status;
	struct thread thread; /* never joined: it ends the process */
} state;

static void end_process(void *arg)
{
	sigset_t none;

	(void)arg;
	guest_own_begin();
	sigemptyset(&none);
	pthread_sigmask(SIG_SETMASK, &none, NULL);
	if (!state.status)
		exit(0);
	/*
	 * The first thread ended by SYS_exit, without libc: its status is the program's, and exit
	 * handlers do not run.
	 */
	varve_stop();
	_exit(state.status);
}

void last_thread_tick(uint64_t now_ns)
{
	enum { SURE = 2 }; /* a thread list read while threads are created may miss one */
	uint32_t ended = guest_threads_ended();

	if (!state.gone && now_ns < state.next_ns && ended == state.ended)
		return;
	state.next_ns = now_ns + NS_PER_SECOND;
	state.ended = ended;
	if (!guest_host_has_ended(&state.status)) {
		state.gone = 0;
		return;
	}
	if (++state.gone == SURE &&
	    guest_own_start(&state.thread, "varve-end", end_process, NULL, NULL))
		state.gone = 0; /* no memory: try in a later tick */
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "sdk/hook/last_thread.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/thread.h"
#include "sdk/hook/guest.h"
#include "varve/varve.h"

/* The collector's own, but for `thread` and `status`, which are written once. */
static struct {
	uint64_t next_ns; /* when to look again if no end of a thread was seen */
	uint32_t ended;
	unsigned gone; /* looks in a row that found nobody */
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
	/* The first thread has ended without libc, by SYS_exit: its status is the program's, and no exit handler runs. */
	varve_stop();
	_exit(state.status);
}

void last_thread_tick(uint64_t now_ns)
{
	enum { SURE = 2 }; /* a list that is read while threads come and go may miss one */
	uint32_t ended = guest_threads_ended();

	if (!state.gone && now_ns < state.next_ns && ended == state.ended)
		return;
	state.next_ns = now_ns + NS_PER_SECOND;
	state.ended = ended;
	if (!guest_host_is_gone(&state.status)) {
		state.gone = 0;
		return;
	}
	if (++state.gone == SURE &&
	    guest_own_start(&state.thread, "varve-end", end_process, NULL, NULL))
		state.gone = 0; /* no memory: in a later tick */
}

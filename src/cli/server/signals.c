/* SPDX-License-Identifier: Apache-2.0 */
/* The main thread receives all signals synchronously with sigtimedwait(); there are no handlers. */
#include "cli/server/signals.h"

#include <errno.h>

void signals_block(sigset_t *blocked)
{
	sigemptyset(blocked);
	sigaddset(blocked, SIGTERM);
	sigaddset(blocked, SIGINT);
	sigaddset(blocked, SIGHUP);
	pthread_sigmask(SIG_BLOCK, blocked, NULL);
}

void signals_wait_for_end(struct server_process *p, const sigset_t *blocked)
{
	static const struct timespec second = {.tv_sec = 1};

	for (;;) {
		int number = sigtimedwait(blocked, NULL, &second);

		if (number == SIGHUP)
			server_process_reload(p);
		else if (number < 0 && errno == EAGAIN)
			memory_shares_trim(&p->memory);
		else if (number > 0 || errno != EINTR)
			break;
	}
	log_info(&p->log, "ending");
}

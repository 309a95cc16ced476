/* SPDX-License-Identifier: Apache-2.0 */
/* The main thread receives all signals synchronously with sigtimedwait(); there are no handlers. */
#include "cli/server/signals.h"

#include <errno.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/server/server_reload.h"
#include "cli/server/server_rules.h"

/* Some programs send a signal to a process and to its group: that is one request to end. */
#define REPEAT_NS (NS_PER_SECOND / 2)

void signals_block(sigset_t *blocked)
{
	sigemptyset(blocked);
	sigaddset(blocked, SIGTERM);
	sigaddset(blocked, SIGINT);
	sigaddset(blocked, SIGHUP);
	pthread_sigmask(SIG_BLOCK, blocked, NULL);
}

/* Wait for a second signal, and exit with the status that a shell reports for it. */
static void *exit_on_second(void *log)
{
	uint64_t first = clock_monotonic_ns();
	sigset_t ends;
	int number;

	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	for (;;) {
		if (sigwait(&ends, &number) || clock_monotonic_ns() - first < REPEAT_NS)
			continue;
		log_warn(log, "second signal: ending without draining");
		_exit(128 + number);
	}
}

/* Without memory for a thread, further signals are ignored until the server has drained. */
static void start_exit_on_second(struct server_process *p)
{
	pthread_t thread;

	if (!pthread_create(&thread, NULL, exit_on_second, &p->log))
		pthread_detach(thread);
}

/* What there is to do once a second. Return 0 or a negative errno: the server has to end. */
static int tick(struct server_process *p)
{
	memory_shares_trim(&p->memory);
	server_reload_changed(p);
	server_rules_changed(p);
	if (!p->options->service.watch || !config_watch_changed(&p->watch, &p->current->config))
		return 0;
	return server_reload(p);
}

int signals_wait_for_end(struct server_process *p, const sigset_t *blocked)
{
	static const struct timespec second = {.tv_sec = 1};
	int rc = 0;

	while (!rc) {
		int number = sigtimedwait(blocked, NULL, &second);

		if (number == SIGHUP)
			rc = server_reload(p);
		else if (number < 0 && errno == EAGAIN)
			rc = tick(p);
		else if (number > 0 || errno != EINTR)
			break;
	}
	log_info(&p->log, "ending");
	start_exit_on_second(p);
	return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_SERVER_SIGNALS_H
#define VARVE_CLI_SERVER_SIGNALS_H

#include <signal.h>

#include "cli/server/server_process.h"

/*
 * SIGTERM and SIGINT end the server, SIGHUP reloads its configuration. One more SIGTERM or
 * SIGINT while the server drains ends the process at once.
 */

/* Block these signals, before any thread is started. */
void signals_block(sigset_t *blocked);

/*
 * Wait for the end. Meanwhile reload on SIGHUP or, with --watch, when files change, and trim the
 * allocator once a second. After the return, the next signal ends the process. Return 0, or a
 * negative errno if the end is due to a failed reload, which was logged.
 */
MUST_USE int signals_wait_for_end(struct server_process *p, const sigset_t *blocked);

#endif

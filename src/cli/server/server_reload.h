/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_SERVER_SERVER_RELOAD_H
#define VARVE_CLI_SERVER_SERVER_RELOAD_H

#include "cli/server/server_process.h"

/*
 * Read tokens, certificates and, if there is --config, the configuration again, and replace the
 * pipelines (pipeline/service.h). An error is logged, and what ran before goes on. Limits, the
 * memory limit and the store stay as they are until the next start. Main thread.
 *
 * Return 0, or a negative errno if nothing runs any more, so that the server has to end.
 */
MUST_USE int server_reload(struct server_process *p);

/*
 * Begin to watch the token file and the certificates. server_reload_changed() reads them again if
 * they have changed since; call it once a second.
 */
void server_reload_watch(struct server_process *p);
void server_reload_changed(struct server_process *p);

#endif

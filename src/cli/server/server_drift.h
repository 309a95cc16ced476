/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_SERVER_SERVER_DRIFT_H
#define VARVE_CLI_SERVER_SERVER_DRIFT_H

#include "cli/server/server_process.h"

/*
 * Detection of drift in the stored profiles (api/drift/drift_monitor.h), unless it is switched off
 * by --no-drift or service.drift.enabled. Its settings are those of the start.
 */

/* Make the monitor, with the events of an earlier process. Return 0 or -errno. */
MUST_USE int server_drift_add(struct server_process *p, struct err *e);

/* Begin to watch. Without a monitor do nothing. Return 0 or -errno. */
MUST_USE int server_drift_start(struct server_process *p, struct err *e);

/* Stop to watch, before the store is closed. May be called twice. */
void server_drift_stop(struct server_process *p);

/* Free the monitor, after the API. */
void server_drift_remove(struct server_process *p);

#endif

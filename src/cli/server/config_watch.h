/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_SERVER_CONFIG_WATCH_H
#define VARVE_CLI_SERVER_CONFIG_WATCH_H

#include "cli/server/file_watch.h"
#include "config/config.h"

/* Notices that a file of the configuration changed: file_watch.h. */

/* Begin to watch the files of a configuration that was loaded. */
void config_watch_begin(struct file_watch *w, const struct config *c);

/* Return whether they changed since, and are complete. */
bool config_watch_changed(struct file_watch *w, const struct config *c);

#endif

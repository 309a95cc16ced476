/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_SERVER_SERVER_RULES_H
#define VARVE_CLI_SERVER_SERVER_RULES_H

#include "cli/server/server_process.h"

/*
 * The rules of the server: service.rules, or the files .yml and .yaml in the folder rules of the data
 * directory.
 * Main thread.
 */

/*
 * Load the rules, if there is a store of metrics and the API. An error in a rule file is returned
 * with its place. Call server_rules_free() in either case.
 */
MUST_USE int server_rules_add(struct server_process *p, struct err *e);

/* Start to evaluate, if there are rules. The API exists. Return 0 or -errno. */
MUST_USE int server_rules_start(struct server_process *p, struct err *e);

/* End evaluations, before the pipelines and the store end. */
void server_rules_stop(struct server_process *p);
void server_rules_free(struct server_process *p);

/*
 * Read the settings of the current configuration and the files again. An error is logged, and the
 * rules before go on.
 */
void server_rules_reload(struct server_process *p);

/* Do the same if a file has changed, was added or removed; call it once a second. */
void server_rules_changed(struct server_process *p);

#endif

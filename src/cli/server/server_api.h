/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_SERVER_SERVER_API_H
#define VARVE_CLI_SERVER_SERVER_API_H

#include "cli/server/server_process.h"

/*
 * Create the API over the opened store and register its routes on service.api.endpoint. Without a
 * store, or in a collector without service.api, return 0 and do nothing. Return 0 or -errno; call
 * server_api_remove() in either case.
 */
MUST_USE int server_api_add(struct server_process *p, struct err *e);

/* Free the API. The service must have been stopped before. */
void server_api_remove(struct server_process *p);

/* Return whether a configuration with a store has the API. */
bool server_api_wanted(const struct server_process *p, const struct config *c);

/* Register the routes of the existing API again, with these settings, for a reload. */
MUST_USE int server_api_register(struct server_process *p, struct server_settings *settings,
				 struct err *e);

#endif

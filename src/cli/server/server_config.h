/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_SERVER_SERVER_CONFIG_H
#define VARVE_CLI_SERVER_SERVER_CONFIG_H

#include "base/log.h"
#include "cli/service_options.h"
#include "pipeline/server_settings.h"

/* A configuration of the server with its server-wide settings; a reload makes a new one. */
struct server_config {
	struct config config;
	struct server_settings settings;
};

/*
 * Load the configuration that the options choose (cli/service_options.h). Return 0, or -errno with
 * the place in `e`. On success the caller owns *out.
 */
MUST_USE int server_config_load(struct server_config **out, const struct service_options *o,
				const char *name, struct err *e);
void server_config_free(struct server_config *c); /* takes NULL */

/* Log what the configuration warns of. */
void server_config_log_warnings(const struct server_config *c, const struct log *log);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_SERVER_SETTINGS_H
#define VARVE_PIPELINE_SERVER_SETTINGS_H

#include "config/settings.h"
#include "pipeline/limits.h"

/* Settings of the server as a whole: the keys of "service" beside extensions, pipelines and telemetry. */
struct access_settings {
	/* Names in Host that are answered beside those of loopback and of the addresses listened on. */
	struct setting_list allowed_hosts;
};

struct server_settings {
	struct access_settings access;
	struct limits_settings limits;
};

/* The keys, each a table, for `varve config help`; ends with a NULL name. */
struct server_section {
	const char *name, *help;
	const struct setting *settings;
	size_t offset; /* in struct server_settings */
};
extern const struct server_section server_sections[];

/* Read and check them; `service` is the node "service" (NULL: all defaults). Errors name the place. */
MUST_USE int server_settings_read(struct server_settings *out, const struct config_node *service,
				  struct arena *arena, struct err *e);

#endif

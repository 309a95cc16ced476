/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_SERVER_SETTINGS_H
#define VARVE_PIPELINE_SERVER_SETTINGS_H

#include "config/settings.h"
#include "pipeline/admission/limits.h"
#include "pipeline/receivers/receive.h"

/* Server-wide settings: the keys of "service" other than extensions, pipelines and telemetry. */

/* People who a reverse proxy authenticates (api/access/proxy_users.h). */
struct proxy_settings {
	struct setting_list peers, grants;
	struct str user_header, groups_header;
};

struct access_settings {
	/* Accepted names in Host, besides loopback names and the addresses listened on. */
	struct setting_list allowed_hosts;
	struct proxy_settings proxy;
	struct str sender_key_file; /* NUL-terminated; empty: none */
};

/* The listener of the query API and the web UI. */
struct api_settings {
	struct str endpoint;
	struct str tempo_endpoint;	/* another address of the same; empty: none */
	struct str prometheus_endpoint; /* of what is below /prometheus; empty: none */
	struct receive_tls tls; /* default: the settings of a receiver on the same address */
};

/* Detection of drift (docs/drift.md). */
struct drift_settings {
	bool enabled;
	int64_t cpu_percent;
	uint64_t delay_ns;
};

struct server_settings {
	struct api_settings api;
	struct access_settings access;
	struct limits_settings limits;
	struct drift_settings drift;
};

/* The keys with their tables, also for `varve config help`; terminated by a NULL name. */
struct server_section {
	const char *name, *help;
	const struct setting *settings;
	size_t offset; /* in struct server_settings */
};
extern const struct server_section server_sections[];

/*
 * Read and check the settings below the node `service` (NULL: all defaults). Errors name the line.
 */
MUST_USE int server_settings_read(struct server_settings *out, const struct config_node *service,
				  struct arena *arena, struct err *e);

#endif

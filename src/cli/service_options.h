/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_SERVICE_OPTIONS_H
#define VARVE_CLI_SERVICE_OPTIONS_H

#include "cli/command.h"
#include "config/config.h"

/* The options of varve up, server and config that choose a configuration and override values. */
struct service_options {
	struct option_list config; /* files; none: the built-in configuration */
	struct option_list set;
	struct option_list feature_gates; /* ignored */
	bool allow_unset, watch, no_sanitize, no_span_metrics;
	struct option_list rules;		    /* files and patterns */
	struct option_list alertmanagers, webhooks; /* URLs */
	const char *data, *listen, *tempo_listen, *prometheus_listen, *otlp_grpc, *otlp_http,
		*retention, *retention_size;
	const char *retention_traces, *retention_logs, *retention_metrics, *retention_profiles;
	const char *reject_newer_than, *allowed_hosts;
	const char *encrypt_key_file, *sender_key_file;
	const char *tls_certificate, *tls_key, *tls_client_ca;
	uint64_t memory_limit;
};

extern const struct option service_options[];

/* Those of varve collector, which has no built-in configuration: --config, --set, --allow-unset. */
extern const struct option collector_options[];

/*
 * Load the effective configuration: the files of --config, or the built-in `name`, overridden by
 * the options and then by --set in order. Return 0, or -errno with the position in `e`.
 */
MUST_USE int service_options_load(struct config *c, const struct service_options *o,
				  const char *name, struct err *e);

#endif

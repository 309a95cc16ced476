/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_SERVICE_OPTIONS_H
#define VARVE_CLI_SERVICE_OPTIONS_H

#include "cli/command.h"
#include "config/config.h"

/* What `varve up`, `varve server` and `varve config` take to choose and change a configuration. */
struct service_options {
	const char *config; /* instead of the built-in one */
	struct option_list set;
	const char *data, *listen, *otlp_grpc, *otlp_http, *retention, *retention_size;
	const char *reject_newer_than, *allowed_hosts;
	const char *tls_certificate, *tls_key, *tls_client_ca;
	uint64_t memory_limit;
};

extern const struct option service_options[];

/*
 * The effective configuration: the built-in `name` or --config, then the flags, then --set in their
 * order. 0 or -errno with the place in `e`.
 */
MUST_USE int service_options_load(struct config *c, const struct service_options *o,
				  const char *name, struct err *e);

#endif

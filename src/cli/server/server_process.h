/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_SERVER_SERVER_PROCESS_H
#define VARVE_CLI_SERVER_SERVER_PROCESS_H

#include "api/access/access.h"
#include "api/api.h"
#include "cli/server/config_watch.h"
#include "cli/server/memory_shares.h"
#include "cli/server/self_metrics.h"
#include "cli/server/self_profile.h"
#include "cli/server/server_config.h"
#include "pipeline/host.h"
#include "pipeline/service.h"

/*
 * The process of `varve up`, `varve server` and `varve collector`: its parts, and the order in
 * which they start and stop. All functions are for the main thread.
 */
struct server_options {
	struct common_options common;
	struct service_options service;
	const char *token_file, *audit_log;
	uint64_t audit_log_size;
	bool tenants, insecure, no_self_profile, no_self_metrics, no_drift;
	unsigned log_level; /* enum log_level */
	/*
	 * varve collector: run what the files of --config say and nothing else. The API is served,
	 * and this process profiled, only if they say so; receivers may listen on any address and
	 * accept any Host, as those of the OpenTelemetry Collector.
	 */
	bool collector;
	uint64_t memory_limit; /* 0: that of the processor memory_limiter, or its default */
};

struct server_process {
	const struct server_options *options; /* borrowed */
	uint64_t began;			      /* monotonic ns */
	struct log log;
	struct server_config *current;
	struct file_watch watch;    /* of the configuration */
	struct file_watch secrets;  /* of tokens and certificates */
	struct audit *audit;	    /* NULL: no audit log */
	const char *data_directory; /* of the store; NULL: none */
	struct key_ring *data_keys; /* of the store; NULL: not encrypted */
	struct limits limits;
	struct access access;
	struct memory_shares memory;
	struct host host;
	struct service *service;
	struct api *api;     /* NULL: no pipeline has a store */
	struct rules *rules; /* NULL: no API, or no store of metrics */
	struct file_watch rule_files;
	char *rules_directory; /* that of the data */
	bool rules_started;
	struct drift_monitor *drift;   /* NULL: drift is not watched */
	uint64_t profile_retention_ns; /* of the store; 0: unlimited */
	struct http_route *api_routes, *agent_routes;
	struct self_profile_target self_profile_target;
	bool self_profile;    /* profiles of this process are sent to its pipeline */
	bool profiles_wanted; /* an extension serves them */
	struct self_metrics_target self_metrics_target;
	struct self_metrics *self_metrics; /* NULL: they are not stored */
	bool serving, profiling;
	bool has_host, has_access, has_limits;
};

/*
 * Create all parts for the built-in configuration `name`, or for --config. Return 0 or -errno; call
 * server_process_fini() or server_process_stop() in either case. `p` must not be moved.
 */
MUST_USE int server_process_init(struct server_process *p, const struct server_options *o,
				 const char *name, struct err *e);
void server_process_fini(struct server_process *p);

/* Listen, begin to accept data, and log the addresses. Return 0 or -errno. */
MUST_USE int server_process_start(struct server_process *p, struct err *e);

/* Finish requests in flight, write what was acknowledged, free everything, and log the times. */
void server_process_stop(struct server_process *p);

/*
 * Start the profilers of this process if they do not run, without sending what they find. They
 * start with the process if it has not been started yet.
 */
void server_process_want_profiles(struct server_process *p);

#endif

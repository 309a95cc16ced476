/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_SERVER_PROFILE_ENDPOINT_H
#define VARVE_CLI_SERVER_PROFILE_ENDPOINT_H

#include "base/err.h"

/*
 * libvarve's endpoint /debug/pprof of this process, for the extension pprof: struct
 * host.serve_profiles and stop_profiles. `arg` is the struct server_process, whose profilers are
 * started if they do not run yet. An address other than loopback accepts any Host, as that of the
 * OpenTelemetry Collector.
 */
MUST_USE int profile_endpoint_start(void *arg, const char *address, void **out, struct err *e);
void profile_endpoint_stop(void *endpoint);

/* struct host.want_profiles, with the same `arg`. */
void profile_endpoint_want(void *arg);

#endif

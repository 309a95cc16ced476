/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_SERVER_SELF_PROFILE_H
#define VARVE_CLI_SERVER_SELF_PROFILE_H

#include "api/request.h"
#include "config/config.h"
#include "pipeline/host.h"

/*
 * The server profiles itself: libvarve's profilers run in this process and deliver to the same
 * pipeline as other senders, as the service "varve". At most one per process.
 *
 * Windows without samples are not sent, so that an idle server stays idle.
 */
struct self_profile_target {
	pthread_mutex_t mu;  /* held while a profile is delivered, and during a reload */
	struct consumer *to; /* NULL: profiles are discarded */
};

struct self_profile_options {
	/* All are borrowed and must outlive the profilers. */
	struct host *host;
	struct self_profile_target *target;
	struct str tenant; /* empty: the server has no tenants */
};

/* Read service.telemetry.profiles (default: true). Return 0, or -EINVAL if it is no boolean. */
MUST_USE int self_profile_configured(const struct config *c, bool *configured, struct err *e);

/*
 * Return NULL, or why this build cannot profile itself: the thread sanitizer intercepts the
 * signals of the profilers.
 */
const char *self_profile_impossible(void);

/* Start the profilers. Return 0 or -errno; after an error the server can run without them. */
MUST_USE int self_profile_start(const struct self_profile_options *o, struct err *e);

/*
 * Deliver what was collected and stop; must be called before the pipeline stops. Do nothing if the
 * profilers were not started.
 */
void self_profile_stop(void);

/*
 * Serve /debug/pprof/ of this process, like libvarve's own endpoint (sdk/debug/debug_pprof.c).
 * Return -EAGAIN if the server does not profile itself. An api_answer.
 */
int self_profile_answer(struct request *r, struct reply *out, struct err *e);

/* struct host.take_profile; `arg` is not used. */
MUST_USE int self_profile_take(void *arg, unsigned seconds, const _Atomic bool *cancelled,
			       struct buf *out, struct err *e);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_SELF_PROFILE_H
#define VARVE_CLI_SELF_PROFILE_H

#include "api/request.h"
#include "pipeline/host.h"

/*
 * The server profiles itself: libvarve's profilers, inside of this process, deliver to the pipeline that others send to. The service is
 * called "varve". A process has one of these.
 *
 * Nothing is sent while nothing was seen, so that an idle server stays idle.
 */
struct self_profile_options {
	struct host *host;   /* outlives it */
	struct consumer *to; /* likewise */
	struct str tenant;   /* likewise; empty: the one there is */
};

/* Can it be done in this program? NULL, or why not: some sanitizers take a program's signals for themselves. */
const char *self_profile_impossible(void);

/* Begin. 0, or -errno with the reason: then the server runs without. */
MUST_USE int self_profile_start(const struct self_profile_options *o, struct err *e);

/* Deliver what is there, and end. Nothing when it was not begun. Before the pipeline stops. */
void self_profile_stop(void);

/*
 * Answer /debug/pprof/ about this process, as libvarve's own endpoint does (sdk/debug/debug_pprof.c). -EAGAIN: the server does not
 * profile itself. An api_answer.
 */
int self_profile_answer(struct request *r, struct reply *out, struct err *e);

#endif

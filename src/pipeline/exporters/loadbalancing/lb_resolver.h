/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_EXPORTERS_LOADBALANCING_LB_RESOLVER_H
#define VARVE_PIPELINE_EXPORTERS_LOADBALANCING_LB_RESOLVER_H

#include <pthread.h>

#include "base/arena.h"
#include "base/log.h"
#include "base/thread.h"
#include "pipeline/telemetry/telemetry.h"

/*
 * Resolves a name again and again, in a thread of its own, and reports its addresses. A failure is
 * logged; the addresses reported before stay in effect.
 */
struct lb_resolver_options {
	struct str hostname; /* outlives the resolver */
	uint16_t port;
	uint64_t interval_ns;
	const struct log *log;
	const char *id; /* of the exporter, for the log */
	struct telemetry *telemetry;
	/*
	 * Take the addresses: "192.0.2.1:4317", "[::1]:4317", sorted and different, at least one.
	 * In the resolver's thread.
	 */
	void (*resolved)(void *owner, const char *const *endpoints, uint32_t count);
	void *owner;
};

struct lb_resolver {
	struct lb_resolver_options options;
	struct thread thread;
	pthread_mutex_t mu; /* guards the next rows */
	pthread_cond_t changed;
	bool stop, done_once;
	struct telemetry_value *succeeded, *failed;
};

MUST_USE int lb_resolver_init(struct lb_resolver *r, const struct lb_resolver_options *options);
void lb_resolver_fini(struct lb_resolver *r);

/* Start the thread, and wait for its first result, at most for `wait_ns`. */
MUST_USE int lb_resolver_start(struct lb_resolver *r, uint64_t wait_ns, struct err *e);
void lb_resolver_stop(struct lb_resolver *r);

#endif

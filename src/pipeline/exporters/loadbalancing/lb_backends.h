/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_EXPORTERS_LOADBALANCING_LB_BACKENDS_H
#define VARVE_PIPELINE_EXPORTERS_LOADBALANCING_LB_BACKENDS_H

#include <pthread.h>

#include "pipeline/component.h"
#include "pipeline/exporters/loadbalancing/hash_ring.h"
#include "pipeline/exporters/otlp/otlp_exporter.h"

/*
 * The backends of a load balancer: an exporter `otlp` for each endpoint, and the ring of the
 * endpoints. The list may change while data is sent: whoever uses it holds `lock` for reading.
 */
struct lb_backend {
	char *endpoint; /* as in the list: "host:port", or a host */
	char *id;	/* of the exporter: "loadbalancing/host:port" */
	struct otlp_settings settings;
	struct component_env env;
	void *instance; /* of the exporter */
	bool started;
	/* otelcol_loadbalancer_backend_outcome */
	struct telemetry_value *succeeded, *failed;
};

struct lb_backends {
	const struct component_env *env;
	const struct otlp_settings *settings; /* those of all backends, without the endpoint */
	pthread_rwlock_t lock;		      /* guards the next rows */
	struct lb_backend **at;
	uint32_t count;
	struct hash_ring ring;
	struct telemetry_value *gauge, *updates;
};

/* `resolver` is a label of metrics. Return 0 or -errno. */
MUST_USE int lb_backends_init(struct lb_backends *b, const struct component_env *env,
			      const struct otlp_settings *settings, const char *resolver);

/* Destroy all backends, which must have been stopped. */
void lb_backends_fini(struct lb_backends *b);

/*
 * Set the endpoints, which are sorted and different. New backends are created, and started if
 * `start` is set; those that are gone are stopped, which sends what they have queued. On error the
 * old list stays in effect. One thread at a time.
 */
MUST_USE int lb_backends_set(struct lb_backends *b, const char *const *endpoints, uint32_t count,
			     bool start, struct err *e);

/* Start those that are not started. */
MUST_USE int lb_backends_start(struct lb_backends *b, struct err *e);

/* Stop all, at the same time. */
void lb_backends_stop(struct lb_backends *b);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_CLI_SERVER_SELF_METRICS_H
#define VARVE_CLI_SERVER_SELF_METRICS_H

#include "api/api.h"
#include "config/config.h"
#include "pipeline/host.h"

/*
 * The server stores its own metrics, those of /metrics: every 15 seconds they are delivered to the
 * pipeline of metrics, as if Prometheus had scraped them, with the labels `job` ("varve") and
 * `instance` and the series `up`. No network is used.
 */
struct self_metrics_target {
	pthread_mutex_t mu;  /* held while metrics are delivered, and during a reload */
	struct consumer *to; /* NULL: metrics are discarded */
};

struct self_metrics_options {
	/* All are borrowed and must outlive the thread. */
	struct host *host;
	struct self_metrics_target *target;
	struct api *api;
	struct str tenant;   /* empty: the server has no tenants */
	struct str instance; /* host:port; copied */
};

struct self_metrics;

/* Return whether service.telemetry.metrics.level is not "none". */
bool self_metrics_configured(const struct config *c);

/* Start the thread. Return 0 and set *out, which the caller stops; or -errno. */
MUST_USE int self_metrics_start(struct self_metrics **out, const struct self_metrics_options *o,
				struct err *e);

/* Deliver once more and end the thread. Call it before the pipeline stops. Accepts NULL. */
void self_metrics_stop(struct self_metrics *s);

#endif

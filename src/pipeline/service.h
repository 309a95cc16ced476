/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_SERVICE_H
#define VARVE_PIPELINE_SERVICE_H

#include "pipeline/component.h"

/*
 * The pipelines of a configuration, in the shape of the OpenTelemetry Collector's:
 *
 *	receivers: {otlp: {...}}
 *	processors: {memory_limiter: {...}}
 *	exporters: {store: {...}}
 *	extensions: {...}
 *	service:
 *	  extensions: [...]
 *	  pipelines:
 *	    profiles: {receivers: [otlp], processors: [memory_limiter], exporters: [store]}
 *
 * An id is the name of a component, or that and "/" and more. Receivers, exporters and extensions are there once;
 * processors once in each pipeline.
 */
struct service;

/*
 * Check the configuration and create all components. `more` are components beside those of
 * components.c, NULL-terminated, or NULL. Errors name the place and what was probably meant.
 * The config must outlive the service. On success *out is the caller's.
 */
MUST_USE int service_new(struct service **out, const struct config *config, struct host *host,
			 const struct component *const *more, struct err *e);

/* Check a configuration, make nothing. Errors as above. */
MUST_USE int service_check(const struct config *config, const struct component *const *more,
			   struct err *e);

/* Where the first pipeline of the signal begins, for data that comes by another way; NULL: there is none. */
struct consumer *service_head(const struct service *s, enum signal_kind signal);

/* Start all; what listens listens from then on. After an error only service_free() is left to do. */
MUST_USE int service_start(struct service *s, const struct net_options *options, struct err *e);

/* No new data; what is on its way is finished, senders get their answers, no later than the time-out. */
void service_stop(struct service *s, uint64_t timeout_ms);

/* Stops what runs. Takes NULL. */
void service_free(struct service *s);

#endif

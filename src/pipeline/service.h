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
 * An id is the name of a component, optionally followed by "/" and more. A receiver, exporter or
 * extension has one instance per id; a processor has one instance in each pipeline; a connector has
 * one for each signal that it consumes. Components that no pipeline uses are checked, reported with
 * config_warn(), and not created.
 *
 * Several services can share a host: an instance has no global state.
 */
struct service;

/*
 * Check the configuration and create all components. `more` is NULL or a NULL-terminated table of
 * components besides those of components.c. Errors name the line and suggest corrections. The
 * config must outlive the service. On success the caller owns *out.
 */
MUST_USE int service_new(struct service **out, const struct config *config, struct host *host,
			 const struct component *const *more, struct err *e);

/* Check a configuration without creating anything. Errors as above. */
MUST_USE int service_check(const struct config *config, const struct component *const *more,
			   struct err *e);

/*
 * Return the first consumer of the signal's first pipeline, for decoded data from other sources, or
 * NULL if there is none. Only before service_start().
 */
struct consumer *service_head(struct service *s, enum signal_kind signal);

/* Start all components, then listen. After an error only service_free() may be called. */
MUST_USE int service_start(struct service *s, const struct net_options *options, struct err *e);

/*
 * Refuse new data, wait at most for the timeout until data in transit is delivered and senders are
 * answered, then stop all components.
 */
void service_stop(struct service *s, uint64_t timeout_ms);

/* What a reload needs besides the service. */
struct service_reload {
	const struct config *config; /* the new one; outlives the service */
	const struct net_options *options;
	/* How long requests in flight may take before their connections are closed. */
	uint64_t timeout_ms;
	/*
	 * Called after all components of a configuration were created, to register other routes and
	 * to look up service_head(). An error ends the reload. May be NULL.
	 */
	int (*created)(void *owner, struct service *next, const struct config *config,
		       struct err *e);
	/* Called while no data flows, before `now` serves its first request. May be NULL. */
	void (*swapped)(void *owner, struct service *now);
	void *owner;
};

/*
 * Replace a running service by one of another configuration. All of the new one is created and its
 * addresses are opened while the old one runs; an error until then changes nothing. Then requests
 * are held back, the old components stop and the new ones start. Addresses in both configurations
 * keep their sockets and connections; exporters of the same id take over the queue in memory.
 *
 * On success *s is the new service and the old one is freed. If a new component does not start,
 * the old configuration is created and started again, and the error is returned; if that fails,
 * too, *s is NULL: nothing runs any more, and the caller has to end.
 */
MUST_USE int service_reload(struct service **s, const struct service_reload *r, struct err *e);

/* Stop the service if it runs, and free it. `s` may be NULL. */
void service_free(struct service *s);

#endif

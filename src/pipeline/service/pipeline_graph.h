/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_SERVICE_PIPELINE_GRAPH_H
#define VARVE_PIPELINE_SERVICE_PIPELINE_GRAPH_H

#include "pipeline/service/item_counters.h"
#include "pipeline/service/pipeline_plan.h"

/*
 * The created components of a service, connected as its plans say. Private to the service.
 *
 * Data forms: a pipeline carries OTLP payloads, or decoded data if all of its exporters take that,
 * or if its receivers can deliver nothing else and no processor wants payloads. A stage that
 * decodes or encodes is put before each component that takes the other form. Decoding loses what
 * the store does not keep, so what was received as a payload is never encoded again.
 */
struct component_instance {
	const struct component *type;
	const char *id;
	void *state;
	bool started;
};

struct pipeline_graph {
	struct arena *arena;
	struct host *host;
	/* In the order of creation: extensions, exporters, pipelines, receivers. */
	VEC(struct component_instance) instances;
	struct extension *extensions;
	uint32_t extension_count;
	const struct service_outline *outline; /* of the service */
	VEC(struct receiver_counter *) receivers;
};

/*
 * Create everything that the plans use. Return 0 or a negative errno with text in `e`; call
 * pipeline_graph_fini() in either case.
 */
MUST_USE int pipeline_graph_create(struct pipeline_graph *g, const struct component_entries *c,
				   const struct pipeline_plans *plans, struct err *e);

/* Destroy all instances, which have to be stopped. */
void pipeline_graph_fini(struct pipeline_graph *g);

/*
 * Return the first consumer of a created pipeline for data of that form, with a stage before it if
 * the pipeline carries the other one. NULL with text in `e` if that fails.
 */
struct consumer *pipeline_graph_head(struct pipeline_graph *g, struct pipeline_plan *p,
				     enum component_form form, struct err *e);

#endif

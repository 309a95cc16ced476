/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_SERVICE_PIPELINE_STAGES_H
#define VARVE_PIPELINE_SERVICE_PIPELINE_STAGES_H

#include <errno.h>

#include "pipeline/service/pipeline_graph.h"

/*
 * The building blocks of a graph: instances, consumers, and what the service itself puts between
 * components: stages that convert, journals, fanouts and counters. Functions that return a consumer
 * return NULL on error, with code and text in `e` unless memory is exhausted; pipeline_failure()
 * returns the code.
 */
static inline int pipeline_failure(const struct err *e)
{
	return e->code ? e->code : -ENOMEM;
}

/* The environment of a component: copied into the arena. */
struct component_env pipeline_env(const struct pipeline_graph *g, const char *id);

/* Create an instance and append it. Return 0 or a negative errno with text in `e`. */
MUST_USE int pipeline_instance(struct pipeline_graph *g, const struct component *type,
			       const struct component_env *env, const void *settings, void **state,
			       struct err *e);

/* Create an instance that consumes; `next` has to admit data, too, and may be NULL. */
struct consumer *pipeline_consumer(struct pipeline_graph *g, const struct component *type,
				   const struct component_env *env, const void *settings,
				   struct consumer *next, struct err *e);

/* Return one consumer for several. */
struct consumer *pipeline_join(struct pipeline_graph *g, struct consumer *const *to,
			       uint32_t count);

/* Return a stage before `next` that takes the other form. */
struct consumer *pipeline_convert(struct pipeline_graph *g, const struct pipeline_plan *p,
				  struct consumer *next, enum component_form taken, struct err *e);

/* Return a journal before `next`, in the storage of the pipeline's durable exporter. */
struct consumer *pipeline_journal(struct pipeline_graph *g, const struct pipeline_plan *p,
				  struct consumer *next, struct err *e);

/* Return a stage before `next` that repeats what it refuses (retry_stage.h). */
struct consumer *pipeline_retry(struct pipeline_graph *g, const struct pipeline_plan *p,
				struct consumer *next, struct err *e);

/* Return a counter before `next` of processors; both values may be NULL, then it is `next`. */
struct consumer *pipeline_counter(struct pipeline_graph *g, struct telemetry_value *outgoing,
				  struct telemetry_value *incoming, struct consumer *next);

/* Return the id of the storage extension of an exporter, or an empty one. */
struct str exporter_storage(const struct component_entry *entry);

/* Return whether an exporter keeps data durably. */
bool exporter_is_durable(const struct component_entry *entry);

#endif

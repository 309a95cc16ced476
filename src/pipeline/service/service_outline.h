/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_SERVICE_OUTLINE_H
#define VARVE_PIPELINE_SERVICE_OUTLINE_H

#include "pipeline/service/pipeline_plan.h"

/*
 * What a service consists of, for the pages of the extension zpages. Complete and immutable before
 * the first request is served; owned by the service.
 */
struct outline_component {
	const char *id;
	const struct component *type;
};

struct outline_list {
	const struct outline_component *at;
	uint32_t n;
};

struct outline_pipeline {
	const char *name; /* "traces/2" */
	enum signal_kind signal;
	bool mutates;		       /* some processor changes items or leaves some out */
	const char *durable;	       /* id of the exporter that keeps data durably, or NULL */
	struct outline_list listed[3]; /* receivers, processors, exporters */
};

struct service_outline {
	const struct outline_pipeline *pipelines; /* in the order of the configuration */
	uint32_t pipeline_count;
	struct outline_list extensions;
};

/* Describe created pipelines. Texts are borrowed from the plans. Return 0 or -ENOMEM. */
MUST_USE int service_outline_make(struct service_outline *out, const struct pipeline_plans *plans,
				  struct arena *arena);

#endif

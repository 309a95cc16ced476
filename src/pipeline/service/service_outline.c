/* SPDX-License-Identifier: Apache-2.0 */
/* Copies what is to be shown of the plans of a service. */
#include "pipeline/service/service_outline.h"

#include <errno.h>

static int outline_components(struct outline_list *out, const struct component_list *list,
			      struct arena *arena)
{
	struct outline_component *at = arena_alloc(arena, list->n + 1, sizeof(*at));

	if (!at)
		return -ENOMEM;
	for (uint32_t i = 0; i < list->n; i++)
		at[i] = (struct outline_component){list->at[i]->id.p, list->at[i]->type};
	*out = (struct outline_list){at, list->n};
	return 0;
}

static int outline_pipeline(struct outline_pipeline *out, const struct pipeline_plan *p,
			    struct arena *arena)
{
	const struct component_list *processors = &p->listed[COMPONENT_PROCESSOR];
	int rc = 0;

	*out = (struct outline_pipeline){
		.name = p->name,
		.signal = p->signal,
		.durable = p->durable_exporter ? p->durable_exporter->id.p : NULL,
	};
	for (uint32_t i = 0; i < processors->n; i++)
		out->mutates |= processors->at[i]->type->mutates;
	for (unsigned i = 0; i < countof(out->listed) && !rc; i++)
		rc = outline_components(&out->listed[i], &p->listed[i], arena);
	return rc;
}

int service_outline_make(struct service_outline *out, const struct pipeline_plans *plans,
			 struct arena *arena)
{
	struct outline_pipeline *at = arena_alloc(arena, plans->n + 1, sizeof(*at));
	int rc = at ? outline_components(&out->extensions, &plans->extensions, arena) : -ENOMEM;

	for (uint32_t i = 0; i < plans->n && !rc; i++)
		rc = outline_pipeline(&at[i], &plans->at[i], arena);
	if (rc)
		return rc;
	out->pipelines = at;
	out->pipeline_count = plans->n;
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_SERVICE_PIPELINE_PLAN_H
#define VARVE_PIPELINE_SERVICE_PIPELINE_PLAN_H

#include "pipeline/service/component_entries.h"

/* The pipelines of a configuration, checked, before anything is created. Private to the service. */
struct pipeline_plan {
	const char *name; /* "profiles/2" */
	const struct config_node *node;
	enum signal_kind signal;
	/* Receivers, processors and exporters; connectors are among receivers and exporters. */
	struct component_list listed[3];
	unsigned visit; /* of the search for cycles */

	/* Once created: the first consumer, and the form that it takes. */
	struct consumer *head;
	enum component_form form;
	/* The head after a stage that takes the other form, or NULL. */
	struct consumer *converted;
	/* See component_env.durable. */
	bool durable;
	/* The first durable exporter; NULL: none. */
	const struct component_entry *durable_exporter;
};

struct pipeline_plans {
	struct pipeline_plan *at;
	uint32_t n;
	/* All pipelines; each one after those that its connectors feed. */
	struct pipeline_plan **order;
	struct component_list extensions; /* of service.extensions */
};

/*
 * Read the section `service`, mark the components that are used, and check that connectors join
 * pipelines without a cycle. Return 0, -ENOMEM, or -EINVAL with the place in `e`.
 */
MUST_USE int pipeline_plans_read(struct pipeline_plans *p, struct component_entries *entries,
				 const struct config_node *service, struct err *e);

/* Return the signals that a connector makes of `signal`, or-ed. */
unsigned connector_emits(const struct component *type, enum signal_kind signal);

#endif

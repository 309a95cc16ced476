/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_SERVICE_KNOWN_COMPONENTS_H
#define VARVE_PIPELINE_SERVICE_KNOWN_COMPONENTS_H

#include "pipeline/component.h"

/*
 * The components of the OpenTelemetry Collector's distributions, core and contrib, that this
 * program lacks, for errors that name the nearest one. Private to the service.
 */
struct known_component {
	const char *name;
	/* What can replace it; NULL: nothing. It may be missing in the table of components. */
	const char *nearest;
};

/*
 * Return the known component of that name, or NULL. Old and new spelling are the same:
 * "kafka_metrics" is "kafkametrics".
 */
const struct known_component *known_component_find(enum component_kind kind, struct str name);

#endif

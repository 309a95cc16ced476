/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_CONVERT_PROMETHEUS_PROM_ATTRIBUTES_H
#define VARVE_PIPELINE_CONVERT_PROMETHEUS_PROM_ATTRIBUTES_H

#include "pipeline/convert/prometheus/prom_labels.h"
#include "pipeline/convert/prometheus/prom_names.h"
#include "signal/otlp/attributes.h"

/* Attributes as labels. */

/* How texts are made, and where. */
struct prom_text {
	enum prom_strategy strategy;
	struct arena *arena;
};

/*
 * Append the labels of the attributes, which are sorted by key for that. Attributes that get the
 * same name are joined by `;`. Return 0, -ENOMEM or -EBADMSG.
 */
MUST_USE int prom_add_attributes(const struct prom_text *t, struct prom_labels *l,
				 struct attributes *attributes);

#endif

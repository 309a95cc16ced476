/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_CONNECTORS_COUNT_CONNECTOR_H
#define VARVE_PIPELINE_CONNECTORS_COUNT_CONNECTOR_H

#include "pipeline/component.h"

/* count: makes metrics of how many items of any signal pass, by conditions and attributes. */
extern const struct component count_connector;

#endif

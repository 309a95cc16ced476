/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_CONNECTORS_SPANMETRICS_CONNECTOR_H
#define VARVE_PIPELINE_CONNECTORS_SPANMETRICS_CONNECTOR_H

#include "pipeline/component.h"

/* spanmetrics: makes metrics of spans, calls and durations by service, name, kind and status. */
extern const struct component spanmetrics_connector;

#endif

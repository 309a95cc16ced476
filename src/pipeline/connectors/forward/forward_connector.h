/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_CONNECTORS_FORWARD_CONNECTOR_H
#define VARVE_PIPELINE_CONNECTORS_FORWARD_CONNECTOR_H

#include "pipeline/component.h"

/* forward: joins pipelines of one signal. */
extern const struct component forward_connector;

#endif

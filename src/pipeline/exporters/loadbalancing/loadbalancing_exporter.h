/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_EXPORTERS_LOADBALANCING_LOADBALANCING_EXPORTER_H
#define VARVE_PIPELINE_EXPORTERS_LOADBALANCING_LOADBALANCING_EXPORTER_H

#include "pipeline/component.h"

/*
 * Sends each trace, service or resource to one of several backends, always the same. It is
 * described in docs/collector/loadbalancing.md.
 */
extern const struct component loadbalancing_exporter;

#endif

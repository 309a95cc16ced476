/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_SERVICE_SELF_METRICS_H
#define VARVE_PIPELINE_SERVICE_SELF_METRICS_H

#include "pipeline/component.h"
#include "pipeline/service/telemetry_settings.h"

/*
 * Serves the metrics of the program at /metrics, and the state of its exporters for `varve status`
 * at /api/v1/status, of each address of service.telemetry.metrics. An extension that is not in the
 * table of components; its settings are struct metrics_readers.
 */
extern const struct component self_metrics_extension;

#endif

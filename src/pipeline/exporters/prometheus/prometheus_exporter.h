/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_EXPORTERS_PROMETHEUS_PROMETHEUS_EXPORTER_H
#define VARVE_PIPELINE_EXPORTERS_PROMETHEUS_PROMETHEUS_EXPORTER_H

#include "pipeline/component.h"

/* Serves the last value of each series for scrapes. docs/collector/prometheus.md */
extern const struct component prometheus_exporter;

#endif

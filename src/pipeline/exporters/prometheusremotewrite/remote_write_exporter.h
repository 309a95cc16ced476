/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_EXPORTERS_PROMETHEUSREMOTEWRITE_REMOTE_WRITE_EXPORTER_H
#define VARVE_PIPELINE_EXPORTERS_PROMETHEUSREMOTEWRITE_REMOTE_WRITE_EXPORTER_H

#include "pipeline/component.h"

/* Sends metrics by Prometheus remote write. docs/collector/prometheus.md */
extern const struct component prometheusremotewrite_exporter;

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_RECEIVERS_PROMETHEUS_PROMETHEUS_RECEIVER_H
#define VARVE_PIPELINE_RECEIVERS_PROMETHEUS_PROMETHEUS_RECEIVER_H

#include "pipeline/component.h"

/* Scrapes targets as Prometheus does, by its configuration. docs/collector/prometheus.md */
extern const struct component prometheus_receiver;

#endif

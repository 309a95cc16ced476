/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_DEBUG_EXPORTER_H
#define VARVE_PIPELINE_DEBUG_EXPORTER_H

#include "pipeline/component.h"

/* Writes what it receives to the log, in the text of the OpenTelemetry Collector. */
extern const struct component debug_exporter;

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_EXPORTERS_OTLPHTTP_OTLPHTTP_EXPORTER_H
#define VARVE_PIPELINE_EXPORTERS_OTLPHTTP_OTLPHTTP_EXPORTER_H

#include "pipeline/component.h"

/* Sends data of all signals as OTLP/HTTP. docs/collector/otlp-exporters.md describes it. */
extern const struct component otlphttp_exporter;

#endif

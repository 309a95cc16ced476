/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_EXPORTERS_PYROSCOPE_PYROSCOPE_EXPORTER_H
#define VARVE_PIPELINE_EXPORTERS_PYROSCOPE_PYROSCOPE_EXPORTER_H

#include "pipeline/component.h"

/* Sends profiles to a server of Pyroscope. docs/collector/pyroscope.md describes it. */
extern const struct component pyroscope_exporter;

#endif

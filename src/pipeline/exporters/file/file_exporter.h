/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_FILE_EXPORTER_H
#define VARVE_PIPELINE_FILE_EXPORTER_H

#include "pipeline/component.h"

/* Writes OTLP messages to files: JSON lines, or protobuf with length prefixes. */
extern const struct component file_exporter;

#endif

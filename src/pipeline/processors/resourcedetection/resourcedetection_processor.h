/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_PROCESSORS_RESOURCEDETECTION_RESOURCEDETECTION_PROCESSOR_H
#define VARVE_PIPELINE_PROCESSORS_RESOURCEDETECTION_RESOURCEDETECTION_PROCESSOR_H

#include "pipeline/component.h"

/* Adds attributes of the environment and of the machine to resources. */
extern const struct component resourcedetection_processor;

#endif

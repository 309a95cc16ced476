/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_PROCESSORS_RESOURCE_RESOURCE_PROCESSOR_H
#define VARVE_PIPELINE_PROCESSORS_RESOURCE_RESOURCE_PROCESSOR_H

#include "pipeline/component.h"

/* Changes the attributes of resources. */
extern const struct component resource_processor;

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_PROCESSORS_ATTRIBUTES_ATTRIBUTES_PROCESSOR_H
#define VARVE_PIPELINE_PROCESSORS_ATTRIBUTES_ATTRIBUTES_PROCESSOR_H

#include "pipeline/component.h"

/* Changes the attributes of spans, log records and data points. */
extern const struct component attributes_processor;

#endif

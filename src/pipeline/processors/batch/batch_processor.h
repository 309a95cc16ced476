/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_PROCESSORS_BATCH_BATCH_PROCESSOR_H
#define VARVE_PIPELINE_PROCESSORS_BATCH_BATCH_PROCESSOR_H

#include "pipeline/component.h"

/* Joins small deliveries to larger ones, and cuts those that are too large. */
extern const struct component batch_processor;

#endif

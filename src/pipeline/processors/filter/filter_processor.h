/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_FILTER_PROCESSOR_H
#define VARVE_PIPELINE_FILTER_PROCESSOR_H

#include "pipeline/component.h"

/* Drops data for which conditions are true: docs/collector/filter-transform.md. */
extern const struct component filter_processor;

#endif

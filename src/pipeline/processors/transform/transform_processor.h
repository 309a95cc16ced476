/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_TRANSFORM_PROCESSOR_H
#define VARVE_PIPELINE_TRANSFORM_PROCESSOR_H

#include "pipeline/component.h"

/* Changes data by statements: docs/collector/filter-transform.md. */
extern const struct component transform_processor;

#endif

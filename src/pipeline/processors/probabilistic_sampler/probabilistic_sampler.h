/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_PROCESSORS_PROBABILISTIC_SAMPLER_PROBABILISTIC_SAMPLER_H
#define VARVE_PIPELINE_PROCESSORS_PROBABILISTIC_SAMPLER_PROBABILISTIC_SAMPLER_H

#include "pipeline/component.h"

/* Keeps a share of the spans or log records; all of a trace, or none. */
extern const struct component probabilistic_sampler_processor;

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_PROCESSORS_TAIL_SAMPLING_TAIL_SAMPLING_H
#define VARVE_PIPELINE_PROCESSORS_TAIL_SAMPLING_TAIL_SAMPLING_H

#include "pipeline/component.h"

/*
 * Collects the spans of a trace for some time and then decides by policies whether the trace is
 * kept. In a pipeline of profiles it passes on the data, and notes the traces that samples link to.
 */
extern const struct component tail_sampling_processor;

#endif

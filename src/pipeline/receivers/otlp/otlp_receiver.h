/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_OTLP_RECEIVER_H
#define VARVE_PIPELINE_OTLP_RECEIVER_H

#include "pipeline/component.h"

/*
 * OTLP over gRPC and HTTP: all signals. Metrics and logs without a pipeline are acknowledged and
 * discarded.
 */
extern const struct component otlp_receiver;

#endif

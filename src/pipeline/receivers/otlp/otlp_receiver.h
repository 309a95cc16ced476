/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_OTLP_RECEIVER_H
#define VARVE_PIPELINE_OTLP_RECEIVER_H

#include "pipeline/component.h"

/* OTLP over gRPC and HTTP: profiles and traces. Metrics and logs are told that they are not taken. */
extern const struct component otlp_receiver;

#endif

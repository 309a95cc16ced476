/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_RECEIVERS_PROMETHEUSREMOTEWRITE_REMOTE_WRITE_RECEIVER_H
#define VARVE_PIPELINE_RECEIVERS_PROMETHEUSREMOTEWRITE_REMOTE_WRITE_RECEIVER_H

#include "pipeline/component.h"

/*
 * Prometheus' remote write, versions 1.0 and 2.0, at POST /api/v1/write. A request is answered when
 * it is stored: 204; 400 with the reason if samples were refused, the others are stored then; 429
 * and 5xx if nothing was stored and the sender has to try again. Answers to version 2 have the
 * numbers of what was written in their headers.
 */
extern const struct component prometheusremotewrite_receiver;

#endif

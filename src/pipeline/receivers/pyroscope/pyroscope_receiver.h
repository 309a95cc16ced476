/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_PYROSCOPE_RECEIVER_H
#define VARVE_PIPELINE_PYROSCOPE_RECEIVER_H

#include "pipeline/component.h"

/* Pyroscope's ingest protocols: /ingest in all its formats, and push.v1. */
extern const struct component pyroscope_receiver;

#endif

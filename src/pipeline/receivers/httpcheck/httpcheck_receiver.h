/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_RECEIVERS_HTTPCHECK_RECEIVER_H
#define VARVE_PIPELINE_RECEIVERS_HTTPCHECK_RECEIVER_H

#include "pipeline/component.h"

/* httpcheck: sends requests to addresses and makes metrics of the responses. */
extern const struct component httpcheck_receiver;

#endif

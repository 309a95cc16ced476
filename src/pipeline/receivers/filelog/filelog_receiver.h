/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_FILELOG_RECEIVER_H
#define VARVE_PIPELINE_FILELOG_RECEIVER_H

#include "pipeline/component.h"

/* filelog: tails files, and makes log records of their lines. */
extern const struct component filelog_receiver;

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_NOP_EXPORTER_H
#define VARVE_PIPELINE_NOP_EXPORTER_H

#include "pipeline/component.h"

/* Accepts all data and discards it. */
extern const struct component nop_exporter;

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_OTTL_FUNCTIONS_METRICS_H
#define VARVE_PIPELINE_OTTL_FUNCTIONS_METRICS_H

#include "pipeline/ottl/ottl_call.h"

/* Editors of metrics, and the functions of the filter processor that test their data points. */
extern const struct ottl_function ottl_metric_functions[];

#endif

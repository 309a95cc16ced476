/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_OTTL_FUNCTIONS_AGGREGATE_H
#define VARVE_PIPELINE_OTTL_FUNCTIONS_AGGREGATE_H

#include "pipeline/ottl/ottl_call.h"

/*
 * aggregate_on_attributes: joins the data points of a gauge or sum that have the same start, time
 * and attributes, after all attributes but some were removed.
 */
ottl_function_run ottl_run_aggregate;

#endif

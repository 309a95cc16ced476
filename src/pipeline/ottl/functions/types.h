/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_OTTL_FUNCTIONS_TYPES_H
#define VARVE_PIPELINE_OTTL_FUNCTIONS_TYPES_H

#include "pipeline/ottl/ottl_call.h"

/* Converters of types, and tests of types: Int, String, IsMap, Len ... */
extern const struct ottl_function ottl_type_functions[];

#endif

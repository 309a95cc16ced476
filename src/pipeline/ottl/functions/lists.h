/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_OTTL_FUNCTIONS_LISTS_H
#define VARVE_PIPELINE_OTTL_FUNCTIONS_LISTS_H

#include "pipeline/ottl/ottl_call.h"

/* Converters of lists and maps: Keys, Values, ContainsValue, Sort ... */
extern const struct ottl_function ottl_list_functions[];

#endif

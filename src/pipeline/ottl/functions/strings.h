/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_OTTL_FUNCTIONS_STRINGS_H
#define VARVE_PIPELINE_OTTL_FUNCTIONS_STRINGS_H

#include "pipeline/ottl/ottl_call.h"

/* Converters of strings: Concat, Split, Substring, IsMatch ... */
extern const struct ottl_function ottl_string_functions[];

#endif

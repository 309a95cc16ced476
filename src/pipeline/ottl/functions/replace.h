/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_OTTL_FUNCTIONS_REPLACE_H
#define VARVE_PIPELINE_OTTL_FUNCTIONS_REPLACE_H

#include "pipeline/ottl/ottl_call.h"

/* Editors that replace text: replace_pattern, replace_match, and those of whole maps. */
extern const struct ottl_function ottl_replace_editors[];

#endif

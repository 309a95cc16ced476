/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VARVE_PIPELINE_OTTL_EDITORS_H
#define VARVE_PIPELINE_OTTL_EDITORS_H

#include "pipeline/ottl/ottl_call.h"

/* Editors of any path, and of maps: set, delete_key, keep_keys, limit, merge_maps ... */
extern const struct ottl_function ottl_editors[];

#endif
